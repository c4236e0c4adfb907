"""How large a grid is drawn, in which detail, and what stands along its edges.

A cell has a text, is drawn alone, or is part of a texture. Along the edges stand coordinates,
addresses, planes, cache lines.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from ..engine.model.layout import Layout
from .colours import Theme
from .grids import CHARACTER_CSS, MOST_CELL_CSS, AddressRows, Planes
from .scene import Marks, Place, Text

WIDTH, MARGIN = 976, 16
MOST_WRITTEN, MOST_CELLS = 1200, 4096  # cells of all grids of a picture
LEAST_OUTLINED, LEAST_BORDERED = 8, 5
LABEL: Final = 11
_MARK_COLOURS: Final = {"hatch": "hatch", "gap": "muted", "cross": "muted", "frame": "select"}
_BACKS: Final = {"gap": "line"}
_HEIGHT, _HIGHEST, _HIGHEST_TEXTURE, _LEAST_TEXTURE = 520, 2400, 240, 480
_WIDEST_CELL, _LEAST_WRITTEN = 36, 13
_FONT_PER_CHARACTER, _TEXT_PER_CELL, _SMALLEST_FONT, _LARGEST_FONT = 0.62, 0.86, 6.6, 18.0


@dataclass(frozen=True, slots=True)
class Brush:
    """What the grids of one picture have in common. ``shares``: how many they are.

    ``chosen``: a coordinate, or None. ``seen``: the names of all marks that were drawn.
    """

    theme: Theme
    shares: int
    chosen: tuple[int, ...] | None
    seen: set[str]

    def colour(self, name: str) -> str:
        """A colour of the theme."""
        return f"#{getattr(self.theme, name)}"

    def label(self, x: float, y: float, text: str, anchor: str = "start") -> Text:
        """Words on an edge, around the height ``y``."""
        return Text(x, y + LABEL * 0.35, text, self.colour("muted"), LABEL, anchor)

    def marks(self, shape: str, side: int, places: tuple[Place, ...]) -> Marks:
        """Marks that the legend explains, in their colours."""
        self.seen.add(shape)
        colour = self.colour(_MARK_COLOURS.get(shape, "text"))
        return Marks(shape, colour, self.colour(_BACKS.get(shape, "background")), side, places)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a grid lies: its corner, the pixels of a cell, its columns and rows.

    ``written``: whether cells carry texts. ``side``: of a cell, or of a pixel that stands for
    ``step`` cells across and ``step_rows`` down.
    """

    x: int
    y: int
    side: int
    columns: int
    rows: int
    written: bool = False
    step: float = 1
    step_rows: float = 1

    @property
    def ends(self) -> tuple[int, int]:
        """Its right and its lower end."""
        wide, high = math.ceil(self.columns / self.step), math.ceil(self.rows / self.step_rows)
        return self.x + wide * self.side, self.y + high * self.side

    @property
    def pitch(self) -> float:
        """Pixels from column to column."""
        return self.side / self.step

    @property
    def pitch_rows(self) -> float:
        """Pixels from row to row."""
        return self.side / self.step_rows

    def place(self, column: float, row: float) -> tuple[float, float]:
        """The upper left corner of a cell."""
        return self.x + column * self.pitch, self.y + row * self.pitch_rows


def sampled(grid: Planes | AddressRows, top: int) -> Frame:
    """The frame of a texture below ``top``."""
    x, y, across = _corner(grid, top)
    down = _HIGHEST_TEXTURE / grid.rows
    side = max(1, min(math.floor(min(across, down)), LEAST_BORDERED - 1))
    # A memory of very many rows is pressed together, not made a thin line.
    across = min(across, max(down, _LEAST_TEXTURE / grid.columns))
    step, step_rows = max(1.0, side / across), max(1.0, side / min(across, down))
    return Frame(x, y, side, grid.columns, grid.rows, step=step, step_rows=step_rows)


def framed(grid: Planes | AddressRows, top: int, characters: int | None) -> Frame:
    """The frame of a grid of cells below ``top``. ``characters``: of a text; None for no texts."""
    x, y, across = _corner(grid, top)
    highest = math.floor(min(across, _HIGHEST / grid.rows))
    # A high grid is drawn higher than others rather than in cells that cannot be seen.
    usual = math.floor(min(across, _HEIGHT / grid.rows, _WIDEST_CELL))
    side = max(usual, min(LEAST_OUTLINED, highest), 1)
    if characters is None:
        return Frame(x, y, side, grid.columns, grid.rows)
    wished = math.ceil(_SMALLEST_FONT * max(1, characters) * _FONT_PER_CHARACTER / _TEXT_PER_CELL)
    side = min(max(side, min(max(wished, _LEAST_WRITTEN), highest)), MOST_CELL_CSS)
    written = side >= _LEAST_WRITTEN and font_size(side, characters) >= _SMALLEST_FONT
    return Frame(x, y, side, grid.columns, grid.rows, written)


