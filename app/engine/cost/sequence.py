"""The addresses of a walk one after the other, in chunks: for walks that no few loops describe."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..model.layout import Int64Array, Layout
from .order import Order, loop_places

_CHUNK = 1 << 17  # steps computed at once


def addresses(layout: Layout, order: Order, most: int) -> Iterator[Int64Array]:
    """Addresses in elements of the first ``most`` accesses of a walk, in chunks.

    Indices beyond the sizes, which blocks that do not divide them reach, are left out. Also ends
    after 4·``most`` steps of the loops, which only such blocks reach.
    """
    if 0 in layout.shape:
        return
    loops = _loops(layout, order)
    steps = math.prod(extent for _, _, extent in loops)
    left = most
    for first in range(0, min(steps, 4 * most), _CHUNK):
        at = np.arange(first, min(first + _CHUNK, steps))
        indices = [np.zeros_like(at) for _ in layout.shape]
        for d, place, extent in reversed(loops):
            at, digit = np.divmod(at, extent)
            indices[d] += digit * place
        found = np.full_like(at, layout.offset)
        inside = np.ones(len(at), dtype=np.bool_)
        for d, size in enumerate(layout.shape):
            if size == 1 and not any(e == d for e, _, _ in loops):
                continue
            inside &= indices[d] < size
            found += layout.dim_offsets(d, indices[d])
        found = found[inside][:left]
        left -= len(found)
        yield layout.swizzle(found) if layout.swizzle else found
        if not left:
            return


def _loops(layout: Layout, order: Order) -> list[tuple[int, int, int]]:
    """(dimension, place, steps) of each loop of the order, outermost first."""
    found: dict[int, tuple[int, int, int]] = {}
    for d, size in enumerate(layout.shape):
        outside = size
        for at, place in loop_places(order, d):
            found[at] = (d, place, -(-min(outside, size) // place))
            outside = place
    return [found[at] for at in sorted(found) if found[at][2] > 1]
