"""torch.compile of PyTorch 2.13 (inductor): layouts are chosen for the whole network at once.

If ``decide_layout_opt`` says yes, every convolution over two dimensions reads and writes
channels_last, and so does every tensor of four dimensions that leads to one, or follows one before
the last. What is compiled into loops is written in that order at no cost; operands that lie
otherwise, and results of convolutions that leave the network, are copied. Weights that are not
frozen count as inputs and are copied at every run. A result of the network has eager PyTorch's
strides, and so has a tensor for which no preference was found; kernels in loops read any strides,
so eager's inner copies are left out.
Source: torch/_inductor/graph.py (decide_layout_opt, find_nodes_prefer_channels_last, run_node),
torch/utils/flop_counter.py (conv_flop_count), kernel/conv.py (convolution),
ir.py (ExternKernel.require_stride_order).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod

from ...model.errors import LayoutError
from ...model.facts import is_dense
from ...model.layout import Layout
from ..attributes import Value, signature
from ..graph import Graph
from ..nodes import Node
from ..operators.base import TensorType
from ..propagation import Propagation, Reorder
from .base import RuleSet
from .pytorch_eager import Carried, memory
from .pytorch_eager.calls import EagerCopy, EagerOperand, EagerResult, Outcome

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
    grouped = groups > 1 and weight[1] > 1
    small = max(weight[:2]) <= _SMALL
    in_out = weight[0] * 2 <= weight[1] and weight[2] > 1
    return ["grouped"] * grouped + ["small"] * small + ["in_out"] * in_out


def decide(graph: Graph, *, device: str = "cpu", inference: bool = True) -> LayoutDecision:
    """``decide_layout_opt``, in the order of its questions."""
    found = [_read(graph, node) for node in graph.nodes if node.operator.name in CONVOLUTIONS]
    convolutions = [each for each in found if each is not None]
    if not found:
        return LayoutDecision(_OFF, "No convolution, so nothing gains from channels_last")
    if device == "cpu":
        why = "All convolutions run on oneDNN, which is faster on channels_last"
        return LayoutDecision(_ON, why)
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


_IMAGE = 4
_LAST = (0, 2, 3, 1)


def _carry(graph: Graph, options: Mapping[str, Value]) -> Propagation:
    inference = options["mode"] == "inference"
    decision = decide(graph, device=options["device"], inference=inference)
    compiled = _Compiled(graph, decision, frozen=options["freezing"])
    return compiled.carry(PYTORCH_INDUCTOR.name)


class _Compiled(Carried):
    """Eager's rules, with the layouts of convolutions and of what leads to them replaced."""

    def __init__(self, graph: Graph, decision: LayoutDecision, *, frozen: bool) -> None:
        super().__init__(graph)
        self._decision = decision
        self._frozen = frozen
        self._preferring = preferring(graph) if decision.on else set()
        eager = Carried(graph)
        with suppress(LayoutError):  # what follows a node that eager refuses has no strides there
            eager.carry("pytorch-eager")
        self._eager = {name: each.layout for name, each in eager.placed.items()}
        self._visible = set(graph.outputs)

    def carry(self, rules: str) -> Propagation:
        """Carry the layouts, then bring the network's results into eager's strides."""
        found = super().carry(rules)
        moves = (*found.reorders, *filter(None, map(self._returned, self.graph.outputs)))
        if not self._frozen:
            return replace(found, reorders=moves)
        # Frozen weights are copied once, when the network is compiled.
        nodes = (node for node in self.graph.nodes if node.operator.name in CONVOLUTIONS)
        weights = {node.input("weight") for node in nodes}
        packed = {each.tensor: each.bytes for each in moves if each.tensor in weights}
        moves = tuple(each for each in moves if each.tensor not in packed)
        size_bytes = sum(packed.values())
        return replace(found, reorders=moves, packed_bytes=size_bytes, weights_each_call=False)

    def _returned(self, name: str) -> Reorder | None:
        wanted, placed = self._eager.get(name), self.placed.get(name)
        if name not in self.graph.producers or wanted is None or placed is None or placed.view:
            return None
        if placed.layout is None or _alike(wanted, placed.layout):
            return None
        return self._reorder(name, (placed.layout, wanted), [])

    def _likeness(self, node: Node) -> tuple[object, ...]:
        """As in eager, and what is preferred for the results."""
        wanted = [(name in self._visible, self._eager.get(name)) for name in node.outputs]
        return *super()._likeness(node), node.index in self._preferring, *wanted

    def outcome(
        self, node: Node, operands: list[EagerOperand | None], types: list[TensorType]
    ) -> tuple[Outcome, str]:
        """Eager's outcome on the operands as inductor has them."""
        if node.operator.name in CONVOLUTIONS:
            return self._convolution(node, operands, types)
        try:
            outcome, rule = super().outcome(node, operands, types)
        except LayoutError:
            results = tuple(EagerResult(memory.fresh(each.shape)) for each in types)
            why = "The new strides cannot give this view: a copy."
            outcome, rule = Outcome(results, why), node.operator.name
        copies = () if node.operator.kind == "memory" else _moving(operands, outcome.copies)
        return self._preferred(node, Outcome(outcome.results, outcome.reason, copies)), rule

    def _convolution(
        self, node: Node, operands: list[EagerOperand | None], types: list[TensorType]
    ) -> tuple[Outcome, str]:
        """Two dimensions of space: channels_last, where layouts are optimised.

        Source: torch/_inductor/kernel/conv.py (require_channels_last for ndim == 2).
        """
        weight = node.signature.positions["weight"]
        filters = operands[weight]
        if not self._decision.on or filters is None or len(filters.shape) != _IMAGE:
            outcome, rule = super().outcome(node, operands, types)
            kept = _moving(operands, outcome.copies)
            said = "off" if not self._decision.on else "for two dimensions only"
            reason = f"Layout optimization is {said} ({self._decision.reason}). {outcome.reason}"
            return self._preferred(node, Outcome(outcome.results, reason, kept)), rule
        copies = []
        changed = list(operands)
        for position in (node.signature.positions["input"], weight):
            operand = operands[position]
            if operand and operand.rank == _IMAGE and not _ordered(operand.layout, _LAST):
                wanted = memory.fresh(operand.shape, memory.CHANNELS_LAST)
                changed[position] = replace(operand, layout=wanted)
                copies.append((position, wanted))
        outcome, rule = super().outcome(node, changed, types)
        results = tuple(
            EagerResult(memory.fresh(each.layout.shape, memory.CHANNELS_LAST))
            if each.layout.rank == _IMAGE
            else each
            for each in outcome.results
        )
        reason = f"{self._decision.reason}: it reads and writes channels_last."
        return Outcome(results, reason, tuple(copies)), rule

    def _preferred(self, node: Node, outcome: Outcome) -> Outcome:
        """The results of a node, as the network's output or a convolution further on wants them."""
        results, moves, reason = list(outcome.results), [], outcome.reason
        for at, (name, result) in enumerate(zip(node.outputs, outcome.results, strict=False)):
            if wanted := self._wanted(node, name, result):
                layout, reason = wanted
                results[at] = EagerResult(layout)
                if result.of is not None:
                    moves.append((at, result.layout, layout))
                    reason += " A view cannot change its order: a copy."
        return Outcome(tuple(results), reason, outcome.copies, tuple(moves))

    def _wanted(self, node: Node, name: str, result: EagerResult) -> tuple[Layout, str] | None:
        eager = self._eager.get(name)
        if eager is None or node.operator.name in CONVOLUTIONS:
            return None
        shape, strides = eager.shape, memory.strides_of(eager)
        dense = is_dense(shape, strides)
        if name in self._visible:
            if not self._decision.on or _alike(result.layout, eager) or not dense:
                return None
            order = sorted(range(eager.rank), key=lambda d: -strides[d])
            if result.of is not None and _ordered(result.layout, order):
                return None
            return eager, "A result of the network: it is written with eager's strides."
        if len(shape) != _IMAGE or node.index not in self._preferring or not dense:
            return None
        if _ordered(result.layout, _LAST):
            return None
        why = "It leads to a convolution, or follows one, so it is written channels_last."
        return memory.fresh(shape, memory.CHANNELS_LAST), why


