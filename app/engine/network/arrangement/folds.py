"""Blocks of a network that repeat: equal runs of nodes, one directly after the other."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..nodes import Node

MOST_PERIOD = 512
LEAST_SAVED = 4  # nodes that a fold takes out of the picture, or it is not worth one


@dataclass(frozen=True, slots=True)
class Fold:
    """``repeats`` equal runs of ``period`` nodes, the first one from node ``first`` on."""

    first: int
    period: int
    repeats: int

    @property
    def end(self) -> int:
        """The first node behind the last run."""
        return self.first + self.period * self.repeats


def find_folds(graph: Graph) -> tuple[Fold, ...]:
    """The repeated blocks of ``graph`` in order; they do not overlap.

    Two nodes are equal if operator, attributes and types of results are, and if each operand comes
    from a node at the same distance before them, from the same input, or is a constant of the
    same type. Runs of nodes that are equal one by one are therefore connected equally too.
    """
    marks = _marks(graph)
    crossing = _crossing(graph)
    found = [
        (-(repeats - 1) * period, period, start, length)
        for period in range(1, min(len(marks) // 2, MOST_PERIOD) + 1)
        for start, length in _runs(marks[:-period] == marks[period:])
        if (repeats := length // period + 1) > 1 and (repeats - 1) * period >= LEAST_SAVED
    ]
    taken = np.zeros(len(marks), dtype=bool)
    folds = []
    for _, period, start, length in sorted(found):
        repeats = length // period + 1
        # Any of these starts gives equal runs. A block begins where the fewest tensors cross.
        starts = range(start, start + length % period + 1)
        first = min(starts, key=lambda at: (crossing[at], -at))
        if not taken[first : first + period * repeats].any():
            taken[first : first + period * repeats] = True
            folds.append(Fold(first, period, repeats))
    return tuple(sorted(folds, key=lambda fold: fold.first))


def _marks(graph: Graph) -> NDArray[np.int64]:
    """A number for each node, the same for equal nodes."""
    numbers: dict[Hashable, int] = {}
    made = {
        name: (node.index, at)
        for node in graph.nodes
        for at, name in enumerate(node.outputs)
        if name
    }
    marks = [numbers.setdefault(_mark(graph, node, made), len(numbers)) for node in graph.nodes]
    return np.array(marks, dtype=np.int64)


def _mark(graph: Graph, node: Node, made: dict[str, tuple[int, int]]) -> Hashable:
    def operand(name: str) -> Hashable:
        if name in made:
            index, at = made[name]
            return node.index - index, at
        return str(graph.types[name]) if name in graph.constants else name

    return (
        node.op,
        repr(sorted(node.attributes.items())),
        tuple(map(operand, node.inputs)),
        tuple(str(graph.types[name]) if name else "" for name in node.outputs),
    )


def _crossing(graph: Graph) -> list[int]:
    """For each node, the number of tensors made before it that it or a later node reads."""
    change = np.zeros(len(graph.nodes) + 1, dtype=np.int64)
    for name, producer in graph.producers.items():
        readers = graph.readers.get(name, ())
        if readers:
            change[producer + 1] += 1
            change[max(readers) + 1] -= 1
    return [int(count) for count in np.cumsum(change)]


def _runs(equal: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and length of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], equal, [False]]).astype(np.int8)))
    return [
        (int(start), int(end - start)) for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]
