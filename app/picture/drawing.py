"""One grid as parts of a picture: ``static/draw/logical-grid.js`` and ``memory-grid.js``.

A grid of few cells carries texts; one of more cells is coloured as pixels, with its marks; one of
very many is sampled: a pixel shows the cell in its middle, so no tensor is too large.
"""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.inverse.owners import GAP, KINDS, PADDING, SHARED, UNDETERMINED
from ..engine.model.address import offsets_of
from ..engine.model.layout import Int64Array, Layout
from .cells import UNITS, Cells, Painting, Together
from .colours import VACANT, Palette, Theme, hexadecimal, mean, palette, vacant_colour
from .frame import (
    LEAST_BORDERED,
    LEAST_OUTLINED,
    MOST_CELLS,
    MOST_WRITTEN,
    Brush,
    Frame,
    cache_lines,
    font_size,
    framed,
    logical_edges,
    memory_edges,
    sampled,
)
from .gaps import LEAST_GAPPED, gaps_of
from .grids import USUAL_ASPECT, AddressRows, Planes
from .scene import Bars, Cell, Grid, Marks, Place, Raster

_LEAST_KEPT: Final = 14
_SIGNS: Final = {"hatch": PADDING, "cross": UNDETERMINED, "gap": GAP, "shared": SHARED}
_SAMPLES: Final = 2  # of a pixel of memory that stands for several cells
_MOST_AVERAGED: Final = 64
_BATCH: Final = 1 << 14  # samples at once, which the processor's cache holds


def logical(painting: Painting, brush: Brush, top: int) -> Grid:
    """The planes of the logical tensor below ``top``."""
    layout, planes = painting.shown, Planes(painting.shown, USUAL_ASPECT)
    grid, frame = _drawn("logical", painting, planes, brush, top)
    grid.above += logical_edges(layout, planes, frame, brush)
    if brush.chosen is not None:
        at = np.array([brush.chosen], np.int64).reshape(1, layout.rank)
        grid.above.append(_chosen(frame, brush, *planes.places(at)))
    return grid


def memory(
    painting: Painting, brush: Brush, top: int, columns: int, kept: Layout | None = None
) -> Grid:
    """The memory below ``top`` in rows of ``columns``.

    ``kept``: the layout beside it; what lies at the same address there is marked.
    """
    buffer, layout = painting.buffer_elements, painting.shown
    grid, frame = _drawn("memory", painting, AddressRows(buffer, columns), brush, top, kept)
    if grid.cells:
        grid.above += _gaps(painting, frame, brush)
        grid.above += cache_lines(frame, brush, buffer, painting.look.item_bits)
    grid.above += memory_edges(frame, brush, buffer)
    if brush.chosen is not None and layout.elements:
        at = np.array([brush.chosen], np.int64).reshape(1, layout.rank)
        row, column = np.divmod(offsets_of(layout, at), columns)
        grid.above.append(_chosen(frame, brush, column, row))
    return grid


def _gaps(painting: Painting, frame: Frame, brush: Brush) -> Iterator[Bars]:
    """Gaps of a memory's cells: half of each is taken from the cells on either side."""
    if frame.side < LEAST_GAPPED or isinstance(painting, Together):
        return
    gaps = gaps_of(painting.layout, frame.columns)
    boxes: list[tuple[float, float, float, float]] = []
    right, bottom = frame.ends
    for gap in gaps.columns:
        wide = gap.wide(frame.side)
        boxes += [
            (frame.place(column, 0)[0] - 0.5 - wide / 2, frame.y, wide, bottom - frame.y)
            for column in range(gap.cells, frame.columns, gap.cells)
        ]
    for gap in gaps.rows:
        high = gap.wide(frame.side)
        boxes += [
            (frame.x, frame.place(0, row)[1] - 0.5 - high / 2, right - frame.x, high)
            for row in range(gap.cells, frame.rows, gap.cells)
        ]
    if boxes:
        yield Bars(brush.colour("background"), tuple(boxes))


def _drawn(
    view: str,
    painting: Painting,
    places: Planes | AddressRows,
    brush: Brush,
    top: int,
    kept: Layout | None = None,
) -> tuple[Grid, Frame]:
    """The cells of a grid, with what lies below and above them, or sampled; where they are."""
    if places.cells > MOST_CELLS // brush.shares:
        frame = sampled(places, top)
        texture = _texture(frame, brush, painting, places)
        return Grid(view, *frame.ends, frame.side, [texture]), frame
    found, there = every_cell(painting, places)
    few = len(found.kinds) <= MOST_WRITTEN // brush.shares
    texts = painting.texts(found) if few else []
    characters = max(map(len, texts), default=1)
    frame = framed(places, top, characters if few else None)
    grid = Grid(view, *frame.ends, frame.side, font=font_size(frame.side, characters))
    if not frame.written:
        texts = [""] * len(found.kinds)
    side, stored = frame.side, found.stored
    of = palette(painting.scale, brush.theme)
    row, column = np.nonzero(there)
    x, y = frame.x + column * side, frame.y + row * side

    def at(picked: npt.NDArray[np.bool_]) -> tuple[Place, ...]:
        return tuple(zip(x[picked].tolist(), y[picked].tolist(), strict=True))

    def mark(shape: str, picked: npt.NDArray[np.bool_]) -> None:
        if picked.any():
            grid.above.append(brush.marks(shape, side - 1, at(picked)))

    grid.cells = tuple(_cells(grid.view, found, x, y, texts, of, written=frame.written))
    if not frame.written:
        grid.below.append(_pixels(frame, brush, of, found, there))
    if side >= LEAST_OUTLINED:
        words = np.where(stored, of.outlines[found.entries], -1)
        for word in np.unique(words[words >= 0]).tolist():
            grid.above.append(Marks("outline", hexadecimal(word), "", side - 1, at(words == word)))
    for shape, kind in _SIGNS.items():
        picked = found.kinds == kind
        if frame.written and shape in VACANT and picked.any():
            colour = hexadecimal(vacant_colour(brush.theme, shape))
            grid.below.append(Marks("fill", colour, "", side - 1, at(picked)))
        mark(shape, picked)
    if kept is not None and side >= _LEAST_KEPT and painting.layout.elements:
        owners = np.where(stored[:, None], found.owners, 0)
        mark("kept", stored & (offsets_of(kept, owners) == found.addresses))
    if grid.view == "memory" and painting.look.colour in UNITS:
        mark("edge", stored & painting.starts(found.addresses))
    return grid, frame


