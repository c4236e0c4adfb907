"""The kernels that transpose rows of the source to columns of the target, in tiles.

Rows of padding are read from a page of zeros. For a large target, a tile is built in scratch memory
and then streamed. Of short rows, both sides have several loops that continue each other: rows and
columns are at distances from tables, and the runs of a tile are copied from scratch memory.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from typing import Any, Final

import numpy as np

from . import instructions, kernel_parts, vectors
from .instructions import copy_unit, fence, helper, number, prefetch, set_number, width_of
from .kernel_parts import COUNTERS_AT, ROWS_AT, advance, after, copy_bytes, iterations, renew
from .loading import compiled

HELPERS: Final = (instructions, kernel_parts, vectors)  # compiled into the kernels below
# How columns are stored, and what is fetched meanwhile. Not of Python's type int: Numba compiles
# a function once more for each constant of that type that a caller passes.
_CACHED: Final = np.int64(0)  # through the caches; nothing
_FETCHING: Final = np.int64(1)  # through the caches; the next tile of the source
_STREAMED: Final = np.int64(2)  # past the caches; the next tile of the source
NUMBERS: Final = 10  # before the tables
# Streamed columns without gaps need scratch memory if they have fewer rows. The direct way was
# 1.4 times as fast for 64 rows, and 0.7 to 0.9 for 32.
_DIRECT_ROWS: Final = 64
_INNER_AT: Final = COUNTERS_AT + 2048  # counters of the loops inside a tile of short rows


@compiled(*HELPERS)
def transpose(
    like: Any, source: int, source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Transpose rows of units, contiguous in the source, to columns, contiguous in the target.

    ``numbers``: begin of the first row and of the first column, number of rows, rows of a tile,
    distance between tiles, units of a row, target stride between columns, units of a tile's row,
    address of a row of zeros, whether to stream. Then tables: the loops around the transpose; the
    distances of a tile's rows from its first row; the rows that are padding; and for a partial row
    its index, the bytes of each unit that are elements, and their mask (16 bytes). The last table
    is empty if no row is partial.
    """
    units = instructions.units_like(like)
    width = width_of(units)
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    count, tile_rows, step = number(given, 2), number(given, 3), number(given, 4)
    outer = given + 8 * NUMBERS
    last_base = source_end - renew(after(outer), scratch + ROWS_AT) - 16
    s = d = 0
    for _ in range(iterations(outer, scratch + COUNTERS_AT)):
        s_next, d_next = advance(outer, scratch + COUNTERS_AT, s, d)
        at = origin + s
        for r in range(0, count, tile_rows):
            n = min(tile_rows, count - r)
            following = at + step if r + n < count else origin + s_next
            place = place_0 + d + r * width
            _rows(units, given, at, place, n, following, scratch, last_base, source_end)
            at += step
        s, d = s_next, d_next
    if number(given, 9):
        fence()


@helper
def _rows(
    units: Any,
    given: int,
    begin: int,
    to: int,
    n: int,
    following: int,
    scratch: int,
    last_base: int,
    source_end: int,
) -> None:
    """Transpose ``n`` rows, tile by tile along them.

    ``following``: where the next rows begin. ``last_base``: from where a register of every row can
    be read.
    """
    width, wide = width_of(units), len(units) * 16 // width_of(units)
    length, stride, tile_length = number(given, 5), number(given, 6), number(given, 7)
    zeros, streamed = number(given, 8), number(given, 9) != 0
    distances = after(given + 8 * NUMBERS)
    padding = after(distances)
    partial = after(padding)
    rows = scratch + ROWS_AT
    for r in range(n, wide):
        set_number(rows, r, 0)  # what is left of a register is filled from the first row
    for l0 in range(0, length, tile_length):
        m = min(tile_length, length - l0)
        base, place = begin + l0 * width, to + l0 * stride
        ahead = base + tile_length * width if l0 + m < length else following
        if streamed:
            ahead += min(64, m * width) - 1  # of two lines, the one that is not here yet
        for z in range(number(padding, 0)):
            set_number(rows, number(padding, 1 + z), zeros - base)
        if number(partial, 0):
            r, row = number(partial, 1), scratch + kernel_parts.ROW_AT
            kept_from = base + number(distances, 1 + r)
            _copy_kept(kept_from, row, m * width, width, partial, zeros, source_end)
            set_number(rows, r, row - base)
        if m < 16 // width and base > last_base:
            for r in range(n):
                for i in range(m):
                    a = base + number(rows, r) + i * width
                    copy_unit(units[0], a, place + i * stride + r * width)
        else:
            _tile(units, given, base, n, m, place, ahead, scratch)
    if n < number(given, 3):
        renew(distances, rows)


@helper
def _copy_kept(
    source: int, target: int, count: int, width: int, partial: int, zeros: int, source_end: int
) -> None:
    """Copy ``count`` bytes of units; keep the first bytes of each, and make the others zero."""
    if source + count > source_end or count < 16:
        for i in range(count):
            begin = source + i if i % width < number(partial, 2) else zeros
            copy_unit(np.uint8(0), begin, target + i)
        return
    for i in range(0, count, 16):
        at = min(i, count - 16)
        instructions.copy_masked(source + at, target + at, partial + 8 * 3)


