"""arrange: a network as a drawing, with positions in units that any screen can scale.

A long drawing is broken into columns, as text is broken into lines.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise
from math import ceil, sqrt
from typing import Literal

from ...model.errors import refusal
from ..graph import Graph
from .folds import Fold, find_folds
from .layered import TooSlowError, layered

MOST_VERTICES = 3_000
MOST_WEIGHT = 60_000  # edges and the layers that they span
COLUMN = 176.0
LAYER = 84.0
_LEAST_LAYERS = 6  # in a column
_NARROW = 0.2  # of the width that only lines pass through
_MARGIN = 0.05
_GUTTER = 0.3  # of a column's unit, on both sides of a line that leads to the next column
_APART = 0.09  # of a unit, between two such lines

Point = tuple[float, float]
VertexKind = Literal["input", "node", "fold", "reorder"]


@dataclass(frozen=True, slots=True)
class Copied:
    """A reorder to draw: a copy of ``tensor`` for the nodes ``readers``, by name."""

    tensor: str
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vertex:
    """One thing that is drawn, around its middle ``x``, ``y`` in units; ``layer`` counts from 0.

    ``name``: the input's, or the (first) node's; the tensor's for a reorder. ``first``: number of
    the first node, or of the reorder. ``period``, ``repeats``: of a fold, else 1.
    """

    kind: VertexKind
    name: str
    first: int
    x: float
    y: float
    layer: int
    period: int = 1
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Edge:
    """A tensor on its way from one vertex (its number) to another, through ``points``."""

    tensor: str
    source: int
    target: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A drawing of ``width`` by ``height`` units, its left upper corner at 0, 0."""

    width: float
    height: float
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]


def arrange(
    graph: Graph,
    *,
    reorders: Sequence[Copied] = (),
    fold: bool = False,
    unfolded: Collection[str] = (),
    aspect: float | None = None,
) -> Arrangement:
    """Lay out ``graph`` in layers from top to bottom.

    ``reorders``: drawn as vertices between the tensor and its readers. ``fold``: draw repeated
    blocks as one vertex, except a first block whose first node is named in ``unfolded``; those
    after it stay one vertex. Of blocks that are nearly the whole network, the first is drawn too.
    ``aspect``: the wished width through height; a long network is then broken into columns.
    Errors: LayoutError naming ``reorders[i]``, or ``graph.nodes`` where they are too many.
    """
    drawn = _Drawn(graph, find_folds(graph) if fold else (), unfolded)
    for i, each in enumerate(reorders):
        drawn.copy(i, each)
    drawn.connect()
    return placed(drawn.vertices, list(drawn.edges), aspect)


class _Drawn:
    def __init__(self, graph: Graph, folds: Sequence[Fold], unfolded: Collection[str]) -> None:
        self.graph = graph
        self.vertices: list[Vertex] = []
        self.sources: dict[str, int] = {}
        self.at: list[int] = [0] * len(graph.nodes)
        self.copies: set[tuple[str, int]] = set()  # of a tensor, for the vertex that reads it
        self.edges: dict[tuple[str, int, int], None] = {}
        for name in graph.inputs:
            self.sources[name] = self._add("input", name, 0)
        starts = {}
        for each in folds:
            first, repeats = each.first, each.repeats
            nearly_all = 10 * each.period * repeats >= 9 * len(graph.nodes)
            while repeats > 1 and (nearly_all or graph.nodes[first].name in unfolded):
                first, repeats, nearly_all = first + each.period, repeats - 1, False
            if repeats > 1:
                starts[first] = Fold(first, each.period, repeats)
        index = 0
        while index < len(graph.nodes):
            found = starts.get(index, Fold(index, 1, 1))
            kind: VertexKind = "fold" if index in starts else "node"
            vertex = self._add(kind, graph.nodes[index].name, index, found.period, found.repeats)
            self.at[index : found.end] = [vertex] * (found.end - index)
            index = found.end
        for tensor, producer in graph.producers.items():
            self.sources[tensor] = self.at[producer]
        if len(self.vertices) > MOST_VERTICES:
            got = f"{len(self.vertices)} things to draw"
            raise refusal("graph.nodes", got, "drawing.things", most=MOST_VERTICES)
        self.names = {node.name: node.index for node in graph.nodes}

    def _add(
        self, kind: VertexKind, name: str, first: int, period: int = 1, repeats: int = 1
    ) -> int:
        self.vertices.append(Vertex(kind, name, first, 0.0, 0.0, 0, period, repeats))
        return len(self.vertices) - 1

    def copy(self, i: int, each: Copied) -> None:
        """Add the vertex of a reorder, unless all of it happens inside a fold."""
        source = self.sources.get(each.tensor)
        if source is None and each.tensor not in self.graph.constants:
            raise refusal(f"reorders[{i}].tensor", "a name that no tensor has", "tensor.named")
        targets: dict[int, None] = {}
        for k, name in enumerate(each.readers):
            reader = self.names.get(name)
            if reader is None or each.tensor not in self.graph.nodes[reader].inputs:
                where = f"reorders[{i}].readers[{k}]"
                raise refusal(where, "a name of no reader", "nodes.reading")
            targets[self.at[reader]] = None
        if source is not None:
            targets.pop(source, None)
        if each.readers and not targets:
            return
        vertex = self._add("reorder", each.tensor, i)
        if source is not None:
            self.edges[each.tensor, source, vertex] = None
        for target in targets:
            self.edges[each.tensor, vertex, target] = None
            self.copies.add((each.tensor, target))

    def connect(self) -> None:
        """Add the edges from tensors to their readers, where no reorder stands between."""
        for tensor, source in self.sources.items():
            for reader in self.graph.readers.get(tensor, ()):
                target = self.at[reader]
                if target != source and (tensor, target) not in self.copies:
                    self.edges[tensor, source, target] = None


