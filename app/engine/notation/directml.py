"""DirectML buffer tensors: sizes of 1 to 8 dimensions, strides in elements or null.

    text = "null" | "nullptr" | strides, as in {15, 1, 5, 1} | a letter format, as in NHWC

Missing leading dimensions are filled with 1 up to rank 4, the fixed order being N,C,H,W or
N,C,D,H,W. Read only under ``directml:``. Source: DML_BUFFER_TENSOR_DESC.
"""

from __future__ import annotations

import math
from dataclasses import replace

from app.engine.dtypes import ElementType
from app.engine.errors import LayoutError
from app.engine.layout import Layout
from app.engine.notation import letters
from app.engine.notation.base import CannotSayError, Dialect, TensorText
from app.engine.notation.strides import parse_numbers, plain_strides, strided, write_numbers

_MAX_RANK = 8
_MIN_FILLED = 4


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a buffer tensor description, leading dimensions filled in."""
    if len(tensor.shape) > _MAX_RANK:
        raise LayoutError("shape", tensor.shape, f"at most {_MAX_RANK} sizes for DirectML")
    stripped = text.strip()
    if stripped in {"null", "nullptr"}:
        filled = _filled(tensor, _MIN_FILLED)
        return strided(_packed(filled.shape), 0, filled, spelling="directml:null")
    if letters.recognises(stripped):
        missing = [c for c in "NC" if c not in stripped]
        if "D" not in stripped:
            missing += [c for c in "HW" if c not in stripped]
        text = "".join(missing) + stripped
        layout = letters.parse(text, _filled(tensor, len(letters.letters_of(text))))
        if layout.padded_shape != layout.shape or layout.strides is None:
            raise LayoutError("layout", text, "a format without blocks: DirectML has strides alone")
        return layout
    strides, offset = parse_numbers(text)
    if offset:
        raise LayoutError("layout", text, "no offset: DirectML binds the buffer at one")
    for i, stride in enumerate(strides):
        if stride < 0:
            raise LayoutError(f"layout.strides[{i}]", stride, "an unsigned stride for DirectML")
    filled = _filled(tensor, max(len(strides), _MIN_FILLED))
    if len(strides) == len(tensor.shape):
        leading = _packed(filled.shape)[: len(filled.shape) - len(strides)]
        strides = leading + strides
    return strided(strides, 0, filled, spelling=write_numbers(strides, 0))


def _filled(tensor: TensorText, rank: int) -> TensorText:
    missing = rank - len(tensor.shape)
    if missing <= 0:
        return tensor
    return replace(tensor, shape=(1,) * missing + tensor.shape, dims=None)


def _packed(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape))]


def write(layout: Layout, dtype: ElementType) -> str:
    """Strides as a C initialiser."""
    del dtype
    strides = plain_strides(layout)
    if not 1 <= layout.rank <= _MAX_RANK:
        raise CannotSayError("DirectML tensors have 1 to 8 dimensions.")
    if layout.rank < _MIN_FILLED:
        raise CannotSayError("DirectML reads it back with leading dimensions of 1: another shape.")
    if layout.offset or any(s < 0 for s in strides):
        raise CannotSayError("DirectML has unsigned strides and no offset inside the buffer.")
    if max((*strides, *layout.shape)) >= 1 << 32:
        raise CannotSayError("DirectML sizes and strides are 32-bit.")
    return "{" + ", ".join(map(str, strides)) + "}"


DIALECT = Dialect("directml", lambda text: False, parse, write)
