"""Digits, the radices of a dimension, and the swizzle over the finished offset."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from .arrays import Int64Array, plain
from .errors import FROM_ZERO, LayoutError, phrase, refusal

Offsets = TypeVar("Offsets", int, Int64Array)

SWIZZLE_BITS = 30
_INTEGER = phrase("integer")
_RUN = 1 << 10  # elements; the cost of starting an innermost loop this long is negligible


@dataclass(frozen=True, slots=True)
class Digit:
    """One radix of a dimension: ``extent`` values, ``stride`` elements apart.

    Errors: LayoutError naming ``digit.extent`` or ``digit.stride``.

    >>> from stridescope import parse_layout
    >>> parse_layout("NCHW4", (2, 6, 3, 3)).digits[1]  # of C, outermost first
    (Digit(extent=2, stride=36), Digit(extent=4, stride=1))
    """

    extent: int
    stride: int

    def __post_init__(self) -> None:
        if type(self.extent) is not int or type(self.stride) is not int or self.extent < 0:
            for name, expected in (("extent", FROM_ZERO), ("stride", _INTEGER)):
                value = plain(getattr(self, name))
                if type(value) is not int or (expected is FROM_ZERO and value < 0):
                    raise LayoutError(f"digit.{name}", value, expected)
                object.__setattr__(self, name, value)

    @property
    def reach(self) -> int:
        """Distance in elements from the first to the last value, with the stride's sign."""
        return max(self.extent - 1, 0) * self.stride


@dataclass(frozen=True, slots=True)
class Swizzle:
    """One XOR over the finished offset: ``bits`` bits from base+shift on, onto those from base on.

    With a negative ``shift``: the bits from base on, onto those from base+|shift| on. It is its own
    inverse, since |shift| is at least ``bits``.
    Errors: LayoutError naming ``layout`` or ``swizzle.bits``.
    Source: CUTLASS include/cute/swizzle.hpp.

    >>> import numpy as np
    >>> from stridescope import Swizzle
    >>> Swizzle(bits=1, base=0, shift=2)(np.arange(8)).tolist()
    [0, 1, 2, 3, 5, 4, 7, 6]
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for name in ("bits", "base", "shift"):
            value = plain(getattr(self, name))
            if type(value) is not int:
                raise LayoutError(f"swizzle.{name}", value, _INTEGER)
            object.__setattr__(self, name, value)
        if min(self.bits, self.base) < 0 or abs(self.shift) < self.bits:
            raise refusal("layout", "such a swizzle", "swizzle")
        if self.bits + self.base + abs(self.shift) > SWIZZLE_BITS:
            raise refusal("layout", "such a swizzle", "swizzle.bits", most=SWIZZLE_BITS)

    @property
    def mask(self) -> int:
        """Mask of the bits of an offset that are XORed onto other bits."""
        return ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))

    def moved(self, offsets: Offsets) -> Offsets:
        """The masked bits of each offset, shifted: what is XORed onto it. Any array namespace."""
        masked = offsets & self.mask
        return masked >> self.shift if self.shift >= 0 else masked << -self.shift

    def moved_text(self, offset: str) -> str:
        """The same as code for C, Python and similar languages: ``((x & 24) >> 3)``."""
        return f"(({offset} & {self.mask}) {'>>' if self.shift >= 0 else '<<'} {abs(self.shift)})"

    def __call__(self, offsets: Offsets) -> Offsets:
        """Swizzled offsets of plain ones, and plain ones of swizzled. Any array namespace."""
        return offsets ^ self.moved(offsets)

    def greatest(self, digits: Iterable[Digit], start: int) -> int:
        """The greatest address after the XOR, of all values of ``digits``.

        ``start``: the least address before it. All sums that can lead to the greatest are computed.
        """
        moving = by_stride(g for g in digits if g.extent > 1 and g.stride)
        missing = sum(g.reach for g in moving)
        # A swizzle changes only the lowest bits, so the higher ones are those of the greatest sum.
        bits = self.bits + self.base + abs(self.shift)
        low = (start + missing) >> bits << bits
        sums = np.array([start], dtype=np.int64)
        for g in moving:
            missing -= g.reach
            sums = (sums[:, None] + np.arange(g.extent, dtype=np.int64) * g.stride).ravel()
            sums = sums[sums + missing >= low]
        return int(self(sums).max())


def places(digits: Sequence[Digit]) -> tuple[tuple[int, Digit], ...]:
    """(place, digit) pairs, innermost first: digit_k(i) = i // place % extent.

    A digit's place is the product of the extents inside it; an extent of 0 counts as 1.
    """
    if len(digits) == 1:
        return ((1, digits[0]),)
    found, place = [], 1
    for g in reversed(digits):
        found.append((place, g))
        place *= max(g.extent, 1)
    return tuple(found)


def unravelled(number: int, extents: Sequence[int]) -> tuple[int, ...]:
    """The row-major indices of ``number`` in loops of these extents, as Python's integers."""
    found: list[int] = []
    for extent in reversed(extents):
        number, index = divmod(number, extent)
        found.append(index)
    return tuple(reversed(found))


