"""The random layouts of all tests, and their twins: addresses enumerated in plain Python.

Each generator takes a ``Choice``: ``Seeded`` for a test that draws thousands, which is fast, and
``Drawn`` inside the strategies below, so that hypothesis finds and shrinks what fails.
"""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from app.engine.model.layout import Digit, Layout, Swizzle, default_dims

Coordinate = tuple[int, ...]
Item = TypeVar("Item")


class Choice(Protocol):
    """What decides; an option that is listed twice is taken twice as often."""

    def of(self, options: Sequence[Item]) -> Item: ...

    def order(self, items: Sequence[Item]) -> list[Item]: ...


class Seeded:
    """The same choices for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # examples, not secrets

    def of(self, options: Sequence[Item]) -> Item:
        return self._random.choice(options)

    def order(self, items: Sequence[Item]) -> list[Item]:
        return self._random.sample(items, len(items))


class Drawn:
    """The choices that hypothesis makes."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def of(self, options: Sequence[Item]) -> Item:
        taken: Item = self._draw(_one_of(options))
        return taken

    def order(self, items: Sequence[Item]) -> list[Item]:
        return self._draw(st.permutations(items))


@cache
def _one_of(options: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(options)


BLOCKS = (1, 2, 3, 4, 6, 8)
REGISTER_BLOCKS = (2, 3, 4, 8, 16, 32)
DIGIT_STRIDES = (-12, -6, -3, -2, -1, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 24, 100)
MOST_DIGITS = 6  # 4^6 owners of one address are still within the search's budget


def packed(
    choice: Choice,
    shape: tuple[int, ...],
    *,
    dims: str | None = None,
    blocks: tuple[int, ...] = BLOCKS,
) -> Layout:
    """A dense order with up to three inner blocks, so that sizes are often padded."""
    dimensions = range(len(shape))
    order: list[tuple[int, int | None]] = [(d, None) for d in choice.order(dimensions)]
    if shape:
        count = choice.of((0, 0, 1, 1, 2, 3))
        order += [(choice.of(dimensions), choice.of(blocks)) for _ in range(count)]
    return Layout.packed(shape, dims or default_dims(len(shape)), order)


@dataclass(frozen=True, slots=True)
class Nest:
    """How digits lie around one another, from the innermost out.

    ``first``: the stride of the innermost. ``gaps``: elements left free after a digit.
    ``multiples``: of the stride; 0 repeats a digit, more interleaves it with those around it.
    ``signs``: -1 flips it. ``offsets``: the least address. ``padded``: sizes below the extents.
    """

    first: tuple[int, ...] = (1,)
    gaps: tuple[int, ...] = (0,)
    multiples: tuple[int, ...] = (1,)
    signs: tuple[int, ...] = (1,)
    offsets: Sequence[int] = (0,)
    padded: bool = False


def nested(
    choice: Choice, extents: Sequence[Sequence[int]], nest: Nest, *, dims: str | None = None
) -> Layout:
    """Digits of these extents, one list per dimension, nested in any order."""
    strides = [[0] * len(mine) for mine in extents]
    step = choice.of(nest.first)
    for d, k in choice.order([(d, k) for d, mine in enumerate(extents) for k in range(len(mine))]):
        multiple = choice.of(nest.multiples)
        strides[d][k] = multiple * step * choice.of(nest.signs)
        # What is repeated takes space or none.
        if multiple or choice.of((0, 1)):
            step = step * extents[d][k] + choice.of(nest.gaps)
    digits = tuple(
        tuple(map(Digit, mine, steps)) for mine, steps in zip(extents, strides, strict=True)
    )
    shape = tuple(math.prod(mine) for mine in extents)
    if nest.padded:
        shape = tuple(choice.of((n, choice.of(range(1, n + 1)))) for n in shape)
    offset = choice.of(nest.offsets) - sum(min(g.reach, 0) for mine in digits for g in mine)
    return Layout(shape, dims or default_dims(len(shape)), digits, offset)


def swizzle(choice: Choice, *, bits: int = 3, base: int = 2, shift: int = 4) -> Swizzle:
    """A swizzle of either direction; the arguments are the largest that occur."""
    moved = choice.of(range(bits + 1))
    distance = choice.of(range(moved, shift + 1))
    return Swizzle(moved, choice.of(range(base + 1)), distance * choice.of((1, -1)))


def scrambled(choice: Choice, *, most_digits: int = 3, swizzled: bool = True) -> Layout:
    """A few digits per dimension with any small strides: broadcast, flipped, overlapping,
    interleaved, padded."""
    digits: list[tuple[Digit, ...]] = []
    shape: list[int] = []
    left = MOST_DIGITS
    for _ in range(choice.of(range(5))):
        count = min(choice.of((1, 1, *range(1, most_digits + 1))), left)
        left -= count
        if not count:
            break
        mine = tuple(Digit(choice.of(range(1, 5)), choice.of(DIGIT_STRIDES)) for _ in range(count))
        full = math.prod(g.extent for g in mine)
        digits.append(mine)
        shape.append(choice.of((full, choice.of(range(1, full + 1)))))
    offset = choice.of(range(4)) - sum(min(g.reach, 0) for gs in digits for g in gs)
    layout = Layout(tuple(shape), default_dims(len(shape)), tuple(digits), offset)
    if swizzled and choice.of((0, 0, 0, 1)):
        layout = replace(layout, swizzle=swizzle(choice))
    return layout


@st.composite
def shapes(draw: st.DrawFn, *, least: int = 1, most: int = 6, max_rank: int = 4) -> tuple[int, ...]:
    """Sizes of a small tensor."""
    return tuple(draw(st.lists(st.integers(least, most), min_size=0, max_size=max_rank)))


@st.composite
def packed_layouts(draw: st.DrawFn, shape: tuple[int, ...]) -> Layout:
    """Dense orders with up to three inner blocks."""
    return packed(Drawn(draw), shape)


@st.composite
def any_layouts(draw: st.DrawFn) -> Layout:
    """Up to three digits per dimension with any small strides, now and then a swizzle."""
    return scrambled(Drawn(draw))


def small_layouts(*, least: int = 0, max_rank: int = 4) -> st.SearchStrategy[Layout]:
    """Every kind of layout that the model has; ``least`` bounds the sizes of the packed ones."""
    dense = shapes(least=least, max_rank=max_rank).flatmap(packed_layouts)
    return st.one_of(any_layouts(), dense)


@st.composite
def far_apart(draw: st.DrawFn) -> Layout:
    """Many dimensions with long strides, so that texts are long and byte strides leave int64."""
    rank = draw(st.integers(1, 52))
    size = draw(st.sampled_from([1, 1, 2])) if rank < 20 else 1
    longest = 2**61 // max(rank, 1) if size > 1 else 2**63 - 1
    strides = st.integers(-longest if size == 1 else 1, longest)
    digits = [
        tuple(Digit(size, draw(strides)) for _ in range(draw(st.integers(1, 2))))
        for _ in range(rank)
    ]
    shape = tuple(size ** len(mine) for mine in digits)
    return Layout(shape, default_dims(rank), tuple(digits), draw(st.sampled_from([0, 7])))


@st.composite
def swizzles(draw: st.DrawFn) -> Swizzle:
    """Small swizzles of both directions."""
    return swizzle(Drawn(draw))


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
