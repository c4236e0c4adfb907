"""The backend of compiled kernels, which transpose rows in vector registers. It is optional.

``reorder/cpu.py`` calls it through ``runners.py``, and loads it by ``loading.py``. Here may stand
what needs Numba; nothing here knows layouts, only moves.
"""
