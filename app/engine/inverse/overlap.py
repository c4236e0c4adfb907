"""Whether two coordinates share an address."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..model.address import offset_map
from ..model.arrays import distinct_of
from ..model.digits import Digit, by_stride, places, strides_nest
from ..model.layout import INT64_MAX, Layout
from .search import Budget, Search, Term

_MOST_BITS = 1 << 24  # of a set of addresses
_COUNTED = 1 << 22  # elements; up to this many, all addresses are compared


@lru_cache(maxsize=512)
def shares_addresses(layout: Layout) -> bool | None:
    """Whether two coordinates share an address; None if the search's budget ends first. Cached."""
    if layout.elements <= 1:
        return False
    digits = [g for mine in layout.reached for g in mine]
    if any(g.stride == 0 for g in digits) or layout.elements > layout.span_elements:
        return True
    strides = by_stride(digits)
    if strides_nest(strides):
        return False
    # Two coordinates share an address where the differences of their digits sum to 0.
    differences = [Term(0, 1, 2 * g.extent - 1, g.stride, flipped=False) for g in strides]
    ragged = any(
        math.prod(g.extent for g in layout.reachable_digits(d)) > size > 1
        for d, size in enumerate(layout.shape)
    )
    reach = sum(g.reach for g in strides)
    if 2 * reach <= INT64_MAX:
        search = Search(differences, exact_tail=True)
        [hits] = search.solve(np.array([reach], dtype=np.int64), Budget())
        if not hits.undetermined[0]:
            if hits.counts[0] == 1:
                return False
            if not ragged:
                return True
    return distinct_addresses(layout) < layout.elements if layout.elements <= _COUNTED else None


def distinct_addresses(layout: Layout) -> int:
    """How many addresses the elements have; a swizzle changes nothing, it keeps them distinct.

    Time: O(span) bits for each doubling of a digit, or a sorted list of all where the span is long.
    """
    if layout.span_elements > _MOST_BITS:
        addresses = offset_map(replace(layout, swizzle=None)).ravel()
        # int32 is sorted in half the time.
        narrow = layout.bounds[1] < 1 << 31
        return len(distinct_of(addresses.astype(np.int32) if narrow else addresses))
    # A bit for each address, from the least one on. The dimensions add to it one by one.
    found, at = 1, layout.offset - layout.bounds[0]
    found <<= at
    for digits, size in zip(layout.digits, layout.shape, strict=True):
        found = _with_dimension(found, digits, size)
    return found.bit_count()


def _with_dimension(found: int, digits: Sequence[Digit], size: int) -> int:
    """The addresses ``found`` plus what each index below ``size`` adds.

    These indices are, for each digit, those that agree with ``size`` in the digits outside it and
    are smaller in this one; the digits inside it then take all their values.
    """
    total = 0
    for place, g in places(digits):
        value = size // place % g.extent if g is not digits[0] else size // place
        outside = sum(
            size // p % h.extent * h.stride if h is not digits[0] else size // p * h.stride
            for p, h in places(digits)
            if p > place
        )
        if value:
            total |= _moved(_repeated(found, value, g.stride), outside)
        found = _repeated(found, g.extent, g.stride)
    return total


def _repeated(found: int, count: int, stride: int) -> int:
    """The addresses plus 0, 1, …, count-1 strides."""
    done = 1
    while done < count:
        step = min(done, count - done)
        found |= _moved(found, step * stride)
        done += step
    return found


def _moved(found: int, by: int) -> int:
    return found << by if by >= 0 else found >> -by
