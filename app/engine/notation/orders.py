"""Memory orders of digits, whether dense memory in one is a layout, and oneDNN's blocking."""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..model.digits import reachable
from ..model.errors import LayoutError
from ..model.layout import Layout, NormalForm, packed_digits

# (dimension, None) is the part of a dimension outside its blocks, (dimension, x) a block of x.
Order = tuple[tuple[int, int | None], ...]
# Digits as (dimension, index into its digits), outermost in memory first.
DigitOrder = tuple[tuple[int, int], ...]


def order_of_tag(tag: str, names: str) -> Order:
    """The order of a tag: a capital is the part outside the blocks, ``4c`` a block of 4 of C."""
    order: list[tuple[int, int | None]] = []
    digits = ""
    for c in tag:
        if c.isdigit():
            digits += c
        else:
            order.append((names.index(c.upper()), int(digits) if digits else None))
            digits = ""
    return tuple(order)


@lru_cache(maxsize=1 << 10)
def inwards(order: Order) -> tuple[tuple[int, int | None, int, bool], ...]:
    """The pieces of an order from the innermost out, without blocks of one element. Cached.

    Each has its dimension, its block or None, the product of all blocks of the dimension, and
    whether it is the innermost of the dimension.
    """
    order = tuple(piece for piece in order if piece[1] != 1)
    blocks: dict[int, int] = {}
    for d, block in order:
        blocks[d] = blocks.get(d, 1) * (block or 1)
    last = {d: at for at, (d, block) in enumerate(order) if block or blocks[d] == 1}
    pieces = [(d, block, blocks[d], last[d] == at) for at, (d, block) in enumerate(order)]
    return tuple(reversed(pieces))


@lru_cache(maxsize=1 << 8)
def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``.

    Cached: most dialects try the same few orders. Cheap checks come first: most orders fail there.
    """
    if layout.offset or layout.swizzle is not None:
        return False
    shape, reached, stride = layout.shape, layout.reached, 1
    for d, block, whole, innermost in inwards(order):
        if innermost and shape[d] > 1 and reached[d][-1].stride != stride:
            return False
        stride *= block or -(-shape[d] // whole) or 1
    return order_memory(order, shape) == layout.normal_form


@lru_cache(maxsize=1 << 8)
def order_memory(order: Order, shape: tuple[int, ...]) -> NormalForm | None:
    """The normal form of dense memory in ``order``, None beyond int64. Cached."""
    try:
        digits = packed_digits(shape, order)
    except LayoutError:
        return None
    padded = tuple(math.prod(g.extent for g in mine) for mine in digits)
    elements = 0 if 0 in shape else math.prod(padded)
    return NormalForm(0, shape, None, padded, tuple(map(reachable, digits, shape)), elements)


@dataclass(frozen=True, slots=True)
class Blocking:
    """oneDNN's descriptor: per dimension the stride of blocks; inner blocks as (size, dim)."""

    outer_strides: tuple[int, ...]
    inner_blocks: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def blocking(layout: Layout) -> Blocking | None:
    """oneDNN's blocking descriptor of the layout, None if it has none. Cached.

    It has one if all digits except the outermost of each dimension are packed together, innermost
    in memory, and the blocks of one dimension keep their order there. No stride may be negative,
    the rank is at least 1, and there is no swizzle. Source: dnnl_memory_desc blocking_desc.
    """
    for digits in layout.digits:
        if any(a.stride < b.stride for a, b in pairwise(g for g in digits[1:] if g.extent != 1)):
            return None
    inner = [(g, d) for d, digits in enumerate(layout.digits) for g in digits[1:]]
    inner.sort(key=lambda pair: (-pair[0].stride, pair[0].extent == 1))
    expected = 1
    for g, _ in reversed(inner):
        if g.stride != expected:
            return None
        expected *= max(g.extent, 1)
    outer = tuple(digits[0].stride for digits in layout.digits)
    if any(s < 0 for s in outer) or not layout.rank or layout.swizzle:
        return None
    return Blocking(outer, tuple((g.extent, d) for g, d in inner))
