"""Where two arrays are in memory, found in one compiled call.

Asking NumPy for each of these numbers takes as long as copying a few KB.
"""

from __future__ import annotations

from typing import Any

from .loading import compiled


@compiled()
def bounds(
    source: Any, target: Any, source_items: int, target_items: int
) -> tuple[int, int, int, bool]:
    """Return begin and end of the source, begin of the target, and whether the arrays fit.

    They fit if they have at least so many items, no gaps, and no byte in common.
    """
    begin, place = source.ctypes.data, target.ctypes.data
    end = begin + source.nbytes
    apart = end <= place or place + target.nbytes <= begin
    long_enough = source.size >= source_items and target.size >= target_items
    dense = source.strides[0] == source.itemsize and target.strides[0] == target.itemsize
    return begin, end, place, apart and long_enough and dense
