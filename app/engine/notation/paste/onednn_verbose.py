"""Reads the tensors of oneDNN's verbose lines, of versions 1, 2 and 3.

    line       = [… ","] primitive "," implementation "," propagation "," descriptors ","
                 attributes "," auxiliary "," problem ["," …]
    descriptor = name (":" | "_") type ":" flags ":" kind ":" tag [":" strides] [":" extra]

Source: oneDNN src/common/verbose.cpp, md2fmt_str, md2fmt_strides_str and the functions init_info_*;
benchdnn's problem descriptors. Lines of version 2 and earlier have no field of strides.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ...model.dtypes import by_name_in
from ...model.errors import Described, LayoutError, Phrase, unreadable
from ..phrases import phrase
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


@dataclass(frozen=True, slots=True)
class _Line:
    """One line with descriptors, and the position of its first character."""

    text: str
    at: int
    descriptors: list[re.Match[str]]


def split_verbose(text: str) -> tuple[list[Item], str]:
    """All tensors of the verbose lines, and the text with blanks in place of these lines. The
    layout of a tensor is a tag or strides. A descriptor that cannot be read has an error."""
    found: list[Item] = []
    rest: list[str] = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        descriptors = list(DESCRIPTOR.finditer(line))
        if descriptors:
            found += _items(_Line(line, at, descriptors), number)
        rest.append(" " * len(line) if descriptors else line)
        at += len(line) + 1
    return found, "\n".join(rest) if found else text


def _items(line: _Line, number: int) -> Iterator[Item]:
    problem, spans = _problem_of(line), _spans(line)
    roles = Counter(_name(d) for d in line.descriptors)
    seen: Counter[str] = Counter()
    for descriptor in line.descriptors:
        name = _name(descriptor)
        place, seen[name] = seen[name], seen[name] + 1
        if descriptor["kind"] == "undef" or descriptor["dtype"] == "undef":
            continue
        role = f"{name}{place}" if roles[name] > 1 else name
        mask = int(descriptor["mask"]) if descriptor["mask"] else None
        rank = len(re.split(r"[^a-zA-Z]", descriptor["tag"], maxsplit=1)[0])
        operand = onednn_problem.LoggedOperand(name, place, rank, mask)
        shape = problem.shape_of(operand)
        known = _TYPES.get(descriptor["dtype"])
        layout, error = None, None
        try:
            layout = _layout_of(line, descriptor, rank)
        except LayoutError as refused:
            error = refused
        yield Item(
            line.at + descriptor.start(),
            shape,
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


def _spans(line: _Line) -> tuple[tuple[int, int], ...]:
    """The parts of a text that a line explains: its descriptors, and the fields beside them, from
    the marker of a log or the first of them to the first word of the last one."""
    spans = []
    for descriptor in line.descriptors:
        extra = _EXTRA.match(line.text, descriptor.end())
        spans.append((descriptor.start(), extra.end() if extra else descriptor.end()))
    if line.text[: spans[0][0]].endswith(","):
        marker = _MARKER.search(line.text)
        spans.insert(0, (marker.start() if marker else 0, spans[0][0]))
    if last := _LAST_FIELD.match(line.text, spans[-1][1]):
        spans.append(last.span())
    return tuple((line.at + start, line.at + end) for start, end in spans)


def _name(descriptor: re.Match[str]) -> str:
    return descriptor["name"] or "data"


def _problem_of(line: _Line) -> onednn_problem.LoggedProblem:
    """The fields around the descriptors, which stand in one field of the line."""
    before = line.text[: line.descriptors[0].start()].split(",")[:-1]
    after = line.text[line.descriptors[-1].end() :].split(",")[1:]
    primitive = before[-3].strip() if len(before) >= 3 else None
    if primitive is not None and not re.fullmatch(r"[a-z_]{1,32}", primitive):
        primitive = None
    return onednn_problem.read_problem(primitive, after)


def _layout_of(line: _Line, descriptor: re.Match[str], rank: int) -> str:
    def refusal(group: str, expected: Phrase) -> LayoutError:
        return unreadable(line.text, descriptor.start(group), expected).shifted(line.at)

    if descriptor["kind"] != "blocked" or not rank:
        said = _KINDS.get(descriptor["kind"], "a format without a tag")
        at = line.at + descriptor.start("kind")
        raise LayoutError("layout", Described(said), phrase("paste.tag"), position=at)
    if set(descriptor["flags"]) & {"o", "0"}:
        raise refusal("flags", phrase("paste.offset0"))
    tag, strides = descriptor["tag"], descriptor["strides"]
    if strides is None:
        return f"onednn:{tag}"
    words = strides.split("x")
    plain = all(word.isdigit() and len(word) <= _MAX_DIGITS for word in words)
    if re.search(r"[0-9]", tag) or len(words) != rank or not plain:
        raise refusal("strides", phrase("paste.plain", rank=rank))
    return "(" + ", ".join(words) + ("," if rank == 1 else "") + ")"
