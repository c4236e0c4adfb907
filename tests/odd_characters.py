"""Characters that one reader takes for a blank or a digit and another does not."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from app.engine import LayoutError

Value = TypeVar("Value")

_ALL = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]

CONTROLS = [c for c in _ALL if unicodedata.category(c) == "Cc"]
BLANKS = [c for c in _ALL if c.isspace()]
# What ASCII does not have: digits, and letters that are an ASCII letter in the other case.
DIGITS = [c for c in _ALL[128:] if c.isnumeric()]
SOME_DIGITS = [*"²³¹١٢೩߄３𝟛⑤⁴½Ⅳ五", *DIGITS[::97]]
CASED = [c for c in _ALL[128:] if c.lower().isascii() or c.upper().isascii()]
ODD = [*dict.fromkeys([*CONTROLS, *BLANKS, *SOME_DIGITS, *CASED])]


def inserted(text: str, character: str) -> list[str]:
    """``text`` with the character at each place."""
    return [text[:at] + character + text[at:] for at in range(len(text) + 1)]


def accepted(
    read: Callable[[str], Value], text: str, characters: Iterable[str], fields: str
) -> Iterator[tuple[str, str, Value]]:
    """(character, text, value) of each text that is read with one of the characters in it.

    All others must be refused by a LayoutError that names one of ``fields`` or what is in it.
    """
    for character in characters:
        for other in inserted(text, character):
            try:
                value = read(other)
            except LayoutError as error:
                refused = error.field
            else:
                yield character, other, value
                continue
            assert refused.split("[")[0].split(".")[0] in fields.split(), (refused, repr(other))
