"""What a page shows before its scripts run: the tensor of its link, worked out by the server.

The scripts take the answers over, so that their first question needs no call, and replace the
grids by canvases of the same places. A link that is wrong gives a page without them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError

from ..contract.plain import plain
from ..contract.refusals import refusal_text
from ..contract.texts import tensor_of_texts
from ..engine import LayoutError
from ..engine.description.description import Description
from ..engine.description.tensor import Tensor
from ..engine.description.text import memory_text, text_of
from ..picture.cells import Painting
from ..picture.colours import DARK, LIGHT, palette
from ..picture.grids import MOST_CELL_CSS, Planes
from .arranged import ArrangedGrid, fair_share, logical, memory, paint
from .places import STATIC

# As in static/state/permalink.js.
_USUAL: Final = {
    "shape": "1,8,3,4",
    "layout": "NCHW4",
    "dtype": "float32",
    "dims": "",
    "elements": "",
}
FIELDS: Final = tuple(_USUAL)
_MOST_CHARACTERS: Final = 4096
_MOST_CELLS: Final = 1024
_LEAST_CELL_CSS: Final = 8
_TIMES: Final = re.compile(r"(\d)\s*[xX×*]\s*(?=[-\d])")
_SEPARATORS: Final = re.compile(r"[,;\s]+")


@dataclass(frozen=True, slots=True)
class Canvases:
    """The canvases of a page, in CSS pixels, at the size for which its grids are arranged."""

    width_css: float
    logical_css: float
    memory_css: float
    most_columns: float = float("inf")


# 1440 by 900 and 390 by 844. A wide page divides one height between both grids.
_WIDE_HEIGHT_CSS, _WIDE_WIDTH_CSS, _BAR_CSS, _LINE_CSS, _MARGIN_CSS = 697, 1144, 56, 48, 8
_SIDE_CSS: Final = 32
_NARROW: Final = Canvases(382, 844 * 0.28, 844 * 0.3, 16)


@dataclass(frozen=True, slots=True)
class FirstGrid:
    """One grid for one kind of window; ``cut``: it opens larger than the whole."""

    kind: str
    grid: ArrangedGrid
    cut: bool


@dataclass(frozen=True, slots=True)
class First:
    """A page's link as far as the server shows it.

    ``values``: of the fields, by name. ``known``: what was asked and answered, as JSON. ``story``:
    the example of a page without a link. ``logical``, ``memory``: empty where they are too large
    to be drawn at once. ``paints``: light and dark, by place in the palette.
    """

    values: Mapping[str, str]
    known: str = "[]"
    error: str = ""
    story: Mapping[str, Any] | None = None
    described: Description | None = None
    logical: tuple[FirstGrid, ...] = ()
    memory: tuple[FirstGrid, ...] = ()
    share: float = 0.45
    paints: Mapping[int, tuple[Any, Any]] = field(default_factory=dict)
    text: tuple[str, ...] = ()


def first_of(query: tuple[tuple[str, str], ...], *, example: bool) -> First:
    """What the page of a query shows first; ``example``: the first one, if it names no tensor."""
    if sum(map(len, (text for pair in query for text in pair))) > _MOST_CHARACTERS:
        query = ()
    named = any(name in {"shape", "layout"} for name, _ in query)
    return _first_of(query, example=example and not named) if example or named else First({})


@lru_cache(maxsize=64)
def _first_of(query: tuple[tuple[str, str], ...], *, example: bool) -> First:
    given = dict(reversed(query))
    story = None
    if example:
        story = _first_example()
        given |= story["a"]
    values = {name: given.get(name, usual) for name, usual in _USUAL.items()}
    asked = {"shape": shape_text(values["shape"])}
    asked |= {name: values[name].strip() for name in FIELDS[2:] if values[name].strip()}
    first = _described({**asked, "layout": values["layout"]})
    if isinstance(first, str):
        return First(values, error=first, story=story)
    tensor, described = first
    known = [({**asked, "layout": values["layout"]}, described)]
    text = tuple(text_of(tensor))
    beside = {**asked, "layout": given.get("b-layout", "")}
    if "b-layout" in given and not isinstance(other := _described(beside), str):
        known.append((beside, other[1]))
        text += ("", f"compared with {other[1].layout}", *memory_text(other[0]))
    shown = {name for name, _ in query} <= {*FIELDS, "at", "tab", "v"} and "steps" not in given
    drawing = _drawing(tensor, story) if shown else {}
    return First(values, _json(known), story=story, described=described, text=text, **drawing)


def shape_text(text: str) -> str:
    """Sizes of a link, ``1 x 6 x 4``, as the API takes them: as static/api/fields.js reads them."""
    sizes = _SEPARATORS.split(_TIMES.sub(r"\1,", text.strip("()[]{} ")))
    return ",".join(filter(None, sizes))


def _json(known: list[tuple[dict[str, str], Description]]) -> str:
    listed = [{"asked": asked, "answer": answer} for asked, answer in known]
    text = json.dumps(listed, default=plain, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")  # it stands in a script element


def _described(asked: Mapping[str, str]) -> tuple[Tensor, Description] | str:
    """The tensor and its description, or what is wrong."""
    try:
        tensor = tensor_of_texts(asked).parse()
        return tensor, tensor.describe()
    except (LayoutError, ValidationError) as error:
        return refusal_text(error)


@lru_cache(maxsize=1)
def _first_example() -> dict[str, Any]:
    """The first worked example, whose file is JSON behind a name."""
    text = (STATIC / "state" / "examples" / "start.js").read_text(encoding="utf-8")
    _, _, data = text.partition("START = ")
    group = json.loads(data.rstrip().removesuffix(";"))
    first, second, *_ = group["presets"]
    place = f"{group['learn']}, 1 of {len(group['presets'])}"
    example: dict[str, Any] = {**first, "place": place, "next": second["title"]}
    return example


def _drawing(tensor: Tensor, story: Mapping[str, Any] | None) -> dict[str, Any]:
    """The grids of a tensor that shows at once, else nothing."""
    layout, buffer = tensor.layout, tensor.buffer_elements
    if not 0 < layout.elements <= _MOST_CELLS or not 0 < buffer <= _MOST_CELLS:
        return {}
    painting = Painting(layout, buffer)
    wide, narrow = memory(painting), memory(painting, _NARROW.most_columns)
    share = fair_share(
        _WIDE_HEIGHT_CSS,
        lambda high: _upper(painting, high),
        lambda high: _cell(wide, high - _BAR_CSS),
    )
    width = _WIDE_WIDTH_CSS - _SIDE_CSS
    window = Canvases(width, *(_canvas(part) for part in (share, 1 - share)))
    uppers = [
        logical(painting, each.width_css / each.logical_css, blocked=each is window)
        for each in (window, _NARROW)
    ]
    drawn = {
        "logical": tuple(_shown(uppers, [window.logical_css, _NARROW.logical_css], window)),
        "memory": tuple(_shown([wide, narrow], [window.memory_css, _NARROW.memory_css], window)),
    }
    every = [cell for shown in drawn.values() for one in shown for cell in one.grid.cells]
    if not all(drawn.values()) or any(cell.kind == "undetermined" for cell in every):
        return {}
    entries = sorted({cell.entry for cell in every if cell.kind in {"element", "shared"}})
    themes = [palette(painting.scale, theme) for theme in (LIGHT, DARK)]
    paints = {entry: tuple(paint(of, entry) for of in themes) for entry in entries}
    return {**drawn, "share": round(share, 2), "paints": paints}


def _canvas(share: float) -> float:
    return share * _WIDE_HEIGHT_CSS - _LINE_CSS - _MARGIN_CSS


def _upper(painting: Painting, height_css: float) -> float:
    down = max(1, height_css - _BAR_CSS)
    return _cell(Planes(painting.layout, _WIDE_WIDTH_CSS / down), down)


def _cell(grid: ArrangedGrid | Planes, height_css: float) -> float:
    across = (_WIDE_WIDTH_CSS - grid.inset_left_css) / grid.columns
    return min(across, max(1, height_css - grid.inset_top_css) / grid.rows, MOST_CELL_CSS)


def _shown(
    grids: Sequence[ArrangedGrid], heights_css: Sequence[float], window: Canvases
) -> Iterator[FirstGrid]:
    """The grids of a wide and a narrow window, or one for both; none where a cell is too small."""
    made = []
    sizes = zip((window.width_css, _NARROW.width_css), heights_css, strict=True)
    for kind, grid, size in zip(("wide", "narrow"), grids, sizes, strict=True):
        small = grid.fitting_css(*size) < _LEAST_CELL_CSS or grid.is_thin(*size)
        if small or len(grid.cells) > 2 * _MOST_CELLS:
            return
        made.append(FirstGrid(kind, grid, grid.is_cut(*size)))
    wide, narrow = made
    if (wide.grid, wide.cut) == (narrow.grid, narrow.cut):
        yield FirstGrid("both", wide.grid, wide.cut)
    else:
        yield from made
