"""The compiled backend: chooses the kernel of each move."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..moves import INTERLEAVED, MOST_ROWS, WIDEST_BITS, Buffer, Memory, Move, Runner, registers_of
from ..ranges import Loop
from . import kernel_nibbles, kernel_runs, kernel_transpose, short, tiles
from .kernel_runs import bounds
from .prepared import UNITS, ZEROS, begins, calling, entry, numbers_of, rows_of, steps_of, units_of
from .tiles import LANES, Transpose

packing = kernel_nibbles


def has_kernel(move: Move) -> bool:
    """Whether ``runners`` takes a move."""
    return move.kernel in {"runs", "transpose"} and move.unit_bits in UNITS


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
        else:
            yield _runs(move, streamed=streamed)


_BYTE = np.dtype(np.uint8)


def memory_of(source: Buffer, target: Buffer) -> Memory:
    """Return what runners take; the source is copied if it shares a byte with the target."""
    begin, end, place, apart = bounds(source.view(_BYTE), target.view(_BYTE))
    if not apart:
        source = source.copy()
        begin, end, place, _ = bounds(source.view(_BYTE), target.view(_BYTE))
    return source, target, begin, end, place


def _runs(move: Move, *, streamed: bool) -> Runner:
    size = move.unit_bytes
    loops, run, fill = list(move.loops), size, 0
    if loops and loops[-1].source_stride == loops[-1].target_stride == 1:
        last = loops.pop()
        run, fill = last.extent * size, last.fill * size
    *outer, inner = loops or [Loop(1, 0, 0)]
    header = [*begins(move), run, fill, streamed, *steps_of([inner], size), ZEROS.ctypes.data]
    numbers = numbers_of(header, steps_of(outer, size))
    return calling(kernel_runs.copy_runs, np.empty(0, _BYTE), numbers)


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
    first = [
        (move.source or 0) * size + rows.extent * rows.source_stride * size,
        (move.target + rows.extent) * size,
    ]
    around = steps_of(move.loops[:-1], size) == steps_of(rest.loops[:-1], other)
    if kept >= size or written % size or first != begins(rest) or not around:
        return None
    if rows.extent + 1 + fill > MOST_ROWS:
        return None
    longer = replace(rows, extent=rows.extent + 1, fill=fill)
    return replace(move, loops=(*move.loops[:-1], longer)), kept


def _transposition(move: Move, kept: int, *, streamed: bool) -> Runner:
    """Return the runner of a transpose.

    ``kept``: if the last row is partial, the bytes of each unit that are elements; else 0.
    """
    size = move.unit_bytes
    found = registers_of(move.loops, move.unit_bits, partial=bool(kept))
    if found.way == "transpose" and not kept and (tile := short.tile_of(move, streamed=streamed)):
        return short.runner(move, tile, streamed=streamed)
    along, chain = move.loops[found.along], [move.loops[k] for k in found.chain]
    loops = [x for k, x in enumerate(move.loops) if k != found.along and k not in found.chain]
    transpose = Transpose(move, kept, along, tuple(chain), tuple(loops))
    if found.way == "separate":
        inner = chain[0]
        apart = inner.source_stride
        outer = [*loops, *reversed(chain[1:])]
        header = [*begins(move), inner.extent, along.target_stride * size, along.extent, streamed]
        numbers = numbers_of(header, steps_of(outer, size))
        separate = calling(kernel_runs.separate, units_of(move, apart), numbers)
        if along.extent == apart:
            return separate
        # It also reads the padding between rows, so the last of it must be in the buffer.
        units = inner.extent * apart + sum((x.steps - 1) * max(x.source_stride, 0) for x in outer)
        farthest = ((move.source or 0) + units) * size
        without = tiles.runner(transpose, streamed=streamed)

        def run(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
            go = separate if farthest <= end - begin else without
            go(source, target, begin, end, place)

        return run
    if found.way == "interleave":
        header = [*begins(move), along.extent, ZEROS.ctypes.data, streamed]
        numbers = numbers_of(header, steps_of(loops, size), *rows_of(chain, found.rows, size))
        return calling(kernel_runs.interleave, units_of(move, found.rows), numbers)
    return tiles.runner(transpose, streamed=streamed)


def compiling() -> Iterator[None]:
    """Compile every kernel that a move can use, or read it from disk; yield after each one."""
    memory: Buffer = np.empty(1, np.uint8)
    yield entry(bounds, memory, memory)
    yield entry(bounds, np.frombuffer(b"1", np.uint8), memory)  # read-only
    numbers = numbers_of([])
    yield entry(kernel_runs.copy_runs, np.empty(0, _BYTE), 0, 0, 0, numbers, 0)
    yield from kernel_nibbles.compiling()
    for bits, unit in UNITS.items():
        for lanes in (1, *reversed(LANES)):
            units: Buffer = np.empty((0,) * lanes, unit)
            yield entry(kernel_transpose.transpose, units, 0, 0, 0, numbers, 0)
        if bits in short.UNIT_BITS:
            yield entry(kernel_transpose.transpose_short, np.empty(0, unit), 0, 0, 0, numbers, 0)
        for k in INTERLEAVED:
            if k <= WIDEST_BITS // bits:
                units = np.empty((0,) * k, unit)
                yield entry(kernel_runs.interleave, units, 0, 0, 0, numbers, 0)
                yield entry(kernel_runs.separate, units, 0, 0, 0, numbers, 0)
