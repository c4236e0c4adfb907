"""A long drawing broken into columns, as text is broken into lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

Point = tuple[float, float]

_LEAST_LAYERS = 6  # in a column
_GUTTER = 0.35  # of a column's unit, on both sides of a line that leads to the next column


@dataclass(frozen=True, slots=True)
class Drawing:
    """Places and ways in units, from 0 to ``width`` and ``height``."""

    width: float
    height: float
    places: list[Point]
    routes: list[list[Point]]


def wrap(
    places: list[Point], routes: list[list[Point]], aspect: float | None, unit: Point
) -> Drawing:
    """Scale places (columns, layers) by ``unit`` and break them into columns for ``aspect``.

    ``aspect``: the wished width through height; None keeps one column. A column ends where the
    fewest lines lead on.
    """
    layers = ceil(max((y for _, y in places), default=0.0)) + 1
    cuts = [] if aspect is None else _cuts(places, routes, layers, aspect, unit)
    starts = [0, *cuts]
    lefts, lows, width = _lefts(places, routes, starts)
    tall = max(b - a for a, b in zip(starts, [*starts[1:], layers], strict=True))

    def column(y: float) -> int:
        return bisect_right(starts, y + 1e-6) - 1

    def moved(point: Point) -> Point:
        k = column(point[1])
        return (
            (point[0] - lows[k] + lefts[k] + 0.5) * unit[0],
            (point[1] - starts[k] + 0.5) * unit[1],
        )

    def way(route: list[Point]) -> list[Point]:
        found = [moved(route[0])]
        for before, after in pairwise(route):
            for k in range(column(before[1]), column(after[1])):
                edge = (lefts[k + 1] - _GUTTER) * unit[0]
                low = (starts[k + 1] - starts[k]) * unit[1]
                found += [(found[-1][0], low), (edge, low), (edge, 0.0)]
                into = moved(after)[0] if k + 1 == column(after[1]) else edge
                found.append((into, 0.0))
            found.append(moved(after))
        return found

    return Drawing(
        width * unit[0], tall * unit[1], [moved(each) for each in places], list(map(way, routes))
    )


def _cuts(
    places: list[Point], routes: list[list[Point]], layers: int, aspect: float, unit: Point
) -> list[int]:
    """The layers that begin a new column."""
    widest = max((x for x, _ in places), default=0.0) + 1
    count = max(1, round(sqrt(aspect * layers * unit[1] / (widest * unit[0]))))
    count = min(count, layers // _LEAST_LAYERS)
    if count < 2:
        return []
    change = [0] * (layers + 2)
    for route in {(tuple(each[0]), tuple(each[-1])) for each in routes}:
        change[int(route[0][1]) + 1] += 1
        change[int(route[1][1]) + 1] -= 1
    crossing = _sums(change)
    cuts: list[int] = []
    each = layers / count
    for k in range(1, count):
        middle, reach = k * each, max(1, each / 3)
        near = range(max(1, ceil(middle - reach)), min(layers - 1, int(middle + reach)) + 1)
        found = min(near, key=lambda at: (crossing[at], abs(at - middle)), default=0)
        if found > (cuts[-1] if cuts else 0):
            cuts.append(found)
    return cuts


def _sums(change: list[int]) -> list[int]:
    total, sums = 0, []
    for each in change:
        total += each
        sums.append(total)
    return sums


def _lefts(
    places: list[Point], routes: list[list[Point]], starts: list[int]
) -> tuple[list[float], list[float], float]:
    """Left edge and least x of each column, and the width of all."""
    least = [float("inf")] * len(starts)
    most = [0.0] * len(starts)
    for x, y in [*places, *(point for route in routes for point in route)]:
        k = bisect_right(starts, y + 1e-6) - 1
        least[k], most[k] = min(least[k], x), max(most[k], x)
    lefts, left = [], 0.0
    for low, high in zip(least, most, strict=True):
        lefts.append(left)
        left += high - low + 1 + 2 * _GUTTER
    return lefts, least, left - 2 * _GUTTER
