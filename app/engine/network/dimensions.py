"""Which dimensions of a network's tensors have a meaning, and the letters that they go by.

Convolution, pooling and the other operators on images say that a tensor has a batch, channels and
space: N, C, D, H, W; a convolution's weight has O, I, D, H, W, a transposed one's I, O, D, H, W.
Operators that keep all dimensions carry a meaning on, forwards and backwards. Nothing else has
letters: after a reshape or a transpose they are not known, until an operator says them again.
"""

from collections.abc import Mapping, Sequence

from .graph import Graph
from .labels import relettered
from .nodes import Node
from .operators.convolution import spatial_dims

_SPACE = ("", "W", "HW", "DHW")
_KEEPING = {"slice", "narrow", "flip", "roll"}


def dims_of(graph: Graph) -> Mapping[str, str]:
    """A letter for each dimension, by tensor, where an operator or the input's text gives them."""
    classes = _Classes()
    said: dict[str, set[str]] = {}
    for node in graph.nodes:
        for name, dims in _said(graph, node).items():
            said.setdefault(name, set()).add(dims)
        operator = node.operator
        if operator.agnostic or operator.pointwise or operator.name in _KEEPING:
            rank = graph.rank(node.outputs[0])
            names = dict.fromkeys((*node.inputs, *node.outputs))
            classes.join([name for name in names if graph.rank(name) == rank >= 0])
    given = {name: {each.dims} for name, each in graph.inputs.items() if each.dims}
    given |= {name: {each.dims} for name, each in graph.constants.items() if each.dims}
    by_operators, by_inputs = classes.gathered(said), classes.gathered(given)
    found = {}
    for name in graph.types:
        root = classes.root(name)
        meanings = by_operators.get(root) or by_inputs.get(root, set())
        if len(meanings) == 1:  # of two meanings none is sure
            found[name] = next(iter(meanings))
    return found


def spelled(
    graph: Graph,
    dims: Mapping[str, str],
    names: Sequence[str],
    texts: Sequence[str | None],
) -> list[str | None]:
    """The plan's texts of layouts, each with its tensor's own letters; ``dims``: of ``dims_of``."""
    found: list[str | None] = []
    for name, given in zip(names, texts, strict=True):
        text, kind = given, graph.type(name)
        if text is not None and kind is not None:
            text = relettered(text, kind.rank, dims.get(name, ""))
        found.append(text)
    return found


def _said(graph: Graph, node: Node) -> dict[str, str]:
    """What an operator on images says of its operands and results."""
    if not node.operator.images or not node.inputs:
        return {}
    data = graph.rank(node.inputs[0])
    if data < 0:
        return {}
    spatial = spatial_dims(node.op, node.dialect, data)
    lead = {spatial + 1: "C", spatial + 2: "NC"}.get(data)
    if lead is None or not 0 < spatial < len(_SPACE):
        return {}
    names = [node.inputs[0], *node.outputs]
    found = {name: lead + _SPACE[spatial] for name in names if graph.rank(name) == data}
    at = node.signature.positions.get("weight")
    if node.operator.family == "convolution" and at is not None and at < len(node.inputs):
        transposed = node.operator.name == "conv_transpose"
        found[node.inputs[at]] = ("IO" if transposed else "OI") + _SPACE[spatial]
    return found


class _Classes:
    """Tensors whose dimensions are the same ones."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def root(self, name: str) -> str:
        """The tensor that stands for all of its class."""
        while (parent := self._parents.get(name, name)) != name:
            self._parents[name] = self._parents.get(parent, parent)
            name = parent
        return name

    def join(self, names: list[str]) -> None:
        """Make one class of several."""
        for name in names[1:]:
            self._parents[self.root(name)] = self.root(names[0])

    def gathered(self, said: Mapping[str, set[str]]) -> dict[str, set[str]]:
        """What is said of all tensors of a class, by its root."""
        found: dict[str, set[str]] = {}
        for name, meanings in said.items():
            found.setdefault(self.root(name), set()).update(meanings)
        return found
