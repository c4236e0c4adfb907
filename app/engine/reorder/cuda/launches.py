"""Turns a plan into launches of the kernels in ``kernels.cu``. This module needs no GPU."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...model.digits import place_weights
from ...model.layout import Layout
from ..moves import Move
from ..pieces import cut
from ..plan import Plan
from ..ranges import Loop
from .arguments import (
    BLOCK_THREADS,
    COPY,
    UNITS_PER_THREAD,
    Arguments,
    Launch,
    Step,
    arguments,
    counted,
    step,
)
from .tiles import turned

WIDEST_BYTES: Final = 16
KERNELS: Final = (
    *(f"copy_units<{size}, {by}>" for size in (1, 2, 4, 8, 16) for by in ("false", "true")),
    *(f"copy_nibbles<{by}>" for by in ("false", "true")),
    *(f"turn_tiles<{size}>" for size in (1, 2, 4, 8, 16)),
)
_CUT_UNITS = 1 << 30


def launches_of(
    planned: Plan, moves: Sequence[Move], item_bits: int, alignment_bytes: int
) -> Iterator[Launch]:
    """Yield the launches that carry out a plan, to be run in this order.

    ``moves``: those of the plan for items of ``item_bits``. ``alignment_bytes``: divides
    WIDEST_BYTES and the addresses of both buffers. Errors: TooLargeError.
    """
    if planned.padded_by_table:
        yield from _gather(planned, item_bits, alignment_bytes, reads=False)
    for move in moves:
        for piece in _countable(move):
            yield from _launches(piece, alignment_bytes)
    if planned.kernel == "gather":
        yield from _gather(planned, item_bits, alignment_bytes, reads=True)


def _countable(move: Move) -> Iterator[Move]:
    if move.units < _CUT_UNITS:
        yield move
        return
    for pieces in cut((move,), _CUT_UNITS * move.unit_bits // 8):
        yield from pieces


def _launches(move: Move, alignment_bytes: int) -> Iterator[Launch]:
    unit_bytes = math.gcd(move.unit_bytes, alignment_bytes)
    if move.unit_bits >= 8 and move.unit_bytes > unit_bytes:
        move = _in_smaller_units(move, move.unit_bytes // unit_bytes)
    if move.kernel == "transpose" and move.unit_bits >= 8:
        yield turned(move, alignment_bytes)
        return
    given = arguments(
        COPY,
        [step(x) for x in reversed(move.loops)],
        source=move.source or 0,
        target=move.target,
        parts=1,
        units=counted(move.units),
        loops=len(move.loops),
        reads=move.source is not None,
    )
    yield from _units(given, move.unit_bytes, "false")


def _in_smaller_units(move: Move, parts: int) -> Move:
    """Return the same move with each unit split into ``parts`` units."""
    loops = [
        replace(x, source_stride=x.source_stride * parts, target_stride=x.target_stride * parts)
        for x in move.loops
    ]
    return Move(
        "runs",
        move.unit_bits // parts,
        None if move.source is None else move.source * parts,
        move.target * parts,
        (*loops, Loop(parts, 1, 1)),
    )


def _units(given: Arguments, unit_bytes: int, gathers: str) -> Iterator[Launch]:
    """Yield launches that copy unit by unit; low nibbles of all bytes before the high ones."""
    units = int(given["units"][0])
    if unit_bytes:
        blocks = -(-units // (BLOCK_THREADS * UNITS_PER_THREAD))
        yield Launch(f"copy_units<{unit_bytes}, {gathers}>", blocks, given)
        return
    for half in range(2):
        mine = given.copy()
        mine["half"] = half
        yield Launch(f"copy_nibbles<{gathers}>", -(-units // BLOCK_THREADS), mine)


def _gather(
    planned: Plan, item_bits: int, alignment_bytes: int, *, reads: bool
) -> Iterator[Launch]:
    """Yield launches that copy every element by the digits of both layouts.

    Without ``reads``, they write zeros to every address of the padded target.
    """
    source, target = planned.source, planned.target
    shape = source.shape if reads else target.padded_shape
    unit_bytes = math.gcd(item_bits // 8, alignment_bytes) if item_bits >= 8 else 0
    parts = item_bits // 8 // unit_bytes if unit_bytes else 1
    steps: list[Step] = []
    for d in reversed(range(len(shape))):
        terms: dict[int, list[int]] = {}
        for side, layout in enumerate((source, target)):
            for place, weight in place_weights(layout.digits[d]):
                terms.setdefault(place, [0, 0])[side] += weight
        steps.append(Step(0, 0, shape[d], len(terms)))
        steps += [Step(weights[0], weights[1], place, 0) for place, weights in terms.items()]
    given = arguments(
        COPY,
        steps,
        source=source.offset,
        target=target.offset,
        parts=parts,
        units=counted(math.prod(shape) * parts),
        loops=len(steps),
        reads=reads,
    )
    for name, layout in (("source_swizzle", source), ("target_swizzle", target)):
        given[name] = _swizzle(layout)
    yield from _units(given, unit_bytes, "true")


def _swizzle(layout: Layout) -> tuple[int, int]:
    """Return the mask of the bits that a swizzle moves, and their shift to the right."""
    by = layout.swizzle
    return (0, 0) if by is None else (by.mask, by.shift)
