"""oneDNN: formats are chosen by what computes, and kept by what only moves bytes.

The page of the oneAPI specification on memory formats has three rows. Compute-bound primitives
(convolution, deconvolution, matmul, inner product, RNN) are created with ``any`` and choose.
Bandwidth-bound ones (pooling, normalisations, eltwise, shuffle, softmax) take the format that their
source has, and the same for their destination. Concat, sum and binary take their sources as they
come and have ``any`` for the destination. A backward primitive has to use the format of its forward
one (``hint_pd``); the graphs here have no backward nodes. Where formats do not meet there is a
reorder; operators that oneDNN does not have, and the network's results, are in plain memory.
Weights are reordered once, when the network is built, which costs nothing per run.

What a convolution chooses stands in two tables. ``blocked``: the kernels that block channels
(``jit:*``), first in the list up to 2.x, as the maintainers tell them (issues 711, 702 of oneDNN):
16 channels for AVX-512, 8 for AVX2 and SSE4.1. ``brgemm``: since 3.0 the kernels on small matrix
products come first, and read nhwc and weights in blocks of output channels.
Source: src/cpu/cpu_convolution_list.cpp (their order), and in src/cpu/x64
jit_avx512_common_conv_kernel.cpp (init_conf: few channels, padding, groups),
jit_avx2_conv_kernel_f32.cpp, jit_sse41_conv_kernel_f32.cpp, jit_uni_dw_conv_kernel_utils.hpp;
``brgemm`` was asked of oneDNN 3.2, for each instruction set.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from ...model.errors import LayoutError, one_of, phrase
from ..attributes import Attribute, Value, attribute_of
from ..labels import SPACE, block_of
from ..nodes import Node
from .base import UNKNOWN, Carrier, RuleSet, Words

KINDS = ("dense", "grouped", "depthwise", "int8")
WORDS = ("plain", "last", "4c", "8c", "16c")
BLOCKS: Mapping[str, int] = {"avx512": 16, "avx2": 8, "sse41": 8}
_SPACE = {rank: letters.lower() for rank, letters in SPACE.items()}
# Fewer input channels than these do not fill a register, and are read as they are.
_FEW = {"avx512": 16, "avx2": 8}
_FEW_BRGEMM = 5
_SSE41_FEW = 3
# By the lanes of a register: up to so many output channels one block takes all, then one of these.
_PRODUCT_BLOCKS = {16: (32, 32, 48, 64), 8: (24, 16, 24)}
_INT8_WEIGHTS = {"avx512": "4i16o4i", "avx2": "2i8o4i", "sse41": "4o4i"}


def tag(word: str, rank: int) -> str:
    """The tag of images: ``plain``, ``last`` (channels innermost), or a block such as ``16c``."""
    space = _SPACE[rank]
    return {"plain": f"nc{space}", "last": f"n{space}c"}.get(word, f"nC{space}{word}")


def plain(rank: int) -> str:
    """The tag of row-major memory."""
    return tag("plain", rank) if rank in _SPACE else ascii_lowercase[:rank]


def tags(rank: int) -> tuple[str, ...]:
    """The tags of images, but for the plain one."""
    return tuple(tag(word, rank) for word in WORDS[1:]) if rank in _SPACE else ()


@dataclass(frozen=True, slots=True)
class ConvProblem:
    """A convolution: channels per group, groups, and whether its kernel is one point."""

    rank: int
    into: int
    out: int
    groups: int
    pointwise: bool
    int8: bool

    @property
    def kind(self) -> str:
        """Its row of the table."""
        if self.int8:
            return "int8"
        if self.groups == 1:
            return "dense"
        return "depthwise" if self.into == self.out == 1 else "grouped"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Words of ``tag`` for source and result, the tag of the packed weights, and why."""

    source: str
    result: str
    weight: str
    reason: str


