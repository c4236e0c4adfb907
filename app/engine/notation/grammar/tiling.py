"""Repeated tiling: splits the most minor pieces of memory into padded tiles.

Source: openxla/xla docs/tiled_layout.md, "Tiling as pad-reshape-transpose" and "Repeated tiling".
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.layout import Digit, Layout, checked_product
from ..dialect import MAX_TEXT, CannotSayError
from ..orders import Order
from ..specs import Request, Written, names_for


@dataclass(slots=True, eq=False)
class _Piece:
    """One part of dimension ``d``, cut by tiles: ``extent`` values at one place."""

    d: int
    extent: int


class Tiling:
    """Pieces in memory order (``memory``) and per dimension (``dims``), both outermost first."""

    def __init__(self, shape: Sequence[int], major_to_minor: Sequence[int]) -> None:
        self.dims = [[_Piece(d, size)] for d, size in enumerate(shape)]
        self.memory = [self.dims[d][0] for d in major_to_minor]

    def cut(self, i: int, extent: int) -> bool:
        """Cut piece ``i`` of memory into pieces of ``extent``; return False if they are ragged."""
        outer = self.memory[i]
        pieces = self.dims[outer.d]
        place = pieces.index(outer)
        if outer.extent % extent and any(piece.extent > 1 for piece in pieces[:place]):
            return False
        outer.extent = -(-outer.extent // extent)
        pieces.insert(place + 1, _Piece(outer.d, extent))
        self.memory.append(pieces[place + 1])
        return True

    def layout(self, request: Request, spelling: str) -> Written:
        """The layout of the pieces. Pieces of extent 1 are left out, except outermost ones."""
        strides: dict[int, int] = {}
        inside = 1
        for piece in reversed(self.memory):
            strides[id(piece)] = inside
            inside *= max(piece.extent, 1)
        checked_product("shape", [piece.extent for piece in self.memory])
        kept = [
            [p for k, p in enumerate(pieces) if p.extent != 1 or k == 0] for pieces in self.dims
        ]
        places = {id(p): (d, k) for d, pieces in enumerate(kept) for k, p in enumerate(pieces)}
        digits = tuple(tuple(Digit(p.extent, strides[id(p)]) for p in pieces) for pieces in kept)
        order = tuple(places[id(p)] for p in self.memory if id(p) in places)
        return Written(Layout(request.shape, names_for(request), digits), spelling, order)


def order_of_tiles(major_to_minor: Sequence[int], tiles: Iterable[Sequence[int]]) -> Order | None:
    """The memory order that the tiles make of any sizes, None if it depends on them, or is none.
    Pieces of one element are left out, as ``Tiling.layout`` does."""
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


def dense_order(layout: Layout) -> list[tuple[int, int]]:
    """Digits of extent other than 1, in memory order. Errors: CannotSayError if they are not packed
    from address 0."""
    digits = [(d, k) for d, gs in enumerate(layout.digits) for k, g in enumerate(gs)]

    def of(place: tuple[int, int]) -> Digit:
        return layout.digits[place[0]][place[1]]

    order = [p for p in digits if of(p).extent != 1]
    order.sort(key=lambda p: (-of(p).stride, of(p).extent < 1))
    inside = 1
    for place in reversed(order):
        if of(place).stride != inside:
            raise CannotSayError("xla.gaps")
        inside *= max(of(place).extent, 1)
    if layout.offset:
        raise CannotSayError("xla.offset")
    return order


def tiles_for(
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
