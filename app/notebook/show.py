"""``stridescope.show``: how a tensor of the session lies in memory, in the notebook's output."""

import base64
import html
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from ..contract.pictures import drawn_of, file_of, picture_of
from ..contract.shapes import plain
from ..engine.model.errors import LayoutError, one_of
from ..picture.composed import FORMATS, Picture, composed
from ..web.assets import bundled_script
from .memory import held, together

_SERVICE: Final = "http://127.0.0.1:8000"
_MOST_EXACT: Final = 1 << 53  # that scripts can count
_STYLE: Final = "body{margin:0}memory-grid:defined{min-height:100vh}"
_NO_BUNDLE: Final = "Not interactive: this checkout has no bundle; `make bundles` makes one."


@dataclass(frozen=True, slots=True)
class Shown:
    """What ``show`` returns: a picture that notebooks display, and its files."""

    picture: Picture
    _attributes: dict[str, str]

    def svg(self) -> str:
        """The picture as SVG."""
        return file_of(self.picture, "svg").decode()

    def png(self, scale: float = 2) -> bytes:
        """The picture as PNG, ``scale`` pixels to one of the SVG."""
        return file_of(self.picture, "png", scale)

    def tikz(self) -> str:
        """The picture as LaTeX that compiles alone."""
        return file_of(self.picture, "tex").decode()

    def save(self, path: str | Path) -> None:
        """Write the picture as .svg, .png, .tex or .txt. Errors: LayoutError naming ``path``."""
        form = Path(path).suffix.removeprefix(".").lower()
        if form not in FORMATS:
            raise LayoutError("path", str(path), one_of(f".{each}" for each in FORMATS))
        Path(path).write_bytes(file_of(self.picture, form, 2))

    @property
    def url(self) -> str:
        """The link to the same tensor in the explorer, at STRIDESCOPE_URL or on this machine."""
        tensor = self.picture.tensor
        fields = {
            "shape": ",".join(map(str, tensor.layout.shape)),
            "layout": str(tensor.layout).replace(" ", ""),
            "dtype": tensor.dtype.name,
            **{name: text for name, text in self._attributes.items() if name != "theme"},
        }
        query = "&".join(f"{name}={quote(text, safe=',:()@')}" for name, text in fields.items())
        return f"{os.environ.get('STRIDESCOPE_URL', _SERVICE).rstrip('/')}/?v=1&{query}"

    def __str__(self) -> str:
        return file_of(self.picture, "txt").decode()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook displays: text; a picture, below the grids where scripts may run."""
        return {"text/plain": str(self), "text/html": self._html()}

    def _html(self) -> str:
        scene = composed(self.picture)
        data = base64.b64encode(self.svg().encode()).decode()
        image = (
            f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(scene.about)}" '
            f'width="{scene.width}" height="{scene.height}" style="max-width:100%;height:auto">'
        )
        document = self._document()
        if document is None:
            return f"<div>{image}</div>"
        if not document:
            return f"<div>{image}<p><small>{_NO_BUNDLE}</small></p></div>"
        # A notebook that trusts nobody keeps the picture and drops the frame that lies above it.
        return (
            f'<div style="position:relative;width:{scene.width}px;max-width:100%">{image}'
            '<iframe style="position:absolute;inset:0;width:100%;height:100%;border:0" '
            f'sandbox="allow-scripts" title="{html.escape(scene.title)}" '
            f'srcdoc="{html.escape(document)}"></iframe></div>'
        )

    def _document(self) -> str | None:
        """The grids with their script; empty without a bundle, None for what is a picture only."""
        if self.picture.beside:
            return None
        tensor = self.picture.tensor
        if max(tensor.buffer_elements, tensor.layout.elements) >= _MOST_EXACT:
            return None
        script = bundled_script("memory-grid")
        if script is None:
            return ""
        told = json.dumps(drawn_of(self.picture), default=plain).replace("<", "\\u003c")
        names = "".join(f' {name}="{html.escape(text)}"' for name, text in self._attributes.items())
        return (
            f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>"
            f'<memory-grid{names}><script type="application/json">{told}</script></memory-grid>'
            f"<script>{script}</script>"
        )


def show(
    x: Any,
    *more: Any,
    view: str = "both",
    colour: str = "auto",
    text: str = "auto",
    slice: str = "",  # noqa: A002  # the name of the contract
    theme: str = "light",
) -> Shown:
    """Show how a tensor lies in memory: a picture in a notebook, live where scripts may run.

    ``x``: a tensor of NumPy, PyTorch, CuPy, JAX, or anything that tells its strides; it is neither
    copied nor moved, and its values are not read. ``more``: further tensors of the same memory; the
    picture then says who owns which address. ``view``: ``both``, ``logical`` or ``memory``.
    ``colour``, ``text``, ``slice``, ``theme``: as for ``GET /api/v1/picture.svg``.
    Errors: LayoutError naming the argument.

    >>> import numpy as np
    >>> from stridescope import show
    >>> x = np.zeros((4, 6), np.float32)
    >>> show(x[::2, 1:4]).url
    'http://127.0.0.1:8000/?v=1&shape=2,3&layout=(12,1)%2B1&dtype=float32'
    """
    first = held(x)
    options = {"view": view, "colour": colour, "text": text, "slice": slice, "theme": theme}
    picture = picture_of(first.json(), options)
    others = tuple(each.json().parse() for each in together(first, more))
    given = {name: said for name, said in options.items() if said not in {"", "auto", "both"}}
    return Shown(replace(picture, beside=others), given)
