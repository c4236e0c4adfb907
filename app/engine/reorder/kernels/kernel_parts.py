"""What kernels have in common: tables of numbers, loops, scratch memory, copies of bytes.

A table is its length, then that many int64. Loops are a table with steps, source stride and
target stride of each loop, outermost first.

A store past the caches is fast only if it fills a line, and if no ordinary store waits for the same
line. So the parts of lines at both ends of a copy are stored through the caches.

All addresses and counts are bytes in int64.
"""

from typing import Final

import numpy as np

from . import instructions
from .instructions import copy_line, copy_register, copy_unit, helper, number, set_number

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
def copy_bytes(source: int, target: int, count: int, streamed: bool) -> None:
    """Copy ``count`` bytes; if ``streamed``, whole lines of the target go past the cache.

    The target's lines are stored whole: a store that crosses lines takes twice as long.
    """
    if not streamed and count < 128:
        copy_part(source, target, count)
        return
    done = min(-target & 63, count)
    copy_part(source, target, done)
    while done + 64 <= count:
        if streamed:
            instructions.copy_line_streamed(source + done, target + done)
        else:
            copy_line(source + done, target + done)
        done += 64
    copy_part(source + done, target + done, count - done)


@helper
def copy_part(source: int, target: int, count: int) -> None:
    """Copy ``count`` bytes and store no others."""
    done = 0
    while done + 64 <= count:
        copy_line(source + done, target + done)
        done += 64
    a, p, n = source + done, target + done, count - done
    if n >= 32:  # two copies that may overlap need no other branches
        instructions.copy_half(a, p)
        instructions.copy_half(source + count - 32, target + count - 32)
    elif n >= 16:
        copy_register(a, p)
        copy_register(source + count - 16, target + count - 16)
    elif n >= 8:
        copy_unit(np.uint64(0), a, p)
        copy_unit(np.uint64(0), source + count - 8, target + count - 8)
    elif n >= 4:
        copy_unit(np.uint32(0), a, p)
        copy_unit(np.uint32(0), source + count - 4, target + count - 4)
    elif n >= 2:
        copy_unit(np.uint16(0), a, p)
        copy_unit(np.uint16(0), source + count - 2, target + count - 2)
    elif n:
        copy_unit(np.uint8(0), a, p)
