"""The interface of a dialect: a system's name, and how its text is recognised, read, written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypedDict

from ..model.dtypes import ElementType
from ..model.errors import Described, LayoutError, Phrase, phrase
from ..model.layout import INT64_MAX, Layout
from .orders import DigitOrder
from .specs import Spec

# The longest list, 52 strides of 20 characters and an offset, takes 1,166 characters. The limit
# is needed because the time of a regular expression may grow with the square of the length.
MAX_TEXT: Final = 2048  # without the system and its colon
Family = Literal["Formats", "Strides", "Compilers", "Index expressions"]
_LONG_NUMBER = re.compile(r"[0-9]{19,}")
TEXT_END = phrase("text.end")
_BLANKS = re.compile(r"\s*")


class CannotSayError(Exception):
    """A dialect cannot write a layout; ``code``: of the reason, without ``cannot.``."""

    def __init__(self, code: str, **params: str | int) -> None:
        self.reason = phrase(f"cannot.{code}", **params)
        super().__init__(self.reason)

    @property
    def said(self) -> Notation:
        """The reason with its code, as an answer has it."""
        return {"reason": str(self.reason), "code": self.reason.code, "params": self.reason.params}


class Notation(TypedDict, total=False):
    """A layout in one notation, or the reason why it cannot be written there.

    ``code``, ``params``: of the reason; they stay when its words change.
    """

    text: str
    reason: str
    code: str
    params: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One system's notation.

    ``title``: the system's name as people write it; ``family``: the group that it is listed in.
    ``recognises``: true if a text without a prefix belongs to this dialect. ``read``: returns the
    spec of a text; raises LayoutError with the position. ``writes``: returns the text of a layout;
    raises CannotSayError. Its third argument is the memory order as it was written, which is used
    if sizes of 1 allow several orders. ``says_swizzle``: whether ``writes`` accepts layouts with a
    swizzle. ``words``: names beside those of the catalogue, to suggest for a misspelt one. A text
    that ``writes`` returns reads back with the ``system:`` prefix.
    """

    system: str
    title: str
    family: Family
    recognises: Callable[[str], object]
    read: Callable[[str], Spec]
    writes: Callable[[Layout, ElementType, DigitOrder | None], str]
    says_swizzle: bool = False
    words: tuple[str, ...] = ()

    def attempt(self, text: str) -> Spec | LayoutError:
        """The spec of ``text``, read once and then cached; an error is returned, not raised."""
        return _read(self.system, self.read, text)

    def write(self, layout: Layout, dtype: ElementType, order: DigitOrder | None = None) -> str:
        """The text of ``layout``. Errors: CannotSayError."""
        return self.writes(layout, dtype, order)


@lru_cache(maxsize=4096)
def _read(system: str, read: Callable[[str], Spec], text: str) -> Spec | LayoutError:
    del system  # part of the key
    try:
        return read(text)
    except LayoutError as error:
        return error


def readable(text: str) -> str:
    """Return ``text`` if it is within the limits for reading.

    A dialect that reads its own text as a check calls this first: some texts have thousands of
    characters, and reading takes longer than writing. Errors: CannotSayError.
    """
    if len(text) > MAX_TEXT:
        raise CannotSayError("text.length", most=MAX_TEXT)
    if _LONG_NUMBER.search(text) and any(int(n) > INT64_MAX for n in _LONG_NUMBER.findall(text)):
        raise CannotSayError("text.number")
    return text


def refusal(what: str, expectation: Phrase, at: int) -> LayoutError:
    """The error that describes what is at the character ``at``."""
    return LayoutError("layout", Described(what), expectation, position=at)


def match_end(pattern: re.Pattern[str], text: str, at: int = 0) -> int:
    """The position after what ``pattern`` matches at ``at``, which is ``at`` if it does not."""
    found = pattern.match(text, at)
    return found.end() if found else at


def skip_blanks(text: str, at: int) -> int:
    """Position of the first character at or after ``at`` that is not a blank."""
    return match_end(_BLANKS, text, at)


def skip_comma(text: str, at: int, commas: str = ",") -> int:
    """The position after blanks, one of ``commas`` if it comes next, and blanks."""
    at = skip_blanks(text, at)
    return skip_blanks(text, at + 1) if text[at : at + 1] in tuple(commas) else at


def per_size(sizes: Sequence[int]) -> Phrase:
    """The phrase for strides that are not as many as the sizes."""
    return phrase("strides.per_size", n=len(sizes))


def outer_order(layout: Layout, order: DigitOrder | None = None) -> list[int]:
    """Dimensions in memory order, outermost first, by their outermost digits.

    ``order``: the order as it was written, None to sort by stride. Of dimensions with equal
    strides, those of extent 1 then come last.
    """
    if order is not None:
        return [d for d, k in order if k == 0]
    outer = [digits[0] for digits in layout.digits]
    return sorted(range(layout.rank), key=lambda d: (-abs(outer[d].stride), outer[d].extent <= 1))
