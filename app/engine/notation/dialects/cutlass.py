"""CUTLASS: the layout classes of a whole tensor, packed, with or without their namespace.

Grammar:

    text    = [scope] (plain | blocked "<" integer ">")
    scope   = ["cutlass::"] "layout::"
    plain   = "RowMajor" | "ColumnMajor" | "PackedVectorLayout" | "TensorNWC" | "TensorNCHW"
            | "TensorNHWC" | "TensorNDHWC"
    blocked = "RowMajorInterleaved" | "ColumnMajorInterleaved" | "TensorNCxHWx" | "TensorCxRSKx"

    RowMajorInterleaved<x>      [⌈H/x⌉][W][x]     rows H, columns W; x rows interleaved
    ColumnMajorInterleaved<x>   [⌈W/x⌉][H][x]     x columns interleaved
    TensorNCxHWx<x>             [N][C/x][H][W][x]
    TensorCxRSKx<x>             [I/x][H][W][O][x]   filters: K is O, C is I, R is H, S is W

Example: cutlass::layout::TensorNCxHWx<32> with shape (2, 64, 3, 3) has two blocks of channels in
each image, 288 elements apart.

Trap: a text is a type and says what its packed() makes; leading dimensions and strides, which the
constructors take, are written as strides. Coordinates are n, h, w, c in every class, the logical
order here is N, C, H, W. Filters use the same classes with K for N: TensorNHWC of O, I, H, W is K,
R, S, C in memory. Interleaved matrices are padded to whole blocks. TensorNCxHWx and TensorCxRSKx
are not: with a remainder of C packed() makes images that overlap, or a buffer that is too short, so
it is refused; so are sizes whose strides leave int32. Left out: AffineRankN, ContiguousMatrix and
GeneralMatrix, whose order is an argument; the BlockLinear matrices, whose packed() leaves gaps and
which no kernel uses; the tags TensorKCSR, TensorCSRK and their like of CUTLASS 3, whose letters are
modes of a matrix while the memory is that of TensorNHWC.

Source: CUTLASS, include/cutlass/layout/matrix.h, tensor.h and vector.h (packed, operator()); for
TensorNWC, a tag of CUTLASS 3, tools/util/include/cutlass/util/packed_stride.hpp.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import Phrase, one_of, phrase, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, match_end, refusal
from ..grammar.cursor import Cursor
from ..grammar.dense import NamedSpecs, departure, obstacle
from ..orders import DigitOrder, Order, order_is_layout, order_of_tag
from ..specs import OrderSpec, Request, match_rank, names_for

# Per class: its logical dimensions, and its memory with {0} for the interleave.
_PLAIN: Final = {
    "RowMajor": ("HW", "HW"),
    "ColumnMajor": ("HW", "WH"),
    "PackedVectorLayout": ("W", "W"),
    "TensorNWC": ("NCW", "NWC"),
    "TensorNCHW": ("NCHW", "NCHW"),
    "TensorNHWC": ("NCHW", "NHWC"),
    "TensorNDHWC": ("NCDHW", "NDHWC"),
}
_BLOCKED: Final = {
    "RowMajorInterleaved": ("HW", "HW{0}h"),
    "ColumnMajorInterleaved": ("HW", "WH{0}w"),
    "TensorNCxHWx": ("NCHW", "NCHW{0}c"),
    "TensorCxRSKx": ("OIHW", "IHWO{0}i"),
}
_CLASSES: Final = _PLAIN | _BLOCKED
_TWIN: Final = str.maketrans("NCOI", "OINC")  # one class for activations and for filters
_INT_MAX: Final = 2**31 - 1
_FORM = re.compile(r"cutlass::|layout::|(?:Row|Column)Major|PackedVectorLayout|Tensor[NCK][A-Zx]")
_SCOPE = re.compile(r"(?:(?:cutlass::)?layout::)?")
_NAME = re.compile(r"[A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class _Class(OrderSpec):
    """A layout class, packed. A matrix has rows and columns of any names, and 64-bit strides."""

    @property
    def letters(self) -> str:
        return " or ".join(", ".join(n) for n in (self.names, self.names.translate(_TWIN)))

    def order_for(self, dims: str) -> Order | None:
        own = OrderSpec.order_for(self, dims)
        return OrderSpec.order_for(self, dims.translate(_TWIN)) if own is None else own

    def dims_for(self, request: Request) -> str:
        match_rank(request, self.names)
        return OrderSpec.dims_for(self, replace(request, dims=names_for(request, self.names)))

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        is_matrix, order = self.any_names, self.order_for(dims) or ()
        innermost, block = order[-1]
        if block and not is_matrix and shape[innermost] % block:
            return phrase("cutlass.size", name=self.names[1], block=block)
        greatest, stride = max(shape), 1
        for d, x in reversed(order):
            extent = x or -(-shape[d] // ((block or 1) if d == innermost else 1))
            greatest = max(greatest, stride * (1 if is_matrix else max(extent - 1, 1)))
            stride *= max(extent, 1)
        return None if greatest <= _INT_MAX else phrase("cutlass.strides")


def read(text: str) -> _Class:
    start = match_end(_SCOPE, text)
    name = text[start : match_end(_NAME, text, start)]
    if name not in _CLASSES:
        names = (*_CLASSES, *(() if start else ("cutlass::layout::", "layout::")))
        at = start + departure(text[start:], names)
        raise unreadable(text, at, one_of(names))
    cursor = Cursor(text)
    cursor.at = start + len(name)
    interleave = _interleave(cursor, name) if name in _BLOCKED else 1
    cursor.end(phrase("cutlass.end"))
    return _class(text, name, interleave)


def _interleave(cursor: Cursor, name: str) -> int:
    cursor.need("<", phrase("cutlass.interleave", name=name))
    cursor.rest()
    first = cursor.at
    value = cursor.integer(phrase("cutlass.number"), least=1, most=_INT_MAX)
    if cursor.text.startswith("0", first):
        octal = "a number that C++ reads as octal"
        raise refusal(octal, phrase("cutlass.octal"), first)
    cursor.need(">", phrase("closing"))
    return value


@lru_cache(maxsize=1024)
def _class(text: str, name: str, interleave: int = 1) -> _Class:
    names, tag = _CLASSES[name]
    order = order_of_tag(tag.format(interleave), names)
    return _Class(text, names, order, any_names=len(names) <= 2)


_NAMED: Final = NamedSpecs({name: _class(name, name) for name in _PLAIN})
_RANKS: Final = {len(names) for names, _ in _CLASSES.values()}


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    """The first class that is this memory, packed, without its namespace."""
    if layout.rank not in _RANKS:
        raise CannotSayError("cutlass.rank")
    text = None
    # Any class that is this memory has its strides, and counts them in 32 bits.
    strides = (g.stride for mine in layout.reached for g in mine)
    if max(strides, default=0) <= _INT_MAX:
        text = _NAMED.first_fit(layout, dtype) or _blocked(layout, dtype)
    if text is None:
        raise CannotSayError(obstacle(layout) or "cutlass.class")
    return text


def _blocked(layout: Layout, dtype: ElementType) -> str | None:
    """The first class with an interleave that is this memory."""
    for name, (names, _) in _BLOCKED.items():
        order = _class(name, name).order_for(layout.dims) if len(names) == layout.rank else None
        if order is None:
            continue
        *outer, (d, _) = order
        for x in _interleaves(layout):
            # First what needs no class to compare with.
            if 0 in layout.shape or order_is_layout((*outer, (d, x)), layout):
                text = f"{name}<{x}>"
                if _class(text, name, x).is_layout(layout, dtype):
                    return text
    return None


def _interleaves(layout: Layout) -> tuple[int, ...]:
    """What may be interleaved: the innermost extents, with and without padding, and 1."""
    found = {1}
    for d, name in enumerate(layout.dims):
        if layout.rank == 2 or name in "CI":
            digits = (*layout.digits[d], *layout.reachable_digits(d))
            found |= {layout.padded_shape[d], *(g.extent for g in digits if g.stride == 1)}
    return tuple(sorted(x for x in found if 1 <= x <= _INT_MAX))


DIALECT = Dialect("cutlass", "CUTLASS", "Formats", _FORM.match, read, write, words=tuple(_PLAIN))
