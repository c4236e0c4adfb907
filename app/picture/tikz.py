r"""A picture as LaTeX that compiles alone: TikZ in the class ``standalone``, with pdfTeX or later.

One pixel is half a point. Only ASCII is written: other characters of a title stand as ``?``, save
those that a picture itself uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np

from .scene import Grid, Marks, Raster, Scene, Text

_HEAD: Final = r"""\RequirePackage{fix-cm}
\documentclass[tikz,border=0pt]{standalone}
\begin{document}
\begin{tikzpicture}[x=0.5pt,y=-0.5pt,inner sep=0pt,outer sep=0pt]
"""
_TAIL: Final = "\\end{tikzpicture}\n\\end{document}\n"
_SPECIAL: Final = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "\u202f": r"\,",
    "…": r"\ldots{}",
    "-": "{-}",
    "'": "{'}",
    '"': "{'}{'}",
    "`": "{`}",
}
_ANCHORS: Final = {"start": "base west", "middle": "base", "end": "base east"}
_MOST_ACROSS: Final = 80  # rectangles beside each other that stand for a texture
_HATCH: Final = 6


def tikz(scene: Scene) -> str:
    """The file."""
    return "".join([_HEAD, *_lines(scene), _TAIL])


def _lines(scene: Scene) -> Iterator[str]:
    yield _colour(scene.ground)
    yield f"\\fill[c] (0,0) rectangle ({scene.width},{scene.height});\n"
    for part in scene.parts:
        if isinstance(part, Grid):
            yield f"% {part.view}\n"
            for below in part.below:
                # A cell is one box, without the line of the ground around it.
                yield from _raster(below, part) if isinstance(below, Raster) else _part(below)
            yield from _cells(part)
            for above in part.above:
                yield from _part(above)
        else:
            yield from _part(part)


def _cells(grid: Grid) -> Iterator[str]:
    side = grid.side - 1
    half = side / 2
    for fill, cells in groupby(
        sorted(grid.cells, key=lambda one: one.fill), key=lambda one: one.fill
    ):
        if fill:
            yield from _filled(fill, [(cell.x, cell.y, side, side) for cell in cells])
    for cell in grid.cells:
        if cell.text:
            place = (cell.x + half, cell.y + half + grid.font * 0.36)
            yield _words(Text(*place, cell.text, cell.ink, grid.font, "middle"))


def _part(part: Marks | Text) -> Iterator[str]:
    if isinstance(part, Text):
        yield _words(part)
    else:
        yield from _marks(part)


def _words(text: Text) -> str:
    size = text.size / 2
    font = f"\\fontsize{{{size:.3g}}}{{{size:.3g}}}\\selectfont"
    family = "\\ttfamily" if text.mono else "\\sffamily"
    bold = "\\bfseries" if text.bold else ""
    return (
        f"{_colour(text.colour)}\\node[text=c,anchor={_ANCHORS[text.anchor]}] at "
        f"({text.x:.6g},{text.y:.6g}) {{{font}{family}{bold} {_tex(text.text)}}};\n"
    )


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(sign) or (sign if " " <= sign <= "~" else "?") for sign in text)


def _colour(colour: str) -> str:
    return f"\\definecolor{{c}}{{HTML}}{{{colour[1:].upper()}}}"


def _filled(colour: str, boxes: list[tuple[float, float, float, float]]) -> Iterator[str]:
    """Boxes of one colour: x, y, width, height."""
    yield f"{_colour(colour)}\n"
    for x, y, wide, high in boxes:
        yield f"\\fill[c] ({x:g},{y:g}) rectangle ({x + wide:g},{y + high:g});\n"


def _raster(part: Raster, grid: Grid) -> Iterator[str]:
    """The pixels, thinned to what TeX can hold; neighbours of one colour are one box."""
    if grid.cells:
        part = Raster(part.x, part.y, part.pixels[:: grid.side, :: grid.side], grid.side)
    every = 1 if grid.cells else max(1, -(-max(part.pixels.shape[:2]) // _MOST_ACROSS))
    high, wide, _ = part.pixels.shape
    more = ((0, -high % every), (0, -wide % every), (0, 0))
    blocks = np.pad(part.pixels, more, mode="edge").reshape(-(-high // every), every, -1, every, 3)
    pixels = blocks.mean(axis=(1, 3)).astype(np.int64) @ np.array([65536, 256, 1])
    size = every * part.scale
    for row, words in enumerate(pixels.tolist()):
        column = 0
        for word, run in groupby(words):
            count = len(list(run))
            box = (part.x + column * size, part.y + row * size, count * size, size)
            yield from _filled(f"#{word:06x}", [box])
            column += count


def _marks(marks: Marks) -> Iterator[str]:
    side, places = marks.side, marks.places
    if marks.shape == "fill":
        yield from _filled(marks.colour, [(x, y, side, side) for x, y in places])
    elif marks.shape == "line":
        high = max(3, side * 0.28)
        yield from _filled(marks.colour, [(x - 1.5, y - 1, 2, high) for x, y in places])
    elif marks.shape == "edge":
        yield from _filled(marks.back, [(x - 2.5, y - 1, 4, side + 1) for x, y in places])
        yield from _filled(marks.colour, [(x - 1.5, y - 1, 2, side + 1) for x, y in places])
    elif marks.shape == "kept":
        wide = 5 if side < 24 else 7
        yield from _filled(marks.back, [(x, y + side - 6, wide + 2, 6) for x, y in places])
        for up in (5, 2):
            yield from _filled(marks.colour, [(x + 1, y + side - up, wide, 1) for x, y in places])
    else:
        yield from _drawn(marks)


def _drawn(marks: Marks) -> Iterator[str]:
    """Marks that have lines."""
    side, places = marks.side, marks.places
    if marks.shape == "gap":
        yield from _boxes(marks.back, places, 1.5, side - 3, 0.5)
        dots = [(x + side / 2 - 1, y + side / 2 - 1, 2.0, 2.0) for x, y in places]
        yield from _filled(marks.colour, dots)
    elif marks.shape == "frame":
        yield from _boxes(marks.back, places, -1, side + 2, 2.5)
        yield from _boxes(marks.colour, places, -1, side + 2, 1)
    elif marks.shape == "outline":
        yield from _boxes(marks.colour, places, 0.5, side - 1, 0.5)
    elif marks.shape == "shared":
        corner = min(9, max(3, side * 0.3))
        yield f"{_colour(marks.colour)}\n"
        for x, y in places:
            yield f"\\fill[c] ({x + side},{y}) -- +(0,{corner:g}) -- +({-corner:g},0) -- cycle;\n"
    else:
        yield f"{_colour(marks.colour)}\n"
        for x, y in places:
            for left, low, right, high in _strokes(marks.shape, side):
                start, end = f"({x + left:g},{y + low:g})", f"({x + right:g},{y + high:g})"
                yield f"\\draw[c,line width=0.4pt] {start} -- {end};\n"


def _boxes(
    colour: str, places: tuple[tuple[int, int], ...], inset: float, side: float, line: float
) -> Iterator[str]:
    yield f"{_colour(colour)}\n"
    for x, y in places:
        corner = f"({x + inset:g},{y + inset:g}) rectangle +({side:g},{side:g})"
        yield f"\\draw[c,line width={line:g}pt] {corner};\n"


def _strokes(shape: str, side: int) -> Iterator[tuple[float, float, float, float]]:
    """The lines of a hatch or a cross in a cell: from, to."""
    if shape == "hatch":
        for at in range(_HATCH, 2 * side, _HATCH):
            left, low = max(0, at - side), min(at, side)
            size = min(at, 2 * side - at)
            yield left, low, left + size, low - size
    else:
        yield side * 0.3, side * 0.3, side * 0.7, side * 0.7
        yield side * 0.7, side * 0.3, side * 0.3, side * 0.7
