"""cuDNN: the three tensor formats, or strides as cudnnSetTensorNdDescriptor takes them.

Grammar:

    text    = format | vectors [list] | [list "/"] list
    format  = ["CUDNN_TENSOR_"] ("NCHW" | "NHWC")
    vectors = ["CUDNN_TENSOR_"] "NCHW_VECT_C" (["x"] ("4" | "32") | gap ["CUDNN_DATA_"] type)
    gap     = blanks, commas or plus signs
    type    = "INT8x4" | "UINT8x4" | "INT8x32", also in small letters
    list    = "{" integer {"," integer} "}"

    One list is the strides, two lists are sizes and strides (dimA and strideA), all from 0 to
    2^31-1. After NCHW_VECT_C the list is strides in vectors of 4 or 32 elements.

Example: NCHW_VECT_C4 {72, 9, 3, 1} with shape (2, 32, 3, 3): one step of N is 72 vectors, which
are 288 elements.

Trap: the vector length of NCHW_VECT_C comes from the data type (INT8x4, UINT8x4, INT8x32), so the
name alone does not define a layout. Its strides count vectors; the sizes count elements. cuDNN
does not pad: C must be a multiple of the vector length. A descriptor has 3 to 8 dimensions in the
fixed order N, C, then the spatial dimensions. NHWC changes the strides, not the order of the sizes.

Source: cuDNN's reference of cudnnTensorFormat_t, cudnnSetTensor4dDescriptor and
cudnnSetTensorNdDescriptor.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, skip_blanks
from ..grammar.cursor import Cursor
from ..grammar.dense import NamedSpecs, departure, in_vectors
from ..orders import DigitOrder, Order
from ..specs import RankSpec, Request, Spec, Written, match_shape, match_wanted, strided
from .strides import StridesSpec, braces

_RANKS = range(3, 9)
_INT_MAX = 2**31 - 1
_PREFIX = "CUDNN_TENSOR_"
_FORMATS: Final = ("NCHW", "NHWC")
_NAMES_BY_RANK: Final = {3: "NCW", 4: "NCHW", 5: "NCDHW"}
_TYPES: Final = {"int8x4": 4, "uint8x4": 4, "int8x32": 32}
_VECTORS: Final = {f"{x}{n}": n for n in (4, 32) for x in ("", "x")} | {
    f" {prefix}{name}": v for name, v in _TYPES.items() for prefix in ("", "cudnn_data_")
}
_VECTOR = re.compile(r"NCHW_VECT_C([\s,+]+[A-Za-z0-9_]*|[A-Za-z0-9_]*)")
_FORM = re.compile(r"CUDNN_TENSOR_|NCHW_VECT_C|\{[0-9, ]*\}\s*/\s*\{")  # a name, or two lists


def _wanted(shape: tuple[int, ...]) -> Phrase | None:
    """The sizes that a descriptor needs, None if it takes these."""
    if len(shape) not in _RANKS:
        return phrase("cudnn.rank")
    fits = all(1 <= n <= _INT_MAX for n in shape)
    return None if fits else phrase("cudnn.sizes")


def _have_letters(dims: str) -> bool:
    return len(dims) in _NAMES_BY_RANK and sorted(dims) == sorted(_NAMES_BY_RANK[len(dims)])


@dataclass(frozen=True, slots=True)
class _Named(RankSpec):
    """NCHW, NHWC or NCHW_VECT_C of 3 to 5 dimensions. ``vector``: C is split into vectors of so
    many elements. ``strides``: in vectors, None if it is packed; ``strides_at``: their position in
    the text. ``dtype``: the type that says the length of the vectors."""

    text: str
    channels_last: bool = False
    vector: int = 1
    strides: tuple[int, ...] | None = None
    strides_at: int = 0
    dtype: str | None = None

    def takes(self, dims: str) -> bool:
        return _have_letters(dims)

    def order_for(self, dims: str) -> Order | None:
        if self.strides is not None or not _have_letters(dims):
            return None
        letters = _NAMES_BY_RANK[len(dims)]
        if self.channels_last:
            letters = letters.replace("C", "") + "C"
        outer = tuple((dims.index(c), None) for c in letters)
        return outer if self.vector == 1 else (*outer, (dims.index("C"), self.vector))

    def order_of_rank(self, rank: int, dims: str | None) -> Order | None:
        return self.order_for(_NAMES_BY_RANK.get(rank, "") if dims is None else dims)

    def dims_for(self, request: Request) -> str:
        match_wanted(_wanted(request.shape), request)
        letters = _NAMES_BY_RANK.get(len(request.shape))
        if letters is None:
            raise LayoutError("shape", request.shape, phrase("cudnn.named_rank"))
        if request.dims is not None and not _have_letters(request.dims):
            expected = phrase("dims.letters_of", letters=", ".join(letters))
            raise LayoutError("dims", request.dims, expected)
        return letters if request.dims is None else request.dims

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        if shape[dims.index("C")] % self.vector:
            return phrase("cudnn.channels", vector=self.vector)
        return _wanted(shape)

    def apply(self, request: Request) -> Written:
        if self.strides is None:
            return RankSpec.apply(self, request)
        dims = self.dims_for(request)
        match_wanted(self.wanted(request.shape, dims), request)
        if len(self.strides) != len(dims):
            expected = phrase("strides.per_dimension", n=len(dims))
            raise unreadable(self.text, self.strides_at, expected)
        digits = in_vectors(request.shape, self.strides, dims.index("C"), self.vector)
        return Written(Layout(request.shape, dims, digits), self.text)


@dataclass(frozen=True, slots=True)
class _Strides(StridesSpec):
    """Strides in elements, with or without the sizes before them."""

    def apply(self, request: Request) -> Written:
        match_wanted(_wanted(request.shape), request)
        match_shape(self.shape, request)
        names = _NAMES_BY_RANK.get(len(request.shape))
        return strided(request, self.strides, 0, self.text, names)


_NAMED: Final = NamedSpecs(
    {_PREFIX + name: _Named(_PREFIX + name, name == "NHWC") for name in _FORMATS}
)


def read(text: str) -> Spec:
    if text.startswith("{"):
        cursor = Cursor(text)
        lists = [_integers(cursor)]
        if cursor.rest():
            cursor.need("/", phrase("cudnn.slash"))
            lists.append(_integers(cursor))
            cursor.end()
        *sizes, strides = map(tuple, lists)
        return _Strides(text, strides, shape=sizes[0] if sizes else None)
    start = len(_PREFIX) if text.startswith(_PREFIX) else 0
    name = text[start:]
    if name in _FORMATS:
        return _Named(text, name == "NHWC")
    found = _VECTOR.match(text, start)
    if found is not None:
        return _vectors(text, found)
    names = (*_FORMATS, "NCHW_VECT_C", *(() if start else (_PREFIX,)))
    wanted = phrase("cudnn.format", names=tuple(names))
    raise unreadable(text, start + departure(name, names), wanted)


def _integers(cursor: Cursor) -> list[int]:
    cursor.need("{", phrase("cudnn.list"))
    expected = phrase("cudnn.closing")
    return cursor.listed("}", lambda: cursor.integer(phrase("integer"), most=_INT_MAX), expected)


def _vectors(text: str, found: re.Match[str]) -> Spec:
    suffix = re.sub(r"^[\s,+]+", " ", found[1]).lower()
    names = sorted(_VECTORS, key=len)
    vector = _VECTORS.get(suffix)
    at = skip_blanks(text, found.end())
    if vector is None:
        # A blank between the name and its strides does not begin a type.
        missing = not suffix.strip()
        good = 0 if missing else departure(suffix, names) - len(suffix)
        at = found.start(1) if missing else found.end() + good
        raise unreadable(text, at, phrase("cudnn.vectors"))
    element = None
    if suffix.strip().removeprefix("cudnn_data_") in _TYPES:
        element = "uint8" if "uint8" in suffix else "int8"
    if at == len(text):
        return _Named(text, vector=vector, dtype=element)
    cursor = Cursor(text)
    cursor.at = at
    strides = tuple(_integers(cursor))
    cursor.end()
    return _Named(text, vector=vector, strides=strides, strides_at=at, dtype=element)


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    """A format's name; else sizes and strides; else NCHW_VECT_C with strides in vectors."""
    if layout.rank not in _RANKS:
        raise CannotSayError("cudnn.rank")
    if not all(1 <= n <= _INT_MAX for n in layout.shape):
        raise CannotSayError("cudnn.sizes")
    text = _NAMED.first_fit(layout, dtype)
    if text is not None:
        return text
    for text, spec in _in_numbers(layout):
        if spec.is_layout(layout, dtype):
            return text
    if layout.offset or layout.bounds[0] < layout.offset:
        raise CannotSayError("cudnn.offset")
    if layout.padded_shape != layout.shape:
        raise CannotSayError("cudnn.padding")
    if layout.bounds[1] > _INT_MAX:
        raise CannotSayError("cudnn.strides")
    raise CannotSayError("cudnn.split")


