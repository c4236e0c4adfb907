"""Runnable code that makes a layout, for NumPy, PyTorch and oneDNN. Nothing here runs it."""
