"""Which events repeat, and which event read what another wrote, where a log allows one reading.

A log has no names and no addresses. A reader is joined to a writer only by shape, element type and
memory, inside one repetition: what was written before it and could be the tensor is a candidate.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .events import Execution, Key, Recorded

_OUTSIDE = -1  # a tensor that no event of the repetition wrote
_Told = TypeVar("_Told")


@dataclass(frozen=True, slots=True)
class Period:
    """``events`` in a row that the end of the log repeats ``times`` times."""

    events: int
    times: int


@dataclass(frozen=True, slots=True)
class Link:
    """``target`` read in ``operand`` what ``source`` may have written; ``one_of`` candidates."""

    source: int
    target: int
    operand: int
    one_of: int


def period_of(ids: npt.NDArray[np.int32]) -> Period | None:
    """The shortest period of the longest end of the sequence that repeats at least twice.

    By the prefix function of the reversed sequence: a beginning of length n has the period
    n - prefix[n - 1] (Knuth, Morris, Pratt).
    """
    reversed_ids = ids[::-1].tolist()
    prefix = [0] * len(reversed_ids)
    best, known = None, 0
    for i in range(1, len(reversed_ids)):
        while known and reversed_ids[i] != reversed_ids[known]:
            known = prefix[known - 1]
        if reversed_ids[i] == reversed_ids[known]:
            known += 1
        prefix[i] = known
        period = i + 1 - known
        if 2 * period <= i + 1:
            best = Period(period, (i + 1) // period)
    return best


class Repetition:
    """One repetition of a log, or all of it where nothing repeats: who wrote and who read what.

    ``first``: the index of its first event; ``start``: of the first event of the first repetition;
    ``times``: how many there are. ``seams``: places in it where two repetitions may meet,
    so that neighbours there need not belong to one. ``readers``: by tensor, who read it.
    """

    def __init__(self, log: Recorded, period: Period | None) -> None:
        count = len(log.ids)
        self.first = count - period.events if period else 0
        self.times = period.times if period else 1
        self.start = count - period.events * period.times if period else 0
        self._ids: list[int] = log.ids[self.first :].tolist()
        self._of_log = log.kinds
        self.kinds: list[Execution] = [log.kinds[i] for i in self._ids]
        # The repetitions may begin at the log's beginning, or so that one ends with the log.
        self.seams = {0, -self.first % period.events} if period else {0}
        self.readers: defaultdict[Key, list[int]] = defaultdict(list)
        self._writers: defaultdict[Key, list[int]] = defaultdict(list)
        reads = self.each(partial(_keys, written=False))
        writes = self.each(partial(_keys, written=True))
        for at, (read, written) in enumerate(zip(reads, writes, strict=True)):
            for _, key in read:
                if not self._writers[key]:
                    self._writers[key].append(_OUTSIDE)
                self.readers[key].append(at)
            for _, key in written:
                self._writers[key].append(at)
        self.next_primitive = self._neighbours(range(len(reads) - 1, -1, -1))
        self.previous_primitive = self._neighbours(range(len(reads)))

    def each(self, told: Callable[[Execution], _Told]) -> list[_Told]:
        """What a function says of each event; it is asked once for events that are alike."""
        said = {i: told(self._of_log[i]) for i in set(self._ids)}
        return [said[i] for i in self._ids]

    def _neighbours(self, order: range) -> list[int | None]:
        """For each event the last one that is no reorder before it, in this order."""
        found: list[int | None] = [None] * len(order)
        last = None
        for at in order:
            found[at] = last
            if not self.kinds[at].is_reorder:
                last = at
        return found

    def candidates(self, at: int, key: Key) -> tuple[int, int]:
        """How many can have written what ``at`` read, and the last of them; -1 is no event."""
        writers = self._writers[key]
        count = bisect_left(writers, at)
        return count, writers[count - 1] if count else _OUTSIDE

    def source_of(self, at: int, key: Key) -> int | None:
        """The one event that can have written what ``at`` read; None if several can, or none."""
        count, last = self.candidates(at, key)
        return last if count == 1 and last != _OUTSIDE else None

    def comes_from_outside(self, key: Key) -> bool:
        """Whether a tensor like this was read before an event of the window wrote one."""
        return self._writers[key][:1] == [_OUTSIDE]

    def occurrences(self, places: Iterable[int]) -> npt.NDArray[np.int64]:
        """Indices in the log of these places of the window, in every repetition."""
        firsts = self.first - len(self.kinds) * np.arange(self.times - 1, -1, -1)
        return np.sort(np.add.outer(firsts, np.array([*places], np.int64)).ravel())

    def links(self, most: int) -> Iterator[Link]:
        """Joins of the first ``most`` events: to the last candidate, with the number of them."""
        for at, read in enumerate(self.each(partial(_keys, written=False))[:most]):
            for place, key in read:
                count, last = self.candidates(at, key)
                if last != _OUTSIDE:
                    yield Link(self.first + last, self.first + at, place, count)


def _keys(kind: Execution, *, written: bool) -> list[tuple[int, Key]]:
    return [
        (place, each.key)
        for place, each in enumerate(kind.operands)
        if (kind.writes_role if written else kind.reads_role)(each.role) and each.key is not None
    ]
