"""Tiles of nibbles that are parted or joined row by row, so that bytes can move between.

Take 49 pixels of 64 channels, and go from pixels in the rows (NCHW) to channels in the rows (NHWC).
Two channels of the source are 49 bytes. They move as bytes: then row k has byte k of each pair of
channels. The low half of byte k is pixel 2k of the first channel; pixels of the second one begin
with the high half of byte 24. So each pixel is one half of one row and one half of another: rows
are joined. The other way round, rows are parted first, and bytes move then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final, Literal

from ..interface import Buffer, Runner
from ..moves import Move, moves_of
from ..plan import normal
from ..ranges import Loop
from . import kernel_nibble_rows, rooms
from .prepared import Numbers, entry, numbers_of, scratch

_MOST_ROWS: Final = 4096  # an odd number of rows is not cut
SHORT_ROW: Final = 16  # bytes
_LONG_ROW: Final = 32
_WOVEN: Final = (1, 2, 4, 8)  # bytes of short rows of which a register holds several
# Short rows are gathered to long ones, if there are not too many rows, or few of medium length.
_MOST_GATHERED: Final = 127
_FEW_ROWS: Final = 16

ByteRunners = Callable[[Sequence[Move]], Iterator[Runner]]
# Moves a tile: both buffers, the first nibble of the tile on both sides, the end of the source, the
# first nibble of the tile that is read next.
Tile = Callable[[Buffer, Buffer, int, int, int, int], None]


@dataclass(frozen=True, slots=True)
class Rows:
    """How a move is made: ``rows`` are the steps of one loop, ``pairs`` those of another.

    ``part``: rows of the source are parted, then bytes move. ``join``: bytes move, then they are
    joined to rows of the target. Pairs are contiguous in the rows.
    """

    way: Literal["part", "join"]
    rows: int
    pairs: int


@dataclass(frozen=True, slots=True)
class RowTile:
    """The numbers of the kernel, and the moves of bytes around it.

    ``moves``: between rows in a room and the buffer on the other side. ``gathering``: between the
    buffer with the rows and a room in which they are longer; None if the kernel needs no such
    moves. ``size``: bytes in a room. ``row``: bytes of a row in the buffer.
    """

    numbers: Numbers
    moves: tuple[Move, ...]
    gathering: tuple[Move, ...] | None
    size: int
    row: int


def ways_of(move: Move) -> Iterator[Rows]:
    """Yield the ways in which a move can be made by rows."""
    if move.source is None or (move.source | move.target) & 1:
        return
    if any(x.fill or x.source_stride < 1 or x.target_stride < 1 for x in move.loops):
        return
    source = [x.source_stride for x in move.loops]
    target = [x.target_stride for x in move.loops]
    for k, j in product(range(len(move.loops)), repeat=2):
        rows = move.loops[k].extent
        if k == j or rows == 1 or move.loops[j].extent % 2:
            continue
        if source[k] == target[j] == 1 and _are_even(rows, source, target, k, j):
            yield Rows("join", k, j)
        if target[k] == source[j] == 1 and _are_even(rows, target, source, k, j):
            yield Rows("part", k, j)


def _are_even(rows: int, of_bytes: Sequence[int], of_rows: Sequence[int], k: int, j: int) -> bool:
    """Whether pairs are whole bytes. ``of_bytes``: strides on the side where row k is a nibble."""
    others = [n for i, n in enumerate(of_bytes) if i not in {k, j}]
    others += [n for i, n in enumerate(of_rows) if i != j]
    if any(n % 2 for n in others):
        return False
    return of_bytes[j] == rows <= _MOST_ROWS if rows % 2 else of_bytes[j] % 2 == 0


def runner(
    loops: Sequence[Loop],
    rows: Rows,
    byte_runners: ByteRunners,
    to_target: ByteRunners,
    *,
    streamed: bool,
) -> Tile | None:
    """Return a tile that is made by rows, or None if its rows are short or have gaps.

    ``byte_runners``: makes the runners of moves of bytes to a room. ``to_target``: to the target.
    """
    found = row_tile(loops, rows, streamed=streamed)
    if found is None or found.size > rooms.BYTES:
        return None
    numbers = found.numbers
    if rows.way == "part":
        part = entry(kernel_nibble_rows.part_rows, 0, 0, 0, 0, numbers, 0)
        gathering = tuple(byte_runners(found.gathering or ()))
        going = tuple(to_target(found.moves))

        def parted(
            source: Buffer, target: Buffer, begin: int, to: int, end: int, following: int
        ) -> None:
            ahead = (following - begin) >> 1
            part(begin >> 1, end, ahead, rooms.here.first, numbers, scratch.address)
            for go in going:
                go(source, target, rooms.here.first, rooms.here.second, to >> 1)

        def gathered(
            source: Buffer, target: Buffer, begin: int, to: int, end: int, _next: int
        ) -> None:
            first, second = rooms.here.first, rooms.here.second
            for go in gathering:
                go(source, target, begin >> 1, end, first)
            part(first, first + rooms.PITCH, 0, second, numbers, scratch.address)
            for go in going:
                go(source, target, second, second + rooms.PITCH, to >> 1)

        return gathered if gathering else parted
    join = entry(kernel_nibble_rows.join_rows, 0, 0, numbers, 0)
    coming = tuple(byte_runners(found.moves))
    scattering = tuple(to_target(found.gathering or ()))

    def joined(source: Buffer, target: Buffer, begin: int, to: int, end: int, _next: int) -> None:
        for go in coming:
            go(source, target, begin >> 1, end, rooms.here.first)
        join(
            rooms.here.first, rooms.here.second if scattering else to >> 1, numbers, scratch.address
        )
        for go in scattering:
            go(source, target, rooms.here.second, rooms.here.second + rooms.PITCH, to >> 1)

    return joined


def row_tile(loops: Sequence[Loop], way: Rows, *, streamed: bool) -> RowTile | None:
    """Return the tile of ``loops``, or None if its rows are short or have gaps."""
    of_rows = [x.source_stride if way.way == "part" else x.target_stride for x in loops]
    steps = [x.extent // 2 if k == way.pairs else x.extent for k, x in enumerate(loops)]
    order = sorted(range(len(loops)), key=lambda k: of_rows[k])
    row = prod(steps[k] for k in order[: order.index(way.rows)])
    count, apart, total = steps[way.rows], of_rows[way.rows] // 2, prod(steps)
    most = _MOST_GATHERED if row < SHORT_ROW else _FEW_ROWS if row < _LONG_ROW else 0
    gathers = count <= most
    if gathers or count <= _FEW_ROWS:  # so that no loop is inside the short columns
        order.remove(way.rows)
        order.append(way.rows)
    dense = [0] * len(loops)  # strides in the room, in bytes
    for i, k in enumerate(order):
        dense[k] = prod(steps[k] for k in order[:i])
    header, table, gathering = [count, row, apart, dense[way.rows]], list[int](), None
    if gathers:
        header = [count, *[total // count] * 3]
        gathering = _gathering(loops, way, steps, of_rows, dense)
    else:
        moving = [k for k in order if steps[k] > 1 and k not in {way.rows, way.pairs}]
        gaps = any(of_rows[k] != 2 * dense[k] for k in moving if of_rows[k] < 2 * apart)
        if (
            gaps
            or (row < SHORT_ROW and not row == apart == dense[way.rows])
            or (row < SHORT_ROW and row not in _WOVEN)
        ):
            return None
        for k in reversed(moving):
            if of_rows[k] > 2 * apart:
                room, other = dense[k], of_rows[k] // 2
                table += [steps[k], other, room] if way.way == "part" else [steps[k], room, other]
    if way.way == "join":
        header.append(streamed and not gathers)
    return RowTile(numbers_of(header, table), _moves(loops, way, dense), gathering, total, row)


def _gathering(
    loops: Sequence[Loop],
    way: Rows,
    steps: Sequence[int],
    of_rows: Sequence[int],
    dense: Sequence[int],
) -> tuple[Move, ...]:
    """Return the moves between short rows and those in which all rows k of a tile are one."""
    found = []
    for k in range(len(loops)):
        other = 1 if k == way.pairs else of_rows[k] // 2
        ways = (other, dense[k]) if way.way == "part" else (dense[k], other)
        found.append(Loop(steps[k], *ways))
    moves = moves_of((normal(0, 0, found),), 8)
    # Units of 16 bytes are copied fastest one by one, and not as short runs.
    return tuple(
        replace(move, loops=(move.loops[-1], *move.loops[:-1]))
        if move.kernel == "runs" and len(move.loops) > 1
        else move
        for move in moves
    )


def _moves(loops: Sequence[Loop], way: Rows, dense: Sequence[int]) -> tuple[Move, ...]:
    """Return the moves of bytes between the rows in the room and the other buffer."""
    parts = way.way == "part"
    found = []
    for k, x in enumerate(loops):
        of_bytes = x.target_stride if parts else x.source_stride
        strides = [(x.extent, dense[k], of_bytes // 2)]
        if k == way.rows:
            h = x.extent // 2
            strides = [(x.extent if x.extent % 2 else h, dense[k], 1)]
        elif k == way.pairs:
            strides = [(x.extent // 2, 1, of_bytes)]
            rows = loops[way.rows].extent
            if rows % 2 == 0:
                strides.append((2, rows // 2 * dense[way.rows], of_bytes // 2))
        for steps, room, other in strides:
            found.append(Loop(steps, room, other) if parts else Loop(steps, other, room))
    return moves_of((normal(0, 0, found),), 8)
