"""TVM's pass ConvertLayout on Relax: one greedy pass forward over a dataflow block.

Convolutions over two dimensions get the layouts that are asked for (``conv2d``, ``weight``).
Every other operator follows its operands, if it has a rule (``FRelaxInferLayout``); operators
without one read and write the initial layout, and so do the network's results. Operands that
lie otherwise get a ``permute_dims`` each: equal ones are not merged by this pass. Those of
constants are folded when the network is built, and cost nothing per run.
A tensor's layout is the order of its dimensions in memory, outermost first.
Source: src/relax/transform/convert_layout.cc, infer_layout_utils.cc (FollowDecision),
src/relax/op (InferLayout* of each operator).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..attributes import Value, choice
from ..graph import Graph
from ..labels import plain_name
from ..nodes import Node
from ..propagation import Propagation
from .base import RuleSet
from .carrier import Carrier, image_words

Order = tuple[int, ...]

_UNARY = {
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "cast", "ceil",
    "cos", "cosh", "dropout", "erf", "exp", "floor", "gelu", "isfinite", "isinf", "isnan",
    "log", "logical_not", "neg", "relu", "round", "rsqrt", "selu", "sigmoid", "sign",
    "silu", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
}  # fmt: skip
_BINARY = {
    "add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "div", "eq", "floor_divide", "ge",
    "gt",
    "le", "logical_and", "logical_or", "logical_xor", "lt", "maximum", "minimum", "mul", "ne",
    "pow", "remainder", "sub",
}  # fmt: skip
_FIRST = {
    "adaptive_avg_pool", "avg_pool", "batch_norm", "chunk", "flip", "group_norm", "instance_norm",
    "interpolate", "layer_norm", "max_pool", "narrow", "prelu", "repeat", "resize",
    "rms_norm", "slice", "softmax", "split", "tensor_split",
}  # fmt: skip
_REDUCTIONS = {"sum", "mean", "prod", "amax", "amin", "var", "std"}
_PERMUTED = {"permute", "transpose", "matrix_transpose", "movedim"}
_IMAGE = 4
_WEIGHTS = {"OHWI": "NHWC", "HWIO": "HWCN", "OIHW": "NCHW"}


def _carry(graph: Graph, options: Mapping[str, Value]) -> Propagation:
    words = image_words(orders=True)
    carried = _Pass(Carrier(TVM_RELAX.name, graph, words, shares=False), options)
    for node in graph.nodes:
        if carried.carrier.known(node):
            carried.add(node)
    return carried.carrier.finish()


class _Pass:
    """The pass, from node to node."""

    def __init__(self, carrier: Carrier, options: Mapping[str, Value]) -> None:
        self.carrier = carrier
        self._data: str = options["conv2d"]
        self._weight = _WEIGHTS[options["weight"]]

    def add(self, node: Node) -> None:
        """Infer the layouts of a node from those of its operands."""
        name = node.operator.name
        for names, rule in self._rules():
            if name in names and node.inputs and node.inputs[0] and rule(node):
                return
        why = (
            "This operator is not in the catalogue: it reads and writes plain memory."
            if name == "opaque"
            else "It has no rule for layouts, so it reads and writes the initial one."
        )
        self._plainly(node, why)

    def _rules(self) -> Sequence[tuple[set[str], Callable[[Node], bool]]]:
        return (
            ({"conv", "conv_transpose"}, self._convolution),
            (_UNARY | _FIRST, self._first),
            (_BINARY, self._binary),
            ({"cat"}, self._concat),
            (_REDUCTIONS, self._reduction),
            (_PERMUTED, self._permuted),
            ({"squeeze"}, self._squeezed),
            ({"unsqueeze"}, self._unsqueezed),
        )

    def _order(self, tensor: str) -> Order:
        """Dimensions of a tensor in memory, outermost first."""
        plain = self.carrier.plain(tensor)
        return tuple(plain.index(letter) for letter in self.carrier.name(tensor))

    def _name(self, order: Sequence[int]) -> str:
        plain = plain_name(len(order))
        return "".join(plain[d] for d in order)

    def _read(self, node: Node, position: int, name: str) -> None:
        if node.inputs[position] not in self.carrier.graph.constants:
            self.carrier.read(node, position, name)

    def _plainly(self, node: Node, why: str) -> None:
        for position, tensor in enumerate(node.inputs):
            self._read(node, position, self.carrier.plain(tensor))
        self._write(node, {}, "initial", why)

    def _write(self, node: Node, names: Mapping[int, str], rule: str, why: str) -> None:
        """Place the results: by rank, plain where ``names`` has no layout for it."""
        for tensor in node.outputs:
            if tensor:
                plain = self.carrier.plain(tensor)
                self.carrier.write(tensor, names.get(self.carrier.rank(tensor), plain))
        self.carrier.report(node, rule, why)

    def _convolution(self, node: Node) -> bool:
        """InferLayoutConv2d. Other convolutions have no wish, and go on in the data's layout."""
        data, weight = node.input("input"), node.input("weight")
        rank = self.carrier.rank(data)
        if rank != self.carrier.rank(weight):
            return False
        wished = rank == _IMAGE and node.operator.name == "conv"
        name = self._data if wished else self.carrier.name(data)
        for position, tensor in enumerate(node.inputs):
            if tensor == data:
                self._read(node, position, name)
            elif tensor == weight and wished:
                self._read(node, position, self._weight)
        why = f"The layout that is asked for convolutions: {name}."
        if not wished:
            why = f"No layout is asked for it, so it follows its input: {name}."
        self._write(node, {rank: name}, "conv2d" if wished else "follow", why)
        return True

    def _first(self, node: Node) -> bool:
        """InferLayoutUnaryEwise, Pool2d, BatchNorm, Softmax, Resize2d, StridedSlice, Split, …"""
        first = node.inputs[0]
        name, rank = self.carrier.name(first), self.carrier.rank(first)
        if any(self.carrier.rank(tensor) != rank for tensor in node.outputs if tensor):
            return False
        self._read(node, 0, name)
        self._write(node, {rank: name}, "follow", f"It follows its first operand: {name}.")
        return True

    def _binary(self, node: Node) -> bool:
        """InferLayoutBinaryEwise: the operand of lower rank leads, the first if they are equal."""
        if len(node.inputs) < 2 or not node.inputs[1]:
            return self._first(node)
        ranks = [self.carrier.rank(tensor) for tensor in node.inputs[:2]]
        leader, other = (0, 1) if ranks[0] <= ranks[1] else (1, 0)
        if ranks[leader] == 0:
            leader, other = other, leader
            order = self._order(node.inputs[leader])
        else:
            more = ranks[other] - ranks[leader]
            own = self._order(node.inputs[leader])
            order = (*range(more), *(d + more for d in own))
        name = self._name(order)
        self._read(node, leader, self.carrier.name(node.inputs[leader]))
        if ranks[other]:
            self._read(node, other, name)
        which = "first" if leader == 0 else "second"
        why = f"The {which} operand leads, of equal or lower rank: {name}."
        self._write(node, {len(order): name}, "binary", why)
        return True

    def _concat(self, node: Node) -> bool:
        """InferLayoutConcat: all operands in the layout of the first."""
        rank = self.carrier.rank(node.inputs[0])
        if any(self.carrier.rank(tensor) != rank for tensor in node.inputs if tensor):
            return False
        name = self.carrier.name(node.inputs[0])
        for position, tensor in enumerate(node.inputs):
            if tensor:
                self._read(node, position, name)
        why = f"All operands are brought into the layout of the first: {name}."
        self._write(node, {rank: name}, "concat", why)
        return True

    def _reduction(self, node: Node) -> bool:
        """InferLayoutStatistical: the dimensions that are left stay in their order."""
        first, result = self.carrier.type(node.inputs[0]), self.carrier.type(node.outputs[0])
        if first is None or result is None or first.rank == result.rank:
            return self._first(node)
        given = node.attributes.get("dim")
        if given is None and result.rank:
            return False
        axes = range(first.rank) if given is None else [given] if isinstance(given, int) else given
        return self._without(node, {d % first.rank for d in axes})

    def _squeezed(self, node: Node) -> bool:
        """InferLayoutSqueeze: the dimensions that are left stay in their order."""
        first, result = self.carrier.type(node.inputs[0]), self.carrier.type(node.outputs[0])
        given = node.attributes.get("dim")
        if first is None or result is None or (given is None and len(node.inputs) > 1):
            return False
        axes = range(first.rank) if given is None else [given] if isinstance(given, int) else given
        gone = {d % max(first.rank, 1) for d in axes}
        return self._without(node, {d for d in gone if first.rank and first.shape[d] == 1})

    def _without(self, node: Node, gone: set[int]) -> bool:
        order = self._order(node.inputs[0])
        left = [d for d in range(len(order)) if d not in gone]
        if len(left) != self.carrier.rank(node.outputs[0]):
            return False
        name = self._name([left.index(d) for d in order if d not in gone])
        why = f"It reads any layout; the dimensions that are left keep their order: {name}."
        self._read(node, 0, self.carrier.name(node.inputs[0]))
        self._write(node, {len(left): name}, "follow", why)
        return True

    def _unsqueezed(self, node: Node) -> bool:
        """InferLayoutExpandDims: a new dimension lies at its own place."""
        result = self.carrier.rank(node.outputs[0])
        given = node.attributes.get("dim")
        if given is None:
            return False
        added = {d % result for d in ([given] if isinstance(given, int) else given)}
        kept = [d for d in range(result) if d not in added]
        old = iter([kept[d] for d in self._order(node.inputs[0])])
        name = self._name([d if d in added else next(old) for d in range(result)])
        self._read(node, 0, self.carrier.name(node.inputs[0]))
        why = f"It reads any layout; a new dimension lies at its own place: {name}."
        self._write(node, {result: name}, "follow", why)
        return True

    def _permuted(self, node: Node) -> bool:
        """InferLayoutPermuteDims: it reads any layout, and writes the initial one."""
        self._read(node, 0, self.carrier.name(node.inputs[0]))
        why = "It reads any layout, with other axes, and writes the initial one."
        self._write(node, {}, "permute_dims", why)
        return True


TVM_RELAX = RuleSet(
    "tvm-relax",
    "TVM Relax 0.27, ConvertLayout",
    "src/relax/transform/convert_layout.cc of apache/tvm",
    _carry,
    {"conv2d": choice("NHWC", "NCHW", "HWNC"), "weight": choice("OHWI", "HWIO", "OIHW")},
)
