"""The compiled backend: which kernel of ``compiled.py`` moves a move, and with what tiles."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.reorders import compiled
from app.engine.reorders.moves import Move
from app.engine.reorders.plan import Loop

_UNITS: dict[int, Any] = {
    8: np.uint8(0), 16: np.uint16(0), 32: np.uint32(0), 64: np.uint64(0), 128: np.complex128(0),
}  # fmt: skip
_REGISTER_BITS = 128
_WOVEN = (2, 3, 4, 8, 16)
_TILE_BYTES = 1 << 15
_SCRATCH_BYTES = 3 << 17
_ZEROS = np.zeros(1 << 14, np.uint8)
Loops = npt.NDArray[np.int64]


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.memory = np.zeros(_SCRATCH_BYTES + 4096, np.uint8)
        self.address = self.memory.ctypes.data + (-self.memory.ctypes.data) % 64


_scratch = _Scratch()


UNIT_BITS = frozenset(_UNITS)
Runner = Callable[[npt.NDArray[Any], npt.NDArray[Any]], None]
_Kernel = Callable[[int, int, int], None]


def runner(move: Move, *, streamed: bool) -> Runner:
    """What carries out ``move`` between two buffers of bytes, past the caches if ``streamed``."""
    size = move.unit_bytes
    begin, end = (move.source or 0) * size, move.target * size
    if move.kernel == "transpose":
        kernel = _transposition(move, streamed=streamed)
    elif move.kernel == "runs":
        kernel = _runs(move, streamed=streamed)
    else:
        kernel = _elements(move)

    def go(buffer: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
        source, target = compiled.addresses(buffer, out)
        kernel(source + begin, source + len(buffer), target + end)

    return go


def _table(loops: Sequence[Loop], size: int) -> Loops:
    found = np.array([(x.steps, x.source_stride, x.target_stride) for x in loops], np.int64)
    found = found.reshape(-1, 3)
    found[:, 1:] *= size
    return found


def _runs(move: Move, *, streamed: bool) -> _Kernel:
    size = move.unit_bytes
    loops, run, fill = list(move.loops), size, 0
    if loops and loops[-1].source_stride == loops[-1].target_stride == 1:
        last = loops.pop()
        run, fill = last.extent * size, last.fill * size
    outer = _table(loops or [Loop(1, 0, 0)], size)

    def go(source: int, _source_end: int, target: int) -> None:
        compiled.copy_runs(source, target, outer, run, fill, streamed)

    return go


def _transposition(move: Move, *, streamed: bool) -> _Kernel:
    size, unit = move.unit_bytes, _UNITS[move.unit_bits]
    loops = list(move.loops)
    along = max((x for x in loops if x.source_stride == 1), key=lambda x: x.extent)
    loops.remove(along)
    length, stride, group = along.extent, along.target_stride * size, 16 // size
    chain: list[Loop] = []
    count = 1
    while count < _MOST_ROWS:
        found = next((x for x in loops if x.target_stride == count), None)
        if found is None:
            break
        chain.append(found)
        loops.remove(found)
        count *= found.steps
    inner = chain[0]
    apart = inner.source_stride
    if length <= apart <= group and apart in _WOVEN and not inner.fill:
        outer = _table([*loops, *reversed(chain[1:])], size)
        unweave = _unweaving(
            (unit,) * apart, outer, inner.extent, stride, length, streamed=streamed
        )
        if length == apart:
            return unweave
        # Padding is read between the rows, and behind the last unit if it lies in the buffer.
        reach = int(((outer[:, 0] - 1) * outer[:, 1].clip(0)).sum()) + inner.extent * apart * size
        turn = _turning(move, along, loops, chain, streamed=streamed)

        def within(source: int, source_end: int, target: int) -> None:
            fits = source + reach <= source_end
            (unweave if fits else turn)(source, source_end, target)

        return within
    outer = _table(loops, size)
    zeros = _ZEROS.ctypes.data
    if count in _WOVEN and count <= group and along.target_stride == count:
        units = (unit,) * count
        rows, zero_rows = _rows(chain, count, size)

        def weave(source: int, _source_end: int, target: int) -> None:
            compiled.weave(units, source, target, outer, rows, zero_rows, length, zeros, streamed)

        return weave
    return _turning(move, along, loops, chain, streamed=streamed)


def _unweaving(
    units: tuple[Any, ...], outer: Loops, length: int, stride: int, kept: int, *, streamed: bool
) -> _Kernel:
    def unweave(source: int, _source_end: int, target: int) -> None:
        compiled.unweave(
            units, source, target, outer, length, stride, kept, _scratch.address, streamed
        )

    return unweave


def _turning(
    move: Move, along: Loop, loops: Sequence[Loop], chain: Sequence[Loop], *, streamed: bool
) -> _Kernel:
    """Rows ``along`` the source to columns of ``chain``, with ``loops`` around them."""
    size, unit, inner = move.unit_bytes, _UNITS[move.unit_bits], chain[0]
    length, stride, group = along.extent, along.target_stride * size, 16 // size
    count = math.prod(loop.steps for loop in chain)
    outer, zeros = _table(loops, size), _ZEROS.ctypes.data
    tile_rows, tile_length = _tile(count, length, stride, size, streamed=streamed)
    if inner.fill:
        tile_rows = max(tile_rows, inner.steps)  # one tile holds the rows of zeros
    step = 0
    if count > tile_rows:
        below = count // chain[-1].steps
        tile_rows = max(tile_rows // below, 1) * below
        step = tile_rows // below * chain[-1].source_stride * size
    tile_rows = min(count, tile_rows)
    rows, zero_rows = _rows(chain, tile_rows, size)
    lanes = _lanes(count, tile_rows, group)
    shape = np.array([count, tile_rows, step, length, stride, tile_length], np.int64)
    units = (unit,) * lanes

    def transpose(source: int, source_end: int, target: int) -> None:
        compiled.transpose(
            units, source, target, outer, rows, zero_rows, shape,
            _scratch.address, zeros, source_end, streamed,
        )  # fmt: skip

    return transpose


def _elements(move: Move) -> _Kernel:
    """Unit by unit."""
    size, unit = move.unit_bytes, _UNITS[move.unit_bits]
    loops = [Loop(1, 0, 0), Loop(1, 0, 0), *move.loops]
    columns = loops.pop()
    at = min(range(len(loops)), key=lambda k: (loops[k].steps == 1, abs(loops[k].source_stride)))
    rows = loops.pop(at)
    outer, tile = _table(loops, size), _table([rows, columns], size)

    def go(source: int, _source_end: int, target: int) -> None:
        compiled.copy_units(unit, source, target, outer, tile)

    return go


def _rows(chain: Sequence[Loop], count: int, size: int) -> tuple[Loops, Loops]:
    """Distances in bytes of ``count`` rows from the first, and which of them are padding."""
    index = np.arange(count, dtype=np.int64)
    distances, padding = np.zeros(count, np.int64), np.zeros(count, bool)
    for loop in chain:
        index, i = np.divmod(index, loop.steps)
        distances += i * loop.source_stride * size
        padding |= i >= loop.extent
    distances[padding] = 0
    return np.append(distances, np.zeros(_REGISTER_BITS // 2, np.int64)), np.flatnonzero(padding)


_LANES = (4, 2)
_MOST_ROWS = 1024
_COLUMN_BYTES = 2048  # of a target without gaps that are worth a tile of whole columns


_UNALIGNED_BYTES = 8192  # the same where the columns' parts would not begin with a line


def _tile(count: int, length: int, stride: int, size: int, *, streamed: bool) -> tuple[int, int]:
    """Rows and units of a tile: whole lines of memory on both sides, few enough for the cache."""
    line = 64 // size
    whole = (
        _COLUMN_BYTES if stride % 64 == 0 else min(_UNALIGNED_BYTES, _SCRATCH_BYTES // 2 // line)
    )
    if stride == count * size <= whole:
        most = _TILE_BYTES if stride >= 64 else _TILE_BYTES // 2
        return count, min(length, max(line, most // stride // line * line))
    if not streamed:
        return min(count, 8 * line), min(length, 4 * line)
    if size <= 2:
        return min(count, line), min(length, line // 2)
    return min(count, 4 * line), min(length, line)


def _lanes(count: int, tile_rows: int, group: int) -> int:
    """Registers side by side: as many as rows fill, or the fewest that hold all rows."""
    if count == tile_rows:
        holding = next((n for n in (1, *reversed(_LANES)) if n * group >= count), None)
        if holding and 4 * count >= 3 * holding * group:
            return holding
    return next((n for n in _LANES if n * group <= tile_rows), 1)


def compiling() -> Iterator[None]:
    """Compile one after the other every kernel that a move can choose, or read it from disk."""
    loops, rows, none = np.zeros((1, 3), np.int64), np.zeros(64, np.int64), np.zeros(0, np.int64)
    loops[:, 0] = 1
    zeros, at = _ZEROS.ctypes.data, _scratch.address
    nowhere = np.zeros((0, 3), np.int64)
    shape = np.array([1, 1, 0, 1, 16, 1], np.int64)
    stored = False
    fixed = _ZEROS[:]
    fixed.flags.writeable = False
    yield compiled.addresses(_ZEROS, _ZEROS)
    yield compiled.addresses(fixed, _ZEROS)
    yield compiled.copy_runs(zeros, at, loops, 1, 0, stored)
    for bits, unit in _UNITS.items():
        yield compiled.copy_units(unit, zeros, at, nowhere, np.ones((2, 3), np.int64))
        for lanes in (1, *reversed(_LANES)):
            units = (unit,) * lanes
            yield compiled.transpose(
                units, zeros, at, nowhere, rows, none, shape, at, zeros, zeros, stored
            )
        for k in _WOVEN:
            if k <= _REGISTER_BITS // bits:
                units = (unit,) * k
                yield compiled.weave(units, zeros, at, nowhere, rows, none, 0, zeros, stored)
                yield compiled.unweave(units, zeros, at, nowhere, 0, 1, k, at, stored)
