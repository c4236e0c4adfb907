"""Digits, the radices of a dimension, and the swizzle over the finished offset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .errors import Described, LayoutError

SWIZZLE_BITS = 30
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Digit:
    """One radix of a dimension: ``extent`` values, ``stride`` elements apart.

    >>> from stridescope import parse_layout
    >>> parse_layout("NCHW4", (2, 6, 3, 3)).digits[1]  # of C, outermost first
    (Digit(extent=2, stride=36), Digit(extent=4, stride=1))
    """

    extent: int
    stride: int

    @property
    def reach(self) -> int:
        """Distance in elements from the first to the last value, with the stride's sign."""
        return max(self.extent - 1, 0) * self.stride


@dataclass(frozen=True, slots=True)
class Swizzle:
    """One XOR over the finished offset: bits [base+shift, +bits) onto bits [base, +bits).

    A negative ``shift`` goes the other way. Its own inverse, since |shift| is at least ``bits``.
    Errors: LayoutError naming ``layout``. Source: CUTLASS include/cute/swizzle.hpp.

    >>> import numpy as np
    >>> from stridescope import Swizzle
    >>> Swizzle(bits=1, base=0, shift=2)(np.arange(8)).tolist()
    [0, 1, 2, 3, 5, 4, 7, 6]
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if min(self.bits, self.base) < 0 or abs(self.shift) < self.bits:
            raise LayoutError(
                "layout",
                Described("such a swizzle"),
                "Swizzle<B,M,S> with B and M from 0 and |S| of at least B",
            )
        if self.bits + self.base + abs(self.shift) > SWIZZLE_BITS:
            raise LayoutError(
                "layout", Described("such a swizzle"), f"B + M + |S| of at most {SWIZZLE_BITS}"
            )

    def __call__(self, offsets: Int64Array) -> Int64Array:
        """The swizzled offsets, and the plain ones of swizzled offsets, in any namespace."""
        mask = ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))
        moved = offsets & mask
        return offsets ^ (moved >> self.shift if self.shift >= 0 else moved << -self.shift)


def place_weights(digits: Sequence[Digit]) -> list[tuple[int, int]]:
    """(place, weight) pairs, innermost first: Σ digit_k(i)·stride_k = Σ (i // place)·weight.

    A division less per digit than the digits themselves. Weights are taken modulo 2^64, as the
    sums are.
    """
    found = [(1, digits[-1].stride)]
    place = 1
    for inner, outer in pairwise(reversed(digits)):
        place *= max(inner.extent, 1)
        weight = outer.stride - inner.extent * inner.stride
        if weight:
            found.append((place, (weight + 2**63) % 2**64 - 2**63))
    return found


def digit_offsets(digits: Sequence[Digit], index: Int64Array) -> Int64Array:
    """Σ_k digit_k(i)·stride_k for each i of ``index``, in its array namespace."""
    (_, stride), *further = place_weights(digits)
    total = index * stride
    for place, weight in further:
        total = total + index // place * weight
    return total


def reachable(digits: Sequence[Digit], size: int) -> tuple[Digit, ...]:
    """The digits that some index below ``size`` moves, merged where they continue each other.

    ``digits``: outermost first, as the result. Empty where the size is 0 or 1. Two neighbours are
    one digit where the outer stride is the inner stride times the inner extent.
    """
    merged: list[Digit] = []
    place = 1
    for g in reversed(digits):
        if place >= size:
            break
        extent = min(g.extent, -(-size // place))
        place *= g.extent
        if extent == 1:
            continue
        if merged and g.stride == merged[-1].stride * merged[-1].extent:
            merged[-1] = Digit(merged[-1].extent * extent, merged[-1].stride)
        else:
            merged.append(Digit(extent, g.stride))
    return tuple(reversed(merged))


def strides_nest(digits: Sequence[Digit]) -> bool:
    """Whether digits, strides descending, each step over all that lies inside them.

    True means that every address has at most one set of digits.
    """
    return all(a.stride >= b.stride for a, b in pairwise(digits)) and all(
        g.stride > sum(h.reach for h in digits[i + 1 :]) for i, g in enumerate(digits)
    )
