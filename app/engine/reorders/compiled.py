"""Numba kernels over the registers of ``vectors.py``: tiles, prefetches, padding.

Rows that padding completes are read from a page of zeros. Where columns of a large target do not
begin with a line of memory, a tile is put together in scratch memory and then streamed.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from app.engine.kernels import compiled
from app.engine.reorders.vectors import (
    copy_bytes,
    copy_masked,
    copy_register,
    copy_unit,
    fence,
    helper,
    number,
    prefetch,
    prefetch_rows,
    set_number,
    transpose_few,
    transpose_joined,
    transpose_line,
    transpose_line_streamed,
    transpose_registers,
    transpose_streamed,
    units_like,
    unweave_lines,
    unweave_lines_streamed,
    unweave_little,
    weave_lines,
    weave_lines_streamed,
    weave_little,
    weave_little_streamed,
    width_of,
)

# Numba's disk cache looks at this file alone: a change of vectors.py must show here. A test holds
# this to be the first digits of that file's SHA-256.
VECTORS: Final = "2f3729276c9cff0b"

# Scratch memory of a thread: a tile, one row of a tile, distances of rows, counters of loops.
TILE_BYTES: Final = 3 << 17
ROW_BYTES: Final = 1 << 15
ROWS: Final = 1 << 14
_ROW: Final = TILE_BYTES
_ROWS: Final = _ROW + ROW_BYTES
_COUNTERS: Final = _ROWS + 8 * ROWS
SCRATCH_BYTES: Final = _COUNTERS + 4096
NEXT_LINE, NEXT_ROWS, NEXT_TILE, NEXT_LINES = range(4)  # what to fetch while registers are turned
_CHUNK_PITCH: Final = 4160  # bytes from row to row of a chunk: no two begin in one cache set


@compiled
def bounds(source: Any, target: Any) -> tuple[int, int, int, bool]:
    """Where the source begins and ends, and where the target begins; whether they overlap."""
    begin, place = source.ctypes.data, target.ctypes.data
    end = begin + source.nbytes
    return begin, end, place, begin < place + target.nbytes and place < end


@helper
def _after(table: int) -> int:
    """The table behind this one: each begins with its length."""
    following: int = table + 8 * (1 + number(table, 0))
    return following


@helper
def _iterations(loops: int, counters: int) -> int:
    """Of all loops (steps, source, target each), whose counters begin at zero."""
    count = 1
    for k in range(1, number(loops, 0), 3):
        count *= number(loops, k)
        set_number(counters, k, 0)
    return count


@helper
def _step(loops: int, counters: int) -> tuple[int, int]:
    """Source and target bytes from this iteration to the next, or from the last to the first."""
    source = target = 0
    for k in range(number(loops, 0) - 2, 0, -3):
        i = number(counters, k)
        if i + 1 < number(loops, k):
            set_number(counters, k, i + 1)
            return source + number(loops, k + 1), target + number(loops, k + 2)
        set_number(counters, k, 0)
        source -= i * number(loops, k + 1)
        target -= i * number(loops, k + 2)
    return source, target


@compiled
def transpose(
    like: Any, source: int, source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Rows of units, contiguous in the source, to columns, contiguous in the target.

    ``numbers``: where the first row and the first column begin, rows, rows of a tile, distance
    from tile to tile, units of a row, target stride between columns, units of a tile's row,
    address of a row of zeros, what to fetch, whether to go past the caches. Then tables, each
    after its length: the loops around it; the distances of a tile's rows from its first one, and
    as many more as a register has; which rows are padding; a row of whose units only some bytes
    are elements, how many, and the mask of these (16 bytes), or nothing.
    """
    units = units_like(like)
    width, wide = width_of(units), len(units) * 16 // width_of(units)
    group = 16 // width
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    count, tile_rows, step = number(given, 2), number(given, 3), number(given, 4)
    length, stride, tile_length = number(given, 5), number(given, 6), number(given, 7)
    zeros, fetch, streamed = number(given, 8), number(given, 9), number(given, 10) != 0
    outer = given + 8 * 11
    distances = _after(outer)
    padding = _after(distances)
    partial = _after(padding)
    rows, counters = scratch + _ROWS, scratch + _COUNTERS
    greatest = _renew(distances, rows)
    s = d = 0
    for _ in range(_iterations(outer, counters)):
        to_source, to_target = _step(outer, counters)
        for tile in range((count + tile_rows - 1) // tile_rows):
            r0 = tile * tile_rows
            n = min(tile_rows, count - r0)
            for r in range(n, wide):
                set_number(rows, r, 0)  # a register that no row fills reads its first one again
            for l0 in range(0, length, tile_length):
                m = min(tile_length, length - l0)
                base = origin + s + tile * step + l0 * width
                if l0 + m < length:
                    ahead = base + tile_length * width
                elif r0 + n < count:
                    ahead = origin + s + (tile + 1) * step
                else:
                    ahead = origin + s + to_source
                for z in range(number(padding, 0)):
                    set_number(rows, number(padding, 1 + z), zeros - base)
                if number(partial, 0):
                    r, row = number(partial, 1), scratch + _ROW
                    begin = base + number(distances, 1 + r)
                    _copy_kept(begin, row, m * width, width, partial, zeros, source_end)
                    set_number(rows, r, row - base)
                place = place_0 + d + r0 * width + l0 * stride
                if m < group and base + greatest + 16 > source_end:
                    for r in range(n):
                        for i in range(m):
                            a = base + number(rows, r) + i * width
                            p = place + i * stride + r * width
                            copy_unit(units[0], a, p)
                else:
                    _transpose_tile(
                        units, rows, base, n, m, place, stride, ahead, fetch, streamed, scratch
                    )
            if n < wide:
                _renew(distances, rows)
        s += to_source
        d += to_target
    if streamed:
        fence()


@helper
def _renew(distances: int, rows: int) -> int:
    """Copy a table without its length; returns the greatest."""
    greatest = 0
    for r in range(number(distances, 0)):
        distance = number(distances, 1 + r)
        set_number(rows, r, distance)
        greatest = max(greatest, distance)
    return greatest


@helper
def _copy_kept(
    source: int, target: int, count: int, width: int, partial: int, zeros: int, source_end: int
) -> None:
    """``count`` bytes of units of which only the first bytes are kept, the others zero."""
    if source + count > source_end or count < 16:
        for i in range(count):
            begin = source + i if i % width < number(partial, 2) else zeros
            copy_unit(np.uint8(0), begin, target + i)
        return
    for i in range(0, count, 16):
        at = min(i, count - 16)
        copy_masked(source + at, target + at, partial + 8 * 3)


@helper
def _transpose_tile(
    units: Any, rows: int, base: int, n: int, m: int, place: int, stride: int, ahead: int,
    fetch: int, streamed: bool, scratch: int,
) -> None:  # fmt: skip
    """``n`` rows of ``m`` units to columns of the target, ``stride`` bytes apart.

    Through scratch memory go columns that do not fill their registers: all of them where they
    leave gaps, otherwise only the last ones, whose rest would be stored behind the tile; and
    columns to be streamed that do not begin with a line of memory.
    """
    width = width_of(units)
    group, wide = 16 // width, len(units) * 16 // width
    pitch, direct = n * width, 0
    if n >= wide:
        lines = (place | stride) & (16 * len(units) - 1) == 0
        if not streamed or (lines and n % wide == 0 and m >= group):
            direct = m
    elif stride == pitch and not streamed:
        direct = max(0, m - max(group, wide // n)) // (4 * group) * (4 * group)
    if direct:
        _turn(units, rows, base, n, direct, place, stride, ahead, fetch, streamed)
    if direct == m:
        return
    skipped = direct * width
    _turn(units, rows, base + skipped, n, m - direct, scratch, pitch, ahead + skipped, fetch, False)
    if stride == pitch:
        copy_bytes(scratch, place + direct * stride, (m - direct) * stride, streamed)
    else:
        for i in range(m):
            copy_bytes(scratch + i * pitch, place + i * stride, pitch, streamed)


@helper
def _turn(
    units: Any, rows: int, base: int, n: int, m: int, out: int, pitch: int, ahead: int,
    fetch: int, streamed: bool,
) -> None:  # fmt: skip
    """``n`` rows of ``m`` units to columns at ``out``, while what comes next is fetched.

    The last group of a side overlaps the one before it. Of fewer rows than fill a register, what
    lies beyond them is stored with each column and overwritten by the next ones. Of rows shorter
    than a register, what lies beyond them is read and left out.
    """
    width = width_of(units)
    group, wide = 16 // width, len(units) * 16 // width
    span = 4 * group
    if m < group:
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            if fetch == NEXT_TILE:
                prefetch_rows(units, rows + 8 * first, ahead)
            transpose_few(units, rows + 8 * first, base, out + first * width, pitch, m)
        return
    joined = pitch == 16 * len(units) and out & 63 == 0 and group * pitch >= 64
    whole = m // span * span
    if fetch == NEXT_LINE:
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            at, begin, place = rows + 8 * first, base, out + first * width
            for _ in range(m // span):
                transpose_line(units, at, begin, place, pitch, begin + 128)
                begin += 64
                place += span * pitch
    else:
        for c in range(0, whole, span):
            for r in range(0, n, wide):
                first = max(0, min(r, n - wide))
                at, begin = rows + 8 * first, base + c * width
                place = out + first * width + c * pitch
                if fetch == NEXT_TILE:
                    near = ahead + c * width
                elif fetch == NEXT_LINES:
                    near = begin + 128
                elif r + wide < n:
                    near = begin + number(rows, r + wide) - number(rows, first)
                else:
                    near = begin + 64 - number(rows, first)
                if streamed and joined:
                    transpose_joined(units, at, begin, place, pitch, near)
                elif streamed:
                    transpose_line_streamed(units, at, begin, place, pitch, near)
                else:
                    transpose_line(units, at, begin, place, pitch, near)
    if whole == m:
        return
    for r in range(0, n, wide):
        first = max(0, min(r, n - wide))
        at, place = rows + 8 * first, out + first * width
        if fetch == NEXT_TILE:
            prefetch_rows(units, at, ahead + whole * width)
        for c in range(whole, m, group):
            i = min(c, m - group)
            if streamed:
                transpose_streamed(units, at, base + i * width, place + i * pitch, pitch, 0)
            else:
                transpose_registers(units, at, base + i * width, place + i * pitch, pitch, 0)


@compiled
def weave(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """k rows, each contiguous in the source, unit by unit into one run of the target.

    ``numbers``: where the first row and the run begin, units of a row, address of a row of zeros,
    whether to go past the caches. Then tables as those of ``transpose``: the loops around it, the
    distances of the rows, which of them are padding.
    """
    units = units_like(like)
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    length, zeros, streamed = number(given, 2), number(given, 3), number(given, 4) != 0
    outer = given + 8 * 5
    distances = _after(outer)
    padding = _after(distances)
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    chunk = 8192 // width
    rows, counters = scratch + _ROWS, scratch + _COUNTERS
    _renew(distances, rows)
    near = streamed and length * width < 1 << 14
    s = d = 0
    for _ in range(_iterations(outer, counters)):
        to_source, to_target = _step(outer, counters)
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            base, place = origin + s + l0 * width, place_0 + d + l0 * width * k
            for z in range(number(padding, 0)):
                set_number(rows, number(padding, 1 + z), zeros - base)
            lines, aligned = place % 64 == 0, place % 16 == 0
            i = 0
            while i + step <= m:
                a, p = base + i * width, place + i * width * k
                if near:
                    for r in range(k):
                        prefetch(origin + s + to_source + number(distances, 1 + r) + i * width)
                if streamed and lines:
                    weave_lines_streamed(units, rows, a, p)
                else:
                    weave_lines(units, rows, a, p)
                i += step
            while i + little <= m:
                a, p = base + i * width, place + i * width * k
                if streamed and aligned:
                    weave_little_streamed(units, rows, a, p)
                else:
                    weave_little(units, rows, a, p)
                i += little
            if i < m and m >= little:
                i = m - little
                weave_little(units, rows, base + i * width, place + i * width * k)
                i = m
            while i < m:
                for r in range(k):
                    a, p = base + number(rows, r) + i * width, place + (i * k + r) * width
                    copy_unit(units[0], a, p)
                i += 1
        s += to_source
        d += to_target
    if streamed:
        fence()


@compiled
def unweave(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """A run of the source taken apart into k rows, contiguous in the target.

    ``numbers``: where the run and the first row begin, units of a row, target stride between
    rows, how many of the k are rows and not padding, whether to go past the caches; the loops
    around it after their length. ``scratch``: k rows of a chunk.
    """
    units = units_like(like)
    given = numbers.ctypes.data
    origin_0, place_0 = source + number(given, 0), target + number(given, 1)
    length, stride, kept = number(given, 2), number(given, 3), number(given, 4)
    streamed, outer = number(given, 5) != 0, given + 8 * 6
    width, k = width_of(units), len(units)
    chunk = 4096 // width
    counters = scratch + _COUNTERS
    s = d = 0
    for _ in range(_iterations(outer, counters)):
        aligned = (place_0 + d | stride) & 63 == 0
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            origin, place = origin_0 + s + l0 * width * k, place_0 + d + l0 * width
            if streamed and not aligned:
                _unweave_run(units, origin, scratch, m, _CHUNK_PITCH, kept, False)
                for r in range(kept):
                    copy_bytes(scratch + r * _CHUNK_PITCH, place + r * stride, m * width, True)
            else:
                _unweave_run(units, origin, place, m, stride, kept, streamed)
        to_source, to_target = _step(outer, counters)
        s += to_source
        d += to_target
    if streamed:
        fence()


@helper
def _unweave_run(
    units: Any, source: int, target: int, length: int, stride: int, kept: int, streamed: bool
) -> None:
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    i = 0
    while i + step <= length:
        if streamed:
            unweave_lines_streamed(units, source + i * width * k, target + i * width, stride, kept)
        else:
            unweave_lines(units, source + i * width * k, target + i * width, stride, kept)
        i += step
    while i + little <= length:
        unweave_little(units, source + i * width * k, target + i * width, stride, kept)
        i += little
    if i < length and length >= little:
        i = length - little
        unweave_little(units, source + i * width * k, target + i * width, stride, kept)
        i = length
    while i < length:
        for r in range(kept):
            a = source + (i * k + r) * width
            copy_unit(units[0], a, target + i * width + r * stride)
        i += 1


@compiled
def copy_runs(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Runs of bytes, contiguous on both sides, each followed by zero bytes.

    ``numbers``: where the first runs begin, bytes of a run, zeros after it, whether to go past
    the caches, the innermost loop, address of 64 zeros; the loops around it after their length.
    """
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    run, fill, streamed = number(given, 2), number(given, 3), number(given, 4) != 0
    n, from_step, to_step = number(given, 5), number(given, 6), number(given, 7)
    zeros, outer, counters = number(given, 8), given + 8 * 9, scratch + _COUNTERS
    s_0, d_0 = origin, place_0
    for _ in range(_iterations(outer, counters)):
        s, d = s_0, d_0
        if run == 16:
            for i in range(n):
                copy_register(s + i * from_step, d + i * to_step)
        elif run == 8:
            _copy_strided(np.uint64(0), s, d, n, from_step, to_step)
        elif run == 4:
            _copy_strided(np.uint32(0), s, d, n, from_step, to_step)
        elif run == 2:
            _copy_strided(np.uint16(0), s, d, n, from_step, to_step)
        elif run == 1:
            _copy_strided(np.uint8(0), s, d, n, from_step, to_step)
        else:
            for i in range(n):
                copy_bytes(s + i * from_step, d + i * to_step, run, streamed)
        d += run
        if fill == 4:
            _copy_strided(np.uint32(0), zeros, d, n, 0, to_step)
        elif fill == 2:
            _copy_strided(np.uint16(0), zeros, d, n, 0, to_step)
        elif fill == 1:
            _copy_strided(np.uint8(0), zeros, d, n, 0, to_step)
        elif fill:
            for i in range(n):
                for at in range(0, fill, 64):
                    copy_bytes(zeros, d + i * to_step + at, min(64, fill - at), False)
        to_source, to_target = _step(outer, counters)
        s_0 += to_source
        d_0 += to_target
    if streamed:
        fence()


@helper
def _copy_strided(
    unit: Any, source: int, target: int, count: int, source_step: int, target_step: int
) -> None:
    for i in range(count):
        copy_unit(unit, source + i * source_step, target + i * target_step)


@compiled
def copy_units(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """Unit by unit, any strides: two inner loops in tiles of 32, others around them.

    ``numbers``: where the first units begin, the two inner loops, the target's smallest stride
    second; the others after their length.
    """
    unit = units_like(like)[0]
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    rows, row_source, row_target = number(given, 2), number(given, 3), number(given, 4)
    columns, column_source, column_target = number(given, 5), number(given, 6), number(given, 7)
    outer, counters = given + 8 * 8, scratch + _COUNTERS
    s, d = origin, place_0
    for _ in range(_iterations(outer, counters)):
        for r0 in range(0, rows, 32):
            for c0 in range(0, columns, 32):
                for r in range(r0, min(rows, r0 + 32)):
                    from_row, to_row = s + r * row_source, d + r * row_target
                    for c in range(c0, min(columns, c0 + 32)):
                        copy_unit(unit, from_row + c * column_source, to_row + c * column_target)
        to_source, to_target = _step(outer, counters)
        s += to_source
        d += to_target
