"""What every SVG of the program has: its head, its fonts, its escaped texts and their widths."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape

SANS: Final = 'system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif'
MONO: Final = 'ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Menlo,Consolas,monospace'
_WIDE, _NARROW = 0.62, 0.58  # of a font's size: a character at most, where bold or mono, else
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