def _alike(a: Layout, b: Layout) -> bool:
    """Whether the strides of all sizes over 1 agree."""
    pairs = zip(a.shape, memory.strides_of(a), memory.strides_of(b), strict=True)
    return 0 in a.shape or all(n == 1 or s == t for n, s, t in pairs)


def _ordered(layout: Layout, order: Sequence[int]) -> bool:
    """Whether strides fall in that order of dimensions; sizes of 1 do not count.

    Source: torch/_inductor/ir.py (is_stride_ordered).
    """
    strides = memory.strides_of(layout)
    kept = [strides[d] for d in order if layout.shape[d] > 1]
    return 0 in layout.shape or kept == sorted(kept, reverse=True)


def _moving(
    operands: Sequence[EagerOperand | None], copies: Sequence[EagerCopy]
) -> tuple[EagerCopy, ...]:
    """The copies that move something: sizes of 1 may have any stride."""
    return tuple(
        (position, target)
        for position, target in copies
        if (operand := operands[position]) is None or not _alike(operand.layout, target)
    )


PYTORCH_INDUCTOR = RuleSet(
    "pytorch-inductor",
    "PyTorch 2.13, torch.compile (inductor)",
    "torch/_inductor/graph.py of pytorch/pytorch",
    "pytorch",
    _carry,
    signature("device:cpu/cuda mode:inference/training freezing:flag").attributes,
)
