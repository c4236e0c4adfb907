"""Coordinates to addresses and back, vectorised; who owns an address.

The inverse costs by the addresses asked, never by the tensor. Where strides nest it is one
division per digit. Where they interleave or overlap it is a bounded search (``search.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from app.engine.errors import Described, LayoutError
from app.engine.layout import INT64_MAX, Digit, Int64Array, Layout, strides_nest
from app.engine.search import SHOWN, Search, Term

KINDS: Final = ("element", "shared", "padding", "gap", "outside", "undetermined")
_COUNTED = 1 << 22  # elements up to which a question is settled by counting
ELEMENT, SHARED, PADDING, GAP, OUTSIDE, UNDETERMINED = range(6)


@dataclass(frozen=True, slots=True)
class Owners:
    """Who owns each of n addresses.

    ``kinds``: (n,) uint8, indices into KINDS. ``counts``: (n,) int64, logical elements at the
    address. ``starts``: (n+1,) int64; ``coordinates[starts[i]:starts[i+1]]``, shape (·, rank),
    are those of address i in row-major order: one for an element, the first 64 for a shared
    address, the padded one for padding, none otherwise.
    """

    kinds: npt.NDArray[np.uint8]
    counts: Int64Array
    starts: Int64Array
    coordinates: Int64Array


def offset_map(layout: Layout) -> Int64Array:
    """Address of every element: int64, shape ``layout.shape``, elements, read-only.

    Two half tables and one outer sum: a fill, not a computation per element.
    """
    if not layout.elements:
        return np.empty(layout.shape, dtype=np.int64)
    rank = layout.rank
    split, inner = rank, 1
    while split > 0 and inner * max(layout.shape[split - 1], 1) <= 1 << 14:
        split -= 1
        inner *= max(layout.shape[split], 1)
    if 0 < split == rank:
        split -= 1
    low = _outer_sum(layout, range(split, rank))
    high = _outer_sum(layout, range(split)) + layout.offset
    result = np.add.outer(high.ravel(), low.ravel()).reshape(layout.shape)
    if layout.swizzle:
        result = layout.swizzle(result)
    result.flags.writeable = False
    return result


def _outer_sum(layout: Layout, dims: range) -> Int64Array:
    total = np.zeros((), np.int64)
    for d in dims:
        total = np.add.outer(total, layout.table(d))
    return total


def offsets_of(layout: Layout, coordinates: npt.ArrayLike) -> Int64Array:
    """Addresses of ``coordinates``, int64 of shape (n, rank), in elements: shape (n,).

    Errors: LayoutError naming the first coordinate outside the shape.
    """
    c = np.asarray(coordinates, dtype=np.int64)
    if c.ndim != 2 or c.shape[1] != layout.rank:
        raise LayoutError(
            "coordinates", Described("rows of another length"), f"rows of {layout.rank} integers"
        )
    total = np.full(len(c), layout.offset, dtype=np.int64)
    for d, size in enumerate(layout.shape):
        column = np.ascontiguousarray(c[:, d])
        wrong = (column < 0) | (column >= size)
        if wrong.any():
            row = int(wrong.argmax())
            expectation = f"an integer from 0 to {size - 1}" if size else "no coordinate: size is 0"
            raise LayoutError(f"coordinates[{row}][{d}]", int(column[row]), expectation)
        # A look-up beats the arithmetic when the table is far smaller than the batch.
        if size <= 4096 and len(column) >= 4 * size:
            total += layout.table(d).take(column)
        else:
            total += layout.dim_offsets(d, column)
    return layout.swizzle(total) if layout.swizzle else total


def owners_of(
    layout: Layout, offsets: npt.ArrayLike, *, buffer_elements: int | None = None
) -> Owners:
    """Who owns each address of ``offsets``, int64 of shape (n,), in elements.

    ``buffer_elements`` enlarges the buffer beyond the greatest address; what is added is gap.
    """
    asked = np.asarray(offsets, dtype=np.int64).reshape(-1)
    decoder = _decoder(layout)
    limit = max(layout.buffer_elements, buffer_elements or 0)
    kinds = np.full(len(asked), OUTSIDE, dtype=np.uint8)
    inside = (asked >= 0) & (asked < limit)
    kinds[inside] = GAP
    candidates = np.flatnonzero(inside & (asked < layout.buffer_elements))
    return decoder.owners(asked, kinds, candidates)


@lru_cache(maxsize=512)
def shares_addresses(layout: Layout) -> bool | None:
    """Whether two coordinates share an address; None where the search's budget ends first."""
    if layout.elements <= 1:
        return False
    return _decoder(layout).overlaps()


@lru_cache(maxsize=512)
def _decoder(layout: Layout) -> _Decoder:
    return _Decoder(layout)


