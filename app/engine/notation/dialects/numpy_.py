"""NumPy: strides in bytes, the orders C and F, flags, and the array interface.

A tuple without a prefix means elements; ``numpy:`` makes it bytes. The pointer in ``data`` is
ignored: the offset is the distance from the start of the buffer to the first element.

Grammar:
    text      = order | strides [ "+" offset ] | interface | flags
    order     = "C" | "F" | "row-major" | "column-major"
    strides   = "(" { integer "," } ")"                      in bytes
    interface = "{" "'shape'" ":" strides "," "'strides'" ":" ( strides | "None" ) ","
                "'typestr'" ":" "'<f8'" … "}"                in any order
    flags     = "C_CONTIGUOUS :" bool "F_CONTIGUOUS :" bool …

Example: (2304, 36, 12, 4) with shape (2, 64, 3, 3): NCHW of float32.

Trap: strides are in bytes, so they change with the element type; PyTorch, oneDNN and DirectML
count elements. If ``strides`` is None, the array is in C order.

Source: numpy.ndarray.strides, numpy.ndarray.flags, and the array interface protocol, version 3.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model.dtypes import ELEMENT_TYPES, ElementType, find_dtype
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import Layout, packed_strides
from ..dialect import TEXT_END, CannotSayError, Dialect, per_size, skip_blanks
from ..grammar.cursor import Literal, read_literal
from ..orders import DigitOrder, Order
from ..specs import RankSpec, Request, Spec, Written, match_shape, strided
from .strides import parse_numbers, plain_strides, write_numbers

_INTERFACE = re.compile(r"\{\s*['\"]")
_FORM = re.compile(r"\{\s*['\"]|[CF]_CONTIGUOUS|(row|column)-major$")  # strides need the prefix
_ORDERS = {"C": "C", "F": "F", "row-major": "C", "column-major": "F"}
_FLAG = re.compile(r"\s*([A-Z_]+)\s*:\s*(True|False)\b(?:\s*\([^()\n]*\))?", re.ASCII)
_TYPESTR = re.compile(r"[<>|=]?([a-zA-Z])([0-9]{1,3})", re.ASCII)


def read(text: str) -> Spec:
    stripped = text.strip()
    if _INTERFACE.match(stripped):
        return _interface(stripped)
    if "_CONTIGUOUS" in stripped:
        return _ArrayOrder(f"numpy:{_order_of_flags(stripped)}")
    if stripped in _ORDERS:
        return _ArrayOrder(f"numpy:{_ORDERS[stripped]}")
    strides, offset = parse_numbers(text)
    return BytesSpec(tuple(strides), offset)


@dataclass(frozen=True, slots=True)
class _ArrayOrder(RankSpec):
    """C or F: the last or the first dimension is innermost, for any rank."""

    text: str

    def order_for(self, dims: str) -> Order:
        axes = range(len(dims))
        return tuple((d, None) for d in (reversed(axes) if self.text[-1] == "F" else axes))

    def apply(self, request: Request) -> Written:
        if 0 in request.shape:
            # A fresh array without elements has all strides 0 since NumPy 2.4.
            return strided(request, [0] * len(request.shape), 0, self.text)
        return RankSpec.apply(self, request)


@dataclass(frozen=True, slots=True)
class BytesSpec(Spec):
    """Strides and an offset in bytes, which must be multiples of the item size. ``field``: the
    field that an error names."""

    strides: tuple[int, ...]
    offset: int = 0
    field: str = "layout"

    def apply(self, request: Request) -> Written:
        name, itemsize = request.dtype.name, request.dtype.itemsize
        if itemsize is None:
            raise LayoutError(self.field, self.strides, phrase("numpy.whole", name=name))
        for value in (*self.strides, self.offset):
            if value % itemsize:
                expected = phrase("strides.multiples_of", bytes=itemsize, name=name)
                raise LayoutError(self.field, value, expected)
        strides, offset = [s // itemsize for s in self.strides], self.offset // itemsize
        return strided(request, strides, offset, write_numbers(strides, offset))


@dataclass(frozen=True, slots=True)
class InterfaceSpec(Spec):
    """An array interface: sizes, strides in bytes (None: C order), an offset, perhaps a type.

    ``typestr``: the type as written in the text. An unknown type, such as a date, is an error only
    in ``apply``, so that sizes and strides of a pasted text can still be read.
    """

    text: str
    shape: tuple[int, ...] = field()
    strides: tuple[int, ...] | None
    offset: int
    typestr: Literal | None

    @property
    def dtype(self) -> str | None:
        typestr = self.typestr and self.typestr.value
        if not isinstance(typestr, str):
            return None
        # The types of ml_dtypes are <V2 and |V1 there, which do not identify them.
        known = find_dtype("<" + typestr.lstrip("<>|=")) or ELEMENT_TYPES.get(typestr)
        return None if known is None else known.name

    @property
    def short_form(self) -> str:
        """The strides and offset as ``numpy:`` text, without pointer and type."""
        if self.strides is not None:
            return "numpy:" + write_numbers(self.strides, self.offset)
        return f"numpy:{self.text}" if self.offset else "numpy:C"

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        itemsize = request.dtype.itemsize
        if self.typestr is not None:
            kind = _TYPESTR.fullmatch(str(self.typestr.value))
            if kind is None or not isinstance(self.typestr.value, str):
                raise unreadable(self.text, self.typestr.at, phrase("numpy.typestr"))
            if int(kind[2]) != itemsize:
                expected = phrase("dtype.bytes", bytes=int(kind[2]))
                raise LayoutError("dtype", request.dtype.name, expected)
        strides = self.strides
        if strides is None:
            strides = tuple(s * (itemsize or 0) for s in packed_strides(self.shape))
        return BytesSpec(strides, self.offset).apply(request)


def _order_of_flags(text: str) -> str:
    """``C`` or ``F``. If both flags are true, both orders are the same memory."""
    flags: dict[str, bool] = {}
    at = 0
    while text[at:].strip():
        found = _FLAG.match(text, at)
        if found is None:
            raise unreadable(text, skip_blanks(text, at), phrase("numpy.flag"))
        flags[found[1]] = found[2] == "True"
        at = found.end()
    for order in "CF":
        if flags.get(f"{order}_CONTIGUOUS"):
            return order
    raise unreadable(text, len(text), phrase("numpy.flags"))


def _interface(text: str) -> InterfaceSpec:
    literal, end = read_literal(text)
    found = literal.value
    if not isinstance(found, Mapping):
        raise unreadable(text, literal.at, phrase("key.value"))
    if (end := skip_blanks(text, end)) < len(text):
        raise unreadable(text, end, TEXT_END)
    if "shape" not in found:
        raise unreadable(text, 0, phrase("numpy.shape"))
    for other in ("stride", "layout"):  # a dictionary of one's own, with PyTorch's word; a request
        if other in found:
            raise unreadable(text, found[other].at, phrase("numpy.strides"))
    sizes = found["shape"].integers(text)
    offset = found["offset"].integer(text) if "offset" in found else 0
    given = found.get("strides")
    strides = None
    if given is not None and given.value is not None:
        strides = given.integers(text)
        if len(strides) != len(sizes):
            raise unreadable(text, given.at, per_size(sizes))
    return InterfaceSpec(text, sizes, strides, offset, found.get("typestr"))


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    strides = plain_strides(layout)
    if dtype.itemsize is None:
        raise CannotSayError("numpy.half_byte", type=dtype.name)
    n = dtype.itemsize
    return write_numbers([s * n for s in strides], layout.offset * n)


DIALECT = Dialect("numpy", "NumPy", "Strides", _FORM.match, read, write)
