"""Memory orders of digits, and whether an order or some digits are the memory of a layout."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..model.errors import LayoutError
from ..model.layout import INT64_MAX, Digit, Layout, reachable

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

        Makes no layout to compare with, for speed: most orders already differ in a padded size.
        """
        if layout.offset or layout.swizzle is not None:
            return False
        if not self.blocks:
            only = _plain_order(layout)
            return _plain_is_layout(self.order, layout) if only is None else self.order == only
        shape, padded = layout.shape, layout.padded_shape
        for d, block in self.blocks:
            if -(-shape[d] // block) * block != padded[d]:
                return False
        d, last = self.order[-1]
        # Without a block, others may split it.
        if last and shape[d] > 1 and layout.reachable_digits(d)[-1].stride != 1:
            return False
        return _blocked_is_layout(self, layout)


@lru_cache(maxsize=1 << 10)
def packing(order: Order) -> Packing:
    """The dense memory of ``order``. Cached."""
    blocks: dict[int, int] = {}
    for d, block in order:
        if block is not None and block != 1:
            blocks[d] = blocks.get(d, 1) * block
    return Packing(tuple(entry for entry in order if entry[1] != 1), tuple(blocks.items()))


def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``.

    ``order``: of the layout's dimensions, each at least once.
    """
    return packing(order).is_layout(layout)


@lru_cache(maxsize=64)
def _plain_order(layout: Layout) -> Order | None:
    """The only order without blocks that is this memory, empty if there is none.

    None where sizes of 1 may allow several.
    """
    if min(layout.shape, default=0) <= 1:
        return None
    strides = layout.strides
    if strides is None:
        return ()
    order = tuple((d, None) for d in sorted(range(layout.rank), key=lambda d: -strides[d]))
    return order if _plain_is_layout(order, layout) else ()


def _plain_is_layout(order: Order, layout: Layout) -> bool:
    """Whether an order without blocks is this memory."""
    shape, stride = layout.shape, 1
    for d, _ in reversed(order):
        size = shape[d]
        if size > 1:
            mine = layout.reachable_digits(d)
            if mine[-1].stride != stride or len(mine) > 1:
                return False
            stride *= size
    return layout.padded_shape == shape and layout.buffer_elements == layout.elements


@lru_cache(maxsize=1 << 12)
def _blocked_is_layout(packed: Packing, layout: Layout) -> bool:
    """The same for an order with blocks, whose padding is that of the layout where it has some."""
    shape, padded = layout.shape, layout.padded_shape
    blocks = dict(packed.blocks)
    if any(padded[d] != size for d, size in enumerate(shape) if d not in blocks):
        return False
    if layout.buffer_elements != (math.prod(padded) if layout.elements else 0):
        return False
    pieces: list[tuple[int, int, int, int]] = []
    for piece in _pieces(packed, padded):
        d, place, extent, stride = piece
        lowest = place == -1 and min(extent, shape[d]) > 1
        if lowest and layout.reachable_digits(d)[-1].stride != stride:
            return False
        pieces.append(piece)
    pieces.sort()
    digits: list[list[Digit]] = [[] for _ in shape]
    for d, _, extent, stride in pieces:
        digits[d].append(Digit(extent, stride))
    return all(
        reachable(mine, size) == layout.reachable_digits(d)
        for d, (mine, size) in enumerate(zip(digits, shape, strict=True))
    )


def _pieces(packed: Packing, padded: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Dimension, minus the place in it, extent and stride of each digit, innermost first."""
    blocks = dict(packed.blocks)
    places = [1] * len(padded)
    stride = 1
    for d, block in reversed(packed.order):
        # A block may come first in memory, but the part outside the blocks is the high digit.
        if block is None:
            place = blocks.get(d, 1)
            extent = padded[d] // place
        else:
            place, extent = places[d], block
            places[d] *= block
        yield d, -place, extent, stride
        stride *= max(extent, 1)


def padded_elements(order: Order, shape: tuple[int, ...]) -> int:
    """Elements of dense memory in ``order``, padding included."""
    blocks = dict(packing(order).blocks)
    return math.prod([-(-n // blocks.get(d, 1)) * blocks.get(d, 1) for d, n in enumerate(shape)])


@lru_cache(maxsize=1 << 8)
def packed_addresses(packed: Packing, shape: tuple[int, ...]) -> tuple[object, ...] | None:
    """The normal form of dense memory of a shape without zeros, or None beyond int64.

    Makes no layout, for speed.
    """
    padded = list(shape)
    for d, block in packed.blocks:
        padded[d] = -(-shape[d] // block) * block
    elements = math.prod(padded)
    if elements > INT64_MAX:
        return None
    digits: list[list[Digit]] = [[] for _ in shape]
    for d, _, extent, stride in sorted(_pieces(packed, padded)):
        digits[d].append(Digit(extent, stride))
    reached = tuple(map(reachable, digits, shape))
    return (0, shape, None, reached), tuple(padded), elements


def digits_are_layout(digits: tuple[tuple[Digit, ...], ...], offset: int, layout: Layout) -> bool:
    """Whether these digits, with the swizzle of ``layout``, have its addresses and buffer size.

    The same as to make their layout and to compare it, which is seldom needed.
    """
    if offset != layout.offset:
        return False
    if digits == layout.digits:
        return True
    for d, (mine, size) in enumerate(zip(digits, layout.shape, strict=True)):
        if mine != layout.digits[d] and (
            math.prod([g.extent for g in mine]) != layout.padded_shape[d]
            or reachable(mine, size) != layout.reachable_digits(d)
        ):
            return False
    try:
        made = Layout(layout.shape, layout.dims, digits, offset, layout.swizzle)
    except LayoutError:
        return False
    return made.buffer_elements == layout.buffer_elements


def same_after_ones(a: Layout, b: Layout) -> bool:
    """Whether ``a`` is ``b`` behind one or more leading dimensions of size 1."""
    ones = a.rank - b.rank
    if ones <= 0 or a.padded_shape[:ones] != (1,) * ones:
        return False
    inner = Layout(a.shape[ones:], b.dims, a.digits[ones:], a.offset, a.swizzle)
    return inner.normal_form == b.normal_form
