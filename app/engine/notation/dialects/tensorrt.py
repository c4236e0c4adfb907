"""TensorRT: the thirteen values of TensorFormat, with or without their prefixes.

Grammar:

    text   = [scope] ["k"] name
    scope  = ["nvinfer1::" | "trt." | "tensorrt."] ["TensorFormat::" | "TensorFormat."]
    name   = "LINEAR" | "HWC" | "DHWC" | "CHW2" | "CHW4" | "CHW16" | "CHW32" | "CDHW32"
           | "HWC8" | "HWC16" | "DHWC8" | "DLA_LINEAR" | "DLA_HWC4" [" (Orin)" | " (Xavier)"]

    CHWv, CDHWv   vector-major  [N][⌈C/v⌉][H][W][v], [N][⌈C/v⌉][D][H][W][v]
    HWCv, DHWCv   vector-minor  [N][H][W][⌈C/v⌉·v], [N][D][H][W][⌈C/v⌉·v]
    DLA_LINEAR    [N][C][H][W'], W rounded up to rows of 64 bytes
    DLA_HWC4      [N][H][W'][C'], C of 1, 3 or 4 to C' of 1, 4 or 4, rows of 64 bytes

Example: kCHW4 with shape (2, 6, 3, 3) pads 6 channels to two vectors of 4.

Trap: the vector dimension is counted from the end: third to last in CHWv and HWCv, fourth to last
in CDHW32, DHWC8 and DHWC. So CHW32 of a 5-D tensor N,C,D,H,W splits D. The rows of the two DLA
formats are rounded in bytes, so that the layout depends on the element type (int8 or float16 in
TensorRT); DLA_HWC4 rounds to 64 bytes on Orin and to 32 on Xavier.

Source: TensorRT, include/NvInferRuntimeBase.h, enum class TensorFormat.
"""

from __future__ import annotations

import re
from typing import Final

from ...dtypes import ElementType
from ...errors import LayoutError
from ...layout import Digit, Layout, checked_product, default_dims, packed_strides
from ..dialect import CannotSayError, Dialect, TensorText, match_rank, unreadable
from ..grammar.dense import departure, first_fit, obstacle

_MAX_RANK = 8
# Per name: the vector dimension counted from the end, scalars per vector, vector-major or -minor.
_VECTORS: Final = {
    "HWC": (3, 1, False),
    "DHWC": (4, 1, False),
    "CHW2": (3, 2, True),
    "CHW4": (3, 4, True),
    "CHW16": (3, 16, True),
    "CHW32": (3, 32, True),
    "CDHW32": (4, 32, True),
    "HWC8": (3, 8, False),
    "HWC16": (3, 16, False),
    "DHWC8": (4, 8, False),
}
_DLA: Final = {
    "DLA_LINEAR": 64,
    "DLA_HWC4": 64,
    "DLA_HWC4 (Orin)": 64,
    "DLA_HWC4 (Xavier)": 32,
}
_NAMES: Final = ("LINEAR", *_VECTORS, *_DLA)
_SCOPE = re.compile(r"(?:nvinfer1::|trt\.|tensorrt\.)?(?:TensorFormat(?:::|\.))?(?:k(?=[A-Z]))?")
_PIXEL_CHANNELS: Final = {1: 1, 3: 4, 4: 4}
_OWN = ("LINEAR", *_DLA)


def recognises(text: str) -> bool:
    """Whether ``text`` is a scoped name, or one that no letters spell (LINEAR, DLA_…)."""
    scope = _scope_end(text)
    name = text[scope:]
    return name in _OWN or (scope > 0 and name in _NAMES)


def _scope_end(text: str) -> int:
    found = _SCOPE.match(text)
    return found.end() if found else 0


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a TensorFormat; errors mark the character at fault."""
    start = _scope_end(text)
    name = text[start:]
    if name not in _NAMES:
        raise unreadable(text, start + departure(name, _NAMES), "one of " + ", ".join(_NAMES))
    rank = len(tensor.shape)
    if rank > _MAX_RANK:
        raise LayoutError("shape", tensor.shape, f"at most {_MAX_RANK} sizes for TensorRT")
    dims = default_dims(rank) if tensor.dims is None else tensor.dims
    match_rank(tensor, dims)
    axes = _axes(dims)
    from_end, vector, major = _VECTORS.get(name, (3, 1, True))
    if rank < from_end and name != "LINEAR":
        raise LayoutError("shape", tensor.shape, f"at least {from_end} sizes for {name}")
    if name in _DLA:
        return _dla(name, tensor, dims, axes, text)
    order: list[tuple[int, int | None]] = [(d, None) for d in axes]
    if name != "LINEAR":
        channels = axes[-from_end]
        if not major:
            order.remove((channels, None))
            order.append((channels, None))
        if vector > 1:
            order.append((channels, vector))
    return Layout.packed(tensor.shape, dims, order, spelling=text)


def _axes(dims: str) -> list[int]:
    """Dimensions in TensorRT's own order: N, C, D, H, W where these are their names."""
    axes = range(len(dims))
    return (
        sorted(axes, key=lambda d: "NCDHW".index(dims[d])) if set(dims) <= set("NCDHW") else [*axes]
    )


def _dla(name: str, tensor: TensorText, dims: str, axes: list[int], text: str) -> Layout:
    *_, channels, _, width = axes
    extents = list(tensor.shape)
    pixel = 1
    order = axes
    if name != "DLA_LINEAR":
        if extents[channels] not in _PIXEL_CHANNELS:
            raise LayoutError("shape", tensor.shape, "1, 3 or 4 channels for DLA_HWC4")
        pixel = extents[channels] = _PIXEL_CHANNELS[extents[channels]]
        order = [d for d in axes if d != channels] + [channels]
    step = _DLA[name] * 8 // (pixel * tensor.dtype.bits)
    extents[width] = -(-extents[width] // step) * step
    checked_product("shape", extents)
    strides = dict(zip(order, packed_strides([extents[d] for d in order]), strict=True))
    return Layout(
        tensor.shape,
        dims,
        tuple((Digit(extents[d], strides[d]),) for d in range(len(dims))),
        spelling=text,
        order=tuple((d, 0) for d in order),
    )


def write(layout: Layout, dtype: ElementType) -> str:
    """The first TensorFormat that is this memory, as C++ names it."""
    if layout.rank > _MAX_RANK:
        raise CannotSayError(f"TensorRT tensors have at most {_MAX_RANK} dimensions.")
    text = first_fit(layout, dtype, (f"k{name}" for name in _NAMES), parse)
    if text is None:
        raise CannotSayError(
            obstacle(layout)
            or "TensorRT has thirteen formats and no strides, and none of them is this memory."
        )
    return text


DIALECT = Dialect("tensorrt", recognises, parse, write)
