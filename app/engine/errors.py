"""LayoutError: the only error that the engine raises for wrong input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


class LayoutError(ValueError):
    """An input value that is not valid.

    ``field`` names the input. The message describes ``value`` but never repeats it, because it
    may be hostile or a megabyte long. ``expectation`` completes the sentence "expected …".
    ``position``: index of the wrong character, from 0, if the value is text.

    >>> from stridescope import LayoutError, parse_layout
    >>> try:
    ...     parse_layout("NCHX", (2, 6, 3, 3))
    ... except LayoutError as error:
    ...     error.field, error.position
    ('layout', 3)
    """

    def __init__(
        self, field: str, value: object, expectation: str, *, position: int | None = None
    ) -> None:
        self.field = field
        self.description = describe_value(value)
        self.expectation = expectation
        self.position = position
        super().__init__(f"{field}: {self.message}")

    @property
    def message(self) -> str:
        """The message without the field, for callers that show the field separately."""
        where = "" if self.position is None else f" at character {self.position + 1}"
        return f"got {self.description}{where}; expected {self.expectation}"

    def under(self, field: str) -> LayoutError:
        """The same error for another ``field``."""
        return LayoutError(
            field, Described(self.description), self.expectation, position=self.position
        )

    def copy(self) -> LayoutError:
        """An equal new error, to raise a cached one again without its old traceback."""
        return self.under(self.field)

    def shifted(self, characters: int) -> LayoutError:
        """The same error for a longer text, with ``characters`` more characters before this one."""
        moved = self.copy()
        if self.position is not None:
            moved.position = self.position + characters
            moved.args = (f"{moved.field}: {moved.message}",)
        return moved

    def within(self, prefix: str) -> LayoutError:
        """The same error with ``prefix.`` before its field."""
        return self.under(f"{prefix}.{self.field}" if self.field else prefix)


class Described(str):
    """A description, which a message shows as it is instead of describing it."""

    __slots__ = ()


def describe_value(value: object) -> str:
    """Type, sign and length of ``value`` in words, without its content."""
    if isinstance(value, Described):
        return str(value)
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return _describe_integer(value)
    if isinstance(value, float):
        return "a fractional number" if value % 1 else "a number written with a fraction"
    if isinstance(value, str):
        return f"text of {_count(len(value), 'character')}"
    if isinstance(value, Mapping):
        return f"an object of {_count(len(value), 'entry', 'entries')}"
    if isinstance(value, Sequence):
        return f"a list of {_count(len(value), 'entry', 'entries')}"
    return f"a value of type {type(value).__name__}"


def _describe_integer(value: int) -> str:
    if value == 0:
        return "zero"
    sign = "negative" if value < 0 else "positive"
    # bit_length instead of str(): Python refuses to print integers over 4,300 digits.
    if value.bit_length() > 4096:
        return f"a {sign} integer of about {round(value.bit_length() * math.log10(2))} digits"
    return f"a {sign} integer of {_count(len(str(abs(value))), 'digit')}"


def _count(n: int, word: str, plural: str | None = None) -> str:
    return f"{n} {word if n == 1 else plural or word + 's'}"
