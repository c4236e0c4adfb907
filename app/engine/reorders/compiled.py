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


_transpose_registers = _transposer(1)
_transpose_streamed = _transposer(1, streamed=True)
_transpose_line = _transposer(4)
_transpose_line_fetching = _transposer(4, fetching=True)
_transpose_line_streamed = _transposer(4, fetching=True, streamed=True)
_transpose_few = _transposer(1, counted=True)
_transpose_joined = _transposer(4, fetching=True, streamed=True, joined=True)


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
    def unweave(typingctx: Any, units: Any, source: Any, target: Any, stride: Any) -> Any:
        """k registers in a row taken apart into one register for each of k rows."""
        width, count = units.dtype.bitwidth // 8, units.count

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            _, source, target, stride = arguments
            loaded = [
                _load(builder, builder.add(source, ir.Constant(_I64, j * size)), width, size)
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


_weave, _weave_streamed = _weaver(64, streamed=False), _weaver(64, streamed=True)
_weave_little, _weave_little_streamed = _weaver(16, streamed=False), _weaver(16, streamed=True)
_unweave, _unweave_streamed = _unweaver(64, streamed=False), _unweaver(64, streamed=True)
_unweave_little = _unweaver(16, streamed=False)


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
def _prefetch(typingctx: Any, address: Any) -> Any:
    """The line at an address, of which none is too bad to ask for."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _emit_prefetch(builder, arguments[0])
        return _context.get_dummy_value()

    return _void(1), emit


@intrinsic
def _prefetch_rows(typingctx: Any, units: Any, rows: Any, base: Any) -> Any:
    """The lines that ``_transpose_registers`` will read at ``base``."""
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


@_compiled
def addresses(source: Any, target: Any) -> tuple[int, int]:
    """Where two arrays begin; a call costs a third of what NumPy's ``ctypes.data`` does."""
    return source.ctypes.data, target.ctypes.data


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

    ``outer``: (k, 3) loops around it. ``rows``: distances of a tile's rows from its first one,
    and as many more as a register has; ``zero_rows``: which of them are padding. ``shape``: rows,
    rows of a tile, distance from tile to tile, units of a row, target stride between columns,
    units of a tile's row. ``scratch``: a tile and 8 KB; ``zeros``: a row of a tile. No byte from
    ``source_end`` on is read.
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
            for r in range(n, wide):
                table[r] = table[0]  # a register that no row fills reads its first one again
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
                aligned = (
                    (place | stride) & (16 * len(units) - 1) == 0 and n % wide == 0 and m >= group
                )
                if m < group and base + greatest + 16 > source_end:
                    for r in range(n):
                        for i in range(m):
                            a, p = base + table[r] + i * width, place + i * stride + r * width
                            _copy_unit(units[0], a, p)
                elif n < wide or (streamed and not aligned):
                    pitch = n * width
                    _transpose_tile(units, at, base, n, m, scratch, pitch, ahead, streamed, False)
                    if stride == pitch:
                        _copy_bytes(scratch, place, m * stride, streamed)
                    else:
                        for i in range(m):
                            _copy_bytes(scratch + i * pitch, place + i * stride, pitch, streamed)
                else:
                    _transpose_tile(units, at, base, n, m, place, stride, ahead, streamed, streamed)
            if n < wide:
                table[:] = rows
        s, d = following, d_next
    if streamed:
        _fence()


@_helper
def _transpose_tile(
    units: Any, table: int, base: int, n: int, m: int, out: int, pitch: int, ahead: int,
    fetch: bool, streamed: bool,
) -> None:  # fmt: skip
    """``n`` rows of ``m`` units to ``out``, while the next tile, at ``ahead``, is fetched.

    The last group of a side overlaps the one before it. Of fewer rows than fill a register, what
    lies beyond them is stored with each column and overwritten by the next one. Of rows shorter
    than a register, what lies beyond them is read and left out.
    """
    width = _width(units)
    group, wide = 16 // width, len(units) * 16 // width
    joined = pitch == 16 * len(units) and out & 63 == 0 and group * pitch >= 64
    for c0 in range(0, m, 4 * group):
        for r in range(0, n, wide):
            first = max(0, min(r, n - wide))
            rows = table + 8 * first
            if m < group:
                if fetch:
                    _prefetch_rows(units, rows, ahead)
                _transpose_few(units, rows, base, out + first * width, pitch, m)
                continue
            begin, place, near = base + c0 * width, out + first * width, ahead + c0 * width
            if c0 + 4 * group <= m:
                place += c0 * pitch
                if streamed and joined:
                    _transpose_joined(units, rows, begin, place, pitch, near)
                elif streamed:
                    _transpose_line_streamed(units, rows, begin, place, pitch, near)
                elif fetch:
                    _transpose_line_fetching(units, rows, begin, place, pitch, near)
                else:
                    _transpose_line(units, rows, begin, place, pitch, near)
                continue
            if fetch:
                _prefetch_rows(units, rows, near)
            for c in range(c0, m, group):
                i = min(c, m - group)
                if streamed:
                    _transpose_streamed(
                        units, rows, base + i * width, place + i * pitch, pitch, near
                    )
                else:
                    _transpose_registers(
                        units, rows, base + i * width, place + i * pitch, pitch, near
                    )


@_compiled
def weave(
    units: Any, source: int, target: int, outer: Any, rows: Any, zero_rows: Any, length: int,
    zeros: int, streamed: bool,
) -> None:  # fmt: skip
    """k rows, each contiguous in the source, unit by unit into one run of the target."""
    width, k = _width(units), len(units)
    step, little = 64 // width, 16 // width
    chunk = 8192 // width
    table = rows.copy()
    at = table.ctypes.data
    blocks = _iterations(outer)
    near = streamed and length * width < 1 << 14
    s, d = _begin(outer, 0)
    for b in range(blocks):
        following, d_next = _begin(outer, (b + 1) % blocks)
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            base, place = source + s + l0 * width, target + d + l0 * width * k
            for z in zero_rows:
                table[z] = zeros - base
            lines, aligned = place % 64 == 0, place % 16 == 0
            i = 0
            while i + step <= m:
                a, p = base + i * width, place + i * width * k
                if near:
                    for r in range(k):
                        _prefetch(source + following + rows[r] + i * width)
                if streamed and lines:
                    _weave_streamed(units, at, a, p)
                else:
                    _weave(units, at, a, p)
                i += step
            while i + little <= m:
                a, p = base + i * width, place + i * width * k
                if streamed and aligned:
                    _weave_little_streamed(units, at, a, p)
                else:
                    _weave_little(units, at, a, p)
                i += little
            if i < m and m >= little:
                i = m - little
                _weave_little(units, at, base + i * width, place + i * width * k)
                i = m
            while i < m:
                for r in range(k):
                    a, p = base + table[r] + i * width, place + (i * k + r) * width
                    _copy_unit(units[0], a, p)
                i += 1
        s, d = following, d_next
    if streamed:
        _fence()


@_compiled
def unweave(
    units: Any, source: int, target: int, outer: Any, length: int, stride: int, scratch: int,
    streamed: bool,
) -> None:  # fmt: skip
    """A run of the source taken apart into k rows, ``stride`` apart, contiguous in the target.

    ``scratch``: 4160 bytes for each row.
    """
    width, k = _width(units), len(units)
    chunk = 4096 // width
    for b in range(_iterations(outer)):
        s, d = _begin(outer, b)
        aligned = (target + d | stride) & 63 == 0
        for l0 in range(0, length, chunk):
            m = min(chunk, length - l0)
            origin, place = source + s + l0 * width * k, target + d + l0 * width
            if streamed and not aligned:
                _unweave_run(units, origin, scratch, m, 4160, False)
                for r in range(k):
                    _copy_bytes(scratch + r * 4160, place + r * stride, m * width, True)
            else:
                _unweave_run(units, origin, place, m, stride, streamed)
    if streamed:
        _fence()


@_helper
def _unweave_run(
    units: Any, source: int, target: int, length: int, stride: int, streamed: bool
) -> None:
    width, k = _width(units), len(units)
    step, little = 64 // width, 16 // width
    i = 0
    while i + step <= length:
        if streamed:
            _unweave_streamed(units, source + i * width * k, target + i * width, stride)
        else:
            _unweave(units, source + i * width * k, target + i * width, stride)
        i += step
    while i + little <= length:
        _unweave_little(units, source + i * width * k, target + i * width, stride)
        i += little
    if i < length and length >= little:
        i = length - little
        _unweave_little(units, source + i * width * k, target + i * width, stride)
        i = length
    while i < length:
        for r in range(k):
            a = source + (i * k + r) * width
            _copy_unit(units[0], a, target + i * width + r * stride)
        i += 1


@_compiled
def copy_runs(source: int, target: int, outer: Any, run: int, fill: int, streamed: bool) -> None:
    """Runs of ``run`` bytes, contiguous on both sides, each followed by ``fill`` zero bytes."""
    inner = outer[-1]
    nothing = np.zeros(64, np.uint8)
    zeros = nothing.ctypes.data
    for b in range(_iterations(outer[:-1])):
        s, d = _begin(outer[:-1], b)
        s += source
        d += target
        if run == 16:
            for i in range(inner[0]):
                _copy_register(s + i * inner[1], d + i * inner[2])
        elif run == 8:
            _copy_strided(np.uint64(0), s, d, inner)
        elif run == 4:
            _copy_strided(np.uint32(0), s, d, inner)
        elif run == 2:
            _copy_strided(np.uint16(0), s, d, inner)
        elif run == 1:
            _copy_strided(np.uint8(0), s, d, inner)
        else:
            for i in range(inner[0]):
                _copy_bytes(s + i * inner[1], d + i * inner[2], run, streamed)
        d += run
        if fill == 2:
            _zero_strided(np.uint16(0), zeros, d, inner)
        elif fill == 1:
            _zero_strided(np.uint8(0), zeros, d, inner)
        elif fill == 4:
            _zero_strided(np.uint32(0), zeros, d, inner)
        elif fill:
            for i in range(inner[0]):
                for at in range(0, fill, 64):
                    _copy_bytes(zeros, d + i * inner[2] + at, min(64, fill - at), False)
    if streamed:
        _fence()


@_helper
def _copy_strided(unit: Any, source: int, target: int, loop: Any) -> None:
    for i in range(loop[0]):
        _copy_unit(unit, source + i * loop[1], target + i * loop[2])


@_helper
def _zero_strided(unit: Any, zeros: int, target: int, loop: Any) -> None:
    for i in range(loop[0]):
        _copy_unit(unit, zeros, target + i * loop[2])


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
