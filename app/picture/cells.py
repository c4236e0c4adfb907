"""What each cell shows: its kind, its element, its place in the palette, its text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ..engine.inverse.overlap import shares_addresses
from ..engine.inverse.owners import ELEMENT, PADDING, SHARED, owners_of
from ..engine.inverse.search import Budget
from ..engine.model.address import offset_map, offsets_of
from ..engine.model.digits import Digit
from ..engine.model.layout import Int64Array, Layout
from ..engine.notation.slices import Slice
from .colours import (
    CATEGORIES,
    FADED,
    MIDDLE,
    SHADES,
    Scale,
    Values,
    scheme_of,
    shades_of,
    short_number,
)

CellText = Literal["auto", "linear", "letter", "value", "address", "coords"]
# Colours by address, and the unit of memory that each counts.
UNITS: Final = {"@line": "cache line", "@page": "page", "@sector": "sector", "@bank": "bank"}
_BANKS: Final = 32
_SHADES_OF_BANKS: Final = np.array((MIDDLE, 40, 230, 84))
_SEARCH_STEPS: Final = 1 << 20
_MOST_LISTED: Final = 1 << 20  # elements whose places are listed, where they share addresses
_LETTERS: Final = 26
_MOST_ZEROS: Final = 6
_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Look:
    """How a tensor is coloured and labelled; the names are those of the page's link.

    ``colour``: ``auto``, ``linear``, a dimension, or one of UNITS. ``taken``: the slice outside of
    which elements are pale. ``like``: the layout whose channels count. ``values``: of the elements
    in row-major order, which ``auto`` and ``value`` show. The rest: sizes of UNITS.
    """

    colour: str = "auto"
    text: CellText = "auto"
    taken: Slice | None = None
    like: Layout | None = None
    item_bits: int = 32
    line_bytes: int = 64
    page_bytes: int = 4096
    values: Values | None = None

    @property
    def unit_bytes(self) -> int:
        """Of the unit that is coloured, as /cost counts it; 0 for a colour of another kind."""
        sizes = {"@line": self.line_bytes, "@page": self.page_bytes, "@sector": 32, "@bank": 4}
        return sizes.get(self.colour, 0)


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
        return self.kinds <= SHARED


class Painting:
    """A tensor as the page paints it, whatever its size: asked for the cells that are shown.

    ``layout``: what fills the memory. ``shown``: the layout whose coordinates are shown and chosen:
    a view over the same memory, or ``layout`` itself. Colours and texts are the memory's.
    """

    def __init__(
        self,
        layout: Layout,
        buffer_elements: int,
        look: Look | None = None,
        shown: Layout | None = None,
    ) -> None:
        self.layout, self.buffer_elements, self.shown = layout, buffer_elements, shown or layout
        self.look = look = look or Look()
        self.scheme = scheme_of(layout, look.colour, look.like)
        self._shades: Int64Array | None = None
        self.value_ends: tuple[float, float] | None = None
        if look.values is not None and look.colour in {"auto", "value"}:
            self._shades, self.value_ends = shades_of(look.values)
            self.scheme = scheme_of(layout, "linear")
        # Units of memory are categories.
        self.scale: Scale = "categories" if look.colour in UNITS else self.scheme.scale
        self._shares = shares_addresses(self.shown) is not False
        self.repeats = [_is_repeated(digits) for digits in layout.digits]
        sizes = (1 if one else n for n, one in zip(layout.shape, self.repeats, strict=True))
        self._stored_shape = tuple(sizes)
        listed = layout.elements <= _MOST_LISTED and shares_addresses(layout) is not False
        self._places = _places_of(layout) if listed else None
        stored = math.prod(self._stored_shape)
        if self._places is not None:
            stored = int(self._places.max(initial=-1)) + 1
        self._digits = len(str(max(0, stored - 1)))
        # Letters are written where they are enough, if they may be.
        few = look.text in {"auto", "letter"} and stored <= _LETTERS
        plain = "letter" if few else "linear"
        self.text: str = look.text if look.text in {"address", "coords"} else plain
        if look.values is not None and look.text in {"auto", "value"}:
            self.text = "value"

    def at_addresses(self, addresses: Int64Array) -> Cells:
        """The cells of memory."""
        cells = over = self._found(self.layout, addresses)
        if self.shown is not self.layout:
            over = self._found(self.shown, addresses)
        digits = self.shown.digits
        counts = [not any(g.stride == 0 and g.extent > 1 for g in ds) for ds in digits]
        outside = self._outside(over.coordinates, counts) | ~over.stored
        entries = self._entries(cells.coordinates, addresses) + FADED * outside
        entries[~cells.stored] = 0  # padding may lie beyond the palette
        return replace(cells, entries=entries)

    def at_coordinates(self, coordinates: Int64Array) -> Cells:
        """The cells of the logical tensor: (n, rank). What lies beyond the shape is padding, of
        which the kind alone is told.
        """
        beyond = np.zeros(len(coordinates), np.bool_)
        for d, size in enumerate(self.shown.shape):
            beyond |= coordinates[:, d] >= size
        if beyond.any():
            coordinates = np.where(beyond[:, None], 0, coordinates)
        addresses = offsets_of(self.shown, coordinates)
        kinds, owners = np.full(len(addresses), ELEMENT, np.uint8), coordinates
        if self._shares:
            owned = self._found(self.shown, addresses)
            owners = np.where(owned.stored[:, None], owned.owners, coordinates)
            kinds[owned.kinds == SHARED] = SHARED
        kinds[beyond] = PADDING
        if self.shown is not self.layout:
            below = self._found(self.layout, addresses)
            owners, beyond = below.owners, beyond | ~below.stored
        entries = self._entries(owners, addresses)
        entries[beyond] = 0
        entries += FADED * self._outside(coordinates, [True] * self.shown.rank)
        return Cells(kinds, addresses, coordinates, owners, entries)

    def _found(self, layout: Layout, addresses: Int64Array) -> Cells:
        """The cells of memory as a layout fills it, without colours."""
        budget = Budget(_SEARCH_STEPS)
        found = owners_of(layout, addresses, buffer_elements=self.buffer_elements, budget=budget)
        has = found.starts[1:] > found.starts[:-1]
        coordinates = np.take(found.coordinates, found.starts[:-1][has], axis=0)
        if not has.all():
            owned, coordinates = coordinates, np.full((len(addresses), layout.rank), -1, np.int64)
            coordinates[has] = owned
        return Cells(found.kinds, addresses, coordinates, coordinates, _NONE)

    def texts(self, cells: Cells) -> list[str]:
        """What is written in the cells; empty where no element is."""
        stored = cells.stored
        owners = np.where(stored[:, None], cells.owners, 0)
        if self.text == "address":
            texts = [str(address) for address in cells.addresses.tolist()]
        elif self.text == "value" and self.look.values is not None:
            row_major = _linear(self.layout.shape, owners).tolist()
            texts = [short_number(self.look.values[place]) for place in row_major]
        elif self.text == "coords":
            texts = [
                ",".join("*" if one else str(i) for i, one in zip(at, self.repeats, strict=True))
                for at in owners.tolist()
            ]
        else:
            places = _linear(self._stored_shape, owners)
            if self._places is not None:
                places = self._places[_linear(self.layout.shape, owners)]
            width = self._digits if self._digits <= _MOST_ZEROS else 1
            letters = self.text == "letter"
            texts = [chr(65 + p) if letters else str(p).zfill(width) for p in places.tolist()]
        return [text if there else "" for text, there in zip(texts, stored.tolist(), strict=True)]

    def starts(self, addresses: Int64Array) -> npt.NDArray[np.bool_]:
        """Whether another unit of the colour begins at an address; of banks: the first one."""
        place = self._unit(addresses)
        first = (addresses == 0) | (place != self._unit(addresses - 1))
        found: npt.NDArray[np.bool_] = first
        if self.look.colour == "@bank":
            found &= place % _BANKS == 0
        return found

    def _entries(self, owners: Int64Array, addresses: Int64Array) -> Int64Array:
        if self._shades is not None:
            places = _linear(self.layout.shape, owners)
            return self._shades.take(places, mode="clip")  # padding has none
        if self.look.colour not in UNITS:
            return self.scheme.entries(owners)
        unit, shade = self._unit(addresses), np.array(MIDDLE)
        if self.look.colour == "@bank":
            unit %= _BANKS
            shade = _SHADES_OF_BANKS[unit // CATEGORIES % len(_SHADES_OF_BANKS)]
        found: Int64Array = unit % CATEGORIES * SHADES + shade
        return found

    def _unit(self, addresses: Int64Array) -> Int64Array:
        """The unit where an element's first bit lies; a factor common to both sizes is cut."""
        bits = self.look.unit_bytes * 8
        common = math.gcd(bits, self.look.item_bits)
        per, of = self.look.item_bits // common, bits // common
        return addresses // of * per + addresses % of * per // of

    def _outside(self, coordinates: Int64Array, counts: list[bool]) -> npt.NDArray[np.bool_]:
        """Which coordinates the slice leaves out, by the dimensions that count."""
        found = np.zeros(len(coordinates), np.bool_)
        for pick in () if self.look.taken is None else self.look.taken.picks:
            if pick.dim is not None and counts[pick.dim]:
                place, rest = np.divmod(coordinates[:, pick.dim] - pick.start, pick.step)
                found |= (rest != 0) | (place < 0) | (place >= pick.count)
        return found