def _in_numbers(layout: Layout) -> Iterator[tuple[str, Spec]]:
    """The texts with numbers that the sizes allow: sizes and strides, then NCHW_VECT_C."""
    strides = layout.strides
    if strides is not None and _are_32_bit(strides):
        text = f"{braces(layout.shape)} / {braces(strides)}"
        yield text, _Strides(text, strides, shape=layout.shape)
    for vector in (4, 32):
        strides = _in_vectors(layout, vector)
        if strides is not None and _are_32_bit(strides):
            text = f"NCHW_VECT_C{vector} {braces(strides)}"
            yield text, _Named(text, vector=vector, strides=strides)


def _are_32_bit(strides: Sequence[int]) -> bool:
    return all(0 <= s <= _INT_MAX for s in strides)


def _in_vectors(layout: Layout, vector: int) -> tuple[int, ...] | None:
    """This layout's strides in vectors of C, None if C cannot be split like this."""
    if "C" not in layout.dims or layout.shape[layout.dims.index("C")] % vector:
        return None
    sizes = [n // vector if c == "C" else n for n, c in zip(layout.shape, layout.dims, strict=True)]
    strides = []
    for d, n in enumerate(sizes):
        step = vector if layout.dims[d] == "C" else 1
        one = int(layout.dim_offsets(d, np.array([step], dtype=np.int64))[0])
        # The stride of a size of 1 has no effect, so the packed stride is written.
        strides.append(one if n > 1 else vector * math.prod(sizes[d + 1 :]))
    if any(s % vector for s in strides):
        return None
    return tuple(s // vector for s in strides)


DIALECT = Dialect("cudnn", "cuDNN", "Formats", _FORM.match, read, write)
