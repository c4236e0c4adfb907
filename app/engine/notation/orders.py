"""Memory orders of digits, and whether an order or some digits are the memory of a layout."""

from __future__ import annotations

import math
import operator
from functools import lru_cache

from ..errors import LayoutError
from ..layout import Digit, Layout, reachable

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


def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``.

    ``order``: of the layout's dimensions, each at least once.
    Makes no layout to compare with, for speed: most orders already differ in their first digit.
    """
    if layout.offset or layout.swizzle is not None:
        return False
    if len(order) != len(layout.shape):
        order = _without_ones(order)
    if len(order) == len(layout.shape):
        return _plain_is_layout(order, layout)
    d, block = order[-1]
    shape = layout.shape
    # Without a block, others may split it.
    if block and shape[d] > 1 and layout.reachable_digits(d)[-1].stride != 1:
        return False
    if block and layout.padded_shape[d] % block:
        return False
    return _blocked_is_layout(order, layout)


@lru_cache(maxsize=1 << 10)
def _without_ones(order: Order) -> Order:
    """The order without blocks of one element, which change no address."""
    return tuple(entry for entry in order if entry[1] != 1)


def _plain_is_layout(order: Order, layout: Layout) -> bool:
    """The same for an order without blocks."""
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
def _blocked_is_layout(order: Order, layout: Layout) -> bool:
    shape, blocks = layout.shape, _blocks(order, layout.rank)
    outer = [-(-size // block) for size, block in zip(shape, blocks, strict=True)]
    if layout.padded_shape != tuple(map(operator.mul, outer, blocks)):
        return False
    if layout.buffer_elements != (math.prod(layout.padded_shape) if layout.elements else 0):
        return False
    digits: list[list[tuple[int, Digit]]] = [[] for _ in shape]
    places = [1] * layout.rank
    stride = 1
    for d, block in reversed(order):
        # A block may come first in memory, but the part outside the blocks is the high digit.
        extent, place = (outer[d], blocks[d]) if block is None else (block, places[d])
        if block is not None:
            places[d] *= block
        if place == 1 < min(extent, shape[d]) and layout.reachable_digits(d)[-1].stride != stride:
            return False
        digits[d].append((place, Digit(extent, stride)))
        stride *= max(extent, 1)
    return all(
        reachable([g for _, g in sorted(mine, key=_outermost_first)], size)
        == layout.reachable_digits(d)
        for d, (mine, size) in enumerate(zip(digits, shape, strict=True))
    )


def padded_elements(order: Order, shape: tuple[int, ...]) -> int:
    """Elements of dense memory in ``order``, padding included."""
    blocks = _blocks(order, len(shape))
    return math.prod([-(-n // block) * block for n, block in zip(shape, blocks, strict=True)])


@lru_cache(maxsize=1 << 10)
def _blocks(order: Order, rank: int) -> tuple[int, ...]:
    """The product of each dimension's blocks."""
    blocks = [1] * rank
    for d, block in order:
        blocks[d] *= block or 1
    return tuple(blocks)


def _outermost_first(pair: tuple[int, Digit]) -> int:
    return -pair[0]


def same_addresses(a: Layout, b: Layout) -> bool:
    """Whether two layouts have the same shapes, the same addresses and equal buffer sizes."""
    return (
        a.offset == b.offset
        and a.shape == b.shape
        and a.swizzle == b.swizzle
        and a.padded_shape == b.padded_shape
        and all(a.reachable_digits(d) == b.reachable_digits(d) for d in range(a.rank))
        and a.buffer_elements == b.buffer_elements
    )


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
    return same_addresses(inner, b)
