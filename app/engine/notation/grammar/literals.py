"""Reads Python literals in pasted text without evaluating them. Each value has its position."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...model.errors import phrase, unreadable
from ..dialect import refusal, skip_blanks
from .cursor import CLOSING, MAX_NESTING

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
_INDEX = re.compile(r"\[[0-9]{1,9}\]\s*=(?!=)", re.ASCII)  # before an entry, as lldb prints it
_REPEATS = re.compile(r"\s*<repeats ([0-9]{1,2}) times>", re.ASCII)  # behind an entry, in gdb
_STRING = re.compile(r"'([^'\\\n]*)'|\"([^\"\\\n]*)\"")
_WORD = re.compile(r"None|True|False|nullptr|NULL|null")
_WORDS: Mapping[str, bool | None] = {"True": True, "False": False}
_MAX_DIGITS = 20  # enough for an address in memory


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
    number = _INTEGER.match(text, at)
    if number:
        if number.end() - at > _MAX_DIGITS + 1:
            raise refusal("a number out of range", phrase("integers.digits", most=_MAX_DIGITS), at)
        return Literal(int(number[0]), at), number.end()
    string = _STRING.match(text, at)
    if string:
        return Literal(string[1] if string[1] is not None else string[2], at), string.end()
    word = _WORD.match(text, at)
    if word:
        return Literal(_WORDS.get(word[0]), at), word.end()
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
