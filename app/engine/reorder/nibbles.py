"""Moves of nibbles: a tile is unpacked to one byte each, moved as bytes, and packed.

A tile takes the loops with the smallest strides of both sides, so that it reads and writes long
runs. It is small enough for a second-level cache, so a reorder of any size needs the same scratch
buffers, two for each thread. docs/decisions/0033 has the measurements.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from types import ModuleType
from typing import Final

import numpy as np

from ..model.arrays import Int64Array, at_line
from .moves import Buffer, Memory, Move, Runner, moves_of
from .plan import normal
from .ranges import Loop

_TILE: Final = 1 << 18  # nibbles
_MOST: Final = 2 * _TILE  # nibbles of a tile, so that no short rest is left
_RUN: Final = 1024  # nibbles that a tile should read side by side, and write
_LINE: Final = 64
_ByteRunners = Callable[[Sequence[Move]], Iterable[Runner]]


class _Scratch(threading.local):
    """The scratch buffers of a thread: a tile's bytes in the source's order and in the target's."""

    def __init__(self) -> None:
        before, after = at_line((2, _MOST), np.uint8)
        begin = before.ctypes.data
        self.memory: Memory = before, after, begin, begin + len(before), after.ctypes.data


_scratch: Final = _Scratch()


def runners(moves: Sequence[Move], packing: ModuleType, of_bytes: _ByteRunners) -> Iterator[Runner]:
    """Yield the runners that carry out ``moves`` of nibbles, to be called in this order.

    ``packing``: a module with ``unpack_rows`` and ``pack_rows``, as ``numpy.nibbles`` has them.
    ``of_bytes``: makes the runners of moves of bytes. Two tiles may write halves of one byte, so
    one thread has to run all of them.
    """
    waiting = list(moves)
    while waiting:
        move = waiting.pop(0)
        filled = _with_fill(move, waiting[0]) if waiting else None
        if filled:
            waiting.pop(0)
        yield _runner(filled or move, packing, of_bytes)


def _with_fill(move: Move, zeros: Move) -> Move | None:
    """Return ``move`` with ``zeros`` as the fill of the loop whose target is contiguous.

    So short rows are packed together with the zeros between them. None if ``zeros`` is anything
    else, or if the fill is too long for a tile.
    """
    k = next((k for k, loop in enumerate(move.loops) if loop.target_stride == 1), None)
    if k is None or move.source is None or zeros.source is not None:
        return None
    loop = move.loops[k]
    others = [Loop(x.extent, 0, x.target_stride) for x in move.loops]
    fill = zeros.units // prod(x.extent for i, x in enumerate(others) if i != k)
    others[k] = Loop(fill, 0, 1)
    follows = zeros.target == move.target + loop.extent
    if not follows or zeros.loops != tuple(x for x in others if x.extent > 1):
        return None
    if loop.extent + fill > _RUN:
        return None
    return replace(move, loops=(*move.loops[:k], replace(loop, fill=fill), *move.loops[k + 1 :]))


def _runner(move: Move, packing: ModuleType, of_bytes: _ByteRunners) -> Runner:
    """Return the runner that moves tile by tile."""
    parts = [_parts(x, step) for x, step in zip(move.loops, _tile_steps(move.loops), strict=True)]
    tiles = {}
    for steps in product(*(sorted({n for n, _, _ in own}) for own in parts)):
        loops = [replace(x, extent=n - x.fill) for x, n in zip(move.loops, steps, strict=True)]
        tiles[steps] = _tile(loops, packing, of_bytes, reads=move.source is not None)

    def carry(source: Buffer, target: Buffer, *_addresses: int) -> None:
        source, target = (each.view(np.uint8, np.ndarray) for each in (source, target))
        for place in product(*parts):
            steps, came, went = zip(*place, strict=True) if place else ((), (), ())
            tiles[steps](source, target, (move.source or 0) + sum(came), move.target + sum(went))

    return carry


def _parts(loop: Loop, step: int) -> list[tuple[int, int, int]]:
    """Return the steps of each tile, and the distance of its first from the loop's, both sides."""
    return [
        (min(step, loop.steps - i), i * loop.source_stride, i * loop.target_stride)
        for i in range(0, loop.steps, step)
    ]


