"""Eager PyTorch 2.13 on the CPU: strides, offset, and view or copy of every result.

One rule for each operator, in the modules beside this one. A rule gets the layouts of the operands
and answers as PyTorch's kernel allocates; each has its source in its docstring. Operators that
PyTorch does not have, and those that are not in the catalogue, get contiguous results.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....errors import Described, LayoutError
from ....layout import Layout
from ...attributes import Value
from ...graph import Graph, Node
from ...operators.base import Call, TensorType, Unknown, attribute_field
from ...propagation import NodeReport, Placed, Propagation, Reorder, layout_bytes
from ..base import RuleSet
from . import (
    convolution,
    einsum,
    joining,
    matmul,
    memory,
    normalization,
    pointwise,
    pooling,
    reductions,
    views,
)
from .calls import Eager, Operand, Outcome, Result, Rule

RULES: Mapping[str, Rule] = {
    name: rule
    for family in (
        convolution, einsum, joining, matmul, normalization, pointwise, pooling, reductions, views,
    )
    for name, rule in family.FAMILY.by_name.items()
}  # fmt: skip


def _carry(graph: Graph, _options: Mapping[str, Value]) -> Propagation:
    return Carried(graph).carry(PYTORCH_EAGER.name)


class Carried:
    """The state while the layouts are carried from node to node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.placed: dict[str, Placed] = {}
        self.reorders: list[Reorder] = []
        self.reports: list[NodeReport] = []
        for kind, tensors in (("inputs", graph.inputs), ("constants", graph.constants)):
            for name, tensor in tensors.items():
                layout = tensor.layout
                strides = layout.strides
                if (
                    strides is None
                    or layout.padded_shape != layout.shape
                    or min(strides, default=0) < 0
                ):
                    raise LayoutError(
                        attribute_field(name).replace("attributes", kind, 1) + ".layout",
                        Described("a blocked, padded or reversed layout"),
                        "strides from 0, as PyTorch's tensors have",
                    )
                plain = Layout.strided(layout.shape, strides, layout.offset)
                self.placed[name] = Placed(plain, tensor.dtype)

    def carry(self, rules: str) -> Propagation:
        """Carry the layouts through all nodes. Errors: LayoutError naming a part of ``nodes``."""
        for node in self.graph.nodes:
            try:
                self.add(node)
            except LayoutError as error:
                raise error.within(f"nodes[{node.index}]") from None
        return Propagation(rules, self.placed, tuple(self.reorders), tuple(self.reports))

    def add(self, node: Node) -> None:
        """Carry the layouts through one node."""
        types = [self.graph.types[name] if name else None for name in node.outputs]
        known = [each for each in types if isinstance(each, TensorType)]
        operands = [self._operand(name) for name in node.inputs]
        missing = any(
            name and each is None for name, each in zip(node.inputs, operands, strict=True)
        )
        if len(known) < len([name for name in node.outputs if name]) or missing:
            self._unknown(node)
            return
        outcome, rule = self.outcome(node, operands)
        lost = self._lost(operands, outcome)
        self.reports.append(NodeReport(node.name, node.op, rule, outcome.reason, lost))
        for copy in outcome.copies:
            self._reorder(node, copy.position, copy.target)
        more = [Result(memory.fresh(each.shape)) for each in known[len(outcome.results) :]]
        for name, result in zip(node.outputs, (*outcome.results, *more), strict=False):
            found = self.graph.types.get(name)
            if name and isinstance(found, TensorType):
                of = None if result.of is None else node.inputs[result.of]
                self.placed[name] = Placed(_plain(result.layout), found.dtype, of is not None, of)

    def _operand(self, name: str) -> Operand | None:
        placed = self.placed.get(name)
        if placed is None or placed.layout is None or placed.dtype is None:
            return None
        return Operand(placed.layout, placed.dtype)

    def _unknown(self, node: Node) -> None:
        reason = "Shapes are not known here."
        for name in node.outputs:
            found = self.graph.types.get(name)
            if isinstance(found, Unknown):
                reason = found.reason
                self.placed[name] = Placed(None, None, reason=found.reason)
            elif found is not None and name:
                self.placed[name] = Placed(memory.fresh(found.shape), found.dtype)
        self.reports.append(NodeReport(node.name, node.op, "unknown", reason))

    def outcome(self, node: Node, operands: list[Operand | None]) -> tuple[Outcome, str]:
        """What the rule of a node says, and its name. Errors: LayoutError naming a part of it."""
        types = self._types(node)
        name = node.operator.name
        rule = RULES.get(name)
        if rule is None:
            results = tuple(Result(memory.fresh(each.shape)) for each in types)
            what = (
                "This operator is not in the catalogue: it is taken as opaque"
                if name == "opaque"
                else "PyTorch has no operator of this name"
            )
            return Outcome(results, f"{what}, with a contiguous result."), "opaque"
        shapes = [None if each is None else TensorType(each.shape, each.dtype) for each in operands]
        call = Call(
            node.op, node.dialect, node.signature, node.attributes, shapes,
            lambda at: self._values(node.inputs[at]), len(node.outputs),
        )  # fmt: skip
        return rule(Eager(node, operands, types, call)), name

    def _values(self, name: str) -> tuple[int | float, ...] | None:
        constant = self.graph.constants.get(name)
        return constant.values if constant else None

    def _types(self, node: Node) -> list[TensorType]:
        found = [self.graph.types[name] for name in node.outputs if name]
        return [each for each in found if isinstance(each, TensorType)]

    def _lost(self, operands: list[Operand | None], outcome: Outcome) -> str | None:
        """The format that an operand has and no result keeps, where the rank allows it."""
        for operand in operands:
            name = operand and memory.format_named(operand.layout)
            if not operand or not name:
                continue
            same_rank = [r for r in outcome.results if r.layout.rank == operand.layout.rank]
            if any(r.of is not None for r in outcome.results):
                return None
            if same_rank and not any(memory.has_format(r.layout, name) for r in same_rank):
                return name
        return None

    def _reorder(self, node: Node, position: int, target: Layout) -> None:
        tensor = node.inputs[position]
        placed = self.placed[tensor]
        assert placed.layout is not None
        assert placed.dtype is not None
        producer = self.graph.producers.get(tensor)
        self.reorders.append(
            Reorder(
                tensor,
                _named(placed.layout),
                _named(target),
                layout_bytes(placed.layout, placed.dtype) + layout_bytes(target, placed.dtype),
                before=node.name,
                after=None if producer is None else self.graph.nodes[producer].name,
            )
        )


def _plain(layout: Layout) -> Layout:
    """The same strides under the default names of dimensions."""
    return Layout.strided(layout.shape, memory.strides_of(layout), layout.offset)


def _named(layout: Layout) -> str:
    """A layout in words: a memory format where it has one, else its strides."""
    if memory.has_format(layout, memory.CONTIGUOUS):
        return "contiguous"
    found = memory.format_named(layout)
    if found is not None and memory.has_format(layout, found):
        return found
    return str(layout)


PYTORCH_EAGER = RuleSet(
    "pytorch-eager",
    "PyTorch 2.13, eager, on the CPU",
    "aten/src/ATen/native of pytorch/pytorch",
    _carry,
)
