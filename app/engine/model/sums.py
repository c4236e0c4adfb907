"""Sums of loops, each an extent and a stride: whether two are equal, and the greatest of them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
Loops = Sequence[tuple[int, int]]

_PIECE = 1 << 16  # sums that are computed at once
_COMPARED = 1 << 22  # sums; of more, differences are not listed


def sums_coincide(loops: Loops) -> bool | None:
    """Whether two combinations of the loops have the same sum; None if there are too many.

    They have one where a difference of the sums of one half is a difference of the other half. The
    halves have about the square root of all differences. Strides are over 0.
    """
    if math.prod(extent for extent, _ in loops) > _COMPARED:
        return None
    halves: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for loop in sorted(loops, reverse=True):
        halves[_size(halves[0]) > _size(halves[1])].append(loop)
    small, large = sorted(halves, key=_size)
    differences = _differences(small)
    if np.count_nonzero(differences == 0) > 1:
        return True
    if len(large) == 1:  # a progression needs no list
        [(extent, stride)] = large
        steps, left = np.divmod(differences[differences > 0], stride)
        return bool(((left == 0) & (steps < extent)).any())
    others = _differences(large)
    if np.count_nonzero(others == 0) > 1:
        return True
    both = np.concatenate([distinct_of(each[each > 0]) for each in (differences, others)])
    both.sort()
    return bool((both[1:] == both[:-1]).any())


def _size(loops: Loops) -> int:
    return math.prod(2 * extent - 1 for extent, _ in loops)


def _differences(loops: Loops) -> Int64Array:
    """Σ difference·stride for all differences of two values of each loop."""
    found = np.zeros(1, dtype=np.int64)
    for extent, stride in loops:
        found = (found[:, None] + np.arange(1 - extent, extent, dtype=np.int64) * stride).ravel()
    return found


def greatest_moved(
    loops: Loops, start: int, moved: Callable[[Int64Array], Int64Array], bits: int
) -> int:
    """The greatest of all sums, after ``moved`` has changed the lowest ``bits`` of each.

    A sum is ``start`` plus, of each of the ``loops``, a value below its extent times its stride;
    strides are over 0, descending. All sums that can be it are computed, in pieces that stay in the
    caches.
    """
    loops = list(loops)
    greatest = start + sum((extent - 1) * stride for extent, stride in loops)
    # The greatest result comes from a sum whose higher bits are those of the greatest sum.
    low = greatest >> bits << bits
    inner = np.zeros(1, dtype=np.int64)
    while loops and len(inner) * loops[-1][0] <= _PIECE:
        extent, stride = loops.pop()
        inner = (np.arange(extent, dtype=np.int64)[:, None] * stride + inner).ravel()
    outer = np.array([start - low], dtype=np.int64)
    left = greatest - start
    for extent, stride in loops:
        left -= (extent - 1) * stride
        outer = (outer[:, None] + np.arange(extent, dtype=np.int64) * stride).ravel()
        outer = outer[outer + left >= 0]
    if int(inner[-1]) < 1 << 30:
        inner, outer = inner.astype(np.int32), outer.astype(np.int32)
    rows = max(_PIECE // len(inner), 1)
    pieces = (outer[at : at + rows, None] + inner for at in range(0, len(outer), rows))
    return low + max(int(moved(piece).max()) for piece in pieces)


def distinct_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the distinct values, ascending.

    np.unique hashes them, which takes 20 to 100 times as long for millions.
    """
    ordered = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]
