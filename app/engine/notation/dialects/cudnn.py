"""cuDNN: the three tensor formats, or strides as cudnnSetTensorNdDescriptor takes them.

Grammar:

    text    = format | vectors [list] | [list "/"] list
    format  = ["CUDNN_TENSOR_"] ("NCHW" | "NHWC")
    vectors = ["CUDNN_TENSOR_"] "NCHW_VECT_C" (["x"] ("4" | "32") | gap ["CUDNN_DATA_"] type)
    gap     = blanks, commas or plus signs
    type    = "INT8x4" | "UINT8x4" | "INT8x32"
    list    = "{" integer {"," integer} "}"

    A list alone is the strides, two are sizes and strides (dimA and strideA), all from 0 to
    2^31-1. After NCHW_VECT_C the list is strides that count vectors of 4 or 32 elements.

Example: NCHW_VECT_C4 {72, 9, 3, 1} with shape (2, 32, 3, 3) steps 72 vectors, 288 elements, by N.

Trap: NCHW_VECT_C takes the length of its vectors from the data type (INT8x4, UINT8x4, INT8x32),
so that the name alone is no layout; its strides count vectors while the sizes count elements.
cuDNN does not pad: C must be a multiple of the vector. A descriptor has 3 to 8 dimensions in the
fixed order N, C, then the spatial ones; NHWC changes the strides, not the order of the sizes.

Source: cuDNN's reference of cudnnTensorFormat_t, cudnnSetTensor4dDescriptor and
cudnnSetTensorNdDescriptor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from ...dtypes import ElementType
from ...errors import LayoutError
from ...layout import Digit, Layout, default_dims
from ..dialect import (
    CannotSayError,
    Dialect,
    TensorText,
    match_dims,
    match_rank,
    skip_blanks,
    unreadable,
)
from ..grammar.dense import braced_integers, departure, first_fit, ordered

_RANKS = range(3, 9)
_INT_MAX = 2**31 - 1
_PREFIX = "CUDNN_TENSOR_"
_FORMATS: Final = ("NCHW", "NHWC")
_NAMES_BY_RANK: Final = {3: "NCW", 4: "NCHW", 5: "NCDHW"}
_TYPES: Final = {"INT8x4": 4, "UINT8x4": 4, "INT8x32": 32}
_VECTORS: Final = {
    "4": 4,
    "32": 32,
    "x4": 4,
    "x32": 32,
    **{f" {prefix}{name}": v for name, v in _TYPES.items() for prefix in ("", "CUDNN_DATA_")},
}
_VECTOR = re.compile(r"NCHW_VECT_C([\s,+]+[A-Za-z0-9_]*|[A-Za-z0-9_]*)")
_FORM = re.compile(r"(?:CUDNN_TENSOR_|NCHW_VECT_C)[A-Za-z0-9_]*")
_TWO_LISTS = re.compile(r"\{[0-9, ]*\}\s*/\s*\{")


def recognises(text: str) -> bool:
    """Whether ``text`` begins with a cuDNN name, or is sizes and strides in braces."""
    return _FORM.match(text) is not None or _TWO_LISTS.match(text) is not None


def own_shape(text: str) -> tuple[int, ...] | None:
    """The sizes of ``{sizes} / {strides}``, None for any other text."""
    try:
        sizes, _ = _lists(text)
    except LayoutError:
        return None
    return None if sizes is None else tuple(sizes)


def own_dtype(text: str) -> str | None:
    """The element type of a vector type such as INT8x4, None if the text names none."""
    found = _VECTOR.search(text)
    if found is None or found[1].strip(" \t\n\r\f\v,+").removeprefix("CUDNN_DATA_") not in _TYPES:
        return None
    return "uint8" if "UINT8" in found[1] else "int8"


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a tensor descriptor; errors mark the character at fault."""
    rank = len(tensor.shape)
    if rank not in _RANKS:
        raise LayoutError("shape", tensor.shape, "3 to 8 sizes for a cuDNN descriptor")
    if not all(1 <= n <= _INT_MAX for n in tensor.shape):
        raise LayoutError("shape", tensor.shape, "sizes from 1 to 2^31-1 for cuDNN")
    if text.startswith("{"):
        sizes, strides = _lists(text)
        if sizes is not None and tuple(sizes) != tensor.shape:
            raise LayoutError("shape", tensor.shape, "the sizes that the text carries")
        return _strided(strides, tensor, text)
    start = len(_PREFIX) if text.startswith(_PREFIX) else 0
    name = text[start:]
    found = _VECTOR.match(text, start)
    if name not in _FORMATS and found is None:
        names = (*_FORMATS, "NCHW_VECT_C", *(() if start else (_PREFIX,)))
        raise unreadable(
            text,
            start + departure(name, names),
            "one of " + ", ".join(names) + ", or strides in braces",
        )
    canonical = _NAMES_BY_RANK.get(rank)
    if canonical is None:
        raise LayoutError("shape", tensor.shape, "3 to 5 sizes for a named format of cuDNN")
    dims = match_dims(tensor, canonical)
    if found is None:
        tag = canonical if name == "NCHW" else canonical.replace("C", "") + "C"
        return ordered(tensor.shape, dims, tag, spelling=text)
    return _vectors(text, found, tensor, dims, canonical)


