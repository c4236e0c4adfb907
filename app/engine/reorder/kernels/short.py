"""Runners of short rows: the tiles that ``kernel_transpose`` transposes.

Where the loop that is contiguous on one side is short (the 9 taps of a 3x3 kernel), the loops that
continue it make long rows and long columns: the source of HWIO has rows of output channels, and a
column of OIHW has 9 taps of several input channels. docs/decisions/0035 has the measurements.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from ..moves import Move, Runner
from ..ranges import Loop
from . import kernel_transpose
from .instructions import LINE, REGISTER
from .prepared import begins, calling, numbers_of, steps_of, units_of

UNIT_BITS: Final = (8, 16, 32)
_COLUMN_BYTES: Final = 576  # of a tile, at most
_LONG_BYTES: Final = 32  # of float32, 9 taps are not short if rows are long, outside the caches
_ROW_BYTES: Final = 256  # of a tile, at least, where there are as many


@dataclass(frozen=True, slots=True)
class _Part:
    """A loop, and how many of its steps a tile takes."""

    loop: Loop
    steps: int

    @property
    def whole(self) -> bool:
        return self.steps == self.loop.extent


@dataclass(frozen=True, slots=True)
class Short:
    """The tile of a move. ``rows``, ``columns``, ``inner``: its loops, innermost first.

    ``run``: units that are contiguous in the target; ``apart``: the parts whose steps are runs of
    their own.
    """

    rows: tuple[_Part, ...]
    columns: tuple[_Part, ...]
    inner: tuple[_Part, ...]
    run: int
    apart: tuple[_Part, ...]


def _chain(loops: Sequence[Loop], strides: Sequence[int]) -> list[Loop]:
    """Return the loops that are contiguous by ``strides``, innermost first."""
    found: list[Loop] = []
    count = 1
    while count in strides:
        found.append(loops[strides.index(count)])
        count *= found[-1].extent
    return found


def tile_of(move: Move, *, streamed: bool) -> Short | None:
    """Return the tile of a transpose; None if its rows are shorter than a line, or have a fill.

    None also if the transpose of ``tiles.py`` is faster: docs/decisions/0035 has the measurements.
    """
    size = move.unit_bytes
    loops = [x for x in move.loops if x.extent > 1]
    by_source = _chain(loops, [x.source_stride for x in loops])
    by_target = _chain(loops, [x.target_stride for x in loops])
    fit = move.unit_bits in UNIT_BITS and not any(x.fill for x in move.loops)
    if not (fit and by_source and by_target):
        return None
    columns, rows = _grown(by_source, by_target, _ROW_BYTES // size, _COLUMN_BYTES // size)
    across = _cut(rows, _COLUMN_BYTES // size)
    along = _cut(columns, _ROW_BYTES // size)
    following = by_target[len(rows) : len(rows) + 1]  # in HWIO with few O, columns took I
    if following and following[0] in columns[1:] and rows[0].extent < 2 * columns[0].extent:
        return None
    n, m = rows[0].extent * size, columns[0].extent * size
    long = streamed and size == 4 and n >= _ROW_BYTES and m >= _LONG_BYTES
    if len(columns) == 1 or long or _units(along) * size < LINE:
        return None
    run, inner, apart = list(across), [], list(along)
    for loop in by_target[len(rows) :]:
        if not run[-1].whole:
            break
        part = next((x for x in along if x.loop is loop), None)
        if part is None:
            most = _COLUMN_BYTES // (_units(run) * size)
            if most < 2:
                break
            part = _cut([loop], most)[0]
            inner.append(part)
        else:
            apart.remove(part)
        run.append(part)
    tile = Short(across, along, tuple(inner), _units(run), tuple(apart))
    return tile if _may_spill(tile, size) else None


def _grown(
    by_source: Sequence[Loop], by_target: Sequence[Loop], in_row: int, in_column: int
) -> tuple[list[Loop], list[Loop]]:
    """Return the loops of columns and of rows: from both chains, until both are long enough."""
    columns, rows = [by_source[0]], [by_target[0]]
    sides = ((columns, rows, by_source, in_row), (rows, columns, by_target, in_column))
    grows = True
    while grows:
        grows = False
        for own, other, chain, least in sides:
            following = chain[len(own) : len(own) + 1]
            units = math.prod(x.extent for x in own)
            if following and following[0] not in other and units < least:
                own.extend(following)
                grows = True
    return columns, rows


def _may_spill(tile: Short, size: int) -> bool:
    """Whether a register may be stored for each column: what is beyond it is overwritten later.

    So it is if columns fill registers, or if those of a run are stored in its order.
    """
    parts = [x for x in (*tile.columns, *tile.inner) if x not in tile.apart]
    strides = [x.loop.target_stride for x in parts]
    return _units(tile.rows) * size >= REGISTER or strides == sorted(strides)


def _cut(chain: Sequence[Loop], most: int) -> tuple[_Part, ...]:
    """Return parts of about ``most`` units: only the last loop may be cut, to even parts."""
    extent = chain[-1].extent
    steps = min(extent, max(1, most // math.prod(loop.extent for loop in chain[:-1])))
    steps = -(-extent // -(-extent // steps))
    return (*(_Part(x, x.extent) for x in chain[:-1]), _Part(chain[-1], steps))


def _units(parts: Sequence[_Part]) -> int:
    return math.prod(part.steps for part in parts)


def runner(move: Move, tile: Short, *, streamed: bool) -> Runner:
    """Return the runner of a move by its tile."""
    size = move.unit_bytes
    count = _units(tile.rows)
    header = [count, _units(tile.columns), tile.run * size, streamed]
    rows = _distances([(x.steps, x.loop.source_stride * size) for x in tile.rows])
    rows += rows[:1] * (REGISTER // size - count)
    inner = [
        Loop(x.steps, x.loop.source_stride, x.loop.target_stride) for x in reversed(tile.inner)
    ]
    tables = (steps_of(inner, size), rows, *_in_scratch(tile, size))
    calls = [
        numbers_of([*begins(tiles), *header], steps_of(tiles.loops, size), *tables)
        for tiles in _tiles(move, tile)
    ]
    return calling(kernel_transpose.transpose_short, units_of(move, 1), *calls)


def _in_scratch(tile: Short, size: int) -> tuple[list[int], list[int]]:
    """Return where columns are in scratch memory, and where the runs of a tile are on both sides.

    Runs are apart in scratch memory, because a register may be stored beyond the end of one.
    """
    in_target = {x.loop: x.loop.target_stride * size for x in tile.columns}
    pitch = -(-(tile.run * size + REGISTER) // LINE) * LINE
    in_scratch = dict(in_target)
    for part in tile.apart:
        in_scratch[part.loop] = pitch
        pitch *= part.steps
    came = _distances([(x.steps, in_scratch[x.loop]) for x in tile.apart])
    went = _distances([(x.steps, in_target[x.loop]) for x in tile.apart])
    columns = _distances([(x.steps, in_scratch[x.loop]) for x in tile.columns])
    return columns, [n for pair in zip(came, went, strict=True) for n in pair]


def _distances(parts: Sequence[tuple[int, int]]) -> list[int]:
    """Return the distance of each of some steps from the first; the first part is innermost."""
    ranges = [[i * stride for i in range(steps)] for steps, stride in reversed(parts)]
    return [sum(indices) for indices in product(*ranges)]


def _tiles(move: Move, tile: Short) -> Iterator[Move]:
    """Yield moves of tiles, instead of units; the last tile of a loop overlaps the one before."""
    steps = {x.loop: x.steps for x in (*tile.rows, *tile.columns, *tile.inner)}
    choices: list[list[tuple[int, Loop]]] = []
    for x in move.loops:
        n = steps.get(x, 1)
        choices.append([(0, Loop(x.extent // n, x.source_stride * n, x.target_stride * n))])
        if x.extent % n:
            choices[-1].append((x.extent - n, Loop(1, 0, 0)))
    for chosen in product(*choices):
        firsts = list(zip(chosen, move.loops, strict=True))
        source = (move.source or 0) + sum(k * x.source_stride for (k, _), x in firsts)
        target = move.target + sum(k * x.target_stride for (k, _), x in firsts)
        loops = [x for _, x in chosen if x.extent > 1]
        loops.sort(key=lambda x: -abs(x.target_stride))
        yield replace(move, source=source, target=target, loops=tuple(loops))
