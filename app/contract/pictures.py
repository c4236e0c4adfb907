"""What a picture may be asked to show, by the names of the explorer's link, and its answer."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, cast, get_args

from ..engine.description.tensor import Tensor
from ..engine.model.address import offsets_of
from ..engine.model.errors import (
    Described,
    LayoutError,
    Phrase,
    integer_range,
    one_of,
    per_dimension,
    phrase,
)
from ..engine.model.layout import Layout
from ..engine.notation.paste.calls import read_views
from ..engine.notation.slices import Slice, index_expression, window
from ..nearest import nearest
from ..picture.cells import UNITS, CellText, Look
from ..picture.colours import THEMES, Values, short_number
from ..picture.composed import VIEWS, Grids, Picture, written
from .requests import TensorJson
from .steps import parse_steps, viewed

TEXTS: Final = get_args(CellText)
MOST_WORDS: Final = 400
MOST_VALUES: Final = 4096
_MOST_ROW: Final = 1 << 53
_MOST_BYTES: Final = 1 << 21  # as static/state/cost/link.js bounds them
LEAST_SCALE, MOST_SCALE = 0.25, 4.0
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_VALUE: Final = re.compile(
    r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})(e[+-]?[0-9]{1,4})?|nan|[+-]?inf(inity)?",
    re.ASCII | re.IGNORECASE,
)
_SEPARATORS: Final = re.compile(r"[\s,]+")
_ENDS: Final = re.compile(r"^[\s([{]+|[\s)\]}]+$")
# Each option, an example of its text, and what it says.
OPTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "view": ("both", "Which grids: both, logical or memory."),
    "colour": ("auto", "auto, linear, value, a dimension, @line, @page, @sector or @bank."),
    "line": ("64", "Bytes of the cache lines that @line counts."),
    "page": ("4096", "Bytes of the pages that @page counts."),
    "text": ("auto", "In the cells: auto, linear, letter, value, address or coords."),
    "values": ("1,2.5,-3", "A number for each element, in row-major order, to be shown."),
    "theme": ("light", "light, dark or print."),
    "row": ("auto", "Addresses in a row of memory: a number, line for 64 bytes, or auto."),
    "steps": ("permute(0, 2, 3, 1)", "View operations as in PyTorch; the view is what is shown."),
    "slice": ("..., ::2", "NumPy's index, or a window: offsets; sizes; strides. Others are pale."),
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
    given = {name: text for name, text in options.items() if text != ""}
    steps = given.get("steps", "").strip()
    other = _other(asked, given.get("b-layout"))
    view = _view(tensor, steps, "steps") if steps else None
    shown = view or tensor.layout
    colours = ("auto", "linear", "value", *tensor.layout.dims, *UNITS)
    colour = _one("colour", given.get("colour", "auto"), (*colours, "channel"))
    values = _values(tensor.layout, given.get("values"))
    look = Look(
        # Values leave only the name channel to the colours by channel.
        "auto" if colour == "channel" and values is None else colour,
        cast("CellText", _one("text", given.get("text", "auto"), TEXTS)),
        _taken(shown, given.get("slice", "").strip()),
        item_bits=tensor.dtype.bits,
        line_bytes=_number("line", given.get("line", "64"), _MOST_BYTES),
        page_bytes=_number("page", given.get("page", "4096"), _MOST_BYTES),
        values=values,
    )
    return Picture(
        tensor,
        cast("Grids", _one("view", given.get("view", "both"), VIEWS)),
        look,
        _one("theme", given.get("theme", "light"), tuple(THEMES)),
        _row(given.get("row", "auto")),
        _chosen(shown, given.get("at")),
        other,
        _words("title", given.get("title", "")),
        _words("caption", given.get("caption", "")),
        shown=view,
        other_shown=_view(other, steps, "b-layout") if other and steps else None,
        steps=steps,
    )


def drawn_of(asked: Picture) -> dict[str, Any]:
    """What the page's scripts draw of a picture: ``memory`` and its view ``tensor``, null where it
    is the whole of it; ``other``, the same of the second layout; ``slice``, a pick per dimension;
    ``values``, as texts where JSON has no number.
    """

    def each(tensor: Tensor, shown: Layout | None) -> dict[str, Any]:
        return {"memory": tensor.describe(), "tensor": shown and tensor.describe_view(shown)}

    taken = asked.look.taken
    picks = taken and [
        {"start": pick.start, "step": pick.step, "count": pick.count}
        for pick in taken.picks
        if pick.dim is not None
    ]
    values = asked.look.values and [
        value if math.isfinite(value) else short_number(value) for value in asked.look.values
    ]
    return {
        **each(asked.tensor, asked.shown),
        "other": asked.other and each(asked.other, asked.other_shown),
        "slice": picks,
        "values": values,
    }


def file_of(asked: Picture, form: str, scale: float = 1) -> bytes:
    """The file of a picture. Errors: LayoutError naming ``scale``."""
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        raise LayoutError("scale", scale, phrase("scale", least=LEAST_SCALE, most=MOST_SCALE))
    return written(asked, form, scale)


def _values(layout: Layout, text: str | None) -> Values | None:
    """The numbers, one for each element. Errors: LayoutError naming them."""
    if text is None:
        return None
    listed = [part.strip() for part in text.split(",")]
    if len(listed) != layout.elements or len(listed) > MOST_VALUES:
        expected = phrase("values.of_elements", elements=layout.elements, most=MOST_VALUES)
        raise LayoutError("values", Described(f"{len(listed)} numbers"), expected)
    for at, part in enumerate(listed):
        if not _VALUE.fullmatch(part):
            raise LayoutError(f"values[{at}]", part, phrase("values.number"))
    return tuple(int(part) if _INTEGER.fullmatch(part) else float(part) for part in listed)


def _one(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise LayoutError(name, text, one_of(allowed), suggestion=nearest(text, allowed))
    return text


def _row(text: str) -> int | Literal["line"] | None:
    if text == "auto":
        return None
    return "line" if text == "line" else _number("row", text, _MOST_ROW, phrase("picture.row"))


def _number(name: str, text: str, most: int, expected: Phrase | None = None) -> int:
    """A number from 1 to ``most``."""
    number = int(text) if text.isdecimal() and text.isascii() and len(text) < 20 else 0
    if not 1 <= number <= most:
        raise LayoutError(name, text, expected or integer_range(1, most))
    return number


def _view(tensor: Tensor, text: str, field: str) -> Layout:
    """The view that steps make. Errors: LayoutError naming ``field``."""
    try:
        steps = read_views(text)
        if not steps:
            raise LayoutError("", text, phrase("steps.text"))
        return viewed(tensor.layout, parse_steps(steps))
    except LayoutError as error:
        raise error.under(field) from None


def _taken(layout: Layout, text: str) -> Slice | None:
    """What a slice takes. Errors: LayoutError naming it."""
    if not text:
        return None
    try:
        if ";" not in text:
            return index_expression(layout, text.removeprefix("[").removesuffix("]"))
        # As static/core/slice/cuts.js reads a window.
        lists = [_SEPARATORS.split(_ENDS.sub("", part)) for part in text.split(";")]
        numbers = [number for each in lists for number in each]
        if len(lists) not in {3, 4} or not all(map(_INTEGER.fullmatch, numbers)):
            raise LayoutError("", text, phrase("window.text"))
        return window(layout, *(list(map(int, each)) for each in lists))
    except LayoutError as error:
        raise error.under("slice") from None


def _chosen(layout: Layout, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if any(not (part.isdecimal() and part.isascii() and len(part) < 19) for part in parts):
        raise LayoutError("at", text, phrase("at"))
    at = tuple(map(int, parts))
    if len(at) != layout.rank:
        raise LayoutError("at", list(at), per_dimension(layout.rank))
    try:
        offsets_of(layout, [at])
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
        raise LayoutError(name, text, phrase("words.most", most=MOST_WORDS))
    return text
