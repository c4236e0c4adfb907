"""Reads the tensors of oneDNN's verbose lines, of versions 1, 2 and 3, and its memory descriptor as
a debugger prints it.

    line       = [… ","] primitive "," implementation "," propagation "," descriptors ","
                 attributes "," auxiliary "," problem ["," …]
    descriptor = name (":" | "_") type ":" flags ":" kind ":" tag [":" strides] [":" extra]

Source: oneDNN src/common/verbose.cpp, md2fmt_str, md2fmt_strides_str and the functions init_info_*;
benchdnn's problem descriptors. Lines of version 2 and earlier have no field of strides.

    memory descriptor = "ndims = 2, dims = {64, 32, 0 …}, data_type = dnnl_s8, padded_dims = {…},
                        …, strides = {512, 16, 0 …}, inner_nblks = 1, inner_blks = {16, 0 …},
                        inner_idxs = {1, 0 …}"

Its lists have 12 entries. The first ``ndims`` count, of the inner blocks the first ``inner_nblks``.
Strides are those of the outer digits; the inner blocks are packed, the last one innermost. Source:
oneDNN src/common/memory_desc.hpp and include/oneapi/dnnl/dnnl_types.h.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from string import ascii_lowercase
from typing import Final

from ...model.dtypes import DEFAULT, by_name_in, find_dtype
from ...model.errors import Described, LayoutError, phrase, unreadable
from ...model.layout import Digit, Layout
from ..dialect import CannotSayError, match_end
from ..dialects import cute, onednn
from ..dialects import strides as strides_
from ..grammar.cursor import Literal, read_literal
from . import onednn_problem
from .found import Item

DESCRIPTOR = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?P<name>[a-z][a-z0-9_]{0,23}?)[:_])?"
    r"(?P<dtype>[a-z]{1,2}[0-9]{1,2}(?:_e[0-9]m[0-9]|m[0-9])?|undef|boolean):(?P<flags>[apo0]*):"
    r"(?P<kind>blocked|any|opaque|wino|sparse|undef|[a-z]{1,12}_(?:packed|blocked)):"
    r"(?P<tag>[a-zA-Z0-9]*)(?::(?P<strides>[0-9*]+(?:x[0-9*]+)*)(?=[:\s,]|$))?"
    r"(?:[:a-z0-9.]{0,40}_mask(?P<mask>[0-9]{1,4}))?",
    re.ASCII,
)
_EXTRA = re.compile(r"(?::(?:[a-z0-9_:]|\.[0-9])*)?", re.ASCII)  # flags behind a descriptor
_MARKER = re.compile(r"\b[a-z]{4,6}_verbose,", re.ASCII)
# Attributes, auxiliary, problem and time, as far as a line has them.
_LAST_FIELD = re.compile(r"(?:,[^,]*){0,3},\s*[^\s,]*")
_MAX_DIGITS = 18
_TYPES = by_name_in("onednn")
_KINDS = {
    "any": "a format that was left open (any)",
    "opaque": "a format that only oneDNN knows (opaque)",
    "wino": "Winograd weights, which are values of another kind",
    "rnn_packed": "weights packed for a matrix multiplication",
    "sparse": "a sparse tensor",
}
MEMORY_DESC: Final = re.compile(
    r"(?:<dnnl::impl::c_compatible> = \{<No data fields>\},\s{1,99}"
    r"(?:members of \w{1,40}:\s{1,99})?)?"
    r"(?:\bdnnl_memory_desc_t\s{1,9}(?P<role>[A-Za-z_]\w{0,60}) = \{\s{1,99})?"
    r"(?:\.|\b)ndims = (?P<rank>-?\d{1,18}),?\s{1,99}(?=\.?dims = [{(])",
    re.ASCII,
)
_MEMBER = re.compile(
    r"(?:\.|\b)(?P<name>dims|data_type|padded_dims|padded_offsets|offset0|format_kind|strides"
    r"|inner_nblks|inner_blks|inner_idxs) = (?P<value>[{(]|[\w:-]+)"
    r"|(?:\.|\b)format_desc(?: = \{\s{0,99}|\.)blocking = \{"
    r"|(?P<union>\b(?:wino|rnn_packed|sparse)_desc = \{)"
    r"|\bextra = \{\s{0,99}flags = 0\b[^{}]{0,999}\}",
    re.ASCII,
)
_END = re.compile(r"[{}]|\bndims = ")
# The blocking alone, as a debugger answers ``p md.format_desc.blocking``.
BLOCKING: Final = re.compile(
    r"(?:(?<![\w.>-])(?P<role>[A-Za-z_][\w.>-]{0,60}?)(?:\.|->)format_desc(?:\.blocking)?\s{1,9})?"
    r"(?:\([\w: ]{1,60}\)\s{1,9})?(?:\$\d{1,9} = )?(?:\{\s{0,99}blocking = )?\{?\s{0,99}"
    r"\bstrides = (?=[{(][^{}()]{0,999}[)}],?\s{1,99}inner_nblks = )",
    re.ASCII,
)
_ANSWER = re.compile(
    r"(?<![\w.>-])(?P<role>[A-Za-z_][\w.>-]{0,60}?)(?:\.|->)(?P<name>(?:padded_)?dims|data_type"
    r"|padded_offsets|offset0|format_kind)\s{1,9}(?:\([\w: ]{1,60}\)\s{1,9})?"
    r"\$\d{1,9} = (?P<value>[{(]|[\w:-]+)",
    re.ASCII,
)
# What is done with a descriptor after it is made: another one from it, or memory inside a buffer.
_LATER = re.compile(
    r"\bdnnl_memory_desc_(?:permute_axes|reshape|(?:create|init)_submemory)\(\s*&?\w{1,60},\s*&?"
    r"(?P<from>[A-Za-z_]\w{0,60})"
    r"|\b(?:memory\(|dnnl_memory_create\(&?\w{1,60}, )(?P<role>[A-Za-z_]\w{0,60}), \w{1,60}, "
    r"(?:static_cast<char \*>\(\w{1,60}\)|\(char \*\)\w{1,60}) \+ (?P<bytes>\d{1,18})\)",
    re.ASCII,
)
_MAX_BEHIND: Final = 1000  # characters from a descriptor to its memory
_MAX_BLOCKING: Final = 3000  # characters of strides and inner blocks
_MAX_BEFORE: Final = 3000  # characters of a descriptor before its strides
_MAX_RANK: Final = 12


def split_verbose(text: str) -> tuple[list[Item], str]:
    """All tensors of the verbose lines, and the text with blanks in place of these lines. The
    layout of a tensor is a tag or strides. A descriptor that cannot be read has an error."""
    found: list[Item] = []
    rest: list[str] = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        descriptors = list(DESCRIPTOR.finditer(line))
        if descriptors:
            found += _items(line, at, descriptors, number)
        rest.append(" " * len(line) if descriptors else line)
        at += len(line) + 1
    return found, "\n".join(rest) if found else text


def _items(line: str, at: int, descriptors: list[re.Match[str]], number: int) -> Iterator[Item]:
    """The tensors of the ``number``-th line, which begins at ``at``."""
    problem = _problem_of(line, descriptors)
    spans = tuple((at + start, at + end) for start, end in _spans(line, descriptors))
    roles = Counter(descriptor["name"] or "data" for descriptor in descriptors)
    seen: Counter[str] = Counter()
    for descriptor in descriptors:
        name = descriptor["name"] or "data"
        place, seen[name] = seen[name], seen[name] + 1
        if descriptor["kind"] == "undef" or descriptor["dtype"] == "undef":
            continue
        role = f"{name}{place}" if roles[name] > 1 else name
        mask = int(descriptor["mask"]) if descriptor["mask"] else None
        rank = len(re.split(r"[^a-zA-Z]", descriptor["tag"], maxsplit=1)[0])
        operand = onednn_problem.LoggedOperand(name, place, rank, mask)
        known = _TYPES.get(descriptor["dtype"])
        layout, error = None, None
        try:
            layout = _layout_of(line, descriptor, rank)
        except LayoutError as refused:
            error = refused.shifted(at)
        yield Item(
            at + descriptor.start(),
            problem.shape_of(operand),
            None if known is None else known.name,
            layout,
            role if descriptor["name"] else None,
            problem.primitive,
            problem.dims_of(operand),
            group=number,
            error=error,
            system="onednn",
            spans=spans,
        )
        spans = ()  # the first item has those of the whole line


def _spans(line: str, descriptors: list[re.Match[str]]) -> list[tuple[int, int]]:
    """The parts of a line that are read: its descriptors, and the fields beside them, from the
    marker of a log or the first of them to the first word of the last one."""
    spans = [(each.start(), match_end(_EXTRA, line, each.end())) for each in descriptors]
    if line[: spans[0][0]].endswith(","):
        marker = _MARKER.search(line)
        spans.insert(0, (marker.start() if marker else 0, spans[0][0]))
    if last := _LAST_FIELD.match(line, spans[-1][1]):
        spans.append(last.span())
    return spans


def _problem_of(line: str, descriptors: list[re.Match[str]]) -> onednn_problem.LoggedProblem:
    """The fields around the descriptors, which stand in one field of the line."""
    before = line[: descriptors[0].start()].split(",")[:-1]
    after = line[descriptors[-1].end() :].split(",")[1:]
    primitive = re.fullmatch(r"[a-z_]{1,32}", before[-3].strip()) if len(before) >= 3 else None
    return onednn_problem.read_problem(primitive and primitive[0], after)


def _layout_of(line: str, descriptor: re.Match[str], rank: int) -> str:
    """A tag or strides for parse_layout. Errors: LayoutError with the position in the line."""
    if descriptor["kind"] != "blocked" or not rank:
        said = _KINDS.get(descriptor["kind"], "a format without a tag")
        at = descriptor.start("kind")
        raise LayoutError("layout", Described(said), phrase("paste.tag"), position=at)
    if set(descriptor["flags"]) & {"o", "0"}:
        raise unreadable(line, descriptor.start("flags"), phrase("paste.offset0"))
    tag, strides = descriptor["tag"], descriptor["strides"]
    if strides is None:
        return f"onednn:{tag}"
    words = strides.split("x")
    plain = all(word.isdigit() and len(word) <= _MAX_DIGITS for word in words)
    if re.search(r"[0-9]", tag) or len(words) != rank or not plain:
        raise unreadable(line, descriptor.start("strides"), phrase("paste.plain", rank=rank))
    return "(" + ", ".join(words) + ("," if rank == 1 else "") + ")"


# Memory descriptors -------------------------------------------------------------------------------


def read_descriptor(text: str, found: re.Match[str]) -> Item:
    """The tensor of one descriptor. Errors: LayoutError with the position."""
    rank = int(found["rank"])
    if not 1 <= rank <= _MAX_RANK:
        raise unreadable(text, found.start("rank"), phrase("onednn.ndims", most=_MAX_RANK))
    members, spans = _members(text, found.end(), len(text))
    item = _described(text, members, _entries(text, members["dims"], rank))
    return replace(item, role=found["role"], spans=tuple(spans))


def read_blocking(text: str, found: re.Match[str]) -> Item | None:
    """The tensor whose strides and inner blocks are printed without the other members, which are
    the answers to questions of their own; None within a descriptor. Errors: LayoutError."""
    at = found.end()
    begin = text.rfind("ndims = ", max(0, at - _MAX_BEFORE), at)
    if begin >= 0 and _end_of(text, begin + 1, at + 1) > at:
        return None
    members, spans = _members(text, text.rindex("strides", 0, at), at + _MAX_BLOCKING)
    known = _answers(text)
    role = found["role"] or (next(iter(known)) if len(known) == 1 else None)
    answers = known.get(role or "", [])
    before = [answer for answer in answers if answer.start() < at]
    for answer in before[::-1] or answers:
        name, start = answer["name"], answer.start("value")
        if name in members:
            continue
        if answer["value"][0] in "{(" or name == "offset0":
            members[name], end = read_literal(text, start)
        else:
            members[name], end = Literal(answer["value"], start), answer.end()
        spans.append((answer.start(), end))
    if "dims" not in members:
        got = Described("strides without the sizes")
        raise LayoutError("layout", got, phrase("paste.dims"), position=at)
    sizes = members["dims"].integers(text)
    used = len(sizes)
    if used == _MAX_RANK:  # all entries of the array; the unused ones behind them are 0
        used = 1 + max((d for d, n in enumerate(sizes) if n), default=-1)
    item = _described(text, members, sizes[:used])
    return replace(item, role=role, spans=tuple(spans))


@lru_cache(maxsize=1)
def _answers(text: str) -> dict[str, list[re.Match[str]]]:
    """The members that a debugger prints one by one, by their variables."""
    found: dict[str, list[re.Match[str]]] = {}
    for answer in _ANSWER.finditer(text):
        found.setdefault(answer["role"], []).append(answer)
    return found


def offset_behind(
    text: str, at: int, role: str | None, itemsize: int | None
) -> tuple[int, list[tuple[int, int]]]:
    """Where the memory of a descriptor that ends at ``at`` begins in its buffer, in elements, and
    the spans that say it. ``itemsize``: None if its layout takes no offset. Errors: LayoutError,
    also where another descriptor is made from it."""
    offset, spans = 0, []
    for found in _LATER.finditer(text, at, at + _MAX_BEHIND):
        if role is None or role not in {found["from"], found["role"]}:
            continue
        count = int(found["bytes"] or 0)
        if found["from"] or itemsize is None or count % itemsize:
            raise unreadable(text, found.start(), phrase("onednn.further"))
        offset = count // itemsize
        spans.append(found.span())
    return offset, spans


def _members(text: str, end: int, last: int) -> tuple[dict[str, Literal], list[tuple[int, int]]]:
    """The members from ``end`` to the end of what encloses them, ``last`` at most, and where they
    stand."""
    members: dict[str, Literal] = {}
    spans = []
    last = _end_of(text, end, last)
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
            end = _end_of(text, end, last)
        spans.append((member.start(), end))
    return members, spans


def _described(text: str, members: dict[str, Literal], shape: tuple[int, ...]) -> Item:
    """The tensor of these members. Errors: LayoutError with the position."""
    kind = members.get("data_type")
    dtype = find_dtype(str(kind.value)) if kind else None
    return Item(0, shape, dtype.name if dtype else None, _text_of(text, members, shape))


def _end_of(text: str, at: int, last: int) -> int:
    """Where the descriptor ends: at the bracket around it, or where the next one begins; ``last``
    at most."""
    depth = 0
    for found in _END.finditer(text, at, last):
        depth += 1 if found[0] == "{" else -1
        if depth < 0 or found[0] not in "{}":
            return found.start()
    return last


def _entries(text: str, literal: Literal, count: int) -> tuple[int, ...]:
    """The first entries of a list. Errors: LayoutError at the list if it has fewer."""
    entries = literal.integers(text)
    if not 0 <= count <= len(entries):
        raise unreadable(text, literal.at, phrase("onednn.entries", count=count))
    return entries[:count]


def _text_of(text: str, members: dict[str, Literal], shape: tuple[int, ...]) -> str | None:
    """Text for parse_layout: a tag, else strides, or nested ones of CuTe with blocks; None for
    a text without strides. Errors: LayoutError with the position."""
    rank, kind = len(shape), members.get("format_kind")
    if kind and not str(kind.value).endswith("blocked"):
        raise unreadable(text, kind.at, phrase("onednn.format_kind"))
    if "strides" not in members:
        return None
    steps = members["strides"]
    missing = {"inner_nblks", "inner_blks", "inner_idxs"} - members.keys()
    if missing:
        raise unreadable(text, steps.at, phrase("onednn.member", name=min(missing)))
    shifted = members.get("padded_offsets")
    if shifted and any(_entries(text, shifted, rank)):
        raise unreadable(text, shifted.at, phrase("onednn.padded_offsets"))
    strides = _entries(text, steps, rank)
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
    said = members.get("padded_dims")
    if said is None:  # what is printed in parts; the strides of a tag confirm the sizes
        padded = tuple(-(-n // block) * block for n, block in zip(shape, blocks, strict=True))
    else:
        padded = _entries(text, said, rank)
        if any(p < n or p % block for n, p, block in zip(shape, padded, blocks, strict=True)):
            raise unreadable(text, said.at, phrase("onednn.padded_dims"))
    outer = map(Digit, (p // b for p, b in zip(padded, blocks, strict=True)), strides)
    digits = tuple((first, *rest) for first, rest in zip(outer, inner, strict=True))
    offset = members["offset0"].integer(text) if "offset0" in members else 0
    layout = Layout(shape, ascii_lowercase[:rank], digits, offset)
    # A tag is packed; CuTe also writes blocks between which a stride leaves a gap.
    writers = (("onednn:", onednn.write), ("", strides_.write), ("cute:", cute.write))
    for prefix, write in writers if said else writers[:2]:
        with suppress(CannotSayError):
            return prefix + write(layout, DEFAULT, None)
    raise unreadable(text, steps.at, phrase("onednn.packed"))
