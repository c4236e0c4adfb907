"""Kernels that take the halves of the bytes of two rows, and put them together to rows of bytes.

Byte k of a new row has one half of byte k of one row and one half of byte k of another row. So no
nibble leaves its column, and 64 bytes need two shifts. Which rows go together: see ``nibble_rows``.
All addresses and strides here are bytes in int64. ``rows`` is an even or odd number 2 h + (0 or 1).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir

from . import instructions, kernel_tables, lines
from .instructions import (
    Builder,
    Value,
    byte,
    fence,
    helper,
    intrinsic,
    load,
    number,
    prefetch,
    prefetch_written,
    set_byte,
    store,
    void,
)
from .kernel_tables import COUNTERS_AT, advance, iterations
from .lines import copy_bytes, store_collected
from .loading import compiled

HELPERS: Final = (instructions, kernel_tables, lines)  # compiled into the kernels below
_WOVEN_BYTES: Final = 4096  # of half the rows in a block, before they are stored
_JOINED_BYTES: Final = 8192  # of rows in scratch memory, before they are stored
_SOON: Final = 512  # bytes from what is written to what is fetched to be written
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_LOW: Final = np.int64(0)
_HIGH: Final = np.int64(4)


@compiled(*HELPERS)
def part_rows(
    source: int, source_end: int, ahead: int, target: int, numbers: Any, scratch: int
) -> None:
    """Make rows of one column's nibbles, as bytes: what comes before a move of bytes.

    New row a has the low halves of rows 2a and 2a+1. If ``rows`` is even, new row h+a has their
    high halves. If it is odd, new row h has the low half of the last row and the high half of the
    first, and row h+1+a the high halves of rows 2a+1 and 2a+2.

    ``source_end``: the first byte that must not be read. ``ahead``: distance to what is read next
    and is fetched. ``numbers``: rows, bytes of a row, distances between rows of the source and of
    the target. Then the table of the loops over such blocks of rows; the blocks of the target
    ascend, and 63 bytes after each may be overwritten.
    """
    given = numbers.ctypes.data
    rows, row, apart = number(given, 0), number(given, 1), number(given, 2)
    pitch, outer, counters = number(given, 3), given + 8 * 4, scratch + COUNTERS_AT
    h, odd, span = rows >> 1, rows & 1, (rows - 1) * apart + row
    woven = apart == row == pitch and _is_woven(row)
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        last, second, to = s + (rows - 1) * apart, s + odd * apart, d + (h + odd) * pitch
        if woven and s + span + 128 <= source_end:
            count = h * row
            part = count & 63  # is stored first, because it is stored with what comes after it
            if part:
                _part_woven(s + 2 * (count - part), d + count - part, row, _LOW)
            if odd:
                _combine_row(last, _LOW, s, _HIGH, d + count, row)
            for i in range(0, count, 64):
                prefetch(s + ahead + 2 * i)
                prefetch(s + ahead + 2 * i + 64)
                prefetch_written(d + i + _SOON)
                prefetch_written(to + i + _SOON)
                if i + 64 <= count:
                    _part_woven(s + 2 * i, d + i, row, _LOW)
                _part_woven(second + 2 * i, to + i, row, _HIGH)
        elif row == apart == 32:
            if odd:
                combine_32(last, _LOW, s, _LOW, d + h * pitch)
            for a in range(h):
                x, y = s + 64 * a, second + 64 * a
                prefetch(x + ahead)
                combine_32(x, _LOW, x + 32, _HIGH, d + a * pitch)
                combine_32(y, _HIGH, y + 32, _LOW, to + a * pitch)
        else:
            if odd:
                _combine(last, _LOW, s, _HIGH, d + h * pitch, row)
            for a in range(h):
                x, y = s + 2 * a * apart, second + 2 * a * apart
                d_x, d_y = d + a * pitch, to + a * pitch
                for i in range(0, row, 64):
                    prefetch(x + ahead + i)
                    prefetch(x + apart + ahead + i)
                    prefetch_written(d_x + i + _SOON)
                    prefetch_written(d_y + i + _SOON)
                _combine(x, _LOW, x + apart, _LOW, d_x, row)
                _combine(y, _HIGH, y + apart, _HIGH, d_y, row)
        s, d = advance(outer, counters, s, d)


@compiled(*HELPERS)
def join_rows(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Do the inverse of ``part_rows``: what comes after a move of bytes.

    ``numbers``: rows, bytes of a row, distances between rows of the target and of the source,
    whether to stream. Then the table of the loops over blocks. 128 bytes after the source may be
    read.
    """
    given = numbers.ctypes.data
    rows, row, apart = number(given, 0), number(given, 1), number(given, 2)
    pitch, streamed = number(given, 3), number(given, 4) != 0
    outer, counters = given + 8 * 5, scratch + COUNTERS_AT
    h, odd = rows >> 1, rows & 1
    woven = apart == row == pitch and _is_woven(row)
    medium = row == apart == 32 and rows <= _JOINED_BYTES // 32
    joined, joined_at = 0, 0
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        second, last = s + h * pitch, s + 2 * h * pitch
        if woven:
            for i in range(0, h * row, _WOVEN_BYTES):
                joined = _kept(joined, joined_at, d + 2 * i, streamed, scratch)
                joined_at = d + 2 * i - joined
                count, y, out = min(h * row - i, _WOVEN_BYTES), second + i, scratch + joined
                _join_woven(s + i, y, y + odd * row, out, count, row, 4 * odd)
                joined += 2 * count
            if odd:
                _combine_row(second, _LOW, last, _HIGH, scratch + joined, row)
                joined += row
        elif medium:
            joined = _kept(joined, joined_at, d, streamed, scratch)
            joined_at = d - joined
            _join_medium(s, second, last, scratch + joined, h, odd, pitch)
            joined += 32 * rows
        else:
            for r in range(rows):
                high = 4 * (r & 1)
                other = 4 - high if odd else high
                x, y = s + (r >> 1) * pitch, second + ((r + odd) >> 1) * pitch
                if not streamed:
                    _combine(x, high, y, other, d + r * apart, row)
                    continue
                for i in range(0, row, _JOINED_BYTES):
                    count, at = min(row - i, _JOINED_BYTES), d + r * apart + i
                    joined = _kept(joined, joined_at, at, streamed, scratch)
                    joined_at = at - joined
                    _combine(x + i, high, y + i, other, scratch + joined, count)
                    joined += count
        s, d = advance(outer, counters, s, d)
    copy_bytes(scratch, joined_at, joined, streamed, scratch)
    if streamed:
        store_collected(scratch)
        fence()


