"""MegEngine's global layout transform, from its source and without its profiler.

Each operator has the formats in which it may run, by target and element type. MegEngine measures
every one of them on the machine, and every reformat between them, and then searches for the
cheapest assignment (dynamic programming over live tensors, cut to 1,024 states). Nothing is
measured here: a convolution takes the first of its formats in the order in which MegEngine's
authors made them (the widest block whose channels fit), and what works in any format goes on in
the first that is not NCHW. Operators that are not in the table, and the network's results, are in
NCHW. Weights are reformatted when the model is dumped, which costs nothing per run.
Source: src/gopt/impl/global_layout_transform/layout_transform_context.cpp (make_cuda_ctx,
make_cpu_ctx), opr_tensor_formats_config.cpp, dynamic_programming_solver.cpp.
"""

from collections.abc import Sequence

from ...model.layout import Layout
from ..attributes import attribute_of, block_sizes
from ..labels import DEFAULT_BLOCK, block_of
from ..nodes import Node
from ..operators.base import TensorType
from .base import UNKNOWN, Carrier, RuleSet, Words, families, operators

_IMAGE = 4
_FORMATS = {_IMAGE: ("NHWC", "NCHW4", "NCHW8", "NCHW32", "NCHW64", "CHWN4")}
_CONVOLUTIONS = families("convolution") - {"conv_transpose"}
_POOLS = operators("max_pool avg_pool global_avg_pool global_max_pool")
_RESIZES = families("resizing")
# Batch normalisation is folded into a multiplication and an addition before this pass.
_ELEMENTWISE = families("unary", "binary", "pointwise") | operators("batch_norm identity")
_KEPT = {
    "cuda": {"int8": ("NCHW32", "NCHW4", "CHWN4"), "float16": ("NHWC",), "4 bits": ("NCHW64",)},
    "cpu": {"int8": ("NCHW4",), "float32": ("NCHW8", "NCHW4")},
}


def _written(name: str, layout: Layout) -> str:
    """A format, or a TensorLayout as MegEngine prints it: sizes with strides, in elements."""
    if layout.rank == _IMAGE:
        return f"megengine:{name}"
    strides = layout.strides or ()
    sizes = (f"{n}({s})" for n, s in zip(layout.shape, strides, strict=True))
    return f"megengine:{{{','.join(sizes)}}}"


