"""What a walk over a tensor costs: cache lines, pages and jumps, counted."""

import itertools
import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np

from ..model.arrays import distinct_of
from ..model.dtypes import ElementType
from ..model.errors import refusal
from ..model.layout import Int64Array, Layout
from ..notation.orders import Order
from .cache import Cache, Misses, lines_of, nest_misses, sequence_misses
from .lines import distinct_lines, line_changes
from .nest import addresses, nest_of, order_text, parse_order

MOST_BYTES = 1 << 21  # of a line or a page
MOST_HELD = 1 << 19  # lines of a cache
MOST_LOOPS = 4  # whose orders are all compared
_VISITED = 1 << 22  # accesses that are visited one by one where no few loops describe a walk
_STEPS = 1 << 24  # of all loops together, for the accesses that are visited
_SMALL = 1 << 14  # elements
_TOUCHED = 1 << 20  # lines that a simulated cache touches: about a second
_FETCHED = {"lines": ("lines.fetched", "lines.fetched_bytes"), "pages": ("pages.fetched",)}


@dataclass(frozen=True, slots=True)
class Jumps:
    """Distances between consecutive accesses, in elements, without sign; None for one access.
    ``median``: with an even number of jumps the mean of the two in the middle."""

    smallest: int | None
    median: float | int | None
    largest: int | None