@helper
def _kept(joined: int, joined_at: int, following: int, streamed: bool, scratch: int) -> int:
    """Return how many bytes stay in scratch memory.

    All of them are stored and none stays, if they are many, or what follows does not continue them.
    """
    if joined <= _JOINED_BYTES and following == joined_at + joined:
        return joined
    copy_bytes(scratch, joined_at, joined, streamed, scratch)
    return 0


@helper
def _join_medium(low: int, high: int, last: int, target: int, h: int, odd: int, pitch: int) -> None:
    """Join rows of 32 bytes."""
    for a in range(h):
        x, y, out = low + a * pitch, high + a * pitch, target + 64 * a
        combine_32(x, _LOW, y, 4 - 4 * odd, out)
        combine_32(x, _HIGH, y + odd * pitch, 4 * odd, out + 32)
    if odd:
        combine_32(high, _LOW, last, _LOW, target + 64 * h)


@helper
def _is_woven(row: int) -> bool:
    """Whether rows are so short that a register of 64 bytes holds several, and no part of one."""
    return row <= 32 and row & (row - 1) == 0


@helper
def _combine(low: int, low_shift: int, high: int, high_shift: int, target: int, count: int) -> None:
    """Put halves of ``count`` bytes together: those of ``low`` go to the low halves.

    The shifts tell which halves are taken: 0 for the low ones, 4 for the high ones.
    """
    up, i = 4 - high_shift, 0
    if count < 16:
        for k in range(count):
            lower = (byte(low + k) >> low_shift) & 15
            set_byte(target + k, lower | ((byte(high + k) << up) & 240))
        return
    while i + 64 <= count:
        combine_64(low + i, low_shift, high + i, up, target + i)
        i += 64
    if i + 32 <= count:
        combine_32(low + i, low_shift, high + i, up, target + i)
        i += 32
    if i + 16 <= count:
        combine_16(low + i, low_shift, high + i, up, target + i)
        i += 16
    if i < count:
        i = count - 16
        combine_16(low + i, low_shift, high + i, up, target + i)


@helper
def _combine_row(
    low: int, low_shift: int, high: int, high_shift: int, target: int, row: int
) -> None:
    """Do the same for one of woven rows; up to 15 bytes more are read and written."""
    up = 4 - high_shift
    combine_16(low, low_shift, high, up, target)
    if row == 32:
        combine_16(low + 16, low_shift, high + 16, up, target + 16)


@helper
def _part_woven(source: int, target: int, row: int, shift: int) -> None:
    if row == 1:
        part_1(source, shift, target)
    elif row == 2:
        part_2(source, shift, target)
    elif row == 4:
        part_4(source, shift, target)
    elif row == 8:
        part_8(source, shift, target)
    elif row == 16:
        part_16(source, shift, target)
    else:
        part_32(source, shift, target)


