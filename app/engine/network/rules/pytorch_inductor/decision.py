"""Whether inductor optimises layouts, and which nodes then prefer channels_last.

Source: torch/_inductor/graph.py of PyTorch 2.13 (GraphLowering.decide_layout_opt,
find_nodes_prefer_channels_last), torch/utils/flop_counter.py (conv_flop_count).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from ...graph import Graph
from ...nodes import Node

CONVOLUTIONS = {"conv", "conv_transpose"}
# Measured time of channels_last against contiguous, by class of convolution: below 1 is faster.
MULTIPLIERS: Mapping[str, float] = {
    "grouped": 1.358,
    "small": 0.783,
    "in_out": 0.725,
    "default": 0.823,
}
_NODES_PER_CONVOLUTION = 300
_SMALL = 64
_BATCHED_PRODUCT = 3
_OFF, _ON = False, True
_Convolution = tuple[list[str], int]  # its classes, and the operations that it takes


@dataclass(frozen=True, slots=True)
class LayoutDecision:
    """Whether layouts are optimised, and why."""

    on: bool
    reason: str


def _classes(weight: tuple[int, ...], groups: int) -> list[str]:
    """The classes of a convolution, in the order in which inductor asks.

    ``weight``: as the operator has it, so that a transposed one has its inputs first.
    """
    found = {
        "grouped": groups > 1 and weight[1] > 1,
        "small": weight[0] <= _SMALL and weight[1] <= _SMALL,
        "in_out": weight[0] * 2 <= weight[1] and weight[2] > 1,
    }
    return [name for name, is_so in found.items() if is_so]


def decide(graph: Graph, *, device: str = "cpu", inference: bool = True) -> LayoutDecision:
    """``decide_layout_opt``, in the order of its questions."""
    found = [_read(graph, node) for node in graph.nodes if node.operator.name in CONVOLUTIONS]
    convolutions = [each for each in found if each is not None]
    if not found:
        return LayoutDecision(_OFF, "No convolution, so nothing gains from channels_last")
    if device == "cpu":
        return LayoutDecision(
            _ON, "All convolutions run on oneDNN, which is faster on channels_last"
        )
    count = len(graph.inputs) + len(graph.constants) + len(graph.nodes) + 1
    if count >= _NODES_PER_CONVOLUTION * len(found):
        return LayoutDecision(_OFF, f"Only {len(found)} of {count} nodes are convolutions")
    if len(convolutions) < len(found):
        return LayoutDecision(_OFF, "Shapes of convolutions are not known")
    return _by_flops(convolutions) if inference else _by_classes(convolutions)


def _read(graph: Graph, node: Node) -> _Convolution | None:
    """Its classes and the operations that it takes, None where sizes are not known."""
    data, weight = graph.type(node.input("input")), graph.type(node.input("weight"))
    result = graph.results(node)[0]
    if data is None or weight is None or result is None:
        return None
    counted = data if node.operator.name == "conv_transpose" else result
    spatial = weight.rank - 2
    batch = data.shape[0] if data.rank == weight.rank else 1
    points = prod(counted.shape[counted.rank - spatial :])
    flops = 2 * batch * points * prod(weight.shape)
    return _classes(weight.shape, node.attributes["groups"]), flops


def _by_flops(convolutions: list[_Convolution]) -> LayoutDecision:
    total = dict.fromkeys(MULTIPLIERS, 0)
    for classes, flops in convolutions:
        total[next(iter(classes), "default")] += flops
    weighted = sum(total[kind] * factor for kind, factor in MULTIPLIERS.items())
    plain = sum(total.values())
    share = 100 * weighted / plain if plain else 100
    said = f"channels_last is expected to take {share:.0f}% of the time"
    return LayoutDecision(weighted <= plain, f"By the operations of each class, {said}")


def _by_classes(convolutions: list[_Convolution]) -> LayoutDecision:
    classes = [found for found, _ in convolutions]
    if any("grouped" in each for each in classes):
        return LayoutDecision(_OFF, "A convolution has groups of more than one channel")
    if any("in_out" in each for each in classes):
        return LayoutDecision(_OFF, "A convolution has at most half as many channels out as in")
    if all("small" in each for each in classes):
        return LayoutDecision(_OFF, "No convolution has more than 64 channels")
    return LayoutDecision(_ON, "Some convolution is large, and none is of a class that would lose")


def preferring(graph: Graph) -> set[int]:
    """Nodes that are to be channels_last: ``find_nodes_prefer_channels_last``.

    Back from every convolution to all that it depends on, then forward to the users, up to the last
    convolution. A batched matrix product stops both.
    """
    found: set[int] = set()
    last: int | None = None
    for node in reversed(graph.nodes):
        if node.operator.name in CONVOLUTIONS:
            found.add(node.index)
            last = node.index if last is None else last
        elif not stops(graph, node) and any(user in found for user in _users(graph, node)):
            found.add(node.index)
    # Inputs are nodes there too, so that all that reads a convolution's input prefers it as well.
    given = [graph.readers.get(name, ()) for name in (*graph.inputs, *graph.constants)]
    for users in [each for each in given if not found.isdisjoint(each)]:
        found.update(u for u in users if not stops(graph, graph.nodes[u]))
    for node in graph.nodes[:last]:
        if node.index in found:
            found.update(u for u in _users(graph, node) if not stops(graph, graph.nodes[u]))
    return found


def _users(graph: Graph, node: Node) -> list[int]:
    return [user for name in node.outputs if name for user in graph.readers.get(name, ())]


def stops(graph: Graph, node: Node) -> bool:
    """Whether a node is a batched matrix product (``aten.bmm``)."""
    name = node.operator.name
    if name == "einsum":
        return True
    kinds = [graph.type(each) for each in node.inputs if each]
    ranks = [kind.rank for kind in kinds if kind is not None]
    return name == "matmul" and len(ranks) > 1 and min(ranks) >= _BATCHED_PRODUCT