def _tile_steps(loops: Sequence[Loop]) -> list[int]:
    """Return the steps of each loop that a tile takes; it takes a loop with a fill whole."""
    steps = [loop.steps if loop.fill else 1 for loop in loops]

    def grow(k: int, most: int) -> None:
        fitting = _MOST // (prod(steps) // steps[k])
        most = min(most, fitting)
        if loops[k].steps <= min(2 * most, fitting):
            most = loops[k].steps  # and no short rest
        elif most > 1:
            most -= most % (_LINE if most > _LINE else 2)  # rows begin at lines, or at bytes
        steps[k] = max(steps[k], most)

    in_target = sorted(range(len(loops)), key=lambda k: loops[k].target_stride)
    in_source = sorted(range(len(loops)), key=lambda k: abs(loops[k].source_stride))
    for order in (in_target, in_source):
        run = 1
        for k in order:
            grow(k, _RUN // run)
            run *= steps[k]
            if run > _RUN // 2:
                break
    for k in in_target:
        grow(k, _TILE // (prod(steps) // steps[k]))
    return steps


def _tile(
    loops: Sequence[Loop], packing: ModuleType, of_bytes: _ByteRunners, *, reads: bool
) -> Callable[[Buffer, Buffer, int, int], None]:
    """Return the function that moves one tile, from its first nibble in source and target.

    Its bytes are in the order of the source's addresses before they are moved, and in the order of
    the target's then. ``reads``: False if it writes zeros.
    """
    size = prod(loop.steps for loop in loops)
    came = _dense([(abs(x.source_stride), x.extent) for x in loops])
    went = _dense([(x.target_stride, x.steps) for x in loops])
    written = _rows((x.steps, x.target_stride, b) for x, b in zip(loops, went, strict=True))

    def zero(_source: Buffer, target: Buffer, _from: int, to: int) -> None:
        after = _scratch.memory[1]
        after[:size] = 0
        packing.pack_rows(after, written, to, target)

    if not reads:
        return zero
    read = _rows((x.extent, abs(x.source_stride), a) for x, a in zip(loops, came, strict=True) if a)
    # A loop that goes downwards in the source begins at the last of its bytes.
    down = [x.source_stride < 0 for x in loops]
    behind = sum((1 - x.extent) * x.source_stride for x in loops if x.source_stride < 0)
    first = sum((x.extent - 1) * a for x, a, falls in zip(loops, came, down, strict=True) if falls)
    own = [
        Loop(x.extent, -a if falls else a, b, x.fill)
        for x, a, b, falls in zip(loops, came, went, down, strict=True)
    ]
    moves = tuple(of_bytes(moves_of((normal(first, 0, own),), 8)))

    def tile(source: Buffer, target: Buffer, begin: int, to: int) -> None:
        memory = _scratch.memory
        packing.unpack_rows(source, begin - behind, read, memory[0])
        for go in moves:
            go(*memory)
        packing.pack_rows(memory[1], written, to, target)

    return tile


def _dense(loops: Sequence[tuple[int, int]]) -> list[int]:
    """Return strides without gaps in the order of the strides of (stride, steps); 0 stays 0."""
    strides = [0] * len(loops)
    total = 1
    for k in sorted(range(len(loops)), key=lambda k: loops[k][0]):
        if loops[k][0]:
            strides[k] = total
            total *= loops[k][1]
    return strides


def _rows(loops: Iterable[tuple[int, int, int]]) -> Int64Array:
    """Return the table of rows of ``loops``: steps, stride in nibbles, stride in bytes of each.

    Loops that continue each other are merged. The last one is contiguous on both sides.
    """
    run = 1
    around: list[tuple[int, int, int]] = []
    for steps, nibbles, unpacked in sorted(loops, key=lambda x: x[1]):
        if not around and nibbles == unpacked == run:
            run *= steps
        elif steps > 1:
            around.insert(0, (steps, nibbles, unpacked))
    return np.array([*(around or [(1, 0, 0)]), (run, 1, 1)], np.int64)
