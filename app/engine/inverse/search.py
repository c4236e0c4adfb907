"""All sets of digits with Σ digit·stride = residual, for many residuals at once.

The digits are tried by descending stride s. The smaller digits can add at most their reach, which
bounds the candidates. They can only add multiples of g, the greatest common divisor of their
strides: of the candidates only every (g/gcd(s, g))-th leaves such a multiple. So nothing is
expanded that a divisor rules out, and the last two digits (a two-variable Diophantine equation in a
box) are counted exactly without expanding them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..model.arrays import Int64Array

SHOWN = 64  # coordinates listed for one shared address
BUDGET_PER_ADDRESS = 4096  # partial solutions one address may hold at once
BUDGET = 1 << 27  # what one call may spend, however many addresses it asks: about 2 s
_HELD = 1 << 19  # partial solutions of one batch; four times as many integers of its solutions
_WIDE_COSTS = 14  # of a product beyond 64 bits, by Python's integers, to one of int64
_LEVEL = 1000  # what a level costs beside its partial solutions


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
    def reach(self) -> int:
        """The most that it adds to the address."""
        return (self.extent - 1) * self.stride


@dataclass(slots=True)
class Budget:
    """What is ``left`` to one call, however many batches it takes: a partial solution costs 1.

    ``batch``: addresses that are searched at once, as many as fitted last.
    """

    left: int = field(default_factory=lambda: BUDGET)
    batch: int = 1 << 12


@dataclass(frozen=True, slots=True)
class Hits:
    """Solutions for the residuals from ``start`` on, n of them: ``rows[j]`` says, from ``start``,
    which one solution j belongs to, ascending; ``digits[k][j]`` are its digits.

    ``counts``: (n,) solutions per residual, which may exceed those listed; ``undetermined``: (n,)
    bool, where the budget ended first. ``held``: what the batch held at once.
    """

    start: int
    rows: Int64Array
    digits: list[Int64Array]
    counts: Int64Array
    undetermined: npt.NDArray[np.bool_]
    held: int = 0


class Search:
    """The search over ``terms``, strides descending.

    ``exact_tail`` lists at most SHOWN values of the last two digits per partial solution and
    counts the rest; without it all are listed (needed where some may be padding). ``integers``:
    how many integers the caller stores for each solution, beside its digits.
    """

    def __init__(self, terms: list[Term], *, exact_tail: bool, integers: int = 0) -> None:
        self.terms = terms
        self.exact_tail = exact_tail
        self.integers = len(terms) + integers
        self.reach = [sum(t.reach for t in terms[k + 1 :]) for k in range(len(terms))]
        self.gcd = [math.gcd(*(t.stride for t in terms[k + 1 :])) for k in range(len(terms))]

    def solve(self, residuals: Int64Array, budget: Budget) -> Iterator[Hits]:
        """All solutions for ``residuals``, int64 of shape (n,), each from 0 on.

        In batches that follow each other, so small that none holds more than _HELD, or of 1.
        """
        start = 0
        while start < len(residuals):
            if budget.left < 0:
                yield self._nothing(start, len(residuals) - start)
                return
            part = residuals[start : start + budget.batch]
            hits = self._solve(part, start, budget)
            if hits is None:
                budget.batch = len(part) // 2
                continue
            yield hits
            start += len(part)
            if len(part) == budget.batch and hits.held < _HELD // 4:
                budget.batch *= 2

    def _nothing(self, start: int, n: int) -> Hits:
        none, all_of_them = np.empty(0, dtype=np.int64), np.ones(n, dtype=np.bool_)
        return Hits(start, none, [none] * len(self.terms), np.zeros(n, np.int64), all_of_them)

    def _solve(self, residuals: Int64Array, start: int, budget: Budget) -> Hits | None:
        """The solutions of one batch; None where it would hold too much. Both are paid for."""
        n = len(residuals)
        rows, rest = np.arange(n), residuals
        path: list[tuple[Int64Array | None, Int64Array]] = []
        undetermined = np.zeros(n, dtype=np.bool_)
        counts = np.zeros(n, dtype=np.int64)
        held, most = 0, 1  # partial solutions in all, and of one address at most
        for k, term in enumerate(self.terms):
            first, step, fits = self._candidates(k, rest)
            if self.exact_tail and k == len(self.terms) - 2:
                np.add.at(counts, rows, fits)
                first, step, fits = self._shown(k, first, step, fits)
            most *= int(fits.max(initial=0))
            if most > BUDGET_PER_ADDRESS:
                of_each = np.bincount(rows, weights=fits, minlength=n)
                over = of_each > BUDGET_PER_ADDRESS
                undetermined |= over
                fits = np.where(over[rows], 0, fits)
                most = int(of_each.max(where=~over, initial=0))
            found = int(fits.sum())
            held = max(held + found, found * self.integers // 4)
            budget.left -= len(rows) * self._cost(k) + _LEVEL
            if n > 1 and held > _HELD:
                return None
            budget.left -= found
            if budget.left < 0:
                return self._nothing(start, n)
            keep: Int64Array | None = None  # each index as often as it fits; None for each once
            chosen = first
            if found != len(fits) or (fits != 1).any():
                keep = np.repeat(np.arange(len(fits)), fits)
                nth = np.arange(found) - np.repeat(np.cumsum(fits) - fits, fits)
                chosen = first[keep] + nth * step
                rows, rest = rows[keep], rest[keep]
            path.append((keep, chosen))
            rest = rest - chosen * term.stride
        if not (self.exact_tail and len(self.terms) >= 2):
            counts = np.bincount(rows, minlength=n).astype(np.int64)
        budget.left -= len(rows) * (4 + self.integers // 2)
        counts[undetermined] = 0
        return Hits(start, rows, _digits(path), counts, undetermined, held)

    def _cost(self, k: int) -> int:
        """What a partial solution costs at level k: more, where a product needs over 64 bits."""
        g = self.gcd[k]
        step = g // math.gcd(self.terms[k].stride, g) if g else 1
        return 1 if step <= 1 << 31 else _WIDE_COSTS

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
            fits = (hi * s == rest) & (lo <= hi)
            return lo, 1, fits.astype(np.int64)
        common = math.gcd(s, g)
        step = g // common
        if step > 1:
            wanted = _times_mod(rest // common, pow(s // common, -1, step), step)
            lo = lo + (wanted - lo) % step
        fits = hi - lo if step == 1 else (hi - lo) // step
        fits = np.maximum(fits + 1, 0)
        return lo, step, fits if common == 1 else np.where(rest % common == 0, fits, 0)

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


def _digits(path: list[tuple[Int64Array | None, Int64Array]]) -> list[Int64Array]:
    """The digits of each solution, from the last level back to the first.

    ``path``: per level the partial solution before that each comes from, and its digit.
    """
    digits: list[Int64Array] = []
    at: Int64Array | None = None
    for keep, chosen in reversed(path):
        digits.append(chosen if at is None else chosen[at])
        if keep is not None:
            at = keep if at is None else keep[at]
    return digits[::-1]


def _times_mod(values: Int64Array, factor: int, modulus: int) -> Int64Array:
    """(values · factor) mod modulus without overflow, ``factor`` below ``modulus``."""
    reduced = values % modulus
    if modulus <= 1 << 31:
        product: Int64Array = reduced * factor % modulus
        return product
    return (reduced.astype(object) * factor % modulus).astype(np.int64)
