"""The calls of the contract, one row each. A new call is a new row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from . import (
    answers,
    arrangements,
    costs,
    network_shapes,
    networks,
    plans,
    requests,
    schedules,
    shapes,
)
from .fields import Strict


@dataclass(frozen=True, slots=True)
class Operation:
    """One call.

    ``name``: its path below the API's prefix. ``request``: the model of its request. ``answer``:
    returns an answer of the documented ``shape``, a model or a union of models, for a request.
    ``summary``: a few words. ``lists``: whether it lists values, coordinates or offsets;
    ``answer`` then takes ``most``, the largest number of them. ``timed``: whether it takes
    ``most_seconds``, the longest time that a caller may ask for. ``small``: whether a small request
    usually takes a few milliseconds, and asks its allowance before it takes more memory than that.
    ``brief``: whether that is usually less than one millisecond, and seldom more than ten.
    ``rows``: the field whose rows of integers may come as ``Rows``, if there is one.
    """

    name: str
    request: type[Strict]
    answer: Callable[..., Any]
    shape: Any
    summary: str
    lists: bool = False
    timed: bool = False
    small: bool = False
    brief: bool = False
    rows: str = ""


OPERATIONS: Final = (
    Operation(
        "describe", requests.Tensor, answers.answer_describe, shapes.Description,
        "Describe a tensor", small=True, brief=True,
    ),
    Operation(
        "read", requests.ReadRequest, answers.answer_read, shapes.Read,
        "What a pasted text says", small=True,
    ),
    Operation(
        "offsets", requests.OffsetsRequest, answers.answer_offsets, shapes.Offsets,
        "Coordinates to addresses", lists=True, small=True, rows="coordinates",
    ),
    Operation(
        "coordinates", requests.CoordinatesRequest, answers.answer_coordinates, shapes.Owners,
        "Addresses to their owners", lists=True, small=True,
    ),
    Operation(
        "slice", requests.SliceRequest, answers.answer_slice, shapes.Slice,
        "Slice a tensor", lists=True, small=True,
    ),
    Operation(
        "view", requests.ViewRequest, answers.answer_view, shapes.View,
        "View a tensor without copying", small=True,
    ),
    Operation(
        "elementwise", requests.ElementwiseRequest, answers.answer_elementwise,
        shapes.Elementwise, "The layout of an element-wise result", small=True,
    ),
    Operation(
        "propagate", networks.PropagateRequest, networks.answer_propagate,
        network_shapes.Propagation, "Layouts through a network",
    ),
    Operation(
        "arrange", arrangements.ArrangeRequest, arrangements.answer_arrange,
        arrangements.Arrangement, "A network as a drawing in layers",
    ),
    Operation(
        "offers", arrangements.OffersRequest, arrangements.answer_offers, arrangements.Offers,
        "The ways in which a plan may run a node",
    ),
    Operation(
        "plan", plans.PlanRequest, plans.answer_plan, network_shapes.LayoutPlan,
        "The layouts of a network at the least cost", timed=True,
    ),
    Operation(
        "cost", costs.CostRequest, costs.answer_cost, costs.WalkCost | costs.WarpCost,
        "What accesses cost",
    ),
    Operation(
        "reorder", requests.ReorderRequest, answers.answer_reorder, shapes.Reorder,
        "Reorder a tensor", lists=True, small=True,
    ),
    Operation(
        "schedule", schedules.ScheduleRequest, schedules.answer_schedule, schedules.Schedule,
        "The steps of a reorder", lists=True, small=True,
    ),
)  # fmt: skip
