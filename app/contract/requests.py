"""The requests: their fields, their checks, and the values of the engine made from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, WithJsonSchema, WrapValidator, model_validator

from ..engine import Layout, LayoutError, parse_dtype
from ..engine.description import tensor
from ..engine.model.dtypes import ELEMENT_TYPES
from ..engine.model.errors import phrase
from ..engine.model.layout import INT64_MAX, MAX_RANK
from ..engine.notation.dialect import MAX_TEXT
from ..engine.notation.slices import Slice, index_expression, window
from .fields import (
    Dims,
    Integers,
    Size,
    Sizes,
    Strict,
    Text,
    TypeName,
    bounded,
    check_one_of_two,
    one_of_two,
    rows_or_lists,
)
from .steps import Steps

_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]{1,400})\s*")
_STRIDE: dict[str, Any] = {"type": "integer", "minimum": -INT64_MAX, "maximum": INT64_MAX}
_OFFSET: dict[str, Any] = {"type": "integer", "default": 0, "minimum": 0, "maximum": INT64_MAX}
_STRIDES: dict[str, Any] = {"type": "array", "items": _STRIDE, "maxItems": MAX_RANK}


def _strided(unit: str, strides: str, offset: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": f"Strides and offset in {unit}; one stride per size.",
        "properties": {strides: _STRIDES, offset: _OFFSET},
        "required": [strides],
        "additionalProperties": False,
    }


LayoutJson = Annotated[
    Any,
    WithJsonSchema(
        {
            "title": "Layout",
            "oneOf": [
                {
                    "type": "string",
                    "description": "Any supported notation; system:text chooses the notation.",
                    "examples": ["NCHW4", "(5, 1)", "channels_last", "onednn:OIhw4i16o4i"],
                    "minLength": 1,
                    "maxLength": MAX_TEXT,
                    "pattern": r"\S",
                },
                _strided("elements", "strides", "offset"),
                _strided("bytes", "byte_strides", "byte_offset"),
            ],
        }
    ),
]


class TensorJson(Strict):
    """A tensor: logical sizes, layout in memory, and element type."""

    shape: Sizes = Field(description="Logical sizes in the order of dims; [] is one element.")
    layout: LayoutJson
    dtype: TypeName = Field("float32", description="Element type.", examples=list(ELEMENT_TYPES))
    dims: Dims | None = Field(
        None, description="One letter per dimension; default: the layout's, in canonical order."
    )
    elements: Size | None = Field(
        None, description="Elements in the buffer, if it is larger than the layout needs."
    )

    def parse(self, field: str = "") -> tensor.Tensor:
        """Return the engine's tensor. Errors: LayoutError naming a field below ``field``."""
        try:
            dtype = parse_dtype(self.dtype)
            return tensor.parse_tensor(self.shape, self.layout, self.dims, dtype, self.elements)
        except LayoutError as error:
            raise (error.within(field) if field else error) from None


def tensor_of_texts(values: Mapping[str, str]) -> TensorJson:
    """Return the tensor of texts by the names of the contract: of a query, a link, a directive.

    Errors: LayoutError for what is missing or not an integer; ValidationError as for the same
    Tensor in JSON.
    """
    if "shape" not in values:
        raise LayoutError("shape", None, phrase("sizes.text"))
    if ("layout" in values) == ("strides" in values):
        raise LayoutError("layout", values.get("layout"), phrase("layout.or_strides"))
    if "offset" in values and "strides" not in values:
        raise LayoutError("offset", values["offset"], phrase("strides.with_offset"))
    tensor: dict[str, Any] = {"shape": integers("shape", values["shape"])}
    if "layout" in values:
        tensor["layout"] = values["layout"]
    else:
        tensor["layout"] = {
            "strides": integers("strides", values["strides"]),
            "offset": integer("offset", values.get("offset", "0")),
        }
    tensor |= {name: values[name] for name in ("dtype", "dims") if name in values}
    if "elements" in values:
        tensor["elements"] = integer("elements", values["elements"])
    return TensorJson.model_validate(tensor)


