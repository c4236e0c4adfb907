"""Parses what ``wire`` leaves of a model, with the library ``onnx``, and inlines its functions.

Its constants and attributes become values of the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from ...engine.model.dtypes import BY_ONNX
from ...engine.model.errors import LayoutError, phrase, refusal
from ...engine.model.layout import INT64_MAX, Layout, check_shape, packed_strides
from ...engine.network import GraphTensor
from .wire import MOST_NODES, slim

if TYPE_CHECKING:
    import onnx


_STANDARD = ("", "ai.onnx")
_Key = tuple[str, str, str]
OLDEST = 7  # before it, operands broadcast by an attribute
NEWEST_READ = 28  # what changes in an operator after this opset is not known here
MOST_NAME = 4096
MOST_INTEGERS = 1024
# Values by element type: integers that may be sizes, numbers that may be scales.
_MOST_VALUES = dict.fromkeys(("int32", "int64"), MOST_INTEGERS) | dict.fromkeys(
    ("float32", "uint8", "int8", "bool", "float64"), 16
)
Values = tuple[int | float, ...] | None


class MissingLibraryError(Exception):
    """A library is not installed; the one argument, a phrase, says how to install it."""


def parse(data: memoryview) -> onnx.ModelProto:
    """The model without weights, its functions inlined.

    Errors: LayoutError naming ``body`` or a part of the file; MissingLibraryError.
    """
    if not data:
        raise refusal("body", "an empty file", "onnx.model")
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ImportError:
        raise MissingLibraryError(phrase("library.onnx")) from None
    try:
        model = onnx.ModelProto.FromString(slim(data))
    except DecodeError:
        raise refusal("body", "a file of another kind", "onnx.model") from None
    if not model.HasField("graph") or not model.opset_import:
        missing = "graph" if model.opset_import else "opset_import"
        raise refusal("body", f"a file without a {missing}", "onnx.model")
    for i, each in enumerate(model.opset_import):
        if each.domain in _STANDARD and not OLDEST <= each.version <= newest():
            expected = phrase("onnx.opset", low=OLDEST, high=newest())
            raise LayoutError(f"opset_import[{i}].version", each.version, expected)
    return _inlined(model) if model.functions else model


def opset_of(model: onnx.ModelProto) -> int:
    """The version of ONNX's own operators; the newest where only other domains are imported."""
    own = [each.version for each in model.opset_import if each.domain in _STANDARD]
    return max(own, default=newest())


def domain_of(node: onnx.NodeProto) -> str:
    """The domain of a node's operator; empty for ONNX's own."""
    return "" if node.domain in _STANDARD else node.domain


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without functions. They are counted before, as they may grow exponentially."""
    import onnx.inliner

    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    if len(functions) < len(model.functions):
        raise refusal("functions", "a function that is given twice", "once.each")
    if _size(model.graph.node, _sizes(functions)) > MOST_NODES:
        raise refusal("functions", "functions of more nodes in all", "most", most=MOST_NODES)
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the library raises whatever its C++ raises
        raise refusal("functions", "functions that do not fit their calls", "onnx.model") from error


def _sizes(functions: dict[_Key, Any]) -> dict[_Key, int]:
    """The nodes of each function and of all that it calls. Errors: LayoutError for recursion."""
    called = {key: {k for k in _calls(f.node) if k in functions} for key, f in functions.items()}
    sizes: dict[_Key, int] = {}
    try:
        for key in TopologicalSorter(called).static_order():
            sizes[key] = _size(functions[key].node, sizes)
    except CycleError as error:
        inner, outer = (list(functions).index(key) for key in error.args[1][:2])
        got = f"a call of functions[{inner}], which calls this one"
        raise refusal(f"functions[{outer}].node", got, "onnx.recursion") from None
    return sizes


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.NodeProto]:
    """Nodes, and those of graphs in their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _all_nodes(graph.node)


def _calls(nodes: Iterable[onnx.NodeProto]) -> Iterable[_Key]:
    return ((n.domain, n.op_type, n.overload) for n in _all_nodes(nodes))


def _size(nodes: Iterable[onnx.NodeProto], sizes: dict[_Key, int]) -> int:
    return sum(sizes.get(key, 1) for key in _calls(nodes))


def newest() -> int:
    """The newest opset that the installed library ``onnx`` knows."""
    from onnx.defs import onnx_opset_version

    return int(onnx_opset_version())


@cache
def strange(op: str, opset: int) -> str:
    """Why ONNX's operator ``op`` has no known meaning in ``opset``; empty where it has one."""
    from onnx.defs import SchemaError, get_schema

    try:
        since = get_schema(op, opset, "").since_version
    except SchemaError:
        return f"Opset {opset} has no operator {op}."
    if since > NEWEST_READ:
        return f"{op} changed in opset {since}; it is known here up to opset {NEWEST_READ}."
    return ""


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
