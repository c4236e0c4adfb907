"""Tensors of PyTorch and arrays of NumPy whose values are printed or written.

    values = ("tensor" | "array") "(" nested {"," keyword "=" word} ")"
    nested = "[" {nested | number} "]"

The nesting says the sizes. No layout follows from the values, and a list that is cut with dots says
no sizes.
"""

import re
from collections.abc import Iterator

from .found import Item
from .keys import dtype_in

_VALUES = re.compile(
    r"(?:(?<![\w.])(?P<role>[A-Za-z_]\w{0,60}) = )?(?<![\w.])(?:(?:torch|np|numpy)\.)?"
    r"(?:tensor|array)\(\s{0,9}(?=\[)",
    re.ASCII,
)
_TOKEN = re.compile(r"[\[\],]|[^\s\[\],]+", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:\d|\.\d|nan|inf)[\w.+-]*|True|False", re.ASCII)
# What may follow the values. A view behind them has other sizes.
_KEYWORDS = re.compile(
    r"(?:,\s{1,99}(?:dtype|device|requires_grad|grad_fn)=[\w.:'\"<>]{1,60}){0,4}"
    r",?\s{0,9}\)(?!\s{0,9}[.\[(])",
    re.ASCII,
)


def find_values(text: str) -> Iterator[Item]:
    """The tensors of a text with the sizes of their values, and the type that is named."""
    at = 0
    while found := _VALUES.search(text, at):
        sizes, at = _nested_sizes(text, found.end())
        more = _KEYWORDS.match(text, at)
        if sizes is None or more is None:
            continue
        kind = dtype_in(more[0])
        spans = ((found.start(), more.end()),)
        yield Item(
            found.start(), sizes, kind.dtype if kind else None, role=found["role"], spans=spans
        )


def _nested_sizes(text: str, at: int) -> tuple[tuple[int, ...] | None, int]:
    """The sizes of the list at ``at``, and a position after it; None of what is no whole list of
    numbers, or has rows of different sizes."""
    counts: list[int] = []  # entries of each list that is open, outermost first
    sizes: dict[int, int] = {}  # by depth
    depth = None  # of the numbers
    for found in _TOKEN.finditer(text, at):
        word = found[0]
        if word == "]":
            count = counts.pop()
            if sizes.setdefault(len(counts), count) != count:
                return None, found.end()
            if not counts:
                return tuple(sizes[d] for d in sorted(sizes)), found.end()
        elif word != ",":
            number = _NUMBER.fullmatch(word)
            depth = len(counts) if number and depth is None else depth
            if number is None and word != "[":
                return None, found.end()
            if depth is not None and (len(counts) < depth) == bool(number):
                return None, found.end()
            if counts:
                counts[-1] += 1
            if word == "[":
                counts.append(0)
    return None, len(text)
