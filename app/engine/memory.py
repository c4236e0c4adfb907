"""New memory for arrays, which begins where it is moved fastest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

_LINE_BYTES = 64
_HUGE_BYTES = 2 << 20


def at_line(
    shape: tuple[int, ...], dtype: npt.DTypeLike, *, zeros: bool = False, huge: bool = False
) -> npt.NDArray[Any]:
    """Return a new NumPy array that begins at a line of memory, as NumPy's own need not.

    Its items are ``zeros``, or have any values. ``huge``: a large one begins at a huge page, so
    that the system clears few pages, for a caller who writes all of it at once.
    """
    size_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    begins_at = _HUGE_BYTES if huge and size_bytes >= 16 * _HUGE_BYTES else _LINE_BYTES
    memory = (np.zeros if zeros else np.empty)(size_bytes + begins_at - 1, np.uint8)
    begin = -memory.ctypes.data % begins_at
    found: npt.NDArray[Any] = memory[begin : begin + size_bytes].view(dtype).reshape(shape)
    return found
