"""The steps of a reorder's plan, numbered from 0: what each reads and writes.

A step number is a mixed-radix number: the move, then one index per loop. So any step is found in
O(rank), without those before it, also in a plan of 10^12 steps. A step copies one unit, or a whole
run where a move has one, or writes zeros. All steps together write what a reorder writes, each
address once.

The order is the plan's. A kernel may go through a move in another order, tile by tile.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

import numpy as np

from ..model.digits import digit_values, unravelled
from ..model.dtypes import DEFAULT, ElementType, parse_dtype
from ..model.errors import LayoutError, phrase, refusal
from ..model.layout import Layout
from .moves import WIDEST_BITS, Kernel, Move, Registers, moves_of, registers_of
from .plan import Plan, padding_is_apart, plan
from .ranges import Loop

_MOST_LISTED = 1 << 22


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a copy.

    ``step``: its number. ``move``: index of its move. ``indices``: one per loop of the move, of the
    first unit of the step. ``source_address``: in elements, None if nothing is read.
    ``target_address``: in elements. ``units``: neighbours copied, contiguous on both sides.
    ``unit_bits``: size of one of them. ``fill``: whether zeros are written.
    """

    step: int
    move: int
    indices: tuple[int, ...]
    source_address: int | None
    target_address: int
    units: int
    unit_bits: int
    fill: bool


@dataclass(frozen=True, slots=True)
class ScheduledMove:
    """A move, or a part of a copy through address tables, with the numbers of its steps.

    ``unit_bits``: neighbours that stay together are copied as one unit. ``kernel``: as for a move;
    `"table"` if the addresses are those of coordinates, one element a step. ``source``, ``target``:
    first unit read (None for zeros) and written; for `"table"` only whether something is read.
    ``loops``: outermost first; for `"table"` one per dimension, over coordinates. ``origin``: the
    first of them. ``run``: index of the loop that one step copies whole. ``fill_run``: index of the
    loop whose fill is one step. ``addresses``: those that are written, listed, for padding that no
    loops can express. ``registers``: how a transpose moves its units, if a register holds several.
    ``first``, ``steps``: number of the first step, and how many there are.
    """

    kernel: Kernel | Literal["table"]
    unit_bits: int
    source: int | None
    target: int
    loops: tuple[Loop, ...]
    run: int | None = None
    fill_run: int | None = None
    origin: tuple[int, ...] | None = None
    addresses: tuple[int, ...] | None = None
    registers: Registers | None = None
    first: int = 0
    steps: int = 1

    def radices(self) -> list[int]:
        """Return the radix of each loop: how many steps it counts, with the others at rest."""
        return [
            (1 if k == self.run else loop.extent)
            + (min(loop.fill, 1) if k == self.fill_run else loop.fill)
            for k, loop in enumerate(self.loops)
        ]


