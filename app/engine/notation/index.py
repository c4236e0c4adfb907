"""NumPy's index expressions, such as ``0, ::-1, 1:3, ..., None``, as slices of a layout."""

import re

from ..model.errors import Described, LayoutError, unreadable
from ..model.layout import INT64_MAX, MAX_RANK, Layout
from ..model.views.reshape import NeedsCopy
from .phrases import phrase
from .slices import Pick, Slice

_MAX_INDEX_TEXT = 1024
_ITEM = re.compile(
    r"\s*(?:(?P<none>None|np\.newaxis|newaxis)|(?P<dots>\.\.\.|Ellipsis)"
    r"|(?P<start>[+-]?\d+)?\s*(?P<colon>:)\s*(?P<stop>[+-]?\d+)?\s*(?::\s*(?P<step>[+-]?\d+)?)?"
    r"|(?P<int>[+-]?\d+))\s*",
    re.ASCII,
)


def index_expression(layout: Layout, text: str) -> Slice:
    """A NumPy basic index, such as ``0, ::-1, 1:3, ..., None``, with NumPy's meaning.

    Errors: LayoutError naming ``index`` with the position. Source: NumPy, basic indexing.

    >>> from stridescope import index_expression, parse_layout
    >>> taken = index_expression(parse_layout("HW", (3, 4)), "1:, ::-2")
    >>> taken.offsets().tolist(), taken.view().strides
    ([[7, 5], [11, 9]], (4, -2))
    """
    if not isinstance(text, str):
        raise LayoutError("index", text, phrase("index.text"))
    items = index_items(text)
    taken = sum(m["none"] is None and m["dots"] is None for m in items)
    dots = [i for i, m in enumerate(items) if m["dots"]]
    if len(dots) > 1:
        expected = phrase("index.ellipsis")
        raise unreadable(text, items[dots[1]].start("dots"), expected, field="index")
    if taken > layout.rank:
        expected = phrase("index.count", rank=layout.rank)
        raise LayoutError("index", Described(f"{taken} indices"), expected)
    at = dots[0] if dots else len(items)
    picks: list[Pick] = []
    d = 0
    for i, m in enumerate(items):
        if i == at:
            for _ in range(layout.rank - taken):
                picks.append(Pick(d, 0, 1, layout.shape[d]))
                d += 1
        elif m["none"]:
            picks.append(Pick(None))
        else:
            picks.append(_pick(text, m, d, layout))
            d += 1
    picks += [Pick(k, 0, 1, layout.shape[k]) for k in range(d, layout.rank)]
    if len(picks) > MAX_RANK:
        raise LayoutError("index", text, phrase("result.dimensions", most=MAX_RANK))
    return Slice(layout, tuple(picks))


def index(layout: Layout, index: str, *, keep_start: bool = False) -> Layout | NeedsCopy:
    """NumPy's basic index, such as ``..., 1`` or ``:, ::2``, as a view; see Slice.view."""
    view = index_expression(layout, index).view(keep_start=keep_start)
    return view or NeedsCopy("The index takes parts of blocks that no layout describes.")


def index_items(text: str) -> list[re.Match[str]]:
    """The items of an index. Errors: LayoutError naming ``index`` with the position."""
    if len(text) > _MAX_INDEX_TEXT:
        raise LayoutError("index", text, phrase("characters.most", most=_MAX_INDEX_TEXT))
    at = 0
    items: list[re.Match[str]] = []
    while at < len(text) and text[at:].strip():
        found = _ITEM.match(text, at)
        if found is None:
            bare = at + len(text[at:]) - len(text[at:].lstrip())
            raise unreadable(text, bare, phrase("index.item"), field="index")
        items.append(found)
        at = found.end()
        if at < len(text):
            if text[at] != ",":
                raise unreadable(text, at, phrase("index.comma"), field="index")
            at += 1
    return items


def _pick(text: str, m: re.Match[str], d: int, layout: Layout) -> Pick:
    size, name = layout.shape[d], layout.dims[d]
    numbers = {k: _number(text, m, k) for k in ("int", "start", "stop", "step")}
    index = numbers["int"]
    if index is not None:
        if not -size <= index < size:
            some = phrase("index.range", low=-size, high=size - 1, name=name)
            none = phrase("index.empty", name=name)
            raise LayoutError("index", index, some if size else none, position=m.start("int"))
        return Pick(d, index % size, 1, 1, kept=False)
    if numbers["step"] == 0:
        raise LayoutError("index", 0, phrase("index.step"), position=m.start("step"))
    start, stop, step = slice(numbers["start"], numbers["stop"], numbers["step"]).indices(size)
    count = len(range(start, stop, step))
    start = max(start, 0)  # of an empty dimension it may be -1
    return Pick(d, start, step if count > 1 else (1 if step > 0 else -1), count)


def _number(text: str, m: re.Match[str], group: str) -> int | None:
    digits = m[group]
    if digits is None:
        return None
    if len(digits) > 20 or abs(int(digits)) > INT64_MAX:
        raise unreadable(text, m.start(group), phrase("index.int64"), field="index")
    return int(digits)
