"""TensorFlow's layout optimizer (grappler), from its source.

A network is written in one data format. On a GPU the optimizer turns NHWC into NCHW; where at least
half of the convolutions would run on tensor cores (float16 from architecture 7.0; bfloat16, and
float32 as TF32, from 8.0) it turns NCHW into NHWC instead. On a CPU it does nothing, unless
``cpu_layout_conversion`` is ``NCHW_TO_NHWC``. A network in the other format is left as it is.

First every operator that depends on the format is converted, with a Transpose in front of it and
one behind. Then operators that work in any order (agnostic ones) are converted where such a
Transpose leads to them, and pairs of Transposes that undo each other are removed; equal ones are
merged by the arithmetic optimizer. A node whose result is fetched, or that nobody reads, is left.
Constants are transposed when the graph is optimised, which costs nothing per run.

The network here has logical sizes N, C, H, W. It counts as written in the format in which its
images come in (``data_format``: ``auto``), and a tensor of that rank lies in it everywhere else.
Source: tensorflow/core/grappler/optimizers/generic_layout_optimizer.cc,
generic_layout_optimizer_transposer.cc (IsLayoutSensitiveOp, IsLayoutAgnosticOp, *Transposer),
arithmetic_optimizer.cc (DedupComputations).
"""

from collections.abc import Mapping
from math import inf

from ..attributes import Value, signature
from ..graph import Graph
from ..nodes import Node
from ..operators.base import TensorType
from .base import UNKNOWN, Carrier, RuleSet, Words, axes_of, families, operators

_IMAGES = {4: "NCHW", 5: "NCDHW"}
_LAST = {4: "NHWC", 5: "NDHWC"}
_VOLTA, _AMPERE = 7.0, 8.0
_SENSITIVE = {
    "conv": "Conv2D",
    "conv_transpose": "Conv2DBackpropInput",
    "max_pool": "MaxPool",
    "avg_pool": "AvgPool",
    "batch_norm": "FusedBatchNorm",
    "pixel_shuffle": "DepthToSpace",
    "pixel_unshuffle": "SpaceToDepth",
}
_IN_3D = {"conv", "conv_transpose", "batch_norm"}
_BINARY = families("binary") - operators(
    "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor fmax fmin "
    "logical_xor"
)
_REDUCTIONS = operators("sum mean prod amax amin all any")
_NOT_AGNOSTIC = operators(
    "bitwise_not celu clamp_max clamp_min deg2rad exp2 frac hardshrink hardtanh leaky_relu log10 "
    "log2 logit logsigmoid nan_to_num rad2deg softshrink softsign tanhshrink threshold "
    "thresholded_relu trunc global_lp_pool tensor_split"
)
_AGNOSTIC = (
    (families("unary", "global pooling", "split") - _NOT_AGNOSTIC)
    | _BINARY
    | _REDUCTIONS
    | operators("identity clamp pad flip repeat slice narrow shape cat sum_of where squeeze")
)
_RANKS_OF_BINARY = {(4, 0), (4, 1), (4, 4), (0, 4), (1, 4)}
# Axes over which a reduction may drop dimensions, from NHWC to NCHW only; here in N, C, H, W.
_DROPPED = ({0, 1, 2, 3}, {1, 2, 3}, {0, 2, 3}, {2, 3}, {1})


