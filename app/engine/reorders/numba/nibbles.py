"""Runners that move nibbles, tile by tile, as bytes that the other kernels move.

Where the two nibbles of a byte of the target come from two rows, the rows are paired first, and
bytes move to the target. Where the two nibbles of a byte of the source go to two rows, bytes move
first, and their halves are split then. Otherwise each nibble moves as a byte, which is twice as
much. A tile takes the loops with the smallest strides of both sides, so that it reads and writes
long runs, and stays in a second-level cache.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise, product
from math import prod
from operator import mul
from typing import Final, Literal

import numpy as np

from ..interface import Buffer, Runner
from ..moves import Move, moves_of
from ..plan import normal
from ..ranges import Loop
from . import kernel_nibbles
from .prepared import Numbers, entry, numbers_of, scratch

_TILE: Final = 1 << 17  # nibbles; a tile of pairs may have twice as many
_SOURCE_RUN: Final = 1024  # nibbles that a tile should read side by side, as whole lines
_TARGET_RUN: Final = 256  # and write, if two tiles hold both runs
_LONG_ROW: Final = 256  # nibbles that are packed at once as they are; shorter rows are joined
_LINE: Final = 64
_PITCH: Final = 2 * _TILE + kernel_nibbles.BEYOND  # bytes of a room
_Way = Literal["pair", "split", "alone"]
_Runners = Callable[[Sequence[Move]], Iterator[Runner]]
# Moves a tile: both buffers, the first nibble of the tile on both sides, the end of the source, the
# first nibble of the tile that is read next.
_Tile = Callable[[Buffer, Buffer, int, int, int, int], None]


class _Rooms(threading.local):
    """Two rooms for the bytes of a tile, in each thread."""

    def __init__(self) -> None:
        memory = np.zeros(2 * _PITCH + _LINE, np.uint8)
        begin = -memory.ctypes.data % _LINE
        self.bytes = memory[begin:]
        self.first = memory.ctypes.data + begin
        self.second = self.first + _PITCH
        self.end = self.second + _PITCH


_rooms = _Rooms()


def with_fill(move: Move, zeros: Move) -> Move | None:
    """Return ``move`` with ``zeros`` as the fill of the loop whose target is contiguous.

    None if ``zeros`` is anything else, or if a tile could not take the whole loop.
    """
    k = _contiguous([loop.target_stride for loop in move.loops])
    if k is None or move.source is None or zeros.source is not None or zeros.unit_bits >= 8:
        return None
    loop = move.loops[k]
    others = [Loop(x.extent, 0, x.target_stride) for x in move.loops]
    fill = zeros.units // prod(x.extent for i, x in enumerate(others) if i != k)
    others[k] = Loop(fill, 0, 1)
    follows = zeros.target == move.target + loop.extent
    if not follows or zeros.loops != tuple(x for x in others if x.extent > 1):
        return None
    if loop.fill or loop.extent + fill > _TARGET_RUN:
        return None
    return replace(move, loops=(*move.loops[:k], replace(loop, fill=fill), *move.loops[k + 1 :]))


def runner(move: Move, byte_runners: _Runners, *, streamed: bool) -> Runner:
    """Return the runner of a move of nibbles. ``byte_runners``: makes those of moves of bytes."""
    way, halved = _way(move)
    parts = []  # for each loop, the first index and the steps of its tiles
    for loop, step in zip(move.loops, _tile_steps(move.loops, halved), strict=True):
        parts.append([(i, min(step, loop.steps - i)) for i in range(0, loop.steps, step)])
    tiles = {}
    for steps in product(*(sorted({n for _, n in own}) for own in parts)):
        pairs = zip(move.loops, steps, strict=True)
        loops = [replace(loop, extent=n - loop.fill) for loop, n in pairs]
        if move.source is None:
            tiles[steps] = _zeros(loops, streamed=streamed)
        elif way == "split":
            tiles[steps] = _split(loops, halved, byte_runners, streamed=streamed)
        else:
            paired = _paired(loops, halved, byte_runners)
            tiles[steps] = paired or _alone(loops, byte_runners, streamed=streamed)

    source_strides = [loop.source_stride for loop in move.loops]
    target_strides = [loop.target_stride for loop in move.loops]

    def carry(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
        for steps, tile in tiles.items():
            if move.source is None or any(loop.fill for loop in move.loops):
                for room in (_rooms.bytes, _rooms.bytes[_PITCH:]):
                    room[: prod(steps)] = 0  # and the fill of these tiles stays zero
            firsts = [[i for i, n in p if n == m] for p, m in zip(parts, steps, strict=True)]
            begins = (
                (
                    2 * begin + (move.source or 0) + sum(map(mul, indices, source_strides)),
                    2 * place + move.target + sum(map(mul, indices, target_strides)),
                )
                for indices in product(*firsts)
            )
            for (s, d), (following, _) in pairwise(chain(begins, [(2 * begin, 0)])):
                tile(source, target, s, d, end, following)

    return carry


def _contiguous(strides: Sequence[int]) -> int | None:
    return next((k for k, stride in enumerate(strides) if stride == 1), None)


def _way(move: Move) -> tuple[_Way, int | None]:
    """Return how to move, and the index of the loop whose pairs of steps share bytes."""
    if move.source is None:
        return "alone", None
    source, target = ([x.source_stride for x in move.loops], [x.target_stride for x in move.loops])
    rows: dict[tuple[_Way, int | None], int] = {("alone", None): 1}
    k = _contiguous(target)
    if k is not None and _is_even(move.target, target, move.loops, k) and source[k]:
        rows["pair", k] = _row(move.loops, source, but=k)
    k = _contiguous(source)
    if k is not None and _is_even(move.source, source, move.loops, k) and not move.loops[k].fill:
        rows["split", k] = _row(move.loops, target, but=k)
    return max(rows, key=lambda way: rows[way])


def _is_even(begin: int, strides: Sequence[int], loops: Sequence[Loop], but: int) -> bool:
    numbers = [begin, loops[but].extent, loops[but].fill, *strides[:but], *strides[but + 1 :]]
    return all(n % 2 == 0 for n in numbers)


def _row(loops: Sequence[Loop], strides: Sequence[int], *, but: int) -> int:
    """Return how many nibbles are contiguous by all loops ``but`` one."""
    row = 1
    for k in sorted(range(len(loops)), key=lambda k: strides[k]):
        if k != but and strides[k] == row:
            row *= loops[k].steps
    return row


def _tile_steps(loops: Sequence[Loop], halved: int | None) -> list[int]:
    """Return the steps of each loop that a tile takes; it takes a loop with a fill whole."""
    steps = [loop.steps if loop.fill else 1 for loop in loops]
    if halved is not None:
        steps[halved] = max(steps[halved], 2)

    def grow(k: int, most: int) -> None:
        most = min(most, 2 * _TILE // (prod(steps) // steps[k]))  # what a room holds
        if most < loops[k].steps and most > 1:
            most -= most % (_LINE if most > _LINE else 2)  # keep rows at lines, and pairs
        steps[k] = max(steps[k], min(loops[k].steps, most))

    in_target = sorted(range(len(loops)), key=lambda k: loops[k].target_stride)
    in_source = sorted(range(len(loops)), key=lambda k: abs(loops[k].source_stride))
    for order, most in ((in_target, _TARGET_RUN), (in_source, _SOURCE_RUN)):
        run = 1
        for k in order:
            grow(k, most // run)
            run *= steps[k]
            if run > most // 2:
                break
    most = _TILE if halved is None else 2 * _TILE
    for k in in_target:
        grow(k, most // (prod(steps) // steps[k]))
    return steps


def _zeros(loops: Sequence[Loop], *, streamed: bool) -> _Tile:
    by_target = _dense([(x.target_stride, x.steps) for x in loops])
    pack = _packing(loops, by_target, streamed=streamed)

    def tile(_source: Buffer, _target: Buffer, _from: int, to: int, _end: int, _next: int) -> None:
        pack(_rooms.second, to)

    return tile


def _alone(loops: Sequence[Loop], byte_runners: _Runners, *, streamed: bool) -> _Tile:
    """Return a tile in which each nibble moves as a byte: unpack, move, pack."""
    by_source = _dense([(abs(x.source_stride), x.extent) for x in loops])
    by_target = _dense([(x.target_stride, x.steps) for x in loops])
    numbers, behind = _reading(loops, by_source)
    unpack = entry(kernel_nibbles.unpack_runs, 0, 0, numbers, 0)
    pack = _packing(loops, by_target, streamed=streamed)
    moves = tuple(byte_runners(_moves(loops, by_source, by_target)))

    def tile(source: Buffer, target: Buffer, begin: int, to: int, _end: int, _next: int) -> None:
        unpack(begin - behind, _rooms.first, numbers, scratch.address)
        for go in moves:
            go(source, target, _rooms.first, _rooms.second, _rooms.second)
        pack(_rooms.second, to)

    return tile


def _paired(loops: Sequence[Loop], halved: int | None, byte_runners: _Runners) -> _Tile | None:
    """Return a tile that moves pairs of nibbles to the target: pair rows, move.

    None if no pairs are left by a loop ``halved``.
    """
    if halved is None:
        return None
    pairs = _halved(loops, halved)
    by_pair = _dense([(abs(x.source_stride), x.extent) for x in pairs])
    to_target = [1 if k == halved else x.target_stride // 2 for k, x in enumerate(loops)]
    moves = _moves(pairs, by_pair, to_target, filled=True)
    numbers, behind = _reading(pairs, by_pair, [loops[halved].source_stride])
    pair = entry(kernel_nibbles.pair_rows, 0, 0, 0, 0, numbers, 0)
    going = tuple(byte_runners(moves))

    def tile(source: Buffer, target: Buffer, begin: int, to: int, end: int, following: int) -> None:
        pair(begin - behind, end, following - begin, _rooms.first, numbers, scratch.address)
        for go in going:
            go(source, target, _rooms.first, _rooms.second, to >> 1)

    return tile


def _split(
    loops: Sequence[Loop], halved: int | None, byte_runners: _Runners, *, streamed: bool
) -> _Tile:
    """Return a tile that moves pairs of nibbles from the source: move, split rows, pack."""
    pairs = _halved(loops, halved)
    by_target = _dense([(x.target_stride, x.steps) for x in loops])
    by_pair = _dense([(x.target_stride, x.steps) for x in pairs])
    from_source = [1 if k == halved else x.source_stride // 2 for k, x in enumerate(loops)]
    moves = tuple(byte_runners(_moves(pairs, from_source, by_pair)))
    rows = []  # of the target: one of the low and one of the high halves
    for k, (x, pair, one) in enumerate(zip(pairs, by_pair, by_target, strict=True)):
        rows.append((x.steps, 2 * pair, 2 * one if k == halved else one, x.target_stride))
        if k == halved:
            rows.append((2, 1, one, loops[k].target_stride))
    direct = _table([streamed], [(n, s, to) for n, s, _, to in rows], unit=2)
    if direct[0] >= _LONG_ROW:
        pack_direct = entry(kernel_nibbles.pack_runs, 0, 0, direct, 0)

        def tile(source: Buffer, target: Buffer, begin: int, to: int, end: int, _next: int) -> None:
            for go in moves:
                go(source, target, begin >> 1, end, _rooms.first)
            pack_direct(2 * _rooms.first, to, direct, scratch.address)

        return tile
    numbers = _table([], [(n, s, to) for n, s, to, _ in rows], unit=2)
    pack = _packing(loops, by_target, streamed=streamed)
    split = entry(kernel_nibbles.split_rows, 0, 0, numbers, 0)

    def tile_of_short_rows(
        source: Buffer, target: Buffer, begin: int, to: int, end: int, _next: int
    ) -> None:
        for go in moves:
            go(source, target, begin >> 1, end, _rooms.first)
        split(2 * _rooms.first, _rooms.second, numbers, scratch.address)
        pack(_rooms.second, to)

    return tile_of_short_rows


def _halved(loops: Sequence[Loop], halved: int | None) -> list[Loop]:
    """Return the loops with half the steps of one; strides are of nibbles still."""
    return [
        Loop(x.extent // 2, 2 * x.source_stride, 2 * x.target_stride, x.fill // 2)
        if k == halved
        else x
        for k, x in enumerate(loops)
    ]


def _reading(
    loops: Sequence[Loop], by_source: Sequence[int], header: Sequence[int] = ()
) -> tuple[Numbers, int]:
    """Return the numbers for reading a tile, and how many nibbles before its first it begins."""
    strides = zip(loops, by_source, strict=True)
    numbers = _table(header, [(x.extent, abs(x.source_stride), t) for x, t in strides if t])
    return numbers, sum((1 - x.extent) * x.source_stride for x in loops if x.source_stride < 0)


def _packing(
    loops: Sequence[Loop], by_target: Sequence[int], *, streamed: bool
) -> Callable[[int, int], None]:
    """Return a function that packs bytes in target order to a tile from its first nibble on."""
    strides = zip(loops, by_target, strict=True)
    rows = [(x.steps, 2 * s, x.target_stride) for x, s in strides]
    numbers = _table([streamed], rows, unit=2)
    kernel = entry(kernel_nibbles.pack_runs, 0, 0, numbers, 0)

    def pack(room: int, to: int) -> None:
        kernel(2 * room, to, numbers, scratch.address)

    return pack


def _moves(
    loops: Sequence[Loop], source: Sequence[int], target: Sequence[int], *, filled: bool = False
) -> tuple[Move, ...]:
    """Return the moves of bytes by ``loops`` with other strides.

    ``source``: of bytes in ascending order if none is negative. A loop that goes downwards in the
    layout begins at its last byte then.
    """
    first, found = 0, []
    for x, came, went in zip(loops, source, target, strict=True):
        downwards = x.source_stride < 0 < came
        first += (x.extent - 1) * came if downwards else 0
        found.append(Loop(x.extent, -came if downwards else came, went, x.fill if filled else 0))
    return moves_of((normal(first, 0, found),), 8)


def _dense(loops: Sequence[tuple[int, int]]) -> list[int]:
    """Return strides without gaps in the order of the strides of (stride, steps); 0 stays 0."""
    strides = [0] * len(loops)
    total = 1
    for k in sorted(range(len(loops)), key=lambda k: loops[k][0]):
        if loops[k][0]:
            strides[k] = total
            total *= loops[k][1]
    return strides


def _table(
    header: Sequence[int], loops: Sequence[tuple[int, int, int]], *, unit: int = 1
) -> Numbers:
    """Return the numbers of a kernel of ``kernel_nibbles``: the longest run, the loops around it.

    ``loops``: steps, source stride and target stride. ``unit``: source stride within a run.
    """
    run = 1
    around: list[int] = []
    for steps, source, target in sorted(loops, key=lambda x: x[2]):
        if steps > 1:
            if not around and (source, target) == (run * unit, run):
                run *= steps
            else:
                around = [steps, source, target, *around]
    return numbers_of([run, *header], around)
