"""What accesses cost: the request, the documented answers, and the answer as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from ..engine.cost import jumps, lanes, suggest, walk, warp
from ..engine.cost.lanes import MOST_LANES, Warp
from ..engine.cost.walk import MOST_BYTES, MOST_HELD, Hierarchy
from ..engine.description.description import describe
from ..engine.description.tensor import Tensor as EngineTensor
from ..engine.model.errors import LayoutError
from ..engine.model.layout import MAX_RANK, Layout
from .fields import Integers, Strict, Text, bounded, check_one_of_two, one_of_two
from .requests import Tensor
from .shapes import fields_of

Answer = dict[str, Any]
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
                raise LayoutError(
                    "walk.cache.bytes",
                    self.cache.bytes,
                    f"a multiple of {self.line_bytes * self.cache.ways}, which is line_bytes times "
                    f"ways, and at most {MOST_HELD} lines",
                )
            cache = walk.Cache(held, self.cache.ways)
        if self.tlb is not None:
            if self.tlb.entries % self.tlb.ways:
                raise LayoutError(
                    "walk.tlb.entries", self.tlb.entries, f"a multiple of {self.tlb.ways}"
                )
            tlb = walk.Cache(self.tlb.entries, self.tlb.ways)
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
        return Warp(
            self._along(layout),
            self._at(layout),
            self.lanes,
            self.vector,
            self.space,
            self.sector_bytes,
            self.banks,
            self.bank_bytes,
        )

    def _along(self, layout: Layout) -> tuple[int, ...]:
        if self.along is None:
            return tuple(reversed(range(layout.rank)))
        found: list[int] = []
        for i, name in enumerate(self.along):
            field = f"warp.along[{i}]" if isinstance(self.along, list) else "warp.along"
            if len(name) != 1 or name not in layout.dims or layout.dims.index(name) in found:
                expected = f"dimensions of {', '.join(layout.dims)}, each at most once"
                raise LayoutError(field, name, expected if layout.rank else "none: rank 0")
            found.append(layout.dims.index(name))
        return tuple(found)

    def _at(self, layout: Layout) -> tuple[int, ...]:
        at = (0,) * layout.rank if self.at is None else tuple(self.at)
        if len(at) != layout.rank:
            raise LayoutError("warp.at", list(at), f"{layout.rank} integers, one per dimension")
        for d, (index, size) in enumerate(zip(at, layout.shape, strict=True)):
            if self.at is not None and not 0 <= index < size:
                raise LayoutError(f"warp.at[{d}]", index, f"an integer from 0 to {size - 1}")
        return at


class CostRequest(Strict):
    """A tensor, and either a walk over it or an access of a warp."""

    model_config = ConfigDict(
        json_schema_extra={
            **one_of_two("walk", "warp"),
            "examples": [
                {
                    "tensor": {"shape": [1, 64, 56, 56], "layout": "NCHW"},
                    "walk": {"order": "NHWC", "cache": {"bytes": 32768, "ways": 8}},
                },
                {
                    "tensor": {"shape": [32, 32], "layout": "HW"},
                    "warp": {"along": "H", "space": "shared", "suggest": True},
                },
            ],
        }
    )

    tensor: Tensor
    walk: Walk | None = None
    warp: WarpAccess | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> CostRequest:
        check_one_of_two(self, "walk", "warp")
        return self


@fields_of(
    jumps.Jumps,
    median="Of an even number the mean of the two in the middle.",
)
class Jumps(BaseModel):
    """Distances between consecutive accesses, in elements, without sign; null for one access."""


@fields_of(
    walk.Stopped,
    accesses="Accesses counted until then.",
    at_least="Numbers that are lower bounds.",
    partial="Numbers of the counted accesses only. All others are exact.",
)
class Stopped(BaseModel):
    """Where the counter stopped, for a walk that no few loops describe."""


@fields_of(
    walk.Lines,
    useful_bytes="Different bytes that the walk uses.",
    fetched_bytes="Fetched lines times their size.",
)
class Lines(BaseModel):
    """Cache lines: different ones and fetched ones."""


@fields_of(walk.Pages)
class Pages(BaseModel):
    """Pages: different ones and fetched ones."""


@fields_of(
    walk.OrderCost,
    order="Loops, outermost first.",
    best="Of the orders that are counted to the end none costs less.",
)
class OrderCost(BaseModel):
    """One order of the loops, counted."""

    jumps: Jumps
    stopped: Stopped | None


@fields_of(walk.WalkCost, order="Loops, outermost first.", stopped="null if all is exact.")
class _WalkFields(BaseModel):
    """What a walk costs, counted and not measured."""

    lines: Lines
    pages: Pages
    jumps: Jumps
    stopped: Stopped | None


class WalkCost(_WalkFields):
    """What a walk costs, counted and not measured."""

    orders: list[OrderCost] | None = Field(
        None, description="All orders of the loops, the cheapest first; only if asked."
    )


@fields_of(lanes.Phase)
class Phase(BaseModel):
    """Lanes that are served together: different words, and the passes that they take."""


@fields_of(warp.WarpLane, address="In elements.", byte="The whole byte where it starts.")
class Lane(BaseModel):
    """The first element of a lane; null for a lane beyond the tensor."""


@fields_of(warp.AllWarps)
class AllWarps(BaseModel):
    """All warps that together access each element once."""


@fields_of(
    suggest.Access,
    along="Dimensions of the lanes, innermost first.",
    conflicts="Passes over the least possible.",
)
class SharedAccess(BaseModel):
    """All warps over the tile."""


class Fix(BaseModel):
    """A layout without conflicts."""

    layout: str = Field(description="A text that can be parsed with the same shape and dtype.")
    strides: list[int] | None = Field(description="In elements; null under a swizzle.")
    swizzle: list[int] | None = Field(description="B, M and S of Swizzle<B,M,S>.")
    padding: int | None = Field(description="Elements after each step of the padded dimension.")
    outside: str | None = Field(description="The padded dimension; further out, strides grow too.")
    extra_elements: int = Field(description="What the buffer grows by.")
    accesses: list[SharedAccess] = Field(
        description="The asked access, then one along each other dimension."
    )


class Suggestion(BaseModel):
    """What removes the bank conflicts: found by search, proven by counting all warps."""

    accesses: list[SharedAccess] = Field(description="Of the layout as it is.")
    padding: Fix | None = Field(description="The smallest padding of one stride.")
    swizzles: list[Fix] = Field(description="The best swizzles, in place of the layout's own.")
    found: int = Field(description="How many swizzles there are.")


@fields_of(
    warp.WarpCost,
    sectors="null for shared memory.",
    ideal_sectors="The least that hold as many bytes.",
    passes="null for global memory.",
    ideal_passes="Without conflicts.",
    lane_bytes="Bytes of a lane: up to 4 one phase, up to 8 two, up to 16 four.",
    vector_dim="The dimension of the vectors' elements.",
    aligned="Whether each lane starts at a multiple of its size.",
    contiguous="Whether the vectors' elements are neighbours in the tensor.",
    all="null for a tensor of more than 2^20 bytes.",
)
class _WarpFields(BaseModel):
    """What an access of a warp costs, counted and not measured."""

    lanes: list[Lane]
    phases: list[Phase]
    all: AllWarps | None


class WarpCost(_WarpFields):
    """What an access of a warp costs, counted and not measured."""

    suggestion: Suggestion | None = Field(None, description="Only if asked.")


def answer_cost(request: CostRequest) -> Answer:
    """Cache lines, pages and jumps of a walk; sectors and bank passes of a warp. All is counted."""
    tensor = request.tensor.parse("tensor")
    if request.walk is not None:
        return _walk(tensor, request.walk)
    assert request.warp is not None
    return _warp(tensor, request.warp)


def _walk(tensor: EngineTensor, asked: Walk) -> Answer:
    memory = asked.memory()
    found = asdict(walk.walk_cost(tensor.layout, tensor.dtype, asked.order, memory))
    if asked.orders:
        orders = walk.compare_orders(tensor.layout, tensor.dtype, memory)
        found["orders"] = [asdict(each) for each in orders]
    return found


def _warp(tensor: EngineTensor, asked: WarpAccess) -> Answer:
    access = asked.warp(tensor.layout)
    found = asdict(warp.warp_cost(tensor.layout, tensor.dtype, access))
    if asked.suggest:
        suggested = suggest.suggest(tensor.layout, tensor.dtype, access)
        found["suggestion"] = {
            "accesses": [asdict(each) for each in suggested.accesses],
            "padding": suggested.padding and _fix(tensor, suggested.padding),
            "swizzles": [_fix(tensor, each) for each in suggested.swizzles],
            "found": suggested.found,
        }
    return found


def _fix(tensor: EngineTensor, fix: suggest.Fix) -> Answer:
    layout = fix.layout
    swizzle = layout.swizzle
    return {
        "layout": describe(layout, tensor.dtype).layout,
        "strides": layout.strides,
        "swizzle": swizzle and [swizzle.bits, swizzle.base, swizzle.shift],
        "padding": fix.padding,
        "outside": fix.outside,
        "extra_elements": fix.extra_elements,
        "accesses": [asdict(each) for each in fix.accesses],
    }
