"""Reads and writes headers of ``.npy`` files, without evaluating them and without unpickling.

Source: NumPy's numpy/lib/_format_impl.py, versions 1.0, 2.0 and 3.0 of the format.
"""

import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

from ..engine.model.dtypes import ELEMENT_TYPES, ElementType
from ..engine.model.errors import Described, LayoutError, one_of, refusal
from ..engine.model.layout import check_shape
from .stored import Stored

Order = Literal["<", ">"]

MAGIC: Final = b"\x93NUMPY"
PREFIX_BYTES: Final = 12  # enough for the length of a header of any version
MAX_HEADER_BYTES: Final = 1 << 16
_LENGTH_BYTES = {b"\x01\x00": 2, b"\x02\x00": 4, b"\x03\x00": 4}

# Python's white space, because the header is a Python literal. \s has more, and int() fails on it.
_BLANKS = r"[ \t\n\r\f]*"
_KEY = re.compile(rf"{_BLANKS}(['\"])(descr|fortran_order|shape)\1{_BLANKS}:{_BLANKS}")
_SIZE = rf"(?:0|[1-9][0-9]{{0,18}}){_BLANKS}"
_VALUES = {
    "descr": re.compile(r"(['\"])([^'\"\\\n]{1,48})\1"),
    "fortran_order": re.compile(r"(True|False)(?![A-Za-z0-9_])"),
    "shape": re.compile(rf"\({_BLANKS}((?:{_SIZE},{_BLANKS})*(?:{_SIZE})?)\)"),
}
_BETWEEN = re.compile(rf"{_BLANKS}(,?){_BLANKS}")

_REFUSED = {
    "O": "pickled objects",
    "M": "datetimes",
    "m": "time differences",
    "U": "text",
    "S": "byte strings",
    "a": "byte strings",
    "V": "bytes without a type",
}
# ml_dtypes' types have no name in the format: NumPy writes them as bytes without a type.
TYPES: Final = {t.name: t for t in ELEMENT_TYPES.values() if not t.extended}
# What descr may say, with the type and the byte order; one byte has none, so it may say any.
_DESCRS: Final[Mapping[str, tuple[ElementType, Order]]] = {
    f"{sign}{t.numpy().str[1:]}": (t, ">" if sign == ">" and t.itemsize != 1 else "<")
    for t in TYPES.values()
    for sign in (("<", ">", "|", "=", "") if t.itemsize == 1 else ("<", ">"))
}


def header_size(prefix: bytes) -> int:
    """Return the size of the header in bytes, magic string included.

    ``prefix``: the file's first PREFIX_BYTES bytes. Errors: LayoutError naming ``header`` if it is
    not .npy, has an unknown version or has a header over 64 KiB.
    """
    start = len(MAGIC) + 2
    width = _LENGTH_BYTES.get(prefix[len(MAGIC) : start])
    if not prefix.startswith(MAGIC) or width is None:
        raise refusal("header", "other first bytes", "magic")
    if len(prefix) < start + width:
        raise refusal("header", f"{len(prefix)} bytes", "header.whole")
    size = start + width + int.from_bytes(prefix[start : start + width], "little")
    if size > MAX_HEADER_BYTES:
        raise refusal("header", f"a header of {size} bytes", "most", most=MAX_HEADER_BYTES)
    return size


def parse_header(header: bytes) -> Stored:
    """Parse a whole header; the data begins where it ends.

    Errors: LayoutError naming header, header.descr, header.fortran_order or header.shape.
    """
    if len(header) != header_size(header[:PREFIX_BYTES]):
        raise refusal("header", f"{len(header)} bytes", "header")
    version = header[len(MAGIC) : len(MAGIC) + 2]
    start = len(MAGIC) + len(version) + _LENGTH_BYTES[version]
    try:
        text = header[start:].decode("ascii")
    except UnicodeDecodeError as error:
        wrong = refusal("header", "bytes that are not ASCII", "npy.ascii")
        raise wrong.shifted(error.start) from None
    values = _dict_entries(text.rstrip(" \n"))
    descr, fortran_order = values["descr"][2], values["fortran_order"][1] == "True"
    if descr not in _DESCRS:
        kind = _REFUSED.get(descr.lstrip("<>|=")[:1])
        raise _unnamed("header.descr", kind or "another type, or one without a byte order")
    dtype, byte_order = _DESCRS[descr]
    shape = _shape(values["shape"][1])
    size_bytes = dtype.size_bytes(math.prod(shape))
    return Stored(None, dtype, shape, len(header), size_bytes, fortran_order, byte_order)


def header(dtype: ElementType, shape: Sequence[int], *, byte_order: Order = "<") -> bytes:
    """Return a header as NumPy writes it: version 1.0, padded to a multiple of 64 bytes.

    ``shape``: the extents of memory, outermost first. Errors: LayoutError naming ``dtype`` for a
    type that NumPy cannot name.
    """
    if dtype.name not in TYPES:
        raise _unnamed("dtype", f"{dtype.name}, which the format does not name")
    descr = dtype.numpy().newbyteorder(byte_order).str
    said = {"descr": descr, "fortran_order": False, "shape": tuple(shape)}
    written = io.BytesIO()
    np.lib.format.write_array_header_1_0(written, said)
    return written.getvalue()


def _dict_entries(text: str) -> dict[str, re.Match[str]]:
    """Return the three entries. Nothing is evaluated; nesting is an error."""
    if not text.startswith("{") or not text.endswith("}"):
        raise refusal("header", "another text", "dict")
    found: dict[str, re.Match[str]] = {}
    at, end = 1, len(text) - 1
    while at < end:
        key = _KEY.match(text, at, end)
        if key is None or key[2] in found:
            raise refusal("header", "an unknown or repeated entry", "npy.entries_once").shifted(at)
        value = _VALUES[key[2]].match(text, key.end(), end)
        if value is None:
            raise _unread(key[2], text[key.end() : key.end() + 1])
        found[key[2]] = value
        comma = _BETWEEN.match(text, value.end(), end)
        assert comma is not None  # the pattern also matches an empty text
        at = comma.end()
        if at < end and not comma[1]:
            raise refusal("header", "something after a value", "npy.comma").shifted(at)
    if len(found) < 3:
        raise refusal("header", f"{len(found)} entries", "npy.entries")
    return found


def _unread(key: str, first: str) -> LayoutError:
    if key == "descr":
        structured = first in {"[", "("}
        return _unnamed("header.descr", "a structured type" if structured else "another value")
    code = "sizes.tuple" if key == "shape" else "boolean.python"
    return refusal(f"header.{key}", "another value", code)


def _shape(text: str) -> tuple[int, ...]:
    # (3) is a number in Python; a tuple of one number needs a comma.
    if text and "," not in text:
        raise refusal("header.shape", "another value", "sizes.tuple")
    shape = tuple(int(size) for size in text.split(",") if size.strip())
    try:
        check_shape(shape)
    except LayoutError as error:
        raise error.within("header") from None
    return shape


def _unnamed(field: str, got: str) -> LayoutError:
    return LayoutError(field, Described(got), one_of(TYPES))
