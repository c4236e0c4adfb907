"""A walk as nested loops: what follows from the loops is computed without visiting elements.

A dimension whose blocks do not divide its size is *partial*: the loops over its inner digits are
shorter in its last block. Its state is *tight* while all digits so far are those of its last index,
and free otherwise. So a nest is described by (level, the set of tight dimensions): a few nodes,
each with the accesses and the last address of everything inside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..model.digits import Digit
from ..model.errors import refusal
from ..model.layout import Int64Array, Layout
from ..notation.orders import Order

_MOST_DIGITS = 18  # of a block
_LOOP = re.compile(r"(?=[^ ,])([0-9]*)([^0-9]|\Z)")  # a block and a letter, which a last one lacks
_CHUNK = 1 << 17  # steps computed at once
MOST_NODES = 1 << 12
Cut = tuple[int, int, int, int]  # a loop over one dimension: position, place, extent, stride


def parse_order(text: str | None, dims: str) -> Order:
    """The loops of ``text`` over dimensions of these names, outermost first.

    Entries are those of ``Layout.packed``: (d, None) is the part of dimension d outside all its
    blocks, (d, x) a block of x of its indices. ``text``: each letter of ``dims`` once, and blocks
    such as ``4c``; upper and lower case are the same where only one of them is a name. A number
    at the end without a letter is a block of C, as in NCHW4. None: the logical order.
    Errors: LayoutError naming walk.order, with the position.
    """
    if text is None:
        return tuple((d, None) for d in range(len(dims)))
    found: list[tuple[int, int | None]] = []
    for loop in _LOOP.finditer(text):
        digits, letter = loop.groups()
        if len(digits) > _MOST_DIGITS or (digits and int(digits) == 0):
            raise refusal("walk.order", "such a block", "order.block").shifted(loop.start())
        block = int(digits) if digits else None
        d = _dim(letter or "C", dims, loop.start(2) if letter else loop.start())
        if block is None and (d, None) in found:
            again = refusal("walk.order", f"{letter} again", "order.once", dim=dims[d])
            raise again.shifted(loop.start(2))
        found.append((d, block))
    missing = [name for d, name in enumerate(dims) if (d, None) not in found]
    if missing:
        got = "an order without some dimensions"
        raise refusal("walk.order", got, "order.missing", names=tuple(missing))
    return tuple(found)


def _dim(letter: str, dims: str, at: int) -> int:
    for name in (letter, letter.swapcase()):
        if len(name) == 1 and name in dims:
            return dims.index(name)
    if not dims:
        raise refusal("walk.order", "a letter", "order.none").shifted(at)
    last, got = dims[-1].lower(), "an unknown letter"
    raise refusal("walk.order", got, "order.letters", dims=tuple(dims), last=last).shifted(at)


def order_text(order: Sequence[tuple[int, int | None]], dims: str) -> str:
    """The text of an order, which ``parse_order`` reads back."""
    return "".join(dims[d] if block is None else f"{block}{dims[d]}" for d, block in order)


def loop_places(order: Order, d: int) -> list[tuple[int, int]]:
    """(position in ``order``, place) of each loop over dimension ``d``, outermost place first.

    The place of a loop is the step of its index: the product of the blocks inside it. The blocks
    of one dimension nest in the given order, and the rest is outside them wherever it stands.
    """
    blocks = [(at, block) for at, (e, block) in enumerate(order) if e == d and block is not None]
    rest = next(at for at, (e, block) in enumerate(order) if e == d and block is None)
    place = math.prod(block for _, block in blocks)
    found = [(rest, place)]
    for at, block in blocks:
        place //= block
        found.append((at, place))
    return found


def addresses(layout: Layout, order: Order, most: int) -> Iterator[Int64Array]:
    """Addresses in elements of the first ``most`` accesses of a walk, in chunks.

    Indices beyond the sizes, which blocks that do not divide them reach, are left out. Also ends
    after 4·``most`` steps of the loops, which only such blocks reach.
    """
    if 0 in layout.shape:
        return
    loops = _steps(layout, order)
    steps = math.prod(extent for _, _, extent in loops)
    left = most
    for first in range(0, min(steps, 4 * most), _CHUNK):
        at = np.arange(first, min(first + _CHUNK, steps))
        indices = [np.zeros_like(at) for _ in layout.shape]
        for d, place, extent in reversed(loops):
            at, digit = np.divmod(at, extent)
            indices[d] += digit * place
        found = np.full_like(at, layout.offset)
        inside = np.ones(len(at), dtype=np.bool_)
        for d, size in enumerate(layout.shape):
            if size == 1 and not any(e == d for e, _, _ in loops):
                continue
            inside &= indices[d] < size
            found += layout.dim_offsets(d, indices[d])
        found = found[inside][:left]
        left -= len(found)
        yield layout.swizzle(found) if layout.swizzle else found
        if not left:
            return


def _steps(layout: Layout, order: Order) -> list[tuple[int, int, int]]:
    """(dimension, place, steps) of each loop of the order, outermost first."""
    found: dict[int, tuple[int, int, int]] = {}
    for d, size in enumerate(layout.shape):
        outside = size
        for at, place in loop_places(order, d):
            found[at] = (d, place, -(-min(outside, size) // place))
            outside = place
    return [found[at] for at in sorted(found) if found[at][2] > 1]


@dataclass(frozen=True, slots=True)
class NestLoop:
    """``extent`` steps of ``stride``; ``last``: the last digit of its dimension where it is tight.
    ``tight``: the bit of its dimension, 0 if the dimension is not partial."""

    extent: int
    stride: int
    last: int
    tight: int = 0


class Nest:
    """Loops, outermost first, from address ``offset`` on. Units of all strides: any, the same.
    ``nodes``: their number, or more than MOST_NODES if there are more."""

    def __init__(self, loops: Sequence[NestLoop], offset: int) -> None:
        self.loops = tuple(loops)
        self.offset = offset
        self.start = 0
        for loop in self.loops:
            self.start |= loop.tight
        self.nodes = sum(map(len, self._states()))
        self._accesses: dict[tuple[int, int], int] = {}

    def _states(self) -> Iterator[set[int]]:
        """The states of the nodes of each level."""
        states = {self.start}
        for level in range(len(self.loops)):
            yield states
            states = {each for state in states for each in self.steps_at(level, state)[1:]}
            if len(states) > MOST_NODES:
                return

    @property
    def accesses(self) -> int:
        """Number of accesses."""
        return self.accesses_inside(0, self.start)

    def steps_at(self, level: int, state: int) -> tuple[int, int, int]:
        """(whole steps, their state inside, the state inside the last one) of a node.

        The loop takes ``whole`` steps with the first state. If the states differ, it then takes one
        more step with the second.
        """
        loop = self.loops[level]
        if loop.tight & state:
            return loop.last, state & ~loop.tight, state
        return loop.extent, state, state

    def last(self, level: int, state: int) -> int:
        """Address of the last access of a node, from that of its first."""
        return sum(
            (loop.last if loop.tight & state else loop.extent - 1) * loop.stride
            for loop in self.loops[level:]
        )

    def accesses_inside(self, level: int, state: int) -> int:
        """Number of accesses of a node."""
        if level == len(self.loops):
            return 1
        key = (level, state)
        if key not in self._accesses:
            whole, inside, final = self.steps_at(level, state)
            found = whole * self.accesses_inside(level + 1, inside)
            if final != inside:
                found += self.accesses_inside(level + 1, final)
            self._accesses[key] = found
        return self._accesses[key]

    def jumps(self) -> Iterator[tuple[int, int]]:
        """All pairs of consecutive accesses, by node: (their distance, how many they are)."""
        entered = {self.start: 1}
        for level, loop in enumerate(self.loops):
            below: dict[int, int] = {}
            for state, count in entered.items():
                whole, inside, final = self.steps_at(level, state)
                steps = whole if final != inside else whole - 1
                if steps:
                    yield loop.stride - self.last(level + 1, inside), count * steps
                if whole:
                    below[inside] = below.get(inside, 0) + count * whole
                if final != inside:
                    below[final] = below.get(final, 0) + count
            entered = below

    def scaled(self, units: int, *, parts: int = 1) -> Nest:
        """The nest in smaller units, ``units`` to one of before. ``parts``: one more loop inside,
        over so many units of each access."""
        loops = [NestLoop(g.extent, g.stride * units, g.last, g.tight) for g in self.loops]
        if parts > 1:
            loops.append(NestLoop(parts, 1, parts - 1))
        return Nest(loops, self.offset * units)


def nest_of(layout: Layout, order: Order) -> Nest | None:
    """The nest of a walk over ``layout``, strides in elements, before a swizzle.

    None if a loop's blocks and the layout's do not divide each other, if a partial dimension has an
    inner loop outside an outer one, or if there are more than MOST_NODES nodes. The layout has
    elements.
    """
    cuts = [
        _cuts(layout.reachable_digits(d), loop_places(order, d), size)
        for d, size in enumerate(layout.shape)
    ]
    loops = None if None in cuts else placed_loops([c for c in cuts if c is not None], layout.shape)
    nest = None if loops is None else Nest(_joined(loops), layout.offset)
    return nest if nest and nest.nodes <= MOST_NODES else None


def placed_loops(cuts: Sequence[Sequence[Cut]], shape: Sequence[int]) -> list[NestLoop] | None:
    """The loops of all dimensions by their positions; None if an inner loop of a partial dimension
    is outside an outer one."""
    placed: list[tuple[int, int, int, NestLoop]] = []
    bit = 1
    for d, (mine, size) in enumerate(zip(cuts, shape, strict=True)):
        lasts = [(size - 1) // place % extent for _, place, extent, _ in mine]
        partial = any(last != cut[2] - 1 for last, cut in zip(lasts[1:], mine[1:], strict=True))
        if partial and any(a[0] > b[0] for a, b in pairwise(mine)):
            return None
        for (at, place, extent, stride), last in zip(mine, lasts, strict=True):
            placed.append((at, d, -place, NestLoop(extent, stride, last, bit if partial else 0)))
        bit <<= partial
    return [loop for *_, loop in sorted(placed, key=lambda each: each[:3])]


def _cuts(digits: Sequence[Digit], loops: Sequence[tuple[int, int]], size: int) -> list[Cut] | None:
    """The loops over one dimension, outermost place first. Each is a part of one loop of the order
    and of one digit. None if the places do not divide each other."""
    starts: list[tuple[int, int]] = []  # (place, stride) of the digits
    place = 1
    for g in reversed(digits):
        starts.append((place, g.stride))
        place *= g.extent
    places = sorted({p for p, _ in starts} | {p for _, p in loops if p < size})
    if any(b % a for a, b in pairwise(places)):
        return None
    found = []
    for at, place in enumerate(places):
        extent = places[at + 1] // place if at + 1 < len(places) else -(-size // place)
        position = next(where for where, p in loops if p <= place)
        below, stride = max((p, s) for p, s in starts if p <= place)
        found.append((position, place, extent, stride * (place // below)))
    return found[::-1]


def _joined(loops: Sequence[NestLoop]) -> list[NestLoop]:
    """The same walk with fewer loops: those that continue each other are one."""
    found: list[NestLoop] = []
    for loop in loops:
        outer = found[-1] if found else None
        if outer and not (outer.tight or loop.tight) and outer.stride == loop.stride * loop.extent:
            extent = outer.extent * loop.extent
            found[-1] = NestLoop(extent, loop.stride, extent - 1)
        else:
            found.append(loop)
    return found


def box_loops(layout: Layout) -> list[tuple[int, int]] | None:
    """(extent, stride) of digits that reach all addresses of a layout without partial dimensions.
    Strides are positive or 0. None if a dimension is partial."""
    found = []
    for d, size in enumerate(layout.shape):
        digits = layout.reachable_digits(d)
        if math.prod(g.extent for g in digits) != max(size, 1):
            return None
        found += [(g.extent, abs(g.stride)) for g in digits]
    return found
