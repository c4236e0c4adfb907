"""The grids of a page before its scripts run: cells in rows, and how they fit into a window."""

import math
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.inverse.owners import KINDS
from ..picture.cells import Cells, Painting
from ..picture.colours import Palette, Theme, hexadecimal, palette
from ..picture.drawing import colours_of, every_cell
from ..picture.gaps import NO_GAPS, Gaps, gaps_of
from ..picture.grids import MOST_CELL_CSS, AddressRows, Planes, row_length
from ..picture.png import encoded

_MARGIN_CSS: Final = 6
_OPENING_CSS, _MOST_OPENING_CSS, _RECOGNISABLE_CSS, _THIN_CSS = 19.65, 28, 80, 24
_LEAST_FRACTION_CSS, _WORTH_ROUNDING = 8, 0.8  # smaller cells have whole pixels, mostly
_MOST_READ: Final = 4096  # cells: of more, none opens larger to be read
_MOST_WIDE, _MOST_TIMES, _MOST_EMPTY = 1.9, 2.5, 1 / 3
_MOST_NARROW, _BESIDE_NARROW_CSS = 16, 40
_CHARACTER_CSS, _COMFORTABLE, _ROOMY, _MOST_COMFORTABLE = 0.58 * 11, 0.84, 0.8, 4
_TIGHT: Final = _COMFORTABLE / 0.92  # of a column, where one more plane then fits
_USUAL, _LEAST, _MOST, _STEP, _WORTH = 0.45, 0.3, 0.62, 0.02, 0.02


@dataclass(frozen=True, slots=True)
class Painted:
    """One cell: its text, its kind (of KINDS, "" between planes), its place in the palette."""

    kind: str = ""
    text: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class ReadablePart:
    """Columns of so much that texts can be read, and the first column and row of the window."""

    text_css: float
    left_cells: float
    top_cells: float


@dataclass(frozen=True, slots=True)
class ArrangedGrid:
    """Cells in rows of ``columns``, right and below of the labels along the edges.

    ``found``: its cells, (n,), row by row where ``there`` is one, (rows, columns). Equal grids of
    one tensor have equal cells.
    """

    columns: int
    rows: int
    inset_left_css: int
    inset_top_css: int
    painting: Painting = field(compare=False)
    found: Cells = field(compare=False)
    there: npt.NDArray[np.bool_] = field(compare=False)
    places: Planes | AddressRows = field(compare=False)
    gaps: Gaps = NO_GAPS

    def cells(self) -> list[Painted]:
        """All of it, row by row."""
        shown = [Painted()] * self.there.size
        painted = _painted(self.painting, self.found)
        for at, cell in zip(np.flatnonzero(self.there).tolist(), painted, strict=True):
            shown[at] = cell
        return shown

    def pixels(self, theme: Theme) -> str:
        """A pixel for each cell, as the URL of a PNG."""
        pixels = np.full(self.there.shape, int(theme.background, 16))
        pixels[self.there] = colours_of(theme, palette(self.painting.scale, theme), self.found)
        return f"data:image/png;base64,{b64encode(encoded(pixels)).decode()}"

    def fitting_css(self, width_css: float, height_css: float) -> float:
        """The side of a cell when all of them show."""
        across = max(1, width_css - self.inset_left_css - _MARGIN_CSS) / self.columns
        down = max(1, height_css - self.inset_top_css - _MARGIN_CSS) / self.rows
        return min(across, down, MOST_CELL_CSS)

    def is_cut(self, width_css: float, height_css: float) -> bool:
        """Whether the page opens it larger than the whole: a thin line, or texts too small."""
        whole = self.fitting_css(width_css, height_css)
        if self.is_thin(width_css, height_css):
            return True
        across = (width_css - self.inset_left_css - _MARGIN_CSS) / self.columns
        small = min(self.columns, self.rows) * whole < _RECOGNISABLE_CSS
        reads = (across >= _OPENING_CSS and self.columns * self.rows <= _MOST_READ) or small
        return whole < min(_OPENING_CSS, across, _MOST_OPENING_CSS) and reads

    def reading(
        self, width_css: float, height_css: float, chosen: Sequence[int] | None
    ) -> ReadablePart | None:
        """How the planes open in a narrow window: ``readPlanes`` of static/core/grid/shown.js.

        ``chosen``: the cell of a link. None where the window shows the whole.
        """
        planes = self.places
        if not isinstance(planes, Planes):
            return None
        text_css = text_column(max(map(len, self.painting.texts(self.found)), default=1))
        whole = self.fitting_css(width_css, height_css)
        if chosen is None and _MOST_TIMES * whole < text_css:
            return None
        cell = max(whole, _OPENING_CSS)
        across = width_css - self.inset_left_css - _MARGIN_CSS
        down = height_css - self.inset_top_css - _MARGIN_CSS
        gap = planes.pitch_columns - planes.wide
        tight = min(self.columns, across / (text_css * _TIGHT))
        if (fitting := int((tight + gap) / planes.pitch_columns)) > 0:
            text_css = min(text_css, across / (fitting * planes.pitch_columns - gap))
        column = max(text_css, min(across / self.columns, cell * _MOST_WIDE))
        coordinates = np.array([chosen or [0] * self.painting.shown.rank], np.int64)
        at, row = (int(places.item()) for places in planes.places(coordinates))
        room = across / column
        left = _first_plane(at, planes.wide, planes.pitch_columns, room, self.columns)
        top = _first_plane(row, planes.high, planes.pitch_rows, down / cell, self.rows)
        return None if left is None or top is None else ReadablePart(text_css, left, top)

    def needed_css(self, width_css: float, height_css: float, chosen: Sequence[int] | None) -> int:
        """The height of all rows as they open in a narrow window."""
        row = self.fitting_css(width_css, height_css)
        if self.reading(width_css, height_css, chosen):
            row = max(row, _OPENING_CSS)
        elif self.is_cut(width_css, height_css):
            across = (width_css - self.inset_left_css - _MARGIN_CSS) / self.columns
            row = max(row, min(_OPENING_CSS, across))
        elif row < _LEAST_FRACTION_CSS and math.floor(row) >= row * _WORTH_ROUNDING:
            row = math.floor(row)
        return math.ceil(self.inset_top_css + self.rows * row + _MARGIN_CSS)

    def is_thin(self, width_css: float, height_css: float) -> bool:
        """Whether the whole would be a thin line."""
        return _THIN_CSS / min(self.columns, self.rows) > self.fitting_css(width_css, height_css)


