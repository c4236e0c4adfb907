"""A picture as parts in the order of drawing, in pixels; each writer knows them all.

What a mark looks like in a cell is given as ways that every format draws.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

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


HATCH: Final = 6  # pixels from line to line, along the edge of a cell


# Pixels from the corner of a cell to where a way begins, and the way as SVG writes it: h, v, l, z.
Way = tuple[float, float, str]


@dataclass(frozen=True, slots=True)
class Layer:
    """Ways of one colour, ``colour`` or ``back`` of their mark. ``width``: of their line in pixels,
    0 where they are filled.
    """

    ways: tuple[Way, ...]
    width: float = 0
    back: bool = False


@lru_cache(maxsize=256)
def layers(shape: str, side: int) -> tuple[Layer, ...]:
    """The layers of a mark, the lowest first. ``shape``: see ``Marks``."""
    match shape:
        case "fill":
            return (Layer(_frame(0, side)),)
        case "outline":
            return (Layer(_frame(0.5, side), 1),)
        case "hatch":  # lines from the lower left to the upper right
            found = []
            for at in range(HATCH, 2 * side, HATCH):
                size = min(at, 2 * side - at)
                found.append((max(0, at - side), min(at, side), f"l{size} {-size}"))
            return (Layer(tuple(found), 1),)
        case "gap":
            dot, inner = max(1.2, min(3, side * 0.1)), max(1, side - 3)
            middle = (side - dot) / 2
            frame = _box(1.5, 1.5, inner, inner)
            return Layer((frame,), 1, back=True), Layer((_box(middle, middle, dot, dot),))
        case "shared":
            corner = min(9, max(3, side * 0.3))
            triangle = ((side, 0, f"v{corner:g}l{-corner:g} {-corner:g}z"),)
            return Layer(triangle), Layer(triangle, 1, back=True)
        case "cross":
            third, long = side * 0.3, side * 0.4
            ways = ((third, long), (side - third, -long))
            return (Layer(tuple((x, third, f"l{dx:g} {long:g}") for x, dx in ways), 1),)
        case "line":
            return (Layer((_box(-1.5, -1, 2, max(3, side * 0.28)),)),)
        case "edge":
            wide, narrow = _box(-2.5, -1, 4, side + 1), _box(-1.5, -1, 2, side + 1)
            return Layer((wide,), back=True), Layer((narrow,))
        case "kept":
            length = 5 if side < 24 else 7
            bars = tuple(_box(1, side - up, length, 1) for up in (5, 2))
            return Layer((_box(0, side - 6, length + 2, 6),), back=True), Layer(bars)
        case _:
            return Layer(_frame(-1, side), 5, back=True), Layer(_frame(-1, side), 2)


def _box(x: float, y: float, wide: float, high: float) -> Way:
    return x, y, f"h{wide:g}v{high:g}h{-wide:g}z"


def _frame(inset: float, side: float) -> tuple[Way]:
    return (_box(inset, inset, side - 2 * inset, side - 2 * inset),)