class _Optimizer(Carrier):
    """The formats from which and into which a network is converted, and what has been."""

    rules = "tensorflow-grappler"
    words = Words(write=lambda name, layout: name if layout.rank in _LAST else "")

    def __init__(self, graph: Graph, options: Mapping[str, Value]) -> None:
        super().__init__(graph, options)
        self._format = _data_format(self, options)
        self._source, self._target, self._why = _conversion(graph, options)
        self._fetched = set(graph.outputs)
        # Tensors behind a Transpose back, through agnostic nodes alone.
        self._after: set[str] = set()

    def written(self, tensor: str) -> str:
        """The layout that a tensor has in the network as it was written."""
        return self._in(self._format, self.rank(tensor)) or self.plain(tensor)

    def _in(self, data_format: str, rank: int) -> str | None:
        return (_LAST if data_format == "NHWC" else _IMAGES).get(rank)

    def add(self, node: Node) -> None:
        """Convert a node, or leave it."""
        if node.operator.name == "opaque":
            self.plainly(node, "opaque", UNKNOWN)
            return
        refusal = self._refusal(node)
        name = node.operator.name
        convert = not refusal

        def wanted(tensor: str) -> str:
            found = self._in(self._target, self.rank(tensor)) if convert else None
            return found or self.written(tensor)

        for tensor in node.inputs:
            # Filters stay, and constants are transposed ahead of time.
            is_data = name not in _SENSITIVE or tensor == node.input("input")
            if is_data and tensor and tensor not in self.graph.constants:
                self.read(node, tensor, wanted(tensor))
        for tensor in filter(None, node.outputs):
            self.write(tensor, wanted(tensor))
        if convert or (name in _AGNOSTIC and self._reached(node)):
            self._after.update(tensor for tensor in node.outputs if tensor)
        if refusal:
            self.report(node, "left", refusal)
        elif name in _SENSITIVE:
            why = f"{_SENSITIVE[name]} depends on the format: {self._why}."
            self.report(node, "sensitive", why)
        else:
            why = f"It works in any order, so it goes on in {self._target} behind a converted node."
            self.report(node, "agnostic", why)

    def _reached(self, node: Node) -> bool:
        return any(tensor in self._after for tensor in node.inputs)

    def _refusal(self, node: Node) -> str:
        """Why a node is left in the format of the network; empty if it is converted."""
        if not self._target:
            return f"{self._why}."
        if self._format != self._source:
            if not any(each.operator.images for each in self.graph.nodes):
                return "No operator of the network reads images, whose format it would convert."
            return f"The network is in {self._format} already, into which it would be converted."
        name = node.operator.name
        if name not in _SENSITIVE and name not in _AGNOSTIC:
            return "Neither converted for its format nor known to work in any order."
        results = [tensor for tensor in node.outputs if tensor]
        if any(tensor in self._fetched for tensor in results):
            return "Its result is fetched, and such nodes are preserved."
        if not any(tensor in self.graph.readers for tensor in results):
            return "Nobody reads its result, so it is not looked at."
        ranks = [self.rank(tensor) for tensor in node.inputs]
        if name in _SENSITIVE:
            fits = ranks[0] == 4 or (ranks[0] == 5 and name in _IN_3D)
            return "" if fits else "Only images of four dimensions are converted."
        if not self._reached(node):
            return "No converted node leads to it."
        return self._shape_refusal(node, ranks)

    def _shape_refusal(self, node: Node, ranks: list[int]) -> str:
        name = node.operator.name
        result = self.rank(next(tensor for tensor in node.outputs if tensor))
        if name in _BINARY:
            pair = (ranks[0], ranks[1] if len(ranks) > 1 else 0)
            return "" if pair in _RANKS_OF_BINARY or pair == (5, 5) else "Not of these ranks."
        if name in _REDUCTIONS:
            return "" if ranks[0] in _IMAGES and self._keeps(node) else "It drops other dimensions."
        if name == "squeeze":
            return self._squeezed(node)
        if name == "shape":
            return "" if ranks[0] in _IMAGES else "Only images are converted."
        return "" if result in _IMAGES else "Only images of four dimensions are converted."

    def _keeps(self, node: Node) -> bool:
        rank = self.rank(node.inputs[0])
        known = self._source == "NHWC" and rank == 4 and axes_of(node, rank) in _DROPPED
        return known or rank == self.rank(node.outputs[0])

    def _squeezed(self, node: Node) -> str:
        """Of NHWC alone, and of heights and widths of 1. Source: SqueezeTransposer."""
        kind, result = self.type(node.inputs[0]), self.type(node.outputs[0])
        if kind is None or result is None or self._source != "NHWC" or kind.rank != 4:
            return "Squeeze is converted from NHWC only."
        if kind.shape[2:] != (1, 1):
            return "Squeeze is converted for heights and widths of 1 only."
        wanted = {2: (*kind.shape[:2],), 1: (kind.shape[1],)}.get(result.rank)
        return "" if wanted == result.shape else "It squeezes other dimensions."


def _data_format(carrier: Carrier, options: Mapping[str, Value]) -> str:
    given: str = options["data_format"]
    if given != "auto":
        return given
    images = [name for name in carrier.graph.inputs if carrier.rank(name) in _IMAGES]
    last = any(carrier.name(name) == _LAST[carrier.rank(name)] for name in images)
    return "NHWC" if last else "NCHW"


def _conversion(graph: Graph, options: Mapping[str, Value]) -> tuple[str, str, str]:
    """Source and target format, empty where there is none, and why."""
    if options["device"] == "cpu":
        if options["cpu_layout_conversion"] == "NCHW_TO_NHWC":
            return "NCHW", "NHWC", "on this CPU NCHW is turned into NHWC, as asked for"
        return "", "", "On a CPU no format is changed, unless cpu_layout_conversion asks for it"
    least = {"float16": _VOLTA, "bfloat16": _AMPERE}
    if options["tf32"]:
        least["float32"] = _AMPERE
    kinds = [_convolved(graph, node) for node in graph.nodes]
    needed = [least.get(kind.dtype.name, inf) for kind in kinds if kind]
    on_tensor_cores = sum((options["architecture"] or 0) >= each for each in needed)
    if needed and 2 * on_tensor_cores >= len(needed):
        return "NCHW", "NHWC", "tensor cores read NHWC, and most convolutions run on them"
    return "NHWC", "NCHW", "on a GPU NHWC is turned into NCHW"


def _convolved(graph: Graph, node: Node) -> TensorType | None:
    """What a Conv2D or Conv3D reads, None for others: a depthwise one is another operator."""
    kind = graph.type(node.inputs[0]) if node.operator.name == "conv" else None
    if kind is None or kind.rank not in _IMAGES:
        return None
    groups: int = node.attributes["groups"]
    return kind if groups == 1 or groups != kind.shape[1] else None


TENSORFLOW_GRAPPLER = RuleSet(
    _Optimizer.rules,
    "TensorFlow, grappler's layout optimizer (from source)",
    "tensorflow/core/grappler/optimizers of tensorflow/tensorflow",
    "letters",
    _Optimizer.answer,
    signature(
        "device:gpu/cpu architecture:number=8.0 tf32:flag=true data_format:auto/NHWC/NCHW "
        "cpu_layout_conversion:none/NCHW_TO_NHWC"
    ).attributes,
    verified=False,
)