@helper
def _join_woven(
    low: int, first: int, second: int, target: int, count: int, row: int, shift: int
) -> None:
    for i in range(0, count, 64):
        if row == 1:
            join_1(low + i, first + i, second + i, shift, target + 2 * i)
        elif row == 2:
            join_2(low + i, first + i, second + i, shift, target + 2 * i)
        elif row == 4:
            join_4(low + i, first + i, second + i, shift, target + 2 * i)
        elif row == 8:
            join_8(low + i, first + i, second + i, shift, target + 2 * i)
        elif row == 16:
            join_16(low + i, first + i, second + i, shift, target + 2 * i)
        else:
            join_32(low + i, first + i, second + i, shift, target + 2 * i)


def _combined(builder: Builder, low: Value, down: Value, high: Value, up: Value) -> Value:
    """Emit the low halves of ``low`` shifted ``down``, and the high ones of ``high`` shifted up."""
    pairs = ir.VectorType(ir.IntType(16), low.type.count * low.type.element.width // 16)

    def every(amount: Value) -> Value:
        only = builder.insert_element(
            ir.Constant(pairs, ir.Undefined),
            builder.trunc(amount, pairs.element),
            ir.Constant(_I32, 0),
        )
        mask = ir.Constant(ir.VectorType(_I32, pairs.count), [0] * pairs.count)
        return builder.shuffle_vector(only, only, mask)

    def each(value: int) -> Value:
        return ir.Constant(pairs, [value] * pairs.count)

    lower = builder.and_(builder.lshr(builder.bitcast(low, pairs), every(down)), each(0x0F0F))
    upper = builder.and_(builder.shl(builder.bitcast(high, pairs), every(up)), each(0xF0F0))
    return builder.bitcast(builder.or_(lower, upper), low.type)


def _combiner(size: int) -> Any:
    @intrinsic
    def combine(typingctx: Any, low: Any, down: Any, high: Any, up: Any, target: Any) -> Any:
        """Combine ``size`` bytes."""

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            low, down, high, up, target = arguments
            x, y = load(builder, low, 2, size), load(builder, high, 2, size)
            store(builder, _combined(builder, x, down, y, up), target)
            return context.get_dummy_value()

        return void(5), emit

    return combine


def _order(row: int, *, apart: bool) -> tuple[int, list[list[int]]]:
    """Return the width of units, and the masks that take rows apart, or weave them."""
    width = min(row, 8)
    units, count = row // width, 64 // width
    woven = list[int]()  # which unit of two registers side by side goes where
    for r in range(2 * count // units):
        begin = r // 2 * units + r % 2 * count
        woven += range(begin, begin + units)
    if apart:
        order = [woven.index(k) for k in range(2 * count)]
        return width, [order[:count], order[count:]]
    return width, [woven[:count], woven[count:]]


def _mask(order: list[int]) -> Value:
    return ir.Constant(ir.VectorType(_I32, len(order)), order)


def _parter(row: int) -> Any:
    width, orders = _order(row, apart=True)

    @intrinsic
    def part(typingctx: Any, source: Any, shift: Any, target: Any) -> Any:
        """Combine each even one of the rows in 128 bytes with the odd one that follows it."""

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            source, shift, target = arguments
            first = load(builder, source, width, 64)
            second = load(builder, builder.add(source, ir.Constant(_I64, 64)), width, 64)
            low, high = (builder.shuffle_vector(first, second, _mask(x)) for x in orders)
            up = builder.sub(ir.Constant(_I64, 4), shift)
            store(builder, _combined(builder, low, shift, high, up), target)
            return context.get_dummy_value()

        return void(3), emit

    return part


def _joiner(row: int) -> Any:
    width, orders = _order(row, apart=False)

    @intrinsic
    def join(typingctx: Any, low: Any, first: Any, second: Any, shift: Any, target: Any) -> Any:
        """Make 128 bytes of rows: even ones of ``low`` and ``first``, odd ones of the others.

        ``shift``: which halves of ``first`` are taken; the others are taken of ``second``.
        """

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            low, first, second, shift, target = arguments
            x, y, z = (load(builder, at, width, 64) for at in (low, first, second))
            zero, four = ir.Constant(_I64, 0), ir.Constant(_I64, 4)
            even = _combined(builder, x, zero, y, builder.sub(four, shift))
            odd = _combined(builder, x, four, z, shift)
            for k, order in enumerate(orders):
                place = builder.add(target, ir.Constant(_I64, 64 * k))
                store(builder, builder.shuffle_vector(even, odd, _mask(order)), place)
            return context.get_dummy_value()

        return void(5), emit

    return join


combine_16, combine_32, combine_64 = (_combiner(size) for size in (16, 32, 64))
part_1, part_2, part_4, part_8, part_16, part_32 = (_parter(1 << k) for k in range(6))
join_1, join_2, join_4, join_8, join_16, join_32 = (_joiner(1 << k) for k in range(6))
