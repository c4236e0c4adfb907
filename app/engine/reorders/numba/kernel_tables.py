"""What kernels read and write beside the buffers: tables of numbers, loops, scratch memory.

A table is its length and so many int64; loops are a table of steps, source stride and target
stride of each, outermost first.
"""

from __future__ import annotations

from typing import Final

from .instructions import helper, number, set_number

# Scratch memory of a thread: a tile, one row of a tile, distances of rows, counters of loops.
TILE_BYTES: Final = 3 << 17
ROW_BYTES: Final = 1 << 15
ROWS: Final = 1 << 12
ROW_AT: Final = TILE_BYTES
ROWS_AT: Final = ROW_AT + ROW_BYTES
COUNTERS_AT: Final = ROWS_AT + 8 * ROWS
SCRATCH_BYTES: Final = COUNTERS_AT + 4096


@helper
def after(table: int) -> int:
    """The table behind this one: each begins with its length."""
    following: int = table + 8 * (1 + number(table, 0))
    return following


@helper
def iterations(loops: int, counters: int) -> int:
    """Of all loops (steps, source, target each), whose counters begin at zero."""
    count = 1
    for k in range(1, number(loops, 0), 3):
        count *= number(loops, k)
        set_number(counters, k, 0)
    return count


@helper
def advance(loops: int, counters: int, source: int, target: int) -> tuple[int, int]:
    """Where the next iteration begins, or after the last the first, in source and target."""
    for k in range(number(loops, 0) - 2, 0, -3):
        i = number(counters, k)
        if i + 1 < number(loops, k):
            set_number(counters, k, i + 1)
            return source + number(loops, k + 1), target + number(loops, k + 2)
        set_number(counters, k, 0)
        source -= i * number(loops, k + 1)
        target -= i * number(loops, k + 2)
    return source, target


@helper
def renew(distances: int, rows: int) -> int:
    """Copy a table without its length; returns the greatest."""
    greatest = 0
    for r in range(number(distances, 0)):
        distance = number(distances, 1 + r)
        set_number(rows, r, distance)
        greatest = max(greatest, distance)
    return greatest
