"""Sizes that a text leaves open, as batch, None, ? or -1: they are known only at run time.

The sizes beside such a one are not those of a tensor: [3, 640, 640] of [batch, 3, 640, 640].
"""

import re

from ...model.dtypes import find_dtype
from ...model.errors import LayoutError, phrase, unreadable

_LIST = re.compile(r"[(\[{](?P<entries>[^()\[\]{}\n]{1,400})[)\]}]")
_ENTRY = re.compile(r"[^\s,]+(?:\s{1,3}[^\s,]+){0,8}")
_INTEGER = re.compile(r"\d{1,19}", re.ASCII)
_OPEN = re.compile(
    r"-\d{1,19}|\?|\*|(?:\d{1,19}\s?\*\s?)?[A-Za-z_]\w{0,40}(?:\s?[*+/-]{1,2}\s?\w{1,40}){0,4}|(['\"])[^'\"]{0,40}\1",
    re.ASCII,
)
# A name alone as an entry, and a value that the text gives one, as N = 8 or s0: 8.
_NAME = re.compile(r"(?<![\w.='\"*])[A-Za-z_]\w{0,40}(?=\s{0,9}[,)\]}])", re.ASCII)
_GIVEN = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w{0,40})\s?[:=]\s?(?P<value>\d{1,18})(?![\w.\[(])", re.ASCII
)
# The same without brackets, as N x 3 x 224 x 224.
_BEFORE = re.compile(r"(?:(?<![\w.])(?:[A-Z]|s\d{1,3}|\?|None)\s{0,3}(?P<by>[x×,])\s{0,3}|-)\Z")
_BEHIND = re.compile(r"\s{0,3}(?P<by>[x×,])\s{0,3}(?P<entry>[A-Z]|s\d{1,3}|\?|None)(?![\w'.])")


def open_size(text: str, at: int, *, negative: bool = False) -> int | None:
    """Where the list at ``at`` leaves a size open, perhaps as a ``negative`` one; None of other
    lists, or of names alone."""
    listed = _LIST.match(text, at)
    if listed is None:
        return None
    entries = [*_ENTRY.finditer(text, *listed.span("entries"))]
    left = [one for one in entries if not _INTEGER.fullmatch(one[0])]
    if len(left) in {0, len(entries)}:
        return None
    if not negative and any(one[0].startswith("-") for one in left):
        return None
    sizes = all(_OPEN.fullmatch(one[0]) and not find_dtype(one[0].strip("'\"")) for one in left)
    return left[0].start() if sizes else None


def check_sizes(text: str, at: int) -> None:
    """Raise LayoutError where the list at ``at`` leaves a size open."""
    if (unknown := open_size(text, at)) is not None:
        raise refuse_size(text, unknown)


def unknown_size(text: str, start: int, end: int) -> int | None:
    """Where a size stands open beside the numbers at ``start`` and ``end``, None if none does."""
    opened = max(text.rfind(bracket, 0, start + 1) for bracket in "([{")
    if opened >= 0 and (at := open_size(text, opened, negative=True)) is not None:
        return at
    by = "," if "," in text[start:end] else "x×"
    before = _BEFORE.search(text, max(0, start - 20), start)
    if before is not None and (before["by"] or by) in by:
        return before.start()
    behind = _BEHIND.match(text, end)
    return behind.start("entry") if behind is not None and behind["by"] in by else None


def refuse_size(text: str, at: int) -> LayoutError:
    """The error that marks an open size."""
    entry = _OPEN.match(text, at)
    if entry is None or not entry[0].isprintable():
        return unreadable(text, at, phrase("integer"))
    return unreadable(text, at, phrase("paste.static", size=entry[0]))


def with_values(text: str) -> str:
    """The text with the values of its sizes, as N of N = 8, in the lists that they complete."""
    found: dict[str, set[str]] = {}
    for given in _GIVEN.finditer(text):
        found.setdefault(given["name"], set()).add(given["value"])
    values = {name: one for name, (one, *others) in found.items() if not others}
    used: set[str] = set()

    def completed(listed: re.Match[str]) -> str:
        names = _NAME.findall(listed[0])
        if "," not in listed[0] or not names or not values.keys() >= {*names}:
            return listed[0]
        used.update(names)
        return _NAME.sub(lambda one: values[one[0]].ljust(len(one[0])), listed[0])

    text = _LIST.sub(completed, text) if values else text
    return _GIVEN.sub(lambda g: " " * len(g[0]) if g["name"] in used else g[0], text)
