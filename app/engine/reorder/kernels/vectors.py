"""Numba intrinsics that turn and weave registers, made of LLVM's ``shuffle_vector``.

A tile is G x G units of 16/G bytes: G rows of 16 bytes are loaded, riffled log2(G) times and
stored as G columns. To riffle is to interleave two registers unit by unit. Wider registers do
the same in several lanes of 16 bytes side by side; if the machine has none, LLVM splits them.
Streamed stores go past the cache (non-temporal), so that target lines need not be read first.
Addresses and units are as in ``instructions.py``.
"""

from __future__ import annotations

from typing import Any, Literal

from llvmlite import ir
from numba import types

from .instructions import LINE, REGISTER, Builder, Value, emit_prefetch, intrinsic, load, store

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_KEPT_ADDRESSES = 32  # of rows, in registers; more are read again, which costs less than spilling


def _read(builder: Builder, table: Value, k: int) -> Value:
    """Return the int64 at index ``k`` of a table."""
    pointer = builder.inttoptr(table, _I64.as_pointer())
    return builder.load(builder.gep(pointer, [ir.Constant(_I64, k)]))


def _joined(builder: Builder, parts: list[Value]) -> Value:
    """Return one register made of several, side by side."""
    while len(parts) > 1:
        lanes = list(range(2 * parts[0].type.count))
        pairs = zip(parts[0::2], parts[1::2], strict=True)
        parts = [_shuffled(builder, x, y, lanes) for x, y in pairs]
    return parts[0]


def _shuffled(builder: Builder, x: Value, y: Value, lanes: list[int]) -> Value:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(x, y, mask)


