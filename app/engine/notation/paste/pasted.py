"""Reads tensors in memory from text pasted from a session, a debugger or a log.

It reads PyTorch and NumPy sessions, ``__array_interface__``, ``flags``, key=value pairs as
debuggers and cuDNN print them, DML_BUFFER_TENSOR_DESC, oneDNN's verbose lines and descriptors,
printed graphs, calls and profiles of PyTorch, XLA shapes, MLIR memrefs and tensors, and C array
declarations. A text may describe many tensors.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

from ...model.dtypes import by_name_in, find_dtype
from ...model.errors import Described, LayoutError, phrase, unreadable
from ...model.facts import least_offset
from ...model.layout import check_shape, packed_strides
from ..dialect import skip_blanks
from ..dialects import mlir, numpy_, pytorch, xla
from ..dialects.strides import parse_numbers, write_numbers
from ..grammar.cursor import read_literal
from .benchdnn import find_problems
from .found import Item, fills
from .keys import dtype_in, find_keys
from .libraries import find_prints
from .made import find_calls
from .messages import find_errors, find_misfits
from .onednn import split_verbose
from .programs import find_programs
from .requests import find_links, of_body
from .traces import find_traces
from .values import find_values

MAX_TEXT: Final = 1 << 18
_MAX_ONE = 4096  # characters of one memref or dictionary: the time may grow with their square


def first_of(items: list[Item]) -> Item:
    """The first tensor that can be read: the source where a line has one. Errors: LayoutError."""
    good = [item for item in items if item.error is None]
    if not good:
        assert items[0].error is not None
        raise items[0].error
    return good[0]


def find_tensors(text: str) -> list[Item]:
    """All tensors of a text, in its order; none if it names an element type alone. Errors:
    LayoutError naming ``layout`` with the position, if it describes no tensor."""
    if len(text) > MAX_TEXT:
        raise LayoutError("layout", text, phrase("characters.most", most=MAX_TEXT))
    verbose, rest = split_verbose(text)
    others: list[Item] = []
    for reader in _READERS:
        try:
            others = _gathered(reader, rest)
        except LayoutError:
            if not verbose:
                raise
        if others:
            break
    found = sorted(map(_checked, (*verbose, *others)), key=lambda item: item.at)
    if not found and dtype_in(text) is None:
        got = Described("text that names no sizes and no strides in full")
        raise LayoutError("layout", got, phrase("paste.strides"))
    return found


def _checked(item: Item) -> Item:
    if item.error is not None:
        return item
    try:
        check_shape(item.shape or ())
    except LayoutError as refused:
        return replace(item, error=refused)
    strides = item.layout is not None and not item.layout.startswith("onednn:")
    if item.system == "onednn" and item.dims is None and item.shape and strides:
        return replace(item, dims=ascii_lowercase[: len(item.shape)])  # as a tag names them
    return item


def _gathered(reader: Callable[[str], Iterable[Item]], text: str) -> list[Item]:
    """What a reader finds until a text is wrong; that error counts alone after other tensors."""
    found: list[Item] = []
    try:
        found.extend(reader(text))
    except LayoutError as error:
        if not found:
            raise
        found.append(Item(error.position or 0, error=error))
    return found


# NumPy ------------------------------------------------------------------------------------------

# Dictionaries with sizes but without what only these have are one's own, as other texts.
_INTERFACE = re.compile(
    r"\{(?=[^{}]*['\"](?:(?:typestr|fortran_order|layout)['\"]|data['\"]:\s*\(\d+,\s*(?:True|False)))"
    r"\s*['\"](?:shape|strides|typestr|data|descr|version|offset)['\"]\s*:"
)


def _of_interface(text: str) -> Iterator[Item]:
    at = 0
    while opened := _INTERFACE.search(text, at):
        start = opened.start()
        said, at = read_literal(text[: start + _MAX_ONE], start)
        if isinstance(said.value, Mapping) and "stride" in said.value:
            continue  # PyTorch's word, in a dictionary of one's own
        if isinstance(said.value, Mapping) and {"shape", "layout"} <= said.value.keys():
            yield of_body(text, (start, at), said.value)
            continue
        spec = numpy_.DIALECT.attempt(text[start:at])
        if isinstance(spec, LayoutError):
            raise spec.shifted(start)
        assert isinstance(spec, numpy_.InterfaceSpec)  # as it begins like one
        assert isinstance(said.value, Mapping)
        if order := said.value.get("fortran_order"):  # the header of a .npy file
            spec = replace(spec, typestr=said.value.get("descr"))
        item = Item(start, spec.shape, spec.dtype, system="numpy", spans=((start, at),))
        if order:
            yield replace(item, layout=f"numpy:{'F' if order.value else 'C'}")
            continue
        if not spec.offset and spec.strides and (needed := least_offset(spec.shape, spec.strides)):
            spec, item = replace(spec, offset=needed), replace(item, least_offset=needed)
        yield replace(item, layout=spec.short_form)


_FLAGS = re.compile(
    r"(?:(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,60})\.flags\s{1,9})?"
    r"\bC_CONTIGUOUS\s*:\s*(?P<c>True|False)\s*F_CONTIGUOUS\s*:\s*(?P<f>True|False)",
    re.ASCII,
)


def _of_flags(text: str) -> Iterator[Item]:
    """The tensors of a text whose flags alone give an order; none where it names strides."""
    found = _FLAGS.search(text)
    named = find_keys(text) if found else []
    if found is None or any(item.layout is not None for item in named):
        return
    if "True" not in {found["c"], found["f"]}:
        raise unreadable(text, found.start(), phrase("paste.order"))
    name = found["name"]
    mine = (item for item in named if name is None or item.role in {None, name})
    flagged = next(mine, Item(found.start(), role=name))
    layout = "numpy:C" if found["c"] == "True" else "numpy:F"
    spans = (*flagged.spans, found.span())
    yield replace(flagged, layout=layout, system="numpy", spans=spans)
    yield from (item for item in named if item is not flagged)


# PyTorch ----------------------------------------------------------------------------------------

_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w{0,60})\s*:\s*[\"']?$", re.ASCII)


def _of_annotation(text: str) -> Iterator[Item]:
    """The tensors of a printed graph, as ``x: "f32[2, 3][3, 1]cpu"``; None for missing strides."""
    for found in pytorch.ANNOTATION.finditer(text):
        start, end = found.span()
        quoted = text[start - 1 : start] == text[end : end + 1] in {'"', "'"}
        if not (found["strides"] or found["device"] or quoted):
            continue  # perhaps XLA's
        role, begin = _role_before(_NAMED, text, start)
        item = Item(start, role=role, system="pytorch", spans=((begin, end),))
        try:
            shape, strides, dtype = pytorch.of_annotation(text, found)
        except LayoutError as error:
            yield replace(item, error=error)
            continue
        layout = None if strides is None else write_numbers(strides, 0)
        yield replace(item, shape=shape, dtype=dtype, layout=layout)


# What says that a descriptor of oneDNN has, or may have, inner blocks.
_INNER = re.compile(r"\binner_nblks\b(?!(?:\s|=|:|\(gdb\)|\(lldb\)|\$[0-9]+|\(int\))*0\b)")
_OUTER = re.compile(r"\binner_(?:blks|idxs)\b|\bformat_desc\.blocking\b")


def _check_inner_blocks(text: str, found: list[Item]) -> None:
    """Raise LayoutError where strides may be those of oneDNN's outer blocks alone: there are inner
    blocks, or the text does not say how many and the strides leave gaps between the elements."""
    said = _INNER.search(text)
    if said is None and ("inner_nblks" in text or not (said := _OUTER.search(text))):
        return
    for item in found:
        if item.layout is not None and (
            said[0] != "format_desc.blocking"
            or item.shape is None
            or item.system is not None
            or not fills(item.shape, tuple(parse_numbers(item.layout)[0]), 1)
        ):
            raise unreadable(text, said.start(), phrase("paste.inner"))


# A dictionary's value that is an array, whose type is not the tensor's.
_ARRAY = re.compile(r"(?<=['\"]: )(array\()(\[[^\[\]()]{0,9999})\]((?:,\s{0,99}dtype=\w{1,9})?\))")


def _as_list(array: re.Match[str]) -> str:
    """The numbers of an array in brackets of the same length."""
    return f"{' ' * len(array[1])}{array[2]}{' ' * len(array[3])}]"


def _of_session(text: str) -> list[Item]:
    """What calls make, what a session prints, and what does not fit in its errors."""
    calls = [*find_calls(text), *find_misfits(text)]
    rest, at = [], 0
    for start, end in sorted(span for item in calls for span in item.spans):
        rest += [text[at:start], " " * (end - max(start, at))]
        at = max(at, end)
    try:
        printed = find_keys(_ARRAY.sub(_as_list, "".join(rest) + text[at:]))
    except LayoutError:
        if not calls:
            raise
        printed = []
    _check_inner_blocks(text, printed)
    return sorted([*calls, *printed], key=lambda item: item.at)


_PROFILED = re.compile(
    r"\b(?P<op>[a-z_]{1,20}::\w{1,60})[^\[\n]{0,400}\[(?P<inputs>\[[\d, \[\]]{0,400}\])\]", re.ASCII
)
_INPUT = re.compile(r"\[([\d, ]*)\]", re.ASCII)


def _of_profile(text: str) -> Iterator[Item]:
    """The inputs of a row that PyTorch's profiler prints, which has their sizes alone; an input of
    no sizes is no tensor."""
    for found in _PROFILED.finditer(text):
        row = Item(0, source=found["op"], group=found.start(), system="pytorch")
        for place, one in enumerate(_INPUT.finditer(text, *found.span("inputs"))):
            if sizes := tuple(map(int, re.findall("[0-9]+", one[1]))):
                role = f"input{place}"
                yield replace(row, at=one.start(), shape=sizes, role=role, spans=(found.span(),))


# XLA, MLIR --------------------------------------------------------------------------------------

_XLA = re.compile(
    r"\b(?P<type>[a-z]{1,4}[0-9]{0,2}[a-z0-9]{0,8})\[(?P<sizes>[0-9,\s]*)\](?:\{[^{}]*\})?",
    re.ASCII,
)
_XLA_TYPES: Final = by_name_in("xla").keys()
_XLA_NAME = re.compile(r"%?(?P<name>[A-Za-z_][\w.-]{0,60})\s*[=:]\s*\(?$", re.ASCII)


def _of_xla(text: str) -> Iterator[Item]:
    for found in _XLA.finditer(text):
        if len(found[0]) > _MAX_ONE:
            continue
        spec = xla.DIALECT.attempt(found[0])
        if isinstance(spec, LayoutError):
            if found["type"] in _XLA_TYPES:
                raise spec.shifted(found.start())
            kind = c_type(found["type"])  # JAX's float32[2,3], ONNX's float[2,3]
            if kind is not None and found["sizes"]:
                role, begin = _role_before(_XLA_NAME, text, found.start())
                spans = ((begin, found.end("sizes") + 1),)
                shape = tuple(map(int, re.findall("[0-9]+", found["sizes"])))
                yield Item(found.start(), shape, kind, role=role, spans=spans)
        elif spec.dtype is not None:  # or a type that the engine does not have
            role, begin = _role_before(_XLA_NAME, text, found.start())
            layout = f"xla:{found[0]}"
            spans = ((begin, found.end()),)
            said = (spec.shape, spec.dtype, layout, role)
            yield Item(found.start(), *said, system="xla", spans=spans)


_SHAPED = re.compile(r"(?:\b(?:memref|tensor)|!(?:ttg|triton_gpu)\.memdesc)<(?!ptr<)")
_MEMREF_NAME = re.compile(r"%(?P<name>[\w.-]{1,60})\s*(?::|=[^%=\n]{0,80}:)\s*$", re.ASCII)
_ALIAS = re.compile(r"^[ \t]*(#[\w.$-]{1,60})[ \t]*=[ \t]*([^\n]{1,400})$", re.ASCII | re.MULTILINE)
_ATTRIBUTE = re.compile(r"#[\w.$-]{1,60}(?!\s*<)", re.ASCII)
_ANGLE = re.compile(r"<|(?<!-)>")


def _of_memref(text: str) -> Iterator[Item]:
    aliases = {found[1]: found for found in _ALIAS.finditer(text)}
    at = 0
    while found := _SHAPED.search(text, at):
        start = found.start()
        at = _end_of_memref(text, start)
        names = [name for name in _ATTRIBUTE.findall(text, start, at) if name in aliases]
        memref = _ATTRIBUTE.sub(
            lambda one: aliases[one[0]][2].strip() if one[0] in aliases else one[0], text[start:at]
        )
        role, begin = _role_before(_MEMREF_NAME, text, start)
        item = Item(start, role=role, system="mlir")
        long = LayoutError("text", memref, phrase("characters.most", most=_MAX_ONE))
        spec = long if len(memref) > _MAX_ONE else mlir.DIALECT.attempt(memref)
        if isinstance(spec, LayoutError):
            # A position in what an alias stands for is none in the text.
            error = unreadable(text, start, spec.expectation) if names else spec.shifted(start)
            yield replace(item, error=error)
            continue
        spans = ((begin, at), *(aliases[name].span() for name in names))
        layout = f"mlir:{memref}"
        yield replace(item, shape=spec.shape, dtype=spec.dtype, layout=layout, spans=spans)


def _end_of_memref(text: str, start: int) -> int:
    depth, most = 0, min(len(text), start + _MAX_ONE)
    for bracket in _ANGLE.finditer(text, start, most):
        depth += 1 if bracket[0] == "<" else -1
        if depth == 0:
            return bracket.end()
    raise unreadable(text, most, phrase("closing"))


def _role_before(pattern: re.Pattern[str], text: str, at: int) -> tuple[str | None, int]:
    """The name that stands directly before a tensor, and where the two begin."""
    named = pattern.search(text, max(0, at - 160), at)
    return (named["name"], named.start()) if named else (None, at)


# C ----------------------------------------------------------------------------------------------

_DECLARED = re.compile(
    r"(?:^|(?<=[;\n]))\s{0,40}(?P<words>(?:[A-Za-z_][A-Za-z0-9_:]{0,40}\s{1,40}){1,8})"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]{0,60})\s{0,40}(?=\[)",
    re.ASCII,
)
_QUALIFIERS = {
    *("static", "extern", "const", "constexpr", "volatile", "inline", "signed", "unsigned"),
    *("__shared__", "__device__", "__constant__", "__global", "__local"),
}


def c_type(word: str) -> str | None:
    """The element type of C's or C++'s name, as float, std::int8_t, __half or __nv_bfloat16."""
    name = word.removeprefix("std::").lstrip("_").removeprefix("nv_")
    # PyTorch's float, int and long are those of C.
    known = find_dtype(f"torch.{name}") or find_dtype(word)
    return None if known is None else known.name


def _of_declaration(text: str) -> Iterator[Item]:
    """The tensors of ``float x[2][3]``. C arrays are row-major."""
    for declared in _DECLARED.finditer(text):
        words = declared["words"].split()
        types = list(filter(None, map(c_type, words)))
        if not types:
            continue
        dtype = "int64" if "long" in words else types[0]
        if "unsigned" in words and dtype.startswith("int"):
            dtype = "u" + dtype
        shape, end = _bracketed_sizes(text, declared.end())
        layout, start = write_numbers(packed_strides(shape), 0), declared.start("words")
        spans = [
            (start + word.start(), start + word.end())
            for word in re.finditer(r"\S+", declared["words"])
            if word[0] in _QUALIFIERS or c_type(word[0])
        ]
        spans.append((declared.start("name"), end))
        yield Item(start, shape, dtype, layout, declared["name"], system="c", spans=tuple(spans))


def _bracketed_sizes(text: str, at: int) -> tuple[tuple[int, ...], int]:
    """The sizes of ``[2][3]``, and the position after them."""
    shape: list[int] = []
    while text.startswith("[", at):
        literal, at = read_literal(text, at)
        numbers = literal.integers(text)
        if len(numbers) != 1:
            raise unreadable(text, literal.at + 1, phrase("paste.size"))
        shape.append(numbers[0])
        at = skip_blanks(text, at)
    return tuple(shape), at


_READERS: Final[tuple[Callable[[str], Iterable[Item]], ...]] = (
    *(find_programs, find_links, find_problems, find_traces, _of_interface, _of_flags, _of_memref),
    *(_of_annotation, find_prints, _of_session, _of_xla, _of_declaration, _of_profile),
    *(find_values, find_errors),
)
