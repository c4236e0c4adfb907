"""What stands along the edges of a grid: coordinates, addresses, planes, cache lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from ..engine.model.layout import Layout
from .frame import LABEL, Brush, Frame
from .grids import CHARACTER_CSS, Planes
from .scene import Marks, Text

_LEAST_PLANE: Final = 24
_LINE_BYTES: Final = 64
_LEAST_LINE: Final = 12
_MOST_LABELS: Final = 4096


def grouped(number: int) -> str:
    """An integer with narrow spaces between the thousands."""
    return f"{number:,}".replace(",", "\u202f") if number > 999 else str(number)


def label_step(pitch: float, room: float, *, binary: bool = False) -> int:
    """The least step between labels that do not overlap: 1, 2, 5, 10, … or a power of two."""
    least = room / pitch
    if least <= 1:
        return 1
    if binary:
        return 1 << math.ceil(math.log2(least))
    decade = 10 ** math.floor(math.log10(least))
    return int(next((f * decade for f in (1, 2, 5, 10) if f * decade >= least), 10 * decade))


def memory_edges(frame: Frame, brush: Brush, buffer_elements: int) -> Iterator[Text]:
    """The address of each row, and the columns' offsets from it."""
    row_step = label_step(frame.pitch_rows, LABEL + 4)
    for row in range(0, frame.rows, row_step):
        if row * frame.columns < buffer_elements:
            y = frame.place(0, row)[1] + max(frame.pitch_rows - 1, LABEL) / 2
            yield brush.label(frame.x - 7, y, grouped(row * frame.columns), "end")
    characters = len(grouped(frame.columns)) + 1
    wide = frame.pitch >= characters * CHARACTER_CSS
    step = label_step(frame.pitch, characters * CHARACTER_CSS + 8, binary=frame.columns % 4 == 0)
    for column in range(0, frame.columns, step):
        x = frame.place(column, 0)[0] + ((frame.pitch - 1) / 2 if wide else 0)
        anchor = "middle" if wide else "start"
        yield brush.label(x, frame.y - 10, f"+{grouped(column)}", anchor)


def logical_edges(layout: Layout, planes: Planes, frame: Frame, brush: Brush) -> Iterator[Text]:
    """The coordinates along the planes, the names of the dimensions, the planes' own labels."""
    if not layout.rank or not layout.elements:
        return
    pitch, y = frame.pitch, frame.y - 10
    characters = len(grouped(planes.wide - 1))
    wide = pitch >= characters * CHARACTER_CSS
    step = label_step(pitch, characters * CHARACTER_CSS + 8)
    for column, index in _along(
        frame.columns, planes.pitch_columns, 0, planes.wide, step, _LEAST_PLANE / pitch
    ):
        x = frame.place(column, 0)[0] + ((pitch - 1) / 2 if wide else 0)
        yield brush.label(x, y, grouped(index), "middle" if wide else "start")
    names = [layout.dims[d].lower() for d in planes.order[-2:]]
    yield brush.label(frame.x - 5, y, "\\".join(names), "end")
    if layout.rank > 1:
        pitch = frame.pitch_rows
        step = label_step(pitch, LABEL + 4)
        for row, index in _along(frame.rows, planes.pitch_rows, 0, planes.high, step, step):
            at = frame.place(0, row)[1] + max(pitch - 1, LABEL) / 2
            yield brush.label(frame.x - 7, at, grouped(index), "end")
    if layout.rank > 2:
        yield from _plane_labels(layout, planes, frame, brush)


def _along(
    end: int, pitch: int, lead: int, extent: int, step: int, least: float
) -> Iterator[tuple[int, int]]:
    """Cells with a label and their index in the plane, per plane."""
    if step >= extent > 1:  # a single 0 above every small plane would say nothing
        return
    every = max(1, math.ceil(least / pitch))
    for count, plane in enumerate(range(0, -(-end // pitch), every)):
        for at in range(0, extent, step):
            start = plane * pitch + lead
            if count > _MOST_LABELS or start + at >= end:
                break
            if at == 0 or pitch - at >= step * 0.6:
                yield start + at, at


def _plane_labels(layout: Layout, planes: Planes, frame: Frame, brush: Brush) -> Iterator[Text]:
    """Labels in the gaps above the planes; far from all, of some of the uppermost ones."""
    across, down = planes.pitch_columns * frame.pitch, planes.pitch_rows * frame.pitch_rows
    gap = planes.gap_rows * frame.pitch_rows
    last = _label(layout, planes, planes.planes - 1)
    place_step = (
        max(1, math.ceil((len(last) + 2) * CHARACTER_CSS / across)) if across < _LEAST_PLANE else 1
    )
    lines = planes.lines if gap >= LABEL - 1 and down >= _LEAST_PLANE else 1
    for line in range(min(lines, _MOST_LABELS)):
        end = 0.0
        for place in range(0, min(planes.across, _MOST_LABELS), place_step):
            column, row = place * planes.pitch_columns, line * planes.pitch_rows
            plane = planes.plane_at(line, place)
            if plane < 0:
                continue
            x, y = frame.place(column, row)
            full = _label(layout, planes, plane)
            fits = not end or len(full) * CHARACTER_CSS < across - 2
            text = full if fits else " ".join(full.split(" ")[-2:])
            size = len(text) * CHARACTER_CSS
            if x < end or (end and size > across * place_step - 2):
                continue
            in_place = line > 0 and planes.gap_rows * frame.pitch >= LABEL - 1
            yield Text(x, y - 3 if in_place else frame.y - 24, text, brush.colour("muted"), LABEL)
            end = x + size + 4


def _label(layout: Layout, planes: Planes, plane: int) -> str:
    parts = planes.outer_of(plane)
    said = [(dim, index) for dim, index in parts[:-1] if layout.shape[dim] > 1] + parts[-1:]
    return " ".join(f"{layout.dims[dim].lower()} {grouped(index)}" for dim, index in said)


def cache_lines(frame: Frame, brush: Brush, buffer_elements: int, item_bits: int) -> list[Marks]:
    """Small marks where a cache line begins."""
    line = _LINE_BYTES * 8 // item_bits
    if line < 2 or frame.side * line < _LEAST_LINE:
        return []
    row, column = np.divmod(np.arange(0, buffer_elements, line), frame.columns)
    x, y = frame.x + column * frame.side, frame.y + row * frame.side
    brush.seen.add("line")
    places = tuple(zip(x.tolist(), y.tolist(), strict=True))
    return [Marks("line", brush.colour("text"), "", frame.side, places)]
