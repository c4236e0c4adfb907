"""Runners that turn nibbles in one pass, where rows and columns begin at whole bytes.

They fit a target in the caches: nothing goes past these.
"""

from __future__ import annotations

from typing import Final

from ..interface import Buffer, Runner
from ..moves import Move
from ..ranges import Loop
from . import kernel_nibble_turns
from .kernel_nibble_turns import NARROW, WIDE
from .prepared import entry, numbers_of, scratch

_WOVEN: Final = 4  # rows of which a column is two bytes
_ODD: Final = (33, 63)  # nibbles of a woven row, if they are odd: they fill over half a register


def runner(move: Move) -> Runner | None:
    """Return the runner of a move of nibbles; None if no kernel of one pass fits it."""
    if move.source is None or any(
        x.fill or x.source_stride < 1 or x.target_stride < 1 for x in move.loops
    ):
        return None
    row = next((x for x in move.loops if x.source_stride == 1), None)
    column = next((x for x in move.loops if x.target_stride == 1), None)
    if row is None or column is None or row is column:
        return None
    around = [x for x in move.loops if x is not row and x is not column]
    strides = [n for x in around for n in (x.source_stride, x.target_stride)]
    if any(n % 2 for n in (move.source, move.target, *strides)):
        return None
    table = [n for x in around for n in (x.extent, x.source_stride // 2, x.target_stride // 2)]
    begin, place = move.source // 2, move.target // 2
    if _turns(row, column):
        header = [row.extent, column.extent, column.source_stride // 2, row.target_stride // 2]
        numbers = numbers_of(header, table)
        turn = entry(kernel_nibble_turns.turn_nibbles, 0, 0, numbers, 0)

        def turned(_source: Buffer, _target: Buffer, start: int, _end: int, to: int) -> None:
            turn(start + begin, to + place, numbers, scratch.address)

        return turned
    if row.target_stride == column.extent == _WOVEN:
        kernel, length, apart = kernel_nibble_turns.weave_nibbles, row.extent, column.source_stride
    elif column.source_stride == row.extent == _WOVEN:
        kernel, length, apart = (
            kernel_nibble_turns.unweave_nibbles,
            column.extent,
            row.target_stride,
        )
    else:
        return None
    if not _weaves(length, apart):
        return None
    numbers = numbers_of([length, apart if length % 2 else apart // 2], table)
    weave = entry(kernel, 0, 0, 0, numbers, 0)

    def woven(_source: Buffer, _target: Buffer, start: int, end: int, to: int) -> None:
        weave(start + begin, end, to + place, numbers, scratch.address)

    return woven


def _turns(row: Loop, column: Loop) -> bool:
    few, many = sorted((row.extent, column.extent))
    numbers = (few, many, row.target_stride, column.source_stride)
    return few >= NARROW and many >= WIDE and not any(n % 2 for n in numbers)


def _weaves(length: int, apart: int) -> bool:
    """Whether four rows of ``length`` nibbles can be woven. ``apart``: nibbles between them."""
    if length % 2:
        return apart == length and _ODD[0] <= length <= _ODD[1]
    return length >= WIDE and apart % 2 == 0
