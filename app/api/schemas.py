"""Requests: the only place where JSON becomes engine values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from ..engine import LayoutError, parse_dtype
from ..engine.description import tensor
from ..engine.dtypes import ELEMENT_TYPES
from ..engine.layout import INT64_MAX

INT64_MIN = -INT64_MAX - 1
MOST_ERRORS: Final = 20  # of one request that are listed

Size = Annotated[int, Field(ge=0, le=INT64_MAX)]
Int64 = Annotated[int, Field(ge=INT64_MIN, le=INT64_MAX)]
Sizes = Annotated[list[Size], Field(fail_fast=True)]
Integers = Annotated[list[Int64], Field(fail_fast=True)]
Text = Annotated[str, Field(max_length=4096)]

LayoutJson = Annotated[
    Any,
    WithJsonSchema(
        {
            "title": "Layout",
            "oneOf": [
                {
                    "type": "string",
                    "description": "Any supported notation; system:text forces one.",
                    "examples": ["NCHW4", "(5, 1)", "channels_last", "onednn:OIhw4i16o4i"],
                },
                {
                    "type": "object",
                    "description": "Strides and offset in elements.",
                    "properties": {
                        "strides": {"type": "array", "items": {"type": "integer"}},
                        "offset": {"type": "integer", "default": 0},
                    },
                    "required": ["strides"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "description": "Strides and offset in bytes.",
                    "properties": {
                        "byte_strides": {"type": "array", "items": {"type": "integer"}},
                        "byte_offset": {"type": "integer", "default": 0},
                    },
                    "required": ["byte_strides"],
                    "additionalProperties": False,
                },
            ],
        }
    ),
]


@dataclass(frozen=True, slots=True)
class Further:
    """The value of an unknown field that stands for ``fields`` of them, itself included."""

    fields: int


class Strict(BaseModel):
    """No coercion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _few_unknown_fields(cls, value: Any) -> Any:
        """``value`` with at most MOST_ERRORS unknown fields, and one for all others.

        Each makes an error many times its size, so millions of them must not reach the model.
        """
        known = cls.model_fields
        if not isinstance(value, dict) or len(value) <= len(known) + MOST_ERRORS:
            return value
        kept = {name: value[name] for name in known if name in value}
        unknown = (name for name in value if name not in known)
        kept |= {name: value[name] for name in islice(unknown, MOST_ERRORS)}
        for name in islice(unknown, 1):
            kept[name] = Further(len(value) - len(kept))
        return kept


class Tensor(Strict):
    """Logical sizes, how they lie in memory, and the element type."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"shape": [2, 64, 3, 3], "layout": "NCHW4", "dtype": "float32", "dims": "NCHW"},
                {"shape": [2, 3], "layout": {"strides": [5, 1], "offset": 0}, "elements": 10},
            ]
        }
    )

    shape: Sizes = Field(description="Logical sizes in the order of dims; [] is one element.")
    layout: LayoutJson
    dtype: Text = Field("float32", description="Element type.", examples=list(ELEMENT_TYPES))
    dims: Text | None = Field(
        None, description="One letter per dimension; by default the layout's, in canonical order."
    )
    elements: Size | None = Field(
        None, description="Elements in the buffer, where it is larger than the layout needs."
    )

    def parse(self, field: str = "") -> tensor.Tensor:
        """The engine's tensor; errors name fields below ``field``."""
        try:
            dtype = parse_dtype(self.dtype)
            return tensor.parse_tensor(self.shape, self.layout, self.dims, dtype, self.elements)
        except LayoutError as error:
            raise (error.within(field) if field else error) from None


class ReadRequest(Strict):
    """Text from a session, a debugger, a log, or any notation."""

    text: Annotated[str, Field(max_length=65536)] = Field(
        examples=["torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"]
    )


class OffsetsRequest(Strict):
    """Coordinates whose addresses are wanted."""

    tensor: Tensor
    coordinates: Annotated[list[Integers], Field(fail_fast=True)] = Field(
        description="One list per coordinate, in the order of the tensor's dims.",
        examples=[[[0, 5, 0, 2], [1, 63, 2, 2]]],
    )


class CoordinatesRequest(Strict):
    """Addresses whose owners are wanted."""

    tensor: Tensor
    offsets: Integers = Field(description="Addresses in elements, any int64.", examples=[[0, 698]])


class Window(Strict):
    """A DML_SLICE1 window, one entry per dimension."""

    offsets: Integers
    sizes: Integers
    strides: Integers
    output_sizes: Integers | None = None


class SliceRequest(Strict):
    """A window or a NumPy index; ``values`` is the buffer in address order."""

    tensor: Tensor
    window: Window | None = None
    index: Text | None = Field(None, examples=["0, ::-1, 1:3"])
    values: Annotated[list[Any], Field(fail_fast=True)] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> SliceRequest:
        if (self.window is None) == (self.index is None):
            raise ValueError("exactly one of window and index")
        return self


class Permute(Strict):
    """Dimension dims[i] becomes dimension i."""

    op: Literal["permute"]
    dims: Integers


class Transpose(Strict):
    """Swap two dimensions."""

    op: Literal["transpose"]
    dim0: Int64
    dim1: Int64


class Chunk(Strict):
    """Part ``index`` of parts of ⌈size/chunks⌉ elements."""

    op: Literal["chunk"]
    dim: Int64
    chunks: Int64
    index: Int64


class Reshape(Strict):
    """The same elements under other sizes; -1 once is inferred."""

    op: Literal["reshape"]
    shape: Integers


class Broadcast(Strict):
    """Sizes of 1 repeated with stride 0; -1 keeps a size."""

    op: Literal["broadcast"]
    shape: Integers


class Narrow(Strict):
    """``length`` elements from ``start`` on."""

    op: Literal["narrow"]
    dim: Int64
    start: Int64
    length: Int64


class Select(Strict):
    """One index of a dimension, which goes away."""

    op: Literal["select"]
    dim: Int64
    index: Int64


class Unsqueeze(Strict):
    """A new dimension of size 1."""

    op: Literal["unsqueeze"]
    dim: Int64


class Squeeze(Strict):
    """Without a dimension of size 1; without all such where ``dim`` is null."""

    op: Literal["squeeze"]
    dim: Int64 | None = None


class Flip(Strict):
    """A dimension backwards."""

    op: Literal["flip"]
    dim: Int64


class Submemory(Strict):
    """oneDNN's submemory_desc."""

    op: Literal["submemory"]
    offsets: Integers
    sizes: Integers


Step = Annotated[
    Permute
    | Transpose
    | Chunk
    | Reshape
    | Broadcast
    | Narrow
    | Select
    | Unsqueeze
    | Squeeze
    | Flip
    | Submemory,
    Field(discriminator="op"),
]


class ViewRequest(Strict):
    """Steps from one layout to another over the same buffer."""

    tensor: Tensor
    steps: Annotated[list[Step], Field(max_length=64)] = Field(
        examples=[[{"op": "permute", "dims": [0, 2, 3, 1]}]]
    )


class ElementwiseRequest(Strict):
    """Operands of an element-wise operation, in order."""

    operands: Annotated[list[Tensor], Field(min_length=1, max_length=64)]


class ReorderRequest(Strict):
    """A copy from one layout into another; ``values`` is the source buffer in address order."""

    source: Tensor
    target: LayoutJson
    values: Annotated[list[Any], Field(fail_fast=True)] | None = None
