"""Reads oneDNN's memory descriptor as a debugger prints it.

    descriptor = "ndims = 2, dims = {64, 32, 0 …}, data_type = dnnl_s8, padded_dims = {64, 32, 0 …},
                 …, strides = {512, 16, 0 …}, inner_nblks = 1, inner_blks = {16, 0 …},
                 inner_idxs = {1, 0 …}"

Its lists have 12 entries. The first ``ndims`` count, of the inner blocks the first ``inner_nblks``.
Strides are those of the outer digits; the inner blocks are packed, the last one innermost.

Source: oneDNN src/common/memory_desc.hpp and include/oneapi/dnnl/dnnl_types.h.
"""

import math
import re
from string import ascii_lowercase
from typing import Final

from ...model.dtypes import DEFAULT, find_dtype
from ...model.errors import unreadable
from ...model.layout import Digit, Layout
from ..dialect import CannotSayError
from ..dialects import onednn
from ..dialects.strides import write_numbers
from ..grammar.literals import Literal, read_literal
from ..phrases import phrase
from .found import Item

DESCRIPTOR: Final = re.compile(
    r"(?:<dnnl::impl::c_compatible> = \{<No data fields>\},\s{1,99}"
    r"(?:members of \w{1,40}:\s{1,99})?)?"
    r"\bndims = (?P<rank>-?\d{1,18}),?\s{1,99}(?=dims = [{(])",
    re.ASCII,
)
_MEMBER = re.compile(
    r"\b(?P<name>dims|data_type|padded_dims|padded_offsets|offset0|format_kind|strides"
    r"|inner_nblks|inner_blks|inner_idxs) = (?P<value>[{(]|[\w:-]+)"
    r"|\bformat_desc = \{\s{0,99}blocking = \{|(?P<union>\b(?:wino|rnn_packed|sparse)_desc = \{)"
    r"|\bextra = \{\s{0,99}flags = 0\b[^{}]{0,999}\}",
    re.ASCII,
)
_END = re.compile(r"[{}]|\bndims = ")
_MAX_RANK: Final = 12


def read_descriptor(text: str, found: re.Match[str]) -> Item:
    """The tensor of one descriptor. Errors: LayoutError with the position."""
    rank = int(found["rank"])
    if not 1 <= rank <= _MAX_RANK:
        raise unreadable(text, found.start("rank"), phrase("onednn.ndims", most=_MAX_RANK))
    members: dict[str, Literal] = {}
    spans = []
    end, last = found.end(), _end_of(text, found.end())
    while member := _MEMBER.search(text, end, last):
        name, end = member["name"], member.end()
        unknown = name == "data_type" and find_dtype(member["value"]) is None
        if name in members or unknown:
            continue
        if name is not None and member["value"][0].isalpha():
            members[name] = Literal(member["value"], member.start("value"))
        elif name is not None:
            members[name], end = read_literal(text, member.start("value"))
        elif member["union"]:  # the same bytes as ``blocking``
            end = _end_of(text, end)
        spans.append((member.start(), end))
    shape = _entries(text, members["dims"], rank)
    kind = members.get("data_type")
    dtype = find_dtype(str(kind.value)) if kind else None
    layout = _layout_of(text, members, shape)
    return Item(found.start(), shape, dtype.name if dtype else None, layout, spans=tuple(spans))


def _end_of(text: str, at: int) -> int:
    """Where the descriptor ends: at the bracket around it, or where the next one begins."""
    depth = 0
    for found in _END.finditer(text, at):
        depth += 1 if found[0] == "{" else -1
        if depth < 0 or found[0] not in "{}":
            return found.start()
    return len(text)


def _entries(text: str, literal: Literal, count: int) -> tuple[int, ...]:
    """The first entries of a list. Errors: LayoutError at the list if it has fewer."""
    entries = literal.integers(text)
    if not 0 <= count <= len(entries):
        raise unreadable(text, literal.at, phrase("onednn.entries", count=count))
    return entries[:count]


def _layout_of(text: str, members: dict[str, Literal], shape: tuple[int, ...]) -> str | None:
    """Text for parse_layout: a tag, or the strides of memory without blocks that has none; None
    for a text without strides. Errors: LayoutError with the position."""
    rank, kind = len(shape), members.get("format_kind")
    if kind and not str(kind.value).endswith("blocked"):
        raise unreadable(text, kind.at, phrase("onednn.format_kind"))
    if "strides" not in members:
        return None
    steps = members["strides"]
    missing = {"padded_dims", "inner_nblks", "inner_blks", "inner_idxs"} - members.keys()
    if missing:
        raise unreadable(text, steps.at, phrase("onednn.member", name=min(missing)))
    shifted = members.get("padded_offsets")
    if shifted and any(_entries(text, shifted, rank)):
        raise unreadable(text, shifted.at, phrase("onednn.padded_offsets"))
    strides = _entries(text, steps, rank)
    padded = _entries(text, members["padded_dims"], rank)
    count = members["inner_nblks"].integer(text)
    sizes = _entries(text, members["inner_blks"], count)
    dims = _entries(text, members["inner_idxs"], count)
    inner: list[tuple[Digit, ...]] = [()] * rank
    step = 1
    for d, size in zip(reversed(dims), reversed(sizes), strict=True):
        if not 0 <= d < rank or size < 1:
            raise unreadable(text, members["inner_blks"].at, phrase("onednn.inner", last=rank - 1))
        inner[d] = (Digit(size, step), *inner[d])
        step *= size
    blocks = [math.prod(g.extent for g in digits) for digits in inner]
    if any(p < n or p % block for n, p, block in zip(shape, padded, blocks, strict=True)):
        raise unreadable(text, members["padded_dims"].at, phrase("onednn.padded_dims"))
    outer = map(Digit, (p // b for p, b in zip(padded, blocks, strict=True)), strides)
    digits = tuple((first, *rest) for first, rest in zip(outer, inner, strict=True))
    offset = members["offset0"].integer(text) if "offset0" in members else 0
    layout = Layout(shape, ascii_lowercase[:rank], digits, offset)
    try:
        return f"onednn:{onednn.write(layout, DEFAULT, None)}"
    except CannotSayError:
        if not sizes and padded == shape:
            return write_numbers(strides, offset)
    raise unreadable(text, steps.at, phrase("onednn.packed"))
