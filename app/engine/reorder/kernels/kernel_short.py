"""The kernel that turns short rows: both sides have several loops that continue each other.

A tile is built in scratch memory in the order of the target, and its runs are copied from there;
or, where nothing is gained by this, its columns are stored to the target at once. Rows and columns
lie at distances from tables, so neither needs to be one loop.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from __future__ import annotations

from typing import Any, Final

from . import instructions, kernel_tables, lines, vectors
from .instructions import fence, helper, number, prefetch, units_like, width_of
from .kernel_tables import COUNTERS_AT, advance, after, iterations
from .lines import copy_bytes, store_collected
from .loading import compiled
from .vectors import turn_half_lines, turn_lines, turn_nine_lines, turn_wide_lines

HELPERS: Final = (instructions, kernel_tables, lines, vectors)  # compiled into the kernel below
_INNER_AT: Final = COUNTERS_AT + 2048  # counters of the loops inside a tile


@compiled(*HELPERS)
def turn_short(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """Turn tiles of rows and columns; each column gets one unit of each row.

    ``numbers``: begin of the first tile on both sides, number of rows, number of columns, bytes of
    a run, whether to stream, whether columns go to the target at once; then of a strip of tiles
    that share the lines between them: tiles, the distance of the second and of the last tile from
    the first on both sides, whether a tile of another strip comes next. Then tables: the loops over
    strips; the loops inside a tile around rows and columns, target strides in scratch memory; the
    distances of the rows, at least a register of them; the places of the columns; the runs of a
    tile, each with its place in scratch memory and its distance in the target.
    """
    units = units_like(like)
    width = width_of(units)
    given = numbers.ctypes.data
    begin, place = source + number(given, 0), target + number(given, 1)
    n, m, run = number(given, 2), number(given, 3), number(given, 4)
    streamed, direct = number(given, 5) != 0, number(given, 6) != 0
    tiles = number(given, 7)
    outer = given + 8 * 13
    inner = after(outer)
    rows = after(inner)
    columns = after(rows)
    runs = after(columns)
    group, span = 16 // width, 64 // width
    along_source = number(given, 12) != 0
    strips = iterations(outer, scratch + COUNTERS_AT)
    s_next, d_next, t_next, k_next = begin, place, 0, 0
    for _ in range(strips * tiles):
        s_strip, d_strip, t, strip = s_next, d_next, t_next, k_next
        if along_source or t + 1 == tiles:
            s_next, d_next = advance(outer, scratch + COUNTERS_AT, s_strip, d_strip)
            k_next = strip + 1 if strip + 1 < strips else 0
        if not along_source:
            t_next = t + 1 if t + 1 < tiles else 0
        elif k_next == 0:
            t_next = t + 1
        s, d = s_strip + _at(given, t, 8), d_strip + _at(given, t, 9)
        ahead = s_next + _at(given, t_next, 8) - s + 63
        base, out = s, d if direct else scratch
        for _ in range(iterations(inner, scratch + _INNER_AT)):
            for c in range(0, m, span):
                i = min(c, m - span)
                if n >= span and (direct or width != 2):
                    beyond = min(i + span, m - span) if direct else -1
                    _turn_wide(units, rows, base, columns, out, n, i, beyond, ahead)
                    continue
                if width == 1 and n >= span // 2 and not direct:
                    for r in range(0, n, span // 2):
                        first = min(r, n - span // 2)
                        turn_half_lines(
                            units, rows + 8 * (1 + first), base + i, columns + 8 * (1 + i),
                            out + first, ahead,
                        )  # fmt: skip
                    continue
                if width == 1 and n == 9:
                    turn_nine_lines(rows + 8, base + i, columns + 8 * (1 + i), out, ahead)
                    continue
                for r in range(0, n, group):
                    first = max(0, min(r, n - group))
                    turn_lines(
                        units, rows + 8 * (1 + first), base + i * width, columns + 8 * (1 + i),
                        out + first * width, ahead,
                    )  # fmt: skip
            base, out = advance(inner, scratch + _INNER_AT, base, out)
        for k in range(1, number(runs, 0), 2):
            to = d + number(runs, k + 1)
            head = -to & 63 if streamed and t > 0 else 0
            end = run - ((to + run) & 63 if streamed and t + 1 < tiles else 0)
            copy_bytes(scratch + number(runs, k) + head, to + head, end - head, streamed, scratch)
    if streamed:
        store_collected(scratch)
        fence()


@helper
def _turn_wide(
    units: Any, rows: int, base: int, columns: int, out: int, n: int, i: int, beyond: int,
    ahead: int,
) -> None:  # fmt: skip
    """Turn 64 bytes of ``n`` rows to columns ``i`` and on, each a line or more.

    ``beyond``: if not negative, the columns that follow these; then the lines of the target that
    are stored next are prefetched.
    """
    width = width_of(units)
    span = 64 // width
    for r in range(0, n, span):
        first, k, near = min(r, n - span), i, out + (r + span) * width
        if r + span >= n:
            k, near = beyond, out
        if beyond >= 0:
            for j in range(k, k + span):
                prefetch(near + number(columns, 1 + j))
        turn_wide_lines(
            units, rows + 8 * (1 + first), base + i * width, columns + 8 * (1 + i),
            out + first * width, ahead,
        )  # fmt: skip


@helper
def _at(given: int, tile: int, side: int) -> int:
    """Return the distance of a tile from the first of its strip, in source (8) or target (9)."""
    if tile + 1 == number(given, 7):
        last: int = number(given, side + 2)
        return last
    found: int = tile * number(given, side)
    return found
