"""Kernels that turn nibbles in registers, in one pass: pixels in the rows to channels in the rows.

Two rows of the source are first put together: one register gets their nibbles at even places, one
those at odd places. Then bytes move. So a nibble takes part in one step more than a byte, and no
bytes wait in memory between two passes. Registers have 32 bytes, two lanes of 16.

All addresses and strides here are bytes in int64.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from ...kernels import compiled
from . import instructions, kernel_tables, lines
from .instructions import (
    Builder,
    Value,
    emit_prefetch,
    fence,
    helper,
    intrinsic,
    load,
    number,
    prefetch,
    store,
    void,
)
from .kernel_tables import COUNTERS_AT, advance, iterations
from .lines import copy_bytes, copy_part, store_collected

HELPERS: Final = (instructions, kernel_tables, lines)  # compiled into the kernels below
WIDE: Final = 64  # nibbles in a register
NARROW: Final = 32  # nibbles in a lane
STAGED: Final = 4096  # nibbles of a row, of which four are streamed from scratch memory
_LANE: Final = 16  # bytes
_SPAN: Final = 32  # bytes in a register
_AHEAD: Final = 64  # bytes from a column to what is fetched to be written
_JOINED_BYTES: Final = 4096  # of blocks in scratch memory, before they are copied
_READ_AT: Final = 4 * _JOINED_BYTES  # in scratch memory: the last block of the source
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


@compiled(*HELPERS)
def turn_nibbles(source: int, target: int, numbers: Any, scratch: int) -> None:
    """Turn rows of nibbles to columns of nibbles; all rows and columns begin at whole bytes.

    ``numbers``: number of columns, distances between columns of the target; number of rows,
    distances between rows of the source. There are two distances: from a row to the next one, and
    to the fourth one after it. Then the table of the loops around the turn. There are at least
    ``NARROW`` rows and ``WIDE`` columns, or the reverse. The last registers overlap those before.
    """
    given = numbers.ctypes.data
    length, stride, far_stride = number(given, 0), number(given, 1), number(given, 2)
    rows, apart, far_apart = number(given, 3), number(given, 4), number(given, 5)
    outer, counters = given + 8 * 6, scratch + COUNTERS_AT
    many = rows >= WIDE
    across, along = (WIDE, NARROW) if many else (NARROW, WIDE)
    s, d = source, target
    for _ in range(iterations(outer, counters)):
        for k in range(0, rows if many else length, WIDE):
            for j in range(0, length if many else rows, NARROW):
                r, i = min(k if many else j, rows - across), min(j if many else k, length - along)
                x = s + (i >> 1) + _at(r, apart, far_apart)
                y = d + (r >> 1) + _at(i, stride, far_stride)
                if many:
                    turn_many(x, apart, far_apart, y, stride, far_stride)
                else:
                    turn_few(x, apart, far_apart, y, stride, far_stride)
        s, d = advance(outer, counters, s, d)


@helper
def _at(index: int, apart: int, far: int) -> int:
    found: int = (index >> 2) * far + (index & 3) * apart
    return found


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
            if s + 2 * length + _SPAN > source_end:
                x = scratch + _READ_AT
                copy_part(s, x, 2 * length)
            weave_odd(x, x + row, length, to)
        else:
            for i0 in range(0, row, _SPAN):
                i = min(i0, row - _SPAN)
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
            if s + 4 * _SPAN > source_end:
                x = scratch + _READ_AT
                copy_part(s, x, 2 * length)
            unweave_odd(x, to, row)
        else:
            for i0 in range(0, row, _SPAN):
                i = min(i0, row - _SPAN)
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


def _each(kind: Any, value: int) -> Value:
    return ir.Constant(kind, [value] * kind.count)


def _shuffled(builder: Builder, x: Value, y: Value, order: list[int]) -> Value:
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(_I32, len(order)), order))


def _halves(builder: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """Emit the low halves of two registers, put together, and the high halves."""
    return _low(builder, x, builder.shl(y, _each(y.type, 4))), _high(builder, x, y)


def _low(builder: Builder, x: Value, y: Value) -> Value:
    """Emit the low halves of ``x`` with the high halves of ``y``."""
    return builder.or_(builder.and_(x, _each(x.type, 15)), builder.and_(y, _each(y.type, 240)))


def _high(builder: Builder, x: Value, y: Value) -> Value:
    """Emit the high halves of ``x``, moved to the low ones, with the high halves of ``y``."""
    return builder.or_(builder.lshr(x, _each(x.type, 4)), builder.and_(y, _each(y.type, 240)))


def _riffled(builder: Builder, rows: list[Value]) -> list[Value]:
    """Emit 2^k rows unit by unit, column by column; units stay in their lane."""
    count = rows[0].type.count
    lane = count // 2
    low = [k for at in (0, lane) for i in range(lane // 2) for k in (at + i, count + at + i)]
    orders = (low, [k + lane // 2 for k in low])
    half = len(rows) // 2
    for _ in range(half.bit_length()):
        pairs = zip(rows[:half], rows[half:], strict=True)
        rows = [_shuffled(builder, x, y, order) for x, y in pairs for order in orders]
    return rows


def _plus(builder: Builder, address: Value, distance: int) -> Value:
    return builder.add(address, ir.Constant(_I64, distance))


def _places(builder: Builder, begin: Value, near: Value, far: Value, count: int) -> list[Value]:
    """Emit addresses: four ``near`` bytes from each other, then the next four ``far`` bytes on."""
    found = list[Value]()
    while len(found) < count:
        found.append(begin)
        for _ in range(3):
            found.append(builder.add(found[-1], near))
        begin = builder.add(begin, far)
    return found


def _load_lanes(builder: Builder, one: Value, other: Value) -> Value:
    x, y = load(builder, one, 1, _LANE), load(builder, other, 1, _LANE)
    return _shuffled(builder, x, y, list(range(2 * _LANE)))


def _store_lanes(builder: Builder, value: Value, one: Value, other: Value) -> None:
    store(builder, _shuffled(builder, value, value, list(range(_LANE))), one)
    store(builder, _shuffled(builder, value, value, list(range(_LANE, 2 * _LANE))), other)


def _turner(*, lanes: str) -> Any:
    @intrinsic
    def turn(
        typingctx: Any, source: Any, apart: Any, far_apart: Any, target: Any, stride: Any,
        far_stride: Any,
    ) -> Any:  # fmt: skip
        """Turn rows to columns, with lanes along or across the rows.

        Along: 32 rows of 64 nibbles to 64 columns of 32. Across: the other way round.
        """

        def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            source, apart, far_apart, target, stride, far_stride = arguments
            across = lanes == "across"
            at = _places(builder, source, apart, far_apart, WIDE if across else NARROW)
            to = _places(builder, target, stride, far_stride, NARROW if across else WIDE)
            rows = [
                _load_lanes(builder, at[k], at[k + NARROW])
                if across
                else load(builder, at[k], 1, _SPAN)
                for k in range(NARROW)
            ]
            pairs = [_halves(builder, rows[k], rows[k + 1]) for k in range(0, NARROW, 2)]
            even, odd = (_riffled(builder, list(x)) for x in zip(*pairs, strict=True))
            for k, column in enumerate(x for both in zip(even, odd, strict=True) for x in both):
                if across:
                    emit_prefetch(builder, _plus(builder, to[k], _AHEAD), written=True)
                    store(builder, column, to[k])
                else:
                    _store_lanes(builder, column, to[k], to[k + NARROW])
            return context.get_dummy_value()

        return void(6), emit

    return turn


def _store_woven(builder: Builder, rows: list[Value], target: Value) -> None:
    """Weave four registers byte by byte."""
    x = _riffled(builder, rows)
    for k in range(4):
        lane = k // 2 * _LANE
        order = [*range(lane, lane + _LANE), *range(_SPAN + lane, _SPAN + lane + _LANE)]
        value = _shuffled(builder, x[k % 2 * 2], x[k % 2 * 2 + 1], order)
        store(builder, value, _plus(builder, target, k * _SPAN))


def _load_unwoven(builder: Builder, source: Value) -> list[Value]:
    """Do the inverse: load four registers, and unweave them."""
    words = []
    for k in range(4):
        at = _plus(builder, source, k * _LANE)
        loaded = _load_lanes(builder, at, _plus(builder, at, 4 * _LANE))
        order = [lane + 4 * i + c for lane in (0, _LANE) for c in range(4) for i in range(4)]
        grouped = _shuffled(builder, loaded, loaded, order)
        words.append(builder.bitcast(grouped, ir.VectorType(_I32, _SPAN // 4)))
    return [builder.bitcast(x, ir.VectorType(_I8, _SPAN)) for x in _riffled(builder, words)]


@intrinsic
def weave_even(typingctx: Any, first: Any, second: Any, apart: Any, target: Any) -> Any:
    """Weave 64 nibbles of each of four rows; the other pair is ``apart`` bytes behind."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        first, second, apart, target = arguments
        found = []
        for distance in (ir.Constant(_I64, 0), apart):
            x, y = (load(builder, builder.add(at, distance), 1, _SPAN) for at in (first, second))
            found.append(_halves(builder, x, y))
        even, odd = zip(*found, strict=True)
        _store_woven(builder, [*even, *odd], target)
        return context.get_dummy_value()

    return void(4), emit


