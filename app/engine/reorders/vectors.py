"""Registers turned, woven and copied: Numba intrinsics made of LLVM's ``shuffle_vector``.

A tile is G x G units of 16/G bytes: G rows of 16 bytes are loaded, riffled log2(G) times and
stored as G columns. Wider registers do so in several lanes of 16 bytes side by side; where the
machine has none, LLVM splits them. Streamed stores go past the cache (non-temporal), which saves
the read of every target line.

All addresses and strides are bytes in int64. ``unit`` is a value of the unit's type (uint8 to
uint64, complex128 for 16 bytes), ``units`` a tuple of them: only type and length count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, njit, types


def intrinsic(emitter: Callable[..., Any]) -> Any:
    """Numba's decorator; what it makes is called without the typing context."""
    return extending.intrinsic(emitter)


_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_TUPLE: Any = types.UniTuple
_REGISTER = 16  # bytes
_LINE = 64
_KEPT_ADDRESSES = 32  # of rows; more are read again, which costs less than spilling

Builder = Any
Value = Any


def _load(builder: Builder, address: Value, width: int, size: int) -> Value:
    kind = ir.VectorType(ir.IntType(8 * width), size // width)
    loaded = builder.load(builder.inttoptr(address, kind.as_pointer()))
    loaded.align = 1
    return loaded


def _store(builder: Builder, value: Value, address: Value, *, streamed: bool = False) -> None:
    stored = builder.store(value, builder.inttoptr(address, value.type.as_pointer()))
    stored.align = value.type.count * value.type.element.width // 8 if streamed else 1
    if streamed:
        node = builder.module.add_metadata([ir.Constant(_I32, 1)])
        stored.set_metadata("nontemporal", node)


def _joined(builder: Builder, parts: list[Value]) -> Value:
    """One register of several, side by side."""
    while len(parts) > 1:
        lanes = list(range(2 * parts[0].type.count))
        pairs = zip(parts[0::2], parts[1::2], strict=True)
        parts = [_shuffled(builder, x, y, lanes) for x, y in pairs]
    return parts[0]


def _shuffled(builder: Builder, x: Value, y: Value, lanes: list[int]) -> Value:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(x, y, mask)


def _riffled(builder: Builder, rows: list[Value], lane: int) -> list[Value]:
    """The units of 2^k rows, column by column: k rounds of pairwise riffles.

    Riffles stay within ``lane`` units: 16-byte lanes, or the whole register.
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
    """The inverse of ``_riffled``."""
    lanes = rows[0].type.count
    even = list(range(0, 2 * lanes, 2))
    odd = [lane + 1 for lane in even]
    for _ in range(len(rows).bit_length() - 1):
        pairs = list(zip(rows[0::2], rows[1::2], strict=True))
        rows = [_shuffled(builder, x, y, m) for m in (even, odd) for x, y in pairs]
    return rows


def _three(builder: Builder, rows: list[Value], *, apart: bool) -> list[Value]:
    """Three rows woven into one run of units, or such a run taken apart."""
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


def _void(parameters: int) -> Any:
    return types.void(*[types.int64] * parameters)


def _emit_prefetch(builder: Builder, address: Value) -> None:
    pointer = builder.inttoptr(address, _I8.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
    called = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    read, keep, data = (ir.Constant(_I32, x) for x in (0, 3, 1))
    builder.call(called, [pointer, read, keep, data])


def _transposer(
    steps: int,
    *,
    fetching: bool = False,
    streamed: bool = False,
    joined: bool = False,
    counted: bool = False,
) -> Any:
    @intrinsic
    def transpose_registers(
        typingctx: Any, units: Any, rows: Any, base: Any, target: Any, stride: Any, ahead: Any
    ) -> Any:
        """``steps`` registers of each of lanes*G rows to G columns of lanes registers each.

        ``rows``: address of a table of the rows' distances from ``base``. Lane n of a column
        holds rows n*G to (n+1)*G, so that no shuffle leaves its lane. Columns lie ``stride``
        bytes apart. ``fetching``: the same lines at ``ahead``, for later. ``joined``: columns
        leave no gap and are stored line by line. ``counted``: the last argument says how many
        columns are stored.
        """
        width, lanes = units.dtype.bitwidth // 8, units.count
        group = _REGISTER // width

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, rows, base, target, stride, ahead = arguments
            table = builder.inttoptr(rows, _I64.as_pointer())
            place, begins, distances = target, [], []
            for step in range(steps):
                at = ir.Constant(_I64, step * _REGISTER)
                if not step or lanes * group > _KEPT_ADDRESSES:
                    distances = [
                        builder.load(builder.gep(table, [ir.Constant(_I64, g)]))
                        for g in range(lanes * group)
                    ]
                    begins = [builder.add(base, distance) for distance in distances]
                if fetching:
                    for distance in distances[step::steps]:
                        _emit_prefetch(builder, builder.add(ahead, distance))
                wide = []
                for g in range(group):
                    parts = [
                        _load(builder, builder.add(begin, at), width, _REGISTER)
                        for begin in begins[g::group]
                    ]
                    wide.append(_joined(builder, parts))
                columns = _riffled(builder, wide, group)
                if joined:
                    each = _LINE // (lanes * _REGISTER)
                    columns = [
                        _joined(builder, columns[j : j + each]) for j in range(0, group, each)
                    ]
                for j, column in enumerate(columns):
                    if counted:
                        kept = builder.icmp_signed(">", ahead, ir.Constant(_I64, j))
                        with builder.if_then(kept, likely=True):
                            _store(builder, column, place)
                    else:
                        _store(builder, column, place, streamed=streamed)
                    place = builder.add(place, ir.Constant(_I64, _LINE) if joined else stride)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 5), emit

    return transpose_registers


transpose_registers = _transposer(1)
transpose_streamed = _transposer(1, streamed=True)
transpose_line = _transposer(4, fetching=True)
transpose_line_streamed = _transposer(4, fetching=True, streamed=True)
transpose_few = _transposer(1, counted=True)
transpose_joined = _transposer(4, fetching=True, streamed=True, joined=True)


def _weaver(size: int, *, streamed: bool) -> Any:
    @intrinsic
    def weave(typingctx: Any, units: Any, rows: Any, base: Any, target: Any) -> Any:
        """One register of each of k rows, woven into k registers in a row."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, rows, base, target = arguments
            table = builder.inttoptr(rows, _I64.as_pointer())
            loaded = []
            for g in range(count):
                at = builder.load(builder.gep(table, [ir.Constant(_I64, g)]))
                loaded.append(_load(builder, builder.add(base, at), width, size))
            three = count == 3
            woven = (
                _three(builder, loaded, apart=False)
                if three
                else _riffled(builder, loaded, size // width)
            )
            for j, value in enumerate(woven):
                place = builder.add(target, ir.Constant(_I64, j * size))
                _store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 3), emit

    return weave


def _unweaver(size: int, *, streamed: bool) -> Any:
    @intrinsic
    def unweave(
        typingctx: Any, units: Any, source: Any, target: Any, stride: Any, kept: Any
    ) -> Any:
        """k registers in a row taken apart into one for each of k rows, ``kept`` of them stored."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, source, target, stride, kept = arguments
            loaded = [
                _load(builder, builder.add(source, ir.Constant(_I64, j * size)), width, size)
                for j in range(count)
            ]
            three = count == 3
            rows = _three(builder, loaded, apart=True) if three else _unriffled(builder, loaded)
            for j, value in enumerate(rows):
                place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
                stored = builder.icmp_signed(">", kept, ir.Constant(_I64, j))
                with builder.if_then(stored, likely=True):
                    _store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 4), emit

    return unweave


weave_lines, weave_lines_streamed = _weaver(64, streamed=False), _weaver(64, streamed=True)
weave_little, weave_little_streamed = _weaver(16, streamed=False), _weaver(16, streamed=True)
unweave_lines, unweave_lines_streamed = _unweaver(64, streamed=False), _unweaver(64, streamed=True)
unweave_little = _unweaver(16, streamed=False)


def _copier(size: int, registers: int, *, streamed: bool) -> Any:
    @intrinsic
    def copy(typingctx: Any, source: Any, target: Any) -> Any:
        """``registers`` registers of ``size`` bytes from one address to another."""

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            source, target = arguments
            places = [ir.Constant(_I64, size * i) for i in range(registers)]
            loaded = [_load(builder, builder.add(source, p), 4, size) for p in places]
            for p, register in zip(places, loaded, strict=True):
                _store(builder, register, builder.add(target, p), streamed=streamed)
            return _context.get_dummy_value()

        return _void(2), emit

    return copy


copy_register = _copier(16, 1, streamed=False)
copy_line, copy_line_streamed = _copier(64, 1, streamed=False), _copier(64, 1, streamed=True)


@intrinsic
def copy_masked(typingctx: Any, source: Any, target: Any, mask: Any) -> Any:
    """A register of 16 bytes, of which the bits of the one at ``mask`` are kept."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        source, target, mask = arguments
        kept = builder.and_(
            _load(builder, source, 4, _REGISTER), _load(builder, mask, 4, _REGISTER)
        )
        _store(builder, kept, target)
        return _context.get_dummy_value()

    return _void(3), emit


@intrinsic
def copy_unit(typingctx: Any, unit: Any, source: Any, target: Any) -> Any:
    """One unit, at any alignment."""
    kind = ir.IntType(unit.bitwidth)

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, source, target = arguments
        loaded = builder.load(builder.inttoptr(source, kind.as_pointer()))
        loaded.align = 1
        builder.store(loaded, builder.inttoptr(target, kind.as_pointer())).align = 1
        return _context.get_dummy_value()

    return types.void(unit, types.int64, types.int64), emit


@intrinsic
def number(typingctx: Any, table: Any, index: Any) -> Any:
    """The int64 at an index of a table, given by its address.

    Kernels take no arrays: passing one on counts its references, and the atomic instruction that
    does so empties the buffers in which streamed stores wait for their line.
    """

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def set_number(typingctx: Any, table: Any, index: Any, value: Any) -> Any:
    """Change the int64 at an index of a table, given by its address."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
        builder.store(arguments[2], builder.gep(pointer, [arguments[1]]))
        return _context.get_dummy_value()

    return _void(3), emit


@intrinsic
def units_like(typingctx: Any, like: Any) -> Any:
    """A tuple of units, their type an array's and their number its dimensions; no values."""
    units = _TUPLE(like.dtype, like.ndim)

    def emit(context: Any, _builder: Builder, signature: Any, arguments: Any) -> Value:
        return ir.Constant(context.get_value_type(units), ir.Undefined)

    return units(like), emit


@intrinsic
def width_of(typingctx: Any, unit: Any) -> Any:
    """Bytes of a unit, or of the units of a tuple."""
    width = (unit.dtype if isinstance(unit, types.UniTuple) else unit).bitwidth // 8

    def emit(_context: Any, _builder: Builder, signature: Any, arguments: Any) -> Value:
        return ir.Constant(_I64, width)

    return types.int64(unit), emit


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """The line at an address, of which none is too bad to ask for."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _emit_prefetch(builder, arguments[0])
        return _context.get_dummy_value()

    return _void(1), emit


@intrinsic
def prefetch_rows(typingctx: Any, units: Any, rows: Any, base: Any) -> Any:
    """The lines that ``transpose_registers`` will read at ``base``."""
    count = units.count * _REGISTER // (units.dtype.bitwidth // 8)

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, rows, base = arguments
        table = builder.inttoptr(rows, _I64.as_pointer())
        for g in range(count):
            distance = builder.load(builder.gep(table, [ir.Constant(_I64, g)]))
            _emit_prefetch(builder, builder.add(base, distance))
        return _context.get_dummy_value()

    return types.void(units, types.int64, types.int64), emit


@intrinsic
def fence(typingctx: Any) -> Any:
    """Non-temporal stores are weakly ordered: nobody may see the end before them."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        builder.fence("seq_cst")
        return _context.get_dummy_value()

    return types.void(), emit


def helper(function: Callable[..., Any]) -> Any:
    """A function of kernels, compiled with each of them."""
    return njit(nogil=True, error_model="numpy")(function)


@helper
def copy_bytes(source: int, target: int, count: int, streamed: bool) -> None:
    """``count`` bytes; whole lines of the target past the cache where ``streamed``."""
    done = 0
    if count >= 16:
        if streamed and count >= 128:
            head = -target & 63
            while done < head:
                copy_register(source + done, target + done)
                done += 16
            done = head
            while done + 64 <= count:
                copy_line_streamed(source + done, target + done)
                done += 64
        while done + 64 <= count:
            copy_line(source + done, target + done)
            done += 64
        while done + 16 <= count:
            copy_register(source + done, target + done)
            done += 16
        if done < count:
            copy_register(source + count - 16, target + count - 16)
        return
    while done + 4 <= count:
        copy_unit(np.uint32(0), source + done, target + done)
        done += 4
    while done < count:
        copy_unit(np.uint8(0), source + done, target + done)
        done += 1
