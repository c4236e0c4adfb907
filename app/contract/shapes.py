"""The documented shape of each answer.

What the engine answers with one of its dataclasses has its fields from there: a field that is
added to the engine is documented without an edit here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel, Field, create_model

from ..engine import dtypes, reorders
from ..engine.description import description
from ..engine.notation.paste import reading
from ..engine.views import slices

Model = TypeVar("Model", bound=BaseModel)


def _fields_of(kind: type, **words: str) -> Callable[[type[Model]], type[Model]]:
    """Give a model the fields of the dataclass ``kind``, in its order.

    A field that the model annotates itself keeps that type; ``words`` describe fields.
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


@_fields_of(
    reading.Read,
    layout="Parses with this shape and dtype.",
    system="The notation, null for a paste.",
)
class Read(BaseModel):
    """The parts of a tensor that the text names; null where it does not say."""


class Offsets(BaseModel):
    """Addresses of the coordinates, in elements and in whole bytes."""

    offsets: list[int]
    byte_offsets: list[int]


class Owner(BaseModel):
    """Who owns one address."""

    offset: int
    kind: Literal["element", "shared", "padding", "gap", "outside", "undetermined"]
    count: int = Field(description="Logical elements at the address.")
    coordinates: list[list[int]] = Field(
        description="One for an element, the first 64 for a shared address, the padded one."
    )


class Owners(BaseModel):
    """The owners, in the order asked."""

    owners: list[Owner]


class Notation(BaseModel):
    """The layout in one dialect, or why that dialect cannot say it."""

    text: str | None = None
    reason: str | None = None


@_fields_of(
    description.Description,
    code="Code that makes the layout: numpy, pytorch, onednn, onednn_descriptor.",
    readings="Chosen first; empty where forced.",
    warnings="Where a real library's own arithmetic goes wrong.",
)
class Description(BaseModel):
    """Everything there is to say about one tensor in memory; strides in elements."""

    notations: dict[str, Notation]
    code: dict[str, Notation]


@_fields_of(
    slices.Pick,
    dim="Source dimension; null for a new axis of size 1.",
    step="Negative where the slice goes backwards.",
    kept="False for an integer index, whose dimension goes away.",
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


class View(BaseModel):
    """The view, or why there is none."""

    tensor: Description | None
    is_view: bool
    reason: str | None


class Elementwise(BaseModel):
    """The result of an element-wise operation."""

    tensor: Description


@_fields_of(reorders.Loop, fill="Further steps of the target alone, which are written zero.")
class Loop(BaseModel):
    """One loop of a copy."""


@_fields_of(
    reorders.Move,
    unit_bits="Neighbours that stay together move as one unit.",
    source="First unit read; null where zeros are written.",
    target="First unit written.",
)
class Move(BaseModel):
    """Nested loops, outermost first, in units of ``unit_bits``."""

    loops: list[Loop]


class Plan(BaseModel):
    """How the copy is made."""

    kernel: Literal["strided", "gather"]
    backend: str | None = Field(description="What moved the values; null if none came.")
    copy_needed: bool = Field(description="False where every element is already in its place.")
    elements: int
    bytes_read: int
    bytes_written: int
    moves: list[Move] = Field(description="Of the gather kernel: the padding alone.")


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
    bits: int = Field(description="Of one element in memory: 4 lie two to a byte.")
    kind: dtypes.Kind


class Formats(BaseModel):
    """The catalogue."""

    formats: list[NamedFormat]
    dtypes: list[Dtype]
    systems: list[str]
