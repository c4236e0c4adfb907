"""Random layouts and their twins: the same addresses, enumerated one by one in plain Python."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

from hypothesis import strategies as st

from app.engine.layout import Digit, Layout, Swizzle, default_dims

Coordinate = tuple[int, ...]


@st.composite
def shapes(draw: st.DrawFn, *, least: int = 1, most: int = 6, max_rank: int = 4) -> tuple[int, ...]:
    """Sizes of a small tensor."""
    return tuple(draw(st.lists(st.integers(least, most), min_size=0, max_size=max_rank)))


@st.composite
def packed_layouts(draw: st.DrawFn, shape: tuple[int, ...]) -> Layout:
    """Dense orders with up to three inner blocks, so that sizes are often padded."""
    order: list[tuple[int, int | None]] = [
        (d, None) for d in draw(st.permutations(range(len(shape))))
    ]
    if shape:
        order += draw(
            st.lists(
                st.tuples(st.integers(0, len(shape) - 1), st.sampled_from([1, 2, 3, 4, 6, 8])),
                max_size=3,
            )
        )
    return Layout.packed(shape, default_dims(len(shape)), order)


@st.composite
def any_layouts(draw: st.DrawFn) -> Layout:
    """Up to three digits per dimension with any small strides: broadcast, flipped, overlapping,
    interleaved, padded."""
    digits: list[tuple[Digit, ...]] = []
    shape: list[int] = []
    strides = st.sampled_from([-12, -6, -3, -2, -1, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 24, 100])
    left = 6  # digits in all: 4^6 owners of one address are still within the search's budget
    for _ in range(draw(st.integers(0, 4))):
        count = min(draw(st.sampled_from([1, 1, 1, 2, 3])), left)
        left -= count
        if not count:
            break
        mine = tuple(Digit(draw(st.integers(1, 4)), draw(strides)) for _ in range(count))
        full = math.prod(g.extent for g in mine)
        digits.append(mine)
        shape.append(draw(st.one_of(st.just(full), st.integers(1, full))))
    lowest = sum(min(g.reach, 0) for gs in digits for g in gs)
    offset = draw(st.integers(0, 3)) - lowest
    swizzle = draw(st.one_of(st.none(), st.none(), st.none(), swizzles()))
    return Layout(tuple(shape), default_dims(len(shape)), tuple(digits), offset, swizzle)


@st.composite
def swizzles(draw: st.DrawFn) -> Swizzle:
    """Small swizzles of both directions."""
    bits = draw(st.integers(0, 3))
    shift = draw(st.integers(bits, 4))
    return Swizzle(bits, draw(st.integers(0, 2)), draw(st.sampled_from([shift, -shift])))


def address(layout: Layout, coordinate: Coordinate) -> int:
    """The model's formula, digit by digit."""
    total = layout.offset
    for index, digits in zip(coordinate, layout.digits, strict=True):
        rest = index
        for g in reversed(digits):
            rest, digit = divmod(rest, g.extent)
            total += digit * g.stride
    return total if layout.swizzle is None else swizzled(layout.swizzle, total)


def swizzled(swizzle: Swizzle, offset: int) -> int:
    """CuTe's rule bit by bit: bit i of the target field flips where its source bit is set."""
    low, high = swizzle.base, swizzle.base + abs(swizzle.shift)
    source, target = (high, low) if swizzle.shift >= 0 else (low, high)
    for i in range(swizzle.bits):
        if offset >> (source + i) & 1:
            offset ^= 1 << (target + i)
    return offset


def enumerate_addresses(layout: Layout, sizes: tuple[int, ...]) -> dict[int, list[Coordinate]]:
    """Coordinates of ``sizes`` by address, row-major."""
    owners: dict[int, list[Coordinate]] = defaultdict(list)
    for coordinate in itertools.product(*map(range, sizes)):
        owners[address(layout, coordinate)].append(coordinate)
    return owners
