"""The model: what a layout is, and where each element lies in memory.

Read it in this order: ``digits``, ``layout``, ``dtypes``, ``address/``, ``facts/``, ``views/``. It
reads no notation but the names of element types, knows no network and moves no element; it imports
NumPy and ml_dtypes, and CuPy where that is in use.
"""
