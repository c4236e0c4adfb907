"""Blocks of a network that repeat: runs of nodes that are alike, one directly after the other."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import compress, groupby

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..nodes import Node

MOST_PERIOD = 512
LEAST_SAVED = 4  # nodes that a fold takes out of the picture, or it is not worth one
_MOST_STEPS = 1 << 17  # nodes of runs that are compared


@dataclass(frozen=True, slots=True)
class Fold:
    """``repeats`` runs of ``period`` nodes that are alike, the first one from ``first`` on."""

    first: int
    period: int
    repeats: int

    @property
    def end(self) -> int:
        """The first node behind the last run."""
        return self.first + self.period * self.repeats


def find_folds(graph: Graph) -> tuple[Fold, ...]:
    """The repeated blocks of ``graph`` in order; they do not overlap.

    Two blocks are alike if their nodes have the same operators, attributes, element types and
    kernels, and read each other alike; sizes may grow. Each block reads the one before it, and
    otherwise the same tensors from outside; only the last one is read outside. What repeats most
    often is folded first.
    """
    numbers: dict[Hashable, int] = {}  # the same for nodes that are alike
    each_mark = [numbers.setdefault(_mark(graph, node), len(numbers)) for node in graph.nodes]
    marks, crossing = np.array(each_mark, dtype=np.int64), _crossing(graph)
    made = [
        [graph.producers[name] for name in node.inputs if name in graph.producers]
        for node in graph.nodes
    ]
    read = ([graph.readers.get(name, (0,))[-1] for name in node.outputs] for node in graph.nodes)
    last = np.array([max(found, default=0) for found in read])
    found = [
        (-repeats, period, start, length)
        for period in range(1, min(len(marks) // 2, MOST_PERIOD) + 1)
        for start, length in _runs(marks[:-period] == marks[period:])
        if (repeats := length // period + 1) > 1 and (repeats - 1) * period >= LEAST_SAVED
    ]
    taken = np.zeros(len(marks), dtype=bool)
    folds: list[Fold] = []
    steps = 0
    for _, period, start, length in sorted(found):
        # Any of these starts gives runs of like nodes. A block begins where the fewest tensors
        # cross.
        starts = range(start, start + length % period + 1)
        count = period * (length // period + 1)
        steps += count + len(starts)
        if taken[starts[-1] : start + count].any():
            continue
        first = min(starts, key=lambda at: (_leaks(last, at, period, count), crossing[at], -at))
        if taken[first : first + count].any() or _leaks(last, first, period, count):
            continue
        if steps > _MOST_STEPS:
            break
        for fold in _alike(made, first, period, count // period):
            taken[fold.first : fold.end] = True
            folds.append(fold)
    return tuple(sorted(folds, key=lambda fold: fold.first))


def _leaks(last: NDArray[np.int64], first: int, period: int, count: int) -> bool:
    """Whether a block before the last one is read outside; ``last``: the last reader of a node."""
    return bool((last[first : first + count - period] >= first + count).any())


def _alike(made: list[list[int]], first: int, period: int, repeats: int) -> Iterator[Fold]:
    """The folds among runs of like nodes; ``made``: the nodes whose results each node reads."""
    inside, outside, chained = [], [], []
    for begin in range(first, first + period * repeats, period):
        reads = [sorted(at - begin for at in made[begin + k]) for k in range(period)]
        inside.append([[at for at in found if at >= 0] for found in reads])
        outside.append({at + begin for found in reads for at in found if at + begin < first})
        chained.append(any(-period <= at < 0 for found in reads for at in found))
    group, groups = 0, [0]
    for k in range(1, repeats):
        # The first block also reads what the others read of the one before them.
        same = outside[k] == outside[k - 1] if k > 1 else outside[k] <= outside[0]
        group += not (same and chained[k] and inside[k] == inside[k - 1])
        groups.append(group)
    for _, members in groupby(range(repeats), key=groups.__getitem__):
        run = list(members)
        if (len(run) - 1) * period >= LEAST_SAVED:
            yield Fold(first + run[0] * period, period, len(run))


def _mark(graph: Graph, node: Node) -> Hashable:
    read, made = (map(graph.type, side) for side in (node.inputs, node.outputs))
    constants = [name in graph.constants for name in node.inputs]
    kernels = tuple(each and each.shape[2:] for each in compress(read, constants))
    types = tuple(each and (each.rank, each.dtype.name) for each in made)
    return node.op, repr(sorted(node.attributes.items())), kernels, types


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
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(start, end - start) for start, end in pairs]
