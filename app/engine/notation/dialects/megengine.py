"""MegEngine: activations or weights of a format, byte strides, or a printed TensorLayout.

Grammar:

    text   = activations | kind format | strides | layout
    kind   = "weights" | "group weights" | "channel-wise weights" | "hybrid weights"
    strides = "(" integer {"," integer} ")", in bytes
    layout = "{" size "(" stride ")" {"," size "(" stride ")"} "}", in elements

    format      activations         weights             group weights         channel-wise
    NCHW        N C H W             O I H W             G O I H W             G O I H W
    NHWC        N H W C             O H W I             G O H W I             G O H W I
    NCHWx       N C/x H W x         O I/x H W x         G O I/x H W x         -
    CHWN4       C/4 H W N 4         I/4 H W O 4         G I/4 H W O 4         -
    NHWCD4      N H C/4 W 4         O/4 H W I 4o        G O/4 H W I 4o        G/4 1 H W 4
    NHWCD4_DOT  -                   O/4 H W I/4 4o 4i   G O/4 H W I/4 4o 4i   G/4 1 H W 4
    NCHW44      N C/4 H W 4         O/4 I/4 H W 4i 4o   G O/4 I/4 H W 4i 4o   G/4 1 1 H W 4
    NCHW44_DOT  N C/4 H W 4         O/4 I/4 H W 4o 4i   G O/4 I/4 H W 4o 4i   G/4 1 1 H W 4
    NCHW88      N C/8 H W 8         O/8 I/8 H W 8i 8o   G O/8 I/8 H W 8i 8o   G/8 1 1 H W 8

    NCHWx is NCHW4, NCHW8, NCHW32 or NCHW64. Hybrid weights are for plain NCHW activations:
    O/x H W I x for NCHW44, NCHW44_DOT and NCHW88.

Example: weights NCHW44 with shape (8, 6, 3, 3) pads 6 input channels to two blocks of 4.

Trap: NCHW44 is not a block of 44. Its activations are those of NCHW4; only the weights are blocked
twice, with the output channel innermost (the input channel in NCHW44_DOT). The D of NHWCD4 is not
a dimension: the blocks of C are between H and W. MegEngine selects NHWCD4_DOT by the type
(quantised 8 bit). I of dense NHWCD4 weights is rounded up to a multiple of 4. Tensor.strides in
Python counts bytes, TensorLayout::stride in C++ counts elements. If a format splits O or G,
MegEngine in most cases requires a multiple.

Source: MegEngine dnn/src/common/convolution.cpp (make_canonized_filter_meta_…),
dnn/src/common/relayout_format.cpp, src/gopt/include/megbrain/gopt/reformat_manager.h.
"""

import re
from dataclasses import dataclass
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase, one_of, phrase, unreadable
from ...model.layout import INT64_MAX, Layout
from ..dialect import CannotSayError, Dialect, skip_blanks
from ..grammar.cursor import Cursor
from ..grammar.dense import NamedSpecs, departure, obstacle
from ..orders import DigitOrder
from ..specs import OrderSpec, Request, Spec, Written, strided
from .strides import StridesSpec, parse_numbers, plain_strides, write_numbers

_MAX_RANK = 7
_AT_MOST = phrase("megengine.rank", most=_MAX_RANK)
# Per format the memory of activations, of weights, and of weights with one filter per channel.
_ROWS: Final = """
NCHW       NCHW    OIHW     GOIHW
NHWC       NHWC    OHWI     GOHWI
NCHW4      NCHW4c  OIHW4i   -
NCHW8      NCHW8c  OIHW8i   -
NCHW32     NCHW32c OIHW32i  -
NCHW64     NCHW64c OIHW64i  -
CHWN4      CHWN4c  IHWO4i   -
NHWCD4     NHCW4c  OHWI4i4o GOIHW4g
NHWCD4_DOT -       OHWI4o4i GOIHW4g
NCHW44     NCHW4c  OIHW4i4o GOIHW4g
NCHW44_DOT NCHW4c  OIHW4o4i GOIHW4g
NCHW88     NCHW8c  OIHW8i8o GOIHW8g
"""
_ACTIVATIONS, _DENSE, _CHANNEL_WISE = (
    {row[0]: row[k] for row in map(str.split, _ROWS.strip().split("\n")) if row[k] != "-"}
    for k in (1, 2, 3)
)
_TAGS: Final = {
    "": _ACTIVATIONS,
    "weights ": _DENSE,
    "group weights ": {name: "G" + tag for name, tag in _DENSE.items()},
    "channel-wise weights ": _CHANNEL_WISE,
    "hybrid weights ": {"NCHW44": "OHWI4o", "NCHW44_DOT": "OHWI4o", "NCHW88": "OHWI8o"},
}
_KIND = re.compile(r"(?:(?:group|channel-wise|hybrid) )?weights ")
_PRINTED = re.compile(r"\{\s*[0-9]+\s*\(")
# A format that only MegEngine has, weights, or a printed TensorLayout.
_FORM = re.compile(rf"(?:NHWCD4|NCHW44|NCHW44_DOT|NCHW88)\Z|{_KIND.pattern}|{_PRINTED.pattern}")


