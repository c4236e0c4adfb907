"""How often a walk changes its line, and how many lines it touches, from the loops alone.

Whether two accesses ``jump`` apart lie in one line of ``width`` depends only on where the first
lies in its line. So each loop makes another histogram of ``width`` positions from one, and the
work depends on the number of loops and the width, not on the number of accesses.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.digits import places
from ..model.layout import Layout
from .nest import MOST_NODES, Cut, Nest, NestLoop, box_loops, placed_loops

_MOST_WORK = 1 << 23  # positions of all nodes: a second or less
_EXACT_COSTS = 64  # times as much work with Python's integers as with int64
_EXACT = 1 << 62  # counts up to here are int64, above them Python integers

Histogram = npt.NDArray[Any]


def line_changes(nest: Nest, width: int) -> int | None:
    """How many consecutive accesses lie in different lines of ``width``; None if too much work."""
    if nest.accesses < 2:
        return 0
    common = math.gcd(width, *(loop.stride for loop in nest.loops))
    width //= common
    exact = nest.accesses >= _EXACT
    if nest.nodes * width * (_EXACT_COSTS if exact else 1) > _MOST_WORK:
        return None
    start = np.zeros(width, dtype=object if exact else np.int64)
    start[nest.offset // common % width] = 1
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
                jump = stride - last  # by which positions leave their line, or stay
                kept = before[max(-jump, 0) : max(width - max(jump, 0), 0)]
                changes += int(before.sum()) - int(kept.sum())
            if level + 1 < len(nest.loops):
                if whole:
                    _add(below, inside, _spread(histogram, stride, whole))
                if final != inside:
                    _add(below, final, np.roll(histogram, whole * stride % width))
        entered = below
    return changes


def _add(found: dict[int, Histogram], state: int, histogram: Histogram) -> None:
    found[state] = found[state] + histogram if state in found else histogram


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
    changes = None if ascending is None else line_changes(ascending, width)
    return None if changes is None else changes + 1


def memory_nest(layout: Layout, *, units: int = 1) -> Nest | None:
    """A walk over the addresses in ascending order, None if no order of the loops is ascending. In
    units, ``units`` to one element."""
    box = box_loops(layout)
    if box is None:
        cuts: list[list[Cut]] = []
        for d, size in enumerate(layout.shape):
            digits = layout.reachable_digits(d)
            inner = math.prod(g.extent for g in digits[1:])
            if size % inner and min(g.stride for g in digits) <= 0:
                return None
            mine = [(-abs(g.stride), place, g.extent, abs(g.stride)) for place, g in places(digits)]
            cuts.append([cut for cut in reversed(mine) if cut[3]])
        loops = placed_loops(cuts, layout.shape)
    else:
        loops = [NestLoop(extent, stride, extent - 1) for extent, stride in _merged(box)]
    if loops is None:
        return None
    reachable = (g for d in range(layout.rank) for g in layout.reachable_digits(d))
    least = layout.offset + sum(min(g.reach, 0) for g in reachable)
    nest = Nest(loops, least).scaled(units, parts=units)
    if nest.nodes > MOST_NODES:
        return None
    return nest if all(jump >= 0 for jump, _ in nest.jumps()) else None


def _merged(loops: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """(extent, stride) of loops with the same sums, the largest stride first. Of two loops, the
    outer of which steps from value to value of the inner one, one is made."""
    found: list[tuple[int, int]] = []
    for extent, stride in sorted(loops, key=lambda loop: loop[1]):
        inner, step = found[-1] if found else (0, 1)
        if stride and inner and stride % step == 0 and stride <= inner * step:
            found[-1] = inner + (extent - 1) * (stride // step), step
        elif stride:
            found.append((extent, stride))
    return found[::-1]