@dataclass(frozen=True, slots=True)
class Schedule:
    """All steps of ``planned`` for elements of ``item_bits``; only their moves are stored.

    >>> from stridescope import parse_layout, schedule
    >>> found = schedule(parse_layout("NCHW", (1, 6, 2, 2)), parse_layout("NCHW4", (1, 6, 2, 2)))
    >>> found.steps
    28
    >>> step = found.step(26)
    >>> step.indices, step.source_address, step.target_address
    ((3, 1), 23, 29)
    >>> found.step(27).fill, found.step(27).target_address, found.step(27).units
    (True, 30, 2)
    """

    planned: Plan
    item_bits: int
    moves: tuple[ScheduledMove, ...]

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.moves[-1].first + self.moves[-1].steps if self.moves else 0

    @property
    def written_bits(self) -> int:
        """Number of bits that all steps write."""
        return sum(_units(move) * move.unit_bits for move in self.moves)

    def step(self, number: int) -> Step:
        """Return one step. Errors: LayoutError naming ``step`` if there is none."""
        if not 0 <= number < self.steps:
            raise LayoutError("step", number, phrase("step.range", high=self.steps - 1))
        k = self._move_of(number)
        return self._at(number, k, self.moves[k].radices())

    def window(self, first: int, count: int) -> Iterator[Step]:
        """Yield ``count`` steps from ``first`` on, fewer at the end.

        Errors: LayoutError naming ``first`` or ``count``.
        """
        if not 0 <= first <= self.steps:
            raise LayoutError("first", first, phrase("step.range", high=self.steps))
        if count < 0:
            raise LayoutError("count", count, phrase("count"))
        return self._steps(first, min(first + count, self.steps))

    def _steps(self, number: int, end: int) -> Iterator[Step]:
        k = self._move_of(number)
        while number < end:
            move = self.moves[k]
            radices = move.radices()
            for at in range(number, min(end, move.first + move.steps)):
                yield self._at(at, k, radices)
            number = move.first + move.steps
            k += 1

    def _move_of(self, number: int) -> int:
        return bisect_right(self.moves, number, key=lambda move: move.first) - 1

    def _at(self, number: int, k: int, radices: Sequence[int]) -> Step:
        move = self.moves[k]
        at = number - move.first
        if move.addresses is not None:
            target = move.addresses[at]
            return Step(number, k, (at,), None, target, 1, move.unit_bits, fill=True)
        digits = unravelled(at, radices)
        if move.kernel == "table":
            return self._looked_up(number, k, digits)
        indices, units, fill = _taken(move, digits)
        elements = move.unit_bits // self.item_bits
        target = move.target
        source = None if fill else move.source
        for index, loop in zip(indices, move.loops, strict=True):
            target += index * loop.target_stride
            if source is not None:
                source += index * loop.source_stride
        return Step(
            step=number,
            move=k,
            indices=indices,
            source_address=None if source is None else source * elements,
            target_address=target * elements,
            units=units,
            unit_bits=move.unit_bits,
            fill=source is None,
        )

    def _looked_up(self, number: int, k: int, digits: Sequence[int]) -> Step:
        move = self.moves[k]
        where = tuple(a + b for a, b in zip(move.origin or (), digits, strict=True))
        source = None if move.source is None else _address(self.planned.source, where)
        target = _address(self.planned.target, where)
        return Step(number, k, where, source, target, 1, move.unit_bits, fill=source is None)


def schedule(
    source: Layout,
    target: Layout,
    *,
    dtype: str | ElementType = DEFAULT,
    most_listed: int = _MOST_LISTED,
) -> Schedule:
    """Return the steps of the plan that copies ``source`` into ``target``.

    ``dtype``: decides which neighbours are moved as one unit. ``most_listed``: the largest padded
    target whose padding may be listed address by address, where no loops can express it. Errors:
    LayoutError naming ``target`` as ``plan`` does, or if such padding is larger.

    >>> from stridescope import parse_layout, schedule
    >>> found = schedule(parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3)), dtype="int8")
    >>> [(x.source_address, x.target_address) for x in found.window(0, found.steps)]
    [(0, 0), (3, 1), (1, 2), (4, 3), (2, 4), (5, 5)]
    """
    element = dtype if isinstance(dtype, ElementType) else parse_dtype(dtype)
    return schedule_of(plan(source, target), element.bits, most_listed=most_listed)


def schedule_of(planned: Plan, item_bits: int, *, most_listed: int = _MOST_LISTED) -> Schedule:
    """Return the steps of ``planned`` for elements of ``item_bits``: 4, or whole bytes.

    Errors: LayoutError naming ``target``, as for ``schedule``.
    """
    found = [*_by_tables(planned, item_bits, most_listed)]
    found += [_scheduled(move) for move in moves_of(planned.boxes, item_bits)]
    counts = [math.prod(m.radices()) if m.addresses is None else len(m.addresses) for m in found]
    firsts = accumulate(counts, initial=0)
    numbered = zip(found, counts, firsts, strict=False)  # one more first, which is the end
    moves = tuple(replace(m, steps=n, first=first) for m, n, first in numbered if n)
    return Schedule(planned, item_bits, moves)


