"""One grid as parts of a picture: ``static/draw/logical-grid.js`` and ``memory-grid.js``.

A grid of few cells carries texts; one of more cells is coloured as pixels, with its marks; one of
very many is sampled: a pixel shows the cell in its middle, so no tensor is too large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.description.owners import ELEMENT, GAP, KINDS, PADDING, SHARED, UNDETERMINED
from ..engine.model.address import offsets_of
from ..engine.model.layout import Int64Array, Layout
from .cells import UNITS, Cells, Painting, every_coordinate
from .colours import Palette, Theme, hexadecimal, mixed, palette, parse
from .edges import cache_lines, logical_edges, memory_edges
from .frame import LEAST_BORDERED, LEAST_OUTLINED, Brush, Frame, font_size, framed
from .grids import Planes, memory_insets
from .scene import Cell, Grid, Marks, Raster, Text

_LEAST_KEPT: Final = 14
_VACANT: Final = {"hatch": 0.16, "cross": 0.35}  # of the hatch's colour
_SAMPLES: Final = 2  # of a pixel of memory that stands for several cells
_MOST_AVERAGED: Final = 64
_ASPECT: Final = 2.6  # of static/core/grid/logical.js


def logical(painting: Painting, brush: Brush, top: int) -> tuple[Grid, tuple[int, int]]:
    """The planes of the logical tensor below ``top``; its right and lower end."""
    layout, planes = painting.layout, Planes(painting.layout, _ASPECT)
    corner = (planes.inset_left_css, top + planes.inset_top_css)
    size = (planes.columns, planes.rows, layout.elements, painting.characters)
    frame = framed(corner, *size, brush.shares)
    grid = Parts()
    if frame.level == "texture":
        grid.below.append(_texture(frame, brush, painting, partial(_in_planes, painting, planes)))
    else:
        coordinates = every_coordinate(layout.shape)
        found = painting.at_coordinates(coordinates)
        _draw(grid, painting, frame, brush, found, planes.places(coordinates))
    grid.above += logical_edges(layout, planes, frame, brush)
    if brush.chosen is not None:
        column, row = planes.places(np.array([brush.chosen], np.int64).reshape(1, layout.rank))
        grid.above.append(_chosen(frame, brush, int(column[0]), int(row[0])))
    return grid.named("logical", frame), frame.ends


def memory(
    painting: Painting, brush: Brush, top: int, columns: int, kept: Layout | None = None
) -> tuple[Grid, tuple[int, int]]:
    """The memory below ``top`` in rows of ``columns``; its right and lower end.

    ``kept``: the layout beside it; what lies at the same address there is marked.
    """
    buffer, layout = painting.buffer_elements, painting.layout
    left, inset_top = memory_insets(buffer)
    rows = max(1, -(-buffer // columns))
    size = (columns, rows, buffer, painting.characters)
    frame = framed((left, top + inset_top), *size, brush.shares)
    grid = Parts()
    if frame.level == "texture":
        grid.below.append(_texture(frame, brush, painting, partial(_in_rows, painting, columns)))
    else:
        addresses = np.arange(buffer)
        found = painting.at_addresses(addresses)
        row, column = np.divmod(addresses, columns)
        _draw(grid, painting, frame, brush, found, (column, row), kept=kept)
        grid.above += cache_lines(frame, brush, buffer, painting.look.item_bits)
    grid.above += memory_edges(frame, brush, buffer)
    if brush.chosen is not None and layout.elements:
        chosen = np.array([brush.chosen], np.int64).reshape(1, painting.shown.rank)
        row_at, column_at = divmod(int(offsets_of(painting.shown, chosen)[0]), columns)
        grid.above.append(_chosen(frame, brush, column_at, row_at))
    return grid.named("memory", frame), frame.ends


@dataclass(slots=True)
class Parts:
    """The parts of a grid, while it is drawn."""

    below: list[Marks | Raster] = field(default_factory=list)
    cells: tuple[Cell, ...] = ()
    above: list[Marks | Text] = field(default_factory=list)
    font: float = 0.0

    def named(self, view: str, frame: Frame) -> Grid:
        """The finished grid."""
        above = (self.cells, tuple(self.above))
        return Grid(view, tuple(self.below), *above, frame.side, self.font)


def _draw(
    grid: Parts,
    painting: Painting,
    frame: Frame,
    brush: Brush,
    found: Cells,
    places: tuple[Int64Array, Int64Array],
    *,
    kept: Layout | None = None,
) -> None:
    """Cells that are drawn one by one: what lies below, they themselves, what lies above."""
    side, stored, written = frame.side, found.stored, frame.level == "text"
    of = palette(painting.scale, brush.theme)
    x, y = frame.x + places[0] * side, frame.y + places[1] * side
    texts = painting.texts(found) if written else [""] * len(x)
    grid.font = font_size(side, max(map(len, texts), default=1))
    grid.cells = tuple(_cells(found, x, y, texts, of, written=written))
    marks = partial(_marks, brush, x, y, side - 1)
    padding, undetermined = found.kinds == PADDING, found.kinds == UNDETERMINED
    if written:
        grid.below += marks("fill", padding, vacant_colour(brush.theme, "hatch"))
        grid.below += marks("fill", undetermined, vacant_colour(brush.theme, "cross"))
    else:
        grid.below.append(_pixels(frame, brush, of.fills, found, places))
    grid.below += marks("hatch", padding, brush.colour("hatch"))
    if side >= LEAST_OUTLINED:
        outlined = of.outlined[found.entries] & stored
        words = of.outlines[found.entries] @ np.array([65536, 256, 1])
        for word in np.unique(words[outlined]).tolist():
            grid.above += marks("outline", outlined & (words == word), f"#{word:06x}")
    text, back = brush.colour("text"), brush.colour("background")
    grid.above += marks("gap", found.kinds == GAP, brush.colour("muted"), brush.colour("line"))
    grid.above += marks("cross", undetermined, brush.colour("muted"))
    grid.above += marks("shared", found.kinds == SHARED, text, back)
    if kept is not None and side >= _LEAST_KEPT and painting.layout.elements:
        owners = np.where(stored[:, None], found.owners, 0)
        grid.above += marks(
            "kept", stored & (offsets_of(kept, owners) == found.addresses), text, back
        )
    if painting.look.colour in UNITS:
        grid.above += marks("edge", stored & painting.starts(found.addresses), text, back)


def _cells(
    found: Cells, x: Int64Array, y: Int64Array, texts: list[str], of: Palette, *, written: bool
) -> Iterator[Cell]:
    dark = (of.inks[found.entries][:, 0] == 0).tolist()
    fills = of.fills[found.entries].tolist()
    columns = (x, y, found.addresses, found.kinds, found.coordinates, found.stored)
    lists = (column.tolist() for column in columns)
    for (left, top, address, kind, at, stored), text, black, fill in zip(
        zip(*lists, strict=True), texts, dark, fills, strict=True
    ):
        named = kind in {ELEMENT, SHARED, PADDING} and (not at or at[0] >= 0)
        there = at if named else None
        yield Cell(
            left,
            top,
            address,
            KINDS[kind],
            None if there is None else tuple(there),
            text,
            "#000000" if black else "#ffffff",
            "#{:02x}{:02x}{:02x}".format(*fill) if written and stored else "",
        )


def _marks(
    brush: Brush,
    x: Int64Array,
    y: Int64Array,
    side: int,
    shape: str,
    picked: npt.NDArray[np.bool_],
    colour: str,
    back: str = "",
) -> list[Marks]:
    """The marks of the cells at ``x``, ``y`` that are picked, if there are any."""
    if not picked.any():
        return []
    if shape not in {"fill", "outline"}:
        brush.seen.add(shape)
    places = zip(x[picked].tolist(), y[picked].tolist(), strict=True)
    return [Marks(shape, colour, back, side, tuple(places))]


def vacant_colour(theme: Theme, mark: str) -> str:
    """The colour below the mark of padding, ``hatch``, or of what is not decided, ``cross``."""
    return hexadecimal(mixed(theme.background, theme.hatch, _VACANT[mark]))


_BATCH: Final = 1 << 14  # samples at once, which the processor's cache holds


def _colours_of(brush: Brush, fills: npt.NDArray[np.uint8], found: Cells) -> npt.NDArray[np.uint8]:
    """The colour of each cell, (n, 3)."""
    colours = fills[found.entries]
    colours[found.kinds > SHARED] = parse(brush.theme.background)
    for kind, mark in ((PADDING, "hatch"), (UNDETERMINED, "cross")):
        colours[found.kinds == kind] = parse(vacant_colour(brush.theme, mark)[1:])
    return colours


def _pixels(
    frame: Frame,
    brush: Brush,
    fills: npt.NDArray[np.uint8],
    found: Cells,
    places: tuple[Int64Array, Int64Array],
) -> Raster:
    """The pixels of cells, with a line of the ground between them."""
    ground = np.array(parse(brush.theme.background), np.uint8)
    pixels = np.broadcast_to(ground, (frame.rows, frame.columns, 3)).copy()
    pixels[places[1], places[0]] = _colours_of(brush, fills, found)
    whole = pixels.repeat(frame.side, axis=0).repeat(frame.side, axis=1)
    if frame.side >= LEAST_BORDERED:
        whole[frame.side - 1 :: frame.side] = ground
        whole[:, frame.side - 1 :: frame.side] = ground
    return Raster(frame.x, frame.y, whole, 1)


Sampled = tuple[Cells, npt.NDArray[np.bool_]]


def _texture(
    frame: Frame,
    brush: Brush,
    painting: Painting,
    sample: partial[Sampled],
) -> Raster:
    """A pixel for each cell, or for several: ``sample`` finds what lies at columns and rows."""
    fills = palette(painting.scale, brush.theme).fills
    averaged = sample.func is _in_rows and 1 < frame.step < _MOST_AVERAGED
    per = _SAMPLES if averaged else 1
    column = (np.arange(frame.wide * per) + 0.5) * (frame.step / per)
    column = np.minimum(column, frame.columns - 1)
    row = np.minimum(
        ((np.arange(frame.high) + 0.5) * frame.step_rows).astype(np.int64), frame.rows - 1
    )
    ground = np.array(parse(brush.theme.background), np.uint8)
    pixels = np.empty((frame.high, len(column), 3), np.uint8)
    rows = max(1, _BATCH // len(column))
    for first in range(0, frame.high, rows):
        part = row[first : first + rows]
        found, there = sample(frame, np.tile(column, len(part)), np.repeat(part, len(column)))
        colours = np.broadcast_to(ground, (len(there), 3)).copy()
        colours[there] = _colours_of(brush, fills, found)
        pixels[first : first + rows] = colours.reshape(len(part), len(column), 3)
    if averaged:
        pixels = pixels.reshape(frame.high, frame.wide, per, 3).mean(axis=2).astype(np.uint8)
    return Raster(frame.x, frame.y, pixels, frame.side)


def _in_rows(
    painting: Painting, columns: int, _: Frame, column: npt.NDArray[np.float64], row: Int64Array
) -> Sampled:
    address = row * columns + column.astype(np.int64)
    there = address < painting.buffer_elements
    return painting.at_addresses(address[there]), there


def _in_planes(
    painting: Painting,
    planes: Planes,
    frame: Frame,
    column: npt.NDArray[np.float64],
    row: Int64Array,
) -> Sampled:
    """Elements at places; a gap narrower than a pixel is not drawn: some pixels would meet it."""
    across, down = column.astype(np.int64), row
    if frame.step > planes.pitch_columns - planes.wide:
        place, within = np.divmod(across, planes.pitch_columns)
        across = place * planes.pitch_columns + np.minimum(within, planes.wide - 1)
    if frame.step_rows > planes.pitch_rows - planes.high:
        line, within = np.divmod(down, planes.pitch_rows)
        down = line * planes.pitch_rows + np.minimum(within, planes.high - 1)
    coordinates, there = planes.coordinates_at(across, down)
    return painting.at_coordinates(coordinates[there]), there


def _chosen(frame: Frame, brush: Brush, column: int, row: int) -> Marks:
    x, y = map(round, frame.place(column, row))
    brush.seen.add("frame")
    side = max(round(frame.pitch) - 1, LEAST_BORDERED)
    return Marks("frame", brush.colour("select"), brush.colour("background"), side, ((x, y),))