def choose(problem: ConvProblem, isa: str, kernels: str, preferred: Mapping[str, str]) -> Chosen:
    """What ``any`` gives for a convolution; ``preferred``: words that replace the table's."""
    word = preferred.get(problem.kind)
    if word is not None:
        return Chosen(word, word, "", f"The table says {tag(word, problem.rank)} for it.")
    if problem.int8:
        packed = f"OI{_SPACE[problem.rank]}{_INT8_WEIGHTS[isa]}" if problem.groups == 1 else ""
        return Chosen("last", "last", packed, "8-bit kernels read channels innermost.")
    by_kind = {"dense": _dense, "grouped": _grouped, "depthwise": _depthwise}
    return by_kind[problem.kind](problem, isa, brgemm=kernels == "brgemm" and isa != "sse41")


def _gemm(why: str) -> Chosen:
    return Chosen("plain", "plain", "", f"{why}, so it runs as a matrix product on plain memory.")


def _dense(problem: ConvProblem, isa: str, *, brgemm: bool) -> Chosen:
    space, block = _SPACE[problem.rank], BLOCKS[isa]
    if brgemm and (problem.pointwise or problem.into >= _FEW_BRGEMM):
        why = "Its kernel is a small matrix product over channels, which lie innermost."
        return Chosen("last", "last", f"O{space}i{_product_block(problem.out, block)}o", why)
    if isa == "sse41":
        return _sse41(problem)
    if problem.into < (_FEW_BRGEMM if brgemm else _FEW[isa]) and not problem.pointwise:
        why = f"{problem.into} input channels do not fill a block of {block}, so the source is "
        why += "read plain; the result is blocked."
        return Chosen("plain", f"{block}c", f"O{space}i{block}o", why)
    why = f"Compute-bound: with any it chooses blocks of {block} channels, a vector register."
    return Chosen(f"{block}c", f"{block}c", f"OI{space}{block}i{block}o", why)


