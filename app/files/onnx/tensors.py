"""Constants and attributes of a model as values of the engine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...engine.model.dtypes import BY_ONNX
from ...engine.model.errors import LayoutError, refusal
from ...engine.model.layout import INT64_MAX, Layout, check_shape, packed_strides
from ...engine.network import GraphTensor

if TYPE_CHECKING:
    import onnx

MOST_NAME = 4096
MOST_INTEGERS = 1024
# Values by element type: integers that may be sizes, numbers that may be scales.
_MOST_VALUES = dict.fromkeys(("int32", "int64"), MOST_INTEGERS) | dict.fromkeys(
    ("float32", "uint8", "int8", "bool", "float64"), 16
)


Values = tuple[int | float, ...] | None


def row_major(
    where: str, dims: Iterable[int], data_type: int, values: Values = None
) -> GraphTensor:
    """A row-major tensor. Errors: LayoutError naming its part of the file."""
    shape, dtype = tuple(dims), BY_ONNX.get(data_type)
    if dtype is None:
        raise refusal(f"{where}.data_type", f"element type {data_type}", "onnx.numbers")
    try:
        check_shape(shape)
        return GraphTensor(Layout.strided(shape, packed_strides(shape)), dtype, values)
    except LayoutError as error:
        raise error.under(f"{where}.dims") from None


def values_of(where: str, tensor: onnx.TensorProto) -> Values:
    """The elements of a short list of integers or of numbers; None for weights.

    Data in a file beside the model are never looked for.
    """
    dtype = BY_ONNX.get(tensor.data_type)
    if tensor.data_location == tensor.EXTERNAL:
        return None
    if dtype is None or math.prod(tensor.dims) > _MOST_VALUES.get(dtype.name, -1):
        return None
    from onnx import numpy_helper

    try:
        found = numpy_helper.to_array(tensor).ravel().tolist()
    except (ValueError, TypeError):
        raise refusal(where, "data of another size", "onnx.data") from None
    return finite(found)


def finite(values: Iterable[int | float]) -> Values:
    # The least int64 stands for "to the very beginning", as the next one does.
    found = tuple(max(-INT64_MAX, int(each)) if isinstance(each, int) else each for each in values)
    return found if len(found) <= MOST_INTEGERS and all(map(math.isfinite, found)) else None


def filling_of(tensor: onnx.TensorProto) -> list[Any] | None:
    """The element type and the number that ConstantOfShape writes; None where they are not known.

    Errors: LayoutError naming the attribute.
    """
    dtype, values = BY_ONNX.get(tensor.data_type), values_of("attribute", tensor)
    return [dtype.name, values[0]] if dtype and values and len(values) == 1 else None


def attribute_of(attribute: onnx.AttributeProto) -> Any:
    """Numbers, text, lists of them; the words "a tensor", "a graph" for what is larger."""
    match attribute.type:
        case 1:
            return attribute.f if math.isfinite(attribute.f) else None
        case 2:
            return max(-INT64_MAX, attribute.i)
        case 3:
            return attribute.s.decode("utf-8", "replace")[:MOST_NAME]
        case 6:
            return [each if math.isfinite(each) else None for each in attribute.floats]
        case 7:
            return list(attribute.ints)
        case 8:
            return [each.decode("utf-8", "replace")[:MOST_NAME] for each in attribute.strings]
        case 4 | 9 | 11 | 12:
            return "a tensor"
        case 5 | 10:
            return "a graph"
        case _:
            return None
