"""What a mark looks like in a cell, as ways that every format draws."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

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
    """The layers of a mark, the lowest first. ``shape``: see ``scene.Marks``."""
    return _SHAPES[shape](side)


def _box(x: float, y: float, wide: float, high: float) -> Way:
    return x, y, f"h{wide:g}v{high:g}h{-wide:g}z"


def _frame(inset: float, side: float) -> tuple[Way]:
    return (_box(inset, inset, side - 2 * inset, side - 2 * inset),)


def _hatch(side: int) -> tuple[Layer, ...]:
    """Lines from the lower left to the upper right."""
    found = []
    for at in range(HATCH, 2 * side, HATCH):
        size = min(at, 2 * side - at)
        found.append((max(0, at - side), min(at, side), f"l{size} {-size}"))
    return (Layer(tuple(found), 1),)


def _gap(side: int) -> tuple[Layer, ...]:
    dot, inner = max(1.2, min(3, side * 0.1)), max(1, side - 3)
    middle = (side - dot) / 2
    frame = _box(1.5, 1.5, inner, inner)
    return Layer((frame,), 1, back=True), Layer((_box(middle, middle, dot, dot),))


def _shared(side: int) -> tuple[Layer, ...]:
    corner = min(9, max(3, side * 0.3))
    triangle = ((side, 0, f"v{corner:g}l{-corner:g} {-corner:g}z"),)
    return Layer(triangle), Layer(triangle, 1, back=True)


def _cross(side: int) -> tuple[Layer, ...]:
    third, size = side * 0.3, side * 0.4
    ways = ((third, size), (side - third, -size))
    return (Layer(tuple((x, third, f"l{dx:g} {size:g}") for x, dx in ways), 1),)


def _kept(side: int) -> tuple[Layer, ...]:
    length = 5 if side < 24 else 7
    bars = tuple(_box(1, side - up, length, 1) for up in (5, 2))
    return Layer((_box(0, side - 6, length + 2, 6),), back=True), Layer(bars)


_SHAPES: Final[dict[str, Callable[[int], tuple[Layer, ...]]]] = {
    "fill": lambda side: (Layer(_frame(0, side)),),
    "outline": lambda side: (Layer(_frame(0.5, side), 1),),
    "hatch": _hatch,
    "gap": _gap,
    "shared": _shared,
    "cross": _cross,
    "line": lambda side: (Layer((_box(-1.5, -1, 2, max(3, side * 0.28)),)),),
    "edge": lambda side: (
        Layer((_box(-2.5, -1, 4, side + 1),), back=True),
        Layer((_box(-1.5, -1, 2, side + 1),)),
    ),
    "kept": _kept,
    "frame": lambda side: (Layer(_frame(-1, side), 5, back=True), Layer(_frame(-1, side), 2)),
}
