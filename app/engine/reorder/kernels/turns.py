"""Runners that turn rows of the source to columns of the target, and their tiles.

Where columns begin decides how they are stored. If all begin at lines of memory, or at one place
of a line and can be cut or rotated there, registers go straight to the target. Otherwise a tile
is built in scratch memory, and whole lines are stored from there; tiles that follow each other
overlap by a line, so that each line lies whole in one of them. docs/decisions/0031 has the
measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..interface import Runner
from ..moves import Move
from ..ranges import Loop
from . import kernel_tables, kernel_transpose
from .prepared import ZEROS, begins, calling, numbers_of, one_of, rows_of, steps_of, units_of

_LINE: Final = 64
_REGISTER: Final = 16
LANES: Final = (4, 2)
_LEAST_TILE_BYTES: Final = 1 << 14  # streamed, of whole columns
_MOST_TILE_BYTES: Final = 1 << 15
_ROW_BYTES: Final = 512
_LONGEST_ROW_BYTES: Final = 12 << 10  # of a tile in cache: less than the page of zeros
_LONGEST_ROW: Final = kernel_tables.TILE_BYTES // 64  # units: columns under a line fit in scratch
_ROTATED_IN_CACHE: Final = 8  # bytes of a unit: loads of smaller units then cross lines
_ROTATED_ROW_BYTES: Final = 128  # shorter rows are not worth the ends that are turned apart
_COLUMN_BYTES: Final = 2048  # up to this size, a tile takes whole columns of a target without gaps
_UNALIGNED_BYTES: Final = 8192  # the same if parts of columns would not begin at a line
_SHORT_ROW_BYTES: Final = 128  # in cache, several passes over such rows read the same lines
_SHORT_TILE_BYTES: Final = 1 << 14  # of such rows
_NEAR_BYTES: Final = 40 << 10  # rows that lie within so many stay in the first cache
_STAGED_BYTES: Final = 2048  # of a tile in scratch, of columns without gaps
_STAGED_COLUMN_BYTES: Final = 512  # of a tile in scratch: of these, 64 are turned twice


@dataclass(frozen=True, slots=True)
class Turn:
    """A transpose as rows ``along`` the source and columns of ``chain``, with ``loops`` around.

    ``kept``: if the last row is partial, the bytes of each unit that are elements; else 0.
    """

    move: Move
    kept: int
    along: Loop
    chain: tuple[Loop, ...]
    loops: tuple[Loop, ...]

    @property
    def count(self) -> int:
        """Units of a column: the number of rows."""
        return math.prod(loop.steps for loop in self.chain)

    @property
    def column_stride(self) -> int:
        """Bytes between the columns of the target."""
        return self.along.target_stride * self.move.unit_bytes

    @property
    def may_be_cut_anywhere(self) -> bool:
        """Whether a tile may begin at any row."""
        return len(self.chain) == 1 and not self.chain[0].fill and not self.kept


@dataclass(frozen=True, slots=True)
class Tile:
    """``rows``, and ``length`` units of each."""

    rows: int
    length: int


def turning(turn: Turn, *, streamed: bool) -> Runner:
    """Return the runner of a turn for any alignment of source and target."""
    size, stride = turn.move.unit_bytes, turn.column_stride
    between = _runner(turn, streamed=streamed, at_lines=False, moved=0)
    if stride % _LINE:
        return between
    whole = stride == turn.count * size <= _COLUMN_BYTES
    moved = 0
    long = turn.along.extent * size >= _ROTATED_ROW_BYTES
    if (streamed or size >= _ROTATED_IN_CACHE) and whole and not turn.kept and long:
        moved = kernel_transpose.ROTATED
    elif turn.may_be_cut_anywhere and not whole:
        moved = kernel_transpose.PEELED
    if moved != kernel_transpose.PEELED and any(x.target_stride * size % _LINE for x in turn.loops):
        return between
    at_lines = _runner(turn, streamed=streamed, at_lines=True, moved=moved)
    first, beside = turn.move.target * size, (size if moved else _LINE) - 1

    return one_of(between, at_lines, lambda place, _size: bool(place + first & beside))


def _runner(turn: Turn, *, streamed: bool, at_lines: bool, moved: int) -> Runner:
    """Return the runner for columns that begin ``at_lines``, or for any others.

    ``moved``: if 0, all of them do. Otherwise they begin at one place of a line, and PEELED or
    ROTATED says what the kernel does.
    """
    size, inner, count = turn.move.unit_bytes, turn.chain[0], turn.count
    tile = tile_of(
        count, turn.along.extent, turn.column_stride, size, streamed=streamed, at_lines=at_lines
    )
    rows = max(tile.rows, inner.steps) if inner.fill or turn.kept else tile.rows
    row_bytes = turn.along.extent * size
    is_short = not streamed and len(turn.chain) > 1 and row_bytes <= _SHORT_ROW_BYTES
    if is_short and moved != kernel_transpose.ROTATED:  # which takes whole columns
        rows = min(rows, max(_SHORT_TILE_BYTES // row_bytes, inner.steps, _LINE // size))
    row_step, step, overlap = inner.source_stride * size, 0, 0
    if count > rows and streamed and not at_lines and turn.may_be_cut_anywhere:
        overlap = _LINE // size if rows * size >= 4 * _LINE else 0
        step = (rows - overlap) * row_step
    elif count > rows:
        below = count // turn.chain[-1].steps
        rows = max(rows // below, 1) * below
        step = rows // below * turn.chain[-1].source_stride * size
    rows = min(count, rows)
    units = units_of(turn.move, _lanes(turn, rows, streamed=streamed))
    header = [count, rows, step, turn.along.extent, turn.column_stride, tile.length]
    near = len(turn.chain) > 1 or rows * abs(row_step) <= _NEAR_BYTES
    header += [ZEROS.ctypes.data, streamed, overlap, moved, row_step, near]
    tables = (steps_of(turn.loops, size), *rows_of(turn.chain, rows, size), _partial(turn))
    numbers = numbers_of([*begins(turn.move), *header], *tables)
    return calling(kernel_transpose.transpose, numbers, units=units, ends=True)


def _partial(turn: Turn) -> list[int]:
    """Return the table of the partial row: its index, bytes kept, and a mask of 16 bytes."""
    if not turn.kept:
        return []
    mask = np.zeros((16 // turn.move.unit_bytes, turn.move.unit_bytes), np.uint8)
    mask[:, : turn.kept] = 0xFF
    return [turn.chain[0].extent - 1, turn.kept, *mask.ravel().view(np.int64).tolist()]


def tile_of(
    count: int, length: int, stride: int, size: int, *, streamed: bool, at_lines: bool
) -> Tile:
    """Return the tile of ``count`` rows of ``length`` units, with ``stride`` between columns.

    If streamed, a tile is made of whole lines of memory on both sides, and of few of them.
    """
    line = _LINE // size
    if not streamed:
        most = max(16 * line, _COLUMN_BYTES // size if stride == count * size else 0)
        longest = min(length, _LONGEST_ROW_BYTES // size, _LONGEST_ROW)
        return Tile(min(count, most), longest)
    whole = _COLUMN_BYTES
    if stride % _LINE:
        whole = min(_UNALIGNED_BYTES, kernel_tables.TILE_BYTES // 2 // line)
    if stride == count * size <= whole:
        row = _ROW_BYTES if size > 1 else _ROW_BYTES // 2
        most = min(max(count * row, _LEAST_TILE_BYTES), _MOST_TILE_BYTES)
        if not at_lines:
            most = _STAGED_BYTES if size >= 4 else 2 * _STAGED_BYTES
        return Tile(count, min(length, max(line, most // stride // line * line)))
    if not at_lines:
        return Tile(min(count, _STAGED_COLUMN_BYTES // size), min(length, line))
    if size <= 2:
        return Tile(min(count, line), min(length, line // 2))
    return Tile(min(count, 4 * line), min(length, line))


def _lanes(turn: Turn, tile_rows: int, *, streamed: bool) -> int:
    """Return how many registers to join: as many as rows fill, or the fewest that hold all rows.

    Bytes in cache are joined in pairs, except for columns of one line or of several loops, and
    very short rows: docs/decisions/0031 has the measurements.
    """
    size, count = turn.move.unit_bytes, turn.count
    group = _REGISTER // size
    plain = len(turn.chain) == 1 and turn.along.extent >= group
    in_pairs = plain and size == 1 and not streamed and count != _LINE
    joined: tuple[int, ...] = LANES[1:] if in_pairs else LANES
    if count == tile_rows:
        holding = next((n for n in (1, *reversed(joined)) if n * group >= count), None)
        if holding and 4 * count >= 3 * holding * group:
            return holding
    return next((n for n in joined if n * group <= tile_rows), 1)
