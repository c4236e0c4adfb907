"""A picture as SVG: text stays text, each cell is a group with its address, and nothing runs."""

import base64
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape

from .png import encoded
from .scene import Bars, Cell, Grid, Marks, Raster, Scene, Text, layers

SANS: Final = 'system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif'
MONO: Final = 'ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Menlo,Consolas,monospace'
_WIDE, _NARROW = 0.62, 0.58  # of a font's size: a character at most, where bold or mono, else
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE: Final = f"text{{font-family:{MONO}}}.s{{font-family:{SANS}}}.w{{fill:#fff}}"
_MIDDLE: Final = 0.36  # of a font's size from the middle of a line to its baseline


def svg(scene: Scene) -> str:
    """The file."""
    return "".join(_lines(scene))


def _lines(scene: Scene) -> Iterator[str]:
    yield head(scene.width, scene.height, scene.title, scene.about, _STYLE)
    yield f'<rect width="100%" height="100%" fill="{scene.ground}"/>'
    for part in scene.parts:
        yield from _grid(part) if isinstance(part, Grid) else _part(part)
    yield "</svg>\n"


def _grid(grid: Grid) -> Iterator[str]:
    yield f'<g data-view="{grid.view}">'
    for below in grid.below:
        yield from _part(below)
    if grid.cells:
        yield from _cells(grid)
    for above in grid.above:
        yield from _part(above)
    yield "</g>"


def _cells(grid: Grid) -> Iterator[str]:
    """The cells, row by row: each says its distance from the first column alone."""
    side = grid.side - 1
    left = min(cell.x for cell in grid.cells)
    style = f'font-size="{grid.font:.4g}" text-anchor="middle" stroke-width="{side}"'
    yield f"<g {style}>"
    logical = grid.view == "logical"
    for y, row in groupby(grid.cells, key=lambda cell: cell.y):
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


def _part(part: Bars | Marks | Raster | Text) -> Iterator[str]:
    if isinstance(part, Text):
        yield _text(part)
    elif isinstance(part, Bars):
        path = "".join(
            f"M{x:g} {y:g}h{wide:g}v{high:g}h{-wide:g}z" for x, y, wide, high in part.boxes
        )
        yield f'<path fill="{part.colour}" d="{path}"/>'
    elif isinstance(part, Raster):
        high, wide = part.pixels.shape
        data = base64.b64encode(encoded(part.pixels)).decode()
        size = f'width="{wide * part.scale}" height="{high * part.scale}"'
        drawn = 'style="image-rendering:pixelated" image-rendering="optimizeSpeed"'
        place = f'x="{part.x}" y="{part.y}" preserveAspectRatio="none"'
        yield f'<image {place} {size} {drawn} href="data:image/png;base64,{data}"/>'
    else:
        yield from _marks(part)


def _text(text: Text) -> str:
    sans = "" if text.mono else ' class="s"'
    bold = ' font-weight="600"' if text.bold else ""
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    place = f'x="{text.x:.6g}" y="{text.y:.6g}" font-size="{text.size:g}"'
    return f'<text {place}{anchor}{sans}{bold} fill="{text.colour}">{escaped(text.text)}</text>'


def _marks(marks: Marks) -> Iterator[str]:
    """One path for each layer, whatever the number of cells."""
    for layer in layers(marks.shape, marks.side):
        path = "".join(
            f"M{x + a:g} {y + b:g}{way}" for x, y in marks.places for a, b, way in layer.ways
        )
        colour = marks.back if layer.back else marks.colour
        width = f' stroke-width="{layer.width:g}"' if layer.width > 1 else ""
        paint = f'fill="none" stroke="{colour}"{width}' if layer.width else f'fill="{colour}"'
        yield f'<path {paint} d="{path}"/>'


def escaped(text: str) -> str:
    """Text of an element: escaped, without characters that XML cannot have."""
    return escape(_NOT_XML.sub("\ufffd", text))


def head(width: float, height: float, title: str, about: str, style: str) -> str:
    """The beginning of a drawing. ``about``: for a reader who does not see it."""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">'
        f'<title id="title">{escaped(title)}</title><desc id="desc">{escaped(about)}</desc>'
        f"<style>{escaped(style)}</style>"
    )


def text_width(text: str, size: float, *, wide: bool) -> float:
    """Pixels that a text takes at most. ``wide``: bold, or in a font of one width."""
    return len(text) * size * (_WIDE if wide else _NARROW)
