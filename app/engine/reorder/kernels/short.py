"""Runners of short rows: the tiles that ``kernel_short`` turns.

Where the loop that is contiguous on one side is short (the 9 taps of a 3x3 kernel), the loops that
continue it make long rows and long columns: the source of HWIO has rows of output channels, and a
column of OIHW has 9 taps of several input channels. docs/decisions/0035 has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from ..interface import Runner
from ..moves import Move
from ..ranges import Loop
from . import kernel_short
from .prepared import begins, calling, numbers_of, steps_of, units_of

UNIT_BITS: Final = (8, 16, 32)
_LINE: Final = 64
_REGISTER: Final = 16
_COLUMN_BYTES: Final = 576  # of a tile, at most
_LONG_BYTES: Final = 32  # of float32, 9 taps are not short if rows are long, outside the caches
_ROW_BYTES: Final = 256  # of a tile, at least, where there are as many
_WAYS: Final = 16  # of the second cache: as many lines at multiples of _WAY_BYTES fit
_WAY_BYTES: Final = 1 << 17


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


@dataclass(frozen=True, slots=True)
class _Strip:
    """Tiles along a loop: each ``step`` steps after the one before, the last at step ``last``."""

    loop: Loop
    tiles: int
    step: int
    last: int


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

    None also if the turn of ``turns.py`` is faster: docs/decisions/0035 has the measurements.
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
    little = size == 1 and _is_direct(across, size, streamed=streamed)  # no run to be copied
    row_bytes = _ROW_BYTES // 2 if little and len(columns) > 1 else _ROW_BYTES
    along = _cut(columns, row_bytes // size, _LINE // size if len(columns) == 1 else 1)
    following = by_target[len(rows) : len(rows) + 1]  # in HWIO with few O, columns took I
    if following and following[0] in columns[1:] and rows[0].extent < 2 * columns[0].extent:
        return None
    if _units(along) * size < _LINE or not _is_short(rows, columns, size, streamed=streamed):
        return None
    run, inner, apart = list(across), [], list(along)
    for loop in by_target[len(rows) :]:
        if not run[-1].whole:
            break
        part = next((x for x in along if x.loop is loop), None)
        if part is None:
            most = _COLUMN_BYTES // (_units(run) * size)
            if most < 2 or little:
                break
            part = _cut([loop], most)[0]
            inner.append(part)
        else:
            apart.remove(part)
        run.append(part)
    tile = Short(across, along, tuple(inner), _units(run), tuple(apart))
    return tile if _may_spill(tile, size) else None


def _is_short(rows: Sequence[Loop], columns: Sequence[Loop], size: int, *, streamed: bool) -> bool:
    """Whether the other way of turning would be slower for these loops."""
    if len(columns) > 1:
        n, m = rows[0].extent * size, columns[0].extent * size
        long = streamed and size == 4 and n >= _ROW_BYTES and m >= _LONG_BYTES
        return not long or _crowd(rows[0], size)
    if size == 1 and not streamed:
        return False
    if len(rows) > 1:
        return _LINE // size % math.prod(x.extent for x in rows[:-1]) != 0
    n, m = rows[0].extent * size, columns[0].extent * size
    return n < _LINE or (n <= 256 and m <= 1024)


def _crowd(rows: Loop, size: int) -> bool:
    """Whether the second cache cannot hold a line of each row, as too many begin in one set.

    Then each line of the source would be fetched again for each column that has a part of it.
    """
    sets_apart = math.gcd(rows.source_stride * size, _WAY_BYTES)
    return rows.extent > _WAYS * _WAY_BYTES // sets_apart


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
    return _units(tile.rows) * size >= _REGISTER or strides == sorted(strides)


def _cut(chain: Sequence[Loop], most: int, multiple: int = 1) -> tuple[_Part, ...]:
    """Return parts of about ``most`` units: only the last loop may be cut, to even parts."""
    below = math.prod(loop.extent for loop in chain[:-1])
    extent = chain[-1].extent
    steps = min(extent, max(1, most // below))
    steps = -(-extent // -(-extent // steps))
    if steps > multiple:
        steps = min(extent, -(-steps // multiple) * multiple)
    return (*(_Part(x, x.extent) for x in chain[:-1]), _Part(chain[-1], steps))


def _is_direct(rows: Sequence[_Part], size: int, *, streamed: bool) -> bool:
    """Whether columns go to the target at once: in cache, if they fill registers."""
    return not streamed and _units(rows) * size >= _REGISTER


def _units(parts: Sequence[_Part]) -> int:
    return math.prod(part.steps for part in parts)


def turning(move: Move, tile: Short, *, streamed: bool) -> Runner:
    """Return the runner of a move by its tile."""
    size = move.unit_bytes
    count = _units(tile.rows)
    direct = _is_direct(tile.rows, size, streamed=streamed)
    strip = _strip(tile, size, streamed=streamed)
    along_source = strip is not None and len(tile.columns) == 1
    header = [count, _units(tile.columns), tile.run * size, streamed, direct]
    header += [*_strip_numbers(strip, size), along_source]
    rows = _distances([(x.steps, x.loop.source_stride * size) for x in tile.rows])
    rows += rows[:1] * (_REGISTER // size - count)
    inner = [
        Loop(x.steps, x.loop.source_stride, x.loop.target_stride) for x in reversed(tile.inner)
    ]
    tables = (steps_of(inner, size), rows, *_places(tile, size, direct=direct))
    calls = [
        numbers_of([*begins(strips), *header], steps_of(strips.loops, size), *tables)
        for strips in _strips(move, tile, strip, along_source=along_source)
    ]
    return calling(kernel_short.turn_short, *calls, units=units_of(move, 1))


def _places(tile: Short, size: int, *, direct: bool) -> tuple[list[int], list[int]]:
    """Return the places of the columns, and those of the runs of a tile on both sides.

    Runs lie apart in scratch memory, because a register may be stored beyond the end of one. If
    columns go ``direct`` to the target, their places are there, and no run is copied.
    """
    in_target = {x.loop: x.loop.target_stride * size for x in tile.columns}
    if direct:
        return _distances([(x.steps, in_target[x.loop]) for x in tile.columns]), []
    pitch = -(-(tile.run * size + _REGISTER) // _LINE) * _LINE
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


def _strip(tile: Short, size: int, *, streamed: bool) -> _Strip | None:
    """Return the tiles that follow each other along a run; None if one tile has the whole run.

    The line between two tiles lies whole in one of them, so they overlap by a line if streamed.
    """
    part = next((x for x in (*tile.rows, *tile.inner) if not x.whole), None)
    if part is None:
        return None
    each = tile.run // part.steps * size
    overlap = -(-_LINE // each) if streamed else 0
    if 2 * overlap > part.steps:
        return None
    step = part.steps - overlap
    extent = part.loop.extent
    return _Strip(part.loop, -(-(extent - overlap) // step), step, extent - part.steps)


def _strip_numbers(strip: _Strip | None, size: int) -> list[int]:
    if strip is None:
        return [1, 0, 0, 0, 0]
    loop = strip.loop
    strides = (loop.source_stride * size, loop.target_stride * size)
    return [strip.tiles, *(strip.step * x for x in strides), *(strip.last * x for x in strides)]


def _strips(move: Move, tile: Short, strip: _Strip | None, *, along_source: bool) -> Iterator[Move]:
    """Yield moves of strips, instead of units; the last tile of a loop overlaps the one before."""
    steps = {x.loop: x.steps for x in (*tile.rows, *tile.columns, *tile.inner)}
    choices: list[list[tuple[int, Loop]]] = []
    for x in move.loops:
        n = x.extent if strip and strip.loop is x else steps.get(x, 1)
        whole = Loop(x.extent // n, x.source_stride * n, x.target_stride * n)
        choices.append([(0, whole)])
        if x.extent % n:
            choices[-1].append((x.extent - n, Loop(1, 0, 0)))
    for chosen in product(*choices):
        firsts = list(zip(chosen, move.loops, strict=True))
        source = (move.source or 0) + sum(k * x.source_stride for (k, _), x in firsts)
        target = move.target + sum(k * x.target_stride for (k, _), x in firsts)
        loops = [x for _, x in chosen if x.extent > 1]
        loops.sort(key=lambda x: -abs(x.source_stride if along_source else x.target_stride))
        yield replace(move, source=source, target=target, loops=tuple(loops))
