"""What each cell shows: its kind, its element, its place in the palette, its text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ..engine.description.owners import ELEMENT, PADDING, SHARED, owners_of
from ..engine.model.address import offset_map, offsets_of, shares_addresses
from ..engine.model.address.search import Budget
from ..engine.model.digits import Digit
from ..engine.model.layout import Int64Array, Layout
from ..engine.notation.slices import Pick, Slice
from .colours import CATEGORIES, FADED, MIDDLE, SHADES, Scale, scheme_of

CellText = Literal["auto", "linear", "letter", "address", "coords"]
UNITS: Final = {"@line": 64, "@page": 4096, "@sector": 32, "@bank": 4}  # bytes, as /cost counts
_BANKS: Final = 32
_SHADES_OF_BANKS: Final = (128, 40, 230, 84)
_SEARCH_STEPS: Final = 1 << 20
_MOST_LISTED: Final = 1 << 20  # elements whose places are listed, where they share addresses
_LETTERS: Final = 26
_MOST_ZEROS: Final = 6


@dataclass(frozen=True, slots=True)
class Look:
    """How a tensor is coloured and labelled; the names are those of the page's link.

    ``colour``: ``auto``, ``linear``, a dimension, or one of UNITS. ``taken``: the slice outside of
    which elements are pale. ``like``: the layout whose channels count. ``item_bits``: of UNITS.
    """

    colour: str = "auto"
    text: CellText = "auto"
    taken: Slice | None = None
    like: Layout | None = None
    item_bits: int = 32


@dataclass(frozen=True, slots=True)
class Cells:
    """n cells. ``kinds`` (n,): indices into KINDS. ``addresses`` (n,). ``coordinates`` (n, rank):
    what the cell stands for, of padding the padded one, -1 where there is none. ``owners``
    (n, rank): of the first element at the address. ``entries`` (n,): place in the palette.
    """

    kinds: npt.NDArray[np.uint8]
    addresses: Int64Array
    coordinates: Int64Array
    owners: Int64Array
    entries: Int64Array

    @property
    def stored(self) -> npt.NDArray[np.bool_]:
        """Which cells show an element."""
        found: npt.NDArray[np.bool_] = self.kinds <= SHARED
        return found


class Painting:
    """A tensor as the page paints it, whatever its size: asked for the cells that are shown.

    ``layout``: of what is painted. ``shown``: whose coordinates are chosen, a view over it.
    """

    def __init__(self, layout: Layout, buffer_elements: int, look: Look | None = None) -> None:
        self.layout, self.buffer_elements = layout, buffer_elements
        self.shown = layout
        self.look = look = look or Look()
        self.scheme = scheme_of(self.layout, look.colour, look.like)
        self._shares = shares_addresses(self.layout) is not False
        self.repeats = [_is_repeated(digits) for digits in layout.digits]
        sizes = (1 if one else n for n, one in zip(self.layout.shape, self.repeats, strict=True))
        self._stored_shape = tuple(sizes)
        listed = self._shares and self.layout.elements <= _MOST_LISTED
        self._places = _places_of(self.layout) if listed else None
        self.stored = (
            math.prod(self._stored_shape)
            if self._places is None
            else int(self._places.max(initial=-1)) + 1
        )

    @property
    def scale(self) -> Scale:
        """The colours of the elements; units of memory are categories."""
        return "categories" if self.look.colour in UNITS else self.scheme.scale

    @property
    def text(self) -> str:
        """The kind of text that is written: letters where they are enough, if they may be."""
        if self.look.text in {"address", "coords"}:
            return self.look.text
        few = self.look.text != "linear" and self.stored <= _LETTERS
        return "letter" if few else "linear"

    def at_addresses(self, addresses: Int64Array) -> Cells:
        """The cells of memory."""
        layout, rank = self.layout, self.layout.rank
        found = owners_of(
            layout,
            addresses,
            buffer_elements=self.buffer_elements,
            budget=Budget(_SEARCH_STEPS),
        )
        coordinates = np.full((len(addresses), rank), -1, np.int64)
        has = found.starts[1:] > found.starts[:-1]
        coordinates[has] = found.coordinates[found.starts[:-1][has]]
        entries = self._entries(coordinates, addresses)
        broadcast = [any(g.stride == 0 and g.extent > 1 for g in ds) for ds in layout.digits]
        entries += FADED * self._outside(coordinates, [not one for one in broadcast])
        entries[found.kinds > SHARED] = 0  # padding may lie beyond the palette
        return Cells(found.kinds, addresses, coordinates, coordinates, entries)

    def at_coordinates(self, coordinates: Int64Array) -> Cells:
        """The cells of the logical tensor: (n, rank)."""
        addresses = offsets_of(self.layout, coordinates)
        kinds, owners = np.full(len(addresses), ELEMENT, np.uint8), coordinates
        if self._shares:
            owned = self.at_addresses(addresses)
            owners = np.where(owned.stored[:, None], owned.owners, coordinates)
            kinds[owned.kinds == SHARED] = SHARED
        entries = self._entries(owners, addresses)
        entries += FADED * self._outside(coordinates, [True] * self.layout.rank)
        return Cells(kinds, addresses, coordinates, owners, entries)

    def texts(self, cells: Cells) -> list[str]:
        """What is written in the cells; empty where no element is."""
        stored = cells.stored
        if self.text == "address":
            texts = [str(address) for address in cells.addresses.tolist()]
        elif self.text == "coords":
            texts = [
                ",".join("*" if one else str(i) for i, one in zip(at, self.repeats, strict=True))
                for at in cells.owners.tolist()
            ]
        else:
            places = self._place_of(cells.owners, stored).tolist()
            digits = len(str(max(0, self.stored - 1)))
            width = digits if digits <= _MOST_ZEROS else 1
            letters = self.text == "letter"
            texts = [chr(65 + p) if letters else str(p).zfill(width) for p in places]
        return [text if there else "" for text, there in zip(texts, stored.tolist(), strict=True)]

    @property
    def characters(self) -> int:
        """Of the longest text of a cell: ``textLength`` of ``static/draw/cell-text.js``."""
        if self.text == "address":
            return len(str(max(0, self.buffer_elements - 1)))
        if self.text == "coords":
            return sum(len(str(max(0, n - 1))) + 1 for n in self.layout.shape) - 1
        return 1 if self.text == "letter" else len(str(max(0, self.stored - 1)))

    def starts(self, addresses: Int64Array) -> npt.NDArray[np.bool_]:
        """Whether another unit of the colour begins at an address; of banks: the first one."""
        place = self._unit(addresses)
        first = (addresses == 0) | (place != self._unit(addresses - 1))
        found: npt.NDArray[np.bool_] = first & (
            (self.look.colour != "@bank") | (place % _BANKS == 0)
        )
        return found

    def _entries(self, owners: Int64Array, addresses: Int64Array) -> Int64Array:
        if self.look.colour not in UNITS:
            return self.scheme.entries(owners)
        place = self._unit(addresses)
        if self.look.colour != "@bank":
            simple: Int64Array = place % CATEGORIES * SHADES + MIDDLE
            return simple
        index = place % _BANKS
        shades = np.array([MIDDLE, *_SHADES_OF_BANKS[1:]])
        found: Int64Array = index % CATEGORIES * SHADES + shades[index // CATEGORIES % len(shades)]
        return found

    def _unit(self, addresses: Int64Array) -> Int64Array:
        """The unit where an element's first bit lies; a factor common to both sizes is cut."""
        bits = UNITS[self.look.colour] * 8
        common = math.gcd(bits, self.look.item_bits)
        per, of = self.look.item_bits // common, bits // common
        found: Int64Array = addresses // of * per + addresses % of * per // of
        return found

    def _outside(self, coordinates: Int64Array, counts: list[bool]) -> npt.NDArray[np.bool_]:
        """Which coordinates the slice leaves out, by the dimensions that count."""
        found = np.zeros(len(coordinates), np.bool_)
        for pick in () if self.look.taken is None else self.look.taken.picks:
            if pick.dim is not None and counts[pick.dim]:
                found |= ~_takes(pick, coordinates[:, pick.dim])
        return found

    def _place_of(self, owners: Int64Array, stored: npt.NDArray[np.bool_]) -> Int64Array:
        """The place of first owners among all that is stored, in row-major order."""
        owners = np.where(stored[:, None], owners, 0)
        if self._places is not None:
            return self._places[_linear(self.layout.shape, owners)]
        return _linear(self._stored_shape, owners)


