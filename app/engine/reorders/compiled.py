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
    copy_register,
    copy_unit,
    fence,
    helper,
    prefetch,
    prefetch_rows,
    transpose_few,
    transpose_joined,
    transpose_line,
    transpose_line_fetching,
    transpose_line_streamed,
    transpose_registers,
    transpose_streamed,
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
VECTORS: Final = "a33d808597b185ef"

_CHUNK_PITCH: Final = 4160  # bytes from row to row of a chunk: no two begin in one cache set


@compiled
def addresses(source: Any, target: Any) -> tuple[int, int]:
    """Where two arrays begin; a call costs a third of what NumPy's ``ctypes.data`` does."""
    return source.ctypes.data, target.ctypes.data


@helper
def _begin(loops: Any, index: int) -> tuple[int, int]:
    """Source and target bytes of iteration ``index`` of ``loops``: (steps, source, target)."""
    source = target = 0
    for k in range(len(loops) - 1, -1, -1):
        i = index % loops[k, 0]
        index //= loops[k, 0]
        source += i * loops[k, 1]
        target += i * loops[k, 2]
    return source, target


@helper
def _iterations(loops: Any) -> int:
    count = 1
    for k in range(len(loops)):
        count *= loops[k, 0]
    return count


@compiled
def transpose(
    units: Any, source: int, target: int, outer: Any, rows: Any, zero_rows: Any, shape: Any,
    scratch: int, zeros: int, source_end: int, streamed: bool,
) -> None:  # fmt: skip
    """Rows of units, contiguous in the source, to columns, contiguous in the target.

    ``outer``: (k, 3) loops around it. ``rows``: distances of a tile's rows from its first one,
    and as many more as a register has; ``zero_rows``: which of them are padding. ``shape``: rows,
    rows of a tile, distance from tile to tile, units of a row, target stride between columns,
    units of a tile's row. ``scratch``: a tile and 8 KB; ``zeros``: a row of a tile. No byte from
    ``source_end`` on is read.
    """
    width, wide = width_of(units), len(units) * 16 // width_of(units)
    group = 16 // width
    count, tile_rows, step = shape[0], shape[1], shape[2]
    length, stride, tile_length = shape[3], shape[4], shape[5]
    table = rows.copy()
    greatest = table.max()
    at = table.ctypes.data
    blocks = _iterations(outer)
    s, d = _begin(outer, 0)
    for b in range(blocks):
        following, d_next = _begin(outer, (b + 1) % blocks)
        for tile in range((count + tile_rows - 1) // tile_rows):
            r0 = tile * tile_rows
            n = min(tile_rows, count - r0)
            for r in range(n, wide):
                table[r] = table[0]  # a register that no row fills reads its first one again
            for l0 in range(0, length, tile_length):
                m = min(tile_length, length - l0)
                base = source + s + tile * step + l0 * width
                if l0 + m < length:
                    ahead = base + tile_length * width
                elif r0 + n < count:
                    ahead = source + s + (tile + 1) * step
                else:
                    ahead = source + following
                for z in zero_rows:
                    table[z] = zeros - base
                place = target + d + r0 * width + l0 * stride
                aligned = (
                    (place | stride) & (16 * len(units) - 1) == 0 and n % wide == 0 and m >= group
                )
                if m < group and base + greatest + 16 > source_end:
                    for r in range(n):
                        for i in range(m):
                            a, p = base + table[r] + i * width, place + i * stride + r * width
                            copy_unit(units[0], a, p)
                elif n < wide or (streamed and not aligned):
                    pitch = n * width
                    _transpose_tile(units, at, base, n, m, scratch, pitch, ahead, streamed, False)
                    if stride == pitch:
                        copy_bytes(scratch, place, m * stride, streamed)
                    else:
                        for i in range(m):
                            copy_bytes(scratch + i * pitch, place + i * stride, pitch, streamed)
                else:
                    _transpose_tile(units, at, base, n, m, place, stride, ahead, streamed, streamed)
            if n < wide:
                table[:] = rows
        s, d = following, d_next
    if streamed:
        fence()


@helper
def _transpose_tile(
    units: Any, table: int, base: int, n: int, m: int, out: int, pitch: int, ahead: int,
    fetch: bool, streamed: bool,
) -> None:  # fmt: skip
    """``n`` rows of ``m`` units to ``out``, while the next tile, at ``ahead``, is fetched.

    The last group of a side overlaps the one before it. Of fewer rows than fill a register, what
    lies beyond them is stored with each column and overwritten by the next one. Of rows shorter
    than a register, what lies beyond them is read and left out.
    """
    width = width_of(units)
    group, wide = 16 // width, len(units) * 16 // width
    joined = pitch == 16 * len(units) and out & 63 == 0 and group * pitch >= 64
    for c0 in range(0, m, 4 * group):
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            rows = table + 8 * first
            if m < group:
                if fetch:
                    prefetch_rows(units, rows, ahead)
                transpose_few(units, rows, base, out + first * width, pitch, m)
                continue
            begin, place, near = base + c0 * width, out + first * width, ahead + c0 * width
            if c0 + 4 * group <= m:
                place += c0 * pitch
                if streamed and joined:
                    transpose_joined(units, rows, begin, place, pitch, near)
                elif streamed:
                    transpose_line_streamed(units, rows, begin, place, pitch, near)
                elif fetch:
                    transpose_line_fetching(units, rows, begin, place, pitch, near)
                else:
                    transpose_line(units, rows, begin, place, pitch, near)
                continue
            if fetch:
                prefetch_rows(units, rows, near)
            for c in range(c0, m, group):
                i = min(c, m - group)
                if streamed:
                    transpose_streamed(
                        units, rows, base + i * width, place + i * pitch, pitch, near
                    )
                else:
                    transpose_registers(
                        units, rows, base + i * width, place + i * pitch, pitch, near
                    )


@compiled
def weave(
    units: Any, source: int, target: int, outer: Any, rows: Any, zero_rows: Any, length: int,
    zeros: int, streamed: bool,
) -> None:  # fmt: skip
    """k rows, each contiguous in the source, unit by unit into one run of the target."""
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    chunk = 8192 // width
    table = rows.copy()
    at = table.ctypes.data
    blocks = _iterations(outer)
    near = streamed and length * width < 1 << 14
    s, d = _begin(outer, 0)
    for b in range(blocks):
        following, d_next = _begin(outer, (b + 1) % blocks)
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            base, place = source + s + l0 * width, target + d + l0 * width * k
            for z in zero_rows:
                table[z] = zeros - base
            lines, aligned = place % 64 == 0, place % 16 == 0
            i = 0
            while i + step <= m:
                a, p = base + i * width, place + i * width * k
                if near:
                    for r in range(k):
                        prefetch(source + following + rows[r] + i * width)
                if streamed and lines:
                    weave_lines_streamed(units, at, a, p)
                else:
                    weave_lines(units, at, a, p)
                i += step
            while i + little <= m:
                a, p = base + i * width, place + i * width * k
                if streamed and aligned:
                    weave_little_streamed(units, at, a, p)
                else:
                    weave_little(units, at, a, p)
                i += little
            if i < m and m >= little:
                i = m - little
                weave_little(units, at, base + i * width, place + i * width * k)
                i = m
            while i < m:
                for r in range(k):
                    a, p = base + table[r] + i * width, place + (i * k + r) * width
                    copy_unit(units[0], a, p)
                i += 1
        s, d = following, d_next
    if streamed:
        fence()


@compiled
def unweave(
    units: Any, source: int, target: int, outer: Any, length: int, stride: int, kept: int,
    scratch: int, streamed: bool,
) -> None:  # fmt: skip
    """A run of the source taken apart into k rows, ``stride`` apart, contiguous in the target.

    ``kept``: how many of the k are rows, the others padding. ``scratch``: k rows of a chunk.
    """
    width, k = width_of(units), len(units)
    chunk = 4096 // width
    for b in range(_iterations(outer)):
        s, d = _begin(outer, b)
        aligned = (target + d | stride) & 63 == 0
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            origin, place = source + s + l0 * width * k, target + d + l0 * width
            if streamed and not aligned:
                _unweave_run(units, origin, scratch, m, _CHUNK_PITCH, kept, False)
                for r in range(kept):
                    copy_bytes(scratch + r * _CHUNK_PITCH, place + r * stride, m * width, True)
            else:
                _unweave_run(units, origin, place, m, stride, kept, streamed)
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
def copy_runs(source: int, target: int, outer: Any, run: int, fill: int, streamed: bool) -> None:
    """Runs of ``run`` bytes, contiguous on both sides, each followed by ``fill`` zero bytes."""
    n, from_step, to_step = outer[-1, 0], outer[-1, 1], outer[-1, 2]
    nothing = np.zeros(64, np.uint8)
    zeros = nothing.ctypes.data
    for b in range(_iterations(outer[:-1])):
        s, d = _begin(outer[:-1], b)
        s += source
        d += target
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
    if streamed:
        fence()


@helper
def _copy_strided(
    unit: Any, source: int, target: int, count: int, source_step: int, target_step: int
) -> None:
    for i in range(count):
        copy_unit(unit, source + i * source_step, target + i * target_step)


@compiled
def copy_units(unit: Any, source: int, target: int, outer: Any, tile: Any) -> None:
    """Unit by unit, any strides: two inner loops in tiles of 32, ``outer`` around them.

    ``tile``: (2, 3) loops, the target's smallest stride second.
    """
    rows, columns = tile[0, 0], tile[1, 0]
    for b in range(_iterations(outer)):
        s, d = _begin(outer, b)
        s += source
        d += target
        for r0 in range(0, rows, 32):
            for c0 in range(0, columns, 32):
                for r in range(r0, min(rows, r0 + 32)):
                    from_row, to_row = s + r * tile[0, 1], d + r * tile[0, 2]
                    for c in range(c0, min(columns, c0 + 32)):
                        copy_unit(unit, from_row + c * tile[1, 1], to_row + c * tile[1, 2])
