"""CuTe: nested ``shape:stride``, in elements, with at most one swizzle in front.

Grammar:

    text    = [pointer "o"] [swizzle "o" [offset "o"]] layout
    swizzle = ("Swizzle" | "Sw" | "S") "<" bits "," base "," shift ">"
    layout  = nest [":" nest]
    nest    = integer | "(" [nest {"," nest}] ")"
    integer = ["_"] ["-"] digits
    pointer = [letter "mem_"] "ptr[" digits "b](" [address] ")"

    The two nests of a layout have the same form. The modes of the outermost parentheses are the
    logical dimensions; ``4:1`` without parentheses has one. Integers may be static (``_4``), as C++
    prints them.

Example: ((2,2),3):((1,6),2) with shape (4, 3)

Trap: inside a mode the leftmost submode changes fastest (colexicographic), so it is the innermost
digit. A shape without strides, ``cute:(2,3)``, is column major. There is no padding: the shape in
the text is the whole tensor. An offset is part of the pointer, unless a swizzle comes before it.
Python writes ``(2,)`` for a tuple with one element.

Source: CUTLASS include/cute/layout.hpp, swizzle.hpp and swizzle_layout.hpp; pycute/layout.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase
from ...model.layout import INT64_MAX, Digit, Layout, Swizzle
from ..dialect import CannotSayError, Dialect
from ..grammar.cursor import MAX_NESTING, Cursor
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_shape, names_for

# A pair of shape and strides, or a swizzle or pointer in front.
_FORM = re.compile(
    r"[0-9(_-][0-9(),_\s-]*:[0-9(),_\s-]+\Z|(?:Swizzle|Sw|S)\s*<|(?:[a-z]mem_)?ptr\[", re.ASCII
)
_POINTER = re.compile(r"(?:[a-z]mem_)?ptr\[[0-9]+b\]\(\w*\)\s*o\s", re.ASCII)
_SWIZZLE = re.compile(r"(?:Swizzle|Sw|S)(?=\s*<)", re.ASCII)
_MOST_BITS = 64

Nest = int | tuple["Nest", ...]


@dataclass(frozen=True, slots=True)
class CuteSpec(Spec):
    """The digits of each dimension, outermost first; their extents are the ``shape``."""

    text: str
    shape: tuple[int, ...] = field()
    digits: tuple[tuple[Digit, ...], ...]
    offset: int
    swizzle: Swizzle | None

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        layout = Layout(self.shape, names_for(request), self.digits, self.offset, self.swizzle)
        return Written(layout, self.text)


def read(text: str) -> CuteSpec:
    """The spec of nested shape and strides. Errors: LayoutError with the position."""
    cursor = Cursor(text)
    swizzle, offset = _composition(cursor)
    sizes = _sizes(cursor, 0)
    strides = _strides(cursor, sizes) if cursor.take(":") else _column_major(sizes, [1])
    if cursor.take("o"):
        said = "the end: no composition of layouts, only one swizzle in front"
        raise cursor.refuse(Phrase("cute.end", said), cursor.at - 1)
    cursor.end()
    spelling = text if _FORM.match(text) else f"cute:{text}"
    modes = zip(_listed(sizes), _listed(strides), strict=True)
    digits = tuple(
        tuple(map(Digit, _flat(size), _flat(stride)))[::-1] or (Digit(1, 0),)
        for size, stride in modes
    )
    shape = tuple(math.prod(g.extent for g in mode) for mode in digits)
    return CuteSpec(spelling, shape, digits, offset, swizzle)


def _composition(cursor: Cursor) -> tuple[Swizzle | None, int]:
    """The swizzle and the offset in front of a layout."""
    if pointer := _POINTER.match(cursor.rest()):
        cursor.at += pointer.end()
    name = _SWIZZLE.match(cursor.rest())
    if name is None:
        return None, 0
    start = cursor.at
    cursor.at += name.end()
    cursor.need("<")
    bits = cursor.integer(Phrase("cute.bits", "the number of bits"), most=_MOST_BITS)
    cursor.need(",")
    base = cursor.integer(Phrase("cute.base", "the lowest bit"), most=_MOST_BITS)
    cursor.need(",")
    what = Phrase("cute.shift", "the distance of the bits")
    shift = cursor.integer(what, least=-_MOST_BITS, most=_MOST_BITS)
    cursor.need(">")
    try:
        swizzle = Swizzle(bits, base, shift)
    except LayoutError as error:
        raise cursor.refuse(error.expectation, start) from None
    cursor.need("o", Phrase("cute.swizzled", "o and the layout that is swizzled"))
    offset = 0
    if re.match(r"_?([0-9]+)\s*o", cursor.rest(), re.ASCII):
        offset = _integer(cursor, Phrase("strides.offset", "an offset"), least=0)
        cursor.need("o")
    if _SWIZZLE.match(cursor.rest()):
        expected = Phrase("cute.one_swizzle", "one swizzle: more of them do not become one XOR")
        raise cursor.refuse(expected)
    return swizzle, offset


def _integer(cursor: Cursor, expectation: Phrase, *, least: int) -> int:
    """An integer, perhaps static: ``4``, ``_4``, ``_-1``."""
    if cursor.rest().startswith("?"):
        expected = Phrase("number.static", "{what}: ? is known only at run time", what=expectation)
        raise cursor.refuse(expected)
    cursor.take("_")
    value = cursor.integer(expectation, least=least)
    if cursor.rest().startswith("@"):
        said = "strides that are integers: basis elements such as 1@0 give no address"
        raise cursor.refuse(Phrase("cute.strides", said))
    return value


def _sizes(cursor: Cursor, depth: int) -> Nest:
    if not cursor.take("("):
        return _integer(cursor, Phrase("cute.sizes", "a size or a tuple of sizes"), least=0)
    if depth == MAX_NESTING:
        expected = Phrase("cute.depth", "at most {most} nested parentheses", most=MAX_NESTING)
        raise cursor.refuse(expected, cursor.at - 1)
    modes: list[Nest] = []
    while not cursor.take(")"):
        modes.append(_sizes(cursor, depth + 1))
        if not cursor.take(","):
            cursor.need(")", Phrase("comma.parenthesis", "a comma or )"))
            break
    return tuple(modes)


def _strides(cursor: Cursor, sizes: Nest) -> Nest:
    """Strides in the same form as ``sizes``."""
    if isinstance(sizes, int):
        if cursor.rest().startswith("("):
            raise cursor.refuse(Phrase("cute.stride", "one stride, as the shape has one size here"))
        return _integer(cursor, Phrase("stride", "a stride"), least=-INT64_MAX)
    cursor.need("(", Phrase("cute.tuple", "a tuple of {n}, as in the shape", n=len(sizes)))
    strides: list[Nest] = []
    for i, size in enumerate(sizes):
        if i:
            expected = Phrase("cute.comma", "a comma: the shape has {n} modes here", n=len(sizes))
            cursor.need(",", expected)
        strides.append(_strides(cursor, size))
    if sizes:
        cursor.take(",")
    cursor.need(")", Phrase("cute.closing", "): the shape has {n} modes here", n=len(sizes)))
    return tuple(strides)


def _column_major(sizes: Nest, inside: list[int]) -> Nest:
    """Compact strides, leftmost fastest; ``inside`` is the product of the sizes so far."""
    if isinstance(sizes, int):
        stride = inside[0]
        inside[0] = stride * sizes
        return min(stride, INT64_MAX)
    return tuple(_column_major(size, inside) for size in sizes)


def _listed(nest: Nest) -> tuple[Nest, ...]:
    return (nest,) if isinstance(nest, int) else nest


def _flat(nest: Nest) -> Iterator[int]:
    if isinstance(nest, int):
        yield nest
    else:
        for part in nest:
            yield from _flat(part)


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    """``shape:stride``, nested for each dimension with several digits. Errors: CannotSayError."""
    for d, (padded, size) in enumerate(zip(layout.padded_shape, layout.shape, strict=True)):
        if padded != size:
            raise CannotSayError(
                f"Dimension {layout.dims[d]} is padded to {padded}, and CuTe has no padding."
            )
    front = ""
    if layout.swizzle is not None:
        s = layout.swizzle
        front = f"Swizzle<{s.bits},{s.base},{s.shift}> o {layout.offset} o "
    elif layout.offset:
        raise CannotSayError(
            "A CuTe layout maps coordinate 0 to 0: the offset is part of the pointer."
        )
    sizes = [_nested([g.extent for g in reversed(digits)]) for digits in layout.digits]
    strides = [_nested([g.stride for g in reversed(digits)]) for digits in layout.digits]
    if layout.rank == 1 and len(layout.digits[0]) == 1:
        return f"{front}{sizes[0]}:{strides[0]}"
    return f"{front}({','.join(sizes)}):({','.join(strides)})"


def _nested(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"({','.join(map(str, numbers))})"


DIALECT = Dialect("cute", "CuTe", "Compilers", _FORM.match, read, write, says_swizzle=True)