@helper
def _tile(
    units: Any, given: int, base: int, n: int, m: int, place: int, ahead: int, scratch: int
) -> None:
    """Transpose ``n`` rows of ``m`` units to columns of the target.

    Some columns go through scratch memory. First, columns that do not fill their registers: all of
    them if there are gaps between columns, otherwise only the last ones, whose registers would be
    stored beyond the tile. Second, streamed columns that do not begin at lines, or are short.
    """
    width = width_of(units)
    stride, streamed = number(given, 6), number(given, 9) != 0
    group, wide = 16 // width, len(units) * 16 // width
    pitch, rows, direct = n * width, scratch + ROWS_AT, 0
    dense = stride == pitch
    if streamed:
        at_lines = (place | stride) & 63 == 0 and n % wide == 0
        direct = m if at_lines and m >= group and (n >= _DIRECT_ROWS or not dense) else 0
    elif n >= wide:
        at_lines = (place | stride) & (16 * len(units) - 1) == 0
        direct = m if m >= group or not dense or at_lines else 0
    elif dense:
        direct = max(0, m - max(group, wide // n)) // (4 * group) * (4 * group)
    if direct:
        way = _STREAMED if streamed else _CACHED
        _columns(units, rows, base, n, direct, place, stride, ahead, way)
    if direct == m:
        return
    begin, rest = base + direct * width, m - direct
    if dense:
        way = _FETCHING if streamed else _CACHED
        _columns(units, rows, begin, n, rest, scratch, pitch, ahead + direct * width, way)
        copy_bytes(scratch, place + direct * stride, rest * stride, streamed)
        return
    # The next tile is fetched below.
    _columns(units, rows, begin, n, rest, scratch, pitch, ahead, _CACHED)
    _store_columns(given, n, m, width, place, ahead, scratch)


@helper
def _store_columns(
    given: int, n: int, m: int, width: int, place: int, ahead: int, scratch: int
) -> None:
    """Copy ``m`` columns of ``n`` units from scratch memory; prefetch the next tile meanwhile."""
    stride, streamed, pitch = number(given, 6), number(given, 9) != 0, n * width
    r = 0
    for i in range(m):
        while streamed and r < (i + 1) * n // m:
            for at in range(0, m * width, 64):
                prefetch(ahead + number(scratch + ROWS_AT, r) + at)
            r += 1
        copy_bytes(scratch + i * pitch, place + i * stride, pitch, streamed)


@helper
def _columns(
    units: Any, rows: int, base: int, n: int, m: int, out: int, pitch: int, ahead: int, way: int
) -> None:
    """Transpose ``n`` rows of ``m`` units to columns at ``out``, and prefetch what comes next.

    On each side, the last group overlaps the group before it. If the rows do not fill a register,
    the whole register is stored for each column, and the next columns overwrite the rest. If the
    rows are shorter than a register, the bytes after them are read but not stored.
    """
    streamed = way == _STREAMED
    width = width_of(units)
    group, wide = 16 // width, len(units) * 16 // width
    span = 4 * group
    if m < group:
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            if way != _CACHED:
                _prefetch_rows(rows + 8 * first, wide, ahead)
            vectors.transpose_few(units, rows + 8 * first, base, out + first * width, pitch, m)
        return
    whole = m // span * span
    for c in range(0, whole, span):
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            at, begin = rows + 8 * first, base + c * width
            place = out + first * width + c * pitch
            if streamed:
                vectors.transpose_line_streamed(units, at, begin, place, pitch, ahead + c * width)
            elif way == _FETCHING:
                vectors.transpose_line_fetching(units, at, begin, place, pitch, ahead + c * width)
            else:
                vectors.transpose_line(units, at, begin, place, pitch, 0)
    if whole == m:
        return
    for r in range(0, n, wide):
        first = max(0, min(r, n - wide))
        at = rows + 8 * first
        if way != _CACHED:
            _prefetch_rows(at, wide, ahead + whole * width)
        for c in range(whole, m, group):
            i = min(c, m - group)
            place = out + first * width + i * pitch
            if streamed:  # a line that is streamed twice takes twice as long
                vectors.transpose_last_streamed(units, at, base + i * width, place, pitch, c - i)
            else:
                vectors.transpose_registers(units, at, base + i * width, place, pitch, 0)


@helper
def _prefetch_rows(rows: int, count: int, ahead: int) -> None:
    for r in range(count):
        prefetch(ahead + number(rows, r))


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
    units = instructions.units_like(like)
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
                    vectors.transpose_lines(
                        units, at, base + i * width, went, out + first * width, ahead
                    )
            base, out = advance(inner, scratch + _INNER_AT, base, out)
        for k in range(1, number(runs, 0), 2):
            to = d + number(runs, k + 1)
            copy_bytes(scratch + number(runs, k), to, run, streamed)
        s, d = s_next, d_next
    if streamed:
        fence()
