"""The steps of a reorder's plan: the request, the documented answer, and the answer as JSON."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from pydantic import Field

from ..engine.description.tensor import parse_target
from ..engine.model.dtypes import ElementType
from ..engine.model.errors import LayoutError, phrase
from ..engine.model.layout import Digit, Swizzle
from ..engine.reorder.plan import plan, read_bytes
from ..engine.reorder.schedule import Schedule, ScheduledMove, Step, schedule_of
from .allowance import hold
from .answers import MAX_VALUES
from .fields import Size, Strict
from .requests import LayoutJson, TensorJson
from .shapes import Listed, told

_VALUES_OF_A_STEP = 16  # as which one step counts against the limit of values
_STEP_BYTES = 1200


class ScheduleRequest(Strict):
    """Steps of the copy from one layout into another, from ``first`` on."""

    source: TensorJson
    target: LayoutJson
    first: Size = Field(0, description="Number of the first step, from 0.")
    count: Size = Field(64, description="How many steps; fewer at the end.")


class AddressTableJson(TypedDict):
    """A layout as the digits of each dimension, in the source's order of dimensions."""

    offset: int
    digits: tuple[tuple[Digit, ...], ...]
    swizzle: Swizzle | None


class AddressTablesJson(TypedDict):
    """The layouts of both sides."""

    source: AddressTableJson
    target: AddressTableJson


class SchedulePlanJson(TypedDict):
    """How the copy is made, with the steps of each move.

    ``copy_needed``: False if every element is already at its address. ``tables``: for moves
    that look up each address.
    """

    kernel: Literal["strided", "gather"]
    copy_needed: bool
    elements: int
    element_bits: int
    bytes_read: int
    bytes_written: int
    moves: tuple[ScheduledMove, ...]
    tables: AddressTablesJson | None


class ScheduleJson(TypedDict):
    """Some steps of a copy; all of them write what a reorder writes, each address once.

    ``steps``: how many steps there are in all.
    """

    steps: int
    plan: SchedulePlanJson
    window: Sequence[Step]


def answer_schedule(request: ScheduleRequest, most: int = MAX_VALUES) -> ScheduleJson:
    """Steps of a reorder's plan, from any step on: what each reads and writes."""
    source = request.source.parse("source")
    target = parse_target(request.target, source).layout
    most_steps = most // _VALUES_OF_A_STEP
    if request.count > most_steps:
        raise LayoutError("count", request.count, phrase("steps.most", most=most_steps))
    found = schedule_of(plan(source.layout, target), source.dtype.bits, most_listed=most)
    first = request.first
    count = min(request.count, found.steps - first)
    found.window(first, count)  # refuses a first step that there is not
    hold(count * _STEP_BYTES)
    return {
        "steps": found.steps,
        "plan": scheduled_plan(found, source.dtype),
        "window": Listed(count, lambda at, end: list(found.window(first + at, end - at))),
    }


def scheduled_plan(found: Schedule, dtype: ElementType) -> SchedulePlanJson:
    """Return the plan of a schedule as JSON, from which a caller can decode every step."""
    planned = found.planned
    uses_tables = any(move.origin is not None for move in found.moves)
    sides = {"source": planned.source, "target": planned.target}
    tables = {side: told(AddressTableJson, layout) for side, layout in sides.items()}
    return told(
        SchedulePlanJson,
        planned,
        element_bits=found.item_bits,
        bytes_read=read_bytes(planned.source, dtype),
        bytes_written=-(-found.written_bits // 8),
        moves=found.moves,
        tables=tables if uses_tables else None,
    )