class Together(Painting):
    """Several tensors in one memory: a cell has the colour of the first that owns it, names all.

    Shared is what more than one of them owns. ``names``: one letter each.
    """

    def __init__(self, layouts: Sequence[Layout], names: str, buffer_elements: int) -> None:
        super().__init__(layouts[0], buffer_elements)
        self._each = [Painting(layout, buffer_elements) for layout in layouts]
        self.names = names
        self.scale, self.text = "flat", "tensors"  # each tensor is a category

    def at_addresses(self, addresses: Int64Array) -> Cells:
        """The cells of memory; coordinates are those of the first tensor, where it owns one."""
        every = [each.at_addresses(addresses) for each in self._each]
        stored, kinds = (np.array([getattr(one, n) for one in every]) for n in ("stored", "kinds"))
        owner, owned = stored.argmax(axis=0), stored.any(axis=0)
        # Padding of one may hold elements of another.
        vacant = np.where((kinds == PADDING).any(axis=0), PADDING, kinds[0])
        found = np.where(owned, kinds[owner, np.arange(len(addresses))], vacant)
        found[stored.sum(axis=0) > 1] = SHARED
        entries = np.where(owned, owner % CATEGORIES * SHADES + MIDDLE, 0)
        coordinates = np.where(stored[0][:, None], every[0].coordinates, -1)
        return Cells(found, addresses, coordinates, coordinates, entries)

    def texts(self, cells: Cells) -> list[str]:
        """The names of all tensors that own a cell."""
        owned = [each.at_addresses(cells.addresses).stored.tolist() for each in self._each]
        return [
            "".join(name for name, has in zip(self.names, row, strict=True) if has)
            for row in zip(*owned, strict=True)
        ]


def _is_repeated(digits: tuple[Digit, ...]) -> bool:
    """Whether all elements along a dimension are the same."""
    large = [g for g in digits if g.extent > 1]
    return bool(large) and all(g.stride == 0 for g in large)


def _linear(shape: tuple[int, ...], coordinates: Int64Array) -> Int64Array:
    """The place in row-major order; coordinates along a size of 1 do not count."""
    weights = (math.prod(shape[d + 1 :]) if n > 1 else 0 for d, n in enumerate(shape))
    return coordinates @ np.array([*weights], np.int64)


def _places_of(layout: Layout) -> Int64Array:
    """For each element: the place of the first one at its address among all first ones."""
    offsets = offset_map(layout).ravel()
    _, first, inverse = np.unique(offsets, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[inverse]
