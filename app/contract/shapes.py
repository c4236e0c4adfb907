"""The documented shape of each answer.

The shape of an answer that is a dataclass of the engine takes its fields from there. A field that
is added to the engine is documented without an edit here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel, Field, create_model

from ..engine.description import description
from ..engine.model import dtypes
from ..engine.model.views import reshape, slices
from ..engine.notation.paste import reading
from ..engine.reorder import Loop as EngineLoop
from ..engine.reorder import Move as EngineMove

Model = TypeVar("Model", bound=BaseModel)


def fields_of(kind: type, **words: str) -> Callable[[type[Model]], type[Model]]:
    """Give a model the fields of the dataclass ``kind``, in the same order.

    A field that the model annotates itself keeps that type. ``words``: descriptions of fields.
    """

    def completed(model: type[Model]) -> type[Model]:
        types = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        own = {name: field.annotation for name, field in model.model_fields.items()}
        if unknown := {*own, *words} - {*names}:
            raise TypeError(f"{kind.__name__} has no {unknown}")
        fields: dict[str, Any] = {
            name: ({**types, **own}[name], Field(description=words.get(name))) for name in names
        }
        made = create_model(
            model.__name__, __module__=model.__module__, __doc__=model.__doc__, **fields
        )
        return cast("type[Model]", made)

    return completed


@fields_of(
    reading.FoundTensor,
    role="Its name in the text: src, wei, a variable.",
    source="The primitive, for a line of a log.",
    line="The first line that names it, from 1.",
    times="How often the text repeats it.",
    layout="A text that can be parsed with this shape and dtype.",
    dims="Letters of the dimensions, where the source gives them a meaning.",
    itemsizes="For strides in bytes without an element type: the sizes that divide them, in bytes, "
    "likeliest first.",
    target="Index of the tensor that a reorder writes, for its source.",
    problem="The reason why the tensor cannot be read.",
)
class ReadTensor(BaseModel):
    """One tensor of a pasted text; null for what the text does not say."""


@fields_of(
    reading.Read,
    layout="A text that can be parsed with this shape and dtype.",
    system="The notation, null for a paste.",
    tensors="All tensors that a paste names; the first that can be read is also given above.",
    left_out="Tensors beyond the most that are listed.",
)
class Read(BaseModel):
    """The parts of a tensor that the text gives; null for the others."""

    tensors: list[ReadTensor]


class Offsets(BaseModel):
    """Addresses of the coordinates, in elements and in whole bytes."""

    offsets: list[int]
    byte_offsets: list[int]


class Owner(BaseModel):
    """The owner of one address."""

    offset: int
    kind: Literal["element", "shared", "padding", "gap", "outside", "undetermined"]
    count: int = Field(description="Logical elements at the address.")
    coordinates: list[list[int]] = Field(
        description="One if element or padding (the padded one), the first 64 if shared, else none."
    )


class Owners(BaseModel):
    """The owners, in the order of the request."""

    owners: list[Owner]


class Notation(BaseModel):
    """The layout in one dialect, or the reason why that dialect cannot write it."""

    text: str | None = None
    reason: str | None = None


@fields_of(
    description.Description,
    code="Code that makes the layout: numpy, pytorch, onednn (C++), "
    "onednn_c (C of version 3), onednn_descriptor (C of version 2).",
    readings="The chosen one first; empty if the request chose the notation. "
    "`shape`: the sizes of a reading that gives the same memory behind leading ones.",
    warnings="Cases where the arithmetic of a real library goes wrong.",
)
class Description(BaseModel):
    """All facts about one tensor in memory; strides in elements."""

    notations: dict[str, Notation]
    code: dict[str, Notation]


@fields_of(
    slices.Pick,
    dim="Source dimension; null for a new axis of size 1.",
    step="Negative if the slice goes backwards.",
    kept="False for an integer index, which removes its dimension.",
)
class Pick(BaseModel):
    """What a slice takes along one axis: the indices start + step·i for i < count."""


class Slice(BaseModel):
    """A slice, row-major."""

    shape: list[int]
    offsets: list[int]
    values: list[Any] | None
    view: Description | None
    picks: list[Pick] = Field(
        description="Every source dimension in order, with the new axes where the index has them."
    )


class Digit(BaseModel):
    """One radix of a dimension."""

    extent: int
    stride: int


class StepResult(BaseModel):
    """The layout after one step, in short."""

    shape: list[int]
    dims: str
    offset: int
    strides: list[int] | None
    digits: list[list[Digit]]


@fields_of(
    reshape.Jump,
    outer="The dimension whose stride does not continue the others, of the layout before the step.",
    inner="First dimension of those that continue each other.",
    last="Last dimension of those that continue each other.",
    step="Distance of neighbours in inner to last.",
    stride="Stride of outer.",
    needed="The stride with which outer would continue inner to last.",
    into="The new dimension that would need both strides.",
)
class Jump(BaseModel):
    """Where a reshape would need two strides in one dimension; strides in elements."""


class Breaks(BaseModel):
    """The step that needs a copy, and why."""

    step: int = Field(description="Index from 0.")
    op: str
    reason: str
    dim: int | None = Field(description="Dimension at fault, of the layout before the step.")
    jump: Jump | None
    before: Description = Field(description="The tensor before the step.")


class View(BaseModel):
    """The view, or the reason why there is none."""

    tensor: Description | None
    is_view: bool
    reason: str | None
    results: list[StepResult] = Field(
        description="The layout after each step, up to the first step that needs a copy."
    )
    breaks: Breaks | None = Field(description="The step that needs a copy; null for a view.")


class Elementwise(BaseModel):
    """The result of an element-wise operation."""

    tensor: Description


@fields_of(EngineLoop, fill="Further steps in the target only, which write zeros.")
class Loop(BaseModel):
    """One loop of a copy."""


@fields_of(
    EngineMove,
    unit_bits="Neighbouring elements that stay together are copied as one unit.",
    source="First unit read; null where zeros are written.",
    target="First unit written.",
)
class Move(BaseModel):
    """Nested loops, outermost first, in units of ``unit_bits``."""

    loops: list[Loop]


class Plan(BaseModel):
    """How the copy is made."""

    kernel: Literal["strided", "gather"]
    backend: str | None = Field(description="Backend that copied the values; null without values.")
    copy_needed: bool = Field(description="False if every element is already at its address.")
    elements: int
    bytes_read: int
    bytes_written: int
    moves: list[Move] = Field(description="For the gather kernel: the padding only.")


class Reorder(BaseModel):
    """The target buffer in address order, the target and the plan."""

    values: list[Any]
    target: Description
    plan: Plan


class NamedFormat(BaseModel):
    """One named format."""

    system: str
    name: str
    dims: str
    rank: int
    summary: str


class Dtype(BaseModel):
    """One element type."""

    name: str
    bits: int = Field(description="Of one element in memory; 4 bits: two elements in a byte.")
    kind: dtypes.Kind


class Formats(BaseModel):
    """The catalogue of formats, element types and notations."""

    formats: list[NamedFormat]
    dtypes: list[Dtype]
    systems: list[str]
