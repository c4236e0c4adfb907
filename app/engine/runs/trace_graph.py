"""The network of a trace, for ``propagate`` and ``plan_network``.

A tensor is what an operator wrote last at its place: storage, offset, sizes, strides. What no
operator of the trace wrote is an input, or a constant if it is a parameter. An operator that writes
in place is the node of its functional twin: relu for relu_, which keeps a dense operand's order as
well. It is no node where it is an optimiser's step, counts, or writes a window with gaps: the
operand's layout stays. Nor is one that the catalogue does not have: what it wrote is an input with
the strides that it had. So is what was written through another view of its memory.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model.dtypes import find_dtype
from ..network import Graph, GraphTensor, NodeSource
from ..network.aten import node_of
from .traces import Trace, TraceEvent, TraceTensor

_Place = tuple[Any, ...]


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
            if event.in_place:
                return
            for tensor in results:
                self.names[tensor.storage].pop(_place(tensor), None)
            return
        outputs = list(mapped.outputs)
        told = {name: each[: len(outputs)] for name, each in told.items()}
        kept = [n for n in operands if n]
        plain = NodeSource(f"aten:{event.name}", kept, outputs, told, label)
        self.opaque.append(plain)
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
