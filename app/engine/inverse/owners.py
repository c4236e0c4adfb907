"""From addresses to coordinates, vectorised, and the owners of an address.

It costs by the addresses asked, never by the tensor. Where strides nest it is one division per
digit, in any array namespace. Where they interleave or overlap it is a bounded search (``search``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..model.address import chunks, output_array
from ..model.arrays import INT64_MAX, Int64Array, integers, namespace_of, to_numpy
from ..model.digits import Digit, places, strides_nest
from ..model.errors import LayoutError, phrase, refusal
from ..model.layout import Layout
from .search import SHOWN, Budget, Hits, Search, Term

KINDS: Final = ("element", "shared", "padding", "gap", "outside", "undetermined")
ELEMENT, SHARED, PADDING, GAP, OUTSIDE, UNDETERMINED = range(6)


@lru_cache(maxsize=512)
def decoder_of(layout: Layout) -> Decoder:
    """The decoder of ``layout``, one for equal layouts."""
    return Decoder(layout)


class Decoder:
    """The inverse of one layout: terms by descending stride, negative strides flipped.

    ``free``: the digits of stride 0, in logical order, which repeat each address ``repeats`` times.
    ``nested``: at most one value of the ``terms`` leads to an address. ``unique``: at most one
    coordinate does. ``partial``: some coordinates are padding.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.partial = layout.padded_shape != layout.shape
        terms: list[Term] = []
        self.free: list[Term] = []
        for d, digits in enumerate(layout.digits):
            padded = layout.padded_shape[d] != layout.shape[d]
            for place, g in reversed(places(digits)):
                term = Term(d, place, g.extent, abs(g.stride), flipped=g.stride < 0)
                if g.extent > 1:
                    # Which values of a repeated digit are padding depends on the others: search it.
                    (self.free if g.stride == 0 and not padded else terms).append(term)
        self.terms = sorted(terms, key=lambda t: (-t.stride, -t.extent))
        self.repeats = math.prod(t.extent for t in self.free)
        self.nested = strides_nest([Digit(t.extent, t.stride) for t in self.terms])
        self.unique = self.nested and self.repeats == 1 and layout.elements > 0
        integers = layout.rank * min(self.repeats, SHOWN)
        self.search = Search(self.terms, exact_tail=not self.partial, integers=integers)

    def elements(self, asked: Any) -> list[Any] | None:
        """The coordinates of ``asked``, per dimension (n,), if each is the address of one element.

        None if not, or where strides do not nest. In the array namespace of ``asked``, (n,).
        """
        if not self.unique:
            return None
        xp = namespace_of(asked)
        if not asked.shape[0]:
            return [asked] * self.layout.rank
        plain = self.layout.swizzle(asked) if self.layout.swizzle else asked
        least, greatest = self.layout.bounds
        if int(xp.min(plain)) < least or int(xp.max(plain)) > greatest:
            return None
        digits, rest = self._divided(plain - least)
        if bool(xp.any(rest != 0)):
            return None
        columns = self.coordinates(digits, plain)
        for column, size, padded in zip(
            columns, self.layout.shape, self.layout.padded_shape, strict=True
        ):
            if padded != size and int(xp.max(column)) >= size:
                return None
        return columns

    def _divided(self, residual: Any) -> tuple[list[Any], Any]:
        """A digit per term and what is left, for addresses from the least on where strides nest.

        ``residual``: of any shape and array namespace, at most as large as the layout's reach.
        """
        xp = namespace_of(residual)
        rest, digits = residual, []
        outside, gap = 0, False
        for t in self.terms:
            digit = rest // t.stride if t.stride > 1 else rest
            # Where a stride is larger than all digits inside it reach, the quotient may exceed the
            # extent, there and further inside.
            gap = gap or outside not in {0, t.stride * t.extent}
            if gap:
                digit = xp.minimum(digit, t.extent - 1)
            rest = rest - (digit * t.stride if t.stride > 1 else digit)
            digits.append(digit)
            outside = t.stride
        return digits, rest

    def coordinates(self, digits: list[Any], rows: Any) -> list[Any]:
        """Coordinates of a digit per term, per dimension (n,); ``rows``: any array of n."""
        columns: list[Any] = [None] * self.layout.rank
        for t, digit in zip(self.terms, digits, strict=True):
            value = t.extent - 1 - digit if t.flipped else digit
            value = value * t.place if t.place > 1 else value
            columns[t.dim] = value if columns[t.dim] is None else columns[t.dim] + value
        return [rows * 0 if column is None else column for column in columns]

    def hits(self, residual: Int64Array, budget: Budget) -> Iterator[Hits]:
        """The digits that lead to each residual: one division each where strides nest."""
        if not self.nested:
            yield from self.search.solve(residual, budget)
            return
        digits, rest = self._divided(residual)
        rows = np.flatnonzero(rest == 0)
        found = (rest == 0).astype(np.int64)
        yield Hits(0, rows, [d[rows] for d in digits], found, np.zeros(len(rest), dtype=np.bool_))

    def repeated(self, rows: Int64Array, coordinates: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Each row once per value of the free digits, the first SHOWN of them, row-major."""
        copies = min(self.repeats, SHOWN)
        rest = np.arange(copies)
        added = np.zeros((copies, self.layout.rank), dtype=np.int64)
        for t in reversed(self.free):
            rest, digit = np.divmod(rest, t.extent)
            added[:, t.dim] += digit * t.place
        repeated = (coordinates[:, None, :] + added).reshape(-1, self.layout.rank)
        return np.repeat(rows, copies), repeated


def first_per_row(
    rows: Int64Array, coordinates: Int64Array, sizes: tuple[int, ...], limit: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Sort by row, then row-major, and keep the first ``limit[row]`` of each row."""
    if len(rows) > 1 and (rows[1:] <= rows[:-1]).any():
        order = np.lexsort((*_row_major_keys(coordinates, sizes), rows))
        rows, coordinates = rows[order], coordinates[order]
        starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        rank_in_row = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        kept = rank_in_row < limit[rows]
        rows, coordinates = rows[kept], coordinates[kept]
    return rows, coordinates


def _row_major_keys(coordinates: Int64Array, sizes: tuple[int, ...]) -> list[Int64Array]:
    """Sort keys, the least first: the row-major index, in parts where it exceeds int64."""
    keys: list[Int64Array] = []
    weight = 1
    for column, size in zip(reversed(coordinates.T), reversed(sizes), strict=True):
        if not keys or weight * size > INT64_MAX:
            keys.append(column.copy())
            weight = size
        else:
            keys[-1] += column * weight
            weight *= size
    return keys


@dataclass(frozen=True, slots=True)
class Owners:
    """Who owns each of n addresses.

    ``kinds``: (n,) uint8, indices into KINDS. ``counts``: (n,) int64, logical elements at the
    address. ``starts``: (n+1,) int64; ``coordinates[starts[i]:starts[i+1]]``, shape (·, rank),
    are those of address i in row-major order: one for an element, the first 64 for a shared
    address, the padded one for padding, none otherwise.

    >>> from stridescope import KINDS, owners, parse_layout
    >>> found = owners(parse_layout("(0, 1)", (2, 3)), [2, 7])  # both rows are one
    >>> [KINDS[kind] for kind in found.kinds], found.counts.tolist()
    (['shared', 'outside'], [2, 0])
    >>> found.coordinates[found.starts[0] : found.starts[1]].tolist()
    [[0, 2], [1, 2]]
    """

    kinds: npt.NDArray[np.uint8]
    counts: Int64Array
    starts: Int64Array
    coordinates: Int64Array


def coordinates_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Coordinates of the elements at ``offsets``, int64 of shape (n,): shape (n, rank).

    In the array namespace of ``offsets``. ``out``: a NumPy array to write and return instead of a
    new one; it must not share memory with the input. ``threads`` is taken and has no effect.
    Errors: LayoutError naming the first address that is no integer or does not belong to exactly
    one element, or ``out``.

    >>> from stridescope import coordinates, parse_layout
    >>> coordinates(parse_layout("NCHW4", (2, 6, 3, 3)), [0, 117]).tolist()
    [[0, 0, 0, 0], [1, 5, 0, 2]]
    """
    asked = _flat(offsets)
    decoder, xp = decoder_of(layout), namespace_of(asked)
    if xp is not np:
        columns = decoder.elements(asked)
        if not columns:  # none found, or no dimensions
            there: Int64Array = xp.asarray(coordinates_of(layout, to_numpy(asked)))
            return there
        found: Int64Array = xp.stack(columns, axis=1)
        return found
    result = output_array(out, (len(asked), layout.rank))
    for chunk in chunks(len(asked)):
        if not _write(decoder.elements(asked[chunk]), result[chunk]):
            owners = owners_of(layout, asked[chunk])
            others = np.flatnonzero(owners.kinds != ELEMENT)
            if len(others):
                at = chunk.start + others[0]
                raise LayoutError(f"offsets[{at}]", int(asked[at]), phrase("offsets.element"))
            result[chunk] = owners.coordinates
    return result


def _flat(offsets: npt.ArrayLike) -> Any:
    """The addresses as int64 of shape (n,), in their array namespace."""
    asked = integers(offsets, "offsets")
    if asked.ndim != 1:
        raise refusal("offsets", "an array of another rank", "rank.one")
    return asked


def _write(columns: list[Int64Array] | None, out: Int64Array) -> bool:
    """Write the coordinates of each dimension to ``out``, (n, rank), if there are any."""
    for d, column in enumerate(columns or ()):
        out[:, d] = column
    return columns is not None


def owners_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    buffer_elements: int | None = None,
    budget: Budget | None = None,
) -> Owners:
    """The owners of each address of ``offsets``, int64 of shape (n,), in elements.

    ``buffer_elements`` enlarges the buffer beyond the greatest address; the added part is gap.
    ``budget``: the limit of a search, by default that of one call.
    Errors: LayoutError naming the first address that is no integer.

    >>> from stridescope import KINDS, owners, parse_layout
    >>> found = owners(parse_layout("NCHW4", (2, 6, 3, 3)), [117, 118, 144])
    >>> [KINDS[kind] for kind in found.kinds]
    ['element', 'padding', 'outside']
    >>> found.coordinates.tolist()
    [[1, 5, 0, 2], [1, 6, 0, 2]]
    """
    asked = to_numpy(_flat(offsets))
    decoder = decoder_of(layout)
    coordinates = np.empty((len(asked), layout.rank), dtype=np.int64)
    for chunk in chunks(len(asked)):
        if not _write(decoder.elements(asked[chunk]), coordinates[chunk]):
            break
    else:
        kinds = np.broadcast_to(np.uint8(ELEMENT), len(asked))
        counts = np.broadcast_to(np.int64(1), len(asked))
        return Owners(kinds, counts, np.arange(len(asked) + 1), coordinates)
    kinds = np.full(len(asked), OUTSIDE, dtype=np.uint8)
    kinds[(asked >= 0) & (asked < max(layout.buffer_elements, buffer_elements or 0))] = GAP
    plain = layout.swizzle(asked) if layout.swizzle else asked
    inside = (asked >= 0) & (asked < layout.buffer_elements)
    inside &= (plain >= layout.bounds[0]) & (plain <= layout.bounds[1])
    return _listed(decoder, plain, np.flatnonzero(inside), kinds, budget or Budget())


def _listed(
    decoder: Decoder,
    plain: Int64Array,
    candidates: Int64Array,
    kinds: npt.NDArray[np.uint8],
    budget: Budget,
) -> Owners:
    """The owners of addresses before the swizzle; only those of ``candidates`` may have some.

    ``kinds`` is filled for these.
    """
    layout = decoder.layout
    counts = np.zeros(len(plain), dtype=np.int64)
    rows, coordinates = [np.empty(0, dtype=np.int64)], [np.empty((0, layout.rank), dtype=np.int64)]
    for hits in decoder.hits(plain[candidates] - layout.bounds[0], budget):
        part = candidates[hits.start : hits.start + len(hits.counts)]
        of, listed = _own(decoder, hits, part, kinds, counts)
        rows.append(part[of])
        coordinates.append(listed)
    starts = np.zeros(len(plain) + 1, dtype=np.int64)
    np.cumsum(np.bincount(np.concatenate(rows), minlength=len(plain)), out=starts[1:])
    return Owners(kinds, counts, starts, np.concatenate(coordinates))


def _own(
    decoder: Decoder, hits: Hits, part: Int64Array, kinds: npt.NDArray[np.uint8], counts: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Fill ``kinds`` and ``counts`` at ``part`` by what a batch found for it.

    Returns the indices of ``part`` and the coordinates to list for them.
    """
    layout, rows, found = decoder.layout, hits.rows, hits.counts
    coordinates = np.empty((len(rows), layout.rank), dtype=np.int64)
    _write(decoder.coordinates(hits.digits, rows), coordinates)
    padding = (coordinates >= np.array(layout.shape, dtype=np.int64)).any(axis=1)
    if decoder.partial:
        found = np.bincount(rows[~padding], minlength=len(part)).astype(np.int64)
    counts[part] = found * decoder.repeats
    kinds[part[hits.undetermined]] = UNDETERMINED
    kinds[part[rows[padding]]] = PADDING
    has = found > 0
    kinds[part[has]] = np.where(counts[part[has]] > 1, SHARED, ELEMENT)
    is_padding = kinds[part] == PADDING
    kept = ~padding | is_padding[rows]
    limit, sizes = np.where(is_padding, 1, SHOWN), layout.padded_shape
    rows, coordinates = first_per_row(rows[kept], coordinates[kept], sizes, limit)
    if decoder.repeats > 1:
        rows, coordinates = decoder.repeated(rows, coordinates)
        rows, coordinates = first_per_row(rows, coordinates, sizes, limit)
    return rows, coordinates
