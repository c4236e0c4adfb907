"""Kernels that turn nibbles in registers, in one pass: pixels in the rows to channels in the rows.

So no bytes wait in memory between two passes. Rows and columns begin at whole bytes, or two rows
of an odd number of nibbles have no gap between them.

All addresses and strides here are bytes in int64.
"""

from __future__ import annotations

from typing import Any, Final

from . import instructions, kernel_tables, lines, nibble_vectors
from .instructions import fence, helper, number, prefetch
from .kernel_tables import COUNTERS_AT, advance, iterations
from .lines import copy_bytes, copy_part, store_collected
from .loading import compiled
from .nibble_vectors import (
    LANE,
    NARROW,
    SPAN,
    WIDE,
    turn_few,
    turn_many,
    turn_odd,
    unweave_even,
    unweave_odd,
    weave_even,
    weave_odd,
)

HELPERS: Final = (instructions, kernel_tables, lines, nibble_vectors)  # compiled into the kernels
MOST_ODD: Final = 256  # rows of an odd number of nibbles
STAGED: Final = 4096  # nibbles of a row, of which four are streamed from scratch memory
_TILE: Final = 128  # nibbles of whole lines, whose columns are turned before the next ones
_JOINED_BYTES: Final = 4096  # of blocks in scratch memory, before they are copied
_READ_AT: Final = 4 * _JOINED_BYTES  # in scratch memory: the last block of the source


