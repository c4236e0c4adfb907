"""Memory orders of digits, and the normal form of memory: whether layouts are the same memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..model.errors import LayoutError
from ..model.layout import INT64_MAX, Digit, Layout, Swizzle, reachable

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


class NormalForm(NamedTuple):
    """The normal form: equal for layouts of the same sizes, addresses and buffer size alone.
    ``reached``: the digits of each dimension that its indices use."""

    offset: int
    shape: tuple[int, ...]
    swizzle: Swizzle | None
    padded_shape: tuple[int, ...]
    reached: tuple[tuple[Digit, ...], ...]
    buffer_elements: int

    def after_ones(self, rank: int) -> NormalForm:
        """The same memory without leading sizes of 1, so that it has ``rank`` dimensions or more.
        Sizes that are padded stay."""
        ones = len(self.shape) - rank
        if ones <= 0 or self.padded_shape[:ones] != (1,) * ones:
            return self
        parts = self.shape[ones:], self.padded_shape[ones:], self.reached[ones:]
        return self._replace(shape=parts[0], padded_shape=parts[1], reached=parts[2])


@lru_cache(maxsize=64)
def memory_of(layout: Layout) -> NormalForm:
    """The normal form of a layout's memory. Cached."""
    reached = tuple(map(layout.reachable_digits, range(layout.rank)))
    return NormalForm(
        layout.offset,
        layout.shape,
        layout.swizzle,
        layout.padded_shape,
        reached,
        layout.buffer_elements,
    )


def same_addresses(a: Layout, b: Layout) -> bool:
    """Whether two layouts have the same shapes, the same addresses and equal buffer sizes."""
    return memory_of(a) == memory_of(b)


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Dense memory in an order, prepared to be compared with many layouts.

    ``order``: without blocks of one element, which change no address. ``blocks``: the dimensions
    that have blocks, each with the product of them.
    """

    order: Order
    blocks: tuple[tuple[int, int], ...]

    def is_layout(self, layout: Layout) -> bool:
        """Whether it has the addresses and the buffer size of ``layout``. First what needs no
        memory to compare with, for speed: most orders already differ there."""
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
        return packed_memory(self, shape) == memory_of(layout)


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


def digits_are_layout(digits: Sequence[tuple[Digit, ...]], offset: int, layout: Layout) -> bool:
    """Whether these digits, with the swizzle of ``layout``, have its addresses and buffer size."""
    if offset != layout.offset:
        return False
    if digits == layout.digits:
        return True
    try:
        made = Layout(layout.shape, layout.dims, tuple(digits), offset, layout.swizzle)
    except LayoutError:
        return False
    return same_addresses(made, layout)