def _cells(
    view: str,
    found: Cells,
    x: Int64Array,
    y: Int64Array,
    texts: list[str],
    of: Palette,
    *,
    written: bool,
) -> Iterator[Cell]:
    named = found.stored | (found.kinds == PADDING)
    inks, fills = (map(hexadecimal, part[found.entries].tolist()) for part in (of.inks, of.fills))
    columns = (x, y, found.addresses, found.kinds, found.coordinates, named)
    lists = [column.tolist() for column in columns]
    for left, top, address, kind, at, known, text, ink, fill in zip(
        *lists, texts, inks, fills, strict=True
    ):
        own = fill if written and kind <= SHARED else ""
        if view == "memory" or kind <= SHARED:  # no element lies in a plane that padding takes
            yield Cell(
                left, top, address, KINDS[kind], tuple(at) if known else None, text, ink, own
            )


def colours_of(theme: Theme, of: Palette, found: Cells) -> Int64Array:
    """The colour of each cell, (n,)."""
    vacant = np.full(len(KINDS), int(theme.background, 16))
    for mark in VACANT:
        vacant[_SIGNS[mark]] = vacant_colour(theme, mark)
    return np.where(found.stored, of.fills[found.entries], vacant[found.kinds])


def _pixels(
    frame: Frame, brush: Brush, of: Palette, found: Cells, there: npt.NDArray[np.bool_]
) -> Raster:
    """The pixels of cells, with a line of the ground between them."""
    ground = int(brush.theme.background, 16)
    pixels = np.full(there.shape, ground)
    pixels[there] = colours_of(brush.theme, of, found)
    whole = pixels.repeat(frame.side, axis=0).repeat(frame.side, axis=1)
    if frame.side >= LEAST_BORDERED:
        whole[frame.side - 1 :: frame.side] = ground
        whole[:, frame.side - 1 :: frame.side] = ground
    return Raster(frame.x, frame.y, whole, 1)


def _texture(
    frame: Frame, brush: Brush, painting: Painting, places: Planes | AddressRows
) -> Raster:
    """A pixel for each cell, or for several."""
    of = palette(painting.scale, brush.theme)
    averaged = isinstance(places, AddressRows) and 1 < frame.step < _MOST_AVERAGED
    per = _SAMPLES if averaged else 1
    column = _samples(places.columns, frame.step, per, places.pitch_columns, places.wide)
    row = _samples(places.rows, frame.step_rows, 1, places.pitch_rows, places.high)
    pixels = np.full((len(row), len(column)), int(brush.theme.background, 16))
    rows = max(1, _BATCH // len(column))
    for first in range(0, len(row), rows):
        batch = slice(first, first + rows)
        found, there = _cells_at(painting, places, column[None, :], row[batch, None])
        pixels[batch][there] = colours_of(brush.theme, of, found)
        brush.seen.update({"hatch"} if (found.kinds == PADDING).any() else ())
    if averaged:
        pixels = mean([pixels[:, at::per] for at in range(per)])
    return Raster(frame.x, frame.y, pixels, frame.side)


def _samples(end: int, step: float, per: int, pitch: int, extent: int) -> Int64Array:
    """The columns, or rows, before ``end`` that pixels of ``step`` show, ``per`` for each.

    A gap between planes that is narrower than a pixel is not drawn: some pixels would meet it.
    """
    at = (np.arange(math.ceil(end / step) * per) + 0.5) * (step / per)
    found: Int64Array = np.minimum(at, end - 1).astype(np.int64)
    if step > pitch - extent:
        plane, within = np.divmod(found, pitch)
        found = plane * pitch + np.minimum(within, extent - 1)
    return found


def every_cell(
    painting: Painting, places: Planes | AddressRows
) -> tuple[Cells, npt.NDArray[np.bool_]]:
    """The cells of a whole grid, (n,), row by row where there is one, (rows, columns)."""
    columns, rows = np.arange(places.columns)[None, :], np.arange(places.rows)[:, None]
    return _cells_at(painting, places, columns, rows)


def _cells_at(
    painting: Painting, places: Planes | AddressRows, column: Int64Array, row: Int64Array
) -> tuple[Cells, npt.NDArray[np.bool_]]:
    """What lies at h rows of w columns, (n,), and where there is something, (h, w)."""
    if isinstance(places, Planes):
        coordinates, there = places.coordinates_at(column, row)
        return painting.at_coordinates(coordinates[there.ravel()]), there
    address = row * places.columns + column
    there = address < painting.buffer_elements
    return painting.at_addresses(address[there]), there


def _chosen(frame: Frame, brush: Brush, column: Int64Array, row: Int64Array) -> Marks:
    x, y = map(round, frame.place(column.item(), row.item()))
    return brush.marks("frame", max(round(frame.pitch) - 1, LEAST_BORDERED), ((x, y),))
