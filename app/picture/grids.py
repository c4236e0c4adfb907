"""Where cells lie: the rules of ``static/core/grid``, in Python, for tensors that show at once."""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.model.layout import Int64Array, Layout

CHARACTER_CSS: Final = 12 * 0.6
_MOST_COLUMNS: Final = 2048
_ASPECT: Final = 3
_NEAR, _TOO_WIDE = 1, 1.3
_MOST_WHOLE: Final = 4096
_MOST_WRITTEN, _LEAST_WRITTEN = 2048, 2 / 3  # addresses whose texts need the whole window
_MOST_PLAIN: Final = 64
_NARROW_HEIGHT: Final = 0.6  # of a narrow window, as a part of its width
_MOST_SPLITS: Final = 4096  # that are tried: a long prime dimension has none
_GAP_PER_PLANE: Final = 0.04
USUAL_ASPECT: Final = 2.6  # of the planes in a picture, and where a tensor opens on a block
_MOST_UNLIKE: Final = 4
MOST_CELL_CSS: Final = 80
_MOST_PLANES_OF_A_BLOCK: Final = 16
_MOST_BLOCK_ROWS: Final = 16
_BLOCK_BONUS: Final = math.log(2.1)


def row_length(layout: Layout, buffer_elements: int, most: float = math.inf) -> int:
    """Addresses in a row of the memory: one of the layout's strides, or several of its lines."""
    wished = min(math.sqrt(max(1, buffer_elements) * _ASPECT), _MOST_COLUMNS)

    def distance(length: int) -> float:
        """How far a length is from the wished one; too wide counts more."""
        away = math.log(length / wished)
        return away * _TOO_WIDE if away > 0 else -away

    strides = [stride for stride, _ in _loops(layout) if 1 < stride < buffer_elements]
    if not strides:
        return max(1, int(min(buffer_elements, _MOST_PLAIN, most)))
    written = buffer_elements <= _MOST_WRITTEN
    short = [stride for stride in strides if written and stride <= most]
    if short and most < math.inf:
        line, room = max(short), int(min(most, buffer_elements))
        rows = line, _whole_lines(layout, line, room)
        return max(rows, key=lambda n: min(1 / n, _NARROW_HEIGHT / -(-buffer_elements // n)))
    own = min(strides, key=distance)
    least = _LEAST_WRITTEN * wished if written else 0
    if (distance(own) <= _NEAR and own >= least) or most < math.inf:
        return own
    lengths = [*strides, *_parts(layout)]
    wide = [each for each in lengths if each >= least and distance(each) <= _NEAR]
    return min(wide or lengths, key=distance)


def _whole_lines(layout: Layout, line: int, room: int) -> int:
    """As many as fit; not many fewer, where then each line of an outer dimension begins a row."""
    most = room // line
    lines = sorted(n if stride == line else stride / line for stride, n in _loops(layout))
    evens = range(most, most // 2, -1)
    return line * next((even for n in lines for even in evens if n % even == 0), most)


def _loops(layout: Layout) -> list[tuple[int, int]]:
    """Strides and extents, the longest stride first."""
    loops = [(abs(g.stride), g.extent) for ds in layout.digits for g in ds[::-1] if g.extent > 1]
    return sorted((loop for loop in loops if loop[0]), reverse=True, key=lambda loop: loop[0])


def _parts(layout: Layout) -> list[int]:
    """Lengths of the equal parts that a loop can be cut into."""
    return [
        count * stride
        for stride, extent in _loops(layout)
        for count in range(2, min(extent, _MOST_COLUMNS // stride + 1))
        if extent % count == 0
    ]


class AddressRows:
    """The memory in rows of ``columns`` addresses, and room for the labels along its edges."""

    def __init__(self, addresses: int, columns: int) -> None:
        self.cells, self.columns, self.rows = addresses, columns, max(1, -(-addresses // columns))
        # One plane without gaps.
        self.wide = self.pitch_columns = columns
        self.high = self.pitch_rows = self.rows
        characters = len(f"{max(0, addresses - 1):,}")
        self.inset_left_css, self.inset_top_css = math.ceil(characters * CHARACTER_CSS) + 9, 20


class Planes:
    """The arrangement of the logical tensor: see ``static/core/grid/logical.js``.

    ``blocked``: a row of planes is a block. ``named``: with room for the name of the rows.
    """

    def __init__(
        self, layout: Layout, aspect: float, *, blocked: bool = True, named: bool = True
    ) -> None:
        rank, order = layout.rank, _plane_order(layout)
        sizes = [layout.shape[d] for d in order]
        self.order, self._rank, self._outer = order, rank, sizes[: max(0, rank - 2)]
        self.high, self.wide = ([1, 1, *sizes])[-2:]
        gap_columns, gap_rows = (
            max(1, _rounded(size * _GAP_PER_PLANE)) if self._outer else 0
            for size in (self.wide, self.high)
        )
        self.pitch_columns = max(1, self.wide + gap_columns)
        self.pitch_rows = max(1, self.high + gap_rows)
        planes, group = math.prod(self._outer), max(1, (self._outer or [1])[-1])
        inner = math.prod(digit.extent for digit in layout.digits[order[-3]][1:]) if rank > 2 else 1
        slots = -(-group // inner) * inner
        before = 0 if blocked or rank < 4 else _block_of(layout, order[-4])
        if not blocked or slots > max(_MOST_PLANES_OF_A_BLOCK, 2 * group):
            inner, slots = 1, group
        near = opens_on_block(layout)
        cells = (USUAL_ASPECT if near else aspect) * (planes // group) * slots * self.pitch_rows
        wished = math.sqrt(cells / self.pitch_columns)
        across = 1
        if planes and inner > 1:
            across = _blocks_across(inner, slots, wished)
        elif planes:
            regular = near and max(group / wished, wished / group) <= _MOST_UNLIKE
            across = group if regular else _planes_across(planes, group, wished, before)
        self.gap_rows, self.across = gap_rows, across
        self._groups, self._slots = planes // group, slots
        self._lines_per_group = -(-slots // across)
        self._groups_per_line = max(1, across // slots)
        self.lines = -(-self._groups // self._groups_per_line) * self._lines_per_group
        self.columns = max(1, across * self.pitch_columns - gap_columns)
        self.rows = max(1, self.lines * self.pitch_rows - gap_rows)
        lengths = [len(f"{max(0, size - 1):,}") for size in (*self._outer, self.high)]
        rows = lengths.pop() + 2 * named
        characters = max(rows if rank > 1 else 0, *lengths, 0)
        self.inset_left_css = math.ceil(characters * CHARACTER_CSS) + 10
        self.inset_top_css = 34 if rank > 2 else 20

    @property
    def cells(self) -> int:
        """Of all planes, those that padding takes included."""
        return self._groups * self._slots * self.high * self.wide

    def places(self, coordinates: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Column and row of elements: (n, rank) to twice (n,)."""
        placed = coordinates[:, self.order]
        index = np.zeros(len(placed), np.int64)
        for d, size in enumerate(self._outer[:-1]):
            index = index * size + placed[:, d]
        member = placed[:, -3] if self._outer else index
        line = index // self._groups_per_line * self._lines_per_group + member // self.across
        place = index % self._groups_per_line * self._slots + member % self.across
        column, row = place * self.pitch_columns, line * self.pitch_rows
        if self._rank:
            column = column + placed[:, -1]
        if self._rank > 1:
            row = row + placed[:, -2]
        return column, row

    def coordinates_at(
        self, column: Int64Array, row: Int64Array
    ) -> tuple[Int64Array, npt.NDArray[np.bool_]]:
        """The elements at h rows of w places, (h·w, rank), and where there is one, (h, w).

        ``column``: (1, w). ``row``: (h, 1). In a plane that padding takes, the coordinate of the
        last outer dimension is beyond the shape.
        """
        place, x = np.divmod(column, self.pitch_columns)
        line, y = np.divmod(row, self.pitch_rows)
        first = line // self._lines_per_group * self._groups_per_line
        member, index = place % self._slots, first + place // self._slots
        if self._lines_per_group > 1:
            member, index = line % self._lines_per_group * self.across + place, first
        there = (place < self.across) & (line < self.lines) & (member < self._slots)
        there = there & (index < self._groups) & (x < self.wide) & (y < self.high)
        placed = np.zeros((*there.shape, self._rank), np.int64)
        if self._outer:
            placed[..., -3] = member
        for d in range(len(self._outer) - 2, -1, -1):
            index, placed[..., d] = np.divmod(index, max(1, self._outer[d]))
        if self._rank:
            placed[..., -1] = x
        if self._rank > 1:
            placed[..., -2] = y
        placed[~there] = 0
        found = np.empty((there.size, self._rank), np.int64)
        found[:, self.order] = placed.reshape(there.size, self._rank)
        return found, there


def _plane_order(layout: Layout) -> list[int]:
    """The dimensions, those of a plane last."""
    order = list(range(layout.rank))
    if [name.upper() for name in layout.dims[-3:]] == ["H", "W", "C"]:
        return [*order[:-3], order[-1], *order[-3:-1]]
    return order


def blocks_count(layout: Layout, *, narrow: bool = False) -> bool:
    """Whether blocks count in a wide or ``narrow`` window: see ``static/core/grid/logical.js``."""
    if layout.rank < 3:
        return True
    *groups, last = _plane_order(layout)[:-2]
    padded = layout.padded_shape[last] > layout.shape[last]
    few = math.prod(layout.shape[d] for d in groups) <= _MOST_BLOCK_ROWS
    return padded or (few and not narrow)


def _blocks_across(block: int, slots: int, wished: float) -> int:
    several = (count * block for count in range(1, min(slots // block, _MOST_SPLITS) + 1))
    parts = (part for part in range(1, min(block, _MOST_SPLITS) + 1) if block % part == 0)
    wanted = [block, *(across for across in several if slots % across == 0), *parts]

    def away(across: int) -> float:
        return abs(math.log(across / wished)) - (_BLOCK_BONUS if across == block else 0)

    return min(wanted, key=away)


def _block_of(layout: Layout, dimension: int) -> int:
    block = math.prod(digit.extent for digit in layout.digits[dimension][1:])
    return block if 1 < block < layout.shape[dimension] else 0


def opens_on_block(layout: Layout) -> bool:
    """Whether blocks would be lost in the whole: ``static/core/grid/blocks.js``."""
    large = layout.elements > _MOST_WHOLE and not layout.swizzle
    return large and any(_block_of(layout, d) for d in range(layout.rank))


def _step_of_blocks(block: int, least: float) -> int:
    first = max(1, math.ceil(least))
    steps = range(first, min(block, first + _MOST_SPLITS))
    longest = block if block >= first else math.ceil(least / block) * block
    return next((step for step in steps if block % step == 0), longest)


def _planes_across(planes: int, group: int, wished: float, block: int) -> int:
    if wished >= group:
        images = max(1, min(planes // group, _rounded(wished / group)))
        aligned = _step_of_blocks(block, images / math.sqrt(2)) if block else 0
        return group * (aligned if 0 < aligned <= planes // group else images)
    lines = max(1, _rounded(group / wished))
    best = 0
    least = max(-(-lines // 2), lines - _MOST_SPLITS)
    for candidate in range(least, min(2 * lines, lines + _MOST_SPLITS) + 1):
        if group % candidate:
            continue
        away = abs(math.log(group / candidate / wished))
        if not best or away < abs(math.log(group / best / wished)):
            best = candidate
        if candidate > lines and best:
            break
    return group // best if best else -(-group // lines)


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)
