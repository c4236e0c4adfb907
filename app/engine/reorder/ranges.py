"""The ranges of one dimension: indices that source and target reach by the same nested loops.

If each radix of both layouts divides the next, one nest of loops reaches all indices. Radices that
do not (blocks of 4 and of 6) repeat together after their least common multiple. Within such a
period no block of either layout is left between two neighbouring multiples of a radix, so each of
these parts is a range (0 to 3, 4 and 5, 6 and 7, 8 to 11), and the periods are its outer loop.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..model.digits import Digit, places

_MAX_PARTS = 64  # of a period


# A radix, or the period of several; where the parts of a period begin, or none.
_Level = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Loop:
    """``extent`` steps of ``source_stride`` and ``target_stride``, then padding.

    ``fill``: further steps in the target only, which write zeros.
    """

    extent: int
    source_stride: int
    target_stride: int
    fill: int = 0

    @property
    def steps(self) -> int:
        """Steps of the target: the extent and the fill."""
        return self.extent + self.fill


@dataclass(frozen=True, slots=True)
class Box:
    """Nested loops, outermost first, and their first source and target address, in elements.

    ``source_offset``: None if the whole box is padding, for which nothing is read. A box without
    loops is one element. A range is a box of some indices of one dimension.
    """

    source_offset: int | None
    target_offset: int
    loops: tuple[Loop, ...]


def ranges_of(
    source: Sequence[Digit], target: Sequence[Digit], size: int, *, fills: bool = True
) -> list[Box] | None:
    """Return ranges that together cover the padded indices of the target, each exactly once. None
    if there are too many. ``fills``: whether padding may be the fill of what it follows."""
    refined = _refine(source, target, size)
    if refined is None:
        return None
    real = list(refined.cover(len(refined.levels), size))
    padding = list(suffix([Loop(g.extent, 0, g.stride) for g in target], size))
    if fills and padding and len(padding[0].loops) == 1:
        filled = _filled(real[-1], padding[0])
        if filled is not None:
            return [*real[:-1], filled, *padding[1:]]
    return [*real, *padding]


def _filled(last: Box, padding: Box) -> Box | None:
    """Return ``last`` with ``padding`` as its fill, or None if it is no whole steps upwards.

    ``padding``: the rest of the innermost digit, in which ``last`` ends. So all loops of ``last``
    are steps of this digit, and the padding begins where they end.
    """
    outer, *inner = last.loops
    (beyond,) = padding.loops
    count = math.prod(loop.extent for loop in inner)
    if beyond.target_stride < 0 or beyond.extent % count:
        return None
    return replace(last, loops=(replace(outer, fill=beyond.extent // count), *inner))


def suffix(loops: Sequence[Loop], size: int) -> Iterator[Box]:
    """Yield ranges that together cover the indices from ``size`` to the last."""
    if not loops or size >= math.prod(loop.extent for loop in loops):
        return
    first, rest = loops[0], loops[1:]
    place = math.prod(loop.extent for loop in rest)
    whole, left = divmod(size, place)
    if left:
        for inner in suffix(rest, left):
            yield replace(inner, target_offset=inner.target_offset + whole * first.target_stride)
        whole += 1
    if whole < first.extent:
        beyond = replace(first, extent=first.extent - whole)
        yield Box(None, whole * first.target_stride, (beyond, *rest))


@dataclass(frozen=True, slots=True)
class _Refined:
    """One dimension: strides by place, and the common ``levels``, innermost first."""

    source: dict[int, int]
    target: dict[int, int]
    levels: tuple[_Level, ...]

    def cover(self, depth: int, size: int) -> Iterator[Box]:
        """Yield ranges of the indices 0 to size-1 over the innermost ``depth`` levels."""
        if not depth:
            yield Box(0, 0, ())
            return
        period, _ = self.levels[depth - 1]
        whole, left = divmod(size, period)
        step = _stride_at(self.source, period), _stride_at(self.target, period)
        if whole:
            for inner in self._within(depth, period):
                yield replace(inner, loops=(Loop(whole, *step), *inner.loops))
        if left:
            for inner in self._within(depth, left):
                yield _moved(inner, whole * step[0], whole * step[1])

    def _within(self, depth: int, size: int) -> Iterator[Box]:
        """Yield ranges of the first ``size`` indices of a period."""
        period, parts = self.levels[depth - 1]
        if not parts:
            yield from self.cover(depth - 1, size)
            return
        for begin, end in pairwise((*parts, period)):
            if begin < size:
                at = _address(self.source, begin), _address(self.target, begin)
                for inner in self.cover(depth - 1, min(end, size) - begin):
                    yield _moved(inner, *at)


def _refine(source: Sequence[Digit], target: Sequence[Digit], size: int) -> _Refined | None:
    """Return the common levels of one dimension, or None if a period has too many parts."""
    strides = [{place: g.stride for place, g in places(digits)} for digits in (source, target)]
    # Of two digits at one place, the outer one counts, because the inner one has extent 1.
    periods: list[tuple[int, set[int]]] = [(1, {1})]  # each divides the next; its radices
    for place in sorted({p for found in strides for p in found if 1 < p < size}):
        period, radices = place, {place}
        while any(radix % periods[-1][0] for radix in radices):
            below, others = periods.pop()
            period, radices = math.lcm(period, below), radices | others
        periods.append((period, radices))
    levels = []
    for period, radices in periods:
        parts: set[int] = set()
        if len(radices) > 1:
            if sum(min(period, size) // radix for radix in radices) > 2 * _MAX_PARTS:
                return None
            parts = {at for radix in radices for at in range(0, min(period, size), radix)}
        if len(parts) > _MAX_PARTS:
            return None
        levels.append((period, tuple(sorted(parts))))
    return _Refined(strides[0], strides[1], tuple(levels))


def _moved(one: Box, source: int, target: int) -> Box:
    begin = (one.source_offset or 0) + source
    return Box(begin, one.target_offset + target, one.loops)


def _stride_at(strides: dict[int, int], place: int) -> int:
    own = max(p for p in strides if p <= place)
    return strides[own] * (place // own)


def _address(strides: dict[int, int], index: int) -> int:
    address = 0
    for place in sorted(strides, reverse=True):
        count, index = divmod(index, place)
        address += count * strides[place]
    return address