def placed(
    vertices: Sequence[Vertex], edges: Sequence[tuple[str, int, int]], aspect: float | None
) -> Arrangement:
    """Positions for all vertices, ways for all edges: a tensor's name, from a vertex to another.

    Nothing may lead back to where it began. Errors: LayoutError naming ``graph.nodes`` where they
    are too many.
    """
    count = len(vertices)
    ways, pairs, weight = _taps(count, edges)
    if weight > MOST_WEIGHT:
        got = "a network with too many long edges to draw"
        raise refusal("graph.nodes", got, "drawing.crossings", most=MOST_WEIGHT)
    try:
        places, bends = layered(pairs, weight) if pairs else ({}, {})
    except TooSlowError:
        got = "a network that takes too long to draw"
        raise refusal("graph.nodes", got, "drawing.slow") from None
    right = max((x for x, _ in places.values()), default=-1.0)
    for alone in (at for at in range(count) if at not in places):
        right += 1
        places[alone] = (right, 0.0)
    routes = []
    for way in ways:
        route = [places[way[0]]]
        for a, b in pairwise(way):
            route += [*bends.get((a, b), ()), places[b]]
        routes.append(route)
    points = [places[at] for at in range(count)]
    width, height, points, routes = _wrap(points, routes, aspect)
    found = tuple(
        replace(vertex, x=x, y=y, layer=int(places[at][1]))
        for at, (vertex, (x, y)) in enumerate(zip(vertices, points, strict=True))
    )
    drawn = tuple(Edge(*edge, tuple(r)) for edge, r in zip(edges, routes, strict=True))
    return Arrangement(width, height, found, drawn)


def _taps(
    count: int, edges: Sequence[tuple[str, int, int]]
) -> tuple[list[list[int]], list[tuple[int, int]], int]:
    """Way of each edge through taps, the pairs to lay out, and the layers that they span.

    A tensor that is read in several layers is one line with a tap before each reader, not a line
    for each: a dense block of 24 layers has 24 lines side by side then, not 300.
    """
    layers = _layers(count, edges)
    targets: dict[tuple[str, int], list[int]] = {}
    for tensor, source, target in edges:
        targets.setdefault((tensor, source), []).append(target)
    pairs: dict[tuple[int, int], None] = {}
    lines: dict[tuple[str, int, int], list[int]] = {}
    for (tensor, source), found in targets.items():
        last = max(layers[target] for target in found)
        way = [source]
        for target in sorted(found, key=lambda vertex: layers[vertex]):
            if layers[way[-1]] + 1 < layers[target] < last:
                layers.append(layers[target] - 1)
                way.append(len(layers) - 1)
                pairs[way[-2], way[-1]] = None
            pairs[way[-1], target] = None
            lines[tensor, source, target] = [*way, target]
    weight = sum(max(1, layers[b] - layers[a]) for a, b in pairs)
    return [lines[edge] for edge in edges], list(pairs), weight


def _layers(count: int, edges: Sequence[tuple[str, int, int]]) -> list[int]:
    """The longest way to each vertex from a vertex that nothing leads to."""
    before: dict[int, list[int]] = {vertex: [] for vertex in range(count)}
    for _, source, target in edges:
        before[target].append(source)
    layers = [0] * count
    for vertex in TopologicalSorter(before).static_order():
        layers[vertex] = max((layers[each] + 1 for each in before[vertex]), default=0)
    return layers


def _wrap(
    places: list[Point], routes: list[list[Point]], aspect: float | None
) -> tuple[float, float, list[Point], list[list[Point]]]:
    """Width, height, places and routes in units; a long drawing is broken into columns.

    ``aspect``: the wished width through height; None keeps one column. A column ends where the
    fewest lines lead on.
    """
    if not places:
        return 0.0, 0.0, [], []
    layers = ceil(max(y for _, y in places)) + 1
    cuts = [] if aspect is None else _cuts(places, routes, layers, aspect)
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
        return x * COLUMN, (point[1] - starts[k] + 0.5) * LAYER

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
                edge = (lefts[k + 1] - _GUTTER + (lane - (count - 1) / 2) * apart) * COLUMN
                low = (starts[k + 1] - starts[k] - (count - 1 - lane) * apart) * LAYER
                high = lane * apart * LAYER
                into = moved(after)[0] if k + 1 == column(after[1]) else edge
                found += [(found[-1][0], low), (edge, low), (edge, high), (into, high)]
            found.append(moved(after))
        return found

    return width * COLUMN, tall * LAYER, list(map(moved, places)), list(map(way, routes))


def _cuts(places: list[Point], routes: list[list[Point]], layers: int, aspect: float) -> list[int]:
    """The layers that begin a new column."""
    [whole] = _squeezed(places, routes, [0])
    count = round(sqrt(aspect * layers * LAYER / (whole.width * COLUMN)))
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
