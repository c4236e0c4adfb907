"""Plans transposes as tiles in shared memory.

The rows of a tile are neighbours in the target, its columns are neighbours in the source. A tile
has about 8 KB, and at least 128 bytes of a line on both sides if so many are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ..moves import Move
from .arguments import TILES, Launch, arguments, counted, step

WORD_BYTES: Final = 4
_LINE_BYTES = 128
_LINE_UNITS = 32
_TILE_BYTES = 8192
_MOST_LISTED = 1024  # rows or columns whose addresses a block keeps in shared memory


def turned(move: Move, alignment_bytes: int) -> Launch:
    """Return the launch for a move of the kernel "transpose".

    ``alignment_bytes``: divides the addresses of both buffers. Errors: TooLargeError.
    """
    return _Turned(move, alignment_bytes).launch()


class _Turned:
    def __init__(self, move: Move, alignment_bytes: int) -> None:
        self.move = move
        size = move.unit_bytes
        self.word = max(WORD_BYTES // size, 1)
        self.aligned = alignment_bytes % WORD_BYTES == 0
        self.line = max(_LINE_UNITS, _LINE_BYTES // size)
        self.area = max(self.line**2, _TILE_BYTES // size)
        self.outer = list(move.loops)
        along = max((x for x in self.outer if x.source_stride == 1), key=lambda x: x.extent)
        across = next(x for x in self.outer if x.target_stride == 1)
        self.outer.remove(along)
        self.outer.remove(across)
        self.row_loops, self.column_loops = [across], [along]
        for area in (0, self.area):
            self._take_in(area)
        self.row_count = counted(math.prod(x.steps for x in self.row_loops))
        self.column_count = counted(math.prod(x.extent for x in self.column_loops))
        self._choose_tile()

    def _take_in(self, area: int) -> None:
        """Add loops that continue the rows or the columns, until both fill a line and ``area``."""
        rows = math.prod(x.steps for x in self.row_loops)
        columns = math.prod(x.extent for x in self.column_loops)
        while rows < self.line or rows * columns < area:
            found = next((x for x in self.outer if x.target_stride == rows), None)
            if found is None:
                break
            self.outer.remove(found)
            self.row_loops.append(found)
            rows *= found.steps
        while columns < self.line or rows * columns < area:
            found = next((x for x in self.outer if x.source_stride == columns), None)
            if found is None:
                break
            self.outer.remove(found)
            self.column_loops.append(found)
            columns *= found.extent

    def _choose_tile(self) -> None:
        row, column = self.row_loops[0], self.column_loops[0]
        count = self.row_count
        self.rows = count if count < 2 * self.line else self._part(count, self.line)
        self.target_is_run = len(self.column_loops) == 1 and (
            self.rows == count == column.target_stride
        )
        most = max(self.area // self.rows, self.line // 2)
        self.columns = self._part(self.column_count, most, listed=not self.target_is_run)
        self.source_is_run = len(self.row_loops) == 1 and (
            not row.fill and self.columns == self.column_count == row.source_stride
        )
        if not self.target_is_run:
            most = max(self.area // self.columns, self.rows)
            self.rows = self._part(count, most, listed=not self.source_is_run)

    def _part(self, count: int, most: int, *, listed: bool = True) -> int:
        """Return how many of ``count`` a tile takes: all, or equal parts that begin at a line."""
        most = min(most, _MOST_LISTED) if listed else most
        most -= most % _LINE_UNITS if most > _LINE_UNITS else 0
        tiles = -(-count // most)
        lines = -(-count // (tiles * _LINE_UNITS)) * _LINE_UNITS
        part = lines if lines <= most else -(-count // (tiles * self.word)) * self.word
        return min(part, count)

    def launch(self) -> Launch:
        """Return the launch: its blocks, shared memory and arguments."""
        size = self.move.unit_bytes
        row_tiles = -(-self.row_count // self.rows)
        column_tiles = -(-self.column_count // self.columns)
        reads = self._is_wide(
            self.move.source or 0,
            [x.source_stride for x in self.outer],
            [] if self.source_is_run else [x.source_stride for x in self.row_loops],
        )
        writes = self._is_wide(
            self.move.target,
            [x.target_stride for x in self.outer],
            [] if self.target_is_run else [x.target_stride for x in self.column_loops],
        )
        read_line = self.columns * (self.rows if self.source_is_run else 1)
        write_line = self.rows * (self.columns if self.target_is_run else 1)
        slots = -(-self.columns // self.word)
        pitch = (-(-self.rows // self.word) | 1) * self.word
        tables = -(-slots * self.word * pitch * size // 8) * 8
        listed = self.rows * (not self.source_is_run) + self.columns * (not self.target_is_run)
        given = arguments(
            TILES,
            [step(x) for x in (*self.row_loops, *self.column_loops, *reversed(self.outer))],
            source=self.move.source or 0,
            target=self.move.target,
            row_tiles=row_tiles,
            column_tiles=column_tiles,
            rows=self.rows,
            columns=self.columns,
            read_words=-(-read_line // (self.word if reads else 1)),
            write_words=-(-write_line // (self.word if writes else 1)),
            row_count=self.row_count,
            column_count=self.column_count,
            pitch=pitch,
            slots=slots,
            tables=tables,
            source_is_run=self.source_is_run,
            target_is_run=self.target_is_run,
            wide_reads=reads,
            wide_writes=writes,
            row_loops=len(self.row_loops),
            column_loops=len(self.column_loops),
            outer_loops=len(self.outer),
        )
        blocks = math.prod(x.steps for x in self.outer) * row_tiles * column_tiles
        return Launch(f"turn_tiles<{size}>", blocks, given, tables + 8 * listed)

    def _is_wide(self, begin: int, *strides: Sequence[int]) -> bool:
        """Whether every line begins at a word."""
        steps = [stride for some in strides for stride in some]
        return self.aligned and math.gcd(begin, *steps) % self.word == 0
