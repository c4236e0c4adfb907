"""The programs of ``notation/code`` in Python, read back to the layout that they were written for.

Such a program stores ``x`` as the layout has it, through views of a buffer, and reads ``y`` from
there. Its calls alone name ``x``, a buffer and, for blocks, a copy. A text is read here only if the
program of the layout that is read is this text again, apart from blanks, the buffer's size and the
order of axes of size 1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from ...model.dtypes import ElementType, find_dtype
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import Digit, Layout, Swizzle, packed_strides
from .. import canonical_spelling, notations
from ..code.arrays import numpy_code, pytorch_code
from ..dialect import CannotSayError
from .found import Item
from .made import fresh

_Numbers = tuple[int, ...]

# Each number ends at a comma or the bracket, so that a long one is not tried in parts.
_TUPLE = r"\((?P<{0}>(?:-?\d{{1,19}}(?:, ?|(?=\)))){{0,128}})\)"
_RESHAPED = rf"\.reshape\({_TUPLE}\)"
_JOINED = rf"(?:{_RESHAPED.format('padded')})?"
_STORED = re.compile(
    rf"\bx = (?P<library>np|torch)\.arange\(\d{{1,19}}\){_RESHAPED.format('shape')}"
    r"\.(?:astype|to)\((?:np|torch|ml_dtypes)\.(?P<type>\w+)\)\s+"
    r"# logical: (?:one element|(?P<dims>[A-Za-z](?:, [A-Za-z]\b)*))",
    re.ASCII,
)
_STRIDED = re.compile(
    r"as_strided\((?P<buffer>\w+)(?:\[(?P<begin>\d{1,19}):\])?(?:\.view\(np\.uint8\))?, "
    rf"{_TUPLE.format('extents')}, {_TUPLE.format('strides')}(?:, (?P<offset>\d{{1,19}}))?\)"
    + _JOINED,
    re.ASCII,
)
_DENSE = re.compile(
    rf"\b(?:buffer|plain){_RESHAPED.format('extents')}"
    rf"(?:\.transpose\({_TUPLE.format('axes')}\))?{_JOINED}",
    re.ASCII,
)
_BLOCKS = re.compile(rf"\by = blocks{_JOINED}", re.ASCII)
_FORMAT = re.compile(r"\bx\.contiguous\(memory_format=torch\.(?P<name>\w+)\)", re.ASCII)
_MOVED = re.compile(r"\(address & (?P<mask>\d{1,10})\) (?P<way>>>|<<) (?P<bits>\d{1,2})", re.ASCII)
_BUFFER = re.compile(r"(?P<made>zeros|plain = (?:np|torch)\.arange)\(\d+", re.ASCII)
_ROUNDED = re.compile(r"; \w+ is exact up to \d+", re.ASCII)  # programs of before do not say it
_WRITERS: Final = {"np": numpy_code, "torch": pytorch_code}


def find_programs(text: str) -> Iterator[Item]:
    """The tensor of a text that is such a program; none of any other text."""
    stored = _STORED.search(text)
    dtype = stored and find_dtype(stored["type"])
    if stored is None or dtype is None:
        return
    library = stored["library"]
    try:
        layout = _layout_of(text, stored, dtype)
        # Padding that is no block is seen in the buffer's size alone.
        fitting = _fitting(layout) if layout else ()
        programs = (_compared(_WRITERS[library](each, dtype)) for each in fitting)
        if layout is None or _compared(text) not in programs:
            return
    except (LayoutError, CannotSayError):
        return
    said = notations(layout, dtype)
    item = Item(0, layout.shape, dtype.name, role="y", dims=layout.dims, spans=((0, len(text)),))
    if not any("text" in each for each in said.values()):
        yield replace(item, error=unreadable(text, 0, phrase("paste.program")))
        return
    system = "numpy" if library == "np" else "pytorch"
    yield replace(item, layout=canonical_spelling(layout, said), system=system)


def _compared(text: str) -> list[str]:
    return _DENSE.sub("buffer", _BUFFER.sub(r"\g<made>(", _ROUNDED.sub("", text))).split()


def _fitting(layout: Layout) -> Iterator[Layout]:
    """The layout, and one of the same addresses with padding."""
    yield layout
    steps = [digits[0].stride for digits in layout.digits]
    if steps:
        at = steps.index(max(steps))
        first, *others = layout.digits[at]
        padded = (Digit(first.extent + 1, first.stride), *others)
        yield replace(layout, digits=(*layout.digits[:at], padded, *layout.digits[at + 1 :]))


def _layout_of(text: str, stored: re.Match[str], dtype: ElementType) -> Layout | None:
    """The layout that the program's views have; None where they are no layout's. Errors:
    LayoutError."""
    shape, dims = _numbers(stored["shape"]), (stored["dims"] or "").replace(", ", "")
    if len(dims) != len(shape):
        return None
    if formatted := _FORMAT.search(text):
        return replace(fresh(shape, formatted["name"]), dims=dims)
    strided, dense = _STRIDED.search(text), _DENSE.search(text)
    offset = 0
    if strided:
        extents, strides = _numbers(strided["extents"]), _numbers(strided["strides"])
        offset = int(strided["begin"] or strided["offset"] or 0)
        if stored["library"] == "np":  # in bytes; the addresses before a swizzle are int64
            unit = 8 if strided["buffer"] == "plain" else dtype.itemsize or 1
            strides = tuple(stride // unit for stride in strides)
    elif dense:
        outermost = _numbers(dense["extents"])
        packed = packed_strides(outermost)
        axes = range(len(packed)) if dense["axes"] is None else _numbers(dense["axes"])
        if sorted(axes) != list(range(len(packed))):
            return None
        extents, strides = tuple(outermost[a] for a in axes), tuple(packed[a] for a in axes)
    else:
        return None
    joined = _BLOCKS.search(text) or strided or dense
    padded = _numbers(joined["padded"]) if joined and joined["padded"] is not None else extents
    digits = _digits(padded, tuple(map(Digit, extents, strides)))
    swizzle = None
    if moved := _MOVED.search(text):
        mask, shift = int(moved["mask"]), int(moved["bits"]) * (1 if moved["way"] == ">>" else -1)
        lowest = (mask & -mask).bit_length() - 1 if mask else 0
        swizzle = Swizzle(mask.bit_count(), max(lowest - max(shift, 0), 0), shift)
    return Layout(shape, dims, digits, offset, swizzle)


def _digits(padded: _Numbers, axes: Sequence[Digit]) -> tuple[tuple[Digit, ...], ...]:
    """The axes as the digits of each dimension, which multiply to its padded size."""
    left = list(axes)[::-1]
    found: list[tuple[Digit, ...]] = []
    for size in padded:
        mine: list[Digit] = []
        while left and (not mine or prod(g.extent for g in mine) < size):
            mine.append(left.pop())
        found.append(tuple(mine))
    return tuple(found)


def _numbers(text: str) -> _Numbers:
    return tuple(map(int, re.findall(r"-?\d+", text)))