def _riffled(builder: Builder, rows: list[Value], lane: int) -> list[Value]:
    """Return the units of 2^k rows, column by column, after k rounds of pairwise riffles.

    Riffles stay within ``lane`` units: a lane of 16 bytes, or the whole register.
    """
    count = rows[0].type.count
    low = [
        k
        for at in range(0, count, lane)
        for i in range(lane // 2)
        for k in (at + i, count + at + i)
    ]
    high = [k + lane // 2 for k in low]
    half = len(rows) // 2
    for _ in range(len(rows).bit_length() - 1):
        pairs = [(rows[i], rows[i + half]) for i in range(half)]
        rows = [_shuffled(builder, x, y, m) for x, y in pairs for m in (low, high)]
    return rows


def _unriffled(builder: Builder, rows: list[Value]) -> list[Value]:
    """Do the inverse of ``_riffled``."""
    lanes = rows[0].type.count
    even = list(range(0, 2 * lanes, 2))
    odd = [lane + 1 for lane in even]
    for _ in range(len(rows).bit_length() - 1):
        pairs = list(zip(rows[0::2], rows[1::2], strict=True))
        rows = [_shuffled(builder, x, y, m) for m in (even, odd) for x, y in pairs]
    return rows


def _three(builder: Builder, rows: list[Value], *, apart: bool) -> list[Value]:
    """Weave three rows into one run of units, or unweave such a run if ``apart``."""
    lanes = rows[0].type.count
    undefined = ir.Constant(rows[0].type, ir.Undefined)
    first = _shuffled(builder, rows[0], rows[1], list(range(2 * lanes)))
    last = _shuffled(builder, rows[2], undefined, list(range(2 * lanes)))
    taken = []
    for j in range(3):
        if apart:
            mask = [3 * i + j for i in range(lanes)]
        else:
            mask = [m % 3 * lanes + m // 3 for m in range(j * lanes, (j + 1) * lanes)]
        taken.append(_shuffled(builder, first, last, mask))
    return taken


def _transposer(
    steps: int,
    *,
    fetching: Literal["source", "target"] | None = None,
    streamed: bool = False,
    joined: bool = False,
    counted: bool = False,
) -> Any:
    @intrinsic
    def transpose_registers(
        typingctx: Any, units: Any, rows: Any, base: Any, target: Any, stride: Any, ahead: Any
    ) -> Any:
        """Turn lanes*G rows of ``steps`` registers: each step makes G columns of lanes registers.

        ``rows``: address of a table of the rows' distances from ``base``. Lane n of a column
        holds the G rows from n*G, so that no shuffle crosses lanes. Columns are ``stride`` bytes
        apart. ``fetching``: prefetch also the same lines of the source at ``ahead``, or the lines
        of the target that lie ``ahead`` bytes behind these columns. ``joined``: columns have
        no gaps between them and are stored line by line. ``counted``: the last argument is the
        number of columns to store; if ``streamed``, of those to leave out at the begin.
        """
        width, lanes = units.dtype.bitwidth // 8, units.count
        group = REGISTER // width

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, rows, base, target, stride, ahead = arguments
            table = builder.inttoptr(rows, _I64.as_pointer())
            place, begins, distances = target, [], []
            for step in range(steps):
                at = ir.Constant(_I64, step * REGISTER)
                if not step or lanes * group > _KEPT_ADDRESSES:
                    distances = [
                        builder.load(builder.gep(table, [ir.Constant(_I64, g)]))
                        for g in range(lanes * group)
                    ]
                    begins = [builder.add(base, distance) for distance in distances]
                if fetching == "source":
                    for distance in distances[step::steps]:
                        emit_prefetch(builder, builder.add(ahead, distance))
                wide = []
                for g in range(group):
                    parts = [
                        load(builder, builder.add(begin, at), width, REGISTER)
                        for begin in begins[g::group]
                    ]
                    wide.append(_joined(builder, parts))
                columns = _riffled(builder, wide, group)
                if joined:
                    each = LINE // (lanes * REGISTER)
                    columns = [
                        _joined(builder, columns[j : j + each]) for j in range(0, group, each)
                    ]
                for j, column in enumerate(columns):
                    if fetching == "target":
                        emit_prefetch(builder, builder.add(place, ahead), written=True)
                    if counted:
                        is_kept = "<=" if streamed else ">"
                        kept = builder.icmp_signed(is_kept, ahead, ir.Constant(_I64, j))
                        with builder.if_then(kept, likely=True):
                            store(builder, column, place, streamed=streamed)
                    else:
                        store(builder, column, place, streamed=streamed)
                    place = builder.add(place, ir.Constant(_I64, LINE) if joined else stride)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 5), emit

    return transpose_registers


transpose_registers = _transposer(1, fetching="target")
transpose_last_streamed = _transposer(1, streamed=True, counted=True)
transpose_line = _transposer(4, fetching="target")
transpose_line_staged = _transposer(4, fetching="source")
transpose_line_streamed = _transposer(4, fetching="source", streamed=True)
transpose_few = _transposer(1, counted=True)
transpose_joined = _transposer(4, fetching="source", streamed=True, joined=True)


def _store_lanes(
    builder: Builder, turned: list[Value], group: int, columns: Value, target: Value
) -> None:
    """Store each lane of ``group`` units as a column, in the order of the columns."""
    for lane in range(0, 4 * group, group):
        for j, value in enumerate(turned):
            column = _shuffled(builder, value, value, list(range(lane, lane + group)))
            store(builder, column, builder.add(target, _read(builder, columns, lane + j)))


@intrinsic
def turn_lines(
    typingctx: Any, units: Any, rows: Any, base: Any, columns: Any, target: Any, ahead: Any
) -> Any:
    """Turn 64 bytes of each of G rows: each column is one register of 16 bytes.

    ``rows``, ``columns``: addresses of tables: the rows' distances from ``base``, the columns' from
    ``target``. Columns are stored in their order. ``ahead``: distance from each row to what is
    prefetched. The lanes of a register are 4 groups of columns, so no shuffle crosses lanes.
    """
    width = units.dtype.bitwidth // 8
    group = REGISTER // width

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, rows, base, columns, target, ahead = arguments
        loaded = []
        for g in range(group):
            begin = builder.add(base, _read(builder, rows, g))
            emit_prefetch(builder, builder.add(begin, ahead))
            loaded.append(load(builder, begin, width, LINE))
        turned = _riffled(builder, loaded, group)
        _store_lanes(builder, turned, group, columns, target)
        return _context.get_dummy_value()

    return types.void(units, *[types.int64] * 5), emit


def _in_each_lane(units: list[int]) -> list[int]:
    """Return the mask that takes these bytes in each of 4 lanes; from LINE on, of the second."""
    return [lane + unit for lane in range(0, LINE, REGISTER) for unit in units]


@intrinsic
def turn_nine_lines(
    typingctx: Any, rows: Any, base: Any, columns: Any, target: Any, ahead: Any
) -> Any:
    """Turn 64 bytes of each of 9 rows, as ``turn_lines`` does: 8 are riffled, the ninth is spread.

    Behind the 9 bytes of a column, 7 zeros are stored.
    """

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        rows, base, columns, target, ahead = arguments
        loaded = []
        for g in range(9):
            begin = builder.add(base, _read(builder, rows, g))
            emit_prefetch(builder, builder.add(begin, ahead))
            loaded.append(load(builder, begin, 1, LINE))
        ninth = loaded.pop()
        zeros = ir.Constant(ninth.type, None)
        turned = []
        for i, eight in enumerate(_riffled(builder, loaded, REGISTER)):
            apart = [2 * i + k // 8 if k % 8 == 0 else LINE for k in range(REGISTER)]
            last = _shuffled(builder, ninth, zeros, _in_each_lane(apart))
            for half in range(2):
                both = [8 * half + k % 8 + k // 8 * LINE for k in range(REGISTER)]
                turned.append(_shuffled(builder, eight, last, _in_each_lane(both)))
        _store_lanes(builder, turned, REGISTER, columns, target)
        return _context.get_dummy_value()

    return types.void(*[types.int64] * 5), emit


def _wide_turner(lanes: int) -> Any:
    @intrinsic
    def turn_wide_lines(
        typingctx: Any, units: Any, rows: Any, base: Any, columns: Any, target: Any, ahead: Any
    ) -> Any:
        """Turn 64 bytes of each of lanes*G rows: each column is one register.

        Arguments as for ``turn_lines``. The lanes of a register are groups of rows.
        """
        width = units.dtype.bitwidth // 8
        group = REGISTER // width
        count = lanes * group

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, rows, base, columns, target, ahead = arguments
            begins: list[Value] = []
            for step in range(4):
                if not step or count > _KEPT_ADDRESSES:
                    begins = [builder.add(base, _read(builder, rows, g)) for g in range(count)]
                for begin in begins[step::4]:
                    emit_prefetch(builder, builder.add(begin, ahead))
                loaded, behind = [], ir.Constant(_I64, step * REGISTER)
                for g in range(group):
                    places = [builder.add(begin, behind) for begin in begins[g::group]]
                    parts = [load(builder, place, width, REGISTER) for place in places]
                    loaded.append(_joined(builder, parts))
                for j, column in enumerate(_riffled(builder, loaded, group)):
                    place = _read(builder, columns, step * group + j)
                    store(builder, column, builder.add(target, place))
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 5), emit

    return turn_wide_lines


turn_wide_lines, turn_half_lines = _wide_turner(4), _wide_turner(2)


def _weaver(size: int, *, streamed: bool) -> Any:
    @intrinsic
    def weave(typingctx: Any, units: Any, rows: Any, base: Any, target: Any) -> Any:
        """Weave one register of each of k rows into k consecutive registers."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, rows, base, target = arguments
            table = builder.inttoptr(rows, _I64.as_pointer())
            loaded = []
            for g in range(count):
                at = builder.load(builder.gep(table, [ir.Constant(_I64, g)]))
                loaded.append(load(builder, builder.add(base, at), width, size))
            three = count == 3
            woven = (
                _three(builder, loaded, apart=False)
                if three
                else _riffled(builder, loaded, size // width)
            )
            for j, value in enumerate(woven):
                place = builder.add(target, ir.Constant(_I64, j * size))
                store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 3), emit

    return weave


def _unweaver(size: int, *, streamed: bool) -> Any:
    @intrinsic
    def unweave(
        typingctx: Any, units: Any, source: Any, target: Any, stride: Any, kept: Any
    ) -> Any:
        """Unweave k consecutive registers into one for each of k rows; store the first ``kept``."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, source, target, stride, kept = arguments
            loaded = [
                load(builder, builder.add(source, ir.Constant(_I64, j * size)), width, size)
                for j in range(count)
            ]
            three = count == 3
            rows = _three(builder, loaded, apart=True) if three else _unriffled(builder, loaded)
            for j, value in enumerate(rows):
                place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
                stored = builder.icmp_signed(">", kept, ir.Constant(_I64, j))
                with builder.if_then(stored, likely=True):
                    store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 4), emit

    return unweave


weave_lines, weave_lines_streamed = _weaver(64, streamed=False), _weaver(64, streamed=True)
weave_little, weave_little_streamed = _weaver(16, streamed=False), _weaver(16, streamed=True)
unweave_lines, unweave_lines_streamed = _unweaver(64, streamed=False), _unweaver(64, streamed=True)
unweave_little = _unweaver(16, streamed=False)
