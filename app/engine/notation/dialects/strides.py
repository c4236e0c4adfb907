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
from ...model.errors import phrase
from ...model.layout import INT64_MAX, Layout
from ..dialect import CannotSayError, Dialect
from ..grammar.cursor import CLOSING, Cursor
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_shape, strided

_NUMBERS = phrase("strides.numbers")
_LIST = re.compile(r"\s*[(\[{]?\s*(-?[0-9]|[)\]}])")  # how a list of integers begins
_NUMBER = re.compile(r"-?[0-9]")
_PLUS = re.compile(r"\+|offset\s*=?")


def parse_numbers(text: str) -> tuple[list[int], int]:
    """Strides and offset of ``text``, in its own unit. Errors: LayoutError with the position."""
    cursor = Cursor(text)
    closing = CLOSING.get(next(filter(cursor.take, CLOSING), ""), "")
    numbers: list[int] = []
    while _NUMBER.match(cursor.rest()):
        numbers.append(cursor.integer(phrase("stride"), least=-INT64_MAX))
        cursor.take(",")
    if closing:
        missing = phrase("strides.closing", closing=closing)
        cursor.need(closing, _NUMBERS if cursor.rest() else missing)
    plus = _PLUS.match(cursor.rest()) if numbers or closing else None
    if plus is None:
        cursor.end(_NUMBERS)
        return numbers, 0
    cursor.at += plus.end()
    found = cursor.integer(phrase("strides.offset"), least=-INT64_MAX)
    cursor.end()
    return numbers, found


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
    return StridesSpec.of_numbers(*parse_numbers(text))


def write_numbers(strides: Sequence[int], offset: int) -> str:
    """``(5, 1)+3``: a Python tuple, then the offset if there is one."""
    return str(tuple(strides)) + (f"+{offset}" if offset else "")


def braces(numbers: Sequence[int]) -> str:
    """The numbers as C lists them: ``{5, 1}``."""
    return "{" + ", ".join(map(str, numbers)) + "}"


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
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