class View(Painting):
    """A view of a tensor: each element looks as in the memory that both share."""

    def __init__(self, stored: Painting, layout: Layout, taken: Slice | None) -> None:
        look = Look(stored.look.colour, taken=taken, item_bits=stored.look.item_bits)
        super().__init__(layout, stored.buffer_elements, look)
        self._memory = stored

    @property
    def scale(self) -> Scale:
        """The colours of the memory."""
        return self._memory.scale

    @property
    def text(self) -> str:
        """The texts of the memory."""
        return self._memory.text

    @property
    def characters(self) -> int:
        """Those of the memory."""
        return self._memory.characters

    def at_coordinates(self, coordinates: Int64Array) -> Cells:
        """The cells of the view: (n, rank)."""
        own = super().at_coordinates(coordinates)
        there = self._memory.at_addresses(own.addresses)
        entries = there.entries % FADED + own.entries // FADED * FADED
        return replace(own, owners=there.owners, entries=entries)

    def texts(self, cells: Cells) -> list[str]:
        """What is written in the memory."""
        return self._memory.texts(cells)


class Below(Painting):
    """The memory below a view: what the view, or its slice, leaves out is pale."""

    def __init__(self, stored: Painting, view: View) -> None:
        super().__init__(stored.layout, stored.buffer_elements, stored.look)
        self._view, self.shown = view, view.layout

    def at_addresses(self, addresses: Int64Array) -> Cells:
        """The cells of memory."""
        own, over = super().at_addresses(addresses), Painting.at_addresses(self._view, addresses)
        out = ~over.stored | (over.entries >= FADED)
        return replace(own, entries=own.entries + FADED * (out & own.stored))


