"""A picture as the bytes of a file, by the name of its format."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..engine.description.text import memory_text, text_of
from ..engine.notation.specs import Written
from .composed import Picture, columns_of, composed, said
from .png import png
from .svg import svg
from .tikz import tikz

FORMATS: Final = ("svg", "png", "tex", "txt")


def written(asked: Picture, form: str, scale: float = 1) -> bytes:
    """The file. ``form``: one of FORMATS; ``scale``: pixels of a PNG to one of the picture."""
    if form == "png":
        return png(svg(composed(asked)), scale)
    if form == "svg":
        return svg(composed(asked)).encode()
    if form == "tex":
        return tikz(composed(asked)).encode()
    seen = (
        asked.tensor if asked.shown is None else replace(asked.tensor, written=Written(asked.shown))
    )
    row = None if asked.row is None else columns_of(asked)
    shown = text_of(seen, shows=asked.view, row=row)
    lines = [asked.title or said(asked.tensor, asked.steps), "", *shown]
    if asked.other is not None and asked.view != "logical":
        lines += ["", said(asked.other), "", *memory_text(asked.other, row)]
    return "\n".join([*lines, *filter(None, [asked.caption]), ""]).encode(errors="replace")
