"""OpenVINO 2026.4 on the CPU: every kernel selects a layout, reorders are inserted between them.

The plugin visits its nodes in topological order; each takes, of the layouts that it supports, the
one that most of its parents have (``Node::selectPreferPrimitiveDescriptor``). Since convolutions
became small matrix products over channels (brgemm), on AVX2 and AVX-512, they are channels last,
also the first of a network. Pooling over one channel is planar; where oneDNN has no planar kernel
(three channels or fewer on AVX-512, all others on AVX2) it is blocked. Concat takes the layout that
most operands have. Inputs and results of the network are planar. Layouts are named as oneDNN does.

Kernels that copy elements elsewhere, or normalise, stand in openvino_copies.
What is fused has the layout of its kernel, so fusions are not followed here. Kernels that OpenVINO
makes of several element-wise operators are, one by one.
The strides of a convolution of one pixel move up, before element-wise operators, as it skips the
pixels that it does not read; where they cannot go further up, a pooling of one pixel picks them.
Source: src/plugins/intel_cpu/src/node.cpp (selectPreferPrimitiveDescriptor); nodes/conv.cpp
(getDefaultImplPriority), pooling.cpp (getSupportedDescriptors), interpolate.cpp, concat.cpp
(selectOptimalPrimitiveDescriptor), reduce.cpp (initSupportedPrimitiveDescriptors), softmax.cpp,
math.cpp; src/common/transformations/src/transformations/common_optimizations/
strides_optimization.cpp of openvinotoolkit/openvino.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ..attributes import Value, signature
from ..graph import Graph
from ..labels import block_of
from ..nodes import Node
from .base import RuleSet, axes_of, families, operators, rank_of
from .openvino_copies import (
    ARITHMETIC,
    BLOCKED,
    COPIES,
    ELEMENTWISE,
    FOLLOWING,
    LAST,
    NO_OTHER,
    Copying,
    Selected,
    others,
    plain,
)


class _Skipping:
    """What each tensor of ``graph`` is read with: the strides that all its readers agree on."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._strides: dict[str, tuple[int, ...]] = {}
        for node in reversed(graph.nodes):
            for tensor in node.outputs:
                readers = [graph.nodes[index] for index in graph.readers.get(tensor, ())]
                found = {self._asked(reader, tensor) for reader in readers}
                agreed = len(found) == 1 and tensor not in graph.outputs
                self._strides[tensor] = found.pop() if agreed else ()

    def pooled(self, node: Node, tensor: str) -> bool:
        """Whether a pooling of one pixel stands between a tensor and the node that reads it."""
        maker = self._graph.maker(tensor)
        moves = maker is not None and _moves(maker)
        return bool(self._asked(node, tensor)) and not (moves and self._strides[tensor])

    def _asked(self, node: Node, tensor: str) -> tuple[int, ...]:
        """The strides with which a node reads an operand, () where it needs all of it."""
        if not _moves(node):
            return ()
        below = self._strides[node.outputs[0]]
        if node.operator.name in ARITHMETIC:
            return below
        kind = self._graph.type(node.inputs[1])
        if kind is None or set(kind.shape[2:]) != {1} or tensor == node.inputs[1]:
            return ()
        spatial = kind.rank - 2
        own = tuple(node.attributes["stride"] or (1,))
        own = own * spatial if len(own) == 1 else own
        found = tuple(a * b for a, b in zip(own, below or (1,) * spatial, strict=True))
        return found if set(found) != {1} else ()


def _moves(node: Node) -> bool:
    """Whether strides pass it: arithmetic, and OpenVINO's Convolution, which has no groups."""
    name = node.operator.name
    return name in ARITHMETIC or (name == "conv" and node.attributes["groups"] == 1)


_BLOCKS = {"avx512": 16, "avx2": 8}
_POOLS = operators("max_pool avg_pool")
_BOTH = (*_POOLS, "softmax")
_REDUCTIONS = operators(
    "mean sum prod amax amin norm norm_l1 logsumexp sum_square log_sum global_avg_pool "
    "global_max_pool adaptive_avg_pool"
)
_MATH = "hardsigmoid reciprocal selu sign sin sinh softsign tan acos acosh asin asinh atan atanh"
_RESHAPES = operators("reshape flatten unflatten squeeze unsqueeze")
_PLANAR = {
    "opaque": "This operator is not in the catalogue: it is planar.",
    **dict.fromkeys(operators(f"{_MATH} cos cosh"), "The node Math is planar."),
    **dict.fromkeys(_RESHAPES, "The node Reshape is planar."),
    **dict.fromkeys(operators("matmul linear einsum"), "Products of matrices are planar."),
    "gather_onnx": "The node Gather is planar.",
    "grid_sample": "The node GridSample is planar.",
}
_FEWEST = 4
"""Channels from which on oneDNN's planar pooling runs. Source: jit_uni_pool_kernel.cpp."""


def _frequent(layouts: Sequence[str], order: Sequence[str]) -> str:
    """The layout that most have; of equal numbers, the first in ``order``."""
    return max(order, key=Counter(layouts).__getitem__)


