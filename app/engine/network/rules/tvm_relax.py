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

from collections.abc import Callable, Mapping, Sequence

from ..attributes import signature
from ..nodes import Node
from .base import UNKNOWN, Carrier, RuleSet, Words, axes_of, families, operators

DimOrder = tuple[int, ...]
_Found = tuple[str, str, str] | None  # the rule's name, why, and the layout of the results

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
_IMAGE = 4
_WEIGHTS = {"OHWI": "NHWC", "HWIO": "HWCN", "OIHW": "NCHW"}


class _Pass(Carrier):
    """The pass, from node to node."""

    rules, words = "tvm-relax", Words(dialect="tvm:")
    shares = False
    folds = True

    def add(self, node: Node) -> None:
        """Infer the layouts of a node from those of its operands."""
        name = node.operator.name
        rule = _RULES.get(name)
        found = rule(self, node) if rule and node.inputs and node.inputs[0] else None
        why = "It has no rule for layouts, so it reads and writes the initial one."
        if found is None:
            self.plainly(node, "initial", UNKNOWN if name == "opaque" else why)
        else:
            self.end(node, *found)

    def _order(self, tensor: str) -> DimOrder:
        """Dimensions of a tensor in memory, outermost first."""
        plain = self.plain(tensor)
        return tuple(plain.index(letter) for letter in self.name(tensor))

    def _name(self, order: Sequence[int]) -> str:
        plain = self.words.plain(len(order))
        return "".join(plain[d] for d in order)

    def _convolution(self, node: Node) -> _Found:
        """InferLayoutConv2d. Other convolutions have no wish, and go on in the data's layout."""
        data, weight = node.input("input"), node.input("weight")
        rank = self.rank(data)
        if rank != self.rank(weight):
            return None
        wished = rank == _IMAGE and node.operator.name == "conv"
        name = self.options["conv2d"] if wished else self.name(data)
        for tensor in node.inputs:
            if tensor == data:
                self.read(node, tensor, name)
            elif tensor == weight and wished:
                self.read(node, tensor, _WEIGHTS[self.options["weight"]])
        if wished:
            return "conv2d", f"The layout that is asked for convolutions: {name}.", name
        return "follow", f"No layout is asked for it, so it follows its input: {name}.", name

    def _first(self, node: Node) -> _Found:
        """InferLayoutUnaryEwise, Pool2d, BatchNorm, Softmax, Resize2d, StridedSlice, Split, …"""
        first = node.inputs[0]
        name, rank = self.name(first), self.rank(first)
        if any(self.rank(tensor) != rank for tensor in node.outputs if tensor):
            return None
        self.read(node, first, name)
        return "follow", f"It follows its first operand: {self.shown(name, first)}.", name

    def _binary(self, node: Node) -> _Found:
        """InferLayoutBinaryEwise: the operand of lower rank leads, the first if they are equal."""
        if len(node.inputs) < 2 or not node.inputs[1]:
            return self._first(node)
        ranks = [self.rank(tensor) for tensor in node.inputs[:2]]
        leader, other = (0, 1) if ranks[0] <= ranks[1] else (1, 0)
        if ranks[leader] == 0:
            leader, other = other, leader
        more = max(0, ranks[other] - ranks[leader])
        order = (d + more for d in self._order(node.inputs[leader]))
        name = self._name([*range(more), *order])
        self.read(node, node.inputs[leader], self.name(node.inputs[leader]))
        if ranks[other]:
            self.read(node, node.inputs[other], name)
        which = "first" if leader == 0 else "second"
        shown = self.shown(name, node.outputs[0])
        why = f"The {which} operand leads, of equal or lower rank: {shown}."
        return "binary", why, name

    def _concat(self, node: Node) -> _Found:
        """InferLayoutConcat: all operands in the layout of the first."""
        first = node.inputs[0]
        if any(self.rank(tensor) != self.rank(first) for tensor in node.inputs if tensor):
            return None
        name = self.name(first)
        shown = self.shown(name, first)
        why = f"All operands are brought into the layout of the first: {shown}."
        for tensor in node.inputs:
            self.read(node, tensor, name)
        return "concat", why, name

    def _reduction(self, node: Node) -> _Found:
        """InferLayoutStatistical: the dimensions that are left stay in their order."""
        rank, result = self.rank(node.inputs[0]), self.rank(node.outputs[0])
        if rank == result:
            return self._first(node)
        if node.attributes.get("dim") is None and result:
            return None
        return self._without(node, axes_of(node, rank))

    def _squeezed(self, node: Node) -> _Found:
        """InferLayoutSqueeze: the dimensions that are left stay in their order."""
        first = self.type(node.inputs[0])
        if first is None or (node.attributes.get("dim") is None and len(node.inputs) > 1):
            return None
        gone = axes_of(node, first.rank)
        return self._without(node, {d for d in gone if first.rank and first.shape[d] == 1})

    def _without(self, node: Node, gone: set[int]) -> _Found:
        order = self._order(node.inputs[0])
        left = [d for d in order if d not in gone]
        if len(left) != self.rank(node.outputs[0]):
            return None
        name = self._name([sorted(left).index(d) for d in left])
        shown = self.shown(name, node.outputs[0])
        why = f"It reads any layout; the dimensions that are left keep their order: {shown}."
        self.read(node, node.inputs[0], self.name(node.inputs[0]))
        return "follow", why, name

    def _unsqueezed(self, node: Node) -> _Found:
        """InferLayoutExpandDims: a new dimension lies at its own place."""
        result = self.rank(node.outputs[0])
        if node.attributes.get("dim") is None:
            return None
        added = axes_of(node, result)
        kept = [d for d in range(result) if d not in added]
        old = iter([kept[d] for d in self._order(node.inputs[0])])
        name = self._name([d if d in added else next(old) for d in range(result)])
        self.read(node, node.inputs[0], self.name(node.inputs[0]))
        shown = self.shown(name, node.outputs[0])
        why = f"It reads any layout; a new dimension lies at its own place: {shown}."
        return "follow", why, name

    def _permuted(self, node: Node) -> _Found:
        """InferLayoutPermuteDims: it reads any layout, and writes the initial one."""
        self.read(node, node.inputs[0], self.name(node.inputs[0]))
        why = "It reads any layout, with other axes, and writes the initial one."
        return "permute_dims", why, ""


_RULES: Mapping[str, Callable[[_Pass, Node], _Found]] = {
    **dict.fromkeys(("conv", "conv_transpose"), _Pass._convolution),
    **dict.fromkeys(_FIRST, _Pass._first),
    **dict.fromkeys(_BINARY, _Pass._binary),
    **dict.fromkeys(operators("sum mean prod amax amin var std"), _Pass._reduction),
    **dict.fromkeys(families("permutation"), _Pass._permuted),
    "cat": _Pass._concat,
    "squeeze": _Pass._squeezed,
    "unsqueeze": _Pass._unsqueezed,
}

TVM_RELAX = RuleSet(
    _Pass.rules,
    "TVM Relax 0.27, ConvertLayout",
    "src/relax/transform/convert_layout.cc of apache/tvm",
    "tvm",
    _Pass.answer,
    signature("conv2d:NHWC/NCHW/HWNC weight:OHWI/HWIO/OIHW").attributes,
)
