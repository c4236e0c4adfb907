"""The inverse of a layout: which elements are at an address, and whether two share one.

``overlap`` says whether addresses are shared, ``search`` finds all digits that lead to an address,
``owners`` the coordinates. It reads no text and no files; it imports the model.
"""
