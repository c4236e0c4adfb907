"""Strides: one integer per dimension, in elements, with or without an offset.

Grammar:

    text  = [open] [integer {separator integer}] [","] [close] [("+" | "offset") integer]

    Brackets are ( ) [ ] or { }, separators are commas or blanks. The number after + is the offset
    of coordinate 0.

Example: (5, 1)+3 with shape (2, 3) leaves 3 elements before the tensor and 2 after each row.

Trap: NumPy and MegEngine count bytes. PyTorch, oneDNN and DirectML count elements. NCHW_VECT_C of
cuDNN counts vectors. A tuple without a prefix means elements; numpy:(20, 4) means bytes.

Source: torch.Tensor.stride(), DML_BUFFER_TENSOR_DESC::Strides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase, unreadable
from ...model.layout import INT64_MAX, Layout
from ..dialect import TEXT_END, CannotSayError, Dialect
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_shape, strided

_NUMBERS = Phrase("strides.numbers", "integers separated by commas, then perhaps + offset")
_BLANKS = " \t\n\r\f\v"
_LIST = re.compile(r"\s*[(\[{]?\s*(-?[0-9]|[)\]}])")  # how a list of integers begins
_OPENING = re.compile(r"\s*([(\[{]?)\s*", re.ASCII)
_NUMBER = re.compile(r"(-?\d+)\s*,?\s*", re.ASCII)
_PLUS = re.compile(r"(?:\+|offset\s*=?)\s*", re.ASCII)
_OFFSET = re.compile(r"(-?\d+)\s*", re.ASCII)
_CLOSING = {"": "", "(": ")", "[": "]", "{": "}"}


def parse_numbers(text: str) -> tuple[list[int], int]:
    """Strides and offset of ``text``, in its own unit. Errors: LayoutError with the position."""
    numbers: list[int] = []
    offset = 0
    opened = _OPENING.match(text)
    assert opened is not None  # it matches nothing too
    closing, at = _CLOSING[opened[1]], opened.end()
    while found := _NUMBER.match(text, at):
        numbers.append(_integer(found[1], at))
        at = found.end()
    if closing:
        if not text.startswith(closing, at):
            expected = Phrase("strides.closing", "a closing {closing}", closing=closing)
            raise _unexpected(text, at, expected)
        at += len(closing)
    at = len(text) - len(text[at:].lstrip(_BLANKS))
    plus = _PLUS.match(text, at) if numbers or closing else None
    if plus:
        at = plus.end()
        found = _OFFSET.match(text, at)
        if found is None:
            raise _unexpected(text, at, Phrase("strides.offset", "an offset"))
        offset, at = _integer(found[1], at), found.end()
    if text[at:].strip():
        if plus and _OFFSET.match(text, at):
            raise unreadable(text, at, TEXT_END)
        raise unreadable(text, at, _NUMBERS)
    return numbers, offset


def _unexpected(text: str, at: int, missing: Phrase) -> LayoutError:
    """The error at the character ``at``; ``missing`` is what the text lacks if it ends there."""
    if text[at:].strip():
        return unreadable(text, at, _NUMBERS)
    return unreadable(text, len(text), missing)


def _integer(digits: str, position: int) -> int:
    if len(digits) > 20 or abs(int(digits)) > INT64_MAX:
        sign = "negative" if digits[0] == "-" else "positive"
        raise LayoutError(
            "layout",
            -(10**20) if sign == "negative" else 10**20,
            Phrase("integers.stride", "integers from -(2^63-1) to 2^63-1"),
            position=position,
        )
    return int(digits)


@dataclass(frozen=True, slots=True)
class StridesSpec(Spec):
    """One stride per dimension and an offset, in elements. ``text`` is their spelling. ``shape``:
    the sizes in the text, None if it contains none."""

    text: str
    strides: tuple[int, ...]
    offset: int = 0
    shape: tuple[int, ...] | None = None
    dtype: str | None = None

    @classmethod
    def of_numbers(
        cls,
        strides: Sequence[int],
        offset: int,
        shape: tuple[int, ...] | None = None,
        dtype: str | None = None,
    ) -> StridesSpec:
        """The spec of strides and an offset, under their short spelling."""
        return cls(write_numbers(strides, offset), tuple(strides), offset, shape, dtype)

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        return strided(request, self.strides, self.offset, self.text)


def read(text: str) -> StridesSpec:
    """The spec of strides and an offset in elements. Errors: LayoutError with the position."""
    return StridesSpec.of_numbers(*parse_numbers(text))


def write_numbers(strides: Sequence[int], offset: int) -> str:
    """``(5, 1)+3``: a Python tuple, then the offset if there is one."""
    return str(tuple(strides)) + (f"+{offset}" if offset else "")


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    """Strides and offset in elements. Errors: CannotSayError."""
    return write_numbers(plain_strides(layout), layout.offset)


def plain_strides(layout: Layout) -> tuple[int, ...]:
    """The strides of a layout. Errors: CannotSayError for a swizzle, blocks or padding."""
    if layout.swizzle is not None:
        raise CannotSayError("strides.swizzle")
    strides = layout.strides
    if strides is None:
        d = next(d for d in range(layout.rank) if len(layout.reachable_digits(d)) > 1)
        raise CannotSayError("strides.blocks", dim=layout.dims[d])
    if layout.padded_shape != layout.shape:
        d = next(d for d in range(layout.rank) if layout.padded_shape[d] != layout.shape[d])
        raise CannotSayError("strides.padding", dim=layout.dims[d])
    return strides


DIALECT = Dialect("strides", "strides", "Strides", _LIST.match, read, write)
