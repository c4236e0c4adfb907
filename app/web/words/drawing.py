"""A small drawing of cells, from a few letters.

Rows are separated by ``/``, cells by blanks. The first character of a cell says what it is: ``0``
to ``6`` a place of the palette, ``-`` plain, ``#`` padding, ``.`` a gap, ``_`` nothing, ``:`` a
number beside the cells, ``|`` a narrow space. The rest is its text; ``!`` at the end marks it as
chosen.
Jumps are arcs over the first row, as ``0>3 +3``.
"""

from collections import defaultdict
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from ...picture.colours import LIGHT, SHADES, hexadecimal, palette

_SIDE, _GAP, _SPACE, _ARC = 24, 2, 8, 26
_INK: Final = 'class="ink"'


@lru_cache(maxsize=256)
def drawing(cells: str, jumps: str = "") -> Markup:
    """Return a drawing as SVG, in CSS pixels; its colours fit both themes."""
    top = _ARC if jumps else 1
    columns: list[float] = []
    paths: defaultdict[str, list[str]] = defaultdict(list)  # what is drawn alike, by attributes
    texts: defaultdict[str, list[str]] = defaultdict(list)
    right = 0.0
    for row, line in enumerate(cells.split("/")):
        left, y = 1.0, top + row * (_SIDE + _GAP)
        middles = []
        for cell in line.split():
            if cell == "|":
                left += _SPACE
                continue
            ink = _draw(cell, left, y, paths)
            if text := cell[1:].removesuffix("!"):
                texts[ink].append(_text(text, left + _SIDE / 2, y + _SIDE / 2 + 4))
            middles.append(left + _SIDE / 2)
            left += _SIDE + _GAP
        columns = columns or middles
        right = max(right, left - _GAP)
    for jump in filter(None, jumps.split(", ")):
        ends, _, label = jump.partition(" ")
        start, end = (columns[int(part)] for part in ends.split(">"))
        paths['class="jump"'].append(_arc(start, end, top - 3))
        texts[_INK].append(_text(label, (start + end) / 2, top - 15))
    drawn = [f'<path {like} d="{"".join(each)}"/>' for like, each in paths.items()]
    written = [f"<g {ink}>{''.join(each)}</g>" for ink, each in texts.items()]
    width, height = right + 1, top + (cells.count("/") + 1) * (_SIDE + _GAP)
    return Markup(  # noqa: S704  # texts are escaped above, everything else are numbers
        f'<svg class="drawing" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" aria-hidden="true">{"".join((*drawn, *written))}</svg>'
    )


def _draw(cell: str, x: float, y: float, paths: defaultdict[str, list[str]]) -> str:
    """Draw the box of a cell; return the attributes of its text."""
    kind, ink = cell[0], _INK
    if kind.isdigit():
        of, entry = palette("categories", LIGHT), int(kind) * SHADES + SHADES // 2
        fill, ink = (f'fill="{hexadecimal(part.item(entry))}"' for part in (of.fills, of.inks))
        paths[fill].append(_box(x, y, _SIDE))
    elif kind in "-.#":
        paths['class="plain"'].append(_box(x + 0.5, y + 0.5, _SIDE - 1))
    if kind == ".":  # a dot, as in the grids
        paths['class="plain"'] += [
            _box(x + (_SIDE - size) / 2, y + (_SIDE - size) / 2, size) for size in (1, 2)
        ]
    if kind == "#":
        paths['class="hatch"'] += [
            f"M{x + low:g} {y + high:g}L{x + high:g} {y + low:g}"
            for low, high in ((0, 8), (0, 16), (0, 24), (8, 24), (16, 24))
        ]
    if cell.endswith("!"):
        paths['class="chosen"'].append(_box(x + 1, y + 1, _SIDE - 2))
    return ink


def _box(x: float, y: float, side: float) -> str:
    return f"M{x:g} {y:g}h{side:g}v{side:g}h{-side:g}z"


def _text(text: str, x: float, y: float) -> str:
    return f'<text x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _arc(start: float, end: float, y: float) -> str:
    back = -5 if end > start else 5
    head = f"m{back} -5L{end:g} {y:g}l{back / 4:g} -7"
    return f"M{start:g} {y:g}Q{(start + end) / 2:g} {y - 20:g} {end:g} {y:g}{head}"