def _product_block(out: int, lanes: int) -> int:
    """Output channels that a small matrix product reads together, for registers of ``lanes``.

    oneDNN's own choice for few channels. For more it weighs cache and threads; here it is the
    block with the least padding, the largest of these.
    """
    if out <= (blocks := _PRODUCT_BLOCKS[lanes])[0]:
        return -(-out // lanes) * lanes
    return min(blocks[1:], key=lambda block: (-out % block, -block))


def _sse41(problem: ConvProblem) -> Chosen:
    space = _SPACE[problem.rank]
    if problem.rank > 4:
        return _gemm("There is no kernel for three dimensions of space")
    if problem.out % 8 or (problem.into % 8 and problem.into != _SSE41_FEW):
        return _gemm("Channels are not in multiples of 8")
    if problem.into == _SSE41_FEW:
        why = "3 input channels are read plain; the result is blocked."
        return Chosen("plain", "8c", f"O{space}i8o", why)
    return Chosen("8c", "8c", f"OI{space}8i8o", "Compute-bound: it chooses blocks of 8 channels.")


def _grouped(problem: ConvProblem, isa: str, *, brgemm: bool) -> Chosen:
    space = _SPACE[problem.rank]
    full = BLOCKS[isa]
    if isa == "sse41" and problem.rank > 4:
        return _gemm("There is no kernel for three dimensions of space")
    if brgemm and problem.into > full:
        weight = f"gO{space}i{_product_block(problem.out, full)}o"
        return Chosen("last", "last", weight, "Each group is a small matrix product over channels.")
    for block in (16, 8, 4):
        fits = problem.into % block == 0 and problem.out % block == 0
        if fits and (block == full or (block < full and isa == "avx512")):
            why = f"{problem.into} channels per group: blocks of {block} do not cross a group."
            return Chosen(f"{block}c", f"{block}c", f"gOI{space}{block}i{block}o", why)
    channels = problem.into * problem.groups
    if isa == "avx2" and channels < _FEW["avx2"] and problem.out % full == 0:
        why = f"{channels} input channels in all groups are read plain; the result is blocked."
        return Chosen("plain", f"{full}c", f"gO{space}i{full}o", why)
    if isa == "avx512":
        return _grouped(problem, "avx2", brgemm=brgemm)
    return _gemm("No block fits the channels of a group")


def _depthwise(problem: ConvProblem, isa: str, *, brgemm: bool) -> Chosen:
    space, block = _SPACE[problem.rank], BLOCKS[isa]
    if brgemm:
        return Chosen("last", "last", "", "A depthwise kernel with channels innermost.")
    if isa == "sse41" and (problem.groups % block or problem.rank > 4):
        return _gemm("Channels are not in multiples of 8")
    why = f"Depthwise: {block} channels at a time, one in each lane of a register."
    return Chosen(f"{block}c", f"{block}c", f"Goi{space}{block}g", why)


_PLAIN = {
    "opaque": UNKNOWN,
    "view": "A change of the descriptor, no primitive. Blocked formats do not allow each one, so "
    "this model gives it plain memory, with the dimensions in order.",
}
_CONVOLUTIONS = {"convolution", "deconvolution"}
_IMAGES = {3, 4, 5}
_COMPUTED = {"float32", "float16", "bfloat16", "int8", "uint8"}


class _Choosing(Carrier):
    """The choices, from node to node."""

    rules, words = "onednn", Words(plain, tags, "onednn:")

    def add(self, node: Node) -> None:
        """What the primitive of a node does."""
        primitive = node.operator.onednn or ""
        if node.operator.name in {"identity", "dropout"}:
            self._keep(node, "identity", "Nothing is computed: the same memory.")
        elif primitive in _CONVOLUTIONS:
            self._convolution(node, primitive)
        elif primitive == "concat":
            self._concat(node)
        elif primitive == "sum" or primitive.startswith("binary"):
            self._elementwise(node, primitive)
        elif primitive == "reduction" and self.rank(node.inputs[0]) != self.rank(node.outputs[0]):
            why = "It reads its source as it lies; dimensions go, so the destination is plain."
            self.end(node, primitive, why)
        elif primitive == "reduction":
            self._keep(node, primitive, "Bandwidth-bound: it keeps the format of its source.")
        elif primitive and node.operator.kind != "compute":
            why = f"Bandwidth-bound: {primitive} keeps the format of its source."
            self._keep(node, primitive, why)
        elif primitive:
            why = "Compute-bound: it packs its weights; activations with two indices stay plain."
            self.plainly(node, primitive, why)
        else:
            none = "oneDNN has no primitive for it: it reads and writes plain memory."
            self.plainly(node, "plain", _PLAIN.get(node.operator.kind, none))

    def _convolution(self, node: Node, primitive: str) -> None:
        """``any`` for source, weights and destination. Source: the tables.

        Weights are packed ahead of time; at every run only where a node computes them.
        """
        data, weight = node.input("input"), node.input("weight")
        kind, filters = self.type(data), self.type(weight)
        if kind is None or filters is None or kind.rank != filters.rank or kind.rank not in _IMAGES:
            self.plainly(node, primitive, "Without a batch the source stays plain.")
            return
        if kind.dtype.name not in _COMPUTED:
            self.plainly(node, primitive, f"oneDNN computes no {kind.dtype.name}: plain memory.")
            return
        groups = node.attributes["groups"]
        into, out = filters.shape[1], filters.shape[0] // groups
        if primitive == "deconvolution":
            into, out = out, into
        int8 = kind.dtype.name in {"int8", "uint8"}
        problem = ConvProblem(kind.rank, into, out, groups, set(filters.shape[2:]) <= {1}, int8)
        given = self.options
        chosen = choose(problem, given["isa"], given["kernels"], given["formats"] or {})
        # The tag of weights in groups has a dimension more than the graph's weights.
        packs = chosen.weight.startswith("O") and primitive == "convolution"
        for tensor in node.inputs:
            if tensor == data:
                self.read(node, tensor, tag(chosen.source, kind.rank))
            elif tensor == weight and packs and tensor in self.graph.producers:
                self.read(node, tensor, chosen.weight)
            elif tensor == weight and packs:
                self.pack(tensor, chosen.weight, "Packed once, when the network is built.")
        self.write(node.outputs[0], tag(chosen.result, kind.rank))
        packed = f" The weights are packed once into {chosen.weight}." if chosen.weight else ""
        self.report(node, primitive, chosen.reason + packed)

    def _keep(self, node: Node, primitive: str, why: str) -> None:
        """The destination has the format of the source; other operands come as they are."""
        self.run(node, primitive, why, self.name(node.inputs[0]))

    def _elementwise(self, node: Node, primitive: str) -> None:
        """A binary: the format of source 0. A sum: the first blocked one, else that of source 0.

        An operand that is broadcast is read as it comes: its sizes of 1 need no block.
        Source: src/common/binary_pd.hpp, src/common/sum_pd.hpp.
        """
        wanted = self.type(node.outputs[0])
        shape = wanted and wanted.shape
        whole = [name for name in node.inputs if (kind := self.type(name)) and kind.shape == shape]
        if not whole:
            self.plainly(node, primitive, "Every operand is broadcast: plain memory.")
            return
        names = [self.name(tensor) for tensor in whole]
        name = names[0]
        why = f"Sources as they come, any for the destination, which takes {name} from the first."
        if primitive == "sum":
            name = next((each for each in names if block_of(each) > 1), name)
            which = "the first blocked format" if block_of(name) > 1 else "as the first source has"
            why = f"Sources as they come, any for the destination: {name}, {which}."
        self.run(node, primitive, why, name, whole)

    def _concat(self, node: Node) -> None:
        """The first blocked format of which each part is whole blocks, else the first plain one.

        Source: src/common/concat_pd.hpp (set_default_params).
        """
        rank = self.rank(node.outputs[0])
        if node.operator.name != "cat":
            self.plainly(node, "concat", "A new dimension: plain memory.")
            return
        axis = node.attributes["dim"] % max(rank, 1)
        # The legacy empty operand of torch.cat, of shape (0,), takes no part.
        given = [tensor for tensor in node.inputs if tensor and self.rank(tensor) == rank]
        names = [self.name(tensor) for tensor in given]
        blocked = next((each for each in names if block_of(each) > 1), "")
        sizes = [kind.shape[axis] for kind in map(self.type, given) if kind]
        why = ""
        if blocked and axis == 1 and any(size % block_of(blocked) for size in sizes[:-1]):
            parts = ", ".join(map(str, sizes[:4]))
            why = f" Parts of {parts} channels would cut blocks of {blocked}."
            blocked = ""
        pairs = zip(names, sizes, strict=True)
        unblocked = (each for each, size in pairs if block_of(each) == 1 and size != 1)
        name = blocked or next(unblocked, plain(rank))
        said = f"Sources as they come, any for the destination, which becomes {name}."
        self.run(node, "concat", said + why, name, given)


def _formats(field: str, value: Value) -> dict[str, str]:
    """A part of the table, by kinds of convolution, in the words of ``tag``."""
    if not isinstance(value, dict):
        raise LayoutError(field, value, phrase("onednn.kind"))
    for kind, word in value.items():
        if kind not in KINDS:
            raise LayoutError(field, kind, one_of(KINDS))
        if word not in WORDS:
            raise LayoutError(f"{field}.{kind}", word, one_of(WORDS))
    return dict(value)


ONEDNN = RuleSet(
    _Choosing.rules,
    "oneDNN 3.2, where format_tag::any lets it choose",
    "oneAPI specification, memory format propagation; oneapi-src/oneDNN",
    "onednn",
    _Choosing.answer,
    {
        "isa": attribute_of("avx512/avx2/sse41"),
        "kernels": attribute_of("blocked/brgemm"),
        "formats": Attribute(_formats, None),
    },
    block=lambda options: BLOCKS[options["isa"]],
    note="A later version, as the 3.12 in PyTorch 2.13, was not asked and may choose otherwise",
)
