"""A cursor over a dialect's text. It reads tokens, and marks the token that is wrong."""

import re
from collections.abc import Callable
from typing import TypeVar

from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.layout import INT64_MAX
from ..dialect import TEXT_END, refusal, skip_blanks

MAX_NESTING = 32
CLOSING = {"(": ")", "[": "]", "{": "}"}
_Item = TypeVar("_Item")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+")


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