def _corner(grid: Planes | AddressRows, top: int) -> tuple[int, int, float]:
    """The corner of a grid, whose labels begin at the margin; the most pixels of a column."""
    x, y = MARGIN + grid.inset_left_css - 3, top + grid.inset_top_css
    return x, y, max(1, WIDTH - x) / grid.columns


def font_size(side: float, characters: int) -> float:
    """The size at which so many characters fit into a cell: ``static/core/grid/zoom.js``."""
    wide = side * _TEXT_PER_CELL / (max(1, characters) * _FONT_PER_CHARACTER)
    return min(wide, side * 0.5, _LARGEST_FONT)


_LEAST_PLANE, _LEAST_ROWS = 24, 36
_LINE_BYTES: Final = 64
_LEAST_LINE: Final = 12
_MOST_LABELS: Final = 4096
_TWO_LABELS: Final = 34  # pixels of two lines of labels


def grouped(number: int) -> str:
    """An integer with narrow spaces between the thousands."""
    return f"{number:,}".replace(",", "\u202f") if number > 999 else str(number)


def label_step(pitch: float, room: float, *, binary: bool = False) -> int:
    """The least step between labels that do not overlap: 1, 2, 5, 10, … or a power of two."""
    least = room / pitch
    if least <= 1:
        return 1
    if binary:
        return 1 << math.ceil(math.log2(least))
    decade = 10 ** math.floor(math.log10(least))
    return int(next((f * decade for f in (1, 2, 5, 10) if f * decade >= least), 10 * decade))


def memory_edges(frame: Frame, brush: Brush, buffer_elements: int) -> Iterator[Text]:
    """The address of each row, and the columns' offsets from it."""
    for row in range(0, frame.rows, label_step(frame.pitch_rows, LABEL + 4)):
        if row * frame.columns < buffer_elements:
            yield _beside(frame, brush, row, grouped(row * frame.columns))
    room = (len(grouped(frame.columns)) + 1) * CHARACTER_CSS
    step = label_step(frame.pitch, room + 8, binary=frame.columns % 4 == 0)
    for column in range(0, frame.columns, step):
        yield _above(frame, brush, (column, 0), f"+{grouped(column)}", room)


def logical_edges(layout: Layout, planes: Planes, frame: Frame, brush: Brush) -> Iterator[Text]:
    """The coordinates along the planes, of which the first says its dimension; their own labels."""
    if not layout.rank or not layout.elements:
        return
    *_, row_name, column_name = ("", *(layout.dims[d].lower() for d in planes.order))
    room = len(grouped(planes.wide - 1)) * CHARACTER_CSS
    step = label_step(frame.pitch, room + 8)
    roomy = frame.pitch >= (len(column_name) + 2) * CHARACTER_CSS
    least = _LEAST_PLANE / frame.pitch
    along = [*_along(frame.columns, planes.pitch_columns, planes.wide, step, least)]
    lines = range(0, frame.rows if _is_ticked(planes, frame) else 1, planes.pitch_rows)
    columns = np.array([column for column, _ in along], np.int64)
    _, there = planes.coordinates_at(columns[None, :], np.array(lines)[:, None])
    for (row, (column, index)), seen in zip(product(lines, along), there.flat, strict=True):
        text = f"{column_name} 0" if roomy and index == 0 else grouped(index)
        if seen:
            yield _above(frame, brush, (column, row), text, room)
    several = layout.rank < 3 or _has_names(planes, frame)
    if layout.rank > 1 and (several or planes.pitch_rows * frame.pitch_rows >= _LEAST_ROWS):
        step = label_step(frame.pitch_rows, LABEL + 4)
        roomy = (len(row_name) + 2) * CHARACTER_CSS + 8 < planes.inset_left_css
        for row, index in _along(frame.rows, planes.pitch_rows, planes.high, step, step):
            text = f"{row_name} 0" if roomy and index == 0 else grouped(index)
            if several or index or not row:  # else the name of its plane
                yield _beside(frame, brush, row, text)
    if layout.rank > 2:
        yield from _plane_labels(layout, planes, frame, brush)
    if not several:
        yield from _line_labels(layout, planes, frame, brush)


def _has_names(planes: Planes, frame: Frame) -> bool:
    """Whether there is room for a name above each line of planes, not the first alone."""
    gap, down = planes.gap_rows * frame.pitch_rows, planes.pitch_rows * frame.pitch_rows
    return gap >= LABEL - 1 and down >= _LEAST_PLANE


