"""A long drawing broken into columns, as text is broken into lines."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, sqrt

Point = tuple[float, float]

_LEAST_LAYERS = 6  # in a column
_NARROW = 0.2  # of the width that only lines pass through
_MARGIN = 0.05
_GUTTER = 0.3  # of a column's unit, on both sides of a line that leads to the next column
_APART = 0.09  # of a unit, between two such lines


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
    if not places:
        return Drawing(0.0, 0.0, [], [])
    layers = ceil(max(y for _, y in places)) + 1
    cuts = [] if aspect is None else _cuts(places, routes, layers, aspect, unit)
    starts = [0, *cuts]
    squeezed = _squeezed(places, routes, starts)
    # The left edge of each column, then where the next one would begin.
    *lefts, end = accumulate((each.width + 2 * _GUTTER for each in squeezed), initial=0.0)
    width = end - 2 * _GUTTER
    tall = max(b - a for a, b in zip(starts, [*starts[1:], layers], strict=True))

    def column(y: float) -> int:
        return bisect_right(starts, y + 1e-6) - 1

    def moved(point: Point) -> Point:
        k = column(point[1])
        x = squeezed[k](point[0]) + lefts[k]
        return x * unit[0], (point[1] - starts[k] + 0.5) * unit[1]

    # What leads on to the next column, from the right: lines of different tensors lie apart.
    ends: dict[Point, int] = {}
    for start, *_, end_at in routes:
        ends[start] = max(ends.get(start, 0), column(end_at[1]))
    lanes: list[dict[Point, int]] = [{} for _ in starts]
    for start in sorted(ends, key=lambda at: (-column(at[1]), -at[0])):
        for k in range(column(start[1]), ends[start]):
            lanes[k][start] = len(lanes[k])

    def way(route: list[Point]) -> list[Point]:
        found = [moved(route[0])]
        for before, after in pairwise(route):
            for k in range(column(before[1]), column(after[1])):
                lane, count = lanes[k][route[0]], len(lanes[k])
                apart = min(_APART, _GUTTER / count)
                edge = (lefts[k + 1] - _GUTTER + (lane - (count - 1) / 2) * apart) * unit[0]
                low = (starts[k + 1] - starts[k] - (count - 1 - lane) * apart) * unit[1]
                high = lane * apart * unit[1]
                into = moved(after)[0] if k + 1 == column(after[1]) else edge
                found += [(found[-1][0], low), (edge, low), (edge, high), (into, high)]
            found.append(moved(after))
        return found

    return Drawing(
        width * unit[0], tall * unit[1], [moved(each) for each in places], list(map(way, routes))
    )


def _cuts(
    places: list[Point], routes: list[list[Point]], layers: int, aspect: float, unit: Point
) -> list[int]:
    """The layers that begin a new column."""
    widest = max(each.width for each in _squeezed(places, routes, [0])) if places else 1.0
    count = max(1, round(sqrt(aspect * layers * unit[1] / (widest * unit[0]))))
    count = min(count, layers // _LEAST_LAYERS)
    if count < 2:
        return []
    change = [0] * (layers + 2)
    for route in {(tuple(each[0]), tuple(each[-1])) for each in routes}:
        change[int(route[0][1]) + 1] += 1
        change[int(route[1][1]) + 1] -= 1
    crossing = list(accumulate(change))
    cuts: list[int] = []
    each = layers / count
    for k in range(1, count):
        middle, reach = k * each, each / 3
        near = range(max(1, ceil(middle - reach)), min(layers - 1, int(middle + reach)) + 1)
        # A third to each side: no layer is near two of the middles.
        cuts.append(min(near, key=lambda at: (crossing[at], abs(at - middle))))
    return cuts


class _Squeezed:
    """The x of one column of the drawing: what only lines pass through is made narrow."""

    def __init__(self, boxes: list[float], lines: list[float]) -> None:
        everything = [*((x - 0.5, x + 0.5) for x in boxes), *((x, x) for x in lines)]
        low, high = min(a for a, _ in everything), max(b for _, b in everything)
        self._froms, self._tos = [low], [_MARGIN]
        for x in sorted(boxes):
            self._add(x - 0.5, _NARROW)
            self._add(x + 0.5, 1)
        self._add(high, _NARROW)
        self.width = self._tos[-1] + _MARGIN

    def _add(self, x: float, factor: float) -> None:
        if x > self._froms[-1]:
            self._tos.append(self._tos[-1] + (x - self._froms[-1]) * factor)
            self._froms.append(x)

    def __call__(self, x: float) -> float:
        """The new x of an old one."""
        at = min(max(bisect_right(self._froms, x), 1), len(self._froms) - 1)
        (a, b), (c, d) = self._froms[at - 1 : at + 1], self._tos[at - 1 : at + 1]
        return c + (x - a) * (d - c) / (b - a)


def _squeezed(places: list[Point], routes: list[list[Point]], starts: list[int]) -> list[_Squeezed]:
    boxes: list[list[float]] = [[] for _ in starts]
    lines: list[list[float]] = [[] for _ in starts]
    for found, points in ((boxes, places), (lines, [each for way in routes for each in way])):
        for x, y in points:
            found[bisect_right(starts, y + 1e-6) - 1].append(x)
    return [_Squeezed(*each) for each in zip(boxes, lines, strict=True)]