class _Transform(Carrier):
    """The assignment, from node to node."""

    rules, words = (
        "megengine",
        Words(others=lambda rank: _FORMATS.get(rank, ()), dialect="megengine:", write=_written),
    )

    @property
    def target(self) -> str:
        """The device: cuda or cpu."""
        return str(self.options["target"])

    def add(self, node: Node) -> None:
        """Give a node one of its formats."""
        name = node.operator.name
        first = self.type(node.inputs[0]) if node.inputs else None
        if name == "opaque":
            self.plainly(node, "plain", UNKNOWN)
        elif first is None or (first.rank != _IMAGE and name not in _ELEMENTWISE):
            why = "Formats are for images of four dimensions; this is plain memory."
            self.plainly(node, "plain", why)
        elif name in _CONVOLUTIONS or (name == "conv_transpose" and self.target == "cuda"):
            self._convolution(node, first)
        elif name in _POOLS:
            self._kept(node, _KEPT[self.target].get(_kind(first), ()))
        elif name in _RESIZES:
            self._kept(node, _KEPT["cpu"].get(_kind(first), ()) if self.target == "cpu" else ())
        elif name in _ELEMENTWISE:
            self._elementwise(node)
        elif name == "cat" and self.target == "cpu":
            self._concat(node)
        else:
            why = f"It is not in the table of {self.target}, so it runs in plain memory."
            self.plainly(node, "plain", why)

    def _convolution(self, node: Node, data: TensorType) -> None:
        """ConvTensorFormatsDispatcherImpl: a format of the table that the channels fit."""
        weight, groups = self.type(node.input("weight")), node.attributes["groups"]
        found, kind = None, _kind(data)
        if weight is not None and weight.rank == _IMAGE:
            into, out = weight.shape[1], weight.shape[0] // groups
            transposed = node.operator.name == "conv_transpose"
            if transposed:
                into, out = weight.shape[0] // groups, weight.shape[1]
            if groups > 1 and into == out == 1:
                into = out = groups
            found = (
                _on_cuda(kind, into, out, groups, transposed=transposed)
                if self.target == "cuda"
                else self._on_cpu(kind, into, out, groups)
            )
        if found is None:
            why = f"In {kind}, with these channels, {self.target} has NCHW only."
            self.plainly(node, "convolution", why)
            return
        source, result, why = found
        self.read(node, node.input("input"), source)
        self.end(node, "convolution", why, result)

    def _on_cpu(self, kind: str, into: int, out: int, groups: int) -> tuple[str, str, str] | None:
        """NCHW88 and its hybrid for float32; NCHW44 for float32 and int8."""
        block = 4 if kind == "int8" else self.options["block"]
        if kind not in {"float32", "int8"} or out % block:
            return None
        name = f"NCHW{block}"
        if into % block == 0:
            return name, name, f"{name}: the channels fill blocks of {block}."
        if groups == 1 and into <= block:
            why = f"Hybrid: {into} channels are read in NCHW, and {name} is written."
            return "NCHW", name, why
        return None

    def _kept(self, node: Node, allowed: tuple[str, ...]) -> None:
        """OprSingleInOutTensorFormatsDispatcherImpl: the format of the source, if it may be."""
        name, rule = self.name(node.inputs[0]), "one in, one out"
        if name in {"NCHW", *allowed}:
            self.run(node, rule, f"It runs in the format of its source, {name}.", name)
        else:
            self.plainly(node, rule, f"It does not run in {name} here: NCHW.")

    def _elementwise(self, node: Node) -> None:
        """Elemwise, ElemwiseMultiType and TypeCvt: any format, the same for all."""
        images = [tensor for tensor in node.inputs if self.rank(tensor) == _IMAGE]
        name = self._first_format(images)
        results = {self.rank(each) for each in node.outputs if each}
        if not images or results != {_IMAGE}:
            self.plainly(node, "elementwise", "Element by element, in plain memory.")
            return
        moved = [tensor for tensor in images if tensor not in self.graph.constants]
        shown = self.shown(name, node.outputs[0])
        why = f"Element by element, so any format does, if all have it: {shown}."
        self.run(node, "elementwise", why, name, moved)

    def _first_format(self, tensors: Sequence[str]) -> str:
        return next((each for each in map(self.name, tensors) if each != "NCHW"), "NCHW")

    def _concat(self, node: Node) -> None:
        """Concat is in the table of the CPU alone; blocks are not cut along the channels."""
        given = [tensor for tensor in node.inputs if tensor]
        name = self._first_format(given)
        kinds, block = map(self.type, given), block_of(name)
        if any(kind is None or kind.rank != _IMAGE or kind.shape[1] % block for kind in kinds):
            self.plainly(node, "concat", f"Its parts would cut blocks of {name}: NCHW.")
        else:
            shown = self.shown(name, node.outputs[0])
            self.run(node, "concat", f"All parts in one format: {shown}.", name, given)


def _on_cuda(
    kind: str, into: int, out: int, groups: int, *, transposed: bool
) -> tuple[str, str, str] | None:
    """NCHW32 and NCHW4 for int8, NCHW64 for 4 bits, NHWC for float16; groups in NCHW4 alone."""
    dense = groups == 1
    if kind == "int8":
        if dense and not transposed and into % 32 == 0 and out % 32 == 0:
            return "NCHW32", "NCHW32", "NCHW32 feeds the tensor cores with 32 int8 channels."
        # A dense source is padded to 4 channels when it is reformatted.
        if dense or into % 4 == out % 4 == 0:
            return "NCHW4", "NCHW4", "NCHW4 feeds dp4a with 4 int8 channels."
    if kind == "4 bits" and dense and not transposed:
        return "NCHW64", "NCHW64", "NCHW64 feeds the tensor cores with 64 channels of 4 bits."
    if kind == "float16" and dense:
        return "NHWC", "NHWC", "NHWC feeds the tensor cores with float16."
    return None


def _kind(data: TensorType) -> str:
    return "4 bits" if data.dtype.bits == 4 else data.dtype.name


MEGENGINE = RuleSet(
    _Transform.rules,
    "MegEngine, global layout transform (from source, not profiled)",
    "src/gopt/impl/global_layout_transform of MegEngine/MegEngine",
    "megengine",
    _Transform.answer,
    {
        "target": attribute_of("cuda/cpu"),
        "block": block_sizes({8: "NCHW88, x86-64", 4: "NCHW44, ARM"}),
    },
    verified=False,
    block=lambda options: options["block"] if options["target"] == "cpu" else DEFAULT_BLOCK,
)
