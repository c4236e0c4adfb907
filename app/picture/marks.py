"""What a mark looks like in a cell, as outlines that every format draws."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

HATCH: Final = 6  # pixels from line to line, along the edge of a cell


@dataclass(frozen=True, slots=True)
class Outline:
    """A way from (x, y), pixels from the corner of a cell, along ``moves`` from point to point."""

    x: float
    y: float
    moves: tuple[tuple[float, float], ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Layer:
    """Outlines of one colour, ``colour`` or ``back`` of their mark. ``width``: of their line in
    pixels, 0 where they are filled.
    """

    outlines: tuple[Outline, ...]
    width: float = 0
    back: bool = False


@lru_cache(maxsize=256)
def layers(shape: str, side: int) -> tuple[Layer, ...]:
    """The layers of a mark, the lowest first. ``shape``: see ``scene.Marks``."""
    return _SHAPES[shape](side)


def box(x: float, y: float, wide: float, high: float) -> Outline:
    """A rectangle."""
    return Outline(x, y, ((wide, 0), (0, high), (-wide, 0)))


def _frame(inset: float, side: float) -> tuple[Outline]:
    return (box(inset, inset, side - 2 * inset, side - 2 * inset),)


def _hatch(side: int) -> tuple[Layer, ...]:
    """Lines from the lower left to the upper right."""
    found = []
    for at in range(HATCH, 2 * side, HATCH):
        size = min(at, 2 * side - at)
        start = max(0, at - side), min(at, side)
        found.append(Outline(*start, ((size, -size),), closed=False))
    return (Layer(tuple(found), 1),)


def _gap(side: int) -> tuple[Layer, ...]:
    dot, inner = max(1.2, min(3, side * 0.1)), max(1, side - 3)
    middle = (side - dot) / 2
    frame = box(1.5, 1.5, inner, inner)
    return Layer((frame,), 1, back=True), Layer((box(middle, middle, dot, dot),))


def _shared(side: int) -> tuple[Layer, ...]:
    corner = min(9, max(3, side * 0.3))
    triangle = (Outline(side, 0, ((0, corner), (-corner, -corner))),)
    return Layer(triangle), Layer(triangle, 1, back=True)


def _cross(side: int) -> tuple[Layer, ...]:
    third, size = side * 0.3, side * 0.4
    ways = ((third, size), (side - third, -size))
    return (Layer(tuple(Outline(x, third, ((dx, size),), closed=False) for x, dx in ways), 1),)


def _kept(side: int) -> tuple[Layer, ...]:
    length = 5 if side < 24 else 7
    bars = tuple(box(1, side - up, length, 1) for up in (5, 2))
    return Layer((box(0, side - 6, length + 2, 6),), back=True), Layer(bars)


_SHAPES: Final[dict[str, Callable[[int], tuple[Layer, ...]]]] = {
    "fill": lambda side: (Layer(_frame(0, side)),),
    "outline": lambda side: (Layer(_frame(0.5, side), 1),),
    "hatch": _hatch,
    "gap": _gap,
    "shared": _shared,
    "cross": _cross,
    "line": lambda side: (Layer((box(-1.5, -1, 2, max(3, side * 0.28)),)),),
    "edge": lambda side: (
        Layer((box(-2.5, -1, 4, side + 1),), back=True),
        Layer((box(-1.5, -1, 2, side + 1),)),
    ),
    "kept": _kept,
    "frame": lambda side: (Layer(_frame(-1, side), 5, back=True), Layer(_frame(-1, side), 2)),
}
