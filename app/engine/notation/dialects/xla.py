"""XLA: ``minor_to_major`` and tiles, with or without the type and the sizes before them.

Grammar:

    text    = type "[" [size {"," size}] "]" [layout] | layout
    layout  = "{" [dim {"," dim}] [":" ["T" tile {tile}] ["E(" bits ")"] ["S(" space ")"]] "}"
    tile    = "(" extent {"," extent} ")"

    The first number is the dimension that changes fastest. A tile with n extents covers the n most
    minor physical dimensions and pads them to whole tiles. The next tile covers the most minor
    dimensions of the result.

Example: f32[3,5]{1,0:T(2,2)} with shape (3, 5)

Trap: ``{1,0}`` is row major, because it lists the innermost dimension first. It is not a list of
strides: {1,0} alone is read as XLA. T(8,128) pads both dimensions. A tile must divide the tile
before it; other tiles are ragged and cannot be split by dimension, and ``*`` merges dimensions.
S is a memory space and changes no address; E is the bits of an element.

Source: openxla/xla docs/tiled_layout.md, xla/layout.cc (Layout::Print), hlo_parser.cc ParseLayout.
"""

import math
import re
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass

from ...model.dtypes import ELEMENT_TYPES, ElementType, by_name_in
from ...model.errors import phrase, unreadable
from ...model.layout import Digit, Layout, checked_product, packed_strides
from ..dialect import MAX_TEXT, CannotSayError, Dialect, outer_order, readable
from ..grammar.cursor import Cursor
from ..orders import DigitOrder, Order
from ..specs import Request, Spec, Written, match_count, match_shape, names_for

_TYPES = by_name_in("xla")
# Types of XLA that the engine does not have. Their layouts can still be read.
_OTHER_TYPE = re.compile(r"[su][12]|f8e3m4|f8e4m3(?:b11fnuz|fnuz)?|f8e5m2fnuz|f8e8m0fnu", re.ASCII)
_TYPED = re.compile(r"(?:pred|token|[a-z]{1,2}[0-9][0-9a-z]*)\s*\[", re.ASCII)
_BRACED = re.compile(r"\{[0-9,\s]*(?:\}|:\s*[A-Z#*])", re.ASCII)
_ATTRIBUTES = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")
_REFUSED = {
    "D": phrase("xla.dense"),
    "L": phrase("xla.padding"),
    "#": phrase("xla.index_type"),
    "*": phrase("xla.pointer_type"),
    "SC": phrase("xla.split"),
    "P": phrase("xla.physical"),
    "M": phrase("xla.prefix"),
}
# Strides or a device directly after the sizes are PyTorch's.
_PYTORCH = re.compile(r"[^\]]*\][\[(a-z]")


def recognises(text: str) -> bool:
    """Whether ``text`` has a type and sizes, or lists each dimension once in braces."""
    if _TYPED.match(text):
        return not _PYTORCH.match(text)
    braced = _BRACED.match(text)
    if braced is None:
        return False
    listed = [n for n in re.split(r"[\s,{}:A-Z#*]+", braced[0]) if n]
    return len(listed) < 100 and sorted(listed, key=lambda n: (len(n), n)) == [
        str(d) for d in range(len(listed))
    ]


@dataclass(slots=True, eq=False)
class _Piece:
    """One part of dimension ``d``, cut by tiles: ``extent`` values at one place."""

    d: int
    extent: int
    stride: int = 0


