"""One execution in a line of oneDNN's verbose mode: primitive, operands, attributes.

    line       = columns with "," between them, as the log's template names them; no column of an
                 execution contains a comma
    descriptor = role (":" | "_") type ":" props ":" kind ":" tag [":" strides] ":" flags [extra]

Source: oneDNN src/common/verbose.cpp, md2fmt_str and md2fmt_strides_str. Before 3.2 there is no
field of strides: gaps between rows are then not in the log. Nor is there one in lines of
``gemm_api``, which say ``lda`` and ``ldb`` where the rows of source and weights do not follow each
other densely, and nothing of the result's (src/common/gemm.cpp, MAYBE_VERBOSE).
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ..model.dtypes import ElementType, by_name_in
from ..model.errors import LayoutError
from ..model.layout import INT64_MAX, Digit, Layout
from ..notation.dialect import CannotSayError
from ..notation.dialects import cute, onednn
from ..notation.paste.onednn import DESCRIPTOR
from ..notation.paste.onednn_problem import LoggedOperand, LoggedProblem, read_problem
from .events import Execution, Operand, shown

COLUMNS: Final = (
    *("operation", "engine", "primitive", "implementation", "prop_kind", "memory_descriptors"),
    *("attributes", "auxiliary", "problem_desc", "exec_time"),
)
_WITHOUT_ATTRIBUTES: Final = tuple(c for c in COLUMNS if c != "attributes")
_ENGINE = re.compile(r"[cg]pu(?::[0-9]+)?(?:2[cg]pu(?::[0-9]+)?)?")
_TAG = re.compile(r"([a-zA-Z]{1,12})((?:[0-9]{1,6}[a-l])*)")
_BLOCK = re.compile(r"([0-9]+)([a-l])")
_WORD = re.compile(r"[a-z0-9_]{1,40}")
_LEADING = {"src": "lda", "wei": "ldb"}  # of a BLAS call, by operand
_SIZE = re.compile(r"[0-9]{1,18}")
_STRIDES = re.compile(r"-?[0-9]{1,18}(?:x-?[0-9]{1,18})*")
_TYPES = by_name_in("onednn")


def columns_of(word: str) -> tuple[str, ...]:
    """The columns of a log without a template, by its marker: version 1.0 has no attributes."""
    return _WITHOUT_ATTRIBUTES if word == "mkldnn" else COLUMNS


def unreadable_because(columns: Sequence[str], fields: Sequence[str]) -> str | None:
    """Why the fields of an execution, without its time, are no such line; None if they are."""
    engine = fields[1] if len(fields) > 1 else ""
    if engine == "zero_pad":
        return "zero padding inside a primitive, for which oneDNN prints no columns"
    if not _ENGINE.fullmatch(engine):
        if len(fields) > 4 and "in:" in ",".join(fields[3:6]):
            return "a version before 1.0, whose lines describe no memory"
        return "no engine after the operation"
    if len(fields) + 1 != len(columns):
        return f"{len(fields) + 1} fields where {len(columns)} were expected"
    return None


def read_execution(columns: Sequence[str], fields: Sequence[str]) -> Execution:
    """The execution of a line that ``unreadable_because`` lets through."""
    said = defaultdict(str, zip(columns, fields, strict=False))
    primitive, attributes = said["primitive"], said["attributes"]
    auxiliary, text = said["auxiliary"], said["problem_desc"]
    problem = read_problem(primitive or None, (attributes, auxiliary, text))
    settings = _settings(attributes)
    leading = {}
    if primitive == "gemm_api":
        leading = {role: settings.get(name, "") for role, name in _LEADING.items()}
    operands = tuple(_operands(said["memory_descriptors"], problem, attributes, leading))
    ran = shown(primitive), shown(said["implementation"]), said["engine"], shown(said["prop_kind"])
    words = shown(auxiliary), shown(text)
    return Execution(*ran, operands, settings, *words, is_reorder=primitive == "reorder")


def _settings(attributes: str) -> dict[str, str]:
    """``attr-scratchpad:user attr-post-ops:sum+eltwise_relu`` as names and values."""
    pairs = (word.partition(":") for word in attributes.split())
    return {shown(name.removeprefix("attr-")): shown(value) for name, _, value in pairs}


def _operands(
    text: str, problem: LoggedProblem, attributes: str, leading: Mapping[str, str]
) -> list[Operand]:
    # A depthwise convolution behind this one has other sizes, and the line gives only the first's.
    fused = "attr-post-ops:" in attributes and re.search(r"[:+]dw:", attributes) is not None
    found = []
    seen: Counter[str] = Counter()
    for token in text.split():
        descriptor = DESCRIPTOR.match(token)
        name = descriptor["name"] if descriptor else None
        if descriptor is None or name is None:
            role = re.split(r"[:,]", token, maxsplit=1)[0][:40]
            if "undef" not in token:
                found.append(Operand(role if _WORD.fullmatch(role) else "?"))
            continue
        place, seen[name] = seen[name], seen[name] + 1
        if descriptor["kind"] != "undef":
            hidden = fused and name == "dst"
            stride = leading.get(name)
            found.append(_operand(token, descriptor, None if hidden else problem, place, stride))
    return found


def _operand(
    token: str,
    descriptor: re.Match[str],
    problem: LoggedProblem | None,
    place: int,
    leading: str | None,
) -> Operand:
    """``leading``: of a matrix of a BLAS call the stride between its rows, or columns if its tag is
    ba; empty where they are dense, None where it is not told."""
    name, tag = descriptor["name"], descriptor["tag"]
    rest = token[descriptor.end("tag") :].split(":")[1:]  # strides, flags, what the flags stand for
    slot = None if not rest or rest[0].startswith("f") else rest.pop(0)
    flags = rest.pop(0) if rest else ""
    if leading is not None and tag in {"ab", "ba"} and (not leading or _SIZE.fullmatch(leading)):
        slot = (f"{leading}x1" if tag == "ab" else f"1x{leading}") if leading else ""
    mask = int(descriptor["mask"]) if descriptor["mask"] else None
    rank = len(tag) if tag.isalpha() else len(re.split("[^a-zA-Z]", tag, maxsplit=1)[0])
    shape = problem.shape_of(LoggedOperand(name, place, rank, mask)) if problem else None
    element = _TYPES.get(descriptor["dtype"])
    dtype = element.name if element else descriptor["dtype"]  # oneDNN's word for a type of its own
    seen = Operand(name, shape, dtype, chosen="a" in descriptor["flags"])
    if descriptor["kind"] != "blocked" or (slot and not _STRIDES.fullmatch(slot)):
        return seen  # of sizes that are known only at run time a line has * for the stride
    starts_elsewhere = bool(set(descriptor["flags"]) & {"0", "o"})
    hidden = slot is None or flags.partition("_")[0] != "f0" or starts_elsewhere
    layout, size = _placed(shape, tag, slot or "", element)
    # Where the memory begins elsewhere, the line says so but not where.
    told = None if starts_elsewhere else layout
    return replace(seen, layout=told, bytes=size, at_least=hidden and size is not None)


@lru_cache(maxsize=1 << 12)
def _placed(
    shape: tuple[int, ...] | None, tag: str, strides: str, element: ElementType | None
) -> tuple[str | None, int | None]:
    """The text of the layout and the bytes of its buffer; None for what does not follow."""
    blocks = _blocks(tag)
    if blocks is None:
        return None, None
    if shape is None:
        return (None if strides else f"onednn:{tag}"), None
    if strides:
        return _strided(shape, tag, strides, element)
    elements = math.prod(-(-n // b) * b for n, b in zip(shape, blocks, strict=True))
    if elements > INT64_MAX:
        return None, None
    return f"onednn:{tag}", element.size_bytes(elements) if element else None


@lru_cache(maxsize=1 << 10)
def _blocks(tag: str) -> tuple[int, ...] | None:
    """By dimension the product of its blocks, None for what is no tag."""
    found = _TAG.fullmatch(tag)
    if found is None or isinstance(onednn.DIALECT.attempt(tag), LayoutError):
        return None
    blocks = [1] * len(found[1])
    for size, letter in _BLOCK.findall(found[2]):
        blocks["abcdefghijkl".index(letter)] *= int(size)
    return tuple(blocks)


def _strided(
    shape: tuple[int, ...], tag: str, strides: str, element: ElementType | None
) -> tuple[str | None, int | None]:
    """A tag whose outermost digits have other strides than dense memory would give them."""
    outer = [int(word) for word in strides.split("x")]
    try:
        dense = Layout.packed(shape, "abcdefghijkl"[: len(shape)], onednn.read(tag).order)
        digits = tuple(
            (Digit(own[0].extent, stride), *own[1:])
            for own, stride in zip(dense.digits, outer, strict=True)
        )
        layout = replace(dense, digits=digits)
    except ValueError:  # of another rank, or no layout
        return None, None
    return _written(layout), element.size_bytes(layout.buffer_elements) if element else None


def _written(layout: Layout) -> str | None:
    """A text that reads back: strides, or CuTe's nests; None for padded blocks with gaps."""
    if layout.strides is not None and layout.padded_shape == layout.shape:
        return "(" + ", ".join(map(str, layout.strides)) + ("," if layout.rank == 1 else "") + ")"
    try:
        return "cute:" + cute.write(layout, _TYPES["f32"], None)
    except CannotSayError:
        return None
