"""Shared by the dialects of named dense formats: lists of numbers, similar names, reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ...model.dtypes import ElementType
from ...model.errors import Described, LayoutError, unreadable
from ...model.layout import INT64_MAX, Layout
from ..dialect import CannotSayError, skip_blanks
from ..specs import Entries, Spec

_INTEGER = re.compile(r"-?[0-9]+")


def departure(word: str, names: Iterable[str]) -> int:
    """Length of the longest common prefix of ``word`` and any of ``names``: where to mark it."""
    longest = 0
    for name in names:
        at = 0
        while at < min(len(word), len(name)) and word[at] == name[at]:
            at += 1
        longest = max(longest, at)
    return longest


def bounded_integer(text: str, at: int, *, least: int, most: int, what: str) -> tuple[int, int]:
    """The integer at ``at`` and the position after it. Errors: LayoutError with the position."""
    found = _INTEGER.match(text, at)
    if found is None:
        raise unreadable(text, at, what)
    value = int(found[0]) if found.end() - at <= len(str(INT64_MAX)) + 1 else INT64_MAX + 1
    if not least <= value <= most:
        raise LayoutError(
            "layout",
            Described("a number out of range"),
            f"{what}, from {least} to {most}",
            position=at,
        )
    return value, found.end()


def braced_integers(text: str, at: int, *, least: int, most: int) -> tuple[list[int], int]:
    """Integers between braces, ``{60, 20, 5, 1}``, and the position after the closing brace.

    Errors: LayoutError with the position.
    """
    if not text.startswith("{", at):
        raise unreadable(text, at, "a list in braces, as in {60, 20, 5, 1}")
    numbers: list[int] = []
    at = skip_blanks(text, at + 1)
    while not text.startswith("}", at):
        if numbers:
            if not text.startswith(",", at):
                raise unreadable(text, at, "a comma or a closing }")
            at = skip_blanks(text, at + 1)
        value, at = bounded_integer(text, at, least=least, most=most, what="an integer")
        numbers.append(value)
        at = skip_blanks(text, at)
    return numbers, at + 1


class NamedSpecs:
    """The specs of a dialect's own names, and which of them is a layout."""

    def __init__(self, specs: Mapping[str, Spec]) -> None:
        self._specs = specs
        self._for_dims = lru_cache(maxsize=64)(self._entries)

    def _entries(self, dims: str) -> Entries[str]:
        return Entries.of(self._specs.items(), dims)

    def first_fit(self, layout: Layout, dtype: ElementType) -> str | None:
        """The first text whose spec gives the addresses of ``layout``, None if there is none."""
        return next(self._for_dims(layout.dims).fitting(layout, dtype), None)

    def fitting(self, layout: Layout, dtype: ElementType, reason: str) -> str:
        """The same. Errors: CannotSayError with a simple reason, else ``reason``."""
        text = self.first_fit(layout, dtype)
        if text is None:
            raise CannotSayError(obstacle(layout) or reason)
        return text


def obstacle(layout: Layout) -> str | None:
    """One sentence: why no dense format has this layout. None if there is no simple reason."""
    strides = [g.stride for d in range(layout.rank) for g in layout.reachable_digits(d)]
    if any(s < 0 for s in strides):  # which needs an offset
        return "A dimension has a negative stride, and no named format has one."
    if layout.offset:
        return "The layout has an offset, and a named format starts at address 0."
    if 0 in strides:
        return "A dimension is broadcast with stride 0, and a named format stores every element."
    return None
