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

from collections.abc import Callable, Mapping, Sequence, Set

from ..attributes import Value, choice
from ..graph import Graph
from ..nodes import Node
from ..propagation import Propagation
from .base import RuleSet, families, operators
from .carrier import UNKNOWN, Carrier, Words, last_names, plain_name

Order = tuple[int, ...]

_BINARY = families("binary") - operators(
    "bitwise_left_shift bitwise_right_shift fmax fmin fmod rsub"
)
_FIRST = operators(
    "abs acos acosh asin asinh atan atanh bitwise_not cast ceil cos cosh dropout erf exp floor "
    "gelu isfinite isinf isnan log logical_not neg relu round rsqrt selu sigmoid sign silu sin "
    "sinh sqrt square tan tanh trunc adaptive_avg_pool avg_pool batch_norm chunk flip group_norm "
    "instance_norm interpolate layer_norm max_pool narrow prelu repeat resize rms_norm slice "
    "softmax split tensor_split"
)
_REDUCTIONS = operators("sum mean prod amax amin var std")
_IMAGE = 4
_WEIGHTS = {"OHWI": "NHWC", "HWIO": "HWCN", "OIHW": "NCHW"}


def _carry(graph: Graph, options: Mapping[str, Value]) -> Propagation:
    words = Words(plain_name, last_names, "tvm:", orders=True)
    carried = _Pass(TVM_RELAX.name, graph, words, shares=False)
    carried.data, carried.weight = options["conv2d"], _WEIGHTS[options["weight"]]
    return carried.carry(carried.add)


