r"""A picture as LaTeX that compiles alone: TikZ in the class ``standalone``, with pdfTeX or later.

One pixel is half a point. Only ASCII is written: other characters of a title stand as ``?``, save
those that a picture itself uses.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from typing import Final

import numpy as np

from .colours import hexadecimal, mean
from .scene import Bars, Grid, Marks, Raster, Scene, Text, layers

_HEAD: Final = r"""\RequirePackage{fix-cm}
\documentclass[tikz,border=0pt]{standalone}
\begin{document}
"""
_TAIL: Final = "\\end{document}\n"
_BEGIN: Final = "\\begin{tikzpicture}[x=0.5pt,y=-0.5pt,inner sep=0pt,outer sep=0pt]\n"
_END: Final = "\\end{tikzpicture}\n"
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
_MOST_OF_A_PATH: Final = 200  # ways
_MOVE: Final = re.compile("([hvlz])([^hvlz]*)")


def tikz(scene: Scene) -> str:
    """The file."""
    return f"{_HEAD}{tikz_picture(scene)}{_TAIL}"


def tikz_picture(scene: Scene) -> str:
    """The environment alone, for a document that uses the package ``tikz``."""
    return "".join([_BEGIN, *_lines(scene), _END])


def _lines(scene: Scene) -> Iterator[str]:
    yield from _painted(scene.ground, [_rectangle(0, 0, scene.width, scene.height)])
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
    boxes: defaultdict[str, list[str]] = defaultdict(list)
    for cell in grid.cells:
        boxes[cell.fill].append(_rectangle(cell.x, cell.y, side, side))
    for fill, ways in boxes.items():
        if fill:
            yield from _painted(fill, ways)
    for cell in grid.cells:
        if cell.text:
            place = (cell.x + half, cell.y + half + grid.font * 0.36)
            yield _words(Text(*place, cell.text, cell.ink, grid.font, "middle"))


def _part(part: Bars | Marks | Text) -> Iterator[str]:
    if isinstance(part, Text):
        yield _words(part)
        return
    if isinstance(part, Bars):
        yield from _painted(part.colour, [_rectangle(*box) for box in part.boxes])
        return
    for layer in layers(part.shape, part.side):
        moves = [(a, b, _MOVE.sub(_moved, way)) for a, b, way in layer.ways]
        ways = [f"({x + a:g},{y + b:g}){way}" for x, y in part.places for a, b, way in moves]
        yield from _painted(part.back if layer.back else part.colour, ways, layer.width)


def _words(text: Text) -> str:
    size = text.size / 2
    font = f"\\fontsize{{{size:.3g}}}{{{size:.3g}}}\\selectfont"
    family = "\\ttfamily" if text.mono else "\\sffamily"
    bold = "\\bfseries" if text.bold else ""
    said = (_SPECIAL.get(sign) or (sign if " " <= sign <= "~" else "?") for sign in text.text)
    return (
        f"{_colour(text.colour)}\\node[text=c,anchor={_ANCHORS[text.anchor]}] at "
        f"({text.x:.6g},{text.y:.6g}) {{{font}{family}{bold} {''.join(said)}}};\n"
    )


def _colour(colour: str) -> str:
    return f"\\definecolor{{c}}{{HTML}}{{{colour[1:].upper()}}}"


def _painted(colour: str, ways: Sequence[str], width: float = 0) -> Iterator[str]:
    """Ways of one colour, filled or as lines of a width in pixels: a path has a part of them."""
    drawn = f"\\draw[c,line width={width / 2:g}pt]" if width else "\\fill[c]"
    yield f"{_colour(colour)}\n"
    for first in range(0, len(ways), _MOST_OF_A_PATH):
        yield f"{drawn} {' '.join(ways[first : first + _MOST_OF_A_PATH])};\n"


def _rectangle(x: float, y: float, wide: float, high: float) -> str:
    return f"({x:g},{y:g}) rectangle ++({wide:g},{high:g})"


def _moved(move: re.Match[str]) -> str:
    """A move of SVG as one of TikZ."""
    name, numbers = move[1], move[2].split()
    if name == "z":
        return " -- cycle"
    x, y = {"h": (*numbers, "0"), "v": ("0", *numbers), "l": numbers}[name]
    return f" -- ++({x},{y})"


def _raster(part: Raster, grid: Grid) -> Iterator[str]:
    """The pixels, thinned to what TeX can hold; neighbours of one colour are one box."""
    if grid.cells:
        part = Raster(part.x, part.y, part.pixels[:: grid.side, :: grid.side], grid.side)
    every = 1 if grid.cells else max(1, -(-max(part.pixels.shape) // _MOST_ACROSS))
    more = [(0, -length % every) for length in part.pixels.shape]
    padded = np.pad(part.pixels, more, mode="edge")
    pixels = mean([padded[y::every, x::every] for y, x in product(range(every), repeat=2)])
    size = every * part.scale
    boxes: defaultdict[int, list[str]] = defaultdict(list)
    for row, words in enumerate(pixels.tolist()):
        column = 0
        for word, run in groupby(words):
            count = len(list(run))
            place = (part.x + column * size, part.y + row * size)
            boxes[word].append(_rectangle(*place, count * size, size))
            column += count
    for word, ways in boxes.items():
        yield from _painted(hexadecimal(word), ways)