@compiled(*HELPERS)
def turn_nibbles(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Turn rows of nibbles to columns of nibbles; all rows and columns begin at whole bytes.

    ``numbers``: number of columns, distances between columns of the target; number of rows,
    distances between rows of the source. There are two distances: from a row to the next one, and
    to the fourth one after it. Then whether rows are fetched before they are read, and the table of
    the loops around the turn. There are at least ``NARROW`` rows and ``WIDE`` columns, or the
    reverse. The last registers overlap those before.
    """
    given = numbers.ctypes.data
    length, stride, far_stride = number(given, 0), number(given, 1), number(given, 2)
    rows, apart, far_apart = number(given, 3), number(given, 4), number(given, 5)
    fetches, outer, counters = number(given, 6) != 0, given + 8 * 7, scratch + COUNTERS_AT
    many = rows >= WIDE
    across, along = (WIDE, NARROW) if many else (NARROW, WIDE)
    wide, narrow = (rows, length) if many else (length, rows)
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        for j0 in range(0, narrow, _TILE):
            for k in range(0, wide, WIDE):
                for j in range(j0, min(j0 + _TILE, narrow), NARROW):
                    r = min(k if many else j, rows - across)
                    i = min(j if many else k, length - along)
                    x = s + (i >> 1) + _at(r, apart, far_apart)
                    y = d + (r >> 1) + _at(i, stride, far_stride)
                    if many:
                        if fetches and k + WIDE < wide:
                            quarter = r + WIDE + ((j - j0) >> 1)  # of the rows after these
                            for p in range(quarter, quarter + 16):
                                prefetch(s + (j0 >> 1) + _at(p, apart, far_apart))
                        turn_many(x, apart, far_apart, y, stride, far_stride)
                    else:
                        turn_few(x, apart, far_apart, y, stride, far_stride)
        s, d = advance(outer, counters, s, d)


@helper
def _at(index: int, apart: int, far: int) -> int:
    found: int = (index >> 2) * far + (index & 3) * apart
    return found


@compiled(*HELPERS)
def turn_odd_nibbles(source: int, source_end: int, target: int, numbers: Any, scratch: int) -> None:
    """Turn rows of an odd number of nibbles, at most 63; rows and columns have no gaps between.

    ``source_end``: the first byte that must not be read. ``numbers``: nibbles of a row, number of
    rows, whether to stream. Then the table of the loops around the turn. The number of rows is
    even, at least ``NARROW`` and at most ``MOST_ODD``.
    """
    given = numbers.ctypes.data
    length, pairs, streamed = number(given, 0), number(given, 1) >> 1, number(given, 2) != 0
    outer, counters = given + 8 * 3, scratch + COUNTERS_AT
    block, joined, joined_at = length * pairs, 0, 0
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        joined = _kept(joined, joined_at, d, streamed, scratch)
        joined_at, x = d - joined, s
        if s + block + SPAN > source_end:
            x = scratch + _READ_AT
            copy_part(s, x, block)
        for k in range(0, pairs, LANE):
            i = min(k, pairs - LANE)
            turn_odd(x + i * length, length, length >> 1, scratch + joined + i, pairs)
        joined += block
        s, d = advance(outer, counters, s, d)
    _finish(joined, joined_at, streamed, scratch)


@compiled(*HELPERS)
def weave_nibbles(source: int, source_end: int, target: int, numbers: Any, scratch: int) -> None:
    """Weave four rows of nibbles to columns of two bytes, without gaps between them.

    ``source_end``: the first byte that must not be read. ``numbers``: nibbles of a row, distance
    between rows, whether to stream. Then the table of the loops around the four rows. If a row has
    an odd number of nibbles, the next row follows it without a gap. If it is streamed, a row has at
    most ``STAGED`` nibbles.
    """
    given = numbers.ctypes.data
    length, apart, streamed = number(given, 0), number(given, 1), number(given, 2) != 0
    outer, counters = given + 8 * 3, scratch + COUNTERS_AT
    row, odd, joined, joined_at = length >> 1, length & 1, 0, 0
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        s_next, d_next = advance(outer, counters, s, d)
        x, to = s, d
        if odd or streamed:
            joined = _kept(joined, joined_at, d, streamed, scratch)
            joined_at, to = d - joined, scratch + joined
            joined += 2 * length
        if odd:
            if s + 2 * length + SPAN > source_end:
                x = scratch + _READ_AT
                copy_part(s, x, 2 * length)
            weave_odd(x, x + row, length, to)
        else:
            for i0 in range(0, row, SPAN):
                i = min(i0, row - SPAN)
                if streamed:  # the next four rows are in other pages of memory
                    for k in range(4):
                        prefetch(s_next + i + k * apart)
                weave_even(x + i, x + i + apart, 2 * apart, to + 4 * i)
        s, d = s_next, d_next
    _finish(joined, joined_at, streamed, scratch)


@compiled(*HELPERS)
def unweave_nibbles(source: int, source_end: int, target: int, numbers: Any, scratch: int) -> None:
    """Do the inverse of ``weave_nibbles``; ``numbers`` are those of the target.

    If it is streamed, four rows have no gaps between them.
    """
    given = numbers.ctypes.data
    length, apart, streamed = number(given, 0), number(given, 1), number(given, 2) != 0
    outer, counters = given + 8 * 3, scratch + COUNTERS_AT
    row, odd, joined, joined_at = length >> 1, length & 1, 0, 0
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        x, to = s, d
        if odd or streamed:
            joined = _kept(joined, joined_at, d, streamed, scratch)
            joined_at, to = d - joined, scratch + joined
            joined += 2 * length
        if odd:
            if s + 4 * SPAN > source_end:
                x = scratch + _READ_AT
                copy_part(s, x, 2 * length)
            unweave_odd(x, to, row)
        else:
            for i0 in range(0, row, SPAN):
                i = min(i0, row - SPAN)
                unweave_even(x + 4 * i, to + i, apart)
        s, d = advance(outer, counters, s, d)
    _finish(joined, joined_at, streamed, scratch)


@helper
def _kept(joined: int, joined_at: int, following: int, streamed: bool, scratch: int) -> int:
    """Return how many bytes stay in scratch memory: all, or none if they have been stored."""
    if joined <= _JOINED_BYTES and following == joined_at + joined:
        return joined
    copy_bytes(scratch, joined_at, joined, streamed, scratch)
    return 0


@helper
def _finish(joined: int, joined_at: int, streamed: bool, scratch: int) -> None:
    copy_bytes(scratch, joined_at, joined, streamed, scratch)
    if streamed:
        store_collected(scratch)
        fence()
