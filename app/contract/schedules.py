"""The steps of a reorder's plan: the request, the documented answer, and the answer as JSON."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..engine import LayoutError, Plan, plan
from ..engine.description.tensor import parse_target
from ..engine.model.dtypes import ElementType
from ..engine.model.layout import Swizzle
from ..engine.reorder import Schedule as EngineSchedule
from ..engine.reorder import ScheduledMove as EngineMove
from ..engine.reorder import Step as EngineStep
from ..engine.reorder import schedule_of
from ..engine.reorder.registers import Registers as EngineRegisters
from .allowance import hold
from .answers import MAX_VALUES
from .fields import Size, Strict
from .listed import Listed
from .requests import LayoutJson, Tensor
from .shapes import Digit, Loop, fields_of

Answer = dict[str, Any]
_VALUES_OF_A_STEP = 16  # as which one step counts against the limit of values
_STEP_BYTES = 1200
_STEP_FIELDS = tuple(field.name for field in fields(EngineStep))


class ScheduleRequest(Strict):
    """Steps of the copy from one layout into another, from ``first`` on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": {"shape": [2, 6, 3, 3], "layout": "NCHW"},
                    "target": "NCHW4",
                    "first": 72,
                    "count": 3,
                }
            ]
        }
    )

    source: Tensor
    target: LayoutJson
    first: Size = Field(0, description="Number of the first step, from 0.")
    count: Size = Field(64, description="How many steps; fewer at the end.")


@fields_of(
    EngineRegisters,
    way="Rows to columns; a few rows into one run; one run into a few rows.",
    along="Index of the loop that is contiguous in the source.",
    chain="Indices of the loops that are contiguous in the target together, innermost first.",
    rows="Their steps: the rows of the transpose.",
)
class Registers(BaseModel):
    """What a transpose does in registers of 16 bytes."""


@fields_of(
    EngineMove,
    kernel="As of a move; table: through address tables, one element a step.",
    unit_bits="Neighbouring elements that stay together are copied as one unit.",
    source="First unit read; null where zeros are written. For table only whether any is read.",
    target="First unit written.",
    loops="Outermost first; for table one per dimension, over coordinates.",
    run="Index of the loop that one step copies whole; null: a step is one unit.",
    fill_run="Index of the loop whose fill is one step.",
    origin="The first coordinate, for table.",
    addresses="The addresses written, for padding that loops cannot express.",
    registers="How a transpose turns its units in registers; null where it does not.",
    first="Number of its first step.",
    steps="How many steps it has.",
)
class ScheduledMove(BaseModel):
    """A move with the numbers of its steps: a mixed-radix number of one digit per loop.

    The radix of a loop is its extent and its fill; the loop `run` counts as 1, and the fill of
    the loop `fill_run` as 1.
    """

    loops: list[Loop]
    registers: Registers | None


class AddressTable(BaseModel):
    """A layout as the digits of each dimension, in the source's order of dimensions."""

    offset: int
    digits: list[list[Digit]]
    swizzle: Swizzle | None


class AddressTables(BaseModel):
    """The layouts of both sides."""

    source: AddressTable
    target: AddressTable


class SchedulePlan(BaseModel):
    """How the copy is made, with the steps of each move."""

    kernel: Literal["strided", "gather"]
    copy_needed: bool = Field(description="False if every element is already at its address.")
    elements: int
    element_bits: int
    bytes_read: int
    bytes_written: int
    moves: list[ScheduledMove]
    tables: AddressTables | None = Field(description="For moves through address tables.")


@fields_of(
    EngineStep,
    step="Its number.",
    move="Index of its move.",
    indices="One per loop of the move, of the first unit of the step.",
    source_address="In elements; null if nothing is read.",
    target_address="In elements.",
    units="Neighbours copied, contiguous on both sides.",
    unit_bits="Size of one of them.",
    fill="Whether zeros are written.",
)
class Step(BaseModel):
    """One step of a copy."""


class Schedule(BaseModel):
    """Some steps of a copy; all of them write what a reorder writes, each address once."""

    steps: int = Field(description="How many steps there are in all.")
    plan: SchedulePlan
    window: list[Step]


def answer_schedule(request: ScheduleRequest, most: int = MAX_VALUES) -> Answer:
    """Steps of a reorder's plan, from any step on: what each reads and writes."""
    source = request.source.parse("source")
    target = parse_target(request.target, source).layout
    most_steps = most // _VALUES_OF_A_STEP
    if request.count > most_steps:
        raise LayoutError("count", request.count, f"at most {most_steps} steps")
    found = schedule_of(plan(source.layout, target), source.dtype.bits, most_listed=most)
    first = request.first
    count = min(request.count, found.steps - first)
    found.window(first, count)  # refuses a first step that there is not
    hold(count * _STEP_BYTES)
    return {
        "steps": found.steps,
        "plan": scheduled_plan(found, source.dtype),
        "window": Listed(count, lambda at, end: _steps(found, first + at, end - at)),
    }


def _steps(found: EngineSchedule, first: int, count: int) -> list[Answer]:
    window = found.window(first, count)
    return [{name: getattr(step, name) for name in _STEP_FIELDS} for step in window]


def scheduled_plan(found: EngineSchedule, dtype: ElementType) -> Answer:
    """Return the plan of a schedule as JSON, from which a caller can decode every step."""
    planned = found.planned
    uses_tables = any(move.origin is not None for move in found.moves)
    return {
        "kernel": planned.kernel,
        "copy_needed": planned.copy_needed,
        "elements": planned.elements,
        "element_bits": found.item_bits,
        "bytes_read": dtype.size_bytes(planned.elements),
        "bytes_written": -(-found.written_bits // 8),
        "moves": [asdict(move) for move in found.moves],
        "tables": _tables(planned) if uses_tables else None,
    }


def _tables(planned: Plan) -> Answer:
    sides = {"source": planned.source, "target": planned.target}
    return {
        side: {
            "offset": layout.offset,
            "digits": [[asdict(g) for g in digits] for digits in layout.digits],
            "swizzle": None if layout.swizzle is None else asdict(layout.swizzle),
        }
        for side, layout in sides.items()
    }
