"""Slices: DML_SLICE1 windows and NumPy index expressions, as a view or as a list of offsets."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..model.address import offsets_of
from ..model.arrays import integers
from ..model.errors import LayoutError, integer_range, phrase, refusal, unreadable
from ..model.layout import INT64_MAX, MAX_RANK, Int64Array, Layout, checked_product
from ..model.views import NeedsCopy, add_dim, drop_dim, take_range

_MAX_DML_RANK = 8
_MAX_INDEX_TEXT = 1024
_ITEM = re.compile(
    r"\s*(?:(?P<none>None|np\.newaxis|newaxis)|(?P<dots>\.\.\.|Ellipsis)"
    r"|(?P<start>[+-]?\d+)?\s*(?P<colon>:)\s*(?P<stop>[+-]?\d+)?\s*(?::\s*(?P<step>[+-]?\d+)?)?"
    r"|(?P<int>[+-]?\d+))\s*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Pick:
    """What one axis of a slice takes.

    The elements start + step·i for i < count. ``dim``: the source dimension, None for a new axis of
    size 1. ``step``: negative if the slice goes backwards. ``kept``: False for an integer index:
    the result does not have its axis.
    """

    dim: int | None
    start: int = 0
    step: int = 1
    count: int = 1
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Slice:
    """A checked slice of ``layout``: one pick per axis, in the order of the result's axes.

    Every dimension is picked from once, in the layout's order.

    >>> from stridescope import index_expression, parse_layout
    >>> taken = index_expression(parse_layout("HW", (3, 4)), "1, ::2")
    >>> taken.shape, taken.offsets().tolist()
    ((2,), [4, 6])
    """

    layout: Layout
    picks: tuple[Pick, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the result."""
        return tuple(p.count for p in self.picks if p.kept)

    @property
    def elements(self) -> int:
        """Number of elements of the result, as a Python int of any size."""
        return math.prod(self.shape)

    def flat_offsets(self, *, first: int | None = None) -> Int64Array:
        """Address of every element of the result in row-major order: int64, shape (elements,).

        ``first``: of the first so many elements only; the cost is theirs alone.
        """
        checked_product("index", self.shape)
        if not self.elements:
            return np.empty(0, dtype=np.int64)
        if first is not None and first < self.elements:
            return offsets_of(self.layout, self._coordinates(first))
        picked = [p for p in self.picks if p.dim is not None]
        indices = [p.start + p.step * np.arange(p.count, dtype=np.int64) for p in picked]
        return self.layout.offsets_at(indices).ravel()

    def _coordinates(self, first: int) -> Int64Array:
        """Source coordinates of the first elements: int64, shape (first, rank)."""
        found = np.empty((first, self.layout.rank), dtype=np.int64)
        rest = np.arange(first, dtype=np.int64)
        for p in reversed(self.picks):
            rest, index = np.divmod(rest, p.count)
            if p.dim is not None:
                found[:, p.dim] = p.start + p.step * index
        return found

    def offsets(self) -> Int64Array:
        """The same addresses, in the result's shape."""
        return self.flat_offsets().reshape(self.shape)

    def view(self, *, keep_start: bool = False) -> Layout | None:
        """The result as a layout over the same buffer, None if there is no such layout.

        ``keep_start``: a slice without elements begins at its start, as in PyTorch; in NumPy at 0.
        """
        layout = self.layout
        axis = 0
        for p in self.picks:
            if p.dim is None:
                layout = add_dim(layout, axis)
            elif p.kept:
                start = p.start if p.count or keep_start else 0
                taken = take_range(layout, axis, start, p.step, p.count)
                if taken is None:
                    return None
                layout = taken
            else:
                layout = drop_dim(layout, axis, p.start)
            axis += p.kept
        return layout


def window(
    layout: Layout,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    output_sizes: Sequence[int] | None = None,
) -> Slice:
    """A DML_SLICE1 window: Output[o] = Input[start + stride·o], all in elements per dimension.

    start = offset, plus size-1 if the stride is negative. ``output_sizes`` may be smaller than its
    default: as many as the window has room for, 1 + ⌊(size-1)/|stride|⌋.
    Errors: LayoutError naming the entry. Source: DML_SLICE1_OPERATOR_DESC.

    >>> from stridescope import parse_layout, window
    >>> window(parse_layout("HW", (3, 4)), (0, 1), (3, 3), (2, -1)).offsets().tolist()
    [[3, 2, 1], [11, 10, 9]]
    """
    if not 1 <= layout.rank <= _MAX_DML_RANK:
        got = f"a window on {layout.rank} dimensions"
        raise refusal("window", got, "window.rank", most=_MAX_DML_RANK)
    given = {"offsets": offsets, "sizes": sizes, "strides": strides}
    if output_sizes is not None:
        given["output_sizes"] = output_sizes
    read: dict[str, list[int]] = {}
    for name, values in given.items():
        found = integers(values, f"window.{name}")
        if found.shape != (layout.rank,):
            expected = phrase("integers.per_dimension", rank=layout.rank)
            raise LayoutError(f"window.{name}", values, expected)
        read[name] = found.tolist()
    picks = []
    for d, (n, offset, size, stride) in enumerate(
        zip(layout.shape, read["offsets"], read["sizes"], read["strides"], strict=True)
    ):
        if offset < 0:
            raise LayoutError(f"window.offsets[{d}]", offset, phrase("integer.from_zero"))
        if size < 1:
            raise LayoutError(f"window.sizes[{d}]", size, phrase("window.size"))
        if offset + size > n:
            name = "offsets" if offset >= n else "sizes"
            wrong = offset if offset >= n else size
            raise LayoutError(f"window.{name}[{d}]", wrong, phrase("window.end", most=n))
        if stride == 0:
            raise LayoutError(f"window.strides[{d}]", stride, phrase("integer.not_zero"))
        reachable = 1 + (size - 1) // abs(stride)
        count = read["output_sizes"][d] if "output_sizes" in read else reachable
        if not 1 <= count <= reachable:
            raise LayoutError(f"window.output_sizes[{d}]", count, integer_range(1, reachable))
        start = offset + (size - 1 if stride < 0 else 0)
        # For one element any stride will do: a small one keeps products within int64.
        picks.append(Pick(d, start, stride if count > 1 else (1 if stride > 0 else -1), count))
    return Slice(layout, tuple(picks))


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
        raise refusal("index", f"{taken} indices", "index.count", rank=layout.rank)
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
