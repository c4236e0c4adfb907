"""The inverse of one layout: from addresses to the coordinates that lead there.

It costs by the addresses asked, never by the tensor. Where strides nest it is one division per
digit, in any array namespace. Where they interleave or overlap it is a bounded search
(``search``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ..model.arrays import INT64_MAX, Int64Array, namespace_of
from ..model.digits import Digit, places, strides_nest
from ..model.layout import Layout
from .search import SHOWN, Budget, Hits, Search, Term


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
