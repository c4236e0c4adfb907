"""Kernels that weave rows into a run, unweave a run, copy runs, and copy single units.

All addresses and strides here are bytes in int64. Compiled once per machine and type.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import instructions, kernel_tables, lines, vectors
from .instructions import (
    copy_register,
    copy_unit,
    fence,
    helper,
    number,
    prefetch,
    set_number,
    units_like,
    width_of,
)
from .kernel_tables import (
    COUNTERS_AT,
    ROWS_AT,
    advance,
    after,
    iterations,
    renew,
    renew_rotated,
)
from .lines import copy_bytes, store_collected
from .loading import compiled
from .vectors import (
    unweave_lines,
    unweave_lines_streamed,
    unweave_little,
    weave_lines,
    weave_lines_streamed,
    weave_little,
    weave_little_streamed,
)

HELPERS: Final = (instructions, kernel_tables, lines, vectors)  # compiled into the kernels below
_STAGED_BYTES: Final = 8192  # of a run that goes through scratch memory
_NONE: Final = np.int64(0)  # not of type int: Numba compiles once more for each such constant
_NO: Final = np.bool_(False)
_WOVEN_UNITS: Final = 1024  # of each row at once: padding is read from a page of zeros
_JOINED_BYTES: Final = 4096  # of short runs that continue each other, before they are copied
_CHUNK_PITCH: Final = 4160  # bytes between rows of a chunk, so that no two begin in one cache set


@compiled(*HELPERS)
def weave(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """Weave k rows, each contiguous in the source, unit by unit into one run of the target.

    ``numbers``: begin of the first row and of the run, units of a row, address of a row of zeros,
    whether to stream, the last byte from where whole lines of every row can be read. Then tables
    like those of ``transpose``: the loops around the weave, the distances of the rows, the rows
    that are padding.
    """
    units = units_like(like)
    given = numbers.ctypes.data
    origin, place_0 = source + number(given, 0), target + number(given, 1)
    length, zeros, streamed = number(given, 2), number(given, 3), number(given, 4) != 0
    reach, outer = source + number(given, 5), given + 8 * 6
    distances = after(outer)
    padding = after(distances)
    width, k = width_of(units), len(units)
    pixel, step = width * k, 64 // width
    joined, joined_at, block = 0, 0, length * pixel
    rows, counters = scratch + ROWS_AT, scratch + COUNTERS_AT
    renew(distances, rows)
    near = streamed and length * width < 1 << 14
    s = d = 0
    for _ in range(iterations(outer, counters)):
        s_next, d_next = advance(outer, counters, s, d)
        fits = _is_ragged(length * width) and origin + s <= reach
        if joined and not (fits and place_0 + d == joined_at + joined <= joined_at + _JOINED_BYTES):
            copy_bytes(scratch, joined_at, joined, streamed, scratch)
            joined = 0
        if fits:
            joined_at = place_0 + d - joined
            for z in range(number(padding, 0)):
                set_number(rows, number(padding, 1 + z), zeros - origin - s)
            for i in range(0, length, step):
                weave_lines(units, rows, origin + s + i * width, scratch + joined + i * pixel)
            joined += block
            s, d = s_next, d_next
            continue
        place, ahead = place_0 + d, origin + s_next if near else 0
        if length >= 8 * step and place % width == 0 and (place & 63 or streamed):
            _weave_at_lines(units, given, origin + s, place, ahead, scratch)
            s, d = s_next, d_next
            continue
        staged = place & 63 != 0 and length * pixel >= 256
        chunk = (_STAGED_BYTES // pixel if staged else 8192 // width) // step * step
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            base, to = origin + s + l0 * width, place + l0 * pixel
            for z in range(number(padding, 0)):
                set_number(rows, number(padding, 1 + z), zeros - base)
            then = ahead + l0 * width if near else 0
            apart = staged or (streamed and (to | m * pixel) & 63 != 0)
            out = scratch if apart else to
            _weave_run(units, rows, base, out, m, distances, then, streamed and not apart)
            if apart:
                copy_bytes(scratch, to, m * pixel, streamed, scratch)
        s, d = s_next, d_next
    if joined:
        copy_bytes(scratch, joined_at, joined, streamed, scratch)
    if streamed:
        store_collected(scratch)
        fence()


@helper
def _weave_at_lines(
    units: Any, given: int, source: int, target: int, ahead: int, scratch: int
) -> None:
    """Weave rows of at least two lines; a unit of the target may begin at any place of a line.

    Lines of the target begin ``behind`` rows after the first one, so the rows are rotated. What
    comes before the first line and after the last one goes through scratch memory.
    """
    length, zeros, streamed = number(given, 2), number(given, 3), number(given, 4) != 0
    distances = after(given + 8 * 6)
    padding, rows = after(distances), scratch + ROWS_AT
    width, k = width_of(units), len(units)
    pixel, step = width * k, 64 // width
    head = -target & 63
    first, behind = head // pixel, head % pixel // width
    turned = k - behind if behind else 0
    first += 1 if behind else 0
    whole = (length - first) // step * step
    done = head + whole * pixel
    rest = length * pixel - done
    for end in range(2):
        count = rest if end else head
        last = 2 * step if end and rest > step * pixel else step
        base = source + (length - last) * width if end else source
        for z in range(number(padding, 0)):
            set_number(rows, number(padding, 1 + z), zeros - base)
        if count:
            at = last * pixel - rest if end else 0
            _weave_run(units, rows, base, scratch, last, distances, _NONE, _NO)
            copy_bytes(scratch + at, target + end * done, count, streamed, scratch)
    if behind:
        renew_rotated(distances, rows, turned, width)
    for l0 in range(0, whole, _WOVEN_UNITS):
        base, m = source + (first + l0) * width, min(_WOVEN_UNITS, whole - l0)
        for z in range(number(padding, 0)):
            set_number(rows, (number(padding, 1 + z) + turned) % k, zeros - base)
        then, place = ahead + l0 * width if ahead else 0, target + head + l0 * pixel
        _weave_run(units, rows, base, place, m, distances, then, streamed)
    if behind:
        renew(distances, rows)


@helper
def _is_ragged(row: int) -> bool:
    """Whether a row of these bytes is short, and more than a register beyond whole lines.

    Such rows are woven by whole lines in scratch memory, where what is beyond them is overwritten.
    """
    return row < 256 and row & 63 > 16


@helper
def _weave_run(
    units: Any, rows: int, source: int, target: int, length: int, distances: int, ahead: int,
    streamed: bool,
) -> None:  # fmt: skip
    """Weave rows of ``length`` units; if ``streamed``, the target begins at a line.

    ``ahead``: what is woven next and is fetched; 0 for nothing.
    """
    width, k = width_of(units), len(units)
    step, little = 64 // width, 16 // width
    i = 0
    while i + step <= length:
        if ahead:
            for r in range(k):
                prefetch(ahead + number(distances, 1 + r) + i * width)
        if streamed:
            weave_lines_streamed(units, rows, source + i * width, target + i * width * k)
        else:
            weave_lines(units, rows, source + i * width, target + i * width * k)
        i += step
    while i + little <= length:
        a, p = source + i * width, target + i * width * k
        if streamed and p & 15 == 0:
            weave_little_streamed(units, rows, a, p)
        else:
            weave_little(units, rows, a, p)
        i += little
    if i < length and length >= little:
        i = length - little
        weave_little(units, rows, source + i * width, target + i * width * k)
        i = length
    while i < length:
        for r in range(k):
            a, p = source + number(rows, r) + i * width, target + (i * k + r) * width
            copy_unit(units[0], a, p)
        i += 1


@compiled(*HELPERS)
def unweave(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """Unweave a run of the source into k rows, each contiguous in the target.

    ``numbers``: begin of the run and of the first row, units of a row, target stride between rows,
    number of rows that are not padding, whether to stream, the last byte from where whole lines of
    every row can be read. Then the table of the loops around it. ``scratch``: holds k rows of a
    chunk.
    """
    units = units_like(like)
    given = numbers.ctypes.data
    origin_0, place_0 = source + number(given, 0), target + number(given, 1)
    length, stride, kept = number(given, 2), number(given, 3), number(given, 4)
    streamed, reach, outer = number(given, 5) != 0, source + number(given, 6), given + 8 * 7
    width, k = width_of(units), len(units)
    chunk, step = 4096 // width, 64 // width
    dense = _is_ragged(length * width) and kept == k and stride == length * width
    joined, joined_at = 0, 0
    counters = scratch + COUNTERS_AT
    s = d = 0
    for _ in range(iterations(outer, counters)):
        fits = dense and origin_0 + s <= reach
        if joined and not (fits and place_0 + d == joined_at + joined <= joined_at + _JOINED_BYTES):
            copy_bytes(scratch, joined_at, joined, streamed, scratch)
            joined = 0
        if fits:
            joined_at = place_0 + d - joined
            for i in range((length - 1) // step * step, -1, -step):  # each row ends in the next one
                at = origin_0 + s + i * width * k
                unweave_lines(units, at, scratch + joined + i * width, stride, k)
            joined += k * stride
            s, d = advance(outer, counters, s, d)
            continue
        head = -(place_0 + d) & 63
        even = stride & 63 == 0 and head % width == 0
        l0 = 0
        while l0 < length:
            m = min(chunk, length - l0)
            if l0 == 0 and head and even:
                m = min(m, head // width)  # then the others begin at a line
            origin, place = origin_0 + s + l0 * width * k, place_0 + d + l0 * width
            direct = (place | stride) & 63 == 0
            if streamed and direct:  # the end of a row goes with the begin of the next one
                direct = m * width >= 64
                m = m * width // 64 * 64 // width if direct else m
            if direct or (m * width < 64 and not streamed):
                _unweave_run(units, origin, place, m, stride, kept, streamed)
            else:
                _unweave_run(units, origin, scratch, m, _CHUNK_PITCH, kept, False)
                for r in range(kept):
                    to = place + r * stride
                    copy_bytes(scratch + r * _CHUNK_PITCH, to, m * width, streamed, scratch)
            l0 += m
        s, d = advance(outer, counters, s, d)
    if joined:
        copy_bytes(scratch, joined_at, joined, streamed, scratch)
    if streamed:
        store_collected(scratch)
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


@compiled(*HELPERS)
def copy_runs(source: int, target: int, numbers: Any, scratch: int) -> None:
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
                copy_bytes(s + i * from_step, d + i * to_step, run, streamed, scratch)
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
                    copy_bytes(
                        zeros, beyond + i * to_step + at, min(64, fill - at), streamed, scratch
                    )
        s, d = advance(outer, counters, s, d)
    if streamed:
        store_collected(scratch)
        fence()


@helper
def _copy_strided(
    unit: Any, source: int, target: int, count: int, source_step: int, target_step: int
) -> None:
    for i in range(count):
        copy_unit(unit, source + i * source_step, target + i * target_step)


@compiled(*HELPERS)
def copy_units(like: Any, source: int, target: int, numbers: Any, scratch: int) -> None:
    """Copy unit by unit, any strides: two inner loops in tiles of 32, others around them.

    ``numbers``: begin of the first unit on both sides, the two inner loops (the one with the
    target's smallest stride second). Then the table of the other loops.
    """
    unit = units_like(like)[0]
    given = numbers.ctypes.data
    s, d = source + number(given, 0), target + number(given, 1)
    rows, row_source, row_target = number(given, 2), number(given, 3), number(given, 4)
    columns, column_source, column_target = number(given, 5), number(given, 6), number(given, 7)
    outer, counters = given + 8 * 8, scratch + COUNTERS_AT
    for _ in range(iterations(outer, counters)):
        for r0 in range(0, rows, 32):
            for c0 in range(0, columns, 32):
                for r in range(r0, min(rows, r0 + 32)):
                    from_row, to_row = s + r * row_source, d + r * row_target
                    for c in range(c0, min(columns, c0 + 32)):
                        copy_unit(unit, from_row + c * column_source, to_row + c * column_target)
        s, d = advance(outer, counters, s, d)
