"""ONNX Runtime 1.31 on the CPU: which nodes run on blocked channels, and the reorders.

ORT rewrites a network in three levels before it runs it, and the rules here do the same in the same
order, each level until nothing changes, at most ten times (``session_options.h``,
``max_num_graph_transformation_steps``): level 1 simplifies (``simplify``,
``transposes``), level 2 fuses activations, level 3 blocks (``blocking``).
Source: onnxruntime/core/optimizer/graph_transformer_utils.cc.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from ....model.dtypes import ELEMENT_TYPES
from ....model.layout import Layout
from ....reorder.plan import moved_bytes
from ...attributes import Value, block_sizes
from ...graph import Graph
from ...labels import layout_of, row_major
from ...operators.base import Unknown
from ...propagation import NodeReport, Placed, Propagation, Reorder
from ..base import RuleSet
from .blocking import block_channels
from .regions import Regions, remove_casts
from .simplify import (
    conv_activation,
    fold_constants,
    merge_equal,
    quick_gelu,
    rewrite,
    share_constants,
    write_out_hard_swish,
)
from .translate import read
from .transposes import composed, inverse, push_transposes
from .working import Note, OrtStep, Perm, Working

_FLOAT32 = ELEMENT_TYPES["float32"]
PLAIN = "NCHW"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the optimizers did, in the network's own names."""

    graph: Graph
    working: Working
    regions: Regions

    def placed(self, name: str) -> Placed:
        """Where one tensor of the network is."""
        found = self.graph.types[name]
        if isinstance(found, Unknown):
            return Placed(None, None, reason=found.reason)
        stored, perm = self._stored(name)
        reason = self.working.absent.get(stored, "")
        if reason:
            fused = self.working.fused.get(stored)
            return Placed(None, found.dtype, reason=reason, fused=fused)
        back = range(found.rank) if perm is None else inverse(perm)
        # Of a Transpose from NHWC that became a part of the reorder, only the blocked copy exists.
        copied = self.regions.inputs.get(stored)
        is_blocked = stored in self.regions.tensors or (copied and copied.tensor != stored)
        shape = tuple(found.shape[d] for d in back)
        layout = layout_of(self.regions.format, shape) if is_blocked else row_major(shape)
        if perm:  # the same memory with the dimensions in another order
            digits = tuple(layout.digits[d] for d in perm)
            layout = Layout(found.shape, layout.dims, digits, layout.offset)
        of = self._shared(name, stored)
        text = self.regions.format if is_blocked and not perm else ""
        tensor, given = self.graph.tensor(name), ""
        if tensor is not None and tensor.layout.digits != layout.digits:
            given = "ONNX Runtime takes tensors in row-major order; the given layout is not used."
        return Placed(layout, found.dtype, of is not None, of, given, text=text)

    def _stored(self, name: str) -> tuple[str, Perm | None]:
        """The tensor of ORT's graph that has these values, and how it is transposed."""
        perm: Perm | None = None
        while name in self.working.aliases:
            name, own = self.working.aliases[name]
            perm = composed(own, perm) if own and perm else own or perm
        return name, perm

    def _shared(self, name: str, stored: str) -> str | None:
        """The tensor of the network whose memory this one shares, None if it has its own."""
        first = self.working.renamed.get(name)
        if first is not None:
            return first
        if self.working.renamed.get(stored) == name:
            return None
        own = self.working.called(stored)
        return None if own == name else own

    def reorders(self) -> Iterator[Reorder]:
        """All reorders, first those into blocks."""
        for own, each in self.regions.inputs.items():
            yield self._reorder(each.tensor, own, self._names(each.steps))
        for name in self.regions.outputs:
            yield self._reorder(name, name, self._needs(name), back=True)

    def _reorder(
        self, tensor: str, read: str, readers: tuple[str, ...], *, back: bool = False
    ) -> Reorder:
        """The reorder into blocks, or ``back``."""
        working = self.working
        own = working.called(tensor)
        producer = self.graph.maker(self._made(own))
        shape = working.shapes.get(read)
        if back and read not in self.regions.tensors:  # written as NHWC
            shape = working.shapes.get(working.producers[read].input(0))
        ends = readers[0] if readers else None, None if producer is None else producer.name
        names, layouts, moved = (PLAIN, self.regions.format), None, 0
        if shape is not None:
            layouts = row_major(shape), layout_of(self.regions.format, shape)
            layouts = layouts[::-1] if back else layouts
            moved = moved_bytes(*layouts, _FLOAT32)
        prepared = own in self.graph.constants
        names = names[::-1] if back else names
        return Reorder(own, *names, moved, *ends, readers, layouts, prepared)

    def _made(self, tensor: str) -> str:
        """The tensor that a node makes which is left: a dropped Identity does not make its own."""
        while tensor in self.working.renamed:
            tensor = self.working.renamed[tensor]
        return tensor

    def _needs(self, name: str) -> tuple[str, ...]:
        """The nodes that read a tensor in NCHW; none if only the network's user does."""
        return self._names(
            step
            for step in self.working.readers(name)
            if name not in self.regions.tensors or name in self.regions.read_plain(step)
        )

    def _names(self, steps: Iterable[OrtStep]) -> tuple[str, ...]:
        """The nodes that these steps begin with, in the network's order; none for ORT's own."""
        found = {step.sources[0] for step in steps if step.sources}
        return tuple(self.graph.nodes[index].name for index in sorted(found))

    def nodes(self) -> Iterator[NodeReport]:
        """What happened at each node, in the network's order."""
        for node in self.graph.nodes:
            note = self.working.notes.get(node.index) or Note("plain", "It runs in plain memory.")
            lost = self.regions.lost.get(node.index)
            yield NodeReport(node.name, node.op, note.rule, note.reason, lost, note.fused)


_STEPS = 10
_LEVEL_1 = (
    rewrite,
    share_constants,
    merge_equal,
    fold_constants,
    partial(push_transposes, assigned=False),
)
_LEVEL_2 = (partial(push_transposes, assigned=True), conv_activation, quick_gelu)


def optimized(graph: Graph, block: int = 16) -> tuple[Working, Regions]:
    """ORT's graph after all levels, and what runs blocked."""
    working = read(graph)
    _repeated(working, *_LEVEL_1)
    write_out_hard_swish(working)
    _repeated(working, *_LEVEL_2)
    regions = block_channels(working, block)
    remove_casts(regions)
    return working, regions


def _repeated(working: Working, *passes: Callable[[Working], bool]) -> None:
    for _ in range(_STEPS):
        changed = [each(working) for each in passes]
        if not any(changed):
            break


def _carry(graph: Graph, options: Mapping[str, Value]) -> Propagation:
    answer = _Answer(graph, *optimized(graph, options["block"]))
    tensors = {name: answer.placed(name) for name in graph.types}
    said = tuple(answer.reorders()), tuple(answer.nodes())
    return Propagation(ONNXRUNTIME_CPU.name, tensors, *said)


ONNXRUNTIME_CPU = RuleSet(
    "onnxruntime-cpu",
    "ONNX Runtime 1.31, on the CPU",
    "onnxruntime/core/optimizer/nchwc_transformer.cc of microsoft/onnxruntime",
    "letters",
    _carry,
    {"block": block_sizes({16: "AVX-512, NEON", 8: "x86-64 up to AVX2"})},
    block=lambda options: options["block"],
)
