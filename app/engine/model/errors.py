"""LayoutError, the only error that the engine raises for wrong input, and its sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

PHRASES: Final = json.loads((Path(__file__).parents[2] / "phrases.json").read_bytes())
_SHOWN_DIGITS: Final = 20  # of a number that a message repeats
_SHOWN_ENTRIES: Final = 8  # of a list of such numbers


class Phrase(str):
    """A sentence, or a part of one, with a ``code`` that stays when the words change.

    ``template`` takes the ``params``, if there are any, by name, as ``str.format`` does; a tuple of
    texts becomes a list with commas. The value is the formatted text. Codes are lower-case words
    with dots between them, and one code has one template.

    >>> found = Phrase("integer.range", "an integer from {low} to {high}", low=0, high=5)
    >>> found, found.code, found.params
    ('an integer from 0 to 5', 'integer.range', {'low': 0, 'high': 5})
    """

    code: str
    params: dict[str, Any]

    def __new__(cls, code: str, template: str, /, **params: Any) -> Self:
        """The text of ``template`` with its ``params``."""
        shown = {k: ", ".join(v) if isinstance(v, tuple) else v for k, v in params.items()}
        found = super().__new__(cls, template.format_map(shown) if params else template)
        found.code, found.params = code, params
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Phrase, (self.code, str(self)), self.__dict__


def phrase(code: str, **params: Any) -> Phrase:
    """The sentence of ``code`` in ``app/phrases.json`` with its ``params``.

    A row completes "expected …", or is a sentence: why a notation cannot write a layout
    (``cannot.``), what a server answers. What stands in its braces is a parameter.
    """
    return Phrase(code, PHRASES[code], **params)


def integer_range(low: int, high: int | str) -> Phrase:
    """The phrase for an integer between two bounds, both allowed; 2^63-1 may be text."""
    return phrase("integer.range", low=low, high=high)


def per_dimension(rank: int) -> Phrase:
    """The phrase for a list of integers that is as long as the rank."""
    return phrase("integers.per_dimension", rank=rank)


def one_of(names: Iterable[str]) -> Phrase:
    """The phrase for one name of several."""
    return phrase("one_of", names=tuple(names))


POSITIVE: Final = phrase("integer.positive")
FROM_ZERO: Final = phrase("integer.from_zero")
SIZE: Final = phrase("size")


class LayoutError(ValueError):
    """An input value that is not valid.

    ``field`` names the input. The message repeats short numbers and short lists of them. It
    describes every other ``value``, because it may be hostile or a megabyte long. ``expectation``
    completes the sentence "expected …"; ``code`` and ``params`` are its own. ``position``: index of
    the wrong character, from 0, if the value is text. ``suggestion``: a valid value that the caller
    may have meant.

    >>> from stridescope import LayoutError, parse_layout
    >>> try:
    ...     parse_layout("NCHX", (2, 6, 3, 3))
    ... except LayoutError as error:
    ...     error.field, error.position
    ('layout', 3)
    """

    def __init__(
        self,
        field: str,
        value: object,
        expectation: Phrase,
        *,
        position: int | None = None,
        suggestion: str | None = None,
    ) -> None:
        self.field = field
        self.description = describe_value(value)
        self.expectation = expectation
        self.position = position
        self.suggestion = suggestion
        super().__init__(f"{field}: {self.message}")

    @property
    def code(self) -> str:
        """The code of the expectation, which stays when its words change."""
        return self.expectation.code

    @property
    def params(self) -> dict[str, Any]:
        """The numbers and names of the expectation, by their names in its sentence."""
        return self.expectation.params

    @property
    def message(self) -> str:
        """The message without the field, for callers that show the field separately."""
        where = "" if self.position is None else f" at character {self.position + 1}"
        meant = "" if self.suggestion is None else f" (did you mean {self.suggestion}?)"
        return f"got {self.description}{where}{meant}; expected {self.expectation}"

    def _changed(self, **changes: Any) -> LayoutError:
        own = {"field": self.field, "position": self.position, "suggestion": self.suggestion}
        value = Described(self.description)
        return LayoutError(value=value, expectation=self.expectation, **{**own, **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(LayoutError, position=self.position, suggestion=self.suggestion)
        return make, (self.field, Described(self.description), self.expectation)

    def copy(self) -> LayoutError:
        """An equal new error, to raise a cached one again without its old traceback."""
        return self._changed()

    def under(self, field: str) -> LayoutError:
        """The same error for another ``field``."""
        return self._changed(field=field)

    def suggesting(self, suggestion: str | None) -> LayoutError:
        """The same error with another suggestion."""
        return self._changed(suggestion=suggestion)

    def shifted(self, characters: int) -> LayoutError:
        """The same error for a longer text, with ``characters`` more characters before this one.

        Without a position it is at the first character of the shorter text.
        """
        return self._changed(position=(self.position or 0) + characters)

    def within(self, prefix: str) -> LayoutError:
        """The same error with ``prefix.`` before its field."""
        return self.under(f"{prefix}.{self.field}" if self.field else prefix)


class Described(str):
    """A description, which a message shows as it is instead of describing it."""

    __slots__ = ()


def refusal(field: str, got: str, code: str, /, **params: Any) -> LayoutError:
    """The error of a field; ``got`` describes it, ``code`` and ``params`` are of a ``phrase``."""
    return LayoutError(field, Described(got), phrase(code, **params))


def unreadable(
    text: str, position: int, expectation: Phrase, *, field: str = "layout"
) -> LayoutError:
    """The error that marks one character of ``text``."""
    what = Described(f"an unexpected {'end' if position >= len(text) else 'character'}")
    return LayoutError(field, what, expectation, position=position)


def shown_name(name: str) -> str:
    """A caller's name as a field shows it: a question mark if it is long or no plain word."""
    return name if len(name) <= 64 and name.isascii() and name.isidentifier() else "?"


def describe_value(value: object) -> str:
    """A short number, or a short list of them, as it is; anything else by type, sign and length."""
    if isinstance(value, Described):
        return str(value)
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return _describe_integer(value)
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str):
        return f"text of {_count(len(value), 'character')}"
    if isinstance(value, Mapping):
        return f"an object of {_count(len(value), 'entry', 'entries')}"
    if isinstance(value, Sequence):
        return _describe_list(value)
    return f"a value of type {type(value).__name__}"


def _describe_integer(value: int) -> str:
    # bit_length instead of str(): Python refuses to print integers over 4,300 digits.
    bits = value.bit_length()
    digits = len(str(abs(value))) if bits <= 4096 else round(bits * math.log10(2))
    if digits <= _SHOWN_DIGITS:
        return str(value)
    sign = "negative" if value < 0 else "positive"
    about = "about " if bits > 4096 else ""
    return f"a {sign} integer of {about}{digits} digits"


def _describe_list(values: Sequence[object]) -> str:
    short = 0 < len(values) <= _SHOWN_ENTRIES and all(
        type(v) is int and abs(v) < 10**_SHOWN_DIGITS for v in values
    )
    if short:
        return f"[{', '.join(map(str, values))}]"
    return f"a list of {_count(len(values), 'entry', 'entries')}"


def _count(n: int, word: str, plural: str | None = None) -> str:
    return f"{n} {word if n == 1 else plural or word + 's'}"
