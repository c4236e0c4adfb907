"""Tokens of a dialect's text, read by a cursor, and Python's literals in pasted text.

Nothing is evaluated. What is wrong is marked by its position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.layout import INT64_MAX
from ..dialect import TEXT_END, refusal, skip_blanks

MAX_NESTING = 32
CLOSING = {"(": ")", "[": "]", "{": "}"}
_Item = TypeVar("_Item")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+")
_INDEX = re.compile(r"\[[0-9]{1,9}\]\s*=(?!=)", re.ASCII)  # before an entry, as lldb prints it
_REPEATS = re.compile(r"\s*<repeats ([0-9]{1,2}) times>", re.ASCII)  # behind an entry, in gdb
_STRING = re.compile(r"'([^'\\\n]*)'|\"([^\"\\\n]*)\"")
_CONSTANT = re.compile(r"None|True|False|nullptr|NULL|null")
_CONSTANTS: Mapping[str, bool | None] = {"True": True, "False": False}
_MAX_DIGITS = 20  # enough for an address in memory


class Cursor:
    """A position in a text. Every method skips blanks first."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def rest(self) -> str:
        self.at = skip_blanks(self.text, self.at)
        return self.text[self.at :]

    def take(self, token: str) -> bool:
        """Skip ``token`` if it comes next; return whether it did."""
        found = self.rest().startswith(token)
        self.at += len(token) if found else 0
        return found

    def need(self, token: str, expectation: Phrase | None = None) -> None:
        """Skip ``token``. Errors: LayoutError if it does not come next."""
        if not self.take(token):
            raise self.refuse(expectation or phrase("token", token=token))

    def word(self) -> str:
        """Read an identifier; return an empty text if none comes next."""
        self.rest()
        found = _WORD.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def integer(self, expectation: Phrase, *, least: int = 0, most: int = INT64_MAX) -> int:
        """Read an integer from ``least`` to ``most``. Errors: LayoutError if there is none."""
        self.rest()
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise self.refuse(expectation)
        value = int(found[0][:21])
        signed = found[0].startswith("-") and least >= 0  # -0 is no size
        if len(found[0]) > 21 or signed or not least <= value <= most:
            low, high = _power(least), _power(most)
            wanted = phrase("integer.of", what=expectation, low=low, high=high)
            raise refusal("a number out of range", wanted, self.at)
        self.at = found.end()
        return value

    def listed(self, close: str, item: Callable[[], _Item], expectation: Phrase) -> list[_Item]:
        """Read items with commas between them, up to and with ``close``. Errors: LayoutError, with
        ``expectation`` where neither a comma nor ``close`` comes next."""
        items: list[_Item] = []
        while not self.take(close):
            if items:
                self.need(",", expectation)
            items.append(item())
        return items

    def end(self, expectation: Phrase = TEXT_END) -> None:
        """Raise LayoutError unless this is the end of the text."""
        if self.rest():
            raise self.refuse(expectation)

    def refuse(self, expectation: Phrase, at: int | None = None) -> LayoutError:
        """The error that marks character ``at``, by default the next one."""
        self.rest()
        return unreadable(self.text, self.at if at is None else at, expectation)


def _power(value: int) -> str:
    return {INT64_MAX: "2^63-1", -INT64_MAX: "-(2^63-1)"}.get(value, str(value))


@dataclass(frozen=True, slots=True)
class Literal:
    """A value and the position of its first character."""

    value: int | bool | str | tuple[Literal, ...] | Mapping[str, Literal] | None
    at: int

    def integers(self, text: str) -> tuple[int, ...]:
        """The integers of a flat list. Errors: LayoutError at the entry that is not an integer."""
        if not isinstance(self.value, tuple):
            raise unreadable(text, self.at, phrase("integers.list"))
        return tuple(entry.integer(text) for entry in self.value)

    def integer(self, text: str) -> int:
        """The integer itself. Errors: LayoutError at its position."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise unreadable(text, self.at, phrase("integer"))
        return self.value


def read_literal(text: str, at: int = 0, *, depth: int = 0) -> tuple[Literal, int]:
    """The literal at ``at`` and the position after it.

    Integers, strings without escapes, None, True, False, C's null, and tuples, lists and dicts of
    these. Braces around plain values are a list in C. Errors: LayoutError with the position.
    """
    at = skip_blanks(text, at)
    if depth > MAX_NESTING:
        raise unreadable(text, at, phrase("literal.depth", most=MAX_NESTING))
    number = _NUMBER.match(text, at)
    if number:
        if number.end() - at > _MAX_DIGITS + 1:
            raise refusal("a number out of range", phrase("integers.digits", most=_MAX_DIGITS), at)
        return Literal(int(number[0]), at), number.end()
    string = _STRING.match(text, at)
    if string:
        return Literal(string[1] if string[1] is not None else string[2], at), string.end()
    word = _CONSTANT.match(text, at)
    if word:
        return Literal(_CONSTANTS.get(word[0]), at), word.end()
    if text[at : at + 1] in CLOSING and at < len(text):
        return _bracketed(text, at, depth)
    raise unreadable(text, at, phrase("literal"))


def _bracketed(text: str, start: int, depth: int) -> tuple[Literal, int]:
    closing = CLOSING[text[start]]
    entries: list[Literal] = []
    named: dict[str, Literal] = {}
    at = skip_blanks(text, start + 1)
    while not text.startswith(closing, at):
        if index := _INDEX.match(text, at):
            at = index.end()
        entry, at = read_literal(text, at, depth=depth + 1)
        at = skip_blanks(text, at)
        if closing == "}" and isinstance(entry.value, str) and text.startswith(":", at):
            named[entry.value], at = read_literal(text, at + 1, depth=depth + 1)
            at = skip_blanks(text, at)
        else:
            repeats = _REPEATS.match(text, at)
            entries += [entry] * (int(repeats[1]) if repeats else 1)
            at = skip_blanks(text, repeats.end() if repeats else at)
        if named and entries:
            raise unreadable(text, entries[-1].at, phrase("key.value"))
        if text.startswith(",", at):
            at = skip_blanks(text, at + 1)
        elif not (text.startswith(closing, at) or (index and _INDEX.match(text, at))):
            raise unreadable(text, at, phrase("literal.closing", closing=closing))
    return Literal(named or tuple(entries), start), at + 1