def _order_of_tiles(major_to_minor: Sequence[int], tiles: Iterable[Sequence[int]]) -> Order | None:
    """The memory order that the tiles make of any sizes, None if it depends on them, or is none.
    Pieces of one element are left out, as the spec does."""
    memory: list[tuple[int, int | None]] = [(d, None) for d in major_to_minor]
    inside: dict[int, int] = {}  # per dimension, its innermost piece: an index into memory
    for tile in tiles:
        first = len(memory) - len(tile)
        if first < 0:
            return None
        for i, extent in enumerate(tile, start=first):
            d, whole = memory[i]
            if extent != 1:
                # Pieces stay in the order of their places if only the innermost is cut again.
                if inside.get(d, i) != i or (whole is not None and whole % extent):
                    return None
                memory[i] = (d, None if whole is None else whole // extent)
                inside[d] = len(memory)
            memory.append((d, extent))
    return tuple(piece for piece in memory if piece[1] != 1)


def _dense_order(layout: Layout) -> list[tuple[int, int]]:
    """Digits of extent other than 1, in memory order. Errors: CannotSayError if they are not packed
    from address 0."""
    every = ((d, k, g) for d, gs in enumerate(layout.digits) for k, g in enumerate(gs))
    order = [each for each in every if each[2].extent != 1]
    order.sort(key=lambda each: (-each[2].stride, each[2].extent < 1))
    inside = 1
    for _, _, g in reversed(order):
        if g.stride != inside:
            raise CannotSayError("xla.gaps")
        inside *= max(g.extent, 1)
    if layout.offset:
        raise CannotSayError("xla.offset")
    return [(d, k) for d, k, _ in order]


def _tiles_for(
    layout: Layout, major_to_minor: list[int], order: list[tuple[int, int]]
) -> list[list[int]]:
    """Tiles that move digits inwards until memory has ``order``. Errors: CannotSayError.

    A piece (d, low, high) of memory has the digits low to high-1 of dimension d. The outermost
    digits that come first in memory and need no padding stay where they are. Every other digit is
    cut from the piece that contains it, together with the digits inside it.
    """
    extents = [[g.extent for g in gs] for gs in layout.digits]
    outside = set()
    for d, k in order:
        whole = math.prod(extents[d][1:])
        if k or d in outside or extents[d][0] != -(-layout.shape[d] // max(whole, 1)):
            break
        outside.add(d)
    memory = [(d, 0 if d in outside else -1, len(extents[d])) for d in major_to_minor]
    blocks = [p for p in order if p[1] or p[0] not in outside]
    tiles: list[list[int]] = []
    while blocks:
        cuts: dict[int, int] = {}
        while blocks:
            d, k = blocks[0]
            at = next(
                (i for i, (e, low, high) in enumerate(memory) if e == d and low < k < high), -1
            )
            if at <= max(cuts, default=-1):
                break
            cuts[at] = k
            blocks.pop(0)
        tile = []
        for i in range(min(cuts), len(memory)):
            d, low, high = memory[i]
            k = cuts.get(i, high)
            memory[i] = (d, low, k)
            memory.append((d, k, high))
            tile.append(math.prod(extents[d][k:high]))
        tiles.append(tile)
        if sum(map(len, tiles)) > MAX_TEXT // 2:  # at least two characters each
            raise CannotSayError("text.length", most=MAX_TEXT)
    return tiles


@dataclass(frozen=True, slots=True)
class XlaTile:
    """One tile: its extents, their positions in the text, and that of its parenthesis."""

    extents: tuple[int, ...]
    places: tuple[int, ...] = ()
    opening: int = 0


@dataclass(frozen=True, slots=True)
class XlaSpec(Spec):
    """Dimensions from minor to major (None: the default), tiles, and perhaps type and sizes.
    ``bits``: bits of an element and their position in the text, None if the text has none."""

    text: str
    minor_to_major: tuple[int, ...] | None
    tiles: tuple[XlaTile, ...] = ()
    bits: tuple[int, int] | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None

    def order_for(self, dims: str) -> Order | None:
        major_to_minor = self._major_to_minor(dims)
        if self.shape is not None or self.bits is not None or len(major_to_minor) != len(dims):
            return None
        return _order_of_tiles(major_to_minor, [tile.extents for tile in self.tiles])

    def _major_to_minor(self, dims: Sized) -> Sequence[int]:
        return range(len(dims)) if self.minor_to_major is None else self.minor_to_major[::-1]

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        major_to_minor = self._major_to_minor(request.shape)
        match_count(request, len(major_to_minor))
        # Pieces per dimension and in memory order, both outermost first.
        dims = [[_Piece(d, size)] for d, size in enumerate(request.shape)]
        memory = [dims[d][0] for d in major_to_minor]
        for tile in self.tiles:
            self._cut(dims, memory, tile)
        element = ELEMENT_TYPES[self.dtype] if self.dtype else request.dtype
        if self.bits is not None and self.bits[0] not in (0, element.bits):
            raise unreadable(self._own_text(), self.bits[1], phrase("xla.bits", bits=element.bits))
        extents = [piece.extent for piece in memory]
        for piece, stride in zip(memory, packed_strides(extents), strict=True):
            piece.stride = stride
        checked_product("shape", extents)
        # Pieces of extent 1 are left out, except outermost ones.
        kept = [[p for p in pieces if p.extent != 1 or p is pieces[0]] for pieces in dims]
        digits = tuple(tuple(Digit(p.extent, p.stride) for p in pieces) for pieces in kept)
        order = tuple((p.d, kept[p.d].index(p)) for p in memory if p in kept[p.d])
        return Written(Layout(request.shape, names_for(request), digits), self.text, order)

    def _cut(self, dims: list[list[_Piece]], memory: list[_Piece], tile: XlaTile) -> None:
        """Cut the most minor pieces by one tile. Errors: LayoutError, also if they are ragged."""
        first = len(memory) - len(tile.extents)
        if first < 0:
            raise unreadable(self._own_text(), tile.opening, phrase("xla.tile", most=len(memory)))
        for i, extent in enumerate(tile.extents):
            outer = memory[first + i]
            pieces = dims[outer.d]
            place = pieces.index(outer)
            if outer.extent % extent and any(piece.extent > 1 for piece in pieces[:place]):
                raise unreadable(self._own_text(), tile.places[i], phrase("xla.ragged"))
            outer.extent = -(-outer.extent // extent)
            pieces.insert(place + 1, _Piece(outer.d, extent))
            memory.append(pieces[place + 1])

    def _own_text(self) -> str:
        return self.text.removeprefix("xla:")


def read(text: str) -> XlaSpec:
    cursor = Cursor(text)
    typed = not cursor.rest().startswith("{")
    dtype, own = _typed(cursor) if typed else (None, None)
    if typed and not cursor.rest():
        return XlaSpec(text, None, shape=own, dtype=dtype)
    opened = cursor.at
    listed = _minor_to_major(cursor)
    if own == () and not cursor.rest().startswith(":"):
        raise cursor.refuse(phrase("xla.scalar"), opened)
    if own is not None and len(listed) != len(own):
        raise cursor.refuse(phrase("xla.dimensions", n=len(own)))
    tiles, bits = _attributes(cursor) if cursor.take(":") else ((), None)
    cursor.need("}", phrase("comma.colon_brace") if text[cursor.at - 1] != ")" else None)
    cursor.end()
    return XlaSpec(text if typed else f"xla:{text}", tuple(listed), tiles, bits, own, dtype)


def _typed(cursor: Cursor) -> tuple[str | None, tuple[int, ...]]:
    """Element type, None if the engine does not have it, and sizes: ``f32[2,3]``."""
    start = cursor.at
    name = cursor.word()
    if not name or not cursor.take("["):
        raise cursor.refuse(phrase("xla.layout"), start)
    if name in {"token", "opaque"}:
        raise cursor.refuse(phrase("xla.array", name=name), start)

    def size() -> int:
        if cursor.rest().startswith(("?", "<=")):
            raise cursor.refuse(phrase("xla.static"))
        after = cursor.rest().startswith("]")
        return cursor.integer(phrase("xla.size") if after else phrase("size.one"))

    sizes = cursor.listed("]", size, phrase("comma.bracket"))
    if name not in _TYPES and not _OTHER_TYPE.fullmatch(name):
        raise cursor.refuse(phrase("xla.type"), 0)
    return _TYPES[name].name if name in _TYPES else None, tuple(sizes)


def _minor_to_major(cursor: Cursor) -> list[int]:
    """The dimensions in braces, up to the colon or the closing brace."""
    cursor.need("{")
    listed: list[int] = []
    places: list[int] = []
    while not cursor.rest().startswith(("}", ":")):
        if listed:
            cursor.need(",", phrase("comma.colon_brace"))
            cursor.rest()
        places.append(cursor.at)
        listed.append(cursor.integer(phrase("xla.number")))
    for i, (d, at) in enumerate(zip(listed, places, strict=True)):
        if d >= len(listed) or d in listed[:i]:
            raise cursor.refuse(phrase("xla.each", high=len(listed) - 1), at)
    return listed


def _attributes(cursor: Cursor) -> tuple[tuple[XlaTile, ...], tuple[int, int] | None]:
    """The part after the colon, in XLA's order: the tiles, and the bits of an element."""
    done = -1
    tiles: list[XlaTile] = []
    bits = None
    while not cursor.rest().startswith("}"):
        start = cursor.at
        name = cursor.rest()[0] if cursor.rest().startswith(("#", "*")) else cursor.word()
        if name not in _ATTRIBUTES or _ATTRIBUTES.index(name) <= done:
            raise cursor.refuse(phrase("xla.attributes"), start)
        done = _ATTRIBUTES.index(name)
        if name in _REFUSED:
            raise cursor.refuse(_REFUSED[name], start)
        cursor.need("(")
        if name == "T":
            tiles.append(_tile(cursor))
            while cursor.take("("):
                tiles.append(_tile(cursor))
            continue
        value = cursor.integer(phrase("integer"))
        cursor.need(")")
        if name == "E":
            bits = (value, start)
    return tuple(tiles), bits


def _tile(cursor: Cursor) -> XlaTile:
    """The tile after an opening parenthesis. Errors: LayoutError with the position."""
    opening = cursor.at - 1
    extents: list[int] = []
    places: list[int] = []
    while not extents or cursor.take(","):
        if cursor.rest().startswith("*"):
            raise cursor.refuse(phrase("xla.extent_digit"))
        places.append(cursor.at)
        extents.append(cursor.integer(phrase("xla.extent"), least=1))
    cursor.need(")", phrase("comma.parenthesis"))
    return XlaTile(tuple(extents), tuple(places), opening)


def write(layout: Layout, dtype: ElementType, order: DigitOrder | None) -> str:
    """Type, sizes, ``minor_to_major``, and as few tiles as the memory order needs."""
    major_to_minor = outer_order(layout, order)
    tiles = tuple(
        XlaTile(tuple(tile)) for tile in _tiles_for(layout, major_to_minor, _dense_order(layout))
    )
    if any(extent < 1 for tile in tiles for extent in tile.extents):
        raise CannotSayError("xla.empty")
    minor_to_major = tuple(reversed(major_to_minor))
    tiled = "".join(f"({','.join(map(str, tile.extents))})" for tile in tiles)
    braces = ",".join(map(str, minor_to_major)) + (f":T{tiled}" if tiled else "")
    sizes = ",".join(map(str, layout.shape))
    text = readable(f"{dtype.xla}[{sizes}]" + (f"{{{braces}}}" if layout.rank else ""))
    if not XlaSpec(text, minor_to_major, tiles).is_layout(layout, dtype):
        raise CannotSayError("xla.padding")
    return text


DIALECT = Dialect("xla", "XLA", "Compilers", recognises, read, write)
