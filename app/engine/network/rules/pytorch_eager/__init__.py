"""Eager PyTorch 2.13 on the CPU: strides, offset, and view or copy of every result.

One rule for each operator, in the modules beside this one. A rule gets the layouts of the operands
and answers as PyTorch's kernel allocates; each has its source in its docstring. Operators that
PyTorch does not have, and those that are not in the catalogue, get contiguous results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ....model.dtypes import ElementType
from ....model.errors import Described, LayoutError
from ....model.layout import Layout
from ...attributes import Value
from ...deadline import look
from ...graph import Graph
from ...nodes import Node
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


_Moved = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class _Done:
    """What happens at a node, without the names of its tensors.

    ``results``: each with the position of the operand whose memory it shares. ``copies``: of the
    operand at a position, with its old and new layout in words and the bytes read and written.
    ``moves``: the same for the results at a position.
    """

    results: tuple[tuple[Placed, int | None], ...]
    copies: tuple[tuple[int, _Moved], ...]
    moves: tuple[tuple[int, _Moved], ...]
    reason: str
    rule: str
    lost: str | None


class Carried:
    """The state while the layouts are carried from node to node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.placed: dict[str, Placed] = {}
        self.reorders: list[Reorder] = []
        self.reports: list[NodeReport] = []
        self._operands: dict[tuple[Layout, str], Operand] = {}
        self._done: dict[tuple[object, ...], _Done] = {}
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
                self.placed[name] = placed_as(layout, tensor.dtype)

    def carry(self, rules: str) -> Propagation:
        """Carry the layouts through all nodes. Errors: LayoutError naming a part of ``nodes``."""
        for node in self.graph.nodes:
            look()
            try:
                self.add(node)
            except LayoutError as error:
                raise error.within(f"nodes[{node.index}]") from None
        return Propagation(rules, self.placed, tuple(self.reorders), tuple(self.reports))

    def add(self, node: Node) -> None:
        """Carry the layouts through one node."""
        types = [each for each in self.graph.results(node) if each is not None]
        operands = [self._operand(name) for name in node.inputs]
        missing = any(
            name and each is None for name, each in zip(node.inputs, operands, strict=True)
        )
        if missing or len(types) < len(node.outputs):
            self._unknown(node)
            return
        # Networks repeat themselves: what a rule says is found once for all nodes that are alike.
        kinds = tuple((each.shape, each.dtype.name) for each in types)
        key = (*self._likeness(node), tuple(map(id, operands)), kinds)
        done = self._done.get(key)
        if done is None:
            done = self._done[key] = self._carried(node, operands, types)
        self._take(node, done)

    def _likeness(self, node: Node) -> tuple[object, ...]:
        """What a rule looks at besides the operands; equal for nodes that are alike."""
        values = [id(self.graph.values(name)) for name in node.inputs]
        # As text, because 1, 1.0 and True are equal in Python and differ in PyTorch.
        return node.op, node.dialect, repr(node.attributes), *values

    def _carried(
        self, node: Node, operands: list[Operand | None], types: list[TensorType]
    ) -> _Done:
        """What happens at a node and at all that are alike."""
        outcome, rule = self.outcome(node, operands, types)
        rest = types[len(outcome.results) :]
        made = (*outcome.results, *(Result(memory.fresh(each.shape)) for each in rest))
        results = tuple(
            (placed_as(result.layout, kind.dtype, view=result.of is not None), result.of)
            for result, kind in zip(made, types, strict=False)
        )
        copies = [
            (each.position, _moved(found.layout, each.target, found.dtype))
            for each in outcome.copies
            if (found := operands[each.position]) is not None
        ]
        moves = [
            (at, _moved(source, target, types[at].dtype)) for at, source, target in outcome.moves
        ]
        lost = self._lost(operands, outcome)
        return _Done(results, tuple(copies), tuple(moves), outcome.reason, rule, lost)

    def _take(self, node: Node, done: _Done) -> None:
        """Say for one node what was found for those like it."""
        self.reports.append(NodeReport(node.name, node.op, done.rule, done.reason, done.lost))
        for at, (source, target, moved) in done.moves:
            readers = self.graph.readers.get(node.outputs[at], ())
            names = tuple(self.graph.nodes[each].name for each in readers)
            before = names[0] if names else None
            self.reorders.append(
                Reorder(node.outputs[at], source, target, moved, before, node.name, names)
            )
        for position, (source, target, moved) in done.copies:
            tensor = node.inputs[position]
            maker = self.graph.producers.get(tensor)
            after = None if maker is None else self.graph.nodes[maker].name
            self.reorders.append(
                Reorder(tensor, source, target, moved, node.name, after, (node.name,))
            )
        for name, (placed, of) in zip(node.outputs, done.results, strict=False):
            if name:
                self.placed[name] = placed if of is None else replace(placed, of=node.inputs[of])

    def _operand(self, name: str) -> Operand | None:
        """The tensor as a node reads it; the same object for all that lie alike."""
        placed = self.placed.get(name)
        if placed is None or placed.layout is None or placed.dtype is None:
            return None
        key = placed.layout, placed.dtype.name
        if key not in self._operands:
            self._operands[key] = Operand(placed.layout, placed.dtype)
        return self._operands[key]

    def _unknown(self, node: Node) -> None:
        reason = "Shapes are not known here."
        for name in node.outputs:
            found = self.graph.types.get(name)
            if isinstance(found, Unknown):
                reason = found.reason
                self.placed[name] = Placed(None, None, reason=found.reason)
            elif found is not None:
                self.placed[name] = placed_as(memory.fresh(found.shape), found.dtype)
        self.reports.append(NodeReport(node.name, node.op, "unknown", reason))

    def outcome(
        self, node: Node, operands: list[Operand | None], types: list[TensorType]
    ) -> tuple[Outcome, str]:
        """What the rule of a node says, and its name. Errors: LayoutError naming a part of it."""
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
            lambda at: self.graph.values(node.inputs[at]), len(node.outputs),
        )  # fmt: skip
        return rule(Eager(node, operands, types, call)), name

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


def _moved(source: Layout, target: Layout, dtype: ElementType) -> _Moved:
    both = layout_bytes(source, dtype) + layout_bytes(target, dtype)
    return _named(source), _named(target), both


def placed_as(layout: Layout, dtype: ElementType, *, view: bool = False) -> Placed:
    """A tensor of these strides under the default names of dimensions, with PyTorch's text."""
    plain = Layout.strided(layout.shape, memory.strides_of(layout), layout.offset)
    return Placed(plain, dtype, view, text=f"pytorch:{memory.text_of(plain)}")


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
    "pytorch",
    _carry,
)
