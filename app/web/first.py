"""What a page shows before its scripts run: the tensor of its link, worked out by the server.

The scripts take the answers over, so that their first question needs no call, and replace the
grids by canvases of the same places. A link that is wrong gives a page without them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from operator import truediv
from typing import Any, Final

from pydantic import ValidationError

from ..contract.pictures import picture_of
from ..contract.refusals import refusal_text
from ..contract.requests import tensor_of_texts
from ..contract.shapes import plain
from ..engine import LayoutError
from ..engine.description.description import Description
from ..engine.description.tensor import Tensor
from ..engine.description.text import memory_text, text_of
from ..engine.inverse.owners import UNDETERMINED
from ..picture.cells import Painting
from ..picture.colours import DARK, LIGHT, palette
from ..picture.composed import Picture
from ..picture.gaps import NO_GAPS, Gaps
from ..picture.grids import MOST_CELL_CSS, Planes, blocks_count, opens_on_block
from .arranged import (
    ArrangedGrid,
    Painted,
    ReadablePart,
    fair_share,
    logical,
    memory,
    narrow_columns,
    paint,
)
from .stories import stories, story_of

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
_DRAWN: Final = ("steps", "slice")
_SHOWN: Final = {*FIELDS, *_DRAWN, "at", "tab", "v"}
_MOST_CELLS: Final = 1 << 15
_MOST_TEXTS: Final = 2048  # more of them, or smaller ones, are pixels
_LEAST_CELL_CSS: Final = 8
_TIMES: Final = re.compile(r"(\d)\s*[xX×*]\s*(?=[-\d])")
_SEPARATORS: Final = re.compile(r"[,;\s]+")
_COORDINATES: Final = re.compile(r"\d{1,9}(?:,\d{1,9})*", re.ASCII)


# In CSS pixels, of 1440 by 900 and 390 by 844. A wide page divides one height between both grids.
_WIDE_HEIGHT_CSS, _WIDE_WIDTH_CSS, _BAR_CSS, _LINE_CSS, _MARGIN_CSS = 693, 1144, 52, 44, 8
# What is taken from it: what a slice takes, the strip below a larger memory.
_SLICE_CSS, _STRIP_CSS = 56, 42
_LEAST_STRIPPED: Final = 2048  # addresses, as in static/elements/shared/strip/strip-view.js
_BESIDE_SLICE: Final = 0.66  # of the width
_SIDE_CSS: Final = 32
_PHONE_CSS: Final = 390
_NARROW_LOGICAL: Final = (382, 844 * 0.26)
_NARROW_MEMORY: Final = (382, 844 * 0.28)


@dataclass(frozen=True, slots=True)
class FirstGrid:
    """One grid for one kind of window, as ArrangedGrid places it.

    ``cut``: it opens larger than the whole. ``reading``: so that its texts can be read. ``cells``
    with ``gaps`` between some of them, or for many cells ``pixels``: the URLs of a light and a
    dark picture of a pixel for each cell.
    """

    kind: str
    cut: bool
    columns: int
    rows: int
    inset_left_css: int
    inset_top_css: int
    cells: Sequence[Painted] = ()
    pixels: Sequence[str] = ()
    gaps: Gaps = NO_GAPS
    reading: ReadablePart | None = None

    @property
    def characters(self) -> int:
        """Of the longest text."""
        return max((len(cell.text) for cell in self.cells), default=1)


@dataclass(frozen=True, slots=True)
class First:
    """A page's link as far as the server shows it.

    ``values``: of the fields, by name. ``known``: what was asked and answered, as JSON. ``story``:
    the example of a link, or of a page without one. ``logical``, ``memory``: empty where they are
    too large to be drawn at once. ``viewed``: the view that the logical grid shows. ``sliced``:
    whether the slice's result stands beside it. ``stripped``: whether the memory has a strip.
    ``chosen``: whether a cell is. ``paints``: light and dark, by place in the palette.
    ``needs_css``: heights in a narrow window.
    """

    values: Mapping[str, str]
    known: str = "[]"
    error: str = ""
    story: Mapping[str, Any] | None = None
    described: Description | None = None
    viewed: Description | None = None
    sliced: bool = False
    stripped: bool = False
    logical: tuple[FirstGrid, ...] = ()
    memory: tuple[FirstGrid, ...] = ()
    share: float = 0.45
    chosen: bool = False
    paints: Mapping[int, tuple[Any, Any]] = field(default_factory=dict)
    needs_css: Mapping[str, int] = field(default_factory=dict)
    text: tuple[str, ...] = ()


def first_of(query: tuple[tuple[str, str], ...], *, example: bool) -> First:
    """What the page of a query shows first; ``example``: the first one, if it names no tensor."""
    if sum(map(len, chain(*query))) > _MOST_CHARACTERS:
        query = ()
    named = any(name in {"shape", "layout"} for name, _ in query)
    return _first_of(query, example=example and not named) if example or named else First({})


@lru_cache(maxsize=64)
def _first_of(query: tuple[tuple[str, str], ...], *, example: bool) -> First:
    given = dict(reversed(query))
    story = stories()[0] if example else None
    given |= story["a"] if story else {}
    values = {name: given.get(name, usual) for name, usual in _USUAL.items()}
    values |= {name: given.get(name, "") for name in _DRAWN}
    story = story or story_of(values, given)
    asked = {"shape": shape_text(values["shape"])}
    asked |= {name: values[name].strip() for name in FIELDS[2:] if values[name].strip()}
    asked["layout"] = values["layout"]
    first = _described(asked)
    if isinstance(first, str):
        return First(values, error=first, story=story)
    tensor, described = first
    known = [(asked, described)]
    text = tuple(text_of(tensor))
    beside = {**asked, "layout": given.get("b-layout", "")}
    if "b-layout" in given and not isinstance(other := _described(beside), str):
        known.append((beside, other[1]))
        text += ("", f"compared with {other[1].layout}", *memory_text(other[0]))
    drawing: dict[str, Any] = {"chosen": example or "at" in given}
    if {name for name, _ in query} <= _SHOWN and (picture := _picture(asked, given)):
        drawing |= _drawing(picture, _chosen(given.get("at", ""), picture))
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


def _picture(asked: Mapping[str, str], given: Mapping[str, str]) -> Picture | None:
    """What a link draws; None where its steps or its slice are wrong."""
    options = {name: given[name] for name in _DRAWN if name in given}
    try:
        return picture_of(tensor_of_texts(asked), options)
    except LayoutError:
        return None


def _chosen(at: str, picture: Picture) -> tuple[int, ...] | None:
    """The cell of a link, where there is one."""
    if not _COORDINATES.fullmatch(at):
        return None
    cell, shape = tuple(map(int, at.split(","))), (picture.shown or picture.tensor.layout).shape
    within = len(cell) == len(shape) and all(map(int.__lt__, cell, shape))
    return cell if within else None


def _drawing(picture: Picture, chosen: tuple[int, ...] | None) -> dict[str, Any]:
    """The grids of a tensor that shows at once, else nothing; nor where the page opens on a block.

    ``chosen``: the cell about which many cells open larger.
    """
    tensor, shown, taken = picture.tensor, picture.shown, picture.look.taken
    sizes = (tensor.buffer_elements, (shown or tensor.layout).elements)
    most = _MOST_CELLS if chosen is None else _MOST_TEXTS
    if not all(0 < size <= most for size in sizes) or opens_on_block(tensor.layout):
        return {}
    painting = Painting(tensor.layout, tensor.buffer_elements, picture.look, shown)
    columns = narrow_columns(_PHONE_CSS, tensor.buffer_elements)
    wide, narrow = memory(painting), memory(painting, columns)
    width = _WIDE_WIDTH_CSS * (1 if taken is None else _BESIDE_SLICE)
    height = _WIDE_HEIGHT_CSS - _SLICE_CSS * (taken is not None)
    blocked = blocks_count(painting.shown)
    stripped = tensor.buffer_elements >= _LEAST_STRIPPED

    def upper_css(high: float) -> float:
        down = high - _BAR_CSS
        return _cell(Planes(painting.shown, width / down, blocked=blocked), width, down)

    share = fair_share(
        height, upper_css, lambda high: _cell(wide, _WIDE_WIDTH_CSS, high - _BAR_CSS)
    )
    upper, lower = (part * height - _LINE_CSS - _MARGIN_CSS for part in (share, 1 - share))
    across = width - _SIDE_CSS
    logical_sizes = ((across, upper), _NARROW_LOGICAL)
    memory_sizes = ((_WIDE_WIDTH_CSS - _SIDE_CSS, lower - _STRIP_CSS * stripped), _NARROW_MEMORY)
    fits = blocks_count(painting.shown, narrow=True)
    uppers = [
        logical(painting, across / upper, blocked=blocked),
        logical(painting, truediv(*_NARROW_LOGICAL), blocked=fits, named=False),
    ]
    drawn = {
        "logical": _shown(uppers, logical_sizes, chosen),
        "memory": _shown([wide, narrow], memory_sizes, chosen),
    }
    found = [grid.found for grid in (*uppers, wide)]
    if not all(drawn.values()) or any((one.kinds == UNDETERMINED).any() for one in found):
        return {}
    texts = [cell for grids in drawn.values() for one in grids for cell in one.cells]
    entries = sorted({cell.entry for cell in texts if cell.kind in {"element", "shared"}})
    themes = [palette(painting.scale, theme) for theme in (LIGHT, DARK)]
    paints = {entry: tuple(paint(of, entry) for of in themes) for entry in entries}
    return {
        **drawn,
        "share": round(share, 2),
        "viewed": None if shown is None else tensor.describe_view(shown),
        "sliced": taken is not None,
        "stripped": stripped,
        "paints": paints,
        "needs_css": {
            "logical": uppers[1].needed_css(*_NARROW_LOGICAL, chosen),
            "memory": narrow.needed_css(*_NARROW_MEMORY, chosen),
        },
    }


def _cell(grid: ArrangedGrid | Planes, width_css: float, height_css: float) -> float:
    across = (width_css - grid.inset_left_css) / grid.columns
    return min(across, max(1, height_css - grid.inset_top_css) / grid.rows, MOST_CELL_CSS)


def _shown(
    grids: Sequence[ArrangedGrid],
    sizes: Sequence[tuple[float, float]],
    chosen: tuple[int, ...] | None,
) -> tuple[FirstGrid, ...]:
    """The grids of a wide and a narrow window, or one for both; none where one is a thin line."""
    for grid, size in zip(grids, sizes, strict=True):
        if grid.is_thin(*size) and grid.columns >= grid.rows:
            return ()
    wide = _first_grid(grids[0], sizes[0], None)
    narrow = _first_grid(grids[1], sizes[1], grids[1].reading(*sizes[1], chosen))
    if wide == narrow:
        return (wide,)
    return replace(wide, kind="wide"), replace(narrow, kind="narrow")


def _first_grid(
    grid: ArrangedGrid, size: tuple[float, float], reading: ReadablePart | None
) -> FirstGrid:
    cut = reading is None and grid.is_cut(*size)
    place = (grid.columns, grid.rows, grid.inset_left_css, grid.inset_top_css)
    small = not cut and not reading and grid.fitting_css(*size) < _LEAST_CELL_CSS
    if small or len(grid.found.kinds) > _MOST_TEXTS:
        return FirstGrid("both", cut, *place, pixels=tuple(map(grid.pixels, (LIGHT, DARK))))
    return FirstGrid("both", cut, *place, tuple(grid.cells()), gaps=grid.gaps, reading=reading)
