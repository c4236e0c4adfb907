"""The backend of compiled kernels, which transpose rows in vector registers. It is optional.

Others call it through the six members of ``Compiled`` in ``reorder/interface.py``, and load it by
``loading.py``. Here may stand what needs Numba; nothing here knows layouts, only moves.
"""
