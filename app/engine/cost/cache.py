"""Misses of a set-associative cache that replaces the least recently used line.

A nest is simulated only until it repeats: if after some steps of a loop the cache holds the same
lines as before, moved by a whole number of lines, then the same number of steps misses as often
again, because moving all lines only renames the sets. So a walk of 10^12 accesses costs little
more than filling the cache a few times. Source: Morelli and Reineke, Warping Cache Simulation of
Polyhedral Programs, PLDI 2022.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..model.layout import Int64Array
from .nest import Nest

Lines = OrderedDict[int, None]  # of one set, least recently used first


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache of ``entries`` lines or pages in sets of ``ways``; the least recently used goes."""

    entries: int
    ways: int

    @property
    def sets(self) -> int:
        """Number of sets; a line belongs to the set line modulo sets."""
        return self.entries // self.ways


@dataclass(frozen=True, slots=True)
class Misses:
    """``misses`` of the first ``accesses``; ``complete``: these are all accesses of the walk."""

    misses: int
    accesses: int
    complete: bool


class _StoppedError(Exception):
    """The budget is used up."""


class _SimulatedCache:
    """The lines that a cache holds while accesses go through it."""

    def __init__(self, cache: Cache, budget: int) -> None:
        self.ways = cache.ways
        self.count = cache.sets
        self.sets: list[Lines] = [OrderedDict() for _ in range(cache.sets)]
        self.recent = -1
        self.misses = 0
        self.touched = 0
        self.held = 0
        self.budget = budget

    def touch(self, line: int) -> None:
        """One access."""
        self.touched += 1
        if self.touched > self.budget:
            raise _StoppedError
        if line == self.recent:
            return
        self.recent = line
        lines = self.sets[line % self.count]
        if line in lines:
            lines.move_to_end(line)
            return
        self.misses += 1
        lines[line] = None
        if len(lines) > self.ways:
            lines.popitem(last=False)
        else:
            self.held += 1

    def repeats(self, before: list[tuple[int, ...]], moved: int) -> bool:
        """Whether it holds what it held ``before``, ``moved`` lines further."""
        return all(
            tuple(line + moved for line in lines) == tuple(self.sets[(at + moved) % self.count])
            for at, lines in enumerate(before)
        )

    def move(self, lines: int) -> None:
        """Hold the same, ``lines`` further."""
        self.touched += (self.held + self.count) // 2
        moved: list[Lines] = [OrderedDict() for _ in range(self.count)]
        for at, each in enumerate(self.sets):
            moved[(at + lines) % self.count] = OrderedDict((line + lines, None) for line in each)
        self.sets = moved
        self.recent += lines


def nest_misses(nest: Nest, width: int, cache: Cache, budget: int) -> Misses:
    """The misses of a nest with lines of ``width`` units. ``budget``: lines to touch, about; then
    it stops."""
    run = _Run(nest, width, cache, budget)
    try:
        run.node(0, nest.start, nest.offset)
    except _StoppedError:
        return Misses(run.cache.misses, run.accesses, complete=False)
    return Misses(run.cache.misses, nest.accesses, complete=True)


