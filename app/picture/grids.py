"""Where cells lie: the rules of ``static/core/grid``, in Python, for tensors that show at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..engine.description.owners import KINDS, owners_of
from ..engine.model.address import offset_map
from ..engine.model.layout import Layout
from ..engine.search import Budget
from .colours import first_owners, scheme_of

_CHARACTER_CSS: Final = 12 * 0.6
_MOST_COLUMNS: Final = 2048
_ASPECT: Final = 3
_NEAR, _TOO_WIDE = 1, 1.3
_MOST_PLAIN: Final = 64
_GAP_PER_PLANE: Final = 0.04
_SEARCH_STEPS: Final = 1 << 14
_LETTERS: Final = 26
MOST_CELL_CSS: Final = 80
FIT_MARGIN_CSS: Final = 6
_MOST_PLANES_OF_A_BLOCK: Final = 16
_BLOCK_BONUS: Final = math.log(2)
_OPENING_CSS, _MOST_OPENING_CSS, _RECOGNISABLE_CSS, _THIN_CSS = 20, 32, 80, 24


@dataclass(frozen=True, slots=True)
class Painted:
    """One cell: its text, its kind (of KINDS, "" between planes), its place in the palette."""

    kind: str = ""
    text: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in rows of ``columns``, right and below of the labels along the edges."""

    columns: int
    rows: int
    inset_left_css: int
    inset_top_css: int
    cells: tuple[Painted, ...]

    @property
    def characters(self) -> int:
        """Of the longest text."""
        return max((len(cell.text) for cell in self.cells), default=1)

    def fitting_css(self, width_css: float, height_css: float) -> float:
        """The side of a cell when all of them show."""
        across = max(1, width_css - self.inset_left_css - FIT_MARGIN_CSS) / self.columns
        down = max(1, height_css - self.inset_top_css - FIT_MARGIN_CSS) / self.rows
        return min(across, down, MOST_CELL_CSS)

    def is_thin(self, width_css: float, height_css: float) -> bool:
        """Whether the page opens it larger than the whole, because it would be a thin line."""
        return _THIN_CSS / min(self.columns, self.rows) > self.fitting_css(width_css, height_css)

    def is_cut(self, width_css: float, height_css: float) -> bool:
        """Whether the page opens it larger than the whole, so that texts can be read."""
        whole = self.fitting_css(width_css, height_css)
        across = (width_css - self.inset_left_css - FIT_MARGIN_CSS) / self.columns
        small = min(self.columns, self.rows) * whole < _RECOGNISABLE_CSS
        reads = across >= _OPENING_CSS or small
        return whole < min(_OPENING_CSS, across, _MOST_OPENING_CSS) and reads


