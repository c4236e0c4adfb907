"""What every dialect is: a system's name, and how its text is recognised, parsed, written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..dtypes import ElementType
from ..errors import Described, LayoutError
from ..layout import INT64_MAX, Layout

# 52 strides of 20 characters and an offset take 1,166; a regular expression may be quadratic.
MAX_TEXT: Final = 2048  # behind the system and its colon
_LONG_NUMBER = re.compile(r"[0-9]{19,}")
_BLANKS = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class TensorText:
    """What surrounds a layout's text: the logical sizes, their names if given, the type."""

    shape: tuple[int, ...]
    dims: str | None
    dtype: ElementType


class CannotSayError(Exception):
    """A dialect has no words for a layout; the message is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One system's notation.

    ``recognises``: whether an unprefixed text reads as this dialect. ``parse`` raises
    LayoutError with the position at fault. ``write`` raises CannotSayError.
    ``parse(write(x)) == x`` under the ``system:`` prefix. ``says_swizzle``: whether ``write`` is
    asked about layouts with a swizzle at all. ``own_shape`` and ``own_dtype``: what a text that
    carries its own sizes or type says, for callers that have none yet.
    """

    system: str
    recognises: Callable[[str], bool]
    parse: Callable[[str, TensorText], Layout]
    write: Callable[[Layout, ElementType], str]
    says_swizzle: bool = False
    own_shape: Callable[[str], tuple[int, ...] | None] = lambda _text: None
    own_dtype: Callable[[str], str | None] = lambda _text: None


def readable(text: str) -> str:
    """``text``, if it is one that may be read again.

    For a dialect that reads its own text to be sure of it, before that: some take thousands of
    characters for a layout, and reading takes longer than writing. Errors: CannotSayError.
    """
    if len(text) > MAX_TEXT:
        raise CannotSayError(f"It would take more than {MAX_TEXT} characters.")
    if any(int(number) > INT64_MAX for number in _LONG_NUMBER.findall(text)):
        raise CannotSayError("It would take a number beyond 2^63-1.")
    return text


def match_rank(tensor: TensorText, names: str) -> None:
    """Refuse a shape whose rank is not that of the layout's dimensions ``names``."""
    if len(tensor.shape) != len(names):
        listed = ", ".join(names) if names else "none"
        raise LayoutError("shape", tensor.shape, f"{len(names)} sizes ({listed}) for this layout")


def match_dims(tensor: TensorText, canonical: str) -> str:
    """Names of the logical dimensions: those asked for if they are the layout's, else canonical."""
    match_rank(tensor, canonical)
    if tensor.dims is None:
        return canonical
    if sorted(tensor.dims) != sorted(canonical):
        raise LayoutError("dims", tensor.dims, f"the letters {', '.join(canonical)} in any order")
    return tensor.dims


def unreadable(text: str, position: int, expectation: str, *, field: str = "layout") -> LayoutError:
    """Error that marks one character of ``text``."""
    what = Described(f"an unexpected {'end' if position >= len(text) else 'character'}")
    return LayoutError(field, what, expectation, position=position)


def skip_blanks(text: str, at: int) -> int:
    """Position of the first character from ``at`` on that is no blank."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def outer_order(layout: Layout) -> list[int]:
    """Dimensions in memory order, outermost first, by their outermost digits.

    As written where it is known; else by stride, sizes of 1 inside their neighbours.
    """
    if layout.order is not None:
        return [d for d, k in layout.order if k == 0]
    outer = [digits[0] for digits in layout.digits]
    return sorted(range(layout.rank), key=lambda d: (-abs(outer[d].stride), outer[d].extent <= 1))


def same_addresses(a: Layout, b: Layout) -> bool:
    """Whether two layouts of one shape put every element at the same address of equal buffers."""
    return (
        a.offset == b.offset
        and a.shape == b.shape
        and a.swizzle == b.swizzle
        and a.padded_shape == b.padded_shape
        and a.buffer_elements == b.buffer_elements
        and all(a.reachable_digits(d) == b.reachable_digits(d) for d in range(a.rank))
    )
