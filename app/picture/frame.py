"""How large a grid is drawn, and in which detail: texts, single cells, or a texture."""

import math
from dataclasses import dataclass
from typing import Final

from .colours import Theme
from .grids import MOST_CELL_CSS, AddressRows, Planes
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
