"""Where cells lie: the rules of ``static/core/grid``, in Python, for tensors that show at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..engine.description.owners import KINDS, owners_of
from ..engine.model.address import offset_map
from ..engine.model.address.search import Budget
from ..engine.model.layout import Layout
from .colours import first_owners, scheme_of

_CHARACTER_CSS: Final = 11 * 0.61
_MOST_COLUMNS: Final = 2048
_ASPECT: Final = 3
_NEAR, _TOO_WIDE = 1, 1.3
_MOST_PLAIN: Final = 64
_GAP_PER_PLANE: Final = 0.04
_SEARCH_STEPS: Final = 1 << 14
_LETTERS: Final = 26
MOST_CELL_CSS: Final = 64
FIT_MARGIN_CSS: Final = 6
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
        left = math.ceil(len(f"{max(0, self.buffer_elements - 1):,}") * _CHARACTER_CSS) + 14
        return Grid(columns, -(-self.buffer_elements // columns), left, 20, tuple(cells))

    def logical(self, aspect: float) -> Grid:
        """The planes of the last two dimensions, arranged for a window of that aspect."""
        return Planes(self.layout, aspect).grid(self._shared())

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
        return max(1, min(buffer_elements, _MOST_PLAIN))
    own = min([stride for stride in strides if stride <= most] or strides, key=distance)
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

    def __init__(self, layout: Layout, aspect: float) -> None:
        rank, dims = layout.rank, [name.upper() for name in layout.dims]
        order = list(range(rank))
        if dims[-3:] == ["H", "W", "C"]:
            order = [*order[:-3], rank - 1, rank - 3, rank - 2]
        sizes = [layout.shape[d] for d in order]
        self._order, self._outer = order, sizes[: max(0, rank - 2)]
        self._rank = rank
        self.high, self.wide = ([1, 1, *sizes])[-2:]
        self._lead = 1 if self._outer else 0
        gap_columns, gap_rows = (
            max(1, _rounded(size * _GAP_PER_PLANE)) if self._outer else 0
            for size in (self.wide, self.high)
        )
        self._pitch_columns = max(1, self.wide + gap_columns)
        self._pitch_rows = max(1, self.high + gap_rows)
        planes, group = math.prod(self._outer), (self._outer or [1])[-1]
        across = _planes_across(planes, group, self._pitch_columns, self._pitch_rows, aspect)
        self._group, self._across = group, across
        self._lines_per_group = -(-group // across)
        self._groups_per_line = max(1, across // group)
        lines = -(-(planes // group) // self._groups_per_line) * self._lines_per_group
        self.columns = max(1, across * self._pitch_columns - gap_columns)
        self.rows = max(1, lines * self._pitch_rows - gap_rows + self._lead)
        lengths = [len(f"{max(0, size - 1):,}") for size in (*self._outer, self.high)]
        characters = max(3, lengths.pop() + 2 if rank > 1 else 0, *lengths, 0)
        self.inset_left_css = math.ceil(characters * _CHARACTER_CSS) + 12
        self.inset_top_css = 35 if rank > 2 else 20

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
        return Grid(self.columns, self.rows, self.inset_left_css, self.inset_top_css, tuple(cells))

    def _origin(self, outer: list[int]) -> tuple[int, int]:
        plane = 0
        for size, index in zip(self._outer, outer, strict=True):
            plane = plane * size + index
        index, member = divmod(plane, self._group)
        line = index // self._groups_per_line * self._lines_per_group + member // self._across
        place = index % self._groups_per_line * self._group + member % self._across
        return place * self._pitch_columns, line * self._pitch_rows + self._lead


def _planes_across(
    planes: int, group: int, pitch_columns: int, pitch_rows: int, aspect: float
) -> int:
    wished = math.sqrt(aspect * planes * pitch_rows / pitch_columns)
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
