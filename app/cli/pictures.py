"""A tensor as lines of coloured text: the logical planes, and memory from address 0.

Only the cells that are shown are computed, a line at a time, so that neither the time before the
first line nor the memory depends on the size of the tensor or on the number of lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from rich.console import Console
from rich.text import Text

from ..engine.description.tensor import Tensor
from ..engine.model.address import KINDS, owners_of
from ..engine.model.layout import Layout
from .tables import count

# The palette of Okabe and Ito without black and yellow, which have too little contrast on a dark
# or on a light background.
_CATEGORIES = ("#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7")
_SHOWN_PLANES = 64
_FALLBACK_RUN = 16
_MUTED = "dim"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_LETTERS = len(_LETTERS)

# The signs for addresses that no single element owns, and for what is left out, by name.
_UNICODE = {"padding": "░", "gap": "·", "undetermined": "?", "shared": "+", "more": "…"}
_ASCII = {"padding": "#", "gap": ".", "undetermined": "?", "shared": "+", "more": "~"}


def pictures(
    tensor: Tensor, screen: Console, *, row_elems: int | None, rows: int, letters: bool
) -> Iterator[Text]:
    """The lines of the logical planes, then of memory; cut to the terminal and to ``rows`` rows.

    ``row_elems``: elements in a row of memory. ``letters``: label elements A, B, C….
    """
    drawing = _Drawing(tensor.layout, screen, letters=letters)
    if tensor.layout.elements:
        yield from _titled("logical", drawing.planes(rows))
    if tensor.buffer_elements:
        row_elems = row_elems or run_elems(tensor.layout)
        body = drawing.memory(tensor.buffer_elements, row_elems, rows)
        yield from _titled(f"memory, {count(row_elems, 'element')} a row", body)


def _titled(title: str, lines: Iterator[Text]) -> Iterator[Text]:
    yield from (Text(""), Text(title, style="bold"))
    for line in lines:
        line.rstrip()
        yield Text("  ").append_text(line)


class _Drawing:
    """The lines of both grids. An element is labelled with its logical row-major number."""

    def __init__(self, layout: Layout, screen: Console, *, letters: bool) -> None:
        self.layout = layout
        self.letters = letters
        self.width = screen.width - 4
        self.signs: Mapping[str, str] = _ASCII if screen.options.ascii_only else _UNICODE
        self.weights = [math.prod(layout.shape[d + 1 :]) for d in range(layout.rank)]
        self.label_width = 1 if letters else len(str(max(layout.elements - 1, 0)))

    def planes(self, rows: int) -> Iterator[Text]:
        """The H by W planes beside each other, each with its outer coordinate above."""
        shape = self.layout.shape
        outer = shape[: max(len(shape) - 2, 0)]
        planes, (height, width) = math.prod(outer), (1, 1, *shape)[-2:]
        # Parts of several planes show more about a tensor than one whole plane.
        fitting = (self.width // min(planes, 3) - 4) // (self.label_width + 1)
        columns = max(min(width, fitting), 1)
        rows = rows if planes == 1 else max(rows // 2, 1)
        shown_rows = min(height, rows)
        coordinates = [_digits(number, outer) for number in range(min(planes, _SHOWN_PLANES))]
        titles = [
            " ".join(f"{dim.lower()}={i}" for dim, i in zip(self.layout.dims, at, strict=False))
            for at in coordinates
        ]
        more = f" {self.signs['more']}" if columns < width else ""
        row_width = columns * (self.label_width + 1) - 1 + len(more)
        plane_width = max(row_width, *map(len, titles))
        abreast = max((self.width + 3) // (plane_width + 3), 1)
        shown = min(abreast * max(2 * rows // (shown_rows + 2), 1), len(titles))
        beside = partial(_joined, width=plane_width)
        for first in range(0, shown, abreast):
            band = coordinates[first : min(first + abreast, shown)]
            if first:
                yield Text("")
            if outer:
                yield beside([Text(each, style=_MUTED) for each in titles[first:][: len(band)]])
            for h in range(shown_rows):
                yield beside([self._row(at, h, columns).append(more) for at in band])
        yield from self._left_out(planes - shown, "plane")
        yield from self._left_out(height - shown_rows, "row")

    def memory(self, buffer_elems: int, row_elems: int, most: int) -> Iterator[Text]:
        """The rows of memory with their addresses, at most ``most``, and what the signs mean."""
        rows = -(-buffer_elems // row_elems)
        shown = min(most, rows)
        address_width = len(str((shown - 1) * row_elems))
        # One place of a cell is for the mark of a shared address.
        fitting = max((self.width - address_width - 2) // (self.label_width + 2), 1)
        kinds: set[str] = set()
        for start in range(0, shown * row_elems, row_elems):
            line = Text().append(f"{start:>{address_width}}  ", style=_MUTED)
            elems = min(fitting, row_elems, buffer_elems - start)
            asked = start + np.arange(elems, dtype=np.int64)
            cells = self._cells(asked, buffer_elems, kinds)
            line.append_text(Text(" ").join(cells))
            yield line.append(f" {self.signs['more']}" if row_elems > fitting else "")
        yield from self._left_out(rows - shown, "row")
        yield from self._legend(kinds)

    def _row(self, outer: tuple[int, ...], h: int, columns: int) -> Text:
        skipped = max(2 - self.layout.rank, 0)
        cells = ((*outer, h, w)[skipped:] for w in range(columns))
        return Text(" ").join(self._element(at) for at in cells)

    def _cells(
        self, asked: np.ndarray[tuple[int], np.dtype[np.int64]], buffer_elems: int, kinds: set[str]
    ) -> Iterator[Text]:
        owners = owners_of(self.layout, asked, buffer_elements=buffer_elems)
        for i, code in enumerate(owners.kinds):
            kind = KINDS[code]
            kinds.add(kind)
            if kind in {"element", "shared"}:
                at = tuple(map(int, owners.coordinates[owners.starts[i]]))
                yield self._element(at, self.signs["shared"] if kind == "shared" else "")
            else:
                # Padding fills its cell, a gap is a single dot, as on the page.
                sign = self.signs.get(kind, self.signs["gap"])
                drawn = sign * (self.label_width if kind == "padding" else 1)
                yield Text(drawn.ljust(self.label_width), style=_MUTED)

    def _element(self, coordinate: tuple[int, ...], mark: str = "") -> Text:
        """An element in the colour of its channel, or of its first index; same in both grids."""
        number = sum(i * w for i, w in zip(coordinate, self.weights, strict=True))
        label = _LETTERS[number] if self.letters else str(number).zfill(self.label_width)
        if not coordinate:
            return Text(label + mark)
        d = self.layout.dims.index("C") if "C" in self.layout.dims else 0
        return Text(label + mark, style=_CATEGORIES[coordinate[d] % len(_CATEGORIES)])

    def _left_out(self, number: int, unit: str) -> Iterator[Text]:
        if number > 0:
            yield Text(f"{self.signs['more']} {count(number, f'more {unit}')}", style=_MUTED)

    def _legend(self, kinds: set[str]) -> Iterator[Text]:
        signs = self.signs
        meanings = {
            "padding": f"{signs['padding'] * self.label_width} padding",
            "gap": f"{signs['gap']} gap",
            "shared": f"n{signs['shared']} shared, its first element",
            "undetermined": f"{signs['undetermined']} undetermined",
        }
        said = [meaning for kind, meaning in meanings.items() if kind in kinds]
        if said:
            yield Text("   ".join(said), style=_MUTED)


def run_elems(layout: Layout) -> int:
    """Elements in a memory row: the stride of the second innermost digit.

    If strides interleave or there is only one digit: at most 16.
    """
    moving = sorted(
        (abs(g.stride), g.extent)
        for digits in layout.digits
        for g in digits
        if g.extent > 1 and g.stride
    )
    if not moving:
        return 1
    if len(moving) > 1 and moving[1][0] > moving[0][0] * (moving[0][1] - 1):
        return moving[1][0]
    return min(max(layout.buffer_elements, 1), _FALLBACK_RUN)


def _digits(number: int, extents: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major coordinate of ``number``. itertools.product would keep every range in memory."""
    coordinate: list[int] = []
    for extent in reversed(extents):
        number, index = divmod(number, extent)
        coordinate.append(index)
    return tuple(reversed(coordinate))


def _joined(parts: list[Text], width: int) -> Text:
    """Parts of planes beside each other, each as wide as a plane."""
    for part in parts:
        part.pad_right(width - part.cell_len)
    return Text("   ").join(parts)