def _scheduled(move: Move) -> ScheduledMove:
    """Return a move with its runs: what is contiguous on both sides, what zeros fill."""
    in_target = [k for k, loop in enumerate(move.loops) if loop.target_stride == 1]
    last = in_target[-1] if in_target else None
    is_run = last is not None and (move.source is None or move.loops[last].source_stride == 1)
    several = WIDEST_BITS // move.unit_bits in (2, 4, 8, 16)  # units in a register
    in_registers = move.kernel == "transpose" and several
    return ScheduledMove(
        move.kernel,
        move.unit_bits,
        move.source,
        move.target,
        move.loops,
        run=last if is_run else None,
        fill_run=last if last is not None and move.loops[last].fill else None,
        registers=registers_of(move.loops, move.unit_bits) if in_registers else None,
    )


def _by_tables(planned: Plan, bits: int, most_listed: int) -> Iterator[ScheduledMove]:
    """Yield what address tables copy: the padding, then all elements in row-major order."""
    if planned.kernel != "gather" or not planned.elements:
        return
    target = planned.target
    if planned.padded_by_table and not padding_is_apart(target):
        yield _listed(target, bits, most_listed)
    elif planned.padded_by_table:
        for origin, sizes in _padded(target):
            yield _table(bits, None, origin, sizes)
    yield _table(bits, 0, (0,) * target.rank, target.shape)


def _table(
    bits: int, source: int | None, origin: tuple[int, ...], sizes: Sequence[int]
) -> ScheduledMove:
    loops = tuple(Loop(size, 0, 0) for size in sizes)
    return ScheduledMove("table", bits, source, 0, loops, origin=origin)


def _padded(target: Layout) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield origins and sizes of boxes that together are the padding, each coordinate once.

    Box d has the coordinates whose first index beyond its size is that of dimension d.
    """
    for d, (size, padded) in enumerate(zip(target.shape, target.padded_shape, strict=True)):
        if padded > size:
            origin = tuple(size if e == d else 0 for e in range(target.rank))
            inside, beyond = target.shape[:d], target.padded_shape[d + 1 :]
            yield origin, (*inside, padded - size, *beyond)


def _listed(target: Layout, bits: int, most: int) -> ScheduledMove:
    """Return the addresses of padding that are no element's, ascending."""
    padded = math.prod(target.padded_shape)
    if padded > most:
        what = f"padding that may share addresses with elements, in {padded} padded elements"
        raise refusal("target", what, "most.of_them", most=most)
    every = target.offsets_at([np.arange(n) for n in target.padded_shape])
    own = target.offsets_at([np.arange(n) for n in target.shape])
    addresses = tuple(np.setdiff1d(every, own).tolist())
    return ScheduledMove("zeros", bits, None, 0, (), addresses=addresses)


def _taken(move: ScheduledMove, digits: Sequence[int]) -> tuple[tuple[int, ...], int, bool]:
    """Return the indices of a step's first unit, its units, and whether it is fill."""
    indices, units, fill = list(digits), 1, False
    for k, loop in enumerate(move.loops):
        copied = 1 if k == move.run else loop.extent
        beyond = digits[k] >= copied
        if k == move.run:
            indices[k] = loop.extent if beyond else 0
            units = loop.extent
        if beyond:
            fill = True
            units = loop.fill if k == move.fill_run else units
    return tuple(indices), units, fill


def _address(layout: Layout, coordinate: Sequence[int]) -> int:
    """Return one address, in Python ints: a step needs no arrays."""
    each = zip(layout.digits, coordinate, strict=True)
    parts = (part for digits, index in each for part in digit_values(digits, index))
    total = layout.offset + sum(value * stride for value, stride in parts)
    return layout.swizzle(total) if layout.swizzle else total


def _units(move: ScheduledMove) -> int:
    if move.addresses is not None:
        return len(move.addresses)
    return math.prod(loop.steps for loop in move.loops)
