"""Kernels that interleave rows to a run, separate a run, copy runs, and find where arrays are.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from typing import Any, Final

import numpy as np

from . import instructions, kernel_parts, vectors
from .instructions import copy_unit, fence, helper, number, prefetch, set_number, width_of
from .kernel_parts import COUNTERS_AT, ROWS_AT, advance, after, copy_bytes, iterations, renew
from .loading import compiled

HELPERS: Final = (instructions, kernel_parts, vectors)  # compiled into the kernels below
_STAGED_BYTES: Final = 8192  # of a run that goes through scratch memory
_NEAR_BYTES: Final = 1 << 14  # rows shorter than this end before the processor fetches the next
_ROW_PITCH: Final = 4160  # bytes between rows in scratch, so that no two begin in one cache set


@compiled(*HELPERS)
def interleave(
    like: Any, source: int, _source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Interleave k rows, each contiguous in the source, unit by unit to one run of the target.

    ``numbers``: begin of the first row and of the run, units of a row, address of a row of zeros,
    whether to stream. Then tables like those of ``transpose``: the loops around it, the distances
    of the rows, the rows that are padding.
    """
    units = instructions.units_like(like)
    given = numbers.ctypes.data
    origin, place = source + number(given, 0), target + number(given, 1)
    length, zeros, streamed = number(given, 2), number(given, 3), number(given, 4) != 0
    outer = given + 8 * 5
    distances = after(outer)
    padding = after(distances)
    width, k = width_of(units), len(units)
    pixel, step = width * k, 64 // width
    rows, counters = scratch + ROWS_AT, scratch + COUNTERS_AT
    renew(distances, rows)
    most = max(_STAGED_BYTES // pixel // step, 1) * step
    first = kept = s = d = 0
    for _ in range(iterations(outer, counters)):
        s_next, d_next = advance(outer, counters, s, d)
        ahead = origin + s_next if streamed and length * width < _NEAR_BYTES else 0
        head = -(place + d) & 63
        l0 = 0
        while l0 < length:
            m = min(most, length - l0)
            base, to = origin + s + l0 * width, place + d + l0 * pixel
            for z in range(number(padding, 0)):
                set_number(rows, number(padding, 1 + z), zeros - base)
            if l0 == 0 and head and head % pixel == 0 and length >= 8 * step:
                first, at = _staged(scratch, first, kept, to, head, streamed)
                vectors.interleave_lines(units, rows, base, scratch + at)
                kept = at + head
                l0 = head // pixel  # the others begin at a line
                continue
            at_line = to & 63 == 0
            if at_line and streamed:
                m = m // step * step if m >= step else m
                at_line = m >= step
            staged = not at_line and (streamed or m * pixel >= 256)
            near = ahead + l0 * width if ahead else 0
            out = to
            if staged:
                first, at = _staged(scratch, first, kept, to, m * pixel, streamed)
                out, kept = scratch + at, at + m * pixel
            _interleave_run(units, rows, base, out, m, distances, near, streamed and not staged)
            l0 += m
        s, d = s_next, d_next
    copy_bytes(scratch, first, kept, streamed)
    if streamed:
        fence()


@helper
def _staged(
    scratch: int, first: int, kept: int, to: int, count: int, streamed: bool
) -> tuple[int, int]:
    """Return where what is in scratch memory goes, and how much of it stays before ``to``.

    Runs that follow each other in the target are stored together, so that the lines in which they
    meet are stored whole. ``first``, ``kept``: what is in scratch memory. ``count``: what comes.
    """
    if to == first + kept and kept + count <= _STAGED_BYTES:
        return first, kept
    copy_bytes(scratch, first, kept, streamed)
    return to, 0


@helper
def _interleave_run(
    units: Any,
    rows: int,
    source: int,
    target: int,
    m: int,
    distances: int,
    ahead: int,
    streamed: bool,
) -> None:
    """Interleave rows of ``m`` units; the last register overlaps the one before it.

    ``streamed``: the target begins at a line, and ``m`` units of each row are whole lines.
    ``ahead``: what is interleaved next and is fetched; 0 for nothing.
    """
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    i = 0
    while i + step <= m:
        if ahead:
            for r in range(k):
                prefetch(ahead + number(distances, 1 + r) + i * width)
        if streamed:
            vectors.interleave_lines_streamed(
                units, rows, source + i * width, target + i * width * k
            )
        else:
            vectors.interleave_lines(units, rows, source + i * width, target + i * width * k)
        i += step
    while i < m:
        if m >= little:
            i = min(i, m - little)
            vectors.interleave_little(units, rows, source + i * width, target + i * width * k)
            i += little
        else:
            for r in range(k):
                a, p = source + number(rows, r) + i * width, target + (i * k + r) * width
                copy_unit(units[0], a, p)
            i += 1


@compiled(*HELPERS)
def separate(
    like: Any, source: int, _source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Separate a run of the source into k rows, each contiguous in the target.

    ``numbers``: begin of the run and of the first row, units of a row, target stride between rows,
    number of rows that are not padding, whether to stream. Then the table of the loops around it.
    ``scratch``: holds 4 KB of each of k rows.
    """
    units = instructions.units_like(like)
    given = numbers.ctypes.data
    s, d = source + number(given, 0), target + number(given, 1)
    length, stride, kept = number(given, 2), number(given, 3), number(given, 4)
    streamed, outer, counters = number(given, 5) != 0, given + 8 * 6, scratch + COUNTERS_AT
    width, k = width_of(units), len(units)
    most = 4096 // width
    first = waiting = 0
    for _ in range(iterations(outer, counters)):
        head = (-d & 63) // width if stride & 63 == 0 and d % width == 0 else 0
        l0 = 0
        while l0 < length:
            m = min(most, length - l0)
            if l0 == 0 and head:
                m = min(m, head)  # then the others begin at a line
            run, place = s + l0 * width * k, d + l0 * width
            direct = (place | stride) & 63 == 0
            if direct and streamed:  # the end of a row goes with the begin of the next one
                direct = m * width >= 64
                m = m * width // 64 * 64 // width if direct else m
            if direct or (m * width < 64 and not streamed):
                _separate_run(units, run, place, m, stride, kept, streamed)
            elif stride == m * width and kept * stride <= _STAGED_BYTES:
                first, at = _staged(scratch, first, waiting, place, kept * stride, streamed)
                _separate_run(units, run, scratch + at, m, stride, kept, False)
                waiting = at + kept * stride
            else:
                copy_bytes(scratch, first, waiting, streamed)
                waiting = 0
                _separate_run(units, run, scratch, m, _ROW_PITCH, kept, False)
                for r in range(kept):
                    to = place + r * stride
                    copy_bytes(scratch + r * _ROW_PITCH, to, m * width, streamed)
            l0 += m
        s, d = advance(outer, counters, s, d)
    copy_bytes(scratch, first, waiting, streamed)
    if streamed:
        fence()


@helper
def _separate_run(
    units: Any, source: int, target: int, length: int, stride: int, kept: int, streamed: bool
) -> None:
    """Separate ``length`` units; if ``streamed``, these and the rows of the target are lines."""
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    i = 0
    while i + step <= length:
        if streamed:
            vectors.separate_lines_streamed(
                units, source + i * width * k, target + i * width, stride, kept
            )
        else:
            vectors.separate_lines(units, source + i * width * k, target + i * width, stride, kept)
        i += step
    while i < length:
        if length >= little:
            i = min(i, length - little)
            vectors.separate_little(units, source + i * width * k, target + i * width, stride, kept)
            i += little
        else:
            for r in range(kept):
                copy_unit(units[0], source + (i * k + r) * width, target + i * width + r * stride)
            i += 1


@compiled(*HELPERS)
def copy_runs(
    _like: Any, source: int, _source_end: int, target: int, numbers: Any, scratch: int
) -> None:
    """Copy runs of bytes, contiguous on both sides, and write zero bytes after each.

    ``numbers``: begin of the first run on both sides, bytes of a run, zero bytes after it, whether
    to stream, the innermost loop, address of 64 zeros. Then the table of the loops around it.
    """
    given = numbers.ctypes.data
    run, fill = number(given, 2), number(given, 3)
    streamed = number(given, 4) != 0 and run >= 128
    n, from_step, to_step = number(given, 5), number(given, 6), number(given, 7)
    zeros, outer, counters = number(given, 8), given + 8 * 9, scratch + COUNTERS_AT
    s, d = source + number(given, 0), target + number(given, 1)
    for _ in range(iterations(outer, counters)):
        if run == 16:
            for i in range(n):
                instructions.copy_register(s + i * from_step, d + i * to_step)
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
        beyond = d + run
        if fill == 4:
            _copy_strided(np.uint32(0), zeros, beyond, n, 0, to_step)
        elif fill == 2:
            _copy_strided(np.uint16(0), zeros, beyond, n, 0, to_step)
        elif fill == 1:
            _copy_strided(np.uint8(0), zeros, beyond, n, 0, to_step)
        elif fill:
            for i in range(n):
                for at in range(0, fill, 64):
                    copy_bytes(zeros, beyond + i * to_step + at, min(64, fill - at), streamed)
        s, d = advance(outer, counters, s, d)
    if streamed:
        fence()


@helper
def _copy_strided(
    unit: Any, source: int, target: int, count: int, source_step: int, target_step: int
) -> None:
    for i in range(count):
        copy_unit(unit, source + i * source_step, target + i * target_step)


@compiled(*HELPERS)
def bounds(source: Any, target: Any) -> tuple[int, int, int, bool]:
    """Return begin and end of the source, begin of the target, and whether they share no byte.

    ``source``, ``target``: arrays of bytes without gaps. Asking NumPy for each of these numbers
    takes as long as copying a few KB.
    """
    begin, place = source.ctypes.data, target.ctypes.data
    end = begin + source.size
    return begin, end, place, end <= place or place + target.size <= begin
