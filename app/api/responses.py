"""Responses, as OpenAPI documents them; the engine's answers are sent as they are."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class ReadModel(BaseModel):
    """The parts of a tensor that the text names; null where it does not say."""

    shape: list[int] | None
    dtype: str | None
    layout: str | None = Field(description="Parses with this shape and dtype.")
    system: str | None = Field(description="The notation, null for a paste.")


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


class DigitModel(BaseModel):
    """One radix of a dimension."""

    extent: int
    stride: int


class SwizzleModel(BaseModel):
    """One XOR over the finished offset, as CuTe's Swizzle<bits, base, shift>."""

    bits: int
    base: int
    shift: int


class BlockingModel(BaseModel):
    """oneDNN's view."""

    outer_strides: list[int]
    inner_blocks: list[tuple[int, int]]


class BufferModel(BaseModel):
    """Sizes of the buffer."""

    elements: int
    bytes: int
    per_system: dict[str, int | None]


class PropertiesModel(BaseModel):
    """Predicates; null where a bounded search ended undecided."""

    packed: bool | None
    padded: bool | None
    broadcast: bool
    overlapping: bool | None
    dense: bool
    contiguous: bool
    channels_last: bool
    channels_last_3d: bool


class NameModel(BaseModel):
    """A named format that the digits satisfy."""

    name: str
    reason: str | None
    cause: Literal["size_one", "same_memory"] | None
    ones: list[str]
    rivals: list[str]


class NotationModel(BaseModel):
    """The layout in one dialect, or why that dialect cannot say it."""

    text: str | None = None
    reason: str | None = None


class ReadingModel(BaseModel):
    """A dialect that reads the layout's text; ``same``: as the one that was chosen."""

    system: str
    text: str
    same: bool


class DescriptionModel(BaseModel):
    """Everything there is to say about one tensor in memory; strides in elements."""

    shape: list[int]
    dims: str
    dtype: str
    layout: str
    offset: int
    digits: list[list[DigitModel]]
    swizzle: SwizzleModel | None
    strides: list[int] | None
    byte_strides: list[int] | None
    padded_shape: list[int]
    physical_shape: list[int] | None
    blocking: BlockingModel | None
    buffer: BufferModel
    properties: PropertiesModel
    names: dict[str, list[NameModel]]
    notations: dict[str, NotationModel]
    code: dict[str, NotationModel] = Field(
        description="Code that makes the layout: numpy, pytorch, onednn, onednn_descriptor."
    )
    readings: list[ReadingModel] = Field(description="Chosen first; empty where forced.")
    warnings: list[str] = Field(description="Where a real library's own arithmetic goes wrong.")


class PickModel(BaseModel):
    """What a slice takes along one axis: the indices start + step·i for i < count."""

    dim: int | None = Field(description="Source dimension; null for a new axis of size 1.")
    start: int
    step: int = Field(description="Negative where the slice goes backwards.")
    count: int
    kept: bool = Field(description="False for an integer index, whose dimension goes away.")


class SliceModel(BaseModel):
    """A slice, row-major."""

    shape: list[int]
    offsets: list[int]
    values: list[Any] | None
    view: DescriptionModel | None
    picks: list[PickModel] = Field(
        description="Every source dimension in order, with the new axes where the index has them."
    )


class ViewModel(BaseModel):
    """The view, or why there is none."""

    tensor: DescriptionModel | None
    is_view: bool
    reason: str | None


class ElementwiseModel(BaseModel):
    """The result of an element-wise operation."""

    tensor: DescriptionModel


class LoopModel(BaseModel):
    """One loop of a copy."""

    extent: int
    source_stride: int
    target_stride: int
    fill: int = Field(description="Further steps of the target alone, which are written zero.")


class MoveModel(BaseModel):
    """Nested loops, outermost first, in units of ``unit_bits``."""

    kernel: Literal["runs", "transpose", "elements", "zeros"]
    unit_bits: int = Field(description="Neighbours that stay together move as one unit.")
    source: int | None = Field(description="First unit read; null where zeros are written.")
    target: int = Field(description="First unit written.")
    loops: list[LoopModel]


class PlanModel(BaseModel):
    """How the copy is made."""

    kernel: Literal["strided", "gather"]
    backend: str | None = Field(description="What moved the values; null if none came.")
    copy_needed: bool = Field(description="False where every element is already in its place.")
    elements: int
    bytes_read: int
    bytes_written: int
    moves: list[MoveModel] = Field(description="Of the gather kernel: the padding alone.")


class ReorderModel(BaseModel):
    """The target buffer in address order, the target and the plan."""

    values: list[Any]
    target: DescriptionModel
    plan: PlanModel


class FormatModel(BaseModel):
    """One named format."""

    system: str
    name: str
    dims: str
    rank: int
    summary: str


class DtypeModel(BaseModel):
    """One element type."""

    name: str
    bits: int = Field(description="Of one element in memory: 4 lie two to a byte.")
    kind: Literal["float", "int", "uint", "bool"]


class FormatsModel(BaseModel):
    """The catalogue."""

    formats: list[FormatModel]
    dtypes: list[DtypeModel]
    systems: list[str]


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"]