def _summary(found: Counter[int]) -> Jumps:
    total = found.total()
    if not total:
        return Jumps(None, None, None)
    ordered = sorted(found)
    ends = list(accumulate(found[value] for value in ordered))
    twice = sum(ordered[bisect_right(ends, at)] for at in ((total - 1) // 2, total // 2))
    return Jumps(ordered[0], twice // 2 if twice % 2 == 0 else twice / 2, ordered[-1])


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Sizes of lines and pages in bytes, a ``cache`` of lines, a ``tlb`` of pages. Without a cache,
    each change of line between consecutive accesses is a fetch; so with pages."""

    line_bytes: int = 64
    page_bytes: int = 4096
    cache: Cache | None = None
    tlb: Cache | None = None


@dataclass(frozen=True, slots=True)
class Lines:
    """Cache lines: different ones and fetched ones.

    ``useful_bytes``: different bytes that the walk uses. ``fetched_bytes``: fetched lines times
    their size.
    """

    distinct: int
    fetched: int
    useful_bytes: int
    fetched_bytes: int


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages: different ones and fetched ones."""

    distinct: int
    fetched: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where the counter stopped, for a walk that no few loops describe.

    ``accesses``: those counted until then. ``at_least``: the numbers that are lower bounds.
    ``partial``: those of the visited accesses only. All others are exact.
    """

    accesses: int
    at_least: tuple[str, ...]
    partial: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WalkCost:
    """What a walk costs, counted and not measured.

    ``order``: its loops, outermost first. ``stopped``: None if exact.
    """

    order: str
    accesses: int
    lines: Lines
    pages: Pages
    jumps: Jumps
    stopped: Stopped | None


@dataclass(frozen=True, slots=True)
class OrderCost:
    """One order of the loops, counted.

    ``order``: the loops, outermost first. ``best``: of the orders that are counted to the end none
    fetches fewer lines, and of those with as many lines none fetches fewer pages.
    """

    order: str
    lines_fetched: int
    pages_fetched: int
    jumps: Jumps
    best: bool
    stopped: Stopped | None


def walk_cost(
    layout: Layout, dtype: ElementType, order: str | None = None, memory: Hierarchy | None = None
) -> WalkCost:
    """Count what one access to every element costs, in an order of loops.

    ``order``: as for ``parse_order``; None: the logical order. The buffer starts at address 0. An
    element that lies in two lines touches both, the lower first.
    Errors: LayoutError naming walk.order.
    """
    loops = parse_order(order, layout.dims)
    counted = _Walk(layout, dtype, loops, visited=_VISITED, touched=_TOUCHED)
    memory = memory or Hierarchy()
    fetched = counted.fetched("lines", memory.line_bytes, memory.cache)
    lines = Lines(
        counted.distinct("lines.distinct", memory.line_bytes * 8),
        fetched,
        dtype.size_bytes(counted.distinct("lines.useful_bytes", dtype.bits)),
        fetched * memory.line_bytes,
    )
    pages = Pages(
        counted.distinct("pages.distinct", memory.page_bytes * 8),
        counted.fetched("pages", memory.page_bytes, memory.tlb),
    )
    jumps = counted.jumps()
    text = order_text(loops, layout.dims)
    return WalkCost(text, layout.elements, lines, pages, jumps, counted.stopped())


def compare_orders(
    layout: Layout, dtype: ElementType, memory: Hierarchy | None = None
) -> tuple[OrderCost, ...]:
    """Count the walk in every order of the loops over sizes above 1, the cheapest first.

    Orders whose counter stopped come last, by the lines that each fetches per access until then.

    Errors: LayoutError naming walk.orders if there are more than MOST_LOOPS such sizes.
    """
    memory = memory or Hierarchy()
    moving = [d for d, size in enumerate(layout.shape) if size != 1]
    if len(moving) > MOST_LOOPS:
        raise refusal("walk.orders", f"{len(moving)} sizes over 1", "most.of_them", most=MOST_LOOPS)
    still = [d for d in range(layout.rank) if d not in moving]
    orders = list(itertools.permutations(moving))
    found = []
    for moved in orders:
        loops: Order = tuple((d, None) for d in (*still, *moved))
        counted = _Walk(
            layout, dtype, loops, visited=_VISITED // len(orders), touched=_TOUCHED // len(orders)
        )
        lines = counted.fetched("lines", memory.line_bytes, memory.cache)
        pages = counted.fetched("pages", memory.page_bytes, memory.tlb)
        jumps = counted.jumps()
        text = order_text(loops, layout.dims)
        found.append(OrderCost(text, lines, pages, jumps, best=False, stopped=counted.stopped()))
    found.sort(key=_cost)  # stable: equal orders stay in logical order
    least = _cost(found[0])
    return tuple(
        replace(each, best=each.stopped is None and _cost(each) == least) for each in found
    )


def _cost(order: OrderCost) -> tuple[bool, Fraction, int]:
    stopped = order.stopped
    lines = Fraction(order.lines_fetched, max(1, stopped.accesses) if stopped else 1)
    return stopped is not None, lines, order.pages_fetched


class _Walk:
    """One walk: its loops where they describe it, else the addresses that it visits first."""

    def __init__(
        self, layout: Layout, dtype: ElementType, order: Order, *, visited: int, touched: int
    ) -> None:
        self.layout = layout
        self.bits = dtype.bits
        self.order = order
        moving = sum(size > 1 for size in layout.shape)
        self.most = min(visited, _STEPS // max(moving, 1))
        self.touched = touched
        regular = layout.elements and not layout.swizzle
        self.nest = nest_of(layout, order) if regular else None
        self.reached = layout.elements
        self.at_least: list[str] = []
        self.partial: list[str] = []

    @cached_property
    def visited(self) -> list[Int64Array]:
        """Addresses of the first accesses, in chunks."""
        return list(addresses(self.layout, self.order, self.most))

    def _cut(self, names: list[str], *fields: str) -> None:
        """Note that ``fields`` are only of what was visited, if that is not everything."""
        visited = sum(map(len, self.visited))
        if visited < self.layout.elements:
            names += fields
            self.reached = min(self.reached, visited)

    def fetched(self, name: str, line_bytes: int, cache: Cache | None) -> int:
        """Lines fetched, or pages; ``name``: of the group of fields."""
        if not self.layout.elements:
            return 0
        width, units = self._units(line_bytes * 8)
        if cache is not None:
            misses = self._misses(width, units, cache)
            if not misses.complete:
                self.reached = min(self.reached, misses.accesses)
                self.at_least += _FETCHED[name]
            return misses.misses
        if self.nest is not None and not self._listed(width):
            changes = line_changes(self.nest.scaled(units, parts=units), width)
            if changes is not None:
                return changes + 1
        found, last = 0, np.array([-1])
        for chunk in self.visited:
            lines = lines_of(chunk, width, units)
            found += int(np.count_nonzero(np.diff(lines, prepend=last)))
            last = lines[-1:] if len(lines) else last
        self._cut(self.at_least, *_FETCHED[name])
        return found

    def _listed(self, width: int) -> bool:
        """Whether it is less work to visit all elements than to count positions in a line."""
        return self.layout.elements <= _SMALL < width

    def _misses(self, width: int, units: int, cache: Cache) -> Misses:
        least, greatest = self.layout.bounds
        held = (greatest + 1) * units // width - least * units // width + 1
        if held <= cache.sets * cache.ways and not self.layout.swizzle:
            distinct = distinct_lines(self.layout, width, units=units)
            if distinct is not None:  # nothing that is fetched has to go again
                return Misses(distinct, self.layout.elements, complete=True)
        if self.nest is not None:
            nest = self.nest.scaled(units, parts=units)
            found = nest_misses(nest, width, cache, self.touched)
            return replace(found, accesses=found.accesses // units)
        found = sequence_misses(self.visited, width, units, cache, self.touched)
        every = found.accesses == self.layout.elements
        return replace(found, complete=found.complete and every)

    def distinct(self, field: str, width_bits: int) -> int:
        """Different lines of ``width_bits``; ``field`` to note if it is a lower bound."""
        width, units = self._units(width_bits)
        found = None
        if not self.layout.swizzle and not self._listed(width):
            found = distinct_lines(self.layout, width, units=units)
        if found is None:
            self._cut(self.at_least, field)
            lines = [distinct_of(lines_of(chunk, width, units)) for chunk in self.visited]
            return len(distinct_of(np.concatenate(lines))) if lines else 0
        return found

    def jumps(self) -> Jumps:
        """Distances of consecutive accesses."""
        found: Counter[int] = Counter()
        if self.nest is not None:
            for jump, count in self.nest.jumps():
                found[abs(jump)] += count
            return _summary(found)
        self._cut(self.partial, "jumps")
        last = np.empty(0, dtype=np.int64)
        for chunk in self.visited:
            values, counts = np.unique(np.abs(np.diff(chunk, prepend=last)), return_counts=True)
            found.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
            last = chunk[-1:] if len(chunk) else last
        return _summary(found)

    def stopped(self) -> Stopped | None:
        """What is not exact, None if everything is."""
        if not self.at_least and not self.partial:
            return None
        return Stopped(self.reached, tuple(self.at_least), tuple(self.partial))

    def _units(self, width_bits: int) -> tuple[int, int]:
        """(width, size of an element) in the largest unit that divides both."""
        unit = math.gcd(width_bits, self.bits)
        return width_bits // unit, self.bits // unit