def _first_plane(cell: int, extent: int, pitch: int, room: float, cells: int) -> float | None:
    """The first cell of a window; None where it has no room for a plane."""
    if extent > room:
        return None
    if cell + 1 <= room:
        return 0
    first = pitch * max(0, math.ceil((cell // pitch * pitch + extent - room) / pitch))
    last = max(0, cells - room)
    return last if first - last > _MOST_EMPTY * room else first


def text_column(characters: int) -> float:
    """The least width of a column whose texts are told apart."""
    part = _ROOMY if characters > _MOST_COMFORTABLE else _COMFORTABLE
    return max(1, characters) * _CHARACTER_CSS / part


def narrow_columns(width_css: float, addresses: int) -> int:
    """Columns of a memory whose numbers can be told apart in a narrow window."""
    text_css = max(_OPENING_CSS, text_column(len(str(max(0, addresses - 1)))))
    return min(_MOST_NARROW, max(1, int((width_css - _BESIDE_NARROW_CSS) / text_css)))


def memory(painting: Painting, most: float = math.inf) -> ArrangedGrid:
    """The memory, in rows that the page chooses; ``most``: columns of a narrow window."""
    buffer = painting.buffer_elements
    columns = row_length(painting.layout, buffer, most)
    gaps = gaps_of(painting.layout, columns)
    return replace(_arranged(AddressRows(buffer, columns), painting), gaps=gaps)


def logical(
    painting: Painting, aspect: float, *, blocked: bool = True, named: bool = True
) -> ArrangedGrid:
    """The planes of the last two dimensions, arranged for a window of that aspect.

    ``blocked``: a row of planes is a block. ``named``: with room for the name of the rows.
    """
    return _arranged(Planes(painting.shown, aspect, blocked=blocked, named=named), painting)


def _arranged(grid: Planes | AddressRows, painting: Painting) -> ArrangedGrid:
    insets = (grid.inset_left_css, grid.inset_top_css)
    return ArrangedGrid(
        grid.columns, grid.rows, *insets, painting, *every_cell(painting, grid), grid
    )


def _painted(painting: Painting, cells: Cells) -> tuple[Painted, ...]:
    kinds, entries = map(KINDS.__getitem__, cells.kinds), cells.entries.tolist()
    stored, texts = cells.stored.tolist(), painting.texts(cells)
    return tuple(
        Painted(kind, text, entry) if there else Painted(kind)
        for kind, text, entry, there in zip(kinds, texts, entries, stored, strict=True)
    )


def paint(of: Palette, entry: int) -> dict[str, str | None]:
    """The ``fill``, the ``ink`` and the ``outline`` of a place, None where a cell needs none."""
    words = {"fill": of.fills, "ink": of.inks, "outline": of.outlines}
    found = {name: each.item(entry) for name, each in words.items()}
    return {name: hexadecimal(word) if word >= 0 else None for name, word in found.items()}


def fair_share(
    height_css: float, upper: Callable[[float], float], lower: Callable[[float], float]
) -> float:
    """The upper grid's part of a height: ``static/core/grid/share.js``."""

    def gain(share: float) -> float:
        cells = (upper(share * height_css), lower((1 - share) * height_css))
        return sum(math.log(min(max(cell, 4), MOST_CELL_CSS)) for cell in cells)

    best, most, share = _USUAL, gain(_USUAL) + _WORTH, _LEAST
    while share <= _MOST:
        if gain(share) > most:
            best, most = share, gain(share)
        share += _STEP
    return best
