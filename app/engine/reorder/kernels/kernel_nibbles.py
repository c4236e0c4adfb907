"""Kernels that unpack nibbles to bytes, pack bytes to nibbles, and pair and split rows of bytes.

The address of a nibble is twice that of its byte, and one more for the high half. A byte of which
a run has one half keeps the other half.
"""

from __future__ import annotations

from typing import Any, Final

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
    set_byte,
    store,
    void,
)
from .kernel_tables import COUNTERS_AT, advance, iterations
from .lines import copy_bytes, store_collected
from .loading import compiled

HELPERS: Final = (instructions, kernel_tables, lines)  # compiled into the kernels below
BEYOND: Final = 128  # bytes after a row that ``pair_rows`` and ``split_rows`` may read and write
_I8, _I64 = ir.IntType(8), ir.IntType(64)
_PACKED_BYTES: Final = 8192  # of a run that goes through scratch memory


@compiled(*HELPERS)
def unpack_runs(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Write each nibble of some runs to a byte of its own.

    ``source``: the address of the first nibble. ``target``: that of the first byte. ``numbers``:
    nibbles of a run. Then the table of the loops over runs, source strides in nibbles, target
    strides in bytes.
    """
    given = numbers.ctypes.data
    run, outer, counters = number(given, 0), given + 8, scratch + COUNTERS_AT
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        at, to, count = s >> 1, d, run
        if s & 1:
            set_byte(to, byte(at) >> 4)
            at, to, count = at + 1, to + 1, count - 1
        while count >= 64:
            unpack_many(at, to)
            at, to, count = at + 32, to + 64, count - 64
        while count >= 8:
            unpack_few(at, to)
            at, to, count = at + 4, to + 8, count - 8
        while count >= 2:
            unpack_one(at, to)
            at, to, count = at + 1, to + 2, count - 2
        if count:
            set_byte(to, byte(at) & 15)
        s, d = advance(outer, counters, s, d)


@compiled(*HELPERS)
def pair_rows(
    source: int, source_end: int, ahead: int, target: int, numbers: Any, scratch: int
) -> None:
    """Put pairs of rows of nibbles into rows of bytes: the second row in the high halves.

    ``source``: the address of the first nibble. ``source_end``: the first byte that must not be
    read. ``ahead``: distance in nibbles to what is read next and is fetched. ``target``: the
    address of the first byte. ``numbers``: nibbles of a row, distance in nibbles to the second row
    of a pair. Then the table of the loops over pairs, source strides in nibbles, target strides in
    bytes. The rows of the target ascend: ``BEYOND`` bytes after each may be overwritten.
    """
    given = numbers.ctypes.data
    row, apart = number(given, 0), number(given, 1)
    outer, counters = given + 8 * 2, scratch + COUNTERS_AT
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        s_next, d_next = advance(outer, counters, s, d)
        for i in range(0, row, 128):
            low, high = s + i, s + i + apart
            prefetch((low + ahead) >> 1)
            prefetch((high + ahead) >> 1)
            if (max(low, high) >> 1) + 65 <= source_end:
                pair_many(low, high, d + i)
            else:
                for k in range(min(128, row - i)):
                    set_byte(d + i + k, nibble(low + k) | (nibble(high + k) << 4))
        s, d = s_next, d_next


@compiled(*HELPERS)
def split_rows(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Put the low or the high halves of rows of bytes into rows of nibbles, a byte each.

    ``source``: the address of the first nibble: its last bit tells which halves. ``numbers``: bytes
    of a row. Then the table of the loops over rows of the target, source strides in nibbles. The
    rows of the target ascend: ``BEYOND`` bytes after each may be read and overwritten.
    """
    given = numbers.ctypes.data
    row, outer, counters = number(given, 0), given + 8, scratch + COUNTERS_AT
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        for i in range(0, row, 64):
            split_line((s >> 1) + i, d + i, 4 * (s & 1))
        s, d = advance(outer, counters, s, d)


@compiled(*HELPERS)
def pack_runs(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Write the low or the high halves of bytes to the nibbles of some runs.

    ``source``: the address of the first nibble: its last bit tells which halves. ``target``: that
    of the first nibble. ``numbers``: nibbles of a run, whether to stream. Then the table of the
    loops over runs, strides in nibbles; each byte of the source has two.
    """
    given = numbers.ctypes.data
    run, streamed = number(given, 0), number(given, 1) != 0
    outer, counters = given + 8 * 2, scratch + COUNTERS_AT
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        at, shift, to, count = s >> 1, 4 * (s & 1), d >> 1, run
        if d & 1:
            set_byte(to, (byte(to) & 15) | (byte(at) >> shift << 4))
            at, to, count = at + 1, to + 1, count - 1
        while streamed and count >= 128:
            some = min(count & ~1, 2 * _PACKED_BYTES)
            _pack(at, scratch, some, shift)
            copy_bytes(scratch, to, some >> 1, True, scratch)
            at, to, count = at + some, to + (some >> 1), count - some
        some = count & ~1
        _pack(at, to, some, shift)
        if count & 1:
            to += some >> 1
            set_byte(to, (byte(to) & 240) | ((byte(at + some) >> shift) & 15))
        s, d = advance(outer, counters, s, d)
    if streamed:
        store_collected(scratch)
        fence()


@helper
def _pack(source: int, target: int, count: int, shift: int) -> None:
    """Pack halves of an even number of bytes."""
    while count >= 64:
        pack_many(source, target, shift)
        source, target, count = source + 64, target + 32, count - 64
    while count >= 8:
        pack_few(source, target, shift)
        source, target, count = source + 8, target + 4, count - 8
    while count >= 2:
        pack_one(source, target, shift)
        source, target, count = source + 2, target + 1, count - 2


@helper
def nibble(address: int) -> int:
    """Return the nibble at the address of a nibble."""
    found: int = (byte(address >> 1) >> 4 * (address & 1)) & 15
    return found


@intrinsic
def pair_many(typingctx: Any, first: Any, second: Any, target: Any) -> Any:
    """Put 128 nibbles below 128 others. It reads 65 bytes from the byte of the first one on."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        one = ir.Constant(_I64, 1)

        def from_nibble(address: Value) -> Value:
            begin = builder.lshr(address, one)
            here = load(builder, begin, 1, 64)
            there = load(builder, builder.add(begin, one), 1, 64)
            four = _each(here.type, 4)
            shifted = builder.or_(builder.lshr(here, four), builder.shl(there, four))
            return builder.select(builder.trunc(address, ir.IntType(1)), shifted, here)

        x, y = from_nibble(arguments[0]), from_nibble(arguments[1])
        four, low, high = (_each(x.type, value) for value in (4, 15, 240))
        even = builder.or_(builder.and_(x, low), builder.shl(y, four))
        odd = builder.or_(builder.lshr(x, four), builder.and_(y, high))
        store(builder, _woven(builder, even, odd), arguments[2])
        return context.get_dummy_value()

    return void(3), emit


@intrinsic
def split_line(typingctx: Any, source: Any, target: Any, shift: Any) -> Any:
    """Write 4 bits of each of 64 bytes to a byte, from bit ``shift`` on."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        both = load(builder, arguments[0], 1, 64)
        high = builder.icmp_signed("!=", arguments[2], ir.Constant(_I64, 0))
        shifted = builder.select(high, builder.lshr(both, _each(both.type, 4)), both)
        store(builder, builder.and_(shifted, _each(both.type, 15)), arguments[1])
        return context.get_dummy_value()

    return void(3), emit


def _each(kind: Any, value: int) -> Value:
    return ir.Constant(kind, [value] * kind.count)


def _woven(builder: Builder, low: Value, high: Value) -> Value:
    count = low.type.count
    order = [k for i in range(count) for k in (i, count + i)]
    mask = ir.Constant(ir.VectorType(ir.IntType(32), 2 * count), order)
    return builder.shuffle_vector(low, high, mask)


def _unpacker(size: int) -> Any:
    @intrinsic
    def unpack(typingctx: Any, source: Any, target: Any) -> Any:
        """Unpack ``size`` bytes to twice as many, the low half of each first."""

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            packed = load(builder, arguments[0], 1, size)
            low = builder.and_(packed, _each(packed.type, 15))
            high = builder.lshr(packed, _each(packed.type, 4))
            store(builder, _woven(builder, low, high), arguments[1])
            return context.get_dummy_value()

        return void(2), emit

    return unpack


def _packer(size: int) -> Any:
    @intrinsic
    def pack(typingctx: Any, source: Any, target: Any, shift: Any) -> Any:
        """Pack pairs of halves to ``size`` bytes; the first of a pair goes to the low half.

        ``shift``: 0 for the low halves, 4 for the high ones.
        """

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            pairs = load(builder, arguments[0], 2, 2 * size)
            high = builder.icmp_signed("!=", arguments[2], ir.Constant(_I64, 0))
            four = _each(pairs.type, 4)
            shifted = builder.select(high, builder.lshr(pairs, four), pairs)
            halves = builder.and_(shifted, _each(pairs.type, 0x0F0F))
            packed = builder.or_(halves, builder.lshr(halves, four))
            store(builder, builder.trunc(packed, ir.VectorType(_I8, size)), arguments[1])
            return context.get_dummy_value()

        return void(3), emit

    return pack


unpack_many, unpack_few, unpack_one = (_unpacker(size) for size in (32, 4, 1))
pack_many, pack_few, pack_one = (_packer(size) for size in (32, 4, 1))
