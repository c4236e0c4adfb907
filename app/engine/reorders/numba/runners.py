"""The compiled backend: chooses the kernel of each move, and its tiles."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import typeof as _typeof

from ..interface import Buffer, Look, Runner
from ..moves import Move
from ..plan import Loop
from . import kernel_runs, kernel_tables, kernel_transpose

typeof: Any = _typeof  # Numba has no type hints
_UNITS: dict[int, type] = {
    8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64, 128: np.complex128,
}  # fmt: skip
_REGISTER_BITS = 128
_WOVEN = (2, 3, 4, 8, 16)
_STREAMED_TILE_BYTES = 1 << 15
_ZEROS = np.zeros(1 << 14, np.uint8)
Numbers = npt.NDArray[np.int64]


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.memory = np.zeros(kernel_tables.SCRATCH_BYTES + 64, np.uint8)
        self.address = self.memory.ctypes.data + (-self.memory.ctypes.data) % 64


_scratch = _Scratch()


UNIT_BITS = frozenset(_UNITS)


def runners(moves: Sequence[Move], *, streamed: bool) -> Iterator[Runner]:
    """Yield the runners that carry out ``moves``; if ``streamed``, they write past the caches."""
    waiting = list(moves)
    while waiting:
        move = waiting.pop(0)
        if move.kernel == "transpose":
            one = in_one_pass(move, waiting[0]) if waiting else None
            if one:
                waiting.pop(0)
            yield _transposition(*(one or (move, 0)), streamed=streamed)
        elif move.kernel == "runs":
            yield _runs(move, streamed=streamed)
        else:
            yield _elements(move)


def _entry(kernel: Any, *arguments: Any) -> Any:
    """Return the kernel for arguments of these types, compiled or read from disk on first use.

    A call of it avoids Numba's search for the types, which takes as long as copying 20 KB.
    """
    return _compiled(kernel, tuple(typeof(argument) for argument in arguments))


@cache
def _compiled(kernel: Any, types: tuple[Any, ...]) -> Any:
    return kernel.compile(types)


@cache
def look_at(item_bytes: int) -> Look:
    """Return the function that finds the addresses of a source and a target: see ``bounds``.

    ``item_bytes``: the size of the items of both arrays, of any type.
    """
    unit = next((u for u in _UNITS.values() if np.dtype(u).itemsize == item_bytes), None)
    if unit is None:
        of_bytes = look_at(1)
        return lambda source, target: of_bytes(source.view(np.uint8), target.view(np.uint8))
    memory: Buffer = np.empty(0, unit)
    found: Look = _entry(kernel_runs.bounds, memory, memory)
    return found


def _like(move: Move, count: int) -> Buffer:
    """Return an empty array, whose type and dimensions give a kernel the units of its registers."""
    return np.empty((0,) * count, _UNITS[move.unit_bits])


def _begins(move: Move) -> list[int]:
    return [(move.source or 0) * move.unit_bytes, move.target * move.unit_bytes]


def _loops(loops: Sequence[Loop], size: int) -> list[int]:
    """Return steps, source stride and target stride of each loop, strides in bytes."""
    return [n for x in loops for n in (x.steps, x.source_stride * size, x.target_stride * size)]


def _numbers(header: Sequence[int], *tables: Sequence[int]) -> Numbers:
    """Return the numbers that a kernel reads: the header, then each table after its length."""
    return np.array([*header, *(n for table in tables for n in (len(table), *table))], np.int64)


def _runs(move: Move, *, streamed: bool) -> Runner:
    size = move.unit_bytes
    loops, run, fill = list(move.loops), size, 0
    if loops and loops[-1].source_stride == loops[-1].target_stride == 1:
        last = loops.pop()
        run, fill = last.extent * size, last.fill * size
    *outer, inner = loops or [Loop(1, 0, 0)]
    header = [*_begins(move), run, fill, streamed, *_loops([inner], size), _ZEROS.ctypes.data]
    numbers = _numbers(header, _loops(outer, size))
    kernel = _entry(kernel_runs.copy_runs, 0, 0, numbers, 0)

    def copy(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        kernel(begin, place, numbers, _scratch.address)

    return copy


def in_one_pass(move: Move, rest: Move) -> tuple[Move, int] | None:
    """Return ``move`` with one more row, and the bytes kept of each unit of that row.

    None if ``rest`` is not such a partial row. Example: from NCHW4 with 30 channels to NCHW32, the
    last block of channels is one, because some of its channels are padding.
    """
    size, other = move.unit_bytes, rest.unit_bytes
    if move.kernel != "transpose" or rest.kernel != "runs" or not rest.loops or not other * size:
        return None
    rows, run = move.loops[-1], rest.loops[-1]
    if rows.target_stride != 1 or rows.fill or run.target_stride != 1 or run.source_stride != 1:
        return None
    kept, written = run.extent * other, run.steps * other
    fill = written // size - 1
    begins = [
        (move.source or 0) * size + rows.extent * rows.source_stride * size,
        (move.target + rows.extent) * size,
    ]
    around = _loops(move.loops[:-1], size) == _loops(rest.loops[:-1], other)
    if kept >= size or written % size or begins != _begins(rest) or not around:
        return None
    if rows.extent + 1 + fill > _MOST_ROWS:
        return None
    longer = replace(rows, extent=rows.extent + 1, fill=fill)
    return replace(move, loops=(*move.loops[:-1], longer)), kept


def _transposition(move: Move, kept: int, *, streamed: bool) -> Runner:
    """Return the runner of a transpose.

    ``kept``: if the last row is partial, the bytes of each unit that are elements; else 0.
    """
    size = move.unit_bytes
    loops = list(move.loops)
    along = max((x for x in loops if x.source_stride == 1), key=lambda x: x.extent)
    loops.remove(along)
    length, stride, group = along.extent, along.target_stride * size, 16 // size
    chain: list[Loop] = []
    count = 1
    while count < _MOST_ROWS and not (kept and chain):  # only one row may be partial
        found = next((x for x in loops if x.target_stride == count), None)
        if found is None:
            break
        chain.append(found)
        loops.remove(found)
        count *= found.steps
    inner = chain[0]
    apart = inner.source_stride
    if not kept and length <= apart <= group and apart in _WOVEN and not inner.fill:
        outer = [*loops, *reversed(chain[1:])]
        unweave = _unweaving(move, apart, outer, [inner.extent, stride, length, streamed])
        if length == apart:
            return unweave
        # Unweaving also reads the padding between rows, so the last of it must be in the buffer.
        farthest = sum((x.steps - 1) * max(x.source_stride, 0) for x in outer)
        reach = ((move.source or 0) + farthest + inner.extent * apart) * size
        turn = _turning(move, kept, along, loops, chain, streamed=streamed)

        def within(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
            go = unweave if begin + reach <= end else turn
            go(source, target, begin, end, place)

        return within
    if not kept and count in _WOVEN and count <= group and along.target_stride == count:
        return _weaving(move, loops, chain, [length, _ZEROS.ctypes.data, streamed])
    return _turning(move, kept, along, loops, chain, streamed=streamed)


def _unweaving(move: Move, count: int, outer: Sequence[Loop], header: Sequence[int]) -> Runner:
    like = _like(move, count)
    numbers = _numbers([*_begins(move), *header], _loops(outer, move.unit_bytes))
    kernel = _entry(kernel_runs.unweave, like, 0, 0, numbers, 0)

    def unweave(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        kernel(like, begin, place, numbers, _scratch.address)

    return unweave


def _weaving(
    move: Move, loops: Sequence[Loop], chain: Sequence[Loop], header: Sequence[int]
) -> Runner:
    size, count = move.unit_bytes, math.prod(loop.steps for loop in chain)
    like, rows = _like(move, count), _rows(chain, count, size)
    numbers = _numbers([*_begins(move), *header], _loops(loops, size), *rows)
    kernel = _entry(kernel_runs.weave, like, 0, 0, numbers, 0)

    def weave(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        kernel(like, begin, place, numbers, _scratch.address)

    return weave


def _turning(
    move: Move, kept: int, along: Loop, loops: Sequence[Loop], chain: Sequence[Loop], *,
    streamed: bool,
) -> Runner:  # fmt: skip
    """Return the runner that turns rows ``along`` the source to columns of ``chain``.

    ``loops``: the loops around it. ``kept``: as for ``_transposition``.
    """
    size = move.unit_bytes
    given = (move, kept, along, loops, chain)
    between = _turn(*given, streamed=streamed, aligned=False)
    apart, first = along.target_stride * size, move.target * size
    if apart % 64:
        return between
    count = math.prod(loop.steps for loop in chain)
    peels = (
        len(chain) == 1 and not chain[0].fill and not kept and not (apart == count * size <= 2048)
    )
    if not peels and any(x.target_stride * size % 64 for x in loops):
        return between
    at_lines = _turn(*given, streamed=streamed, aligned=True, peels=peels)
    mask = (size if peels else 64) - 1

    def turn(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
        go = between if place + first & mask else at_lines
        go(source, target, begin, end, place)

    return turn


def _turn(
    move: Move, kept: int, along: Loop, loops: Sequence[Loop], chain: Sequence[Loop], *,
    streamed: bool, aligned: bool, peels: bool = False,
) -> Runner:  # fmt: skip
    """Return the runner for columns that all begin at a line of memory, or for any others."""
    size, inner = move.unit_bytes, chain[0]
    length, stride, group = along.extent, along.target_stride * size, 16 // size
    count = math.prod(loop.steps for loop in chain)
    tile_rows, tile_length, fetch = _tile(
        count, length, stride, size, streamed=streamed, aligned=aligned
    )
    import os

    staged = streamed or (bool(int(os.environ.get("C", 0))) and not aligned and count * size >= 256)
    if inner.fill or kept:
        tile_rows = max(tile_rows, inner.steps)  # one tile holds the rows of zeros
    step = overlap = 0
    if (
        count > tile_rows
        and len(chain) == 1
        and not aligned
        and staged
        and not inner.fill
        and not kept
        and tile_rows * size >= 256
    ):
        overlap = 64 // size
        step = (tile_rows - overlap) * inner.source_stride * size
    elif count > tile_rows:
        below = count // chain[-1].steps
        tile_rows = max(tile_rows // below, 1) * below
        step = tile_rows // below * chain[-1].source_stride * size
    tile_rows = min(count, tile_rows)
    partial: list[int] = []
    if kept:
        mask = np.zeros((group, size), np.uint8)
        mask[:, :kept] = 0xFF
        partial = [inner.extent - 1, kept, *mask.ravel().view(np.int64).tolist()]
    like = _like(move, _lanes(count, tile_rows, group))
    header = [count, tile_rows, step, length, stride, tile_length, _ZEROS.ctypes.data, fetch]
    tables = (_loops(loops, size), *_rows(chain, tile_rows, size), partial)
    numbers = _numbers(
        [*_begins(move), *header, streamed, overlap, peels, inner.source_stride * size, staged],
        *tables,
    )
    kernel = _entry(kernel_transpose.transpose, like, 0, 0, 0, numbers, 0)

    def turn(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        kernel(like, begin, end, place, numbers, _scratch.address)

    return turn


def _elements(move: Move) -> Runner:
    """Return the runner that copies unit by unit."""
    size, like = move.unit_bytes, _like(move, 1)
    loops = [Loop(1, 0, 0), Loop(1, 0, 0), *move.loops]
    columns = loops.pop()
    at = min(range(len(loops)), key=lambda k: (loops[k].steps == 1, abs(loops[k].source_stride)))
    rows = loops.pop(at)
    header = [*_begins(move), *_loops([rows, columns], size)]
    numbers = _numbers(header, _loops(loops, size))
    kernel = _entry(kernel_runs.copy_units, like, 0, 0, numbers, 0)

    def copy(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        kernel(like, begin, place, numbers, _scratch.address)

    return copy


def _rows(chain: Sequence[Loop], count: int, size: int) -> tuple[list[int], list[int]]:
    """Return distances in bytes of ``count`` rows from the first, and the rows that are padding."""
    index = np.arange(count, dtype=np.int64)
    distances, padding = np.zeros(count, np.int64), np.zeros(count, bool)
    for loop in chain:
        index, i = np.divmod(index, loop.steps)
        distances += i * loop.source_stride * size
        padding |= i >= loop.extent
    distances[padding] = 0
    return distances.tolist(), np.flatnonzero(padding).tolist()


_LANES = (4, 2)
_SHORT_ROW_BYTES = 256
_LONGEST_ROW_BYTES = 12 << 10  # of a tile in cache: less than the page of zeros
_LONGEST_ROW = kernel_tables.TILE_BYTES // 64  # units, so that columns under a line fit in scratch
_MOST_ROWS = 1024
_COLUMN_BYTES = 2048  # up to this size, a tile takes whole columns of a target without gaps
_UNALIGNED_BYTES = 8192  # the same if parts of columns would not begin at a line


def _tile(
    count: int, length: int, stride: int, size: int, *, streamed: bool, aligned: bool
) -> tuple[int, int, int]:
    """Return the rows of a tile, the units of its rows, and what to prefetch.

    If streamed, a tile is made of whole lines of memory on both sides, and of few of them.
    """
    line = 64 // size
    if not streamed:
        row_bytes = length * size
        fetch = kernel_transpose.NEXT_LINE
        if row_bytes <= 64 or (row_bytes % 64 == 0 and row_bytes <= _SHORT_ROW_BYTES):
            fetch = kernel_transpose.NEXT_ROWS
        elif stride % 64 and line < count <= 4 * line:
            fetch = kernel_transpose.NEXT_LINES  # a line gets two registers: store both at once
        import os

        C = int(os.environ.get("C", 0))
        T = int(os.environ.get("T", 16384))
        if not aligned and C and count * size >= 256:
            n = min(count, C // size)
            return (
                n,
                min(length, max(line, T // (n * size) // line * line)),
                int(os.environ.get("F", fetch)),
            )
        most = max(16 * line, _COLUMN_BYTES // size if stride == count * size else 0)
        return min(count, most), min(length, _LONGEST_ROW_BYTES // size, _LONGEST_ROW), fetch
    fetch = kernel_transpose.NEXT_TILE
    import os

    global _R, _L
    _R = int(os.environ.get("R", "512"))
    _L = int(os.environ.get("L", "64"))
    _S = int(os.environ.get("S", _STREAMED_TILE_BYTES))
    whole = (
        _COLUMN_BYTES
        if stride % 64 == 0
        else min(_UNALIGNED_BYTES, kernel_tables.TILE_BYTES // 2 // line)
    )
    if stride == count * size <= whole:
        most = _S if stride >= 64 else _S // 2
        return count, min(length, max(line, most // stride // line * line)), fetch
    if not aligned:
        return min(count, _R // size), min(length, _L // size), fetch
    if size <= 2:
        return min(count, line), min(length, line // 2), fetch
    return min(count, 4 * line), min(length, line), fetch


def _lanes(count: int, tile_rows: int, group: int) -> int:
    """Return how many registers to join: as many as rows fill, or the fewest that hold all rows."""
    if count == tile_rows:
        holding = next((n for n in (1, *reversed(_LANES)) if n * group >= count), None)
        if holding and 4 * count >= 3 * holding * group:
            return holding
    return next((n for n in _LANES if n * group <= tile_rows), 1)


def compiling() -> Iterator[None]:
    """Compile every kernel that a move can use, or read it from disk; yield after each one."""
    for unit in _UNITS.values():
        look_at(np.dtype(unit).itemsize)
        yield
    numbers = _numbers([])
    yield _entry(kernel_runs.copy_runs, 0, 0, numbers, 0)
    for bits, unit in _UNITS.items():
        yield _entry(kernel_runs.copy_units, np.empty(0, unit), 0, 0, numbers, 0)
        for lanes in (1, *reversed(_LANES)):
            like: Buffer = np.empty((0,) * lanes, unit)
            yield _entry(kernel_transpose.transpose, like, 0, 0, 0, numbers, 0)
        for k in _WOVEN:
            if k <= _REGISTER_BITS // bits:
                like = np.empty((0,) * k, unit)
                yield _entry(kernel_runs.weave, like, 0, 0, numbers, 0)
                yield _entry(kernel_runs.unweave, like, 0, 0, numbers, 0)
