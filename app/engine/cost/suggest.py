"""Layouts of a shared-memory tile without bank conflicts: found by search, proven by counting."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..model.dtypes import ElementType
from ..model.errors import refusal
from ..model.layout import Digit, Int64Array, Layout, Swizzle
from .warp import Warp, WarpCounter

MOST_TILE_BYTES = 1 << 18
_LISTED = 8  # swizzles
_MOST_BITS = 6  # of a swizzle: more than 32 banks have
_FIRST = 64  # warps that are counted before all others


@dataclass(frozen=True, slots=True)
class Access:
    """The access of all ``warps`` that cover the tile.

    ``along``: dimensions of the lanes, innermost first. ``passes``: of all warps together.
    ``conflicts``: those over the least.
    """

    along: str
    warps: int
    passes: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class Fix:
    """A layout without conflicts for the access that was asked.

    ``accesses``: that access, then one along each other dimension. ``extra_elements``: what the
    buffer grows by. ``padding``: elements added to the strides of ``outside`` and all further
    out, None for a swizzle.
    """

    layout: Layout
    extra_elements: int
    padding: int | None
    outside: str | None
    accesses: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What removes the conflicts of an access; no fixes if it has none, or none is found.

    ``accesses``: of the layout as it is. ``padding``: the smallest. ``swizzles``: first those
    under which the other accesses conflict least, then those with the fewest bits; they replace
    the layout's own. ``found``: the number of all such swizzles.
    """

    accesses: tuple[Access, ...]
    padding: Fix | None
    swizzles: tuple[Fix, ...]
    found: int


def suggest(layout: Layout, dtype: ElementType, warp: Warp) -> Suggestion:
    """Search paddings and swizzles that free an access of a shared-memory tile of conflicts. All
    warps over the tile are counted. Errors: LayoutError naming warp.suggest."""
    if warp.space != "shared":
        raise refusal("warp.suggest", "an access to global memory", "warp.suggest_space")
    if dtype.size_bytes(layout.buffer_elements) > MOST_TILE_BYTES:
        raise refusal("warp.suggest", "a large tensor", "bytes.limit", most=MOST_TILE_BYTES)
    search = _Search(layout, dtype, warp)
    now = search.accesses(layout)
    if not now or not now[0].conflicts:
        return Suggestion(now, None, (), 0)
    swizzles = [search.fix(each) for each in search.swizzles()]
    swizzles.sort(key=search.rank)
    return Suggestion(now, search.padding(), tuple(swizzles[:_LISTED]), len(swizzles))


class _Search:
    """The layout without its swizzle, and how its conflicts are counted."""

    def __init__(self, layout: Layout, dtype: ElementType, warp: Warp) -> None:
        self.given = layout
        self.plain = replace(layout, swizzle=None)
        self.dtype = dtype
        self.warp = warp

    def accesses(self, layout: Layout) -> tuple[Access, ...]:
        """The asked access, then one along each other dimension; none of an empty tile."""
        rank, along = layout.rank, self.warp.along
        first = "".join(layout.dims[d] for d in along)
        asked = [(first, self.warp)]
        for d in range(rank):
            if along[:1] != (d,) and layout.shape[d] > 1:
                order = (d, *(e for e in reversed(range(rank)) if e != d))
                asked.append((layout.dims[d], replace(self.warp, along=order, at=(0,) * rank)))
        found = []
        for name, warp in asked:
            counter = WarpCounter(layout, self.dtype, warp)
            rows = counter.rows()
            if rows is not None:
                phases = counter.phases(rows)
                passes = int(phases.passes.sum())
                found.append(Access(name, len(rows), passes, passes - int(phases.ideal.sum())))
        return tuple(found)

    def counted(self, layout: Layout) -> tuple[WarpCounter, Int64Array]:
        """The counter of the asked access to a layout, and the addresses of all its warps."""
        counter = WarpCounter(layout, self.dtype, self.warp)
        rows = counter.rows()
        assert rows is not None  # as many as of the layout as it is, which were counted before
        return counter, rows

    @staticmethod
    def free(counter: WarpCounter, rows: Int64Array) -> bool:
        """Whether the asked access has no conflicts, and lanes are aligned if they were."""
        for part in (rows[:_FIRST], rows[_FIRST:]):
            if len(part):
                phases = counter.phases(part)
                if (phases.passes > phases.ideal).any() or not counter.aligned(part):
                    return False
        return True

    def fix(self, layout: Layout, padding: int | None = None, outside: str | None = None) -> Fix:
        """The fix that a layout is."""
        extra = layout.buffer_elements - self.given.buffer_elements
        return Fix(layout, extra, padding, outside, self.accesses(layout))

    @staticmethod
    def rank(fix: Fix) -> tuple[int, ...]:
        """What makes a swizzle better: low numbers."""
        swizzle = fix.layout.swizzle
        assert swizzle is not None
        others = sum(each.conflicts for each in fix.accesses[1:])
        return fix.extra_elements, others, swizzle.bits, swizzle.shift, swizzle.base

    def swizzles(self) -> Iterator[Layout]:
        """The swizzles without conflicts that keep the vectors of lanes whole."""
        bits = max(self.plain.buffer_elements - 1, 0).bit_length()
        base = (self.warp.vector - 1).bit_length()
        counter, rows = self.counted(self.plain)
        for count in range(1, min(_MOST_BITS, bits) + 1):
            for low in range(base, bits):
                for shift in range(count, bits - low - count + 1):
                    swizzle = Swizzle(count, low, shift)
                    moved = swizzle(rows)
                    moved[rows < 0] = -1
                    if self.free(counter, moved):
                        yield replace(self.plain, swizzle=swizzle)

    def padding(self) -> Fix | None:
        """The padding that lets the buffer grow least, None if no padding of one stride helps."""
        found: list[Fix] = []
        step = self.warp.vector
        row = self.warp.banks * self.warp.bank_bytes * 8 // self.dtype.bits
        digits = self._digits()
        for at in range(1, len(digits)):
            for padding in range(step, row + 1, step):
                padded = self._padded(digits, at, padding)
                if padded is None:
                    break
                if self.free(*self.counted(padded)):
                    d = digits[at][0]
                    found.append(self.fix(padded, padding, self.plain.dims[d]))
                    break
        return min(found, key=lambda fix: fix.extra_elements, default=None)

    def _digits(self) -> list[tuple[int, int, Digit]]:
        """(dimension, index, digit) with extents over 1 and strides not 0, innermost first."""
        found = [
            (d, k, g)
            for d, digits in enumerate(self.plain.digits)
            for k, g in enumerate(digits)
            if g.extent > 1 and g.stride
        ]
        return sorted(found, key=lambda each: abs(each[2].stride))

    def _padded(self, digits: list[tuple[int, int, Digit]], at: int, padding: int) -> Layout | None:
        """The layout with ``padding`` elements after each step of the digit ``at``; None if the
        strides further out are no multiples of its stride."""
        unit = abs(digits[at][2].stride)
        changed = [list(mine) for mine in self.plain.digits]
        for d, k, g in digits[at:]:
            if g.stride % unit:
                return None
            changed[d][k] = Digit(g.extent, g.stride + g.stride // unit * padding)
        offset = self.plain.bounds[0] - sum(min(g.reach, 0) for mine in changed for g in mine)
        return Layout(self.plain.shape, self.plain.dims, tuple(map(tuple, changed)), offset)
