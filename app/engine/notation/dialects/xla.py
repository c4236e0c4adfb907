"""XLA: ``minor_to_major`` and tiles, alone or behind the type and the sizes.

Grammar:

    text    = type "[" [size {"," size}] "]" [layout] | layout
    layout  = "{" [dim {"," dim}] [":" ["T" tile {tile}] ["E(" bits ")"] ["S(" space ")"]] "}"
    tile    = "(" extent {"," extent} ")"

    The first number is the dimension that runs fastest. A tile covers as many of the most minor
    physical dimensions as it has extents and pads them to whole tiles; the next tile covers the
    most minor dimensions of what the tile before it made.

Example: f32[3,5]{1,0:T(2,2)} with shape (3, 5)

Trap: ``{1,0}`` is row major, for it lists from the inside out, and it is not a list of strides,
so {1,0} alone is read as XLA's. T(8,128) pads both dimensions. Only tiles that divide the
tile before them separate per dimension: others are ragged, and ``*`` merges dimensions. S is a
memory space and moves no address; E is the bits of an element.

Source: openxla/xla docs/tiled_layout.md, xla/layout.cc (Layout::Print), hlo_parser.cc ParseLayout.
"""

from __future__ import annotations

import re

from ...dtypes import ELEMENT_TYPES, ElementType
from ...errors import LayoutError
from ...layout import Layout
from ..dialect import CannotSayError, Dialect, TensorText, outer_order, readable, same_addresses
from ..grammar.cursor import Cursor, match_shape
from ..grammar.tiling import Tiling, dense_order, tiles_for

