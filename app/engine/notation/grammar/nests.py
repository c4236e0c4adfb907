"""CuTe's nested sizes and strides, as C++ prints and as C++ and Python write them."""

import re

from ...model.errors import Phrase
from ...model.layout import INT64_MAX
from ..phrases import phrase
from .cursor import MAX_NESTING, Cursor

Nest = int | tuple["Nest", ...]
SCOPE = r"(?:cute(?:::|\.))?"
_LAYOUT = re.compile(rf"{SCOPE}(?:make_layout\s*(\()|Layout\s*<)", re.ASCII)
_TUPLE = re.compile(
    rf"(\()|{SCOPE}(?:make_(?:shape|stride|tuple)\s*(\()|(?:Shape|Stride|tuple)\s*<)", re.ASCII
)
STATIC = re.compile(rf"{SCOPE}(?:Int|C)\s*<", re.ASCII)
_ORDER = re.compile(rf"{SCOPE}(?:(LayoutRight|GenRowMajor)|LayoutLeft|GenColMajor)\b", re.ASCII)


def opened(cursor: Cursor, opening: re.Pattern[str]) -> str:
    """Skip an opening; return what closes it, empty if it does not come next."""
    found = opening.match(cursor.rest())
    if found is None:
        return ""
    cursor.at += found.end()
    return ")" if any(found.groups()) else ">"


def close(cursor: Cursor, closing: str) -> None:
    """Skip ``closing``, and the braces that make a value of a type."""
    cursor.need(closing, phrase("cute.close", closing=closing))
    if cursor.take("{"):
        cursor.need("}")


def read_nests(cursor: Cursor) -> tuple[Nest, Nest]:
    """Sizes and strides: column major where the text has none."""
    end = opened(cursor, _LAYOUT)
    sizes = _sizes(cursor, 0)
    if not cursor.take("," if end else ":"):
        strides = _compact(sizes, [1])
    elif end and (order := _ORDER.match(cursor.rest())):
        cursor.at += order.end()
        cursor.take("{}")
        strides = _compact(sizes, [1], right=order[1] is not None)
    else:
        if end and cursor.take("stride"):
            cursor.need("=")
        strides = _strides(cursor, sizes)
    if end:
        close(cursor, end)
    return sizes, strides


def integer(cursor: Cursor, expectation: Phrase, *, least: int) -> int:
    """An integer, perhaps static: ``4``, ``_4``, ``_-1``, ``_4{}``, ``Int<4>{}``."""
    if cursor.rest().startswith("?"):
        raise cursor.refuse(phrase("number.static", what=expectation))
    if end := opened(cursor, STATIC):
        value = cursor.integer(expectation, least=least)
        close(cursor, end)
        return value
    static = cursor.take("_")
    value = cursor.integer(expectation, least=least)
    if static:
        cursor.take("{}")
    if cursor.rest().startswith("@"):
        raise cursor.refuse(phrase("cute.strides"))
    return value


def _sizes(cursor: Cursor, depth: int) -> Nest:
    end = opened(cursor, _TUPLE)
    if not end:
        return integer(cursor, phrase("cute.sizes"), least=0)
    if depth == MAX_NESTING:
        raise cursor.refuse(phrase("cute.depth", most=MAX_NESTING), cursor.at - 1)
    modes: list[Nest] = []
    while not cursor.rest().startswith(end):
        modes.append(_sizes(cursor, depth + 1))
        if not cursor.take(","):
            break
    close(cursor, end)
    return tuple(modes)


def _strides(cursor: Cursor, sizes: Nest) -> Nest:
    """Strides in the same form as ``sizes``."""
    start = cursor.at
    end = opened(cursor, _TUPLE)
    if isinstance(sizes, int):
        if end:
            raise cursor.refuse(phrase("cute.stride"), start)
        return integer(cursor, phrase("stride"), least=-INT64_MAX)
    if not end:
        raise cursor.refuse(phrase("cute.tuple", n=len(sizes)))
    strides: list[Nest] = []
    for i, size in enumerate(sizes):
        if i:
            cursor.need(",", phrase("cute.comma", n=len(sizes)))
        strides.append(_strides(cursor, size))
    if sizes:
        cursor.take(",")
    if not cursor.rest().startswith(end):
        raise cursor.refuse(phrase("cute.closing", closing=end, n=len(sizes)))
    close(cursor, end)
    return tuple(strides)


def _compact(sizes: Nest, inside: list[int], *, right: bool = False) -> Nest:
    """Compact strides, leftmost or rightmost fastest; ``inside``: the product so far."""
    if isinstance(sizes, int):
        stride = inside[0]
        inside[0] = stride * sizes
        return min(stride, INT64_MAX)
    way = -1 if right else 1
    return tuple(_compact(size, inside, right=right) for size in sizes[::way])[::way]
