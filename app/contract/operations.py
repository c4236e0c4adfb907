"""The calls of the contract, one row each. A new call is a new row.

What a call takes and answers is said by the annotations of its function.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast, get_type_hints

from . import answers, costs, lessons, networks, plans, runs, schedules
from .fields import Strict
from .shapes import shape_of


@dataclass(frozen=True)
class Operation:
    """One call, whose function has the name ``answer_`` and that of the call.

    ``answer``: returns the answer for a request. If it lists values, coordinates or offsets it
    takes ``most``, the largest number of them; if a caller may limit its time, it takes
    ``most_seconds``, the longest time that one may ask for. ``summary``: a few words. ``small``:
    whether a small request usually takes a few milliseconds, and asks its allowance before it takes
    more memory than that. ``brief``: whether that is usually less than one millisecond, and seldom
    more than ten. ``rows``: the field whose rows of integers may come as ``Rows``, if there is one.
    """

    answer: Callable[..., Any]
    summary: str
    small: bool = False
    brief: bool = False
    rows: str = ""

    @property
    def name(self) -> str:
        """Its path below the API's prefix."""
        return self.answer.__name__.removeprefix("answer_")

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.answer, include_extras=True)

    @property
    def request(self) -> type[Strict]:
        """The model of its request."""
        return cast("type[Strict]", self._hints["request"])

    @cached_property
    def shape(self) -> Any:
        """The documented shape of its answer, a model or a union of models."""
        return shape_of(self._hints["return"])

    @property
    def lists(self) -> bool:
        """Whether it lists values, coordinates or offsets."""
        return "most" in self._hints

    @property
    def timed(self) -> bool:
        """Whether a caller may limit its time."""
        return "most_seconds" in self._hints


OPERATIONS: Final = (
    Operation(answers.answer_describe, "Describe a tensor", small=True, brief=True),
    Operation(answers.answer_read, "What a pasted text says", small=True),
    Operation(answers.answer_offsets, "Coordinates to addresses", small=True, rows="coordinates"),
    Operation(answers.answer_coordinates, "Addresses to their owners", small=True),
    Operation(answers.answer_slice, "Slice a tensor", small=True),
    Operation(answers.answer_view, "View a tensor without copying", small=True),
    Operation(answers.answer_elementwise, "The layout of an element-wise result", small=True),
    Operation(networks.answer_propagate, "Layouts through a network"),
    Operation(plans.answer_arrange, "A network as a drawing in layers"),
    Operation(plans.answer_offers, "The ways in which a plan may run a node"),
    Operation(plans.answer_plan, "The layouts of a network at the least cost"),
    Operation(costs.answer_cost, "What accesses cost"),
    Operation(answers.answer_reorder, "Reorder a tensor", small=True),
    Operation(schedules.answer_schedule, "The steps of a reorder", small=True),
    Operation(runs.answer_run, "What a log or a profile says of a run", small=True),
)
# Its function takes the name of the ``lesson`` besides.
LESSON_ANSWER: Final = Operation(
    lessons.answer_answer, "Check an answer to a lesson's question", small=True
)
