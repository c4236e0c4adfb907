"""Runners that move nibbles, tile by tile, as bytes that the other kernels move.

Rows and columns that fit the registers are turned in one pass instead (``nibble_turns``). Most
tiles are parted or joined row by row (``nibble_rows``). Others need one of three ways: where
the two nibbles of a byte of the target come from two rows, the rows are paired first, and bytes
move to the target. Where the two nibbles of a byte of the source go to two rows, bytes move first,
and their halves are split then. Otherwise each nibble moves as a byte, which is twice as much. A
tile takes the loops with the smallest strides of both sides, so that it reads and writes long runs,
and stays in a second-level cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import prod
from operator import mul
from typing import Final, Literal

from ..interface import Buffer, Runner
from ..moves import Move, moves_of
from ..plan import normal
from ..ranges import Loop
from . import kernel_nibbles, nibble_rows, nibble_turns, rooms
from .nibble_rows import ByteRunners, Rows, Tile
from .prepared import Numbers, entry, numbers_of, scratch

_RUN: Final = 1024  # nibbles that a tile should read side by side, and write, as whole lines
_LONG_ROW: Final = 256  # nibbles that are packed at once as they are; shorter rows are joined
_LINE: Final = 64
_Way = Literal["pair", "split", "alone"]


_Parts = list[list[tuple[int, int]]]  # for each loop, the first index and the steps of its tiles


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
    if loop.fill or loop.extent + fill > _RUN:
        return None
    return replace(move, loops=(*move.loops[:k], replace(loop, fill=fill), *move.loops[k + 1 :]))


def runner(
    move: Move, byte_runners: ByteRunners, to_target: ByteRunners, *, streamed: bool
) -> Runner:
    """Return the runner of a move of nibbles.

    ``byte_runners``: makes those of moves of bytes to a room. ``to_target``: to the target.
    """
    turned = nibble_turns.runner(move, streamed=streamed)
    if turned:
        return turned
    parts, tiles = _tiles(move, byte_runners, to_target, streamed=streamed)
    filled = move.source is None or any(loop.fill for loop in move.loops)
    begins = [
        (tile, list(_begins(move, parts, steps)), prod(steps)) for steps, tile in tiles.items()
    ]

    def carry(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
        from_nibble, to_nibble = 2 * begin, 2 * place
        for tile, firsts, size in begins:
            if filled:
                for room in rooms.here.arrays:
                    room[:size] = 0  # and the fill of these tiles stays zero
            for s, d, following in firsts:
                tile(source, target, from_nibble + s, to_nibble + d, end, from_nibble + following)

    return carry


def _begins(move: Move, parts: _Parts, steps: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the first nibble on both sides of each tile with these steps, and of the next one."""
    firsts = [[i for i, n in p if n == m] for p, m in zip(parts, steps, strict=True)]
    source = [loop.source_stride for loop in move.loops]
    target = [loop.target_stride for loop in move.loops]
    found = [
        ((move.source or 0) + sum(map(mul, i, source)), move.target + sum(map(mul, i, target)))
        for i in product(*firsts)
    ]
    for (s, d), (following, _) in pairwise([*found, found[-1]]):
        yield s, d, following


def _tiles(
    move: Move, byte_runners: ByteRunners, to_target: ByteRunners, *, streamed: bool
) -> tuple[_Parts, dict[tuple[int, ...], Tile]]:
    for rows in _row_ways(move):
        parts = _parts(move.loops, _tile_steps(move.loops, rows.pairs, rows.rows))
        tiles = {}
        for steps in product(*(sorted({n for _, n in own}) for own in parts)):
            loops = [replace(loop, extent=n) for loop, n in zip(move.loops, steps, strict=True)]
            tile = nibble_rows.runner(loops, rows, byte_runners, to_target, streamed=streamed)
            if tile is None:
                break
            tiles[steps] = tile
        else:
            return parts, tiles
    way, halved = _way(move)
    parts, tiles = _parts(move.loops, _tile_steps(move.loops, halved)), {}
    for steps in product(*(sorted({n for _, n in own}) for own in parts)):
        pairs = zip(move.loops, steps, strict=True)
        loops = [replace(loop, extent=n - loop.fill) for loop, n in pairs]
        if move.source is None:
            tiles[steps] = _zeros(loops, streamed=streamed)
        elif way == "split":
            tiles[steps] = _split(loops, halved, byte_runners, streamed=streamed)
        else:
            paired = _paired(loops, halved, to_target)
            tiles[steps] = paired or _alone(loops, byte_runners, streamed=streamed)
    return parts, tiles


