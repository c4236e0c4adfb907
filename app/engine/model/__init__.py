"""The model: what a layout is, and where each element lies in memory.

Here live the ``Layout`` and its digits, element types, errors, the way from coordinates to
addresses and back, views, and facts such as "packed" and the size of the buffer. It reads no text,
knows no system's network and moves no element; it imports NumPy and ml_dtypes alone.
"""