class _Run:
    """The simulation of a nest."""

    def __init__(self, nest: Nest, width: int, cache: Cache, budget: int) -> None:
        self.nest = nest
        self.width = width
        self.cache = _SimulatedCache(cache, budget)
        self.accesses = 0
        self._flat: dict[tuple[int, int], tuple[int, int] | None] = {}

    def node(self, level: int, state: int, at: int) -> None:
        """All accesses of a node whose first address is ``at``."""
        self.cache.touched += 2  # what a node costs, beside its accesses
        flat = self.flat(level, state)
        if flat is not None:
            self.run(at, *flat)
            return
        stride = self.nest.loops[level].stride
        whole, inside, final = self.nest.steps_at(level, state)
        each = self.nest.accesses_inside(level + 1, inside)
        below = self.flat(level + 1, inside)

        def step(done: int) -> None:
            if below is None:
                self.node(level + 1, inside, at + done * stride)
            else:
                self.run(at + done * stride, *below)

        self.repeated(step, whole, stride, each)
        if final != inside:
            self.node(level + 1, final, at + whole * stride)

    def flat(self, level: int, state: int) -> tuple[int, int] | None:
        """(accesses, stride) of a node whose loops continue each other, else None."""
        key = (level, state)
        if key not in self._flat:
            steps, stride, inside = 1, 0, 0
            found: tuple[int, int] | None = None
            for loop in self.nest.loops[: level - 1 if level else None : -1]:
                tight = loop.tight & state
                if tight & inside:  # its last step is shorter than the others
                    break
                inside |= tight
                extent = loop.last + 1 if tight else loop.extent
                if extent == 1:
                    continue
                if steps == 1:
                    stride = loop.stride
                elif loop.stride != stride * steps:
                    break
                steps *= extent
            else:
                found = (steps, stride)
            self._flat[key] = found
        return self._flat[key]

    def run(self, at: int, steps: int, stride: int) -> None:
        """Accesses ``stride`` apart."""
        width, touch = self.width, self.cache.touch
        first = at // width
        if abs(stride) >= width:

            def access(done: int) -> None:
                touch((at + done * stride) // width)
                self.accesses += 1

            self.repeated(access, steps, stride, 1)
            return
        last = (at + (steps - 1) * stride) // width
        if first == last:
            touch(first)
        else:
            sign = 1 if last > first else -1

            def line(done: int) -> None:
                touch(first + sign * done)

            self.repeated(line, abs(last - first) + 1, sign * width, 0)
        self.accesses += steps

    def repeated(self, step: Callable[[int], None], steps: int, stride: int, accesses: int) -> None:
        """Call ``step`` with 0 to steps-1, but only until the cache repeats itself. A step moves
        ``stride`` units further; ``accesses`` of one step."""
        cache = self.cache
        period = self.width // math.gcd(stride, self.width)
        before_first, done = cache.touched, min(period, steps)
        for at in range(done):
            step(at)
        touched = cache.touched - before_first  # by a period
        while touched * ((steps - done) // period) > 4 * cache.held:
            # Compare only after as many touches as there are lines to compare.
            wait = period * max(-(-cache.held // touched), 1)
            if done + 2 * wait > steps:
                break
            before, misses = list(map(tuple, cache.sets)), cache.misses
            cache.touched += (cache.held + cache.count) // 4
            for at in range(done, done + wait):
                step(at)
            done += wait
            moved = wait * stride // self.width
            if cache.repeats(before, moved):
                rounds = (steps - done) // wait
                cache.misses += rounds * (cache.misses - misses)
                cache.move(rounds * moved)
                self.accesses += rounds * wait * accesses
                done += rounds * wait
                break
        for at in range(done, steps):
            step(at)


def sequence_misses(
    chunks: Iterable[Int64Array], width: int, units: int, cache: Cache, budget: int
) -> Misses:
    """The misses of accesses at addresses in elements, each of ``units``, in lines of ``width``."""
    simulated, accesses = _SimulatedCache(cache, budget), 0
    try:
        for chunk in chunks:
            for line in lines_of(chunk, width, units).tolist():
                simulated.touch(line)
            accesses += len(chunk)
    except _StoppedError:
        return Misses(simulated.misses, accesses, complete=False)
    return Misses(simulated.misses, accesses, complete=True)


def lines_of(addresses: Int64Array, width: int, units: int) -> Int64Array:
    """The lines that accesses touch, in their order; each access touches its lines ascending."""
    first = addresses * units // width
    if units == 1:
        return first
    counts = (addresses * units + units - 1) // width - first + 1
    starts = np.cumsum(counts) - counts
    return np.repeat(first - starts, counts) + np.arange(counts.sum())
