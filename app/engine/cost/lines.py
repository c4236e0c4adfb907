"""How often a walk changes its line, and how many lines it touches, from the loops alone.

Whether two accesses ``jump`` apart lie in one line of ``width`` depends only on where the first
lies in its line. So each loop makes another histogram of ``width`` positions from one, and the
work depends on the number of loops and the width, not on the number of accesses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.digits import places
from ..model.layout import INT64_MAX, Layout
from ..model.sums import distinct_of
from .nest import MOST_NODES, Cut, Nest, box_loops, placed_loops

_MOST_OFFSETS = 1 << 19  # of a table of interleaved loops
_MOST_WORK = 1 << 23  # positions of all nodes: a second or less
_EXACT_COSTS = 64  # times as much work with Python's integers as with int64
_MOST_PRODUCT = 1 << 24  # positions times different offsets modulo the width
_EXACT = 1 << 62  # counts up to here are int64, above them Python integers

Histogram = npt.NDArray[Any]


def line_changes(nest: Nest, width: int) -> int | None:
    """How many consecutive accesses lie in different lines of ``width``; None if too much work."""
    if nest.accesses < 2:
        return 0
    common = math.gcd(width, *(loop.stride for loop in nest.loops))
    width //= common
    if not _affordable(nest.nodes * width, nest.accesses):
        return None
    start = _at(nest.offset // common, width, nest.accesses)
    entered, changes = {nest.start: start}, 0
    for level, loop in enumerate(nest.loops):
        below: dict[int, Histogram] = {}
        stride = loop.stride // common
        for state, histogram in entered.items():
            whole, inside, final = nest.steps_at(level, state)
            steps = whole if final != inside else whole - 1
            last = nest.last(level + 1, inside) // common
            if steps:
                before = np.roll(_spread(histogram, stride, steps), last % width)
                changes += _crossings(before, stride - last)
            if level + 1 < len(nest.loops):
                if whole:
                    _add(below, inside, _spread(histogram, stride, whole))
                if final != inside:
                    _add(below, final, np.roll(histogram, whole * stride % width))
        entered = below
    return changes


def _affordable(positions: int, accesses: int) -> bool:
    return positions * (1 if accesses < _EXACT else _EXACT_COSTS) <= _MOST_WORK


def _at(position: int, width: int, accesses: int) -> Histogram:
    start = np.zeros(width, dtype=np.int64 if accesses < _EXACT else object)
    start[position % width] = 1
    return start


def _add(found: dict[int, Histogram], state: int, histogram: Histogram) -> None:
    found[state] = found[state] + histogram if state in found else histogram


def _crossings(histogram: Histogram, jump: int) -> int:
    """How many of the positions leave their line by ``jump``."""
    width = len(histogram)
    kept = histogram[max(-jump, 0) : width - max(jump, 0)] if abs(jump) < width else histogram[:0]
    return int(histogram.sum()) - int(kept.sum())


def _spread(histogram: Histogram, stride: int, steps: int) -> Histogram:
    """The histogram after ``steps`` steps of a loop: Σ of the shifts by v·stride, v < steps."""
    width = len(histogram)
    stride %= width
    period = width // math.gcd(stride, width)
    rounds, rest = divmod(steps, period)
    # Positions along the orbits of the stride: one row per orbit.
    orbits = (np.arange(width // period)[:, None] + np.arange(period) * stride) % width
    along = histogram[orbits]
    found = np.zeros_like(along) + (along.sum(axis=1, keepdims=True) * rounds if rounds else 0)
    if rest:
        sums = np.cumsum(np.concatenate([along, along], axis=1), axis=1)
        ends = np.arange(period, 2 * period)
        found = found + sums[:, ends] - sums[:, ends - rest]
    result = np.empty_like(histogram)
    result[orbits] = found
    return result


def distinct_lines(layout: Layout, width: int, *, units: int = 1) -> int | None:
    """Number of different lines of ``width`` units that the elements touch; None if not found.

    ``units`` of one element. In ascending order of addresses each line is entered once, so the
    lines are the changes of that walk, and one more. Not for a swizzle.
    """
    if 0 in layout.shape:
        return 0
    ascending = memory_nest(layout, units=units)
    if ascending is not None:
        changes = line_changes(ascending, width)
        return None if changes is None else changes + 1
    sums = _sums(layout)
    return None if sums is None else _lines_of_sums(*sums, layout, width, units)


def memory_nest(layout: Layout, *, units: int = 1) -> Nest | None:
    """The walk in ascending order of addresses, None if no order of the loops is ascending. In
    units, ``units`` to one element."""
    cuts: list[list[Cut]] = []
    for digits, size in zip(
        map(layout.reachable_digits, range(layout.rank)), layout.shape, strict=True
    ):
        inner = math.prod(g.extent for g in digits[1:])
        if size % inner and min(g.stride for g in digits) <= 0:
            return None
        mine = [(-abs(g.stride), place, g.extent, abs(g.stride)) for place, g in places(digits)]
        cuts.append([cut for cut in reversed(mine) if cut[3]])
    loops = placed_loops(cuts, layout.shape)
    if loops is None:
        return None
    nest = Nest(loops, _least(layout)).scaled(units, parts=units)
    if nest.nodes > MOST_NODES:
        return None
    return nest if all(group.jump >= 0 for group in nest.groups()) else None


# A component of a set of addresses: (extent, stride), or the ascending offsets themselves.
_Component = tuple[int, int] | npt.NDArray[np.int64]


@lru_cache(maxsize=8)
def _sums(layout: Layout) -> tuple[int, list[_Component]] | None:
    """The least address, and parts whose sums with it are all addresses.

    Innermost first; each part is wider than all before it together.

    Loops that continue or overlap each other become one; those that interleave become a table.
    None if a table would be too long.
    """
    parts: list[_Component] = []
    waiting: list[_Component] = []
    least = layout.offset
    loops = box_loops(layout)
    if loops is None:
        for d, size in enumerate(layout.shape):
            if size > _MOST_OFFSETS:
                return None
            table = distinct_of(layout.table(d))
            least += int(table[0])
            if len(table) > 1:
                waiting.append(table - table[0])
    else:
        waiting += [(n, s) for n, s in loops if s]
        least = _least(layout)
    waiting.sort(key=_gap)
    for part in waiting:
        placed: _Component | None = part
        while placed is not None and parts:
            inside = sum(map(_reach, parts))
            if _gap(placed) > inside:
                break
            merged = _overlapped(placed, parts[-1])
            below = parts.pop()
            placed = merged or _summed(placed, below)
        if placed is None:
            return None
        parts.append(placed)
    return least, parts


def _least(layout: Layout) -> int:
    digits = (g for d in range(layout.rank) for g in layout.reachable_digits(d))
    return layout.offset + sum(min(g.reach, 0) for g in digits)


def _gap(part: _Component) -> int:
    """The least distance between two offsets."""
    if isinstance(part, tuple):
        return part[1]
    return int(np.diff(part).min()) if len(part) > 1 else 0


def _reach(part: _Component) -> int:
    return (part[0] - 1) * part[1] if isinstance(part, tuple) else int(part[-1])


def _overlapped(outer: _Component, inner: _Component) -> _Component | None:
    """One loop for two of which the outer one steps from value to value of the inner one."""
    if not (isinstance(outer, tuple) and isinstance(inner, tuple)):
        return None
    (n, stride), (m, step) = outer, inner
    if stride % step or stride > m * step:
        return None
    return m + (n - 1) * (stride // step), step


def _summed(outer: _Component, inner: _Component) -> _Component | None:
    """The table of all sums, None if it would be too long."""
    a, b = _table(outer), _table(inner)
    if a is None or b is None or len(a) * len(b) > 2 * _MOST_OFFSETS:
        return None
    found = distinct_of(np.add.outer(a, b))
    return found if len(found) <= _MOST_OFFSETS else None


def _table(part: _Component) -> npt.NDArray[np.int64] | None:
    if not isinstance(part, tuple):
        return part
    return np.arange(part[0]) * part[1] if part[0] <= _MOST_OFFSETS else None


def _lines_of_sums(
    least: int, parts: Sequence[_Component], layout: Layout, width: int, units: int
) -> int | None:
    """Lines of the sums, from the outermost part in: the crossings of each part, and one more."""
    if (layout.bounds[1] + 1) * units > INT64_MAX:
        return None
    if not _affordable(len(parts) * width, layout.elements * units):
        return None
    scaled: list[_Component] = [
        (p[0], p[1] * units) if isinstance(p, tuple) else p * units for p in parts
    ]
    if units > 1:
        scaled.insert(0, (units, 1))
    histogram = _at(least * units, width, layout.elements * units)
    reach = sum(map(_reach, scaled))
    lines = 1
    for part in reversed(scaled):
        reach -= _reach(part)
        if isinstance(part, tuple):
            before = np.roll(_spread(histogram, part[1], part[0] - 1), reach % width)
            lines += _crossings(before, part[1] - reach)
            histogram = _spread(histogram, *part[::-1])
        else:
            found = _table_crossings(histogram, part, reach)
            if found is None:
                return None
            lines += found[0]
            histogram = found[1]
    return lines


def _table_crossings(
    histogram: Histogram, table: npt.NDArray[np.int64], reach: int
) -> tuple[int, Histogram] | None:
    """Crossings between the offsets of a table, and the histogram after it."""
    width = len(histogram)
    jumps = np.diff(table) - reach
    long = jumps >= width
    crossings = int(histogram.sum()) * int(long.sum())
    # A jump below the width crosses from the last ``jump`` positions of a line.
    first = (width - jumps[~long] - table[:-1][~long] - reach) % width
    ends = first + jumps[~long]
    rise = np.bincount(first, minlength=2 * width) - np.bincount(ends, minlength=2 * width)
    crossed = np.cumsum(rise)
    times = crossed[:width] + crossed[width : 2 * width]
    crossings += sum(int(a) * int(b) for a, b in zip(histogram, times, strict=True) if a and b)
    places, counts = np.unique(table % width, return_counts=True)
    if len(places) * width > _MOST_PRODUCT:
        return None
    after = np.zeros_like(histogram)
    for place, count in zip(places.tolist(), counts.tolist(), strict=True):
        after = after + np.roll(histogram, place) * count
    return crossings, after