class _Selecting(Copying):
    """The selection, from node to node."""

    def __init__(self, graph: Graph, options: Mapping[str, Value]) -> None:
        super().__init__(graph, options)
        self.skipping = _Skipping(graph)

    def add(self, node: Node) -> None:
        """Select the layout of one kernel; the operands that a rule does not name are planar."""
        found = self.select(node, node.inputs[0] if node.inputs else "")
        said = ("planar", found, "") if isinstance(found, str) else found
        rule, why, layout, *operands = said
        read, _, written = layout.partition(">")
        for tensor in node.inputs:
            if tensor in (operands or node.inputs[:1]) and self.rank(tensor) == rank_of(read):
                self.read(node, tensor, read)
            elif tensor not in self.graph.constants:
                self.read(node, tensor)
        selected = layout.replace(">", ", its results ")
        self.end(node, rule, f"{why} Selected: {selected}." if layout else why, written or read)

    def select(self, node: Node, first: str) -> Selected:
        name = node.operator.name
        if self.rank(first) not in LAST and name not in ELEMENTWISE:
            return "Layouts are for three to five dimensions; this is planar."
        return _RULES[name](self, node, first) if name in _RULES else _PLANAR.get(name, NO_OTHER)

    def _convolution(self, node: Node, first: str) -> Selected:
        why = "Convolutions are small matrix products over channels, which lie innermost."
        return "convolution", why, LAST[self.rank(first)], node.input("input")

    def _resize(self, _node: Node, first: str) -> Selected:
        if self.rank(first) == 3:
            return "The node Interpolate has other layouts for four and five dimensions only."
        layout = self.name(first)
        kept = layout if block_of(layout) > 1 else LAST[self.rank(first)]
        return "resize", "It keeps blocks, and is channels last otherwise.", kept

    def _pool(self, _node: Node | None, first: str) -> tuple[str, str, str]:
        """getSupportedDescriptors: planar for one channel; else oneDNN's kernels decide."""
        kind = self.type(first)
        layout, channels, rank = self.name(first), self.channels(first), self.rank(first)
        if channels == 1:
            return "pooling", "Pooling over one channel is forced to be planar.", plain(rank)
        sizes = () if kind is None else kind.shape[2:]
        wide = rank > 3 and min(sizes[-2:], default=0) > 1
        planar = self.isa == "avx512" and channels >= _FEWEST and wide
        if layout == plain(rank) and max(sizes, default=0) > 1 and not planar:
            why = f"oneDNN has no fast planar kernel for this pooling on {self.isa}."
            return "pooling", why, f"{BLOCKED[rank]}{_BLOCKS[self.isa]}b"
        return "pooling", "Pooling takes the layout that it is given.", layout

    def _reduce(self, node: Node, first: str) -> Selected:
        """initSupportedPrimitiveDescriptors: any layout of more than one channel and dimension."""
        kind = self.type(node.outputs[0])
        if node.operator.name == "adaptive_avg_pool" and not (kind and set(kind.shape[2:]) == {1}):
            return NO_OTHER
        if self.channels(first) == 1 or self.rank(first) == 3:
            why = "Reductions over tensors of one channel or of three dimensions are planar."
            return "reduce", why, plain(self.rank(first))
        return "reduce", "It reduces in the layout that it is given.", self.name(first)

    def _concat(self, node: Node, _first: str) -> Selected:
        """selectOptimalPrimitiveDescriptor: the layout that most operands have.

        A concat of the same dimension that is read once, by this one, is merged before.
        """
        if self._is_repeat(node):
            return self._repeat(node)
        whole = self._operands(node, node.attributes["dim"])
        rank = self.rank(node.outputs[0])
        if rank not in LAST or any(self.rank(tensor) != rank for tensor in whole):
            return "Its operands are of several ranks: planar."
        last, *blocked = others(rank)
        named = [self.name(tensor) for tensor in whole]
        layout = _frequent(named, [*blocked, last, plain(rank)])
        why = "Most operands lie so; of equal numbers, planar comes last."
        block = block_of(layout)
        if any(self.channels(tensor) % block for tensor in whole):
            layout, why = plain(rank), f"Its operands are no whole blocks of {block}: planar."
        for tensor in dict.fromkeys(each for each in whole if each not in node.inputs):
            # It is the merged concat that the graph names as reader.
            readers = map(self.graph.nodes.__getitem__, self.graph.readers[tensor])
            reader = next(each for each in readers if each.operator.name == "cat")
            self.read(reader, tensor, layout)
        return "concat", why, layout, *node.inputs

    def _operands(self, node: Node, dim: int) -> list[str]:
        """Operands of a concat, those of merged ones in their place."""
        found: list[str] = []
        for tensor in node.inputs:
            inner = self.graph.maker(tensor)
            if inner is not None and self._is_merged(inner, dim):
                found += self._operands(inner, dim)
            elif tensor:
                found.append(tensor)
        return found

    def _is_merged(self, node: Node, dim: int) -> bool:
        """Whether a concat becomes a part of the one of ``dim`` that reads it."""
        graph = self.graph
        [result, *_] = node.outputs
        if node.operator.name != "cat" or result in graph.outputs or self._is_repeat(node):
            return False
        readers = [graph.nodes[index] for index in graph.readers.get(result, ())]
        if [reader.operator.name for reader in readers] != ["cat"]:
            return False
        [reader] = readers
        # A concat that reads it twice has two edges to it.
        once = reader.inputs.count(result) == 1
        return once and node.attributes["dim"] == reader.attributes["dim"] == dim

    def _is_repeat(self, node: Node) -> bool:
        """Whether a concat is a Broadcast of one tensor of one channel. Source: ConcatToBroadcast,
        src/common/transformations."""
        [first, *others] = node.inputs
        kind = self.type(first)
        dim = node.attributes["dim"]
        return kind is not None and {*others} == {first} and kind.shape[dim] == 1

    def _repeat(self, node: Node) -> Selected:
        """Broadcast takes the layout that it is given; of two that fit, channels last.

        An element-wise kernel that alone reads it computes it too, in the layout of the operand.
        """
        [first, *_], [result] = node.inputs, node.outputs
        found = self.tile(node, first)
        if isinstance(found, str):
            return found
        readers = [self.graph.nodes[index] for index in self.graph.readers.get(result, ())]
        merged = len(readers) == 1 and readers[0].operator.name in ELEMENTWISE
        layout, maker = self.name(first) if merged else found[2], self.graph.maker(first)
        # oneDNN's kernels say that a result of one channel is channels last too.
        both = maker and maker.operator.name in _BOTH and self.channels(first) == 1
        if both and not (merged and readers[0].inputs == (result,)):
            layout = LAST[self.rank(first)]
        return "broadcast", "One tensor again and again, in the layout that it has.", layout

    def _elementwise(self, node: Node, _first: str) -> Selected:
        """The layout that most operands of the result's shape have, where read through a pooling
        of one pixel (``_Skipping``) that of the pooling.
        """
        wanted = self.type(node.outputs[0])
        kinds = [(x, self.type(x)) for x in node.inputs if x not in self.graph.constants]
        whole = [name for name, kind in kinds if wanted and kind and kind.shape == wanted.shape]
        if not whole or wanted is None or wanted.rank not in LAST:
            return "No operand has the result's shape of three to five dimensions."
        rank = wanted.rank
        named = [
            self._pool(None, name)[2] if self.skipping.pooled(node, name) else self.name(name)
            for name in whole
        ]
        why = "Element-wise: the layout that most operands have."
        return "element-wise", why, _frequent(named, [*others(rank), plain(rank)]), *whole

    def _softmax(self, node: Node, first: str) -> Selected:
        layout, rank = self.name(first), self.rank(first)
        padded = self.channels(first) % block_of(layout)
        if block_of(layout) == 1 or padded or axes_of(node, rank) != {1}:
            return "Softmax runs planar, or over channels in blocks without padding."
        return "softmax", "Softmax over channels keeps blocks without padding.", layout

    def _moves_nothing(self, node: Node, first: str) -> bool:
        """Whether a transposition leaves the sizes over 1 in their order."""
        kind = self.type(first)
        if kind is None:
            return False
        order = [d for d in node.permutation(kind.rank) if kind.shape[d] > 1]
        return order == sorted(order)

    def _unblocked(self, node: Node, first: str) -> Selected:
        """Transpose: planar and channels last as they come."""
        layout, moves_nothing = self.name(first), self._moves_nothing(node, first)
        if moves_nothing and self.type(node.outputs[0]) == self.type(first):
            return "follow", "Only sizes of 1 move, and no size changes: it is removed.", layout
        if block_of(layout) > 1:
            return "It has no kernel for padded blocks: planar."
        if moves_nothing:
            return "Only sizes of 1 move, so it is a Reshape, which is planar."
        return "follow", "It takes the layout that it is given.", layout


_RULES: Mapping[str, Callable[[_Selecting, Node, str], Selected]] = {
    **dict.fromkeys(families("convolution"), _Selecting._convolution),
    **dict.fromkeys(_POOLS, _Selecting._pool),
    **dict.fromkeys(_REDUCTIONS, _Selecting._reduce),
    **dict.fromkeys(operators("resize interpolate"), _Selecting._resize),
    **dict.fromkeys(ELEMENTWISE, _Selecting._elementwise),
    **COPIES,
    **dict.fromkeys(
        FOLLOWING,
        lambda self, _, first: ("follow", "Follows its operand.", self.name(first)),
    ),
    **dict.fromkeys(operators("permute transpose matrix_transpose movedim"), _Selecting._unblocked),
    "cat": _Selecting._concat,
    "softmax": _Selecting._softmax,
}

OPENVINO_CPU = RuleSet(
    _Selecting.rules,
    "OpenVINO 2026.4, on the CPU",
    "src/plugins/intel_cpu of openvinotoolkit/openvino",
    "onednn",
    _Selecting.answer,
    signature("isa:avx512/avx2").attributes,
    block=lambda options: _BLOCKS[options["isa"]],
)
