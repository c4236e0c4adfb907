"""The network of a trace, for ``propagate`` and ``plan_network``.

A tensor is what an operator wrote last at its place: storage, offset, sizes, strides. What no
operator of the trace wrote is an input, or a constant if it is a parameter. An operator that writes
in place is the node of its functional twin: relu for relu_, which keeps a dense operand's order as
well. It is no node where it is an optimiser's step, counts, or writes a window with gaps: the
operand's layout stays. Nor is one that the catalogue does not have: what it wrote is an input with
the strides that it had. So is what was written through another view of its memory.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..model.dtypes import find_dtype
from ..model.errors import LayoutError
from ..network import Graph, GraphTensor, NodeSource, Propagation, propagate
from ..network.aten import node_of
from ..network.deadline import Deadline, OutOfTimeError
from ..network.planner import plan_layouts
from ..network.propagation import bytes_text
from .copies import Copy, copies_of, lost_of
from .traces import Trace, TraceEvent, TraceTensor, named

_Place = tuple[Any, ...]
_PLAN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class TraceGraph:
    """A network, and for each of its tensors what the trace saw; ``nodes``: events by node."""

    graph: Graph
    seen: Mapping[str, TraceTensor]
    nodes: Mapping[str, TraceEvent]


@dataclass(slots=True)
class _Builder:
    # By storage, then by place in it.
    names: defaultdict[int | None, dict[_Place, str]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    inputs: dict[str, GraphTensor] = field(default_factory=dict)
    constants: dict[str, GraphTensor] = field(default_factory=dict)
    seen: dict[str, TraceTensor] = field(default_factory=dict)
    nodes: dict[str, TraceEvent] = field(default_factory=dict)
    sources: list[NodeSource] = field(default_factory=list)
    opaque: list[NodeSource] = field(default_factory=list)
    read: set[str] = field(default_factory=set)

    def add(self, event: TraceEvent) -> None:
        """Take an event whose results have strides."""
        results = [t for t in event.outputs if _tensor(t) is not None]
        if not results or (event.in_place and not _has_twin(results[0])):
            return
        operands = [self.name_of(t) for t in event.inputs]
        self.read.update(name for name in operands if name)
        label = f"{event.name}_{event.index}"
        outputs = [f"t{event.index}.{i}" for i in range(len(results))]
        told: dict[str, Any] = {
            "output_shapes": [list(t.shape or ()) for t in results],
            "output_dtypes": [t.dtype for t in results],
        }

        def tensor_name(value: Any) -> str | None:
            place = isinstance(value, dict) and value.get("tensor")
            return operands[place] if type(place) is int and place < len(operands) else None

        mapped = node_of(event.name, event.arguments, outputs, label, tensor_name)
        if mapped is None:
            for tensor in () if event.in_place else results:
                self.names[tensor.storage].pop(_place(tensor), None)
            return
        outputs = list(mapped.outputs)
        told = {name: each[: len(outputs)] for name, each in told.items()}
        kept = [n for n in operands if n]
        self.opaque.append(NodeSource(f"aten:{event.name}", kept, outputs, told, label))
        self.nodes[label] = event
        self.sources.append(mapped)
        for name, tensor in zip(outputs, results, strict=False):
            if event.in_place:
                self.names.pop(tensor.storage, None)
            self.names[tensor.storage][_place(tensor)] = name
            self.seen[name] = tensor

    def name_of(self, tensor: TraceTensor) -> str | None:
        """The name of an operand; one that is new is an input or a constant."""
        found = self.names[tensor.storage].get(_place(tensor))
        if found is None:
            made = _tensor(tensor)
            if made is None:
                return None
            listed = self.constants if tensor.parameter else self.inputs
            found = f"{'w' if tensor.parameter else 'x'}{len(listed)}"
            self.names[tensor.storage][_place(tensor)] = found
            listed[found] = made
            self.seen[found] = tensor
        return found


def graph_of(trace: Trace) -> TraceGraph:
    """The network of the forward events. Nodes that the catalogue refuses are kept by their ATen
    names, with the shapes that PyTorch gave them. Errors: LayoutError."""
    made = _Builder()
    for event in trace.events:
        if not event.backward:
            made.add(event)
    outputs = [name for node in made.sources for name in node.outputs if name not in made.read]
    graph = Graph.of(
        inputs=made.inputs,
        constants=made.constants,
        nodes=made.sources,
        outputs=outputs,
        spare=made.opaque,
    )
    return TraceGraph(graph, made.seen, made.nodes)


def _has_twin(written: TraceTensor) -> bool:
    """Whether what was written in place may be a new tensor of the network."""
    return not written.parameter and bool(written.shape) and written.dense


def _place(tensor: TraceTensor) -> _Place:
    return tensor.offset, tensor.shape, tensor.strides, tensor.dtype


def _tensor(tensor: TraceTensor) -> GraphTensor | None:
    dtype, layout = find_dtype(tensor.dtype), tensor.layout
    return None if dtype is None or layout is None else GraphTensor(layout, dtype)


@dataclass(frozen=True, slots=True)
class Difference:
    """A result whose strides are not those of the rules: an error of the rules.

    ``node`` and ``op``: of the network; ``where``: module and line. Strides in elements.
    """

    node: str
    op: str
    where: str
    traced: tuple[int, ...]
    by_rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Bytes that copies into another order read and write.

    ``measured``: in the run, and ``measured_ms``, ``share`` of the time of all events;
    ``by_rules``: of PyTorch's eager mode; ``least``: of the plan, None where there was none;
    ``proven``: no assignment of layouts is cheaper. ``differences``: between the run and the rules;
    ``compared``: how many results. ``text``: one sentence with what to keep, and where.
    """

    measured: int
    measured_ms: float
    share: float
    by_rules: int
    least: int | None
    proven: bool
    compared: int
    differences: tuple[Difference, ...]
    text: str


