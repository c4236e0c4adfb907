"""How the kernel divides addresses by strides: in floating point, in parts below 2^50.

Below 2^50 a quotient is one multiplication and one rounding down, for eight addresses at once:
x // s == floor(x·r) with r = ``reciprocal(s)``. Source of the bound: r is at least 1/s and at most
(1/s)(1 + 2^-52 + 2^-53), and the product is rounded by at most 2^-53 of itself. So the result is
at least x/s, and less than the next integer as long as x + s is at most 2^51.

An address is first split by integers where that does not hold: where it may reach 2^50, and where
a stride is no multiple of the next one. Example: strides (1000, 7) are split twice. Part 0 is the
address // 1000, part 1 is the rest // 7, and the last part has to be 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from .search import Term

EXACT = 1 << 50


class Quotient(NamedTuple):
    """One digit of a part x: floor(x·low) - floor(x·high)·ratio.

    ``low`` divides by the stride, ``high`` by the next larger stride of the same part, which is
    ``ratio`` times as large; both are 0 for the largest.
    """

    low: float
    high: float
    ratio: float
    part: int


NO_DIGIT = Quotient(0.0, 0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class Division:
    """``splits``: the strides that make the parts: each divides what the one before left.

    ``quotients``: one per term. ``has_rest``: whether the last part has to be 0.
    """

    splits: tuple[int, ...]
    quotients: tuple[Quotient, ...]
    has_rest: bool


def reciprocal(divisor: int) -> float:
    """Return a number whose product with x, rounded down, is x // ``divisor`` for x below EXACT.

    ``divisor``: below EXACT.
    """
    return math.nextafter(1 / divisor, 2)


def share(divisor: int) -> float:
    """Return a number whose product with x, rounded down, is x // ``divisor`` or one less.

    For x below 2^63 and quotients below EXACT. Source of the bounds: the number is at most
    (1 - 2^-52)/divisor, which makes up for rounding x and the product; all errors together are
    below 2^-50 of the quotient.
    """
    return (1 / divisor) * (1 - 2**-51)


def division_of(terms: Sequence[Term], greatest: int) -> Division | None:
    """Return how to divide addresses from 0 to ``greatest`` by the terms' strides.

    ``terms``: strides descending and nested. None if a part would reach 2^50: a dimension is as
    large as that.
    """
    splits: list[int] = []
    quotients: list[Quotient] = []
    limit, rest = greatest, list(terms)
    while rest:
        strides = list(_dividing([t.stride for t in rest]))
        whole = len(strides) == len(rest) and strides[-1] == 1 and limit < EXACT
        unit = 1 if whole else next((s for s in reversed(strides) if limit // s < EXACT), 0)
        if not unit:
            return None
        inside = [s // unit for s in strides if s >= unit]
        quotients += _quotients(inside, len(splits))
        rest = rest[len(inside) :]
        if not whole:
            splits.append(unit)
            limit = unit - 1
    has_rest = bool(terms) and terms[-1].stride > 1
    return Division(tuple(splits), tuple(quotients), has_rest)


def _dividing(strides: Sequence[int]) -> Iterator[int]:
    """Yield the first strides, as long as each divides the one before."""
    yield strides[0]
    for above, stride in pairwise(strides):
        if above % stride:
            return
        yield stride


def _quotients(strides: Sequence[int], part: int) -> Iterator[Quotient]:
    yield Quotient(reciprocal(strides[0]), 0.0, 0.0, part)
    for above, stride in pairwise(strides):
        yield Quotient(reciprocal(stride), reciprocal(above), float(above // stride), part)
