"""What accesses cost: the request, the documented answers, and the answer as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal, NotRequired, TypedDict

from pydantic import ConfigDict, Field, WithJsonSchema, model_validator

from ..engine.cost import suggest, walk, warp
from ..engine.cost.cache import Cache
from ..engine.cost.walk import MOST_BYTES, MOST_HELD, Hierarchy
from ..engine.cost.warp import MOST_LANES, Warp
from ..engine.description.description import describe
from ..engine.description.tensor import Tensor
from ..engine.model.errors import LayoutError, integer_range, per_dimension, phrase
from ..engine.model.layout import MAX_RANK, Layout
from .fields import Integers, Strict, Text, bounded, check_one_of_two, one_of_two
from .requests import TensorJson
from .shapes import Answer, told

_Bytes = Annotated[int, Field(ge=1, le=MOST_BYTES)]
_Few = Annotated[int, Field(ge=1, le=MOST_LANES)]
_Letter = Annotated[Text, Field(json_schema_extra={"pattern": "^[A-Za-z]$"})]
_Letters = Annotated[Text, Field(json_schema_extra={"pattern": f"^[A-Za-z]{{0,{MAX_RANK}}}$"})]


class CacheSize(Strict):
    """A set-associative cache that replaces the least recently used line."""

    bytes: Annotated[int, Field(ge=1)] = Field(
        description="A multiple of line_bytes times ways.", examples=[32768]
    )
    ways: Annotated[int, Field(ge=1)] = Field(description="Lines of one set.", examples=[8])


class TlbSize(Strict):
    """A set-associative table of pages that replaces the least recently used one."""

    entries: Annotated[int, Field(ge=1, le=MOST_HELD)] = Field(description="A multiple of ways.")
    ways: Annotated[int, Field(ge=1)]


class Walk(Strict):
    """One access to each element, in an order of loops. The buffer starts at byte 0."""

    order: Text | None = Field(
        None,
        description="Loops over the dimensions, outermost first; 4c is a loop over blocks of 4 of "
        "C. Default: the logical order.",
        examples=["NHWC", "NCHW4c"],
    )
    line_bytes: _Bytes = 64
    page_bytes: _Bytes = 4096
    cache: CacheSize | None = Field(
        None, description="Without it, each change of line between consecutive accesses counts."
    )
    tlb: TlbSize | None = Field(None, description="The same for pages.")
    orders: bool = Field(
        default=False, description="Compare all orders of the loops; at most 4 sizes may be over 1."
    )

    def memory(self) -> Hierarchy:
        """Return the engine's value. Errors: LayoutError naming walk.cache or walk.tlb."""
        cache = tlb = None
        if self.cache is not None:
            held, left = divmod(self.cache.bytes, self.line_bytes)
            if left or held % self.cache.ways or held > MOST_HELD:
                unit = self.line_bytes * self.cache.ways
                expected = phrase("cache.bytes", n=unit, most=MOST_HELD)
                raise LayoutError("walk.cache.bytes", self.cache.bytes, expected)
            cache = Cache(held, self.cache.ways)
        if self.tlb is not None:
            if self.tlb.entries % self.tlb.ways:
                expected = phrase("tlb.entries", ways=self.tlb.ways)
                raise LayoutError("walk.tlb.entries", self.tlb.entries, expected)
            tlb = Cache(self.tlb.entries, self.tlb.ways)
        return Hierarchy(self.line_bytes, self.page_bytes, cache, tlb)