def columns_of(trace: Trace, made: TraceGraph | None = None) -> Columns:
    """The columns of a trace, with a plan of at most 2 seconds. ``made``: its network.

    Copies inside PyTorch's own kernels are in the second column alone: no trace sees them. Errors:
    LayoutError, where the trace is no network.
    """
    made = made or graph_of(trace)
    said = propagate(made.graph, "pytorch-eager")
    least, proven = _least(made, said)
    copies = copies_of(trace.events)
    total = sum(event.spent_ms for event in trace.events)
    spent = sum(copy.ms or 0.0 for copy in copies)
    measured = sum(copy.bytes for copy in copies)
    compared = [*_compared(made, said)]
    different = tuple(each for each in compared if each is not None)
    share = spent / total if total > 0 else 0.0
    shares = f" and spend {spent:.3g} ms ({spent / total:.0%})" if spent and total else ""
    found = "" if proven else " found"
    by_plan = "" if least is None else f"; the least{found} is {bytes_text(least)}"
    text = (
        f"You read and write {bytes_text(measured)}{shares} on reorders; by PyTorch's rules "
        f"{bytes_text(said.bytes)} would be copied{by_plan}{_advice(trace, copies)}."
    )
    counts = measured, spent, share, said.bytes, least, proven, len(compared)
    return Columns(*counts, different, text)


def columns_if_any(trace: Trace | None) -> Columns | None:
    """The columns of a trace; None without one, or where it is no network."""
    try:
        return columns_of(trace) if trace else None
    except LayoutError:
        return None


def _least(made: TraceGraph, said: Propagation) -> tuple[int | None, bool]:
    """The least bytes of copies that a plan or the rules find, and whether that is proven."""
    anyhow = dict.fromkeys(made.graph.outputs)  # a result may be left in any layout
    deadline = Deadline.after(_PLAN_S)
    try:
        plan = plan_layouts(made.graph, outputs=anyhow, compare=False, deadline=deadline)
    except (LayoutError, OutOfTimeError):
        return None, False
    least = int(min(plan.cost, said.bytes))
    return least, least == 0 or (plan.optimal and least == plan.cost)


def _advice(trace: Trace, copies: Sequence[Copy]) -> str:
    """What to keep, and where by module and line, or where most bytes are copied."""
    largest = sorted(copies, key=lambda copy: -copy.bytes)
    plain = [copy for copy in largest if copy.of_plain_image]
    most = 2 * sum(copy.bytes for copy in plain) > sum(copy.bytes for copy in copies)
    if events := lost_of(trace.events) or [copy.event for copy in plain if most]:
        return f": keep channels_last through {named(events)}"
    return f". Most is copied by {named(copy.event for copy in largest)}" if largest else ""


def _compared(made: TraceGraph, said: Propagation) -> Iterator[Difference | None]:
    """For each result of a node that the rules carry, how it differs, None where it does not."""
    for node in made.graph.nodes:
        if node.operator.kind == "opaque":
            continue
        for name in node.outputs:
            seen, placed = made.seen.get(name), said.tensors.get(name)
            layout = placed.layout if placed else None
            if seen is None or seen.strides is None or layout is None or layout.strides is None:
                continue
            if seen.shape == layout.shape and seen.strides == layout.strides:
                yield None
            else:
                where = made.nodes[node.name].where
                yield Difference(node.name, node.op, where, seen.strides, layout.strides)
