"""Distances between consecutive accesses, counted."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..model.layout import Int64Array
from .nest import Nest


@dataclass(frozen=True, slots=True)
class Jumps:
    """Distances between consecutive accesses, in elements, without sign; None for one access.
    ``median``: with an even number of jumps the mean of the two in the middle."""

    smallest: int | None
    median: float | int | None
    largest: int | None


def jumps_of_nest(nest: Nest) -> Jumps:
    """The jumps of a nest whose strides are in elements."""
    found: Counter[int] = Counter()
    for group in nest.groups():
        found[abs(group.jump)] += group.count * group.steps
    return _summary(found)


def jumps_of_chunks(chunks: Iterable[Int64Array]) -> Jumps:
    """The jumps of addresses in order, given in chunks."""
    found: Counter[int] = Counter()
    last = np.empty(0, dtype=np.int64)
    for chunk in chunks:
        values, counts = np.unique(np.abs(np.diff(chunk, prepend=last)), return_counts=True)
        found.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        last = chunk[-1:] if len(chunk) else last
    return _summary(found)


def _summary(found: Counter[int]) -> Jumps:
    total = found.total()
    if not total:
        return Jumps(None, None, None)
    ordered = sorted(found)
    ends = list(accumulate(found[value] for value in ordered))
    twice = sum(ordered[bisect_right(ends, at)] for at in ((total - 1) // 2, total // 2))
    return Jumps(ordered[0], twice // 2 if twice % 2 == 0 else twice / 2, ordered[-1])
