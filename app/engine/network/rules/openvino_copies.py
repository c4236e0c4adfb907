"""OpenVINO 2026.4 on the CPU: kernels that copy elements elsewhere, or normalise; see openvino_cpu.

Each has a list of layouts that it runs in. It takes the one that it is given, and where the list
has not that one, as blocks would be cut or are padded, the first of the list: mostly channels last.

A Split of channels writes planar parts where a reader of them takes nothing else. Slices that
together cut a tensor whole are made one Split.
Source: src/plugins/intel_cpu/src/nodes/split.cpp, strided_slice.cpp, pad.cpp, depth_to_space.cpp,
space_to_depth.cpp, shuffle_channels.cpp, topk.cpp, mvn.cpp, normalize.cpp, lrn.cpp, and
common/tile_broadcast_utils.cpp; src/common/transformations/src/transformations/
common_optimizations/optimize_strided_slice.cpp (GroupedSliceToVSplitOptimization).
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from ..attributes import Value
from ..graph import Graph
from ..labels import ABSTRACT, block_of
from ..nodes import Node
from ..operators.base import Call, ShapeNotKnownError, StridedView
from ..operators.joining import pad_pairs
from .base import Carrier, Words, axes_of, operators

# Rule, why, the layout of the results, and the operands that are read in it (by default the
# first); or why all is planar. ``acdb>abcd``: the operand's layout, and another of the results.
Selected = tuple[str, ...] | str
LAST = {3: "acb", 4: "acdb", 5: "acdeb"}
BLOCKED = {3: "aBc", 4: "aBcd", 5: "aBcde"}
NO_OTHER = "This model knows of no other layout for it than the planar one."
ARITHMETIC = operators(
    "relu neg abs floor ceil round square relu6 hardtanh sigmoid tanh exp log sqrt erf hardswish "
    "gelu mish elu softplus add sub mul div remainder pow maximum minimum sum_of max_of min_of "
    "clamp clamp_min clamp_max batch_norm"
)
"""UnaryElementwiseArithmetic and BinaryElementwiseArithmetic, or made of such."""
ELEMENTWISE = ARITHMETIC | operators(
    "leaky_relu silu logical_not eq ne gt ge lt le logical_and logical_or logical_xor prelu "
    "quantize where celu thresholded_relu hardshrink mean_of"
)
FOLLOWING = operators("identity dropout cast contiguous clone")
_SPLITS = operators("split chunk tensor_split")
_SLICES = operators("slice narrow")
_ALWAYS_LAST = ELEMENTWISE | _SPLITS | _SLICES | operators("cat")
"""They can read channels last, whatever else they read."""


def plain(rank: int) -> str:
    """Row-major memory, as oneDNN names it."""
    return ABSTRACT[: min(rank, 26)]


def others(rank: int) -> Sequence[str]:
    """Channels last, and blocks of 16 and of 8 channels."""
    if rank not in LAST:
        return ()
    return (LAST[rank], *(f"{BLOCKED[rank]}{block}b" for block in (16, 8)))


class Copying(Carrier):
    """The rules of these kernels; all operands are of three to five dimensions."""

    rules, words = "openvino-cpu", Words(plain, others, "onednn:")

    def __init__(self, graph: Graph, options: Mapping[str, Value]) -> None:
        super().__init__(graph, options)
        self.isa: str = options["isa"]
        self._splits: dict[str, Mapping[str, Selected]] = {}  # by operand, then by slice

    @abstractmethod
    def select(self, node: Node, first: str) -> Selected:
        """What any kernel selects, by its first operand and where the others lie."""

    def channels(self, tensor: str) -> int:
        """The second size, 0 if there is none."""
        kind = self.type(tensor)
        return kind.shape[1] if kind is not None and kind.rank > 1 else 0

    def kept(self, rule: str, first: str, *, blocks: bool = True) -> Selected:
        """The layout that is given; channels last where it is of blocks and they do not fit."""
        layout = self.name(first)
        if blocks or block_of(layout) == 1:
            return rule, "It takes the layout that it is given.", layout
        return (
            rule,
            "It has no kernel for these blocks, and one for channels last.",
            LAST[self.rank(first)],
        )

    def _call(self, node: Node) -> Call:
        given = (node.op, node.origin, node.signature, node.attributes)
        operands = [self.type(tensor) for tensor in node.inputs]
        return Call(*given, operands, lambda k: self.graph.values(node.inputs[k]), 1)

    def _split(self, node: Node, first: str) -> Selected:
        [axis] = axes_of(node, self.rank(first))
        channels = [kind.shape[1] for kind in self.graph.results(node) if kind is not None]
        return self._parted(first, axis, channels, node.outputs)

    def _parted(
        self, first: str, axis: int, channels: Iterable[int], parts: Iterable[str]
    ) -> Selected:
        kind = self.type(first)
        assert kind is not None
        layout, last = self.name(first), LAST[kind.rank]
        block = block_of(layout)
        if any(n % block for n in (kind.shape[1], *channels)):
            if set(kind.shape[:axis]) <= {1}:
                return "Its parts are no whole blocks: planar, they are views of the operand."
            return "split", "Its parts are no whole blocks: channels last.", last
        if layout == last and axis == 1 and kind.rank > 3 and not self._read_last(parts):
            why = "What reads its parts does not all take channels last, so it writes them planar."
            return "split", why, f"{last}>{plain(kind.rank)}"
        return self.kept("split", first)

    def _read_last(self, tensors: Iterable[str]) -> bool:
        """Whether all that reads these tensors can read them channels last."""
        waiting = [*filter(None, tensors)]
        while waiting:
            tensor = waiting.pop()
            if tensor in self.graph.outputs:
                return False
            # As if it were, for the rules of its readers; the node writes what it selects.
            self.write(tensor, LAST[self.rank(tensor)])
            for reader in map(self.graph.nodes.__getitem__, self.graph.readers.get(tensor, ())):
                [result, *_] = reader.outputs
                if reader.operator.name in FOLLOWING and self.type(result) == self.type(tensor):
                    waiting.append(result)
                elif not self._takes_last(reader, tensor):
                    return False
        return True

    def _takes_last(self, node: Node, tensor: str) -> bool:
        name = node.operator.name
        # Where the node RMS is planar, a mean reads its operand too.
        if name in _ALWAYS_LAST or (name == "layer_norm" and self.channels(tensor) > 1):
            return True
        if any(self.type(name) is None for name in (*node.inputs, *node.outputs) if name):
            return False
        found = self.select(node, node.inputs[0])
        if isinstance(found, str):
            return False
        _, _, layout, *operands = found
        taken = layout.partition(">")[0]
        return taken == LAST[self.rank(tensor)] and tensor in (operands or node.inputs[:1])

    def _slice(self, node: Node, first: str) -> Selected:
        if first not in self._splits:
            self._splits[first] = self._grouped(first)
        if node.outputs[0] in self._splits[first]:
            return self._splits[first][node.outputs[0]]
        start, step, _ = self._cut(node, 1) or (0, 0, 0)
        block = block_of(self.name(first))
        whole = not (self.channels(first) % block or start % block)
        return self.kept("slice", first, blocks=whole and abs(step) == 1)

    def _cut(self, node: Node, d: int) -> tuple[int, int, int] | None:
        """Where a slice starts in a dimension, its step and its size; None if not known."""
        kind, views = self.type(node.inputs[0]), node.operator.viewed
        assert kind is not None
        assert views is not None
        source = StridedView(tuple((size, int(k == d)) for k, size in enumerate(kind.shape)))
        try:
            [part] = views(self._call(node), source)
        except ShapeNotKnownError:
            return None
        size, step = part.dims[d]
        return part.offset, step, size

    def _grouped(self, first: str) -> Mapping[str, Selected]:
        """What the Split selects that slices of a tensor along one dimension are made, by slice.

        A slice that the network returns stays one.
        """
        kind = self.type(first)
        assert kind is not None
        along: dict[int, list[tuple[tuple[int, int, int], str]]] = defaultdict(list)
        for node in map(self.graph.nodes.__getitem__, self.graph.readers[first]):
            made = self.type(node.outputs[0])
            if node.operator.name in _SLICES and made is not None and made.rank == kind.rank:
                cut = [d for d in range(kind.rank) if kind.shape[d] != made.shape[d]]
                found = self._cut(node, cut[0]) if len(cut) == 1 else None
                if found is not None and found[1] == 1:
                    along[cut[0]].append((found, node.outputs[0]))
        selected: dict[str, Selected] = {}
        for axis, slices in along.items():
            cuts = sorted({cut for cut, _ in slices})
            ends = [0, *accumulate(size for _, _, size in cuts)]
            if [*(start for start, *_ in cuts), kind.shape[axis]] == ends:
                parts = [part for _, part in slices]
                split = self._parted(first, axis, map(self.channels, parts), parts)
                inner = [part for part in parts if part not in self.graph.outputs]
                selected |= dict.fromkeys(inner, split)
        return selected

    def _pad(self, node: Node, first: str) -> Selected:
        if self.rank(first) == 3:
            return "The node Pad has other layouts for four and five dimensions only."
        block = block_of(self.name(first))
        try:
            added = pad_pairs(self._call(node), self.rank(first))[1]
        except ShapeNotKnownError:
            return self.kept("pad", first, blocks=False)
        whole = not any(n % block for n in (self.channels(first), *added))
        constant = node.attributes["mode"] == "constant"
        return self.kept("pad", first, blocks=whole and (constant or not any(added)))

    def tile(self, node: Node, first: str) -> Selected:
        """Tile and Broadcast, whose list begins with blocks of 16 and of 8."""
        rank, block, channels = self.rank(first), block_of(self.name(first)), self.channels(first)
        if rank == 3 or rank != self.rank(node.outputs[0]):
            return "Tile and Broadcast have other layouts for four and five dimensions only."
        whole = not channels % block or channels == self.channels(node.outputs[0])
        if not whole and not channels % 8:
            return "tile", "It repeats channels: blocks without padding.", f"{BLOCKED[rank]}8b"
        return self.kept("tile", first, blocks=whole)

    def _depth(self, node: Node, first: str) -> Selected:
        """DepthToSpace and SpaceToDepth."""
        rank, channels, block = self.rank(first), self.channels(first), block_of(self.name(first))
        up = node.attributes.get("upscale_factor")
        step = (up or node.attributes["downscale_factor"]) ** (rank - 2)
        channels_first = node.attributes.get("mode", "CRD") == "CRD"
        whole = not (channels % block or (channels_first and block % step))
        return self.kept("depth", first, blocks=whole and not (up and channels // block % step))

    def _shuffle(self, _node: Node, first: str) -> Selected:
        if block_of(self.name(first)) > 1:
            return "The node ShuffleChannels has no kernel for blocks: planar."
        return self.kept("shuffle", first)

    def _norm(self, node: Node, first: str) -> Selected:
        """MVN, which normalises all dimensions behind the first or behind the channels.

        Other dimensions are normalised by means, and by element-wise kernels, which keep the
        layout; the last one alone by the node RMS.
        """
        rank, name = self.rank(first), node.operator.name
        groups, shape = node.attributes.get("num_groups"), node.attributes.get("normalized_shape")
        if (groups or 1) > 1:
            return "Normalisation of several groups is planar."
        normalised = {*range(2 if name == "instance_norm" else 1, rank)}
        if name == "layer_norm":
            normalised = {*range(rank - len(shape) if shape else min(axes_of(node, rank)), rank)}
        elif name == "mean_variance_norm":
            normalised = {d % rank for d in node.attributes["axes"]}
        if rank == 3 and normalised in ({1, 2}, {2}):
            return "The node MVN has other layouts for four and five dimensions only."
        if name == "layer_norm" and normalised == {rank - 1}:
            return "The node RMS, which normalises the last dimension, is planar."
        if normalised in ({*range(1, rank)}, {*range(2, rank)}):
            return self.kept("norm", first)
        return self._reduced(node, first)

    def _reduced(self, _node: Node, first: str) -> Selected:
        """Reductions, which are planar over one channel, and element-wise kernels."""
        if self.channels(first) == 1:
            return "Reductions over tensors of one channel are planar."
        return "norm", "Its element-wise kernels keep the layout.", self.name(first)

    def _normalize(self, node: Node, first: str) -> Selected:
        rank = self.rank(first)
        if rank == 5 or node.attributes["p"] != 2 or axes_of(node, rank) != {1}:
            return self._reduced(node, first)
        if rank == 3:
            return "The node NormalizeL2 has other layouts for four dimensions only."
        return self.kept("norm", first)

    def _lrn(self, node: Node, first: str) -> Selected:
        """oneDNN's fast kernels come first, of those for AVX-512 blocks; the others keep blocks."""
        kind, asked = self.type(first), node.attributes
        fast = kind is not None and kind.rank == 4 and max(kind.shape[2:]) > 1
        fast = fast and self.isa == "avx512" and (asked["size"], asked["beta"]) == (5, 0.75)
        channels = self.channels(first)
        if fast and channels > 8 and channels % 8 == 0:
            if channels % 16 == 0:
                return "norm", "oneDNN's fast kernel takes blocks of 16.", f"{BLOCKED[4]}16b"
        elif block_of(self.name(first)) > 1:
            return self.kept("norm", first)
        return "oneDNN's kernel for these channels is planar."


COPIES: Mapping[str, Callable[[Copying, Node, str], Selected]] = {
    **dict.fromkeys(_SPLITS, Copying._split),
    **dict.fromkeys(_SLICES, Copying._slice),
    "pad": Copying._pad,
    **dict.fromkeys(operators("repeat expand"), Copying.tile),
    **dict.fromkeys(operators("pixel_shuffle pixel_unshuffle"), Copying._depth),
    "channel_shuffle": Copying._shuffle,
    "topk": lambda self, _, first: self.kept("topk", first),
    **dict.fromkeys(
        operators("instance_norm group_norm layer_norm mean_variance_norm"), Copying._norm
    ),
    "log_softmax": Copying._reduced,
    "normalize": Copying._normalize,
    "local_response_norm": Copying._lrn,
}