@intrinsic
def weave_odd(typingctx: Any, first: Any, second: Any, apart: Any, target: Any) -> Any:
    """Weave four rows of an odd number of nibbles, at most 63, with nothing between them.

    ``second``: the byte in which the second row begins. It reads 33 bytes from there on, and the
    same ``apart`` bytes behind.
    """

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        first, second, apart, target = arguments
        even, odd = [], []
        for distance in (ir.Constant(_I64, 0), apart):
            x, y = (load(builder, builder.add(at, distance), 1, _SPAN) for at in (first, second))
            at = _plus(builder, builder.add(second, distance), 1)
            following = load(builder, at, 1, _SPAN)
            even.append(_low(builder, x, y))
            odd.append(_high(builder, x, builder.shl(following, _each(x.type, 4))))
        _store_woven(builder, [*even, *odd], target)
        return context.get_dummy_value()

    return void(4), emit


@intrinsic
def unweave_even(typingctx: Any, source: Any, target: Any, apart: Any) -> Any:
    """Unweave 128 bytes to 64 nibbles of each of four rows, ``apart`` bytes from each other."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        source, target, apart = arguments
        a, b, c, d = _load_unwoven(builder, source)
        places = _places(builder, target, apart, apart, 4)
        rows = [*_halves(builder, a, c), *_halves(builder, b, d)]
        for row, place in zip(rows, places, strict=True):
            store(builder, row, place)
        return context.get_dummy_value()

    return void(3), emit


@intrinsic
def unweave_odd(typingctx: Any, source: Any, target: Any, half: Any) -> Any:
    """Unweave 128 bytes to four rows of an odd number of nibbles, with nothing between them.

    ``half``: bytes of a row before its last nibble, at most 31. Up to 14 bytes after the rows are
    overwritten.
    """

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        source, target, half = arguments
        a, b, c, d = _load_unwoven(builder, source)
        place = target
        for even, odd in ((a, c), (b, d)):
            x, _ = _halves(builder, even, odd)
            # The second row begins in the high half of the byte where the first one ends.
            last = builder.extract_element(even, builder.trunc(half, _I32))
            first = builder.insert_element(
                ir.Constant(odd.type, ir.Undefined),
                builder.shl(last, ir.Constant(_I8, 4)),
                ir.Constant(_I32, 0),
            )
            before = _shuffled(builder, odd, first, [_SPAN, *range(_SPAN - 1)])
            store(builder, x, place)
            place = builder.add(place, half)
            store(builder, _high(builder, before, even), place)
            place = builder.add(builder.add(place, half), ir.Constant(_I64, 1))
        return context.get_dummy_value()

    return void(3), emit


turn_few, turn_many = _turner(lanes="along"), _turner(lanes="across")
