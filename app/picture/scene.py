"""A picture as parts in the order of drawing, in pixels; each writer knows them all."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """Words on their baseline. ``colour``: as ``#rrggbb``. ``anchor``: ``start``, ``middle`` or
    ``end`` lies at ``x``. ``mono``: in a font whose characters have one width.
    """

    x: float
    y: float
    text: str
    colour: str
    size: float = 11
    anchor: str = "start"
    mono: bool = True
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """The same mark in several cells of a side, whose upper left corners are ``places``.

    ``shape``: ``fill``, ``outline``, ``hatch`` (padding), ``gap``, ``shared``, ``cross``
    (undetermined), ``line`` (a cache line begins), ``edge`` (another unit begins), ``kept`` (same
    address in A and B), ``frame`` (chosen). ``colour``: of the mark; ``back``: around it.
    """

    shape: str
    colour: str
    back: str
    side: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Rectangles of one colour: left, top, width and height."""

    colour: str
    boxes: tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell is, and what is written in it. ``at``: its coordinate, if there is one.

    ``fill``: its colour, where the cell itself carries it; else a layer below does.
    """

    x: int
    y: int
    address: int
    kind: str
    at: tuple[int, ...] | None
    text: str = ""
    ink: str = ""
    fill: str = ""


@dataclass(frozen=True, slots=True)
class Raster:
    """Pixels, words 0xrrggbb of shape (high, wide), each ``scale`` wide: of many cells."""

    x: int
    y: int
    pixels: npt.NDArray[np.int64]
    scale: int


@dataclass(slots=True)
class Grid:
    """One grid, while and after it is drawn: its right and lower end, what lies below and above
    the cells, their size and that of their texts. ``view``: ``logical`` or ``memory``.
    """

    view: str
    right: int
    bottom: int
    side: int
    below: list[Marks | Raster] = field(default_factory=list)
    cells: tuple[Cell, ...] = ()
    above: list[Bars | Marks | Text] = field(default_factory=list)
    font: float = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture. ``about``: for a reader who does not see it."""

    width: int
    height: int
    title: str
    about: str
    ground: str
    parts: tuple[Grid | Marks | Text, ...] = field(default=())
