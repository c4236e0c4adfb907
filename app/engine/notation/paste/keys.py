"""Names and values in pasted text, as sessions, debuggers, cuDNN and DirectML print them.

pair  = name ["()"] between value
name  = "shape" | "size" | "sizes" | "dims" | "stride" | "strides" | "storage_offset" | …
value = "torch.Size([…])" | list of integers | integer (offsets) | null (strides)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...dtypes import find_dtype
from ...layout import packed_strides
from ..dialect import skip_comma, unreadable
from ..dialects import numpy_, pytorch
from ..dialects.strides import write_numbers
from ..grammar.literals import read_literal

_KEY = re.compile(
    r"(?<!\w)(?P<size>torch\.Size\(|Size(?=\(\[))|(?P<dot>\.)?(?<!\w)(?P<word>"
    r"shape|sizes?|dims|dimA|Sizes|strides?|strideA|Strides|storage_offset|offset)\b"
    r"(?:\(\)|\[[0-9]*\](?=\s*=))?"
)
# Text that may be between a name and its value: prompts, arrows, a debugger's history.
_BETWEEN = re.compile(
    r"(?:\s|->|=>|=|:|['\"]|>>>|\$[0-9]+|\(gdb\)|\(lldb\)|In \[[0-9]+\]|Out\[[0-9]+\]"
    r"|type=int;|val=|;|std::vector of length [0-9]+, capacity [0-9]+)*"
)
_OPENING = re.compile(r"[(\[{](?!\s*(?:torch\.)?Size)")
_NULL = re.compile(r"nullptr|NULL|null|None")
_FIELDS = {
    **dict.fromkeys(("shape", "size", "sizes", "dims", "dimA", "Sizes"), "shape"),
    **dict.fromkeys(("stride", "strides", "strideA", "Strides"), "strides"),
    **dict.fromkeys(("storage_offset", "offset"), "offset"),
}
_VECTORS = re.compile(r"CUDNN_DATA_U?INT8x[0-9]+|NCHW_VECT_C")
_MEMORY_FORMAT = re.compile(r"\btorch\.(channels_last_3d|channels_last|contiguous_format)\b")


@dataclass(slots=True)
class _Found:
    """The first value of each kind, and the position of the strides."""

    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    strides_at: int = 0
    null_strides: bool = False
    in_bytes: bool = False
    offset: int = 0


def read_keys(text: str) -> Pasted | None:
    """The first shape, strides, offset and type that ``text`` names.

    Returns None if it names neither a shape nor strides. Errors: LayoutError with the position of
    a wrong value.
    """
    found = _Found()
    at = 0
    while (key := _KEY.search(text, at)) is not None:
        at = _take_size(text, key, found) if key["size"] else _take_value(text, key, found)
    if found.shape is None and found.strides is None:
        return None
    vectors = _VECTORS.search(text)
    if vectors:
        raise unreadable(
            text, vectors.start(), "no NCHW_VECT_C: its strides count vectors, not elements"
        )
    rank = None if found.shape is None else len(found.shape)
    if rank is not None and found.strides is not None and len(found.strides) != rank:
        raise unreadable(text, found.strides_at, f"{rank} strides, one per size")
    return Pasted(found.shape, dtype_in(text), _layout_of(found, text))


def _layout_of(found: _Found, text: str) -> str | None:
    if found.strides is not None:
        prefix = "numpy:" if found.in_bytes else ""
        return prefix + write_numbers(found.strides, found.offset)
    if found.null_strides and found.shape is not None:
        return write_numbers(packed_strides(found.shape), 0)
    named = _MEMORY_FORMAT.search(text)
    return named[1] if named else None


def _take_size(text: str, key: re.Match[str], found: _Found) -> int:
    """Read ``torch.Size([…])``, and strides that follow directly; return the end position."""
    shape, end = pytorch.read_size(text, key.start())
    if found.shape is not None:
        return end
    found.shape = shape
    after = skip_comma(text, end)
    if text.startswith("(", after) and _OPENING.match(text, after) and found.strides is None:
        literal, end = read_literal(text, after)
        found.strides, found.strides_at = literal.integers(text), after
    return end


def _take_value(text: str, key: re.Match[str], found: _Found) -> int:
    """Read the value after a name, if there is one; return the position to go on from."""
    field = _FIELDS[key["word"]]
    between = _BETWEEN.match(text, key.end())
    at = between.end() if between else key.end()
    if text.startswith("(", key.end()):  # a call with arguments, as in size(0)
        return key.end()
    if field == "offset":
        if re.match(r"-?[0-9]", text[at : at + 2]):
            literal, at = read_literal(text, at)
            found.offset = found.offset or literal.integer(text)
        return max(at, key.end())
    if field == "strides" and _NULL.match(text, at):
        found.null_strides = True
        return at
    if not _OPENING.match(text, at):
        return key.end()
    literal, end = read_literal(text, at)
    # NumPy's attribute counts bytes; PyTorch's method is called stride().
    in_bytes = key["word"] == "strides" and key["dot"] is not None
    if field == "strides" and isinstance(literal.value, tuple) and len(literal.value) == 2:
        first, second = literal.value
        if isinstance(first.value, tuple) and isinstance(second.value, tuple):
            # x.shape, x.strides typed on one line
            found.shape, found.strides = first.integers(text), second.integers(text)
            found.strides_at, found.in_bytes = second.at, in_bytes
            return end
    numbers = literal.integers(text)
    if field == "shape":
        found.shape = numbers if found.shape is None else found.shape
    elif found.strides is None:
        found.strides, found.strides_at = numbers, at
        found.in_bytes = in_bytes
    return end


@dataclass(frozen=True, slots=True)
class Pasted:
    """The parts of a tensor that a text names, None for those it does not name.

    ``layout``: text for parse_layout with this shape and dtype.
    """

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None


_DTYPE = re.compile(
    r"\btorch\.(?P<torch>[a-z][a-z0-9_]*)|\bdtype\s*[=:(]\s*['\"]?(?:(?:np|numpy|torch)\.)?"
    r"(?P<numpy>[<>|=]?[a-zA-Z][a-zA-Z0-9_]*)|\bCUDNN_DATA_(?P<cudnn>[A-Z0-9_]+)"
    r"|\bDML_TENSOR_DATA_TYPE_(?P<dml>[A-Z0-9]+)"
)


def dtype_in(text: str) -> str | None:
    """The first known element type that the text names, None if it names none."""
    for found in _DTYPE.finditer(text):
        name = next(group for group in found.groups() if group is not None)
        known = find_dtype(numpy_.dtype_of_typestr(name) or name)
        if known is not None:
            return known.name
    return None
