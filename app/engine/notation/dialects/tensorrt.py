"""TensorRT: the thirteen values of TensorFormat, with or without their prefixes.

Grammar:

    text   = [scope] ["k"] name
    scope  = ["nvinfer1::" | "trt." | "tensorrt."] ["TensorFormat::" | "TensorFormat."]
    name   = "LINEAR" | "HWC" | "DHWC" | "CHW2" | "CHW4" | "CHW16" | "CHW32" | "CDHW32"
           | "HWC8" | "HWC16" | "DHWC8" | "DLA_LINEAR" | "DLA_HWC4" [" (Orin)" | " (Xavier)"]
           | "NC/" v "HW" v, the documentation's name of CHWv
           | "(" stride [":" v] {"," stride [":" v]} ")"

    CHWv, CDHWv   vector-major  [N][⌈C/v⌉][H][W][v], [N][⌈C/v⌉][D][H][W][v]
    HWCv, DHWCv   vector-minor  [N][H][W][⌈C/v⌉·v], [N][D][H][W][⌈C/v⌉·v]
    DLA_LINEAR    [N][C][H][W'], W rounded up to rows of 64 bytes
    DLA_HWC4      [N][H][W'][C'], C = 1, 3 or 4 becomes C' = 1, 4 or 4, rows of 64 bytes
    strides       as the verbose log prints them; :v splits a dimension into vectors of v, which all
                  strides count

Example: kCHW4 with shape (2, 6, 3, 3) pads 6 channels to two vectors of 4.

Trap: the vector dimension is counted from the end: the third from the end in CHWv and HWCv, the
fourth from the end in CDHW32, DHWC8 and DHWC. So CHW32 of a 5-D tensor N,C,D,H,W splits D. The
rows of the two DLA formats are rounded up in bytes, so the layout depends on the element type.
DLA_HWC4 rounds to 64 bytes on Orin and to 32 on Xavier. TensorRT has most formats for a few element
types only, such as kCHW4 for int8. A text is read for every type, but is written, and counts as a
name of a tensor, only for those.

Source: TensorRT 11.1, include/NvInferRuntime.h, enum class TensorFormat; HWC, as that of Python
says (python/docstrings/infer/pyGraphDoc.h), for more types.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase, one_of, phrase, unreadable
from ...model.layout import Layout, packed_digits
from ..dialect import CannotSayError, Dialect, match_end
from ..grammar.affine import check_strides
from ..grammar.dense import NamedSpecs, departure, in_vectors, obstacle
from ..orders import DigitOrder, Order
from ..specs import RankSpec, Request, Spec, Written, match_count, match_wanted, names_for
from .letters import whole

_MAX_RANK = 8
_HALF: Final = ("float16", "bfloat16")
_ALL: Final = (
    *("float32", *_HALF, "float8_e4m3fn", "float4_e2m1fn", "bool"),
    *("int64", "int32", "int8", "int4", "uint8"),
)
# Per name: the vector dimension counted from the end, scalars per vector, vector-major or -minor,
# the element types.
_VECTORS: Final = {
    "HWC": (3, 1, False, ("float32", *_HALF, "int64", "int8", "uint8")),
    "DHWC": (4, 1, False, ("float32",)),
    "CHW2": (3, 2, True, _HALF),
    "CHW4": (3, 4, True, ("int8",)),
    "CHW16": (3, 16, True, ("float16",)),
    "CHW32": (3, 32, True, ("float32", "float16", "int8")),
    "CDHW32": (4, 32, True, ("float16", "int8")),
    "HWC8": (3, 8, False, _HALF),
    "HWC16": (3, 16, False, ("float16", "float8_e4m3fn", "int8")),
    "DHWC8": (4, 8, False, _HALF),
}
_DLA: Final = {"DLA_LINEAR": 64, "DLA_HWC4": 64, "DLA_HWC4 (Orin)": 64, "DLA_HWC4 (Xavier)": 32}
_NAMES: Final = ("LINEAR", *_VECTORS, *_DLA)
_SCOPE = re.compile(r"(?:nvinfer1::|trt\.|tensorrt\.)?(?:TensorFormat(?:::|\.))?(?:k(?=[A-Z]))?")
_PIXEL_CHANNELS: Final = {1: 1, 3: 4, 4: 4}
_OWN = ("LINEAR", *_DLA)
_STRIDES = re.compile(
    r"\(\d{1,18}(?::[1-9]\d{0,2})?(?:,\s{0,9}\d{1,18}(?::[1-9]\d{0,2})?){0,7}\)", re.ASCII
)


# An element type in the log.
TYPE: Final = r"\b(?P<type>Float|Half|U?Int(?:8|32|64)|Int4|Bool|BF16|FP8)"


def from_outermost(strides: str) -> str | None:
    """The log's strides from that of N, which is the largest: before version 8 it stands last. HWC8
    and the like without N have C's 1:8 there, and H's in the middle. None of others."""
    each = strides.strip("()").split(",")
    counts = [int(one.partition(":")[0]) for one in each]
    if max(counts) == counts[0]:
        return strides
    if len(counts) == 3 and max(counts) == counts[1] and "1:" in strides:
        return strides if each[0].startswith("1:") else f"({','.join(reversed(each))})"
    steps = pairwise(sorted(counts))
    if max(counts) > counts[-1] or any(more % less for less, more in steps if less):
        return None
    return f"({','.join(reversed(each))})"


def recognises(text: str) -> bool:
    """Whether ``text`` is a name with a prefix, or one only TensorRT has (LINEAR, DLA_…)."""
    scope = match_end(_SCOPE, text)
    name = text[scope:]
    strides = ":" in name and _STRIDES.fullmatch(name)
    return bool(strides) or name in _OWN or (scope > 0 and name in _NAMES)


def read(text: str) -> Spec:
    if text.startswith("("):
        return VectorStrides.of(text)
    start = match_end(_SCOPE, text)
    name = whole(text[start:]).removeprefix("N") if "/" in text else text[start:]
    if name not in _NAMES:
        raise unreadable(text, start + departure(name, _NAMES), one_of(_NAMES))
    return _spec(text, name)


def _spec(text: str, name: str) -> Spec:
    if name in _DLA:
        return _Dla(text, name)
    return _TensorFormat(text, name, *_VECTORS.get(name, (0, 1, True, _ALL)))


def _wanted(shape: tuple[int, ...], name: str, least: int) -> Phrase | None:
    """The number of sizes that the format needs, None if it takes these."""
    if len(shape) > _MAX_RANK:
        return phrase("tensorrt.rank", most=_MAX_RANK)
    fewer = len(shape) < least
    return phrase("tensorrt.least", least=least, name=name) if fewer else None


@dataclass(frozen=True, slots=True)
class _TensorFormat(RankSpec):
    """LINEAR and the formats with vectors, which do not depend on the element type.

    ``from_end``: the vector dimension counted from the end, 0 if there is none. ``vector``:
    elements per vector. ``major``: whether the dimension keeps its place in memory and only the
    vector is innermost.
    """

    text: str
    name: str
    from_end: int
    vector: int
    major: bool
    types: tuple[str, ...]

    def order_for(self, dims: str) -> Order | None:
        if not self.from_end <= len(dims) <= _MAX_RANK:
            return None
        axes = _axes(dims)
        order: list[tuple[int, int | None]] = [(d, None) for d in axes]
        if self.from_end:
            channels = axes[-self.from_end]
            if not self.major:
                order.remove((channels, None))
                order.append((channels, None))
            if self.vector > 1:
                order.append((channels, self.vector))
        return tuple(order)

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        return _wanted(shape, self.name, self.from_end)


def _axes(dims: str) -> list[int]:
    """Dimensions in the order N, C, D, H, W if these are their names, else in logical order."""
    axes = range(len(dims))
    return (
        sorted(axes, key=lambda d: "NCDHW".index(dims[d])) if set(dims) <= set("NCDHW") else [*axes]
    )


@dataclass(frozen=True, slots=True)
class _Dla(Spec):
    """The DLA formats: rows are rounded up to a number of bytes."""

    text: str
    name: str
    types: tuple[str, ...] = ("float16", "int8")

    def is_layout(self, layout: Layout, dtype: ElementType) -> bool:
        if layout.rank >= 3:  # first what needs no layout to compare with
            *_, channels, _, width = _axes(layout.dims)
            pixel = 1
            if self.name != "DLA_LINEAR":
                pixel = _PIXEL_CHANNELS.get(layout.shape[channels], 0)
            if not pixel or layout.padded_shape[width] % self._step(pixel, dtype) or layout.offset:
                return False
        return Spec.is_layout(self, layout, dtype)

    def _step(self, pixel: int, dtype: ElementType) -> int:
        """The width of a row is a multiple of so many pixels."""
        return max(1, _DLA[self.name] * 8 // (pixel * dtype.bits))

    def apply(self, request: Request) -> Written:
        dims = names_for(request)
        match_wanted(_wanted(request.shape, self.name, 3), request)
        axes = _axes(dims)
        *_, channels, _, width = axes
        extents = list(request.shape)
        pixel = 1
        order = axes
        if self.name != "DLA_LINEAR":
            if extents[channels] not in _PIXEL_CHANNELS:
                raise LayoutError("shape", request.shape, phrase("tensorrt.channels"))
            pixel = extents[channels] = _PIXEL_CHANNELS[extents[channels]]
            order = [d for d in axes if d != channels] + [channels]
        step = self._step(pixel, request.dtype)
        extents[width] = -(-extents[width] // step) * step
        digits = packed_digits(tuple(extents), [(d, None) for d in order])
        places = tuple((d, 0) for d in order)
        return Written(Layout(request.shape, dims, digits), self.text, places)


@dataclass(frozen=True, slots=True)
class VectorStrides(Spec):
    """Strides that count vectors of ``vector`` elements of dimension ``split``."""

    text: str
    strides: tuple[int, ...]
    split: int
    vector: int

    @classmethod
    def of(cls, text: str) -> VectorStrides:
        """The spec of ``(200704,1:8,3584,64)``. Errors: LayoutError."""
        parts = [part.partition(":") for part in text.strip("()").split(",")]
        split = [d for d, (_, _, vector) in enumerate(parts) if vector]
        if not _STRIDES.fullmatch(text) or len(split) > 1:
            raise unreadable(text, 0, phrase("tensorrt.strides"))
        strides = tuple(int(stride) for stride, _, _ in parts)
        return cls(text, strides, split[0] if split else 0, int(parts[split[0]][2]) if split else 1)

    def apply(self, request: Request) -> Written:
        match_count(request, len(self.strides))
        digits = in_vectors(request.shape, self.strides, self.split, self.vector)
        for each in digits:
            check_strides(each)
        return Written(Layout(request.shape, names_for(request), digits), self.text)


_SPECS: Final = NamedSpecs({f"k{name}": _spec(f"k{name}", name) for name in _NAMES})


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    if layout.rank > _MAX_RANK:
        raise CannotSayError("tensorrt.rank", most=_MAX_RANK)
    fits = [(text, _spec(text, text[1:]).types or ()) for text in _SPECS.fits(layout, dtype)]
    found = next((text for text, types in fits if dtype.name in types), None)
    if found is not None:
        return found
    if not fits:
        raise CannotSayError(obstacle(layout) or "tensorrt.format")
    text, types = fits[0]
    raise CannotSayError("tensorrt.type", name=text, types=", ".join(types), type=dtype.name)


DIALECT = Dialect("tensorrt", "TensorRT", "Formats", recognises, read, write)