def digit_values(digits: Sequence[Digit], index: int) -> list[tuple[int, int]]:
    """The value and the stride of each digit of an index, outermost first."""
    values = unravelled(index, [g.extent for g in digits])
    return [(value, g.stride) for value, g in zip(values, digits, strict=True)]


def digit_offsets(digits: Sequence[Digit], index: Int64Array) -> Int64Array:
    """Σ_k digit_k(i)·stride_k for each i of ``index``, in its array namespace.

    As Σ (i // place)·weight: one division per digit and no remainder. The weights wrap around
    modulo 2^64, as the sums do.
    """
    total = index * digits[-1].stride
    for (_, inner), (place, outer) in pairwise(places(digits)):
        weight = outer.stride - inner.extent * inner.stride
        if weight:
            total = total + index // place * ((weight + 2**63) % 2**64 - 2**63)
    return total


def outer_sum(
    tables: Sequence[Int64Array], *, start: int = 0, out: Int64Array | None = None
) -> Int64Array:
    """``start`` plus one entry of each table, in all combinations: T_0[:, None] + T_1[None, :] + …

    ``tables``: one or more, in any array namespace; the shape of the result is all their shapes,
    one after the other. ``out``: a NumPy array to write and return.
    """
    # The innermost tables are summed first, so that the last sum has one long innermost loop.
    first, low = len(tables) - 1, tables[-1]
    while first > 1 and math.prod(low.shape) < _RUN:
        first -= 1
        low = _across(tables[first], low) + low
    high: Int64Array | int = start
    if first:
        head = tables[0] + start if start else tables[0]
        for table in tables[1:first]:
            head = _across(head, table) + table
        high = _across(head, low)
    return low + high if out is None else np.add(high, low, out=out)


def _across(outer: Int64Array, inner: Int64Array) -> Int64Array:
    """``outer`` with one more axis of size 1 at the end for each axis of ``inner``."""
    return outer[(..., *(None,) * inner.ndim)]


def merged(digits: Sequence[Digit]) -> tuple[Digit, ...]:
    """The fewest digits with the same offsets, outermost first; empty if all extents are 1.

    Digits of extent 1 are left out. Two neighbours become one digit if the outer stride is the
    inner stride times the inner extent.
    """
    found: list[Digit] = []
    for g in digits:
        if g.extent == 1:
            continue
        if found and found[-1].stride == g.stride * g.extent:
            found[-1] = Digit(found[-1].extent * g.extent, g.stride)
        else:
            found.append(g)
    return tuple(found)


def reachable(digits: Sequence[Digit], size: int) -> tuple[Digit, ...]:
    """The digits that the indices below ``size`` use, with the extents that they reach.

    Merged; empty if ``size`` is 0 or 1.
    """
    if len(digits) == 1:
        [g] = digits
        if size <= 1 or g.extent == 1:
            return ()
        return (g,) if g.extent <= size else (Digit(size, g.stride),)
    within: list[Digit] = []
    for place, g in places(digits):
        if place < size:
            whole = g.extent * place <= size
            within.insert(0, g if whole else Digit(-(-size // place), g.stride))
    found = merged(within)
    if not found or len(found) == len(within):
        return found
    # Blocks that continue each other reach as far as one longer digit would.
    outermost, *inner = found
    reached = -(-size // math.prod(g.extent for g in inner))
    return (Digit(min(outermost.extent, reached), outermost.stride), *inner)


def by_stride(digits: Iterable[Digit]) -> list[Digit]:
    """The digits with absolute strides, largest stride first, then largest extent first."""
    positive = [g if g.stride >= 0 else Digit(g.extent, -g.stride) for g in digits]
    return sorted(positive, key=lambda g: (-g.stride, -g.extent))


def strides_nest(digits: Sequence[Digit]) -> bool:
    """Whether each stride is greater than the sum of what the digits inside it reach.

    ``digits``: strides descending, otherwise the result is False. If True, at most one combination
    of digit values leads to each address.
    """
    inside = least = 0
    for g in reversed(digits):
        if g.stride <= inside or g.stride < least:
            return False
        inside, least = inside + g.reach, g.stride
    return True
