"""All sets of digits with Σ digit·stride = residual, for many residuals at once.

Levels by descending stride. At each, the candidates lie between what the smaller digits can
still reach, and only every (g/gcd(s, g))-th fits, g being the gcd of the smaller strides: a
linear congruence. So nothing is expanded that a divisor rules out, and the last two digits
(a two-variable Diophantine equation in a box) are counted exactly without expanding them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..layout import Digit, Int64Array

SHOWN = 64  # coordinates listed for one shared address
BUDGET_PER_ADDRESS = 4096  # partial solutions one address may hold at once
BUDGET_LEAST = 1 << 22  # partial solutions of one call, however few addresses it asks
BUDGET_SHARE = 64  # and per address, where it asks many
_CHUNK_ROWS = 1 << 18


@dataclass(frozen=True, slots=True)
class Term:
    """A digit in the search: it adds ``digit·stride`` to the address and ``digit·place`` to
    coordinate ``dim``, or (extent-1-digit)·place where its stride was negative (flipped)."""

    dim: int
    place: int
    extent: int
    stride: int
    flipped: bool

    @property
    def digit(self) -> Digit:
        """Extent and absolute stride."""
        return Digit(self.extent, self.stride)


@dataclass(slots=True)
class Budget:
    """Partial solutions that are ``left`` to one call, however many batches it takes."""

    left: int

    @classmethod
    def of(cls, addresses: int) -> Budget:
        """What a call that asks ``addresses`` different addresses may spend."""
        return cls(max(BUDGET_LEAST, BUDGET_SHARE * addresses))


@dataclass(frozen=True, slots=True)
class Hits:
    """``rows[j]`` is the residual that solution j belongs to, ``digits[k][j]`` its digits;
    ``counts``: (n,) solutions per residual, which may exceed those listed;
    ``undetermined``: (n,) bool, where the budget ended first."""

    rows: Int64Array
    digits: list[Int64Array]
    counts: Int64Array
    undetermined: npt.NDArray[np.bool_]


class Search:
    """The search over ``terms``, strides descending.

    ``exact_tail`` lists at most SHOWN values of the last two digits per partial solution and
    counts the rest; without it all are listed (needed where some may be padding).
    """

    def __init__(self, terms: list[Term], *, exact_tail: bool) -> None:
        self.terms = terms
        self.exact_tail = exact_tail
        self.reach = [sum(t.digit.reach for t in terms[k + 1 :]) for k in range(len(terms))]
        self.gcd = [math.gcd(*(t.stride for t in terms[k + 1 :])) for k in range(len(terms))]

    def solve(self, residuals: Int64Array, budget: Budget) -> Hits:
        """All solutions for ``residuals``, int64 of shape (n,), each from 0 on."""
        parts = [
            part
            for start in range(0, max(len(residuals), 1), _CHUNK_ROWS)
            for part in self._solve(residuals[start : start + _CHUNK_ROWS], start, budget)
        ]
        return Hits(
            np.concatenate([p.rows for p in parts]),
            [np.concatenate(column) for column in zip(*(p.digits for p in parts), strict=True)],
            np.concatenate([p.counts for p in parts]),
            np.concatenate([p.undetermined for p in parts]),
        )

    def _solve(self, residuals: Int64Array, start: int, budget: Budget) -> list[Hits]:
        n = len(residuals)
        if budget.left < 0:
            none, all_of_them = np.empty(0, dtype=np.int64), np.ones(n, dtype=np.bool_)
            return [Hits(none, [none] * len(self.terms), np.zeros(n, np.int64), all_of_them)]
        rows, rest = np.arange(n), residuals
        digits: list[Int64Array] = []
        undetermined = np.zeros(n, dtype=np.bool_)
        counts = np.zeros(n, dtype=np.int64)
        for k, term in enumerate(self.terms):
            first, step, fits = self._candidates(k, rest)
            if self.exact_tail and k == len(self.terms) - 2:
                np.add.at(counts, rows, fits)
                first, step, fits = self._shown(k, first, step, fits)
            over = np.bincount(rows, weights=fits, minlength=n) > BUDGET_PER_ADDRESS
            if n > 1 and fits.sum(where=~over[rows]) > _CHUNK_ROWS * 2:
                half = n // 2  # too many at once for the memory: smaller batches
                return self._solve(residuals[:half], start, budget) + self._solve(
                    residuals[half:], start + half, budget
                )
            budget.left -= int(fits.sum(where=~over[rows]))
            if budget.left < 0:
                over[:] = True
            undetermined |= over
            fits = np.where(over[rows], 0, fits)
            keep = np.repeat(np.arange(len(rows)), fits)
            nth = np.arange(len(keep)) - np.repeat(np.cumsum(fits) - fits, fits)
            chosen = first[keep] + nth * step
            digits = [column[keep] for column in digits] + [chosen]
            rows, rest = rows[keep], rest[keep] - chosen * term.stride
        if not self.terms:
            rows = rows[rest == 0]
        if not (self.exact_tail and len(self.terms) >= 2):
            counts = np.bincount(rows, minlength=n).astype(np.int64)
        return [Hits(rows + start, digits, np.where(undetermined, 0, counts), undetermined)]

    def _candidates(self, k: int, rest: Int64Array) -> tuple[Int64Array, int, Int64Array]:
        """First value, step and number of values of digit k that can lead to a solution."""
        term, reach, g = self.terms[k], self.reach[k], self.gcd[k]
        s = term.stride
        if s == 0:
            zeros = np.zeros_like(rest)
            return zeros, 1, np.where(rest <= reach, term.extent, 0)
        lo = np.maximum(-((reach - rest) // s), 0)
        hi = np.minimum(rest // s, term.extent - 1)
        if g == 0:  # the last digit: nothing is left to divide the rest
            fits = (rest % s == 0) & (lo <= hi)
            return lo, 1, fits.astype(np.int64)
        common = math.gcd(s, g)
        step = g // common
        if step > 1:
            wanted = _times_mod(rest // common, pow(s // common, -1, step), step)
            lo = lo + (wanted - lo) % step
        fits = np.where(rest % common == 0, np.maximum((hi - lo) // step + 1, 0), 0)
        return lo, step, fits

    def _shown(
        self, k: int, first: Int64Array, step: int, fits: Int64Array
    ) -> tuple[Int64Array, int, Int64Array]:
        """Of each run of the last two digits, the SHOWN that come first in row-major order."""
        a, b = self.terms[k], self.terms[k + 1]
        a_leads = (a.dim, -a.place) < (b.dim, -b.place)
        # When a grows, b shrinks: ascending coordinates are ascending a unless one is flipped.
        from_start = (not a.flipped) if a_leads else b.flipped
        shown = np.minimum(fits, SHOWN)
        return (first if from_start else first + (fits - shown) * step), step, shown


def _times_mod(values: Int64Array, factor: int, modulus: int) -> Int64Array:
    """(values · factor) mod modulus without overflow."""
    reduced = values % modulus
    if modulus <= 1 << 31:
        product: Int64Array = reduced * factor % modulus
        return product
    wide = reduced.astype(object) * factor % modulus
    return wide.astype(np.int64)
