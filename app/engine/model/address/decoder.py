"""The inverse of one layout: from addresses to the coordinates that lead there.

It costs by the addresses asked, never by the tensor. Where strides nest it is one division per
digit. Where they interleave or overlap it is a bounded search (``search.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..arrays import namespace_of
from ..digits import descending, places
from ..layout import INT64_MAX, Int64Array, Layout, strides_nest
from . import batches
from .search import SHOWN, Budget, Hits, Search, Term

KINDS: Final = ("element", "shared", "padding", "gap", "outside", "undetermined")
ELEMENT, SHARED, PADDING, GAP, OUTSIDE, UNDETERMINED = range(6)


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


@lru_cache(maxsize=512)
def decoder_of(layout: Layout) -> Decoder:
    """The decoder of ``layout``, one for equal layouts."""
    return Decoder(layout)


class Decoder:
    """The inverse of one layout: terms by descending stride, negative strides flipped."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.shape = np.array(layout.shape, dtype=np.int64)
        self.partial = layout.padded_shape != layout.shape
        self.base = layout.bounds[0]
        self.fixed = np.zeros(layout.rank, dtype=np.int64)
        moving: list[Term] = []
        self.free: list[Term] = []
        for d, digits in enumerate(layout.digits):
            padded = layout.padded_shape[d] != layout.shape[d]
            for place, g in places(digits):
                if g.extent <= 1:
                    continue
                term = Term(d, place, g.extent, abs(g.stride), flipped=g.stride < 0)
                # Which values of a repeated digit are padding depends on the others: search it.
                (self.free if g.stride == 0 and not padded else moving).append(term)
        # Logical order makes the mixed-radix count over the free digits row-major.
        self.free.sort(key=lambda t: (t.dim, -t.place))
        self.terms = sorted(moving, key=lambda t: descending(t.digit))
        self.repeats = math.prod(t.extent for t in self.free)
        self.nested = strides_nest([t.digit for t in self.terms])
        self.search = Search(
            self.terms,
            exact_tail=not self.partial,
            integers=layout.rank * min(self.repeats, SHOWN),
        )
        # At most one coordinate for each address.
        self.unique = self.nested and self.repeats == 1 and layout.elements > 0

    def owners(
        self,
        asked: Int64Array,
        kinds: npt.NDArray[np.uint8],
        candidates: Int64Array,
        budget: Budget | None,
    ) -> Owners:
        """Fill ``kinds`` at ``candidates`` (indices of ``asked`` inside the buffer)."""
        counts = np.zeros(len(asked), dtype=np.int64)
        addresses = asked[candidates]
        if self.layout.swizzle:
            addresses = self.layout.swizzle(addresses)
        residual = addresses - self.base
        possible = (residual >= 0) & (addresses <= self.layout.bounds[1])
        candidates, residual = candidates[possible], residual[possible]
        listed = [
            self._own(hits, candidates, kinds, counts) for hits in self._hits(residual, budget)
        ]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in listed)])
        no_coordinates = np.empty((0, self.layout.rank), dtype=np.int64)
        coordinates = np.concatenate([no_coordinates, *(found for _, found in listed)])
        starts = np.zeros(len(asked) + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=len(asked)), out=starts[1:])
        return Owners(kinds, counts, starts, coordinates)

    def _hits(self, residual: Int64Array, budget: Budget | None) -> Iterator[Hits]:
        """The digits that lead to each residual: one division each where strides nest."""
        if not self.nested:
            yield from self.search.solve(residual, budget or Budget())
            return
        digits, rest = self.divide(residual)
        rows = np.flatnonzero(rest == 0)
        found = (rest == 0).astype(np.int64)
        yield Hits(0, rows, [d[rows] for d in digits], found, np.zeros(len(rest), dtype=np.bool_))

    def _own(
        self,
        hits: Hits,
        candidates: Int64Array,
        kinds: npt.NDArray[np.uint8],
        counts: Int64Array,
    ) -> tuple[Int64Array, Int64Array]:
        """Fill ``kinds`` and ``counts`` by what a batch found.

        The indices of asked addresses and the coordinates to list for them.
        """
        candidates = candidates[hits.start : hits.start + len(hits.counts)]
        rows, found = hits.rows, hits.counts
        coordinates = self.coordinates(hits.digits, rows)
        kinds[candidates[hits.undetermined]] = UNDETERMINED
        padding = (coordinates >= self.shape).any(axis=1)
        real_rows, padded_rows = rows[~padding], rows[padding]
        kinds[candidates[padded_rows]] = PADDING
        if self.partial:
            found = np.bincount(real_rows, minlength=len(candidates)).astype(np.int64)
        has = np.flatnonzero(found)
        counts[candidates] = found * self.repeats
        kinds[candidates[has]] = np.where(found[has] * self.repeats > 1, SHARED, ELEMENT)
        kept = ~padding | (kinds[candidates[rows]] == PADDING)
        limit = np.where(kinds[candidates] == PADDING, 1, SHOWN)
        sizes = self.layout.padded_shape
        rows, coordinates = _first_per_row(rows[kept], coordinates[kept], sizes, limit)
        if self.repeats > 1:
            rows, coordinates = self._repeat(rows, coordinates)
            rows, coordinates = _first_per_row(rows, coordinates, sizes, limit)
        return candidates[rows], coordinates

    def divide(self, residual: Int64Array) -> tuple[list[Int64Array], Int64Array]:
        """A digit per term and what is left, for addresses from ``base`` on where strides nest.

        In the array namespace of ``residual``.
        """
        xp = namespace_of(residual)
        rest, digits = residual, []
        for t in self.terms:
            digit = xp.minimum(rest // t.stride, t.extent - 1)
            rest = rest - digit * t.stride
            digits.append(digit)
        return digits, rest

    def coordinates(self, digits: list[Int64Array], rows: Int64Array) -> Int64Array:
        """Coordinates of a digit per term, (n, rank); ``rows``: any array of n."""
        xp = namespace_of(rows)
        if not self.layout.rank:
            nothing: Int64Array = xp.zeros((rows.shape[0], 0), dtype=xp.int64)
            return nothing
        columns = [xp.zeros(rows.shape, dtype=xp.int64) for _ in self.layout.shape]
        for t, digit in zip(self.terms, digits, strict=True):
            columns[t.dim] += t.place * (t.extent - 1 - digit if t.flipped else digit)
        stacked: Int64Array = xp.stack(columns, axis=1)
        return stacked

    def elements(self, addresses: Int64Array, out: Int64Array) -> int:
        """Coordinates of ``addresses``, (n,), into ``out``, (n, rank), if all are elements'.

        -1, or the first row of a chunk in which one is not, or is shared. NumPy's arrays alone.
        """
        if not self.unique:
            return 0
        plain = self.layout.swizzle(addresses) if self.layout.swizzle else addresses
        return batches.decode(self.layout, self.terms, plain, out)

    def _repeat(self, rows: Int64Array, coordinates: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Each row once per value of the free (stride 0) digits, the first SHOWN of them."""
        copies = min(self.repeats, SHOWN)
        rest = np.arange(copies, dtype=np.int64)
        added = np.zeros((copies, self.layout.rank), dtype=np.int64)
        for t in reversed(self.free):
            rest, digit = np.divmod(rest, t.extent)
            added[:, t.dim] += digit * t.place
        repeated = (coordinates[:, None, :] + added).reshape(-1, self.layout.rank)
        return np.repeat(rows, copies), repeated


def _first_per_row(
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
