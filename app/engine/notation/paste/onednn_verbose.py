"""Reads the source tensor from lines of oneDNN's verbose mode.

    descriptor = name (":" | "_") type ":" flags ":blocked:" tag [":" strides] [":" extra]
    problem    = sizes as 1x64x56x56 (":" between operands) | letters with sizes, as mb1ic64ih56iw56

Source: oneDNN src/common/verbose.cpp, md2fmt_str and md2fmt_strides_str; benchdnn's problem
descriptors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...dtypes import find_dtype
from ..dialect import unreadable

_DESCRIPTOR = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?P<name>[a-z][a-z0-9]*?(?:_[a-z0-9]+?)?)[:_])?"
    r"(?P<dtype>[a-z]{1,2}[0-9]{1,2}(?:_e[0-9]m[0-9])?):(?P<flags>[apo0]*):blocked:"
    r"(?P<tag>[a-zA-Z0-9]+)(?::(?P<strides>[0-9]+(?:x[0-9]+)*))?",
    re.ASCII,
)
_OPERANDS = re.compile(r"[0-9]+(?:x[0-9]+)*(?::[0-9]+(?:x[0-9]+)*)*", re.ASCII)
_LETTERED = re.compile(r"(?:_?[a-z]{1,2}[0-9]+)+", re.ASCII)
_LETTER = re.compile(r"([a-z]{1,2})([0-9]+)", re.ASCII)
_MAX_DIGITS = 18

# Shape, element type and layout text, each None if the line does not contain it.
Facts = tuple[tuple[int, ...] | None, str | None, str | None]


def recognises(text: str) -> bool:
    """Whether ``text`` contains a memory descriptor of verbose mode."""
    return _DESCRIPTOR.search(text) is not None


def read_verbose(text: str) -> Facts:
    """Sizes, type and layout of the source, or of the first operand if none is a source.

    The layout is a tag or strides. Errors: LayoutError at a descriptor with an offset, which the
    line does not print, or with strides between inner blocks.
    """
    found = list(_DESCRIPTOR.finditer(text))
    chosen = next((d for d in found if (d["name"] or "").startswith("src")), found[0])
    if set(chosen["flags"]) & {"o", "0"}:
        raise unreadable(
            text, chosen.start("flags"), "memory from offset 0: the line does not print offset0"
        )
    known = find_dtype(chosen["dtype"])
    dtype = None if known is None else known.name
    tag, strides = chosen["tag"], chosen["strides"]
    rank = len(re.split(r"[^a-zA-Z]", tag, maxsplit=1)[0])
    shape = _shape(text, chosen.end(), (chosen["name"] or "src").removeprefix("diff_"), rank)
    if strides is None:
        return shape, dtype, f"onednn:{tag}"
    numbers = _sizes(strides)
    if re.search(r"[0-9]", tag) or numbers is None or len(numbers) != rank:
        raise unreadable(
            text, chosen.start("strides"), f"{rank} strides of a plain tag: blocks are dense"
        )
    return shape, dtype, "(" + ", ".join(map(str, numbers)) + ("," if rank == 1 else "") + ")"


def _shape(text: str, after: int, name: str, rank: int) -> tuple[int, ...] | None:
    """Sizes of the operand from the problem's description, the last such field of the line."""
    end = text.find("\n", after)
    fields = text[after : end if end >= 0 else len(text)].split(",")
    for field in reversed(fields):
        problem = field.strip().split(" ")[0]
        shape = None
        if _OPERANDS.fullmatch(problem) and "x" in problem:
            shape = _of_operands(problem.split(":"), name)
        elif _LETTERED.fullmatch(problem):
            shape = _of_letters(problem, name)
        if shape is not None:
            return shape if len(shape) == rank else None
    return None


def _sizes(text: str) -> tuple[int, ...] | None:
    words = text.split("x")
    return tuple(map(int, words)) if max(map(len, words)) <= _MAX_DIGITS else None


def _of_operands(operands: list[str], name: str) -> tuple[int, ...] | None:
    second = name.startswith(("wei", "src_1", "src1")) and len(operands) > 1
    return _sizes(operands[1 if second else 0]) if name.startswith(("src", "wei")) else None


def _of_letters(problem: str, name: str) -> tuple[int, ...] | None:
    """Sizes by benchdnn's letters: mb, g, ic, oc, and i, o, k before d, h, w."""
    sizes: Mapping[str, int] = {
        letters: int(digits)
        for letters, digits in _LETTER.findall(problem)
        if len(digits) <= _MAX_DIGITS
    }
    if name.startswith("src") and {"mb", "ic"} <= sizes.keys():
        return (sizes["mb"], sizes["ic"], *(sizes[f"i{c}"] for c in "dhw" if f"i{c}" in sizes))
    if name.startswith("wei") and {"oc", "ic"} <= sizes.keys():
        groups = sizes.get("g", 1)
        kernel = [sizes[f"k{c}"] for c in "dhw" if f"k{c}" in sizes]
        if groups == 0:
            return None
        channels = (sizes["oc"] // groups, sizes["ic"] // groups)
        return (*((groups,) if "g" in sizes else ()), *channels, *kernel)
    if name.startswith("dst") and "mb" in sizes and sizes.keys() & {"oc", "ic"}:
        outputs = [sizes[f"o{c}"] for c in "dhw" if f"o{c}" in sizes]
        return (sizes["mb"], sizes.get("oc", sizes.get("ic", 0)), *outputs)
    return None
