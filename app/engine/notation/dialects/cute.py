"""CuTe: nested ``shape:stride``, in elements, with at most one swizzle in front.

Grammar:

    text    = [pointer "o"] [swizzle "o" [(offset | pointer) "o"]] layout
            | swizzle "_" pointer "o" layout
            | ("composition(" | "ComposedLayout<") swizzle "," [offset | pointer ","] layout end
    swizzle = ("Swizzle" | "Sw" | "S") "<" bits "," base "," shift ">"
    layout  = nest [":" nest] | ("make_layout(" | "Layout<") nest ["," (nest | order)] end
    order   = "LayoutLeft" | "LayoutRight" | "GenColMajor" | "GenRowMajor"
    nest    = integer | open [nest {"," nest}] end
    open    = "(" | "make_shape(" | "make_stride(" | "make_tuple(" | "Shape<" | "Stride<" | "tuple<"
    integer = ["_"] ["-"] digits | ("Int" | "C") "<" digits ">"
    pointer = [letter "mem_"] "ptr[" digits "b](" [address] ")" | "smem_ptr_flag_bits<" digits ">"

    The two nests of a layout have the same form. The modes of the outermost parentheses are the
    logical dimensions; ``4:1`` without parentheses has one. Integers may be static (``_4``), as C++
    prints them. Types may end in ``{}`` and begin with ``cute::``.

Example: ((2,2),3):((1,6),2) with shape (4, 3)

Trap: inside a mode the leftmost submode changes fastest (colexicographic), so it is the innermost
digit. A shape without strides, ``cute:(2,3)``, is column major. There is no padding: the shape in
the text is the whole tensor. An offset is part of the pointer, unless a swizzle comes before it.
A swizzle before a pointer is of bytes: Sw<3,4,3> o smem_ptr[16b] moves elements as Swizzle<3,3,3>.
An address that is no multiple of the swizzle's period counts as the offset in it. Python writes
``(2,)`` for a tuple with one element.

Source: CUTLASS include/cute/layout.hpp, swizzle.hpp and swizzle_layout.hpp; pycute/layout.py.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...model.dtypes import ElementType
from ...model.errors import LayoutError
from ...model.layout import Digit, Layout, Swizzle
from ..dialect import CannotSayError, Dialect
from ..grammar.cursor import Cursor
from ..grammar.nests import SCOPE, STATIC, Nest, close, integer, opened, read_nests
from ..orders import DigitOrder
from ..phrases import phrase
from ..specs import Request, Spec, Written, match_shape, names_for

# A pair of shape and strides, or a swizzle or pointer in front.
_FORM = re.compile(
    r"[0-9(_-][0-9(),_\s-]*:[0-9(),_\s-]+\Z|(?:Swizzle|Sw|S)\s*<|(?:[a-z]mem_)?ptr\["
    r"|(?:cute(?:::|\.))?(?:make_layout\s*\(|(?:Composed)?Layout\s*<|composition\s*\()",
    re.ASCII,
)
_POINTER = re.compile(
    r"(?:[a-z]mem_)?(?P<width>ptr\[(?P<bits>[0-9]{1,3})b\])"
    r"\((?:0x(?P<hex>[0-9a-fA-F]{1,16})|[\w.]*)\)"
    rf"|{SCOPE}(?P<flagged>smem_ptr_flag_bits<(?P<flag>[0-9]{{1,3}})>)(?:\{{\}})?",
    re.ASCII,
)
_SWIZZLE = re.compile(rf"{SCOPE}(?:Swizzle|Sw|S)(?=\s*<)", re.ASCII)
_COMPOSED = re.compile(rf"{SCOPE}(?:composition\s*(\()|ComposedLayout\s*<)", re.ASCII)
_MOST_BITS = 64


@dataclass(frozen=True, slots=True)
class CuteSpec(Spec):
    """The digits of each dimension, outermost first; their extents are the ``shape``.

    ``unread``: the pointer's width of an element, as ``ptr[16b]``, which names no type."""

    text: str
    shape: tuple[int, ...] = field()
    digits: tuple[tuple[Digit, ...], ...]
    offset: int
    swizzle: Swizzle | None
    unread: tuple[str, ...] = field(default=())

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        layout = Layout(self.shape, names_for(request), self.digits, self.offset, self.swizzle)
        return Written(layout, self.text)


