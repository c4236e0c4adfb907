"""One grid as parts of a picture: ``static/draw/logical-grid.js`` and ``memory-grid.js``.

A grid of few cells carries texts; one of more cells is coloured as pixels, with its marks; one of
very many is sampled: a pixel shows the cell in its middle, so no tensor is too large.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.description.owners import ELEMENT, GAP, KINDS, PADDING, SHARED, UNDETERMINED
from ..engine.model.address import offsets_of
from ..engine.model.layout import Int64Array, Layout
from .cells import UNITS, Cells, Painting, every_coordinate
from .colours import Palette, Theme, hexadecimal, mean, mixed, palette
from .edges import cache_lines, logical_edges, memory_edges
from .frame import LEAST_BORDERED, LEAST_OUTLINED, Brush, Frame, font_size, framed
from .grids import AddressRows, Planes
from .scene import Cell, Grid, Marks, Place, Raster

_LEAST_KEPT: Final = 14
_VACANT: Final = {"hatch": 0.16, "cross": 0.35}  # of the hatch's colour
_SAMPLES: Final = 2  # of a pixel of memory that stands for several cells
_MOST_AVERAGED: Final = 64
_ASPECT: Final = 2.6  # of static/core/grid/logical.js


def logical(painting: Painting, brush: Brush, top: int) -> Grid:
    """The planes of the logical tensor below ``top``."""
    layout, planes = painting.shown, Planes(painting.shown, _ASPECT)
    frame = framed(planes, top, layout.elements, painting.characters, brush.shares)
    grid = Grid("logical", *frame.ends, frame.side)
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
    return grid


def memory(
    painting: Painting, brush: Brush, top: int, columns: int, kept: Layout | None = None
) -> Grid:
    """The memory below ``top`` in rows of ``columns``.

    ``kept``: the layout beside it; what lies at the same address there is marked.
    """
    buffer, layout = painting.buffer_elements, painting.layout
    frame = framed(AddressRows(buffer, columns), top, buffer, painting.characters, brush.shares)
    grid = Grid("memory", *frame.ends, frame.side)
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
    return grid


def _draw(
    grid: Grid,
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

    def at(picked: npt.NDArray[np.bool_]) -> tuple[Place, ...]:
        return tuple(zip(x[picked].tolist(), y[picked].tolist(), strict=True))

    def marks(shape: str, picked: npt.NDArray[np.bool_]) -> list[Marks]:
        return [brush.marks(shape, side - 1, at(picked))] if picked.any() else []

    texts = painting.texts(found) if written else [""] * len(x)
    grid.font = font_size(side, max(map(len, texts), default=1))
    grid.cells = tuple(_cells(found, x, y, texts, of, written=written))
    padding, undetermined = found.kinds == PADDING, found.kinds == UNDETERMINED
    if written:
        for picked, mark in ((padding, "hatch"), (undetermined, "cross")):
            if picked.any():
                colour = hexadecimal(vacant_colour(brush.theme, mark))
                grid.below.append(Marks("fill", colour, "", side - 1, at(picked)))
    else:
        grid.below.append(_pixels(frame, brush, of, found, places))
    grid.below += marks("hatch", padding)
    if side >= LEAST_OUTLINED:
        words = np.where(stored, of.outlines[found.entries], -1)
        for word in np.unique(words[words >= 0]).tolist():
            grid.above.append(Marks("outline", hexadecimal(word), "", side - 1, at(words == word)))
    grid.above += marks("gap", found.kinds == GAP)
    grid.above += marks("cross", undetermined)
    grid.above += marks("shared", found.kinds == SHARED)
    if kept is not None and side >= _LEAST_KEPT and painting.layout.elements:
        owners = np.where(stored[:, None], found.owners, 0)
        grid.above += marks("kept", stored & (offsets_of(kept, owners) == found.addresses))
    if painting.look.colour in UNITS:
        grid.above += marks("edge", stored & painting.starts(found.addresses))


def _cells(
    found: Cells, x: Int64Array, y: Int64Array, texts: list[str], of: Palette, *, written: bool
) -> Iterator[Cell]:
    rank = found.coordinates.shape[1]
    named = np.isin(found.kinds, (ELEMENT, SHARED, PADDING))
    named &= (found.coordinates >= 0).all(axis=1) if rank else True
    columns = (x, y, found.addresses, found.kinds, found.coordinates, named)
    lists = (column.tolist() for column in columns)
    inks, fills = (map(hexadecimal, part[found.entries].tolist()) for part in (of.inks, of.fills))
    filled = (found.stored & written).tolist()
    for (left, top, address, kind, at, known), text, ink, fill, own in zip(
        zip(*lists, strict=True), texts, inks, fills, filled, strict=True
    ):
        coordinate = tuple(at) if known else None
        yield Cell(left, top, address, KINDS[kind], coordinate, text, ink, fill if own else "")


def vacant_colour(theme: Theme, mark: str) -> int:
    """The colour below the mark of padding, ``hatch``, or of what is not decided, ``cross``."""
    return mixed(theme.background, theme.hatch, _VACANT[mark])


_BATCH: Final = 1 << 14  # samples at once, which the processor's cache holds


def colours_of(theme: Theme, of: Palette, found: Cells) -> Int64Array:
    """The colour of each cell, (n,)."""
    vacant = np.full(len(KINDS), int(theme.background, 16))
    vacant[PADDING] = vacant_colour(theme, "hatch")
    vacant[UNDETERMINED] = vacant_colour(theme, "cross")
    return np.where(found.stored, of.fills[found.entries], vacant[found.kinds])


def _pixels(
    frame: Frame, brush: Brush, of: Palette, found: Cells, places: tuple[Int64Array, Int64Array]
) -> Raster:
    """The pixels of cells, with a line of the ground between them."""
    ground = int(brush.theme.background, 16)
    pixels = np.full((frame.rows, frame.columns), ground)
    pixels[places[1], places[0]] = colours_of(brush.theme, of, found)
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
    of = palette(painting.scale, brush.theme)
    averaged = sample.func is _in_rows and 1 < frame.step < _MOST_AVERAGED
    per = _SAMPLES if averaged else 1
    column = (np.arange(frame.wide * per) + 0.5) * (frame.step / per)
    column = np.minimum(column, frame.columns - 1)
    row = np.minimum(
        ((np.arange(frame.high) + 0.5) * frame.step_rows).astype(np.int64), frame.rows - 1
    )
    pixels = np.full((frame.high, len(column)), int(brush.theme.background, 16))
    rows = max(1, _BATCH // len(column))
    for first in range(0, frame.high, rows):
        found, there = sample(frame, column[None, :], row[first : first + rows, None])
        pixels[first : first + rows][there] = colours_of(brush.theme, of, found)
    if averaged:
        pixels = mean([pixels[:, at::per] for at in range(per)])
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
    return painting.at_coordinates(coordinates[there.ravel()]), there


def _chosen(frame: Frame, brush: Brush, column: int, row: int) -> Marks:
    x, y = map(round, frame.place(column, row))
    return brush.marks("frame", max(round(frame.pitch) - 1, LEAST_BORDERED), ((x, y),))