class WarpAccess(Strict):
    """One access of all lanes of a warp. Memory starts at byte 0."""

    lanes: _Few = 32
    along: _Letters | list[_Letter] | None = Field(
        None,
        description="The dimension of neighbouring lanes; or several, innermost first: at the end "
        "of one the count carries into the next. Default: all, the last one innermost.",
        examples=["W", ["W", "H"]],
    )
    at: Annotated[Integers, WithJsonSchema(bounded(0))] | None = Field(
        None, description="Coordinate of the first lane; default: zeros.", examples=[[0, 0]]
    )
    vector: Annotated[int, Field(ge=1, le=32)] = Field(
        1,
        description="Elements of a lane, at most 16 bytes, contiguous in memory. The dimension "
        "whose neighbours are neighbours in memory is counted in vectors.",
    )
    space: Literal["global", "shared"] = "global"
    sector_bytes: _Few = 32
    banks: _Few = 32
    bank_bytes: _Few = 4
    suggest: bool = Field(
        default=False,
        description="Search paddings and swizzles without conflicts, for shared memory.",
    )

    def warp(self, layout: Layout) -> Warp:
        """Return the engine's value. Errors: LayoutError naming warp.along or warp.at."""
        given = self.model_dump(exclude={"along", "at", "suggest"})
        return Warp(self._along(layout), self._at(layout), **given)

    def _along(self, layout: Layout) -> tuple[int, ...]:
        if self.along is None:
            return tuple(reversed(range(layout.rank)))
        found: list[int] = []
        for i, name in enumerate(self.along):
            field = f"warp.along[{i}]" if isinstance(self.along, list) else "warp.along"
            if len(name) != 1 or name not in layout.dims or layout.dims.index(name) in found:
                some = phrase("warp.along", dims=tuple(layout.dims))
                raise LayoutError(field, name, some if layout.rank else phrase("warp.along_none"))
            found.append(layout.dims.index(name))
        return tuple(found)

    def _at(self, layout: Layout) -> tuple[int, ...]:
        at = (0,) * layout.rank if self.at is None else tuple(self.at)
        if len(at) != layout.rank:
            raise LayoutError("warp.at", list(at), per_dimension(layout.rank))
        for d, (index, size) in enumerate(zip(at, layout.shape, strict=True)):
            if self.at is not None and not 0 <= index < size:
                raise LayoutError(f"warp.at[{d}]", index, integer_range(0, size - 1))
        return at


class CostRequest(Strict):
    """A tensor, and either a walk over it or an access of a warp."""

    model_config = ConfigDict(json_schema_extra=one_of_two("walk", "warp"))

    tensor: TensorJson
    walk: Walk | None = None
    warp: WarpAccess | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> CostRequest:
        check_one_of_two(self, "walk", "warp")
        return self


class FixJson(TypedDict):
    """A layout without conflicts.

    ``layout``: a text that can be parsed with the same shape and dtype. ``strides``: in elements;
    None under a swizzle. ``swizzle``: B, M and S of Swizzle<B,M,S>. ``padding``: elements of a gap
    after each step of ``outside``, a dimension; further out, strides grow too. ``extra_elements``:
    what the buffer grows by. ``accesses``: the asked access, then one along each other dimension,
    each by all warps over the tile.
    """

    layout: str
    strides: tuple[int, ...] | None
    swizzle: list[int] | None
    padding: int | None
    outside: str | None
    extra_elements: int
    accesses: tuple[suggest.Access, ...]


class SuggestionJson(TypedDict):
    """What removes the bank conflicts: found by search, proven by counting all warps.

    ``accesses``: of the layout as it is. ``padding``: the smallest padding of one stride.
    ``swizzles``: the best swizzles, in place of the layout's own. ``found``: how many there are.
    """

    accesses: tuple[suggest.Access, ...]
    padding: FixJson | None
    swizzles: list[FixJson]
    found: int


class OrdersJson(TypedDict):
    """``orders``: all orders of the loops, the cheapest first; only if asked."""

    orders: NotRequired[list[walk.OrderCost] | None]


class SuggestedJson(TypedDict):
    """``suggestion``: only if asked."""

    suggestion: NotRequired[SuggestionJson | None]


WalkAnswer = Annotated[Answer, walk.WalkCost, OrdersJson]
WarpAnswer = Annotated[Answer, warp.WarpCost, SuggestedJson]


def answer_cost(request: CostRequest) -> WalkAnswer | WarpAnswer:
    """Cache lines, pages and jumps of a walk; sectors and bank passes of a warp. All is counted."""
    tensor = request.tensor.parse("tensor")
    if request.walk is not None:
        memory = request.walk.memory()
        found = asdict(walk.walk_cost(tensor.layout, tensor.dtype, request.walk.order, memory))
        if request.walk.orders:
            found["orders"] = walk.compare_orders(tensor.layout, tensor.dtype, memory)
        return found
    assert request.warp is not None
    access = request.warp.warp(tensor.layout)
    found = asdict(warp.warp_cost(tensor.layout, tensor.dtype, access))
    if request.warp.suggest:
        suggested = suggest.suggest(tensor.layout, tensor.dtype, access)
        found["suggestion"] = told(
            SuggestionJson,
            suggested,
            padding=suggested.padding and _fix(tensor, suggested.padding),
            swizzles=[_fix(tensor, each) for each in suggested.swizzles],
        )
    return found


def _fix(tensor: Tensor, fix: suggest.Fix) -> FixJson:
    layout, swizzle = fix.layout, fix.layout.swizzle
    return told(
        FixJson,
        fix,
        layout=describe(layout, tensor.dtype).layout,
        strides=layout.strides,
        swizzle=None if swizzle is None else [swizzle.bits, swizzle.base, swizzle.shift],
    )
