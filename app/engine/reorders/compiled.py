"""Numba kernels: transpositions in 16-byte registers, tile by tile.

A tile is G x G units of 16/G bytes: G rows of 16 bytes are loaded, riffled log2(G) times with
LLVM's ``shuffle_vector`` and stored as G columns. Rows that padding completes are read from a
page of zeros. Large targets are written past the cache (non-temporal stores), which saves the
read of every target line; their lines are put together in scratch memory first.

All addresses and strides here are bytes in int64. ``unit`` is a value of the unit's type (uint8
to uint64, complex128 for 16 bytes): only its type counts. Compiled once per machine and type.
"""

# Intrinsics and kernels share one file because Numba's disk cache looks at the kernel's file alone.

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
_REGISTER = 16  # bytes
_LINE = 64

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


@intrinsic
def _transpose_registers(
    typingctx: Any, units: Any, rows: Any, base: Any, target: Any, stride: Any
) -> Any:
    """A register of each row to a column of each register: lanes*G rows of G units.

    ``rows``: address of a table of the rows' distances from ``base``. Lane n of a column holds
    rows n*G to (n+1)*G, so that no shuffle leaves its lane. Columns lie ``stride`` bytes apart.
    """
    width, lanes = units.dtype.bitwidth // 8, units.count
    group = _REGISTER // width

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, rows, base, target, stride = arguments
        table = builder.inttoptr(rows, _I64.as_pointer())
        wide = []
        for g in range(group):
            parts = []
            for lane in range(lanes):
                at = builder.gep(table, [ir.Constant(_I64, lane * group + g)])
                parts.append(_load(builder, builder.add(base, builder.load(at)), width, 16))
            wide.append(_joined(builder, parts))
        for j, column in enumerate(_riffled(builder, wide, group)):
            place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
            _store(builder, column, place)
        return _context.get_dummy_value()

    return types.void(units, *[types.int64] * 4), emit


@intrinsic
def _transpose_streamed(
    typingctx: Any, units: Any, rows: Any, base: Any, target: Any, stride: Any
) -> Any:
    """``_transpose_registers`` past the cache."""
    width, lanes = units.dtype.bitwidth // 8, units.count
    group = _REGISTER // width

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, rows, base, target, stride = arguments
        table = builder.inttoptr(rows, _I64.as_pointer())
        wide = []
        for g in range(group):
            parts = []
            for lane in range(lanes):
                at = builder.gep(table, [ir.Constant(_I64, lane * group + g)])
                parts.append(_load(builder, builder.add(base, builder.load(at)), width, 16))
            wide.append(_joined(builder, parts))
        for j, column in enumerate(_riffled(builder, wide, group)):
            place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
            _store(builder, column, place, streamed=True)
        return _context.get_dummy_value()

    return types.void(units, *[types.int64] * 4), emit


def _weaver(*, streamed: bool) -> Any:
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
                loaded.append(_load(builder, builder.add(base, at), width, _LINE))
            three = count == 3
            woven = (
                _three(builder, loaded, apart=False)
                if three
                else _riffled(builder, loaded, _LINE // width)
            )
            for j, value in enumerate(woven):
                place = builder.add(target, ir.Constant(_I64, j * _LINE))
                _store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 3), emit

    return weave


def _unweaver(*, streamed: bool) -> Any:
    @intrinsic
    def unweave(typingctx: Any, units: Any, source: Any, target: Any, stride: Any) -> Any:
        """k registers in a row taken apart into one register for each of k rows."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, source, target, stride = arguments
            loaded = [
                _load(builder, builder.add(source, ir.Constant(_I64, j * _LINE)), width, _LINE)
                for j in range(count)
            ]
            three = count == 3
            rows = _three(builder, loaded, apart=True) if three else _unriffled(builder, loaded)
            for j, value in enumerate(rows):
                place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
                _store(builder, value, place, streamed=streamed)
            return _context.get_dummy_value()

        return types.void(units, *[types.int64] * 3), emit

    return unweave


_weave, _weave_streamed = _weaver(streamed=False), _weaver(streamed=True)
_unweave, _unweave_streamed = _unweaver(streamed=False), _unweaver(streamed=True)


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


_copy_register = _copier(16, 1, streamed=False)
_copy_line, _copy_line_streamed = _copier(64, 1, streamed=False), _copier(64, 1, streamed=True)


@intrinsic
def _copy_unit(typingctx: Any, unit: Any, source: Any, target: Any) -> Any:
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
def _width(typingctx: Any, unit: Any) -> Any:
    """Bytes of a unit, or of the units of a tuple."""
    width = (unit.dtype if isinstance(unit, types.UniTuple) else unit).bitwidth // 8

    def emit(_context: Any, _builder: Builder, signature: Any, arguments: Any) -> Value:
        return ir.Constant(_I64, width)

    return types.int64(unit), emit


@intrinsic
def _distance(typingctx: Any, table: Any, index: Any) -> Any:
    """Entry ``index`` of the int64 table at an address."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        table = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load(builder.gep(table, [arguments[1]]))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def _prefetch(typingctx: Any, address: Any) -> Any:
    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I8.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
        called = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        read, keep, data = (ir.Constant(_I32, x) for x in (0, 3, 1))
        builder.call(called, [pointer, read, keep, data])
        return _context.get_dummy_value()

    return _void(1), emit