def _lists(text: str) -> tuple[list[int] | None, list[int]]:
    first, at = braced_integers(text, 0, least=0, most=_INT_MAX)
    at = skip_blanks(text, at)
    if at == len(text):
        return None, first
    if text[at] != "/":
        raise unreadable(text, at, "a / and the strides, or the end")
    second, end = braced_integers(text, skip_blanks(text, at + 1), least=0, most=_INT_MAX)
    if skip_blanks(text, end) != len(text):
        raise unreadable(text, skip_blanks(text, end), "the end of the text")
    return first, second


def _strided(strides: Sequence[int], tensor: TensorText, text: str) -> Layout:
    dims = tensor.dims or _NAMES_BY_RANK.get(len(tensor.shape), default_dims(len(tensor.shape)))
    match_rank(tensor, dims)
    return Layout.strided(tensor.shape, strides, dims=dims, spelling=text)


def _vectors(
    text: str, found: re.Match[str], tensor: TensorText, dims: str, canonical: str
) -> Layout:
    suffix = re.sub(r"^[\s,+]+", " ", found[1])
    names = sorted(_VECTORS, key=len)
    vector = _VECTORS.get(suffix)
    at = skip_blanks(text, found.end())
    if vector is None:
        # A blank that only separates the name from its strides is not the beginning of a type.
        missing = not suffix.strip()
        good = 0 if missing else departure(suffix, names) - len(suffix)
        raise unreadable(
            text,
            found.start(1) if missing else found.end() + good,
            "the length of its vectors: 4, 32, INT8x4, UINT8x4 or INT8x32",
        )
    channels = dims.index("C")
    if tensor.shape[channels] % vector:
        raise LayoutError(
            "shape", tensor.shape, f"a number of channels that {vector} divides: cuDNN does not pad"
        )
    if at == len(text):
        return ordered(tensor.shape, dims, f"{canonical}{vector}c", spelling=text)
    strides, end = braced_integers(text, at, least=0, most=_INT_MAX)
    if skip_blanks(text, end) != len(text):
        raise unreadable(text, skip_blanks(text, end), "the end of the text")
    match_rank(tensor, dims)
    if len(strides) != len(dims):
        raise unreadable(text, at, f"{len(dims)} strides, one per dimension")
    digits = [(Digit(n, vector * s),) for n, s in zip(tensor.shape, strides, strict=True)]
    split = (Digit(tensor.shape[channels] // vector, vector * strides[channels]), Digit(vector, 1))
    return Layout(
        tensor.shape,
        dims,
        tuple(split if d == channels else mine for d, mine in enumerate(digits)),
        spelling=text,
    )


def write(layout: Layout, dtype: ElementType) -> str:
    """A format's name; else sizes and strides; else NCHW_VECT_C with strides in vectors."""
    if layout.rank not in _RANKS:
        raise CannotSayError("cuDNN descriptors have 3 to 8 dimensions.")
    if not all(1 <= n <= _INT_MAX for n in layout.shape):
        raise CannotSayError("cuDNN sizes are 32-bit and not 0.")
    candidates = [_PREFIX + name for name in _FORMATS]
    strides = layout.strides
    if strides is not None:
        candidates.append(f"{_list(layout.shape)} / {_list(strides)}")
    candidates += [text for v in (4, 32) if (text := _in_vectors(layout, v))]
    text = first_fit(layout, dtype, candidates, parse)
    if text is not None:
        return text
    if layout.offset or layout.bounds[0] < layout.offset:
        raise CannotSayError("cuDNN descriptors have no offset and no negative strides.")
    if layout.padded_shape != layout.shape:
        raise CannotSayError("cuDNN pads no dimension to whole blocks: C must be a multiple.")
    if layout.bounds[1] > _INT_MAX:
        raise CannotSayError("cuDNN strides are 32-bit.")
    raise CannotSayError(
        "cuDNN splits no dimension but C, into vectors of 4 or 32 innermost in memory."
    )


def _list(numbers: Sequence[int]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _in_vectors(layout: Layout, vector: int) -> str | None:
    """NCHW_VECT_C with this layout's strides in vectors, None if C cannot be so split."""
    if "C" not in layout.dims or layout.shape[layout.dims.index("C")] % vector:
        return None
    sizes = [n // vector if c == "C" else n for n, c in zip(layout.shape, layout.dims, strict=True)]
    strides = []
    for d, n in enumerate(sizes):
        step = vector if layout.dims[d] == "C" else 1
        one = int(layout.dim_offsets(d, np.array([step], dtype=np.int64))[0])
        # A stride that is never stepped along is written as the packed one.
        strides.append(one if n > 1 else vector * math.prod(sizes[d + 1 :]))
    if any(s % vector for s in strides):
        return None
    return f"NCHW_VECT_C{vector} {_list([s // vector for s in strides])}"


DIALECT = Dialect("cudnn", recognises, parse, write, own_shape=own_shape, own_dtype=own_dtype)