class _Pass(Carrier):
    """The pass, from node to node."""

    data: str
    weight: str

    def add(self, node: Node) -> None:
        """Infer the layouts of a node from those of its operands."""
        name = node.operator.name
        for names, rule in self._table():
            if name in names and node.inputs and node.inputs[0] and rule(node):
                return
        why = "It has no rule for layouts, so it reads and writes the initial one."
        for position, tensor in enumerate(node.inputs):
            self._read(node, position, self.plain(tensor))
        self.end(node, "initial", UNKNOWN if name == "opaque" else why)

    def _table(self) -> Sequence[tuple[Set[str], Callable[[Node], bool]]]:
        return (
            ({"conv", "conv_transpose"}, self._convolution),
            (_FIRST, self._first),
            (_BINARY, self._binary),
            ({"cat"}, self._concat),
            (_REDUCTIONS, self._reduction),
            (families("permutation"), self._permuted),
            ({"squeeze"}, self._squeezed),
            ({"unsqueeze"}, self._unsqueezed),
        )

    def _order(self, tensor: str) -> Order:
        """Dimensions of a tensor in memory, outermost first."""
        plain = self.plain(tensor)
        return tuple(plain.index(letter) for letter in self.name(tensor))

    def _name(self, order: Sequence[int]) -> str:
        plain = plain_name(len(order))
        return "".join(plain[d] for d in order)

    def _read(self, node: Node, position: int, name: str) -> None:
        if node.inputs[position] not in self.graph.constants:
            self.read(node, position, name)

    def _convolution(self, node: Node) -> bool:
        """InferLayoutConv2d. Other convolutions have no wish, and go on in the data's layout."""
        data, weight = node.input("input"), node.input("weight")
        rank = self.rank(data)
        if rank != self.rank(weight):
            return False
        wished = rank == _IMAGE and node.operator.name == "conv"
        name = self.data if wished else self.name(data)
        for position, tensor in enumerate(node.inputs):
            if tensor == data:
                self._read(node, position, name)
            elif tensor == weight and wished:
                self._read(node, position, self.weight)
        why = f"The layout that is asked for convolutions: {name}."
        if not wished:
            why = f"No layout is asked for it, so it follows its input: {name}."
        self.end(node, "conv2d" if wished else "follow", why, name)
        return True

    def _first(self, node: Node) -> bool:
        """InferLayoutUnaryEwise, Pool2d, BatchNorm, Softmax, Resize2d, StridedSlice, Split, …"""
        first = node.inputs[0]
        name, rank = self.name(first), self.rank(first)
        if any(self.rank(tensor) != rank for tensor in node.outputs if tensor):
            return False
        self._read(node, 0, name)
        self.end(node, "follow", f"It follows its first operand: {name}.", name)
        return True

    def _binary(self, node: Node) -> bool:
        """InferLayoutBinaryEwise: the operand of lower rank leads, the first if they are equal."""
        if len(node.inputs) < 2 or not node.inputs[1]:
            return self._first(node)
        ranks = [self.rank(tensor) for tensor in node.inputs[:2]]
        leader, other = (0, 1) if ranks[0] <= ranks[1] else (1, 0)
        if ranks[leader] == 0:
            leader, other = other, leader
            order = self._order(node.inputs[leader])
        else:
            more = ranks[other] - ranks[leader]
            own = self._order(node.inputs[leader])
            order = (*range(more), *(d + more for d in own))
        name = self._name(order)
        self._read(node, leader, self.name(node.inputs[leader]))
        if ranks[other]:
            self._read(node, other, name)
        which = "first" if leader == 0 else "second"
        why = f"The {which} operand leads, of equal or lower rank: {name}."
        self.end(node, "binary", why, name)
        return True

    def _concat(self, node: Node) -> bool:
        """InferLayoutConcat: all operands in the layout of the first."""
        rank = self.rank(node.inputs[0])
        if any(self.rank(tensor) != rank for tensor in node.inputs if tensor):
            return False
        name = self.name(node.inputs[0])
        for position, tensor in enumerate(node.inputs):
            if tensor:
                self._read(node, position, name)
        why = f"All operands are brought into the layout of the first: {name}."
        self.end(node, "concat", why, name)
        return True

    def _reduction(self, node: Node) -> bool:
        """InferLayoutStatistical: the dimensions that are left stay in their order."""
        first, result = self.type(node.inputs[0]), self.type(node.outputs[0])
        if first is None or result is None or first.rank == result.rank:
            return self._first(node)
        given = node.attributes.get("dim")
        if given is None and result.rank:
            return False
        axes = range(first.rank) if given is None else [given] if isinstance(given, int) else given
        return self._without(node, {d % first.rank for d in axes})

    def _squeezed(self, node: Node) -> bool:
        """InferLayoutSqueeze: the dimensions that are left stay in their order."""
        first, result = self.type(node.inputs[0]), self.type(node.outputs[0])
        given = node.attributes.get("dim")
        if first is None or result is None or (given is None and len(node.inputs) > 1):
            return False
        axes = range(first.rank) if given is None else [given] if isinstance(given, int) else given
        gone = {d % max(first.rank, 1) for d in axes}
        return self._without(node, {d for d in gone if first.rank and first.shape[d] == 1})

    def _without(self, node: Node, gone: set[int]) -> bool:
        order = self._order(node.inputs[0])
        left = [d for d in range(len(order)) if d not in gone]
        if len(left) != self.rank(node.outputs[0]):
            return False
        name = self._name([left.index(d) for d in order if d not in gone])
        why = f"It reads any layout; the dimensions that are left keep their order: {name}."
        self._read(node, 0, self.name(node.inputs[0]))
        self.end(node, "follow", why, name)
        return True

    def _unsqueezed(self, node: Node) -> bool:
        """InferLayoutExpandDims: a new dimension lies at its own place."""
        result = self.rank(node.outputs[0])
        given = node.attributes.get("dim")
        if given is None:
            return False
        added = {d % result for d in ([given] if isinstance(given, int) else given)}
        kept = [d for d in range(result) if d not in added]
        old = iter([kept[d] for d in self._order(node.inputs[0])])
        name = self._name([d if d in added else next(old) for d in range(result)])
        self._read(node, 0, self.name(node.inputs[0]))
        why = f"It reads any layout; a new dimension lies at its own place: {name}."
        self.end(node, "follow", why, name)
        return True

    def _permuted(self, node: Node) -> bool:
        """InferLayoutPermuteDims: it reads any layout, and writes the initial one."""
        self._read(node, 0, self.name(node.inputs[0]))
        why = "It reads any layout, with other axes, and writes the initial one."
        self.end(node, "permute_dims", why)
        return True


TVM_RELAX = RuleSet(
    "tvm-relax",
    "TVM Relax 0.27, ConvertLayout",
    "src/relax/transform/convert_layout.cc of apache/tvm",
    "tvm",
    _carry,
    {"conv2d": choice("NHWC", "NCHW", "HWNC"), "weight": choice("OHWI", "HWIO", "OIHW")},
)
