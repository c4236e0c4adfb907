"""Which formats oneDNN's convolutions choose when they are created with ``any``.

Two tables. ``blocked``: the kernels that block channels (``jit:*``), first in the list up to 2.x,
as the maintainers tell them (issues 711, 702 of oneDNN): 16 channels for AVX-512, 8 for AVX2 and
SSE4.1. ``brgemm``: since 3.0 the kernels on small matrix products come first, and read nhwc.
Source: src/cpu/cpu_convolution_list.cpp (their order), and in src/cpu/x64
jit_avx512_common_conv_kernel.cpp (init_conf: few channels, padding, groups),
jit_avx2_conv_kernel_f32.cpp, jit_sse41_conv_kernel_f32.cpp, jit_uni_dw_conv_kernel_utils.hpp;
``brgemm`` was asked of oneDNN 3.2, for each instruction set.
"""

from collections.abc import Mapping
from dataclasses import dataclass

KINDS = ("dense", "grouped", "depthwise", "int8")
WORDS = ("plain", "last", "4c", "8c", "16c")
BLOCKS: Mapping[str, int] = {"avx512": 16, "avx2": 8, "sse41": 8}
_SPACE = {3: "w", 4: "hw", 5: "dhw"}
# Fewer input channels than these do not fill a register, and are read as they are.
_FEW = {"avx512": 16, "avx2": 8}
_FEW_BRGEMM = 5
_SSE41_FEW = 3
_INT8_WEIGHTS = {"avx512": "4i16o4i", "avx2": "2i8o4i", "sse41": "4o4i"}


def plain(rank: int) -> str:
    """The tag of row-major memory."""
    return f"nc{_SPACE[rank]}" if rank in _SPACE else "abcdefghijklmnopqrstuvwxyz"[:rank]


def tag(word: str, rank: int) -> str:
    """The tag of images: ``plain``, ``last`` (channels innermost), or a block such as ``16c``."""
    space = _SPACE[rank]
    if word == "plain":
        return plain(rank)
    return f"n{space}c" if word == "last" else f"nC{space}{word}"


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

    @property
    def packs_whole(self) -> bool:
        """Whether the weights' tag has the dimensions of the weights as the graph gives them."""
        return self.weight.startswith("O")


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
        return Chosen("last", "last", "", why)
    if isa == "sse41":
        return _sse41(problem)
    few = problem.into < (_FEW_BRGEMM if brgemm else _FEW[isa]) and not problem.pointwise
    if few:
        why = (
            f"{problem.into} input channels do not fill a block of {block}, so the source is read "
            f"plain; the result is blocked."
        )
        return Chosen("plain", f"{block}c", f"O{space}i{block}o", why)
    why = f"Compute-bound: with any it chooses blocks of {block} channels, a vector register."
    return Chosen(f"{block}c", f"{block}c", f"OI{space}{block}i{block}o", why)


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
        return Chosen("last", "last", "", "Each group is a small matrix product over channels.")
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