def read(text: str) -> CuteSpec:
    """The spec of nested shape and strides. Errors: LayoutError with the position."""
    cursor = Cursor(text)
    composed = opened(cursor, _COMPOSED)
    swizzle, offset = _composition(cursor, "," if composed else "o")
    sizes, strides = read_nests(cursor)
    if composed:
        close(cursor, composed)
    if cursor.take("o"):
        raise cursor.refuse(phrase("cute.end"), cursor.at - 1)
    cursor.end()
    spelling = text if _FORM.match(text) else f"cute:{text}"
    modes = zip(_listed(sizes), _listed(strides), strict=True)
    digits = tuple(
        tuple(map(Digit, _flat(size), _flat(stride)))[::-1] or (Digit(1, 0),)
        for size, stride in modes
    )
    shape = tuple(math.prod(g.extent for g in mode) for mode in digits)
    pointers = _POINTER.finditer(text)
    unread = tuple(pointer["width"] or pointer["flagged"] for pointer in pointers)
    return CuteSpec(spelling, shape, digits, offset, swizzle, unread)


def _composition(cursor: Cursor, joint: str) -> tuple[Swizzle | None, int]:
    """The swizzle and the offset in front of a layout, ``joint`` between them."""
    if pointer := _POINTER.match(cursor.rest()):
        cursor.at += pointer.end()
        cursor.need(joint)
    name = _SWIZZLE.match(cursor.rest())
    if name is None:
        return None, 0
    start = cursor.at
    cursor.at += name.end()
    cursor.need("<")
    bits = cursor.integer(phrase("cute.bits"), most=_MOST_BITS)
    cursor.need(",")
    base = cursor.integer(phrase("cute.base"), most=_MOST_BITS)
    cursor.need(",")
    shift = cursor.integer(phrase("cute.shift"), least=-_MOST_BITS, most=_MOST_BITS)
    close(cursor, ">")
    if not cursor.take("_"):
        cursor.need(joint, phrase("cute.swizzled"))
    offset = 0
    try:
        swizzle = Swizzle(bits, base, shift)
    except LayoutError as error:
        raise cursor.refuse(error.expectation, start) from None
    if pointer := _POINTER.match(cursor.rest()):
        swizzle, offset = _of_elements(cursor, swizzle, pointer)
        cursor.at += pointer.end()
        cursor.need(joint)
    elif re.match(
        rf"(?:_?[0-9]+|{STATIC.pattern}\s*[0-9]+\s*>)\s*(?:\{{\}}\s*)?{joint}",
        cursor.rest(),
        re.ASCII,
    ):
        offset = integer(cursor, phrase("strides.offset"), least=0)
        cursor.need(joint)
    if _SWIZZLE.match(cursor.rest()):
        raise cursor.refuse(phrase("cute.one_swizzle"))
    return swizzle, offset


def _of_elements(cursor: Cursor, swizzle: Swizzle, pointer: re.Match[str]) -> tuple[Swizzle, int]:
    """The swizzle of bytes behind a pointer, as one of elements, and the pointer's offset in it.
    Source: cute/pointer_flagged.hpp, as_position_independent_swizzle_layout."""
    bits = int(pointer["bits"] or pointer["flag"])
    down = bits.bit_length() - 4  # elements of 8 bits change nothing
    if bits.bit_count() != 1 or down > swizzle.base:
        raise cursor.refuse(phrase("cute.pointer"))
    period = 1 << (swizzle.bits + swizzle.base + abs(swizzle.shift))
    address = int(pointer["hex"] or "0", 16) % period * 8
    if address % bits:
        raise cursor.refuse(phrase("cute.address", bits=bits))
    return Swizzle(swizzle.bits, swizzle.base - down, swizzle.shift), address // bits


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
            raise CannotSayError("cute.padding", dim=layout.dims[d], padded=padded)
    front = ""
    if layout.swizzle is not None:
        s = layout.swizzle
        front = f"Swizzle<{s.bits},{s.base},{s.shift}> o {layout.offset} o "
    elif layout.offset:
        raise CannotSayError("cute.offset")
    sizes = [_nested([g.extent for g in reversed(digits)]) for digits in layout.digits]
    strides = [_nested([g.stride for g in reversed(digits)]) for digits in layout.digits]
    if layout.rank == 1 and len(layout.digits[0]) == 1:
        return f"{front}{sizes[0]}:{strides[0]}"
    return f"{front}({','.join(sizes)}):({','.join(strides)})"


def _nested(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"({','.join(map(str, numbers))})"


DIALECT = Dialect("cute", "CuTe", "Compilers", _FORM.match, read, write, says_swizzle=True)