@intrinsic
def _fence(typingctx: Any) -> Any:
    """Non-temporal stores are weakly ordered: nobody may see the end before them."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        builder.fence("seq_cst")
        return _context.get_dummy_value()

    return types.void(), emit


def _compiled(kernel: Callable[..., Any]) -> Any:
    return njit(cache=True, nogil=True, error_model="numpy")(kernel)


def _helper(function: Callable[..., Any]) -> Any:
    return njit(nogil=True, error_model="numpy")(function)


@_helper
def _copy_bytes(source: int, target: int, count: int, streamed: bool) -> None:
    """``count`` bytes; whole lines of the target past the cache where ``streamed``."""
    done = 0
    if count >= 16:
        if streamed and count >= 128:
            head = -target & 63
            while done < head:
                _copy_register(source + done, target + done)
                done += 16
            done = head
            while done + 64 <= count:
                _copy_line_streamed(source + done, target + done)
                done += 64
        while done + 64 <= count:
            _copy_line(source + done, target + done)
            done += 64
        while done + 16 <= count:
            _copy_register(source + done, target + done)
            done += 16
        if done < count:
            _copy_register(source + count - 16, target + count - 16)
        return
    while done + 4 <= count:
        _copy_unit(np.uint32(0), source + done, target + done)
        done += 4
    while done < count:
        _copy_unit(np.uint8(0), source + done, target + done)
        done += 1


@_helper
def _begin(loops: Any, index: int) -> tuple[int, int]:
    """Source and target bytes of iteration ``index`` of ``loops``: (steps, source, target)."""
    source = target = 0
    for k in range(len(loops) - 1, -1, -1):
        i = index % loops[k, 0]
        index //= loops[k, 0]
        source += i * loops[k, 1]
        target += i * loops[k, 2]
    return source, target


@_helper
def _iterations(loops: Any) -> int:
    count = 1
    for k in range(len(loops)):
        count *= loops[k, 0]
    return count


@_compiled
def transpose(
    units: Any, source: int, target: int, outer: Any, rows: Any, zero_rows: Any, shape: Any,
    scratch: int, zeros: int, source_end: int, streamed: bool,
) -> None:  # fmt: skip
    """Rows of units, contiguous in the source, to columns, contiguous in the target.

    ``outer``: (k, 3) loops around it. ``rows``: distances of a tile's rows from its first one;
    ``zero_rows``: which of them are padding. ``shape``: rows, rows of a tile, distance
    from tile to tile, units of a row, target stride between columns, units of a tile's row.
    ``scratch``: a tile and 2048 bytes; ``zeros``: a row of a tile. No byte from ``source_end`` on is read.
    """
    width, wide = _width(units), len(units) * 16 // _width(units)
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
                aligned = (place | stride) & (16 * len(units) - 1) == 0 and n % wide == 0
                staged = n < group or (streamed and not (aligned and m >= group))
                if m < group and base + greatest + 16 > source_end:
                    for r in range(n):
                        for i in range(m):
                            a, p = base + table[r] + i * width, place + i * stride + r * width
                            _copy_unit(units[0], a, p)
                elif staged:
                    pitch = n * width
                    _transpose_tile(units, at, base, n, m, scratch, pitch, ahead, False)
                    if stride == pitch:
                        _copy_bytes(scratch, place, m * stride, streamed)
                    else:
                        for i in range(m):
                            _copy_bytes(scratch + i * pitch, place + i * stride, pitch, streamed)
                else:
                    _transpose_tile(units, at, base, n, m, place, stride, ahead, streamed)
        s, d = following, d_next
    if streamed:
        _fence()


@_helper
def _prefetch_rows(table: int, ahead: int, first: int, last: int, size: int) -> None:
    for r in range(first, last):
        begin = ahead + _distance(table, r)
        for line in range(0, size, 64):
            _prefetch(begin + line)


@_helper
def _transpose_tile(
    units: Any, table: int, base: int, n: int, m: int, out: int, pitch: int, ahead: int,
    streamed: bool,
) -> None:  # fmt: skip
    """``n`` rows of ``m`` units to ``out``, while the next tile, at ``ahead``, is fetched.

    The last group of a side overlaps the one before it. Where a side is shorter than a register,
    what lies beyond it is stored and overwritten, or left out.
    """
    width, lanes = _width(units), len(units)
    group = 16 // width
    wide = lanes * group
    one = units[:1]
    if m < group:
        _prefetch_rows(table, ahead, 0, n, m * width)
        spare = np.empty(256, np.uint8)
        for r in range(0, n, group):
            first = max(0, min(r, n - group))
            _transpose_registers(one, table + 8 * first, base, spare.ctypes.data, 16)
            for i in range(m):
                if n >= group:
                    _copy_register(spare.ctypes.data + 16 * i, out + i * pitch + first * width)
                else:
                    _copy_bytes(spare.ctypes.data + 16 * i, out + i * pitch, n * width, False)
        return
    steps = (m + group - 1) // group
    for i in range(0, m, group):
        at = min(i, m - group)
        k = i // group
        _prefetch_rows(table, ahead, n * k // steps, n * (k + 1) // steps, m * width)
        if n >= wide:
            for r in range(0, n, wide):
                first = min(r, n - wide)
                a, p = table + 8 * first, out + at * pitch + first * width
                if streamed:
                    _transpose_streamed(units, a, base + at * width, p, pitch)
                else:
                    _transpose_registers(units, a, base + at * width, p, pitch)
        else:
            for r in range(0, n, group):
                first = max(0, min(r, n - group))
                a, p = table + 8 * first, out + at * pitch + first * width
                _transpose_registers(one, a, base + at * width, p, pitch)


@_compiled
def weave(
    units: Any, source: int, target: int, outer: Any, rows: Any, zero_rows: Any, length: int,
    zeros: int, streamed: bool,
) -> None:  # fmt: skip
    """k rows, each contiguous in the source, unit by unit into one run of the target."""
    width, k = _width(units), len(units)
    step = 64 // width
    chunk = 8192 // width
    table = rows.copy()
    at = table.ctypes.data
    blocks = _iterations(outer)
    s, d = _begin(outer, 0)
    for b in range(blocks):
        following, d_next = _begin(outer, (b + 1) % blocks)
        near = length * width < 1 << 14
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            base, place = source + s + l0 * width, target + d + l0 * width * k
            for z in zero_rows:
                table[z] = zeros - base
            aligned = streamed and place % 64 == 0
            if m < step:
                for i in range(m):
                    for r in range(k):
                        a, p = base + table[r] + i * width, place + (i * k + r) * width
                        _copy_unit(units[0], a, p)
                continue
            for i in range(0, m - step + 1, step):
                a, p = base + i * width, place + i * width * k
                if near:
                    for r in range(k):
                        _prefetch(source + following + rows[r] + i * width)
                if aligned:
                    _weave_streamed(units, at, a, p)
                else:
                    _weave(units, at, a, p)
            if m % step:
                i = m - step
                _weave(units, at, base + i * width, place + i * width * k)
        s, d = following, d_next
    if streamed:
        _fence()


@_compiled
def unweave(
    units: Any, source: int, target: int, outer: Any, length: int, stride: int, streamed: bool
) -> None:
    """A run of the source taken apart into k rows, ``stride`` apart, contiguous in the target."""
    width, k = _width(units), len(units)
    step = 64 // width
    for b in range(_iterations(outer)):
        s, d = _begin(outer, b)
        origin, place = source + s, target + d
        aligned = streamed and (place | stride) & 63 == 0
        if length >= step:
            for i in range(0, length - step + 1, step):
                if aligned:
                    _unweave_streamed(units, origin + i * width * k, place + i * width, stride)
                else:
                    _unweave(units, origin + i * width * k, place + i * width, stride)
            if length % step:
                i = length - step
                _unweave(units, origin + i * width * k, place + i * width, stride)
        else:
            for i in range(length):
                for r in range(k):
                    a = origin + (i * k + r) * width
                    _copy_unit(units[0], a, place + i * width + r * stride)
    if streamed:
        _fence()


@_compiled
def copy_runs(source: int, target: int, outer: Any, run: int, fill: int, streamed: bool) -> None:
    """Runs of ``run`` bytes, contiguous on both sides, each followed by ``fill`` zero bytes."""
    inner = len(outer) - 1
    extent, source_step, target_step = outer[inner, 0], outer[inner, 1], outer[inner, 2]
    nothing = np.zeros(64, np.uint8)
    for b in range(_iterations(outer[:inner])):
        s, d = _begin(outer[:inner], b)
        s += source
        d += target
        for _ in range(extent):
            if run == 16:
                _copy_register(s, d)
            else:
                _copy_bytes(s, d, run, streamed)
            for i in range(0, fill, 64):
                _copy_bytes(nothing.ctypes.data, d + run + i, min(64, fill - i), False)
            s += source_step
            d += target_step
    if streamed:
        _fence()


@_compiled
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
                        _copy_unit(unit, from_row + c * tile[1, 1], to_row + c * tile[1, 2])
