"""Vertices in layers by the library fast-sugiyama, in a process that can be ended if it is long.

The library keeps the interpreter to itself while it works: what is large runs in a process of its
own, which runs this file, so that the server goes on answering and the time has a limit.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

Point = tuple[float, float]
Pair = tuple[int, int]

MOST_HERE = 6_000  # edges and the layers that they span; more than this is done in a process
SECONDS = 8.0
_NARROW = 0.15  # of a vertex: the width of an edge that passes


class TooSlowError(Exception):
    """The library did not finish in time."""


def layered(pairs: list[Pair], weight: int) -> tuple[dict[int, Point], dict[Pair, list[Point]]]:
    """Places of vertices and the bends of each edge: columns to the right, layers downwards from 0.

    ``pairs``: edges between vertices, each once. ``weight``: edges and the layers that they span.
    Errors: TooSlowError.
    """
    parts = _place(pairs) if weight <= MOST_HERE else _elsewhere(pairs)
    places: dict[int, Point] = {}
    following: dict[int, int] = {}
    firsts: dict[Pair, list[int]] = {}
    left = 0.0
    real = {vertex for pair in pairs for vertex in pair}
    for part, edges in parts:
        lows = [min(xy[axis] for _, xy in part) for axis in (0, 1)]
        highs = [max(xy[axis] for _, xy in part) for axis in (0, 1)]
        for vertex, (x, y) in part:
            places[vertex] = (x - lows[0] + left, highs[1] - y)
        left += highs[0] - lows[0] + 1
        for a, b in edges:
            if a in real:
                firsts.setdefault((a, b), []).append(b)
            else:
                following[a] = b
    bends: dict[Pair, list[Point]] = {}
    for a, b in firsts:
        passed = []
        at = b
        while at not in real:
            passed.append(places[at])
            at = following[at]
        bends[(a, at)] = passed
    return places, bends


def _place(pairs: Iterable[Pair]) -> list[Any]:
    from fast_sugiyama import from_edges  # noqa: PLC0415  # takes 0.1 s

    laid = from_edges(
        [(a, b) for a, b in pairs], vertex_spacing=1, dummy_vertices=True, dummy_size=_NARROW
    )
    return [(part, edges or []) for part, _, _, edges in laid]


def _elsewhere(pairs: list[Pair]) -> list[Any]:
    from ...reorder import children  # noqa: PLC0415  # the process runs this file without the package

    try:
        done = subprocess.run(  # noqa: S603  # this file
            children.command(
                f"import runpy; runpy.run_path({__file__!r}, run_name='__main__')", "-I"
            ),
            input=json.dumps(pairs).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise TooSlowError from None
    found: list[Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_place(map(tuple, json.load(sys.stdin)))))
