"""The steps of a view: each is a function of the engine, and one row here.

Its request model and its documentation are made from the function's parameters and docstring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError, create_model

from ..engine.model.errors import LayoutError, refusal
from ..engine.model.layout import Layout
from ..engine.model.views import NeedsCopy
from ..engine.notation.view_steps import OPS
from .fields import Int64, Integers, Strict, Text
from .refusals import first_refusal

_JSON: Final = {int: Int64, int | None: Int64 | None, Sequence[int]: Integers, str: Text}


class StepJson(Strict):
    """One step, with the parameters of its op."""

    op: str

    def apply(self, layout: Layout) -> Layout | NeedsCopy:
        """The layout after this step. Errors: LayoutError naming a parameter."""
        return OPS[self.op](layout, **{name: value for name, value in self if name != "op"})


def _model(op: str) -> type[StepJson]:
    function = OPS[op]
    types = get_type_hints(function)
    fields: dict[str, Any] = {
        name: (_JSON[types[name]], ... if given.default is Parameter.empty else given.default)
        for name, given in list(signature(function).parameters.items())[1:]
        if given.kind is not Parameter.KEYWORD_ONLY
    }
    fields["op"] = Literal[op], ...
    return create_model(op.capitalize(), __base__=StepJson, __doc__=getdoc(function), **fields)


if TYPE_CHECKING:
    AnyStep = StepJson
else:
    AnyStep = Annotated[Union[tuple(map(_model, OPS))], Field(discriminator="op")]  # noqa: UP007  # models made here

Steps = Annotated[list[AnyStep], Field(max_length=64)]
_STEPS: Final = TypeAdapter(Steps)


def parse_steps(steps: Sequence[Mapping[str, object]]) -> list[StepJson]:
    """Make steps from mappings. Errors: LayoutError naming ``steps[i]`` and its parameter."""
    try:
        return _STEPS.validate_python(steps)
    except ValidationError as error:
        raise first_refusal(error, "steps") from None


@dataclass(frozen=True, slots=True)
class Stop:
    """The first step that needs a copy. ``step``: its index from 0. ``copy``: why it needs one."""

    step: int
    op: str
    copy: NeedsCopy


def views_of(layout: Layout, taken: Sequence[StepJson]) -> tuple[list[Layout], Stop | None]:
    """Return the layout after each step, up to the first step that needs a copy.

    Errors: LayoutError naming ``steps[i]`` and its parameter.
    """
    results: list[Layout] = []
    for i, step in enumerate(taken):
        try:
            found = step.apply(layout)
        except LayoutError as error:
            raise error.within(f"steps[{i}]") from None
        if isinstance(found, NeedsCopy):
            return results, Stop(i, step.op, found)
        layout = found
        results.append(layout)
    return results, None


def viewed(layout: Layout, taken: Sequence[StepJson]) -> Layout:
    """Return the layout after all steps.

    Errors: LayoutError naming ``steps[i]``, also if that step needs a copy.
    """
    results, stop = views_of(layout, taken)
    if stop is not None:
        got = f"a step that needs a copy ({stop.copy.reason.removesuffix('.')})"
        raise refusal(f"steps[{stop.step}]", got, "view.step")
    return results[-1] if results else layout
