"""Converts typed arguments to requests of the contract."""

from __future__ import annotations

import re

from ..contract.requests import TensorJson
from ..engine.model.errors import Described, LayoutError, Phrase
from ..engine.model.layout import INT64_MAX
from .refusals import typed

_TOKEN = re.compile(r"\s*(?:([+-]?[0-9]+)|([,x×;])|(\S))")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_MAX_DIGITS = 20


def tensor(
    shape: str, layout: str, dtype: str, dims: str | None = None, elements: int | None = None
) -> TensorJson:
    """The tensor of a shape, a layout in any notation and an element type.

    Errors: LayoutError naming shape; ValidationError.
    """
    sizes = integers(shape, "shape")
    return TensorJson(shape=sizes, layout=layout, dtype=dtype, dims=dims, elements=elements)


def integers(text: str, field: str) -> list[int]:
    """The integers in ``2,64,3,3``, ``2x64x3x3``, ``2 64 3 3`` or ``(2, 64, 3, 3)``.

    ``()`` gives an empty list. Errors: LayoutError naming ``field``, with the position.
    """
    with typed({field: text}):
        return _integers(text, field)


def _integers(text: str, field: str) -> list[int]:
    at, end = _inside_brackets(text)
    numbers: list[int] = []
    separated = True
    while text[at:end].strip():
        token = _TOKEN.match(text, at, end)
        assert token is not None  # the last alternative matches any character
        start = token.start(token.lastindex or 0)
        number, separator, _ = token.groups()
        if number is not None and (separated or text[start - 1].isspace()):
            numbers.append(_bounded(number, field, start))
            separated = False
        elif separator is not None and not separated:
            separated = True
        else:
            expected = Phrase("integers.text", "integers such as 2,64,3,3 or 2x64x3x3")
            raise LayoutError(field, Described("an unexpected character"), expected, position=start)
        at = token.end()
    return numbers


def _inside_brackets(text: str) -> tuple[int, int]:
    stripped = text.strip()
    if len(stripped) > 1 and _BRACKETS.get(stripped[0]) == stripped[-1]:
        return text.index(stripped[0]) + 1, text.rindex(stripped[-1])
    return 0, len(text)


def _bounded(digits: str, field: str, position: int) -> int:
    value = int(digits) if len(digits) <= _MAX_DIGITS else None
    if value is None or not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise LayoutError(
            field,
            Described(f"an integer of {len(digits.lstrip('+-'))} digits")
            if value is None
            else value,
            Phrase("integers.int64", "integers from -2^63 to 2^63-1"),
            position=position,
        )
    return value
