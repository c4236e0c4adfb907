"""A tensor as rows of text: the logical planes, and memory from address 0.

The cost does not depend on the size of the tensor: only the cells that are shown are computed.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from ..inverse.owners import KINDS, Owners, owners_of
from ..model.digits import unravelled
from ..model.layout import Layout
from .tensor import Tensor

_FALLBACK_RUN = 16
_PLANES, _ROWS, _COLUMNS = 16, 32, 40  # of a page of text
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


# The signs for addresses that no single element owns, and for what is left out, by name.
Signs = Mapping[str, str]
UNICODE: Signs = {"padding": "░", "gap": "·", "undetermined": "?", "shared": "+", "more": "…"}
ASCII: Signs = {"padding": "#", "gap": ".", "undetermined": "?", "shared": "+", "more": "~"}


@dataclass(frozen=True, slots=True)
class TextCell:
    """One cell of a grid: its text, its kind (of KINDS) and its coordinate or None."""

    text: str
    kind: str
    coordinate: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Plane:
    """An H by W plane. ``title``: the outer coordinate. ``rows``: made as they are asked for."""

    title: str
    rows: Iterator[tuple[TextCell, ...]]


class Labels:
    """Labels of elements: the logical row-major number, or letters for at most 26 elements."""

    def __init__(self, layout: Layout, *, letters: bool = False) -> None:
        self.rank = layout.rank
        self._letters = letters and layout.elements <= len(LETTERS)
        self._weights = [math.prod(layout.shape[d + 1 :]) for d in range(layout.rank)]
        self.width = 1 if self._letters else len(str(max(layout.elements - 1, 0)))

    def of(self, coordinate: tuple[int, ...]) -> str:
        """The label of the element at ``coordinate``."""
        number = sum(i * w for i, w in zip(coordinate, self._weights, strict=True))
        return LETTERS[number] if self._letters else str(number).zfill(self.width)


def run_elems(layout: Layout) -> int:
    """Elements in a memory row: the stride of the second innermost digit.

    If strides interleave or there is only one digit: at most 16.
    """
    every = chain.from_iterable(layout.digits)
    moving = sorted((abs(g.stride), g.extent) for g in every if g.extent > 1 and g.stride)
    if not moving:
        return 1
    if len(moving) > 1 and moving[1][0] > moving[0][0] * (moving[0][1] - 1):
        return moving[1][0]
    return min(max(layout.buffer_elements, 1), _FALLBACK_RUN)


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """A buffer of ``buffer_elems`` addresses in rows of ``row_elems``."""

    layout: Layout
    buffer_elems: int
    row_elems: int

    @property
    def rows(self) -> int:
        """Number of rows. The last row may be shorter."""
        return -(-self.buffer_elems // self.row_elems)

    def row(self, number: int, columns: int, labels: Labels, signs: Signs) -> Iterator[TextCell]:
        """The first ``columns`` cells of a row."""
        start = number * self.row_elems
        count = min(columns, self.row_elems, self.buffer_elems - start)
        asked = start + np.arange(count, dtype=np.int64)
        owners = owners_of(self.layout, asked, buffer_elements=self.buffer_elems)
        yield from _owned(owners, labels, signs)


def _owned(owners: Owners, labels: Labels, signs: Signs) -> Iterator[TextCell]:
    for i in range(len(owners.kinds)):
        kind = KINDS[owners.kinds[i]]
        first, last = int(owners.starts[i]), int(owners.starts[i + 1])
        coordinate = tuple(map(int, owners.coordinates[first])) if last > first else None
        if coordinate is not None and kind in {"element", "shared"}:
            shared = signs["shared"] if kind == "shared" else ""
            yield TextCell(labels.of(coordinate) + shared, kind, coordinate)
        else:
            sign = signs.get(kind, signs["gap"])
            # Padding fills its cell, a gap is a single dot, as on the page.
            yield TextCell(sign * (labels.width if kind == "padding" else 1), kind)


def planes(
    layout: Layout, labels: Labels, *, count: int, rows: int, columns: int
) -> Iterator[Plane]:
    """The first ``count`` planes of the last two dimensions, at most ``rows`` by ``columns``."""
    if 0 in layout.shape:
        return
    outer = layout.shape[: max(layout.rank - 2, 0)]
    height, width = (1, 1, *layout.shape)[-2:]
    for number in range(min(count, math.prod(outer))):
        at = unravelled(number, outer)
        title = " ".join(f"{name.lower()}={i}" for name, i in zip(layout.dims, at, strict=False))
        yield Plane(title, _plane_rows(labels, at, min(height, rows), range(min(width, columns))))


def _plane_rows(
    labels: Labels, outer: tuple[int, ...], rows: int, columns: range
) -> Iterator[tuple[TextCell, ...]]:
    missing = max(2 - labels.rank, 0)
    for h in range(rows):
        coordinates = ((*outer, h, w)[missing:] for w in columns)
        yield tuple(TextCell(labels.of(each), "element", each) for each in coordinates)


def text_of(
    tensor: Tensor, *, shows: Literal["both", "logical", "memory"] = "both", row: int | None = None
) -> Iterator[str]:
    """The grids as lines, cut to a page; ``row``: see ``memory_text``."""
    layout, labels = tensor.layout, Labels(tensor.layout)
    count = 0 if shows == "memory" else _PLANES
    for plane in planes(layout, labels, count=count, rows=_ROWS, columns=_COLUMNS):
        yield from filter(None, [plane.title])
        yield from (" ".join(cell.text for cell in line) for line in plane.rows)
        yield ""
    if shows != "logical":
        yield from memory_text(tensor, row)


def memory_text(tensor: Tensor, row: int | None = None) -> Iterator[str]:
    """The memory as lines, cut to a page; ``row``: addresses in one, None for the usual number."""
    layout, labels = tensor.layout, Labels(tensor.layout)
    if not tensor.buffer_elements:
        return
    memory = MemoryRows(layout, tensor.buffer_elements, row or run_elems(layout))
    yield f"memory, {memory.row_elems} in a row"
    width = len(str((min(memory.rows, _ROWS) - 1) * memory.row_elems))
    for number in range(min(memory.rows, _ROWS)):
        cells = memory.row(number, _COLUMNS, labels, UNICODE)
        yield f"{number * memory.row_elems:>{width}}  " + " ".join(
            cell.text.ljust(labels.width) for cell in cells
        )
    if memory.rows > _ROWS or memory.row_elems > _COLUMNS:
        yield UNICODE["more"]