class Together(Painting):
    """Several tensors in one memory: a cell has the colour of the first that owns it, names all.

    Shared is what more than one of them owns. ``names``: one letter each.
    """

    def __init__(self, layouts: Sequence[Layout], names: str, buffer_elements: int) -> None:
        super().__init__(layouts[0], buffer_elements)
        self._each = [Painting(layout, buffer_elements) for layout in layouts]
        self._names = names

    @property
    def scale(self) -> Scale:
        """Each tensor is a category."""
        return "flat"

    @property
    def text(self) -> str:
        """Names of tensors are written."""
        return "tensors"

    @property
    def characters(self) -> int:
        """Of two names."""
        return 2

    def at_addresses(self, addresses: Int64Array) -> Cells:
        """The cells of memory; coordinates are those of the first tensor, where it owns one."""
        every = [each.at_addresses(addresses) for each in self._each]
        first = every[0]
        kinds, entries = first.kinds.copy(), np.zeros(len(addresses), np.int64)
        for index in reversed(range(len(every))):
            one = every[index]
            # Padding of one may hold elements of another.
            vacant = (kinds > SHARED) & (one.kinds == PADDING)
            kinds = np.where(one.stored | vacant, one.kinds, kinds)
            entries[one.stored] = index % CATEGORIES * SHADES + MIDDLE
        owners = np.sum([one.stored for one in every], axis=0)
        kinds = np.where(owners > 1, SHARED, kinds).astype(np.uint8)
        coordinates = np.where(first.stored[:, None], first.coordinates, -1)
        return Cells(kinds, addresses, coordinates, coordinates, entries)

    def texts(self, cells: Cells) -> list[str]:
        """The names of all tensors that own a cell."""
        owned = [each.at_addresses(cells.addresses).stored.tolist() for each in self._each]
        return [
            "".join(name for name, has in zip(self._names, row, strict=True) if has)
            for row in zip(*owned, strict=True)
        ]


def every_coordinate(shape: tuple[int, ...]) -> Int64Array:
    """All coordinates in row-major order: (elements, rank)."""
    found: Int64Array = np.indices(shape, np.int64).reshape(len(shape), math.prod(shape)).T
    return found


def _is_repeated(digits: tuple[Digit, ...]) -> bool:
    """Whether all elements along a dimension are the same."""
    large = [g for g in digits if g.extent > 1]
    return bool(large) and all(g.stride == 0 for g in large)


def _takes(pick: Pick, index: Int64Array) -> npt.NDArray[np.bool_]:
    place, rest = np.divmod(index - pick.start, pick.step)
    found: npt.NDArray[np.bool_] = (rest == 0) & (place >= 0) & (place < pick.count)
    return found


def _linear(shape: tuple[int, ...], coordinates: Int64Array) -> Int64Array:
    found = np.zeros(len(coordinates), np.int64)
    for d, size in enumerate(shape):
        found *= size
        if size > 1:
            found += coordinates[:, d]
    return found


def _places_of(layout: Layout) -> Int64Array:
    """For each element: the place of the first one at its address among all first ones."""
    _, first, inverse = np.unique(
        offset_map(layout).ravel(), return_index=True, return_inverse=True
    )
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    found: Int64Array = place[inverse]
    return found
