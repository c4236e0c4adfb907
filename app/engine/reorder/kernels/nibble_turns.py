"""Runners that turn nibbles in one pass, where rows and columns begin at whole bytes.

Long rows or columns are faster by ``nibble_rows`` if the target does not fit in the caches: there,
whole lines are stored past them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ..interface import Buffer, Runner
from ..moves import Move
from ..ranges import Loop
from . import kernel_nibble_turns
from .kernel_nibble_turns import MOST_ODD, STAGED
from .nibble_vectors import NARROW, WIDE
from .prepared import entry, numbers_of, scratch

_FOUR: Final = 4  # rows of which a woven column is two bytes; rows of a turn with one distance
_NEAR: Final = 4 << 20  # nibbles of a source that stays in a second-level cache, with the target
_SHORT: Final = 256  # nibbles: rows and columns below this many end between lines
_ODD: Final = (33, 63)  # nibbles of a woven row, if they are odd: they fill over half a register


def runner(move: Move, *, streamed: bool) -> Runner | None:
    """Return the runner of a move of nibbles; None if no kernel of one pass fits it."""
    numbers = (n for x in move.loops for n in (x.source_stride, x.target_stride))
    if move.source is None or min(numbers, default=0) < 1 or any(x.fill for x in move.loops):
        return None
    if (move.source | move.target) % 2:
        return None
    row = next((x for x in move.loops if x.source_stride == 1), None)
    column = next((x for x in move.loops if x.target_stride == 1), None)
    if row is None or column is None or row is column:
        return None
    if _FOUR in (row.extent, column.extent):
        woven = _woven(move, row, column, streamed=streamed)
        if woven:
            return woven
    if row.extent % 2:
        return _odd(move, row, column, streamed=streamed)
    return _turned(move, row, column, streamed=streamed)


def _odd(move: Move, row: Loop, column: Loop, *, streamed: bool) -> Runner | None:
    """Return the runner of a move of rows of an odd number of nibbles, which follow each other."""
    length, count = row.extent, column.extent
    dense = column.source_stride == length and row.target_stride == count
    fits = _ODD[0] <= length <= _ODD[1] and NARROW <= count <= MOST_ODD and count % 2 == 0
    table = _around(move, [row, column])
    if not dense or not fits or table is None:
        return None
    return _runner(kernel_nibble_turns.turn_odd_nibbles, [length, count, streamed], table, move)


def _woven(move: Move, row: Loop, column: Loop, *, streamed: bool) -> Runner | None:
    """Return the runner of a move of four rows to columns of two bytes, or of the inverse."""
    if row.target_stride == column.extent == _FOUR:
        kernel, length, apart = kernel_nibble_turns.weave_nibbles, row.extent, column.source_stride
    elif column.source_stride == row.extent == _FOUR:
        kernel, length = kernel_nibble_turns.unweave_nibbles, column.extent
        apart = row.target_stride
    else:
        return None
    fits = apart == length and _ODD[0] <= length <= _ODD[1]
    if length % 2 == 0:
        fits = apart % 2 == 0 and length >= WIDE
    if streamed and (length > STAGED or apart != length):
        return None
    table = _around(move, [row, column])
    if table is None or not fits:
        return None
    return _runner(kernel, [length, apart if length % 2 else apart // 2, streamed], table, move)


def _turned(move: Move, row: Loop, column: Loop, *, streamed: bool) -> Runner | None:
    """Return the runner of a move of many rows to long columns."""
    rows, columns = [column], [row]
    others = [x for x in move.loops if x is not row and x is not column]
    if column.extent == _FOUR:  # to CHWN4: four channels, and those of the next image behind them
        rows += [x for x in others if x.target_stride == _FOUR][:1]
    if row.extent == _FOUR:
        columns += [x for x in others if x.source_stride == _FOUR and x not in rows][:1]
    few, many = sorted(prod(x.extent for x in loops) for loops in (rows, columns))
    table = _around(move, [*rows, *columns])
    if table is None or few < NARROW or many < WIDE or (streamed and many >= _SHORT):
        return None
    header = [
        *_distances(columns, [x.target_stride for x in columns]),
        *_distances(rows, [x.source_stride for x in rows]),
    ]
    if any(n % 2 for n in header):
        return None
    in_bytes = [n // 2 if k % 3 else n for k, n in enumerate(header)]
    numbers = numbers_of([*in_bytes, move.units > _NEAR], table)
    turn = entry(kernel_nibble_turns.turn_nibbles, 0, 0, numbers, 0)
    begin, place = (move.source or 0) // 2, move.target // 2

    def run(_source: Buffer, _target: Buffer, start: int, _end: int, to: int) -> None:
        turn(start + begin, to + place, numbers, scratch.address)

    return run


def _runner(kernel: Any, header: Sequence[int], table: Sequence[int], move: Move) -> Runner:
    """Return the runner that calls a kernel which must not read beyond the source."""
    numbers = numbers_of(header, table)
    kernel = entry(kernel, 0, 0, 0, numbers, 0)
    begin, place = (move.source or 0) // 2, move.target // 2

    def run(_source: Buffer, _target: Buffer, start: int, end: int, to: int) -> None:
        kernel(start + begin, end, to + place, numbers, scratch.address)

    return run


def _distances(loops: Sequence[Loop], strides: Sequence[int]) -> tuple[int, int, int]:
    """Return the number of steps, the distance of one, and of four of them."""
    return prod(x.extent for x in loops), strides[0], (*strides, _FOUR * strides[0])[1]


def _around(move: Move, inner: Sequence[Loop]) -> list[int] | None:
    """Return the table of the loops around ``inner``; None if not all begin at whole bytes."""
    around = [x for x in move.loops if all(x is not y for y in inner)]
    if any(n % 2 for x in around for n in (x.source_stride, x.target_stride)):
        return None
    return [n for x in around for n in (x.extent, x.source_stride // 2, x.target_stride // 2)]
