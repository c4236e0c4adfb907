"""Memory orders of digits, and whether dense memory in an order is a layout."""

import math
from dataclasses import dataclass
from functools import lru_cache

from ..model.digits import reachable
from ..model.layout import INT64_MAX, Digit, Layout, NormalForm

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

    ``order``: without blocks of one element, which change no address. ``blocks``: the dimensions
    that have blocks, each with the product of them.
    """

    order: Order
    blocks: tuple[tuple[int, int], ...]

    def is_layout(self, layout: Layout) -> bool:
        """Whether it has the addresses and the buffer size of ``layout``.

        Cheap checks come first, for speed: most orders fail there.
        """
        shape, padded = layout.shape, layout.padded_shape
        if layout.offset or layout.swizzle is not None:
            return False
        for d, whole in self.blocks:
            if -(-shape[d] // whole) * whole != padded[d]:
                return False
        blocks = dict(self.blocks) if self.blocks else {}
        stride, seen = 1, 0
        for d, block in reversed(self.order):
            if shape[d] > 1 and (d not in blocks if block is None else not seen >> d & 1):
                if layout.reachable_digits(d)[-1].stride != stride:  # its lowest digit
                    return False
                seen |= 1 << d
            stride *= padded[d] // blocks.get(d, 1) or 1 if block is None else block
        return packed_memory(self, shape) == layout.normal_form


@lru_cache(maxsize=1 << 10)
def packing(order: Order) -> Packing:
    """The dense memory of ``order``, which names each dimension at least once. Cached."""
    blocks: dict[int, int] = {}
    for d, block in order:
        if block is not None and block != 1:
            blocks[d] = blocks.get(d, 1) * block
    return Packing(tuple(entry for entry in order if entry[1] != 1), tuple(blocks.items()))


@lru_cache(maxsize=1 << 8)
def packed_memory(packed: Packing, shape: tuple[int, ...]) -> NormalForm | None:
    """The normal form of dense memory, None beyond int64. Makes no layout, for speed."""
    blocks = dict(packed.blocks)
    padded = tuple([-(-n // blocks.get(d, 1)) * blocks.get(d, 1) for d, n in enumerate(shape)])
    elements = math.prod([n or 1 for n in padded])
    if elements > INT64_MAX:
        return None
    digits: list[list[Digit]] = [[] for _ in shape]
    outside: list[list[Digit]] = [[] for _ in shape]
    stride = 1
    for d, block in reversed(packed.order):
        # A block may come first in memory, but the part outside the blocks is the high digit.
        extent = padded[d] // blocks.get(d, 1) if block is None else block
        (outside if block is None else digits)[d].insert(0, Digit(extent, stride))
        stride *= extent or 1
    every = [high + low for high, low in zip(outside, digits, strict=True)]
    reached = tuple(map(reachable, every, shape))
    return NormalForm(0, shape, None, padded, reached, elements if 0 not in shape else 0)


def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``."""
    return packing(order).is_layout(layout)