def _parts(loops: Sequence[Loop], steps: Sequence[int]) -> _Parts:
    return [
        [(i, min(step, loop.steps - i)) for i in range(0, loop.steps, step)]
        for loop, step in zip(loops, steps, strict=True)
    ]


def _row_ways(move: Move) -> list[Rows]:
    """Return the ways to move by rows, the fastest first: joining, but not of short rows."""

    def rank(rows: Rows) -> tuple[bool, bool]:
        steps = _tile_steps(move.loops, rows.pairs, rows.rows)
        loops = [replace(loop, extent=n) for loop, n in zip(move.loops, steps, strict=True)]
        tile = nibble_rows.row_tile(loops, rows, streamed=False)
        return tile is None or tile.row < nibble_rows.SHORT_ROW, rows.way == "part"

    return sorted(nibble_rows.ways_of(move), key=rank)


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


def _tile_steps(loops: Sequence[Loop], halved: int | None, rows: int | None = None) -> list[int]:
    """Return the steps of each loop that a tile takes; it takes a loop with a fill whole."""
    steps = [loop.steps if loop.fill else 1 for loop in loops]
    if halved is not None:
        steps[halved] = max(steps[halved], 2)
    if rows is not None:
        steps[rows] = loops[rows].steps if loops[rows].steps % 2 else 2

    def grow(k: int, most: int) -> None:
        if loops[k].steps <= 2 * most:
            most = loops[k].steps  # and no short rest
        most = min(most, 2 * rooms.TILE // (prod(steps) // steps[k]))  # what a room holds
        if most < loops[k].steps and most > 1:
            most -= most % (_LINE if most > _LINE else 2)  # keep rows at lines, and pairs
        steps[k] = max(steps[k], min(loops[k].steps, most))

    in_target = sorted(range(len(loops)), key=lambda k: loops[k].target_stride)
    in_source = sorted(range(len(loops)), key=lambda k: abs(loops[k].source_stride))
    for order in (in_target, in_source):
        run = 1
        for k in order:
            grow(k, _RUN // run)
            run *= steps[k]
            if run > _RUN // 2:
                break
    most = rooms.TILE if halved is None else 2 * rooms.TILE
    for k in in_target:
        grow(k, most // (prod(steps) // steps[k]))
    return steps


def _zeros(loops: Sequence[Loop], *, streamed: bool) -> Tile:
    by_target = _dense([(x.target_stride, x.steps) for x in loops])
    pack = _packing(loops, by_target, streamed=streamed)

    def tile(_source: Buffer, _target: Buffer, _from: int, to: int, _end: int, _next: int) -> None:
        pack(rooms.here.second, to)

    return tile


def _alone(loops: Sequence[Loop], byte_runners: ByteRunners, *, streamed: bool) -> Tile:
    """Return a tile in which each nibble moves as a byte: unpack, move, pack."""
    by_source = _dense([(abs(x.source_stride), x.extent) for x in loops])
    by_target = _dense([(x.target_stride, x.steps) for x in loops])
    numbers, behind = _reading(loops, by_source)
    unpack = entry(kernel_nibbles.unpack_runs, 0, 0, numbers, 0)
    pack = _packing(loops, by_target, streamed=streamed)
    moves = tuple(byte_runners(_moves(loops, by_source, by_target)))

    def tile(source: Buffer, target: Buffer, begin: int, to: int, _end: int, _next: int) -> None:
        unpack(begin - behind, rooms.here.first, numbers, scratch.address)
        for go in moves:
            go(source, target, rooms.here.first, rooms.here.second, rooms.here.second)
        pack(rooms.here.second, to)

    return tile


def _paired(loops: Sequence[Loop], halved: int | None, byte_runners: ByteRunners) -> Tile | None:
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
        pair(begin - behind, end, following - begin, rooms.here.first, numbers, scratch.address)
        for go in going:
            go(source, target, rooms.here.first, rooms.here.second, to >> 1)

    return tile


def _split(
    loops: Sequence[Loop], halved: int | None, byte_runners: ByteRunners, *, streamed: bool
) -> Tile:
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
                go(source, target, begin >> 1, end, rooms.here.first)
            pack_direct(2 * rooms.here.first, to, direct, scratch.address)

        return tile
    numbers = _table([], [(n, s, to) for n, s, to, _ in rows], unit=2)
    pack = _packing(loops, by_target, streamed=streamed)
    split = entry(kernel_nibbles.split_rows, 0, 0, numbers, 0)

    def tile_of_short_rows(
        source: Buffer, target: Buffer, begin: int, to: int, end: int, _next: int
    ) -> None:
        for go in moves:
            go(source, target, begin >> 1, end, rooms.here.first)
        split(2 * rooms.here.first, rooms.here.second, numbers, scratch.address)
        pack(rooms.here.second, to)

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
