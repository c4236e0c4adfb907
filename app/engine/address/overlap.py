"""Whether two coordinates share an address."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..digits import by_stride, strides_nest
from ..layout import INT64_MAX, Layout
from .offsets import offset_map
from .search import Budget, Search, Term

_COUNTED = 1 << 22  # elements; up to this many, all addresses are compared


@lru_cache(maxsize=512)
def shares_addresses(layout: Layout) -> bool | None:
    """Whether two coordinates share an address; None if the search's budget ends first. Cached."""
    if layout.elements <= 1:
        return False
    digits = [g for d in range(layout.rank) for g in layout.reachable_digits(d)]
    if any(g.stride == 0 for g in digits) or layout.elements > layout.span_elements:
        return True
    strides = by_stride(digits)
    if strides_nest(strides):
        return False
    # Two coordinates share an address where the differences of their digits sum to 0.
    differences = [Term(0, 1, 2 * g.extent - 1, g.stride, flipped=False) for g in strides]
    if 2 * sum(g.reach for g in strides) > INT64_MAX:
        return _counted(layout)
    zero = np.array([sum(g.reach for g in strides)], dtype=np.int64)
    [hits] = Search(differences, exact_tail=True).solve(zero, Budget())
    if not hits.undetermined[0] and hits.counts[0] == 1:
        return False
    ragged = any(
        math.prod(g.extent for g in layout.reachable_digits(d)) > size > 1
        for d, size in enumerate(layout.shape)
    )
    if not ragged and not hits.undetermined[0]:
        return True
    return _counted(layout)


def _counted(layout: Layout) -> bool | None:
    if layout.elements <= _COUNTED:
        addresses = np.sort(offset_map(layout), axis=None)
        return bool((addresses[1:] == addresses[:-1]).any())
    return None