_TYPES = {
    "pred": "bool",
    **{f"s{bits}": f"int{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (4, 8, 16, 32, 64)},
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "bfloat16",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}
_NAMES = {name: xla for xla, name in _TYPES.items()}
# What XLA has and the engine has no element type for: the layout is read all the same.
_OTHER_TYPES = frozenset(
    (
        "c64",
        "c128",
        "s1",
        "s2",
        "u1",
        "u2",
        "f4e2m1fn",
        "f8e3m4",
        "f8e4m3",
        "f8e4m3b11fnuz",
        "f8e4m3fnuz",
        "f8e5m2fnuz",
        "f8e8m0fnu",
    )
)
_TYPED = re.compile(r"(?:pred|token|[a-z]{1,2}[0-9][0-9a-z]*)\s*\[", re.ASCII)
_BRACED = re.compile(r"\{[0-9,\s]*(?:\}|:\s*[A-Z#*])", re.ASCII)
_ATTRIBUTES = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")
_REFUSED = {
    "D": "a dense array: D(...) is sparse storage",
    "L": "no L(...): padding of the tail belongs to no dimension",
    "#": "a dense array: #(...) is the index type of sparse storage",
    "*": "a dense array: *(...) is the pointer type of sparse storage",
    "SC": "no SC(...): a split array lies in several memories",
    "P": "no P(...): a physical shape of its own is no map of addresses",
    "M": "no M(...): a prefix of bytes with dynamic sizes is no offset in elements",
}


def recognises(text: str) -> bool:
    """Whether ``text`` has a type and sizes, or lists each dimension once in braces."""
    if _TYPED.match(text):
        return True
    braced = _BRACED.match(text)
    if braced is None:
        return False
    listed = [n for n in re.split(r"[\s,{}:A-Z#*]+", braced[0]) if n]
    return len(listed) < 100 and sorted(listed, key=lambda n: (len(n), n)) == [
        str(d) for d in range(len(listed))
    ]


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of ``minor_to_major`` and tiles; errors mark the character at fault."""
    cursor = Cursor(text)
    element = tensor.dtype
    if not cursor.rest().startswith("{"):
        name, own = _typed(cursor)
        if name not in _TYPES and name not in _OTHER_TYPES:
            raise cursor.refuse("an element type of XLA's, as f32, bf16, s8 or pred", 0)
        element = ELEMENT_TYPES[_TYPES[name]] if name in _TYPES else element
        cursor.rest()
        opened = cursor.at
        listed = _minor_to_major(cursor) if cursor.at < len(text) else None
        if listed is not None and not own and not cursor.rest().startswith(":"):
            raise cursor.refuse("the end of the text: a scalar has no braces without tiles", opened)
        if listed is not None and len(listed) != len(own):
            raise cursor.refuse(f"{len(own)} dimensions in braces, as many as sizes")
        match_shape(own, tensor)
    else:
        listed = _minor_to_major(cursor)
        if len(listed) != len(tensor.shape):
            raise LayoutError("shape", tensor.shape, f"{len(listed)} sizes for this layout")
    major_to_minor = range(len(tensor.shape)) if listed is None else listed[::-1]
    tiling = Tiling(tensor.shape, major_to_minor)
    if listed is not None:
        if cursor.take(":"):
            _attributes(cursor, tiling, element)
        cursor.need("}", "a comma, a colon or }" if text[cursor.at - 1] != ")" else "}")
    cursor.end()
    return tiling.layout(tensor, f"xla:{text}" if text.startswith("{") else text)


def _typed(cursor: Cursor) -> tuple[str, tuple[int, ...]]:
    """Element type and sizes: ``f32[2,3]``."""
    start = cursor.at
    name = cursor.word()
    if not name or not cursor.take("["):
        raise cursor.refuse("a layout such as {1,0}, or a shape such as f32[2,3]{1,0}", start)
    if name in {"token", "opaque"}:
        raise cursor.refuse(f"an array: {name} has no elements", start)
    sizes: list[int] = []
    while not cursor.take("]"):
        if cursor.rest().startswith(("?", "<=")):
            raise cursor.refuse("a static size: ? and <= are known only at run time")
        sizes.append(cursor.integer("a size"))
        if not cursor.take(","):
            cursor.need("]", "a comma or ]")
            break
        if cursor.rest().startswith("]"):
            raise cursor.refuse("a size behind the comma")
    return name, tuple(sizes)


def _minor_to_major(cursor: Cursor) -> list[int]:
    """The dimensions in braces, up to the colon or the brace."""
    cursor.need("{")
    listed: list[int] = []
    places: list[int] = []
    while not cursor.rest().startswith(("}", ":")):
        if listed:
            cursor.need(",", "a comma, a colon or }")
            cursor.rest()
        places.append(cursor.at)
        listed.append(cursor.integer("the number of a dimension"))
    for i, (d, at) in enumerate(zip(listed, places, strict=True)):
        if d >= len(listed) or d in listed[:i]:
            raise cursor.refuse(f"each dimension from 0 to {len(listed) - 1} once", at)
    return listed


def _attributes(cursor: Cursor, tiling: Tiling, element: ElementType) -> None:
    """What stands behind the colon, in XLA's order."""
    done = -1
    while not cursor.rest().startswith("}"):
        start = cursor.at
        name = cursor.rest()[0] if cursor.rest().startswith(("#", "*")) else cursor.word()
        if name not in _ATTRIBUTES or _ATTRIBUTES.index(name) <= done:
            raise cursor.refuse("T(...), then perhaps E(...), S(...), then }", start)
        done = _ATTRIBUTES.index(name)
        if name in _REFUSED:
            raise cursor.refuse(_REFUSED[name], start)
        cursor.need("(")
        if name == "T":
            _tile(cursor, tiling)
            while cursor.take("("):
                _tile(cursor, tiling)
            continue
        value = cursor.integer("an integer")
        cursor.need(")")
        if name == "E" and value not in (0, element.bits):
            raise cursor.refuse(
                f"E({element.bits}): addresses count elements, {element.bits} bits each", start
            )


def _tile(cursor: Cursor, tiling: Tiling) -> None:
    """Cut the most minor pieces by one tile, behind its opening parenthesis."""
    opening = cursor.at - 1
    extents: list[int] = []
    places: list[int] = []
    while not extents or cursor.take(","):
        if cursor.rest().startswith("*"):
            raise cursor.refuse("an extent: * merges dimensions, which no digit of one does")
        places.append(cursor.at)
        extents.append(cursor.integer("the extent of a tile", least=1))
    cursor.need(")", "a comma or )")
    first = len(tiling.memory) - len(extents)
    if first < 0:
        raise cursor.refuse(
            f"a tile of at most {len(tiling.memory)} extents, one per dimension", opening
        )
    for i, (extent, at) in enumerate(zip(extents, places, strict=True)):
        if not tiling.cut(first + i, extent):
            raise cursor.refuse("an extent that divides the tile before it: this is ragged", at)


def _own(text: str) -> tuple[str, tuple[int, ...]] | None:
    try:
        return _typed(Cursor(text))
    except LayoutError:
        return None


def own_shape(text: str) -> tuple[int, ...] | None:
    """The sizes behind the type."""
    own = _own(text)
    return own[1] if own else None


def own_dtype(text: str) -> str | None:
    """The engine's name of the type, where it has that type."""
    own = _own(text)
    return _TYPES.get(own[0]) if own else None


def write(layout: Layout, dtype: ElementType) -> str:
    """Type, sizes, ``minor_to_major``, and as few tiles as make the memory order."""
    major_to_minor = outer_order(layout)
    tiles = tiles_for(layout, major_to_minor, dense_order(layout))
    listed = ",".join(str(d) for d in reversed(major_to_minor))
    tiled = ":T" + "".join(f"({','.join(map(str, tile))})" for tile in tiles) if tiles else ""
    sizes = ",".join(map(str, layout.shape))
    braces = f"{{{listed}{tiled}}}" if layout.rank else ""
    text = readable(f"{_NAMES[dtype.name]}[{sizes}]{braces}")
    try:
        again = parse(text, TensorText(layout.shape, layout.dims, dtype))
    except LayoutError:
        raise CannotSayError("No XLA tile has an extent of 0.") from None
    if not same_addresses(again, layout):
        raise CannotSayError("XLA would pad these sizes differently.")
    return text


DIALECT = Dialect("xla", recognises, parse, write, own_shape=own_shape, own_dtype=own_dtype)
