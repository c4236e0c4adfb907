"""Where OpenVINO moves the strides of a convolution of one pixel up, before element-wise operators.

Such a convolution skips the pixels that it does not read; what is computed for it alone can skip
them as well. Where the strides cannot go further up, a pooling of one pixel picks the pixels.
Source: src/common/transformations/src/transformations/common_optimizations/
strides_optimization.cpp of openvinotoolkit/openvino.
"""

from ..graph import Graph
from ..nodes import Node
from .base import operators

_ARITHMETIC = operators(
    "relu neg abs floor ceil round square relu6 hardtanh sigmoid tanh exp log sqrt erf hardswish "
    "gelu mish elu softplus add sub mul div remainder pow maximum minimum sum_of max_of min_of "
    "clamp clamp_min clamp_max"
)
"""UnaryElementwiseArithmetic and BinaryElementwiseArithmetic."""


class Skipping:
    """What each tensor of ``graph`` is read with: the strides that all its readers agree on."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._strides: dict[str, tuple[int, ...]] = {}
        for node in reversed(graph.nodes):
            for tensor in node.outputs:
                readers = [graph.nodes[index] for index in graph.readers.get(tensor, ())]
                found = {self._asked(reader, tensor) for reader in readers}
                agreed = len(found) == 1 and tensor not in graph.outputs
                self._strides[tensor] = found.pop() if agreed else ()

    def pooled(self, node: Node, tensor: str) -> bool:
        """Whether a pooling of one pixel stands between a tensor and the node that reads it."""
        maker = self._graph.maker(tensor)
        moves = maker is not None and _moves(maker)
        return bool(self._asked(node, tensor)) and not (moves and self._strides[tensor])

    def _asked(self, node: Node, tensor: str) -> tuple[int, ...]:
        """The strides with which a node reads an operand, () where it needs all of it."""
        if not _moves(node):
            return ()
        below = self._strides[node.outputs[0]]
        if node.operator.name in _ARITHMETIC:
            return below
        kind = self._graph.type(node.inputs[1])
        if kind is None or set(kind.shape[2:]) != {1} or tensor == node.inputs[1]:
            return ()
        spatial = kind.rank - 2
        own = tuple(node.attributes["stride"] or (1,))
        own = own * spatial if len(own) == 1 else own
        found = tuple(a * b for a, b in zip(own, below or (1,) * spatial, strict=True))
        return found if set(found) != {1} else ()


def _moves(node: Node) -> bool:
    """Whether strides pass it: arithmetic, and OpenVINO's Convolution, which has no groups."""
    name = node.operator.name
    return name in _ARITHMETIC or (name == "conv" and node.attributes["groups"] == 1)