class Painting:
    """The cells of a small tensor: what each element and each address shows."""

    def __init__(self, layout: Layout, buffer_elements: int) -> None:
        self.layout, self.buffer_elements = layout, buffer_elements
        self.scheme = scheme_of(layout)
        self._first, self._place = first_owners(offset_map(layout))
        stored = int(self._place.max(initial=-1)) + 1
        self._width = 0 if stored <= _LETTERS else len(str(stored - 1))
        self._weights = [math.prod(layout.shape[d + 1 :]) for d in range(layout.rank)]

    def element(self, coordinate: Iterable[int], kind: str = "element") -> Painted:
        """The cell of an element."""
        linear = sum(i * w for i, w in zip(coordinate, self._weights, strict=True))
        place, first = int(self._place[linear]), int(self._first[linear])
        text = str(place).zfill(self._width) if self._width else chr(65 + place)
        owner = tuple(map(int, np.unravel_index(first, self.layout.shape)))
        return Painted(kind, text, self.scheme.entry(owner))

    def memory(self, most: float = math.inf) -> Grid:
        """The memory, in rows that the page chooses; ``most``: columns of a narrow window."""
        columns = row_length(self.layout, self.buffer_elements, most)
        found = owners_of(
            self.layout,
            np.arange(self.buffer_elements),
            buffer_elements=self.buffer_elements,
            budget=Budget(_SEARCH_STEPS),
        )
        cells = []
        for at, kind in enumerate(map(KINDS.__getitem__, found.kinds)):
            owned = kind in {"element", "shared"}
            first = found.coordinates[found.starts[at]].tolist() if owned else ()
            cells.append(self.element(first, kind) if owned else Painted(kind))
        left = math.ceil(len(f"{max(0, self.buffer_elements - 1):,}") * _CHARACTER_CSS) + 9
        return Grid(columns, -(-self.buffer_elements // columns), left, 20, tuple(cells))

    def logical(self, aspect: float, *, blocked: bool = True) -> Grid:
        """The planes of the last two dimensions, arranged for a window of that aspect.

        ``blocked``: with the places of blocks, as where there is room.
        """
        return Planes(self.layout, aspect, blocked=blocked).grid(self._shared())

    def _shared(self) -> Callable[[tuple[int, ...]], Painted]:
        repeated = np.bincount(self._place) > 1

        def cell(coordinate: tuple[int, ...]) -> Painted:
            linear = sum(i * w for i, w in zip(coordinate, self._weights, strict=True))
            return self.element(
                coordinate, "shared" if repeated[self._place[linear]] else "element"
            )

        return cell


def row_length(layout: Layout, buffer_elements: int, most: float = math.inf) -> int:
    """Addresses in a row of the memory: one of the layout's strides, or several of its lines."""
    loops = [(abs(g.stride), g.extent) for ds in layout.digits for g in ds[::-1] if g.extent > 1]
    loops = sorted((loop for loop in loops if loop[0]), reverse=True, key=lambda loop: loop[0])
    wished = min(math.sqrt(max(1, buffer_elements) * _ASPECT), _MOST_COLUMNS)

    def distance(length: int) -> float:
        away = math.log(length / wished)
        return away * _TOO_WIDE if away > 0 else -away

    strides = [stride for stride, _ in loops if 1 < stride < buffer_elements]
    if not strides:
        return max(1, int(min(buffer_elements, _MOST_PLAIN, most)))
    short = [stride for stride in strides if stride <= most]
    if short and most < math.inf:  # as many whole lines as fit
        return max(int(most - most % stride) for stride in short)
    own = min(strides, key=distance)
    if distance(own) <= _NEAR or most < math.inf:
        return own
    parts = [
        count * stride
        for stride, extent in loops
        for count in range(2, extent)
        if count * stride <= _MOST_COLUMNS and extent % count == 0
    ]
    return min([own, *parts], key=distance)


class Planes:
    """The arrangement of the logical tensor: see ``static/core/grid/logical.js``."""

    def __init__(self, layout: Layout, aspect: float, *, blocked: bool = True) -> None:
        rank, dims = layout.rank, [name.upper() for name in layout.dims]
        order = list(range(rank))
        if dims[-3:] == ["H", "W", "C"]:
            order = [*order[:-3], rank - 1, rank - 3, rank - 2]
        sizes = [layout.shape[d] for d in order]
        self._order, self._outer = order, sizes[: max(0, rank - 2)]
        self._rank = rank
        self.high, self.wide = ([1, 1, *sizes])[-2:]
        gap_columns, gap_rows = (
            max(1, _rounded(size * _GAP_PER_PLANE)) if self._outer else 0
            for size in (self.wide, self.high)
        )
        self._pitch_columns = max(1, self.wide + gap_columns)
        self._pitch_rows = max(1, self.high + gap_rows)
        planes, group = math.prod(self._outer), (self._outer or [1])[-1]
        inner = math.prod(digit.extent for digit in layout.digits[order[-3]][1:]) if rank > 2 else 1
        slots = -(-group // inner) * inner
        if not blocked or slots > max(_MOST_PLANES_OF_A_BLOCK, 2 * group):
            inner, slots = 1, group
        wished = math.sqrt(
            aspect * (planes // group) * slots * self._pitch_rows / self._pitch_columns
        )
        across = (
            _blocks_across(inner, slots, wished)
            if inner > 1
            else _planes_across(planes, group, wished)
        )
        self._group, self._across, self._slots = group, across, slots
        self._lines_per_group = -(-slots // across)
        self._groups_per_line = max(1, across // slots)
        lines = -(-(planes // group) // self._groups_per_line) * self._lines_per_group
        self.columns = max(1, across * self._pitch_columns - gap_columns)
        self.rows = max(1, lines * self._pitch_rows - gap_rows)
        lengths = [len(f"{max(0, size - 1):,}") for size in (*self._outer, self.high)]
        characters = max(lengths.pop() + 2 * blocked if rank > 1 else 0, *lengths, 0)
        self.inset_left_css = math.ceil(characters * _CHARACTER_CSS) + 10
        self.inset_top_css = 34 if rank > 2 else 20

    def grid(self, cell: Callable[[tuple[int, ...]], Painted]) -> Grid:
        """All cells, with vacant ones between the planes."""
        cells = [Painted()] * (self.columns * self.rows)
        for placed in np.ndindex(*self._outer, self.high, self.wide):
            *outer, row, column = placed
            left, top = self._origin(outer)
            coordinate = [0] * self._rank
            for dim, index in zip(self._order, placed[2 - min(self._rank, 2) :], strict=True):
                coordinate[dim] = index
            cells[(top + row) * self.columns + left + column] = cell(tuple(coordinate))
        for groups in np.ndindex(*self._outer[:-1]) if self._slots > self._group else ():
            for member in range(self._group, self._slots):
                left, top = self._place(self._index(groups), member)
                for row, column in np.ndindex(self.high, self.wide):
                    cells[(top + row) * self.columns + left + column] = Painted("padding")
        return Grid(self.columns, self.rows, self.inset_left_css, self.inset_top_css, tuple(cells))

    def _origin(self, outer: list[int]) -> tuple[int, int]:
        return self._place(self._index(outer[:-1]), outer[-1] if outer else 0)

    def _index(self, outer: Iterable[int]) -> int:
        index = 0
        for size, at in zip(self._outer[:-1], outer, strict=True):
            index = index * size + at
        return index

    def _place(self, index: int, member: int) -> tuple[int, int]:
        line = index // self._groups_per_line * self._lines_per_group + member // self._across
        place = index % self._groups_per_line * self._slots + member % self._across
        return place * self._pitch_columns, line * self._pitch_rows


def _blocks_across(block: int, slots: int, wished: float) -> int:
    several = [count * block for count in range(1, slots // block + 1)]
    parts = [part for part in range(1, block + 1) if block % part == 0]
    wanted = [block, *(across for across in several if slots % across == 0), *parts]

    def away(across: int) -> float:
        return abs(math.log(across / wished)) - (_BLOCK_BONUS if across == block else 0)

    return min(wanted, key=away)


def _planes_across(planes: int, group: int, wished: float) -> int:
    if wished >= group:
        return group * max(1, min(planes // group, _rounded(wished / group)))
    lines = max(1, _rounded(group / wished))
    best = 0
    for candidate in range(-(-lines // 2), 2 * lines + 1):
        if group % candidate:
            continue
        away = abs(math.log(group / candidate / wished))
        if not best or away < abs(math.log(group / best / wished)):
            best = candidate
        if candidate > lines:
            break
    return group // best if best else -(-group // lines)


_USUAL, _LEAST, _MOST, _STEP, _WORTH = 0.45, 0.3, 0.62, 0.02, 0.02


def fair_share(
    height_css: float, upper: Callable[[float], float], lower: Callable[[float], float]
) -> float:
    """The upper grid's part of a height: ``static/core/grid/share.js``."""

    def gain(share: float) -> float:
        cells = (upper(share * height_css), lower((1 - share) * height_css))
        return sum(math.log(min(max(cell, 4), MOST_CELL_CSS)) for cell in cells)

    best, most, share = _USUAL, gain(_USUAL) + _WORTH, _LEAST
    while share <= _MOST:
        if gain(share) > most:
            best, most = share, gain(share)
        share += _STEP
    return best


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)
