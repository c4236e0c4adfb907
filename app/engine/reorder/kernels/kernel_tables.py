"""What kernels read and write besides the buffers: tables of numbers, loops, scratch memory.

A table is its length, then that many int64. Loops are a table with steps, source stride and
target stride of each loop, outermost first.
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
# Lines of the target that are not whole yet. By the hash of a line: where it begins, and its slot.
# Then how many slots were ever used, how many of them are free, and these. Then the slots, each a
# line and the bits of its bytes that are there.
OPEN_LINES: Final = 1 << 10
TAGS_AT: Final = COUNTERS_AT + 4096
FREE_AT: Final = TAGS_AT + 16 * OPEN_LINES
SLOTS_AT: Final = FREE_AT + 8 * (OPEN_LINES + 8)
SLOT_BYTES: Final = 128
SCRATCH_BYTES: Final = SLOTS_AT + SLOT_BYTES * OPEN_LINES


@helper
def after(table: int) -> int:
    """Return the address of the table after this one. Each begins with its length."""
    following: int = table + 8 * (1 + number(table, 0))
    return following


@helper
def iterations(loops: int, counters: int) -> int:
    """Return the number of iterations of all ``loops`` together; set their counters to zero."""
    count = 1
    for k in range(1, number(loops, 0), 3):
        count *= number(loops, k)
        set_number(counters, k, 0)
    return count


@helper
def advance(loops: int, counters: int, source: int, target: int) -> tuple[int, int]:
    """Return where the next iteration begins in source and target; after the last, the first."""
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
    """Copy a table without its length; return its greatest number, at least 0."""
    greatest = 0
    for r in range(number(distances, 0)):
        distance = number(distances, 1 + r)
        set_number(rows, r, distance)
        greatest = max(greatest, distance)
    return greatest


@helper
def renew_rotated(distances: int, rows: int, behind: int, width: int) -> None:
    """Copy a table as ``renew`` does, rotated: the last ``behind`` rows come first.

    These are one unit of ``width`` bytes nearer, so that they belong to the column before.
    """
    before = number(distances, 0) - behind
    for r in range(before):
        set_number(rows, r + behind, number(distances, 1 + r))
    for r in range(behind):
        set_number(rows, r, number(distances, 1 + before + r) - width)
