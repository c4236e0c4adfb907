"""A picture as SVG: text stays text, each cell is a group with its address, and nothing runs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

from .png import encoded
from .scene import Cell, Grid, Marks, Raster, Scene, Text
from .xml import escaped

_SANS: Final = 'system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif'
_MONO: Final = 'ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Menlo,Consolas,monospace'
_STYLE: Final = f"text{{font-family:{_MONO}}}.s{{font-family:{_SANS}}}.w{{fill:#fff}}"
_HATCH: Final = 6  # pixels from line to line, along the edge of a cell
_MIDDLE: Final = 0.36  # of a font's size from the middle of a line to its baseline


def svg(scene: Scene) -> str:
    """The file."""
    return "".join(_lines(scene))


def _lines(scene: Scene) -> Iterator[str]:
    size = f'width="{scene.width}" height="{scene.height}"'
    box = f'viewBox="0 0 {scene.width} {scene.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
    yield f'aria-labelledby="title desc"><title id="title">{escaped(scene.title)}</title>'
    yield f'<desc id="desc">{escaped(scene.about)}</desc><style>{escaped(_STYLE)}</style>'
    yield f'<rect width="100%" height="100%" fill="{scene.ground}"/>'
    for part in scene.parts:
        yield from _grid(part) if isinstance(part, Grid) else _part(part)
    yield "</svg>\n"


def _grid(grid: Grid) -> Iterator[str]:
    yield f'<g data-view="{grid.view}">'
    for part in grid.below:
        yield from _part(part)
    yield from _cells(grid)
    for above in grid.above:
        yield from _part(above)
    yield "</g>"


def _cells(grid: Grid) -> Iterator[str]:
    """The cells, row by row: each says its distance from the first column alone."""
    if not grid.cells:
        return
    side = grid.side - 1
    left = min(cell.x for cell in grid.cells)
    style = f'font-size="{grid.font:.4g}" text-anchor="middle" stroke-width="{side}"'
    yield f"<g {style}>"
    logical = grid.view == "logical"
    by_row = sorted(grid.cells, key=lambda cell: cell.y) if logical else grid.cells
    for y, row in groupby(by_row, key=lambda cell: cell.y):
        # A stroke of the cell's height, along the middle of the row, is the cell.
        baseline = y + side / 2 + grid.font * _MIDDLE
        yield f'<g transform="translate({left + side / 2:g} {baseline:.6g})">'
        yield from (_cell(cell, cell.x - left, side, grid.font, logical=logical) for cell in row)
        yield "</g>"
    yield "</g>"


def _cell(cell: Cell, x: int, side: int, font: float, *, logical: bool) -> str:
    at = "" if cell.at is None else f' data-at="{",".join(map(str, cell.at))}"'
    if logical:
        group = f'<g{at} data-address="{cell.address}"'
    else:
        group = f'<g data-address="{cell.address}" data-kind="{cell.kind}"{at}'
    fill = ""
    if cell.fill:
        fill = f'<path d="M{x - side / 2:g} {-font * _MIDDLE:.3g}h{side}" stroke="{cell.fill}"/>'
    white = ' class="w"' if cell.ink == "#ffffff" else ""
    text = ""
    if cell.text:
        text = f'<text x="{x}"{white}>{escaped(cell.text)}</text>'
    return f"{group}>{fill}{text}</g>" if fill or text else f"{group}/>"


def _part(part: Marks | Raster | Text) -> Iterator[str]:
    if isinstance(part, Text):
        yield _text(part)
    elif isinstance(part, Raster):
        high, wide, _ = part.pixels.shape
        data = base64.b64encode(encoded(part.pixels)).decode()
        size = f'width="{wide * part.scale}" height="{high * part.scale}"'
        drawn = 'style="image-rendering:pixelated" image-rendering="optimizeSpeed"'
        place = f'x="{part.x}" y="{part.y}" preserveAspectRatio="none"'
        yield f'<image {place} {size} {drawn} href="data:image/png;base64,{data}"/>'
    else:
        yield from _SHAPES[part.shape](part)


def _text(text: Text) -> str:
    sans = "" if text.mono else ' class="s"'
    bold = ' font-weight="600"' if text.bold else ""
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    place = f'x="{text.x:.6g}" y="{text.y:.6g}" font-size="{text.size:g}"'
    return f'<text {place}{anchor}{sans}{bold} fill="{text.colour}">{escaped(text.text)}</text>'


def _boxes(marks: Marks, inset: float, side: float) -> str:
    return "".join(
        f"M{x + inset:g} {y + inset:g}h{side:g}v{side:g}h{-side:g}z" for x, y in marks.places
    )


def _fill(marks: Marks) -> Iterator[str]:
    yield f'<path fill="{marks.colour}" d="{_boxes(marks, 0, marks.side)}"/>'


def _outline(marks: Marks) -> Iterator[str]:
    path = _boxes(marks, 0.5, marks.side - 1)
    yield f'<path fill="none" stroke="{marks.colour}" d="{path}"/>'


def _hatch(marks: Marks) -> Iterator[str]:
    """Lines through each cell, from the lower left to the upper right."""
    side = marks.side
    starts = [at * _HATCH for at in range(1, 2 * side // _HATCH + 1)]
    one = [(max(0, at - side), min(at, side), min(at, 2 * side - at)) for at in starts]
    lines = "".join(
        f"M{x + left} {y + low}l{size} {-size}"
        for x, y in marks.places
        for left, low, size in one
        if size > 0
    )
    yield f'<path fill="none" stroke="{marks.colour}" d="{lines}"/>'


def _gap(marks: Marks) -> Iterator[str]:
    path = _boxes(marks, 1.5, max(1, marks.side - 3))
    yield f'<path fill="none" stroke="{marks.back}" d="{path}"/>'
    dot = max(1.2, min(3, marks.side * 0.1))
    path = _boxes(marks, (marks.side - dot) / 2, dot)
    yield f'<path fill="{marks.colour}" d="{path}"/>'


def _shared(marks: Marks) -> Iterator[str]:
    corner = min(9, max(3, marks.side * 0.3))
    path = "".join(
        f"M{x + marks.side} {y}v{corner:g}l{-corner:g} {-corner:g}z" for x, y in marks.places
    )
    yield f'<path fill="{marks.colour}" stroke="{marks.back}" d="{path}"/>'


def _cross(marks: Marks) -> Iterator[str]:
    third, size = marks.side * 0.3, marks.side * 0.4
    path = "".join(
        f"M{x + third:g} {y + third:g}l{size:g} {size:g}m{-size:g} 0l{size:g} {-size:g}"
        for x, y in marks.places
    )
    yield f'<path fill="none" stroke="{marks.colour}" d="{path}"/>'


def _line(marks: Marks) -> Iterator[str]:
    high = max(3, marks.side * 0.28)
    path = "".join(f"M{x - 1.5:g} {y - 1}h2v{high:g}h-2z" for x, y in marks.places)
    yield f'<path fill="{marks.colour}" d="{path}"/>'


def _edge(marks: Marks) -> Iterator[str]:
    for colour, left, wide in ((marks.back, 2.5, 4), (marks.colour, 1.5, 2)):
        path = "".join(
            f"M{x - left:g} {y - 1}h{wide}v{marks.side + 1}h{-wide}z" for x, y in marks.places
        )
        yield f'<path fill="{colour}" d="{path}"/>'


def _kept(marks: Marks) -> Iterator[str]:
    length = 5 if marks.side < 24 else 7
    tiles = "".join(
        f"M{x} {y + marks.side - 6}h{length + 2}v6h{-length - 2}z" for x, y in marks.places
    )
    yield f'<path fill="{marks.back}" d="{tiles}"/>'
    bars = "".join(
        f"M{x + 1} {y + marks.side - up}h{length}v1h{-length}z"
        for x, y in marks.places
        for up in (5, 2)
    )
    yield f'<path fill="{marks.colour}" d="{bars}"/>'


def _frame(marks: Marks) -> Iterator[str]:
    for colour, width in ((marks.back, 5), (marks.colour, 2)):
        path = _boxes(marks, -1, marks.side + 2)
        yield f'<path fill="none" stroke="{colour}" stroke-width="{width}" d="{path}"/>'


_SHAPES: Final[dict[str, Callable[[Marks], Iterator[str]]]] = {
    "fill": _fill,
    "outline": _outline,
    "hatch": _hatch,
    "gap": _gap,
    "shared": _shared,
    "cross": _cross,
    "line": _line,
    "edge": _edge,
    "kept": _kept,
    "frame": _frame,
}
