"""Memory orders of digits, and whether dense memory in an order is a layout."""

import math
from dataclasses import dataclass
from functools import lru_cache

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


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Dense memory in an order, prepared to be compared with many layouts.

    ``order``: without blocks of one element, which change no address. ``inwards``: its pieces from
    the innermost out, each with its dimension, its block or None, the product of the blocks of the
    dimension, and whether it is the innermost of the dimension.
    """

    order: Order
    inwards: tuple[tuple[int, int | None, int, bool], ...]


@lru_cache(maxsize=1 << 10)
def packing(order: Order) -> Packing:
    """The dense memory of ``order``, which names each dimension at least once. Cached."""
    order = tuple(piece for piece in order if piece[1] != 1)
    blocks: dict[int, int] = {}
    for d, block in order:
        blocks[d] = blocks.get(d, 1) * (block or 1)
    inwards = []
    split: set[int] = set()
    for d, block in reversed(order):
        inwards.append((d, block, blocks[d], blocks[d] == 1 if block is None else d not in split))
        split |= set() if block is None else {d}
    return Packing(order, tuple(inwards))


@lru_cache(maxsize=1 << 8)
def is_layout(packed: Packing, layout: Layout) -> bool:
    """Whether dense memory has the addresses and the buffer size of ``layout``.

    Cached: most dialects try the same few orders. Cheap checks come first: most orders fail there.
    """
    if layout.offset or layout.swizzle is not None:
        return False
    shape, reached, stride = layout.shape, layout.reached, 1
    for d, block, whole, innermost in packed.inwards:
        if innermost and shape[d] > 1 and reached[d][-1].stride != stride:
            return False
        stride *= block or -(-shape[d] // whole) or 1
    return packed_memory(packed, shape) == layout.normal_form


def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``."""
    return is_layout(packing(order), layout)


@lru_cache(maxsize=1 << 8)
def packed_memory(packed: Packing, shape: tuple[int, ...]) -> NormalForm | None:
    """The normal form of dense memory, None beyond int64. Cached."""
    try:
        digits = digits_in(shape, packed.order)
    except LayoutError:
        return None
    padded = tuple(math.prod(g.extent for g in mine) for mine in digits)
    elements = 0 if 0 in shape else math.prod(padded)
    return NormalForm(0, shape, None, padded, tuple(map(reachable, digits, shape)), elements)


# A layout that is read is compared with the same order at once.
digits_in = lru_cache(maxsize=1 << 6)(packed_digits)
