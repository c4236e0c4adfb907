"""Eager PyTorch 2.13 on the CPU: strides, offset, and view or copy of every result.

One rule for each operator, in the modules beside this one. A rule gets the layouts of the operands
and answers as PyTorch's kernel allocates; each has its source in its docstring. Operators that
PyTorch does not have, and those that are not in the catalogue, get contiguous results.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ....model.dtypes import ElementType
from ....model.errors import LayoutError, refusal
from ....model.layout import Layout
from ...attributes import Value, attribute_field
from ...deadline import look
from ...graph import Graph
from ...nodes import Node
from ...operators.base import TensorType, Unknown
from ...propagation import NodeReport, Placed, Propagation, Reorder
from ..base import RuleSet
from . import convolution, memory, pointwise, simple, views  # noqa: F401  # they register rules
from .calls import RULES, Eager, EagerOperand, EagerResult, Outcome


def _carry(graph: Graph, _options: Mapping[str, Value]) -> Propagation:
    return Carried(graph).carry(PYTORCH_EAGER.name)


class Carried:
    """The state while the layouts are carried from node to node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.placed: dict[str, Placed] = {}
        self.reorders: list[Reorder] = []
        self.reports: list[NodeReport] = []
        self._outcomes: dict[tuple[object, ...], tuple[Outcome, str]] = {}
        for kind, tensors in (("inputs", graph.inputs), ("constants", graph.constants)):
            for name, tensor in tensors.items():
                layout, strides = tensor.layout, tensor.layout.strides
                padded = layout.padded_shape != layout.shape
                if strides is None or padded or min(strides, default=0) < 0:
                    where = attribute_field(name).replace("attributes", kind, 1) + ".layout"
                    got = "a blocked, padded or reversed layout"
                    raise refusal(where, got, "strides.from_zero")
                self.placed[name] = _placed(layout, tensor.dtype)

    def carry(self, rules: str) -> Propagation:
        """Carry the layouts through all nodes. Errors: LayoutError naming a part of ``nodes``."""
        for node in self.graph.nodes:
            look()
            try:
                self.add(node)
            except LayoutError as error:
                raise error.within(f"nodes[{node.index}]") from None
        said = tuple(self.reorders), tuple(self.reports)
        return Propagation(rules, self.placed, *said, weights_each_call=True)

    def add(self, node: Node) -> None:
        """Carry the layouts through one node."""
        types = [each for each in self.graph.results(node) if each is not None]
        operands = [
            EagerOperand(each.layout.shape, each.dtype, each.layout)
            if each and each.layout and each.dtype
            else None
            for each in map(self.placed.get, node.inputs)
        ]
        known = all(each for name, each in zip(node.inputs, operands, strict=True) if name)
        if not known or len(types) < len(node.outputs):
            self._unknown(node)
            return
        # Networks repeat themselves: a rule is asked once for all nodes that are alike.
        kinds = tuple((each.shape, each.dtype.name) for each in types)
        key = (*self._likeness(node), tuple(operands), kinds)
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = self.outcome(node, operands, types)
        self._take(node, operands, types, *found)

    def _likeness(self, node: Node) -> tuple[object, ...]:
        """What a rule looks at besides the operands; equal for nodes that are alike."""
        values = [id(self.graph.values(name)) for name in node.inputs]
        # As text, because 1, 1.0 and True are equal in Python and differ in PyTorch.
        return node.op, node.origin, repr(node.attributes), *values

    def _take(
        self,
        node: Node,
        operands: Sequence[EagerOperand | None],
        types: Sequence[TensorType],
        outcome: Outcome,
        rule: str,
    ) -> None:
        """Report what happens at a node, and place its results."""
        lost = _lost(operands, outcome)
        self.reports.append(NodeReport(node.name, node.op, rule, outcome.reason, lost))
        for at, source, target in outcome.moves:
            readers = self.graph.readers.get(node.outputs[at], ())
            names = [self.graph.nodes[each].name for each in readers]
            self.reorders.append(self._reorder(node.outputs[at], (source, target), names))
        for at, target in outcome.copies:
            if operand := operands[at]:
                layouts = operand.layout, target
                self.reorders.append(self._reorder(node.inputs[at], layouts, [node.name]))
        rest = types[len(outcome.results) :]
        results = (*outcome.results, *(EagerResult(memory.fresh(each.shape)) for each in rest))
        for name, result, kind in zip(node.outputs, results, types, strict=False):
            if name:
                placed = _placed(result.layout, kind.dtype)
                if result.of is not None:
                    placed = replace(placed, view=True, of=node.inputs[result.of])
                self.placed[name] = placed

    def _reorder(self, tensor: str, layouts: tuple[Layout, Layout], readers: list[str]) -> Reorder:
        names = memory.called(layouts[0]), memory.called(layouts[1])
        return Reorder.of(self.graph, tensor, names, layouts, readers)

    def _unknown(self, node: Node) -> None:
        reason = "Shapes are not known here."
        for name in node.outputs:
            found = self.graph.types.get(name)
            if isinstance(found, Unknown):
                reason = found.reason
                self.placed[name] = Placed(None, None, reason=found.reason)
            elif found is not None:
                self.placed[name] = _placed(memory.fresh(found.shape), found.dtype)
        self.reports.append(NodeReport(node.name, node.op, "unknown", reason))

    def outcome(
        self, node: Node, operands: list[EagerOperand | None], types: list[TensorType]
    ) -> tuple[Outcome, str]:
        """What the rule of a node says, and its name. Errors: LayoutError naming a part of it."""
        name = node.operator.name
        rule = RULES.get(name)
        if rule is None:
            results = tuple(EagerResult(memory.fresh(each.shape)) for each in types)
            what = "PyTorch has no operator of this name"
            if name == "opaque":
                what = "This operator is not in the catalogue: it is taken as opaque"
            return Outcome(results, f"{what}, with a contiguous result."), "opaque"
        written = (node.op, node.origin, node.signature, node.attributes, operands)
        values = (lambda at: self.graph.values(node.inputs[at]), len(node.outputs))
        return rule(Eager(*written, *values, node, types)), name


def _lost(operands: Sequence[EagerOperand | None], outcome: Outcome) -> str | None:
    """The format that an operand has and no result keeps, where the rank allows it."""
    if any(result.of is not None for result in outcome.results):
        return None
    for operand in operands:
        name = operand and memory.format_named(operand.layout)
        if operand and name:
            alike = [r.layout for r in outcome.results if r.layout.rank == operand.rank]
            if alike and not any(memory.has_format(each, name) for each in alike):
                return name
    return None


@lru_cache(maxsize=4096)
def _placed(layout: Layout, dtype: ElementType) -> Placed:
    """A tensor of these strides under the default names of dimensions, with PyTorch's text."""
    plain = Layout.strided(layout.shape, memory.strides_of(layout), layout.offset)
    return Placed(plain, dtype, text=f"pytorch:{memory.text_of(plain)}")


PYTORCH_EAGER = RuleSet(
    "pytorch-eager",
    "PyTorch 2.13, eager, on the CPU",
    "aten/src/ATen/native of pytorch/pytorch",
    "pytorch",
    _carry,
)
