"""Runners that transpose rows of the source to columns of the target, and their tiles.

A target in cache gets its columns at once. So does a large one if they begin at lines. Otherwise a
tile is built in scratch memory, and whole lines are stored from there. docs/decisions/0031 and 0037
have the measurements.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..moves import Move, Runner
from ..ranges import Loop
from . import kernel_parts, kernel_transpose
from .instructions import LINE, REGISTER
from .prepared import ZEROS, begins, calling, numbers_of, rows_of, steps_of, units_of

LANES: Final = (4, 2)
_LONGEST_ROW_BYTES: Final = 12 << 10  # of a tile in cache: less than the page of zeros
_LONGEST_ROW: Final = kernel_parts.TILE_BYTES // 64  # units: columns under a line fit in scratch
_COLUMN_BYTES: Final = 2048  # up to this size, a tile takes whole columns of a target without gaps
_UNALIGNED_BYTES: Final = 8192  # the same if parts of columns would not begin at a line
_SHORT_ROW_BYTES: Final = 128  # in cache, several passes over such rows read the same lines
_SHORT_TILE_BYTES: Final = 1 << 14  # of such rows
_STAGED_BYTES: Final = 1 << 12  # of a tile in scratch memory, of columns without gaps
_STAGED_COLUMN_BYTES: Final = 512  # of a tile in scratch


@dataclass(frozen=True, slots=True)
class Transpose:
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


@dataclass(frozen=True, slots=True)
class Tile:
    """``rows``, and ``length`` units of each."""

    rows: int
    length: int


def runner(what: Transpose, *, streamed: bool) -> Runner:
    """Return the runner of a transpose, for any alignment of source and target."""
    size, inner, count = what.move.unit_bytes, what.chain[0], what.count
    tile = tile_of(count, what.along.extent, what.column_stride, size, streamed=streamed)
    rows = max(tile.rows, inner.steps) if inner.fill or what.kept else tile.rows
    row_bytes = what.along.extent * size
    if not streamed and len(what.chain) > 1 and row_bytes <= _SHORT_ROW_BYTES:
        rows = min(rows, max(_SHORT_TILE_BYTES // row_bytes, inner.steps, LINE // size))
    step = rows * inner.source_stride * size
    if count > rows and (len(what.chain) > 1 or inner.fill or what.kept):
        below = count // what.chain[-1].steps
        rows = max(rows // below, 1) * below
        step = rows // below * what.chain[-1].source_stride * size
    rows = min(count, rows)
    units = units_of(what.move, _lanes(what, rows, streamed=streamed))
    header = [count, rows, step, what.along.extent, what.column_stride, tile.length]
    header += [ZEROS.ctypes.data, streamed]
    partial: list[int] = []  # the partial row: its index, the bytes kept, and a mask of 16 bytes
    if what.kept:
        mask = np.zeros((16 // size, size), np.uint8)
        mask[:, : what.kept] = 0xFF
        partial = [inner.extent - 1, what.kept, *mask.ravel().view(np.int64).tolist()]
    tables = (steps_of(what.loops, size), *rows_of(what.chain, rows, size), partial)
    numbers = numbers_of([*begins(what.move), *header], *tables)
    return calling(kernel_transpose.transpose, units, numbers)


def tile_of(count: int, length: int, stride: int, size: int, *, streamed: bool) -> Tile:
    """Return the tile of ``count`` rows of ``length`` units, with ``stride`` between columns.

    If streamed, a tile is made of whole lines of memory on both sides, and of few of them.
    """
    line = LINE // size
    if not streamed:
        most = max(16 * line, _COLUMN_BYTES // size if stride == count * size else 0)
        longest = min(length, _LONGEST_ROW_BYTES // size, _LONGEST_ROW)
        return Tile(min(count, most), longest)
    whole = _COLUMN_BYTES
    if stride % LINE:
        whole = min(_UNALIGNED_BYTES, kernel_parts.TILE_BYTES // 2 // line)
    if stride == count * size <= whole:
        most = max(_STAGED_BYTES // stride // line * line, line)
        return Tile(count, min(length, 8 * line, most))
    return Tile(min(count, _STAGED_COLUMN_BYTES // size), min(length, line))


def _lanes(what: Transpose, tile_rows: int, *, streamed: bool) -> int:
    """Return how many registers to join: as many as rows fill, or the fewest that hold all rows.

    Bytes in cache are joined in pairs, except for columns of one line or of several loops, and
    very short rows: docs/decisions/0031 has the measurements.
    """
    size, count = what.move.unit_bytes, what.count
    group = REGISTER // size
    plain = len(what.chain) == 1 and what.along.extent >= group
    in_pairs = plain and not streamed and size < REGISTER and (size > 1 or count != LINE)
    joined: tuple[int, ...] = LANES[1:] if in_pairs else LANES
    if count == tile_rows:
        holding = next((n for n in (1, *reversed(joined)) if n * group >= count), None)
        if holding and 4 * count >= 3 * holding * group:
            return holding
    return next((n for n in joined if n * group <= tile_rows), 1)