def integers(field: str, text: str) -> list[int]:
    """Parse integers separated by commas; an empty text gives none.

    Errors: LayoutError naming ``field`` and the index.
    """
    if not text.strip():
        return []
    return [integer(f"{field}[{i}]", part) for i, part in enumerate(text.split(","))]


def integer(field: str, text: str) -> int:
    """Parse one integer. Errors: LayoutError naming ``field``."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        raise LayoutError(field, text, phrase("integer"))
    return int(found[1])  # int() accepts other spaces than a regular expression


class ReadRequest(Strict):
    """Text from a session, a debugger or a log, or any notation."""

    text: Annotated[
        str, Field(max_length=262144, json_schema_extra={"minLength": 1, "pattern": r"\S"})
    ] = Field(examples=["torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"])


class OffsetsRequest(Strict):
    """Coordinates to convert to addresses."""

    tensor: TensorJson
    # A long list of them is given as Rows, which are checked already.
    coordinates: Annotated[
        list[Annotated[Integers, WithJsonSchema(bounded(0))]],
        Field(fail_fast=True),
        WrapValidator(rows_or_lists),
    ] = Field(
        description="One list per coordinate, in the order of the tensor's dims.",
        examples=[[[0, 5, 0, 2], [1, 63, 2, 2]]],
    )


class CoordinatesRequest(Strict):
    """Addresses to find the owners of."""

    tensor: TensorJson
    offsets: Integers = Field(description="Addresses in elements, any int64.", examples=[[0, 698]])


# DML_SLICE1 has 1 to 8 dimensions.
_WINDOW: dict[str, Any] = {"minItems": 1, "maxItems": 8}
_WINDOW_STRIDES: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "integer",
        "minimum": -INT64_MAX - 1,
        "maximum": INT64_MAX,
        "not": {"const": 0},
    },
    **_WINDOW,
}


class Window(Strict):
    """A DML_SLICE1 window, one entry per dimension."""

    offsets: Annotated[Integers, WithJsonSchema(bounded(0, **_WINDOW))]
    sizes: Annotated[Integers, WithJsonSchema(bounded(1, **_WINDOW))]
    strides: Annotated[Integers, WithJsonSchema(_WINDOW_STRIDES)]
    output_sizes: Annotated[Integers, WithJsonSchema(bounded(1, **_WINDOW))] | None = None


class SliceRequest(Strict):
    """A window or a NumPy index; ``values`` is the buffer in address order."""

    model_config = ConfigDict(json_schema_extra=one_of_two("window", "index"))

    tensor: TensorJson
    steps: Steps = Field([], description="Steps of a view, applied before the slice.")
    window: Window | None = None
    index: Text | None = Field(None, examples=["0, ::-1, 1:3"])
    first: Size | None = Field(
        None, description="List only the first so many offsets and values; default: all of them."
    )
    values: Annotated[list[Any], Field(fail_fast=True)] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> SliceRequest:
        check_one_of_two(self, "window", "index")
        return self

    def taken(self, layout: Layout) -> Slice:
        """Return the slice of ``layout``.

        Errors: LayoutError naming window, a part of it, or index.
        """
        if self.window is None:
            return index_expression(layout, self.index or "")
        w = self.window
        return window(layout, w.offsets, w.sizes, w.strides, w.output_sizes)


class ViewRequest(Strict):
    """Steps from one layout to another over the same buffer."""

    tensor: TensorJson
    steps: Steps = Field(examples=[[{"op": "permute", "dims": [0, 2, 3, 1]}]])


class ElementwiseRequest(Strict):
    """Operands of an element-wise operation, in order."""

    operands: Annotated[list[TensorJson], Field(min_length=1, max_length=64)]


class ReorderRequest(Strict):
    """A copy from one layout into another; ``values`` is the source buffer in address order."""

    source: TensorJson
    target: LayoutJson
    values: Annotated[list[Any], Field(fail_fast=True)] | None = None