def _line_labels(layout: Layout, planes: Planes, frame: Frame, brush: Brush) -> Iterator[Text]:
    """Beside a line of planes: in what its first one differs from that of the line before."""
    down = planes.pitch_rows * frame.pitch_rows
    step, first = label_step(down, LABEL + 4, binary=True), int(down >= _LEAST_ROWS)
    lines = np.arange(first, planes.lines if planes.lines > 1 else 0, step)[:_MOST_LABELS, None]
    rows = lines * planes.pitch_rows, (abs(lines - 1)) * planes.pitch_rows
    found, before = (planes.coordinates_at(np.zeros((1, 1), np.int64), row)[0] for row in rows)
    for line, at, other in zip(lines[:, 0].tolist(), found.tolist(), before.tolist(), strict=True):
        dim = next(d for d in planes.order if at[d] != other[d])
        text = f"{layout.dims[dim].lower()} {grouped(at[dim])}"
        yield _beside(frame, brush, line * planes.pitch_rows, text)


def _is_ticked(planes: Planes, frame: Frame) -> bool:
    """Whether each line of planes has room for its coordinates, not the first alone."""
    return planes.gap_rows * frame.pitch_rows >= _TWO_LABELS


def _above(frame: Frame, brush: Brush, cell: tuple[int, int], text: str, room: float) -> Text:
    """A label in the middle of a column, or from its left where the column is narrow."""
    x, y = frame.place(*cell)
    if frame.pitch >= room:
        return brush.label(x + (frame.pitch - 1) / 2, y - 8, text, "middle")
    return brush.label(x, y - 8, text)


def _beside(frame: Frame, brush: Brush, row: int, text: str) -> Text:
    y = frame.place(0, row)[1] + max(frame.pitch_rows - 1, LABEL) / 2
    return brush.label(frame.x - 7, y, text, "end")


def _along(end: int, pitch: int, extent: int, step: int, least: float) -> Iterator[tuple[int, int]]:
    """Cells with a label and their index in the plane, per plane."""
    if step >= extent > 1:  # a single 0 above every small plane would say nothing
        return
    every = max(1, math.ceil(least / pitch))
    for start in range(0, min(end, pitch * every * (_MOST_LABELS + 1)), pitch * every):
        for at in range(0, min(extent, end - start), step):
            if at == 0 or pitch - at >= step * 0.8:
                yield start + at, at


def _plane_labels(layout: Layout, planes: Planes, frame: Frame, brush: Brush) -> Iterator[Text]:
    """Labels in the gaps above the planes; far from all, of some of the uppermost ones."""
    across = planes.pitch_columns * frame.pitch
    # Of a line the first label is whole; the others name the last dimension where that is all.
    ends = [size - 1 for size in layout.shape]
    longest = len(_label(layout, planes, ends, whole=False))
    every = max(1, math.ceil((longest + 1) * CHARACTER_CSS / across))
    fits = len(_label(layout, planes, ends, whole=True)) * CHARACTER_CSS < across * every - 2
    several = planes.lines if _has_names(planes, frame) else 1
    lines = np.arange(min(several, _MOST_LABELS)) * planes.pitch_rows
    columns = np.arange(0, min(planes.across, _MOST_LABELS), every) * planes.pitch_columns
    found, there = planes.coordinates_at(columns[None, :], lines[:, None])
    end, before = 0.0, -1
    for at, (row, column) in enumerate(product(lines.tolist(), columns.tolist())):
        if not there.flat[at]:
            continue
        end, before = end if row == before else 0.0, row
        x, y = frame.place(column, row)
        if x < end:
            continue
        text = _label(layout, planes, found[at].tolist(), whole=not end or fits)
        height = 20 if row == 0 or _is_ticked(planes, frame) else 3
        yield Text(x, y - height, text, brush.colour("muted"), LABEL)
        end = x + len(text) * CHARACTER_CSS + 4


def _label(layout: Layout, planes: Planes, at: Sequence[int], *, whole: bool) -> str:
    """The outer indices of the plane of a coordinate; of dimensions of one, the last alone."""
    *outer, last = planes.order[:-2]
    said = [*(d for d in outer if whole and layout.shape[d] > 1), last]
    names = [f"{layout.dims[d].lower()} {grouped(at[d])}" for d in said]
    if at[last] < layout.shape[last]:
        return " ".join(names)
    return f"{names[-1]}, padding" if whole else names[-1]


def cache_lines(frame: Frame, brush: Brush, buffer_elements: int, item_bits: int) -> list[Marks]:
    """Small marks where a cache line begins."""
    line = _LINE_BYTES * 8 // item_bits
    if line < 2 or frame.side * line < _LEAST_LINE:
        return []
    row, column = np.divmod(np.arange(0, buffer_elements, line), frame.columns)
    x, y = frame.x + column * frame.side, frame.y + row * frame.side
    places = tuple(zip(x.tolist(), y.tolist(), strict=True))
    return [brush.marks("line", frame.side, places)]
