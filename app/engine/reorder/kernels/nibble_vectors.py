"""Numba intrinsics that turn and weave rows of nibbles in registers, for ``kernel_nibble_turns``.

Two rows are first put together: one register gets their nibbles at even places, one those at odd
places. Then bytes move. Registers have 32 bytes, two lanes of 16. All addresses and strides are
bytes in int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from llvmlite import ir

from .instructions import Builder, Value, emit_prefetch, intrinsic, load, store, void

WIDE: Final = 64  # nibbles in a register
NARROW: Final = 32  # nibbles in a lane
LANE: Final = 16  # bytes
SPAN: Final = 32  # bytes in a register
_AHEAD: Final = 64  # bytes from a column to what is fetched to be written
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


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
    x, y = load(builder, one, 1, LANE), load(builder, other, 1, LANE)
    return _shuffled(builder, x, y, list(range(2 * LANE)))


def _store_lanes(builder: Builder, value: Value, one: Value, other: Value) -> None:
    store(builder, _shuffled(builder, value, value, list(range(LANE))), one)
    store(builder, _shuffled(builder, value, value, list(range(LANE, 2 * LANE))), other)


def _turner(*, lanes: Literal["along", "across"]) -> Any:
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
                else load(builder, at[k], 1, SPAN)
                for k in range(NARROW)
            ]
            pairs = [_halves(builder, rows[k], rows[k + 1]) for k in range(0, NARROW, 2)]
            for k, column in enumerate(_columns(builder, pairs)):
                if across:
                    emit_prefetch(builder, _plus(builder, to[k], _AHEAD), written=True)
                    store(builder, column, to[k])
                else:
                    _store_lanes(builder, column, to[k], to[k + NARROW])
            return context.get_dummy_value()

        return void(6), emit

    return turn


def _columns(builder: Builder, pairs: Sequence[tuple[Value, Value]]) -> list[Value]:
    """Emit the columns of pairs of rows: each pair has nibbles at even and at odd places."""
    even, odd = (_riffled(builder, list(x)) for x in zip(*pairs, strict=True))
    return [x for both in zip(even, odd, strict=True) for x in both]


@intrinsic
def turn_odd(typingctx: Any, source: Any, pair: Any, half: Any, target: Any, stride: Any) -> Any:
    """Turn 32 rows of an odd number of nibbles, at most 63, to 64 columns ``stride`` bytes apart.

    ``pair``: bytes of two rows. ``half``: those of a row before its last nibble. What the columns
    after the last nibble get is of no use.
    """

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        source, pair, half, target, stride = arguments
        pairs = []
        for _ in range(NARROW // 2):
            pairs.append(_odd_halves(builder, source, builder.add(source, half)))
            source = builder.add(source, pair)
        far = builder.shl(stride, ir.Constant(_I64, 2))
        to = _places(builder, target, stride, far, WIDE)
        for k, column in enumerate(_columns(builder, pairs)):
            _store_lanes(builder, column, to[k], to[k + NARROW])
        return context.get_dummy_value()

    return void(5), emit


def _odd_halves(builder: Builder, first: Value, second: Value) -> tuple[Value, Value]:
    """Emit the same as ``_halves`` of two rows, of which one ends in the byte ``second``."""
    x, y = load(builder, first, 1, SPAN), load(builder, second, 1, SPAN)
    following = load(builder, _plus(builder, second, 1), 1, SPAN)
    return _low(builder, x, y), _high(builder, x, builder.shl(following, _each(x.type, 4)))


def _store_woven(builder: Builder, rows: list[Value], target: Value) -> None:
    """Weave four registers byte by byte."""
    x = _riffled(builder, rows)
    for k in range(4):
        lane = k // 2 * LANE
        order = [*range(lane, lane + LANE), *range(SPAN + lane, SPAN + lane + LANE)]
        value = _shuffled(builder, x[k % 2 * 2], x[k % 2 * 2 + 1], order)
        store(builder, value, _plus(builder, target, k * SPAN))


def _load_unwoven(builder: Builder, source: Value) -> list[Value]:
    """Do the inverse: load four registers, and unweave them."""
    words = []
    for k in range(4):
        at = _plus(builder, source, k * LANE)
        loaded = _load_lanes(builder, at, _plus(builder, at, 4 * LANE))
        order = [lane + 4 * i + c for lane in (0, LANE) for c in range(4) for i in range(4)]
        grouped = _shuffled(builder, loaded, loaded, order)
        words.append(builder.bitcast(grouped, ir.VectorType(_I32, SPAN // 4)))
    return [builder.bitcast(x, ir.VectorType(_I8, SPAN)) for x in _riffled(builder, words)]


@intrinsic
def weave_even(typingctx: Any, first: Any, second: Any, apart: Any, target: Any) -> Any:
    """Weave 64 nibbles of each of four rows; the other pair is ``apart`` bytes behind."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        first, second, apart, target = arguments
        found = []
        for distance in (ir.Constant(_I64, 0), apart):
            x, y = (load(builder, builder.add(at, distance), 1, SPAN) for at in (first, second))
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
        found = []
        for distance in (ir.Constant(_I64, 0), apart):
            at = (builder.add(x, distance) for x in (first, second))
            found.append(_odd_halves(builder, *at))
        even, odd = zip(*found, strict=True)
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
            before = _shuffled(builder, odd, first, [SPAN, *range(SPAN - 1)])
            store(builder, x, place)
            place = builder.add(place, half)
            store(builder, _high(builder, before, even), place)
            place = builder.add(builder.add(place, half), ir.Constant(_I64, 1))
        return context.get_dummy_value()

    return void(3), emit


turn_few, turn_many = _turner(lanes="along"), _turner(lanes="across")
