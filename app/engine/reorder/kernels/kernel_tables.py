"""What kernels read and write besides the buffers: tables of numbers, loops, scratch memory.

A table is its length, then that many int64. Loops are a table with steps, source stride and
target stride of each loop, outermost first.
"""

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
# Streamed columns without gaps need scratch memory if they have fewer rows. The direct way was
# 1.4 times as fast for 64 rows, and 0.7 to 0.9 for 32.
DIRECT_ROWS: Final = 64


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