@dataclass(frozen=True, slots=True)
class _ChannelWise(OrderSpec):
    """Weights with one filter per channel: the sizes of O and I are 1."""

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        single = all(shape[dims.index(c)] == 1 for c in "OI")
        return None if single else phrase("megengine.groups")


@dataclass(frozen=True, slots=True)
class _ByteStrides(Spec):
    """Strides in bytes. ``places``: the position of each in ``text``."""

    text: str
    strides: tuple[int, ...]
    places: tuple[int, ...]

    def apply(self, request: Request) -> Written:
        if len(request.shape) > _MAX_RANK:
            raise LayoutError("shape", request.shape, _AT_MOST)
        name, itemsize = request.dtype.name, request.dtype.itemsize
        if itemsize is None:
            raise LayoutError("layout", self.text, phrase("megengine.whole", name=name))
        for stride, place in zip(self.strides, self.places, strict=True):
            if stride % itemsize:
                expected = phrase("strides.multiples_of", bytes=itemsize, name=name)
                raise unreadable(self.text, place, expected)
        return strided(request, [s // itemsize for s in self.strides], 0, self.text)


_SPECS: Final = {
    kind + name: (_ChannelWise if kind.startswith("channel") else OrderSpec).of_tag(
        kind + name, tag, "".join(c for c in "NCGOIHW" if c in tag)
    )
    for kind, tags in _TAGS.items()
    for name, tag in tags.items()
}
_NAMED: Final = NamedSpecs(_SPECS)


def read(text: str) -> Spec:
    if _PRINTED.match(text):
        return _printed(text)
    if text[:1] and text[0] in "([{-0123456789":
        return _bytes(text)
    found = _KIND.match(text)
    kind = found[0] if found else ""
    at = skip_blanks(text, len(kind))
    if spec := _SPECS.get(kind + text[at:]):
        return spec
    if text[at:] in _DENSE:
        what = kind.strip() or "activations"
        raise unreadable(text, at, phrase("megengine.format", what=what, tags=tuple(_TAGS[kind])))
    names = [*_TAGS[kind], *(k for k in _TAGS if k and not kind)]
    raise unreadable(text, at + departure(text[at:], names), one_of(n.strip() for n in names))


def _bytes(text: str) -> _ByteStrides:
    strides, _ = parse_numbers(text)
    plus = re.search(r"[+o]", text)
    if plus:
        raise unreadable(text, plus.start(), phrase("megengine.offset"))
    places = tuple(number.start() for number in re.finditer(r"-?[0-9]+", text))
    return _ByteStrides(text, tuple(strides), places)


def _printed(text: str) -> StridesSpec:
    pairs: list[tuple[int, int]] = []
    cursor = Cursor(text)
    cursor.need("{")
    while not pairs or not cursor.take("}"):
        if pairs:
            cursor.need(",", phrase("megengine.comma"))
        size = cursor.integer(phrase("size.one"))
        cursor.need("(")
        pairs.append((size, cursor.integer(phrase("megengine.stride"), least=-INT64_MAX)))
        cursor.need(")")
    cursor.end()
    if len(pairs) > _MAX_RANK:
        raise unreadable(text, 0, _AT_MOST)
    shape, strides = zip(*pairs, strict=True)
    return StridesSpec(text, strides, shape=shape)


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    """The first format with this memory, else strides in bytes; of half bytes a TensorLayout."""
    if layout.rank > _MAX_RANK:
        raise CannotSayError("megengine.rank", most=_MAX_RANK)
    text = _NAMED.first_fit(layout, dtype)
    if text is not None:
        return text
    if layout.offset:
        raise CannotSayError("megengine.offset")
    strides = plain_strides(layout)
    if dtype.itemsize is None and strides:
        return "{" + ",".join(f"{n}({s})" for n, s in zip(layout.shape, strides, strict=True)) + "}"
    byte_strides = [s * (dtype.itemsize or 0) for s in strides]
    if dtype.itemsize is None or any(abs(s) > INT64_MAX for s in byte_strides):
        raise CannotSayError(obstacle(layout) or "megengine.bytes")
    return write_numbers(byte_strides, 0)


DIALECT = Dialect("megengine", "MegEngine", "Formats", _FORM.match, read, write)