class _Decoder:
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
            place = 1
            for g in reversed(digits):
                term = Term(d, place, g.extent, abs(g.stride), flipped=g.stride < 0)
                place *= g.extent
                if g.extent <= 1:
                    continue
                # Which values of a repeated digit are padding depends on the others: search it.
                (self.free if g.stride == 0 and not padded else moving).append(term)
        # Logical order makes the mixed-radix count over the free digits row-major.
        self.free.sort(key=lambda t: (t.dim, -t.place))
        self.terms = sorted(moving, key=lambda t: _descending(t.digit))
        self.repeats = math.prod(t.extent for t in self.free)
        self.nested = strides_nest([t.digit for t in self.terms])

    def owners(
        self, asked: Int64Array, kinds: npt.NDArray[np.uint8], candidates: Int64Array
    ) -> Owners:
        """Fill ``kinds`` at ``candidates`` (indices of ``asked`` inside the buffer)."""
        counts = np.zeros(len(asked), dtype=np.int64)
        addresses = asked[candidates]
        if self.layout.swizzle:
            addresses = self.layout.swizzle(addresses)
        residual = addresses - self.base
        possible = (residual >= 0) & (addresses <= self.layout.bounds[1])
        candidates, residual = candidates[possible], residual[possible]
        if self.nested:
            rows, coordinates, found = self._divide(residual)
        else:
            search = Search(self.terms, exact_tail=not self.partial)
            hits = search.solve(residual)
            coordinates = self._coordinates(hits.digits)
            rows, found = hits.rows, hits.counts
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
        rows, coordinates = self._repeat(rows[kept], coordinates[kept])
        limit = np.where(kinds[candidates] == PADDING, 1, SHOWN)
        rows, coordinates = _first_per_row(rows, coordinates, limit)
        per_address = np.zeros(len(asked) + 1, dtype=np.int64)
        np.add.at(per_address, candidates[rows] + 1, 1)
        return Owners(kinds, counts, np.cumsum(per_address), coordinates)

    def _divide(self, residual: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
        rest = residual.copy()
        coordinates = np.zeros((len(rest), self.layout.rank), dtype=np.int64)
        for t in self.terms:
            digit = np.minimum(rest // t.stride, t.extent - 1)
            rest -= digit * t.stride
            coordinates[:, t.dim] += t.place * (t.extent - 1 - digit if t.flipped else digit)
        hit = rest == 0
        return np.flatnonzero(hit), coordinates[hit], hit.astype(np.int64)

    def _coordinates(self, digits: list[Int64Array]) -> Int64Array:
        n = len(digits[0]) if digits else 0
        coordinates = np.zeros((n, self.layout.rank), dtype=np.int64)
        for t, digit in zip(self.terms, digits, strict=True):
            coordinates[:, t.dim] += t.place * (t.extent - 1 - digit if t.flipped else digit)
        return coordinates

    def _repeat(self, rows: Int64Array, coordinates: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Each row once per value of the free (stride 0) digits, the first SHOWN of them."""
        copies = min(self.repeats, SHOWN)
        if copies == 1:
            return rows, coordinates
        rest = np.arange(copies, dtype=np.int64)
        added = np.zeros((copies, self.layout.rank), dtype=np.int64)
        for t in reversed(self.free):
            rest, digit = np.divmod(rest, t.extent)
            added[:, t.dim] += digit * t.place
        repeated = (coordinates[:, None, :] + added).reshape(-1, self.layout.rank)
        return np.repeat(rows, copies), repeated

    def overlaps(self) -> bool | None:
        """Whether two coordinates lead to one address."""
        layout = self.layout
        digits = [g for d in range(layout.rank) for g in layout.reachable_digits(d)]
        if any(g.stride == 0 for g in digits) or layout.elements > layout.span_elements:
            return True
        strides = sorted((Digit(g.extent, abs(g.stride)) for g in digits), key=_descending)
        if strides_nest(strides):
            return False
        # Two coordinates share an address where the differences of their digits sum to 0.
        differences = [Term(0, 1, 2 * g.extent - 1, g.stride, flipped=False) for g in strides]
        if 2 * sum(g.reach for g in strides) > INT64_MAX:
            return self._counted()
        zero = np.array([sum(g.reach for g in strides)], dtype=np.int64)
        hits = Search(differences, exact_tail=True).solve(zero)
        if not hits.undetermined[0] and hits.counts[0] == 1:
            return False
        ragged = any(
            math.prod(g.extent for g in layout.reachable_digits(d)) > size > 1
            for d, size in enumerate(layout.shape)
        )
        if not ragged and not hits.undetermined[0]:
            return True
        return self._counted()

    def _counted(self) -> bool | None:
        layout = self.layout
        if layout.elements <= _COUNTED:
            addresses = np.sort(offset_map(layout), axis=None)
            return bool((addresses[1:] == addresses[:-1]).any())
        return None


def _first_per_row(
    rows: Int64Array, coordinates: Int64Array, limit: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Sort by row, then row-major, and keep the first ``limit[row]`` of each row."""
    if len(rows) > 1 and (rows[1:] <= rows[:-1]).any():
        order = np.lexsort((*coordinates.T[::-1], rows))
        rows, coordinates = rows[order], coordinates[order]
        starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        rank_in_row = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        kept = rank_in_row < limit[rows]
        rows, coordinates = rows[kept], coordinates[kept]
    return rows, coordinates


def _descending(g: Digit) -> tuple[int, int]:
    return -g.stride, -g.extent
