"""What a copy of a tensor reads and writes, in bytes."""

from dataclasses import replace
from functools import lru_cache

from ..inverse.overlap import distinct_addresses, shares_addresses
from ..model.dtypes import ElementType
from ..model.layout import Layout

_ENUMERATED = 1 << 22  # elements, or addresses from the least to the greatest


def moved_bytes(source: Layout, target: Layout, dtype: ElementType) -> int:
    """Bytes that a copy reads and writes: ``read_bytes`` of the source, the target's buffer.

    The buffer has the target's padding in it.
    """
    return read_bytes(source, dtype) + dtype.size_bytes(target.span_elements)


def read_bytes(source: Layout, dtype: ElementType) -> int:
    """Bytes at the addresses of the elements, each address once: gaps and padding are not read."""
    return dtype.size_bytes(_distinct(source))


@lru_cache(maxsize=4096)
def _distinct(layout: Layout) -> int:
    """How many addresses the elements have. If more than 2^22 elements overlap with gaps between
    them, this is the smaller of the number of elements and that of addresses from the least to the
    greatest."""
    # Indices that all lead to one address count as one.
    moving = [any(g.stride for g in each) for each in layout.reached]
    shape = tuple(n if m else min(n, 1) for n, m in zip(layout.shape, moving, strict=True))
    once = replace(layout, shape=shape)
    if once.elements <= 1 or shares_addresses(once) is False:
        return once.elements
    span = once.span_elements
    if span <= _ENUMERATED or once.elements <= _ENUMERATED:
        return distinct_addresses(once)
    return min(once.elements, span)
