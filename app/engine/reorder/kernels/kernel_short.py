"""The kernel that transposes short rows: both sides have several loops that continue each other.

A tile is built in scratch memory in the order of the target, and its runs are copied from there.
Rows and columns are at distances from tables, so neither needs to be one loop.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from typing import Any, Final

from . import instructions, kernel_tables, lines, vectors
from .instructions import fence, number, units_like, width_of
from .kernel_tables import COUNTERS_AT, advance, after, iterations
from .lines import copy_bytes
from .loading import compiled
from .vectors import transpose_lines

HELPERS: Final = (instructions, kernel_tables, lines, vectors)  # compiled into the kernel below
_INNER_AT: Final = COUNTERS_AT + 2048  # counters of the loops inside a tile


@compiled(*HELPERS)
def transpose_short(
    like: Any, source: int, _source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Transpose tiles of rows and columns; each column gets one unit of each row.

    ``numbers``: begin of the first tile on both sides, number of rows, number of columns, bytes of
    a run, whether to stream. Then tables: the loops over tiles; the loops inside a tile around rows
    and columns, target strides in scratch memory; the distances of the rows, at least a register of
    them; the places of the columns in scratch memory; the runs of a tile, each with its place in
    scratch memory and its distance in the target.
    """
    units = units_like(like)
    width = width_of(units)
    given = numbers.ctypes.data
    s, d = source + number(given, 0), target + number(given, 1)
    n, m, run = number(given, 2), number(given, 3), number(given, 4)
    streamed, outer = number(given, 5) != 0, given + 8 * 6
    inner = after(outer)
    rows = after(inner)
    columns = after(rows)
    runs = after(columns)
    group, span = 16 // width, 64 // width
    for _ in range(iterations(outer, scratch + COUNTERS_AT)):
        s_next, d_next = advance(outer, scratch + COUNTERS_AT, s, d)
        base, out, ahead = s, scratch, s_next - s + 63
        for _ in range(iterations(inner, scratch + _INNER_AT)):
            for c in range(0, m, span):
                i = min(c, m - span)
                for r in range(0, n, group):
                    first = max(0, min(r, n - group))
                    at, went = rows + 8 * (1 + first), columns + 8 * (1 + i)
                    transpose_lines(units, at, base + i * width, went, out + first * width, ahead)
            base, out = advance(inner, scratch + _INNER_AT, base, out)
        for k in range(1, number(runs, 0), 2):
            to = d + number(runs, k + 1)
            copy_bytes(scratch + number(runs, k), to, run, streamed)
        s, d = s_next, d_next
    if streamed:
        fence()
