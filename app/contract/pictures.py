"""What a picture may be asked to show, by the names of the explorer's link, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast, get_args

from ..engine.description.tensor import Tensor
from ..engine.model.address import offsets_of
from ..engine.model.errors import LayoutError, Phrase, one_of, per_dimension
from ..engine.model.nearest import nearest
from ..engine.notation.index import index_expression
from ..picture.cells import UNITS, CellText, Look
from ..picture.colours import THEMES
from ..picture.composed import VIEWS, Picture, View, composed
from ..picture.files import written
from .requests import TensorJson

TEXTS: Final = get_args(CellText)
MOST_WORDS: Final = 400
_MOST_ROW: Final = 1 << 53
LEAST_SCALE, MOST_SCALE = 0.25, 4.0
_MOST_PIXELS: Final = 1 << 24
# Each option, an example of its text, and what it says.
OPTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "view": ("both", "Which grids: both, logical or memory."),
    "colour": ("auto", "auto, linear, a dimension, @line, @page, @sector or @bank."),
    "text": ("auto", "In the cells: auto, linear, letter, address or coords."),
    "theme": ("light", "light, dark or print."),
    "row": ("auto", "Addresses in a row of memory: a number, line for 64 bytes, or auto."),
    "slice": ("..., ::2", "NumPy's index; elements outside it are pale."),
    "at": ("0,1,2,3", "The coordinate that is framed."),
    "b-layout": ("NHWC", "A second layout of the tensor, whose memory is drawn below."),
    "title": ("One block of channels", "Words above, instead of layout and sizes."),
    "caption": ("Figure 1", "Words below."),
}


def picture_of(asked: TensorJson, options: Mapping[str, str]) -> Picture:
    """The picture of a tensor. ``options``: texts by their names in OPTIONS.

    Errors: LayoutError naming the option; ValidationError as for the tensor.
    """
    tensor = asked.parse()
    layout, dims = tensor.layout, tuple(tensor.layout.dims)
    given = {name: text for name, text in options.items() if text != ""}
    colours = ("auto", "linear", *dims, *UNITS)
    colour = _one("colour", given.get("colour", "auto"), (*colours, "channel"))
    taken = None
    if "slice" in given:
        try:
            taken = index_expression(
                layout, given["slice"].strip().removeprefix("[").removesuffix("]")
            )
        except LayoutError as error:
            raise error.under("slice") from None
    look = Look(
        "auto" if colour == "channel" else colour,
        cast("CellText", _one("text", given.get("text", "auto"), TEXTS)),
        taken,
        item_bits=tensor.dtype.bits,
    )
    return Picture(
        tensor,
        cast("View", _one("view", given.get("view", "both"), VIEWS)),
        look,
        _one("theme", given.get("theme", "light"), tuple(THEMES)),
        _row(given.get("row", "auto")),
        _chosen(tensor, given.get("at")),
        _other(asked, given.get("b-layout")),
        _words("title", given.get("title", "")),
        _words("caption", given.get("caption", "")),
    )


def file_of(asked: Picture, form: str, scale: float = 1) -> bytes:
    """The file of a picture. Errors: LayoutError naming ``scale``."""
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        expected = Phrase("scale", "from {least} to {most}", least=LEAST_SCALE, most=MOST_SCALE)
        raise LayoutError("scale", scale, expected)
    if form == "png":
        scene = composed(asked)
        # A picture that would have too many pixels has as many as it may.
        scale = min(scale, (_MOST_PIXELS / (scene.width * scene.height)) ** 0.5)
    return written(asked, form, scale)


def _one(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise LayoutError(name, text, one_of(allowed), suggestion=nearest(text, allowed))
    return text


def _row(text: str) -> Any:
    if text == "auto":
        return None
    if text == "line":
        return text
    number = int(text) if text.isdecimal() and text.isascii() and len(text) < 20 else 0
    if not 1 <= number <= _MOST_ROW:
        expected = Phrase("picture.row", "auto, line, or a number of addresses from 1")
        raise LayoutError("row", text, expected)
    return number


def _chosen(tensor: Tensor, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if any(not (part.isdecimal() and part.isascii() and len(part) < 19) for part in parts):
        raise LayoutError("at", text, Phrase("at", "a coordinate such as 0,1,2,3"))
    at = tuple(map(int, parts))
    if len(at) != tensor.layout.rank:
        raise LayoutError("at", list(at), per_dimension(tensor.layout.rank))
    try:
        offsets_of(tensor.layout, [at])
    except LayoutError as error:
        raise LayoutError("at", list(at), error.expectation) from None
    return at


def _other(asked: TensorJson, text: str | None) -> Tensor | None:
    if text is None:
        return None
    try:
        other = asked.model_copy(update={"layout": text, "elements": None}).parse()
    except LayoutError as error:
        raise error.under("b-layout") from None
    return replace(other, source=text)


def _words(name: str, text: str) -> str:
    if len(text) > MOST_WORDS:
        expected = Phrase("words.most", "at most {most} characters", most=MOST_WORDS)
        raise LayoutError(name, text, expected)
    return text
