"""The grids of ``app.engine.description.text`` as coloured text, fitted to the terminal."""

import math
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from ..engine.description.tensor import Tensor
from ..engine.description.text import (
    ASCII,
    UNICODE,
    Labels,
    MemoryRows,
    Plane,
    Signs,
    TextCell,
    planes,
    run_elems,
)
from ..engine.model.layout import Layout
from ..lessons.lesson import Shows
from .tables import count

# The palette of Okabe and Ito without black and yellow, which have too little contrast on a dark
# or on a light background.
_CATEGORIES = ("#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7")
_SHOWN_PLANES = 64
_MUTED = "dim"


def pictures(
    tensor: Tensor,
    screen: Console,
    *,
    row_elems: int | None,
    rows: int,
    letters: bool,
    shows: Shows = "both",
) -> Iterator[Text]:
    """The lines of the logical planes, then of memory; cut to the terminal and to ``rows`` rows.

    ``shows``: one of the grids alone. The lines are made one at a time, so that no number of rows
    needs more memory.
    """
    layout = tensor.layout
    labels = Labels(layout, letters=letters)
    signs = ASCII if screen.options.ascii_only else UNICODE
    width = screen.width - 4
    if layout.elements and shows != "memory":
        yield from _titled("logical", _logical(layout, labels, signs, width, rows))
    buffer_elems = tensor.buffer_elements
    if buffer_elems and shows != "tensor":
        memory = MemoryRows(layout, buffer_elems, row_elems or run_elems(layout))
        title = f"memory, {count(memory.row_elems, 'element')} a row"
        yield from _titled(title, _memory(memory, labels, signs, width, rows))


def _titled(title: str, lines: Iterator[Text]) -> Iterator[Text]:
    yield from (Text(""), Text(title, style="bold"))
    for line in lines:
        line.rstrip()
        yield Text("  ").append_text(line)


def _logical(layout: Layout, labels: Labels, signs: Signs, width: int, rows: int) -> Iterator[Text]:
    height, wide = (1, 1, *layout.shape)[-2:]
    outer = math.prod(layout.shape[: max(layout.rank - 2, 0)])
    # Parts of several planes show more about a tensor than one whole plane.
    side_by_side = min(outer, 3)
    columns = max(min(wide, (width // side_by_side - 4) // (labels.width + 1)), 1)
    rows = rows if outer == 1 else max(rows // 2, 1)
    drawn = list(
        planes(layout, labels, count=min(outer, _SHOWN_PLANES), rows=rows, columns=columns)
    )
    row_width = columns * (labels.width + 1) - 1 + (2 if columns < wide else 0)
    plane_width = max(row_width, *(len(p.title) for p in drawn))
    abreast = max((width + 3) // (plane_width + 3), 1)
    bands = max(2 * rows // (min(height, rows) + 2), 1)
    shown = drawn[: abreast * bands]
    for first in range(0, len(shown), abreast):
        if first:
            yield Text("")
        band = shown[first : first + abreast]
        yield from _abreast(layout, band, plane_width, signs, cut=columns < wide)
    yield from _left_out(outer - len(shown), "plane", signs)
    yield from _left_out(height - min(height, rows), "row", signs)


def _abreast(
    layout: Layout, band: Sequence[Plane], plane_width: int, signs: Signs, *, cut: bool
) -> Iterator[Text]:
    if any(p.title for p in band):
        yield Text("   ").join(Text(p.title.ljust(plane_width), style=_MUTED) for p in band)
    for cells in zip(*(p.rows for p in band), strict=True):
        lines = [Text(" ").join(_styled(layout, cell) for cell in row) for row in cells]
        for line in lines:
            line.append(f" {signs['more']}" if cut else "")
            line.pad_right(plane_width - line.cell_len)
        yield Text("   ").join(lines)


def _memory(
    memory: MemoryRows, labels: Labels, signs: Signs, width: int, rows: int
) -> Iterator[Text]:
    shown_rows = min(rows, memory.rows)
    address_width = len(str((shown_rows - 1) * memory.row_elems))
    cell_width = labels.width + 1  # one place for the mark of a shared address
    fitting = max((width - address_width - 2) // (cell_width + 1), 1)
    kinds: set[str] = set()
    for number in range(shown_rows):
        cells = list(memory.row(number, fitting, labels, signs))
        kinds.update(cell.kind for cell in cells)
        line = Text().append(f"{number * memory.row_elems:>{address_width}}  ", style=_MUTED)
        line.append_text(Text(" ").join(_styled(memory.layout, c, labels.width) for c in cells))
        if memory.row_elems > fitting:
            line.append(f" {signs['more']}")
        yield line
    yield from _left_out(memory.rows - shown_rows, "row", signs)
    yield from _legend(kinds, labels, signs)


def _left_out(number: int, unit: str, signs: Signs) -> Iterator[Text]:
    if number > 0:
        yield Text(f"{signs['more']} {count(number, f'more {unit}')}", style=_MUTED)


def _legend(kinds: set[str], labels: Labels, signs: Signs) -> Iterator[Text]:
    meanings = {
        "padding": (signs["padding"] * labels.width, "padding"),
        "gap": (signs["gap"], "gap"),
        "shared": (f"n{signs['shared']}", "shared, its first element"),
        "undetermined": (signs["undetermined"], "undetermined"),
    }
    said = [f"{sign} {meaning}" for kind, (sign, meaning) in meanings.items() if kind in kinds]
    if said:
        yield Text("   ".join(said), style=_MUTED)


def _styled(layout: Layout, cell: TextCell, width: int = 0) -> Text:
    """A cell in the colour of its channel, or of its first index; the same in both grids."""
    text = cell.text.ljust(width)
    if cell.coordinate is None:
        return Text(text, style=_MUTED)
    if not layout.rank:
        return Text(text)
    d = layout.dims.index("C") if "C" in layout.dims else 0
    return Text(text, style=_CATEGORIES[cell.coordinate[d] % len(_CATEGORIES)])
