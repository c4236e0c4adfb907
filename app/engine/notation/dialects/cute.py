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
from ...model.errors import LayoutError, Phrase, phrase
from ...model.layout import INT64_MAX, Digit, Layout, Swizzle
from ..dialect import CannotSayError, Dialect
from ..grammar.cursor import MAX_NESTING, Cursor
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_shape, names_for

Nest = int | tuple["Nest", ...]
_SCOPE = r"(?:cute(?:::|\.))?"
_LAYOUT = re.compile(rf"{_SCOPE}(?:make_layout\s*(\()|Layout\s*<)", re.ASCII)
_TUPLE = re.compile(
    rf"(\()|{_SCOPE}(?:make_(?:shape|stride|tuple)\s*(\()|(?:Shape|Stride|tuple)\s*<)", re.ASCII
)
_STATIC = re.compile(rf"{_SCOPE}(?:Int|C)\s*<", re.ASCII)
_ORDER = re.compile(rf"{_SCOPE}(?:(LayoutRight|GenRowMajor)|LayoutLeft|GenColMajor)\b", re.ASCII)
# A pair of shape and strides, or a swizzle or pointer in front.
_FORM = re.compile(
    r"[0-9(_-][0-9(),_\s-]*:[0-9(),_\s-]+\Z|(?:Swizzle|Sw|S)\s*<|(?:[a-z]mem_)?ptr\["
    r"|(?:cute(?:::|\.))?(?:make_layout\s*\(|(?:Composed)?Layout\s*<|composition\s*\()",
    re.ASCII,
)
_POINTER = re.compile(
    r"(?:[a-z]mem_)?(?P<width>ptr\[(?P<bits>[0-9]{1,3})b\])"
    r"\((?:0x(?P<hex>[0-9a-fA-F]{1,16})|\(nil\)|[\w.]*)\)"
    rf"|{_SCOPE}(?P<flagged>smem_ptr_flag_bits<(?P<flag>[0-9]{{1,3}})>)(?:\{{\}})?",
    re.ASCII,
)
_SWIZZLE = re.compile(rf"{_SCOPE}(?:Swizzle|Sw|S)(?=\s*<)", re.ASCII)
_COMPOSED = re.compile(rf"{_SCOPE}(?:composition\s*(\()|ComposedLayout\s*<)", re.ASCII)
_MOST_BITS = 64
_TYPE_BITS = {8, 16, 32, 64, 128}  # of element types of whole bytes


def _opened(cursor: Cursor, opening: re.Pattern[str]) -> str:
    """Skip an opening; return what closes it, empty if it does not come next."""
    found = opening.match(cursor.rest())
    if found is None:
        return ""
    cursor.at += found.end()
    return ")" if any(found.groups()) else ">"


def _close(cursor: Cursor, closing: str) -> None:
    """Skip ``closing``, and the braces that make a value of a type."""
    cursor.need(closing, phrase("cute.close", closing=closing))
    if cursor.take("{"):
        cursor.need("}")


def _nests(cursor: Cursor) -> tuple[Nest, Nest]:
    """Sizes and strides: column major where the text has none."""
    end = _opened(cursor, _LAYOUT)
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
        _close(cursor, end)
    return sizes, strides


def _integer(cursor: Cursor, expectation: Phrase, *, least: int) -> int:
    """An integer, perhaps static: ``4``, ``_4``, ``_-1``, ``_4{}``, ``Int<4>{}``."""
    if cursor.rest().startswith("?"):
        raise cursor.refuse(phrase("number.static", what=expectation))
    if end := _opened(cursor, _STATIC):
        value = cursor.integer(expectation, least=least)
        _close(cursor, end)
        return value
    static = cursor.take("_")
    value = cursor.integer(expectation, least=least)
    if static:
        cursor.take("{}")
    if cursor.rest().startswith("@"):
        raise cursor.refuse(phrase("cute.strides"))
    return value


def _sizes(cursor: Cursor, depth: int) -> Nest:
    end = _opened(cursor, _TUPLE)
    if not end:
        return _integer(cursor, phrase("cute.sizes"), least=0)
    if depth == MAX_NESTING:
        raise cursor.refuse(phrase("cute.depth", most=MAX_NESTING), cursor.at - 1)
    modes: list[Nest] = []
    while not cursor.rest().startswith(end):
        modes.append(_sizes(cursor, depth + 1))
        if not cursor.take(","):
            break
    _close(cursor, end)
    return tuple(modes)


def _strides(cursor: Cursor, sizes: Nest) -> Nest:
    """Strides in the same form as ``sizes``."""
    start = cursor.at
    end = _opened(cursor, _TUPLE)
    if isinstance(sizes, int):
        if end:
            raise cursor.refuse(phrase("cute.stride"), start)
        return _integer(cursor, phrase("stride"), least=-INT64_MAX)
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
    _close(cursor, end)
    return tuple(strides)


def _compact(sizes: Nest, inside: list[int], *, right: bool = False) -> Nest:
    """Compact strides, leftmost or rightmost fastest; ``inside``: the product so far."""
    if isinstance(sizes, int):
        stride = inside[0]
        inside[0] = stride * sizes
        return min(stride, INT64_MAX)
    way = -1 if right else 1
    return tuple(_compact(size, inside, right=right) for size in sizes[::way])[::way]


@dataclass(frozen=True, slots=True)
class CuteSpec(Spec):
    """The digits of each dimension, outermost first; their extents are the ``shape``.

    ``itemsize``: the bytes of an element behind a pointer, as ``ptr[16b]``, which names no type.
    ``unread``: a pointer's width that is no whole number of bytes."""

    text: str
    shape: tuple[int, ...] = field()
    digits: tuple[tuple[Digit, ...], ...]
    offset: int
    swizzle: Swizzle | None
    itemsize: int | None = field()
    unread: tuple[str, ...] = field()

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        layout = Layout(self.shape, names_for(request), self.digits, self.offset, self.swizzle)
        return Written(layout, self.text)


def read(text: str) -> CuteSpec:
    cursor = Cursor(text)
    composed = _opened(cursor, _COMPOSED)
    swizzle, offset = _composition(cursor, "," if composed else "o")
    sizes, strides = _nests(cursor)
    if composed:
        _close(cursor, composed)
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
    widths = {
        pointer["width"] or pointer["flagged"]: int(pointer["bits"] or pointer["flag"])
        for pointer in _POINTER.finditer(text)
    }
    itemsize = next((bits // 8 for bits in widths.values() if bits in _TYPE_BITS), None)
    unread = () if itemsize else tuple(widths)
    return CuteSpec(spelling, shape, digits, offset, swizzle, itemsize, unread)


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
    _close(cursor, ">")
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
        rf"(?:_?[0-9]+|{_STATIC.pattern}\s*[0-9]+\s*>)\s*(?:\{{\}}\s*)?{joint}",
        cursor.rest(),
        re.ASCII,
    ):
        offset = _integer(cursor, phrase("strides.offset"), least=0)
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
