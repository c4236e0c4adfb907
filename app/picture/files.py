"""A picture as the bytes of a file, by the name of its format."""

from dataclasses import replace
from typing import Final

from ..engine.description.text import memory_text, text_of
from ..engine.notation.specs import Written
from .composed import Picture, columns_of, composed, said, titles
from .png import png
from .svg import svg
from .tikz import tikz

FORMATS: Final = ("svg", "png", "tex", "txt")
_MOST_PIXELS: Final = 1 << 24


def written(asked: Picture, form: str, scale: float = 1) -> bytes:
    """The file. ``form``: one of FORMATS; ``scale``: pixels of a PNG to one of the picture."""
    if form != "txt":
        scene = composed(asked)
        if form == "tex":
            return tikz(scene).encode()
        drawn = svg(scene)
        # A picture that would have too many pixels has as many as it may.
        most = (_MOST_PIXELS / (scene.width * scene.height)) ** 0.5
        return png(drawn, min(scale, most)) if form == "png" else drawn.encode()
    seen = (
        asked.tensor if asked.shown is None else replace(asked.tensor, written=Written(asked.shown))
    )
    row = columns_of(asked) if asked.beside or asked.row is not None else None
    words, *more = titles(asked)
    lines = [asked.title or words, "", *text_of(seen, shows=asked.view, row=row)]
    for words, one in zip(more, asked.beside, strict=True):
        lines += ["", words, "", *text_of(one, shows=asked.view, row=row)]
    if asked.other is not None and asked.view != "logical":
        lines += ["", said(asked.other), "", *memory_text(asked.other, row)]
    return "\n".join([*lines, *filter(None, [asked.caption]), ""]).encode(errors="replace")
