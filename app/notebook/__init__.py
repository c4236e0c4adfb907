"""Tensors that a session holds, shown in its notebook.

Here lives what reads their memory and what a notebook displays; nothing is copied or moved, and no
server is needed.
"""
