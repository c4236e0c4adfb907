"""The documented shape of each answer.

The shape of an answer that is a dataclass of the engine takes its fields from there. A field that
is added to the engine is documented without an edit here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel, Field, create_model

from ..engine import dtypes, reorders
from ..engine.description import description
from ..engine.notation.paste import reading
from ..engine.views import reshape, slices

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


@fields_of(reorders.Loop, fill="Further steps in the target only, which write zeros.")
class Loop(BaseModel):
    """One loop of a copy."""


@fields_of(
    reorders.Move,
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


class PlacedTensor(BaseModel):
    """One tensor of a network; everything is null, with a reason, if its shape is not known."""

    shape: list[int] | None
    dtype: str | None
    layout: str | None = Field(description="A text that reads back with this shape.")
    strides: list[int] | None = Field(description="In elements; null for a blocked layout.")
    offset: int | None
    view: bool = Field(description="Whether it shares an operand's memory.")
    of: str | None = Field(None, description="That operand.")
    reason: str | None = Field(None, description="Why the shape is not known.")


class NetworkReorder(BaseModel):
    """One copy of a tensor into another layout."""

    tensor: str
    source: str = Field(description="The layout in the rule set's words.")
    target: str
    before: str | None = Field(None, description="The node that needs the copy first.")
    after: str | None = Field(None, description="The node that made the tensor.")
    readers: list[str] = Field(
        description="All nodes that read the copy; none where only the network's user does."
    )
    bytes: int = Field(description="Read and written.")


class NodeReport(BaseModel):
    """What happens at one node, and why."""

    name: str
    op: str
    rule: str
    reason: str
    lost: str | None = Field(None, description="The format that the node gave up.")


class Propagation(BaseModel):
    """Every tensor by name, the reorders, and the nodes in order."""

    rules: str
    tensors: dict[str, PlacedTensor]
    reorders: list[NetworkReorder]
    nodes: list[NodeReport]
    bytes: int = Field(description="What all reorders read and write.")


class ChosenWay(BaseModel):
    """How one node is run: a layout per operand and per result, null for any."""

    inputs: list[str | None]
    outputs: list[str | None]
    cost: float = Field(description="Of the node itself, without reorders.")


class PlannedReorder(BaseModel):
    """One copy of a tensor, which serves all its readers."""

    tensor: str
    source: str
    target: str
    before: str | None = Field(description="The first node that reads the copy.")
    after: str | None = Field(description="The node that made the tensor; null for an input.")
    readers: list[str] = Field(
        description="All nodes that read the copy; none where only the network's user does."
    )
    bytes: int = Field(description="Read and written, padding included.")


class Baseline(BaseModel):
    """What another way to choose would pay."""

    name: str
    cost: float
    reorders: int


class LeftOutBaseline(BaseModel):
    """A baseline that is not there."""

    name: str
    reason: str = Field(description="One sentence: no time was left, or it does not fit.")


class LayoutPlan(BaseModel):
    """The layouts of a network at the least cost."""

    tensors: dict[str, list[str]] = Field(
        description="The layouts that each tensor is held in, the one it is produced in first."
    )
    nodes: dict[str, ChosenWay]
    reorders: list[PlannedReorder]
    cost: float = Field(description="Bytes of all reorders, and the nodes' own costs.")
    bound: float = Field(description="No assignment costs less.")
    optimal: bool = Field(description="Whether the cost equals the bound.")
    baselines: list[Baseline]
    left_out: list[LeftOutBaseline]


class ExampleSummary(BaseModel):
    """A network to start from."""

    name: str
    title: str
    shows: str = Field(description="What it shows, in one sentence.")
    nodes: int
    tensors: int = Field(description="Without the constants.")
    constants: int


class Examples(BaseModel):
    """The networks to start from."""

    networks: list[ExampleSummary]


class ExampleNetwork(ExampleSummary):
    """A network to start from, with its graph as /propagate and /plan take it."""

    graph: dict[str, Any]


class UnknownOperator(BaseModel):
    """An operator of a file that the catalogue does not have."""

    node: str
    op: str = Field(description="With its domain: com.microsoft:BiasGelu.")
    reason: str = Field(description="What becomes of it.")


class Decision(BaseModel):
    """A reorder that ONNX Runtime wrote into a file that it saved after optimisation."""

    node: str
    tensor: str
    source: str
    target: str


class FileGraph(BaseModel):
    """The network of an .onnx file."""

    graph: dict[str, Any] = Field(description="As /propagate and /plan take it.")
    unknown: list[UnknownOperator]
    assumed: dict[str, int] = Field(
        description="Sizes that the file leaves open, by its names for them, as they were taken."
    )
    decisions: list[Decision]


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
