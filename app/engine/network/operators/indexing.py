"""Operators that pick elements by index, and those that only look at a shape."""

import math

from ...model.dtypes import DEFAULT, ELEMENT_TYPES, parse_dtype
from ...model.errors import LayoutError, Phrase
from ...model.layout import checked_product
from .base import (
    Call,
    Shaped,
    ShapeNotKnownError,
    TensorType,
    axis_of,
    broadcast_shapes,
    copy,
    memory,
)
from .parts import sliced
from .views import replaced

_INT64 = ELEMENT_TYPES["int64"]


def _embedding(call: Call, indices: TensorType) -> Shaped:
    weight = call.need("weight")
    if weight.rank != 2:
        raise call.misfit("weight", Phrase("rank.2", "2 dimensions"))
    return TensorType((*indices.shape, weight.shape[1]), weight.dtype)


def _index_select(call: Call, source: TensorType) -> Shaped:
    index = call.need("index")
    d = axis_of(call, source.rank)
    if index.rank > 1:
        raise call.misranked("index", Phrase("rank.most_1", "at most 1 dimension"))
    count = index.shape[0] if index.rank else 1
    return TensorType(replaced(source.shape, d, count) if source.rank else (), source.dtype)


def _gather(call: Call, source: TensorType) -> Shaped:
    """ONNX's Gather: the indices' shape in the place of a dimension."""
    index = call.need("index")
    d = axis_of(call, source.rank)
    return TensorType(replaced(source.shape, d, *index.shape), source.dtype)


def _gather_elements(call: Call, source: TensorType) -> Shaped:
    index = call.need("index")
    if call.attributes["dim"] is None:  # of the flattened input
        return TensorType((math.prod(index.shape),), source.dtype)
    d = axis_of(call, source.rank)
    if source.rank != index.rank:
        raise call.misranked("index", Phrase("rank.equal", "rank {rank}", rank=source.rank))
    if call.op == "take_along_dim" and source.rank:
        sides = [replaced(each.shape, d, 1) for each in (source, index)]
        sizes = broadcast_shapes(sides, lambda i: f"inputs[{i}]")
        return TensorType(replaced(sizes, d, index.shape[d]), source.dtype)
    return TensorType(index.shape, source.dtype)


def _gather_nd(call: Call, source: TensorType) -> Shaped:
    index = call.need("index")
    batch = call.attributes["batch_dims"]
    last = index.shape[-1] if index.rank else 0
    if not 0 <= batch < max(index.rank, 1) or not 1 <= last <= source.rank - batch:
        raise call.misfit("index", Phrase("index.matching", "matching indices"))
    return TensorType((*index.shape[:-1], *source.shape[batch + last :]), source.dtype)


def _one_hot(call: Call, source: TensorType) -> Shaped:
    if call.dialect == "torch":
        classes = call.attributes["num_classes"]
        if classes < 0:
            raise ShapeNotKnownError("The number of classes depends on the values of the indices.")
        return TensorType((*source.shape, classes), _INT64)
    depth = call.integers("depth") or (0,)
    axis = call.attributes["dim"]
    axis += (source.rank + 1) * (axis < 0)
    if not 0 <= axis <= source.rank:
        expected = Phrase("dimension.of", "a dimension of {rank}", rank=source.rank + 1)
        raise LayoutError("attributes.axis", axis, expected)
    shape = (*source.shape[:axis], depth[0], *source.shape[axis:])
    return TensorType(shape, call.need("values").dtype)


def _by_values(_call: Call, _source: TensorType) -> Shaped:
    raise ShapeNotKnownError("The shape depends on the values of the operand.")


def _shape(call: Call, source: TensorType) -> Shaped:
    start, end = call.attributes["start"], call.attributes["end"]
    return TensorType((len(sliced(source.rank, start, end, 1)),), _INT64)


def _size(_call: Call, _source: TensorType) -> Shaped:
    return TensorType((), _INT64)


def _filled(call: Call, _source: TensorType) -> Shaped:
    shape = call.integers("shape") or ()
    if any(n < 0 for n in shape):
        raise LayoutError(call.where("shape"), list(shape), Phrase("sizes", "sizes from 0"))
    checked_product(call.where("shape"), shape)
    given = call.attributes["value"]
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], str):
        return TensorType(tuple(shape), parse_dtype(given[0], field="attributes.value"))
    return TensorType(tuple(shape), DEFAULT)


def _range(call: Call, first: TensorType) -> Shaped:
    ends = [call.numbers(role) for role in ("start", "limit", "delta")]
    start, limit, delta = ((each or (1,))[0] for each in ends)
    if not delta:
        raise LayoutError(call.where("delta"), delta, Phrase("step", "a step that is not 0"))
    return TensorType((max(int(-((start - limit) // delta)), 0),), first.dtype)


def _quantize(call: Call, source: TensorType) -> Shaped:
    zero = call.operand("zero_point")
    if call.op == "DequantizeLinear":
        return TensorType(source.shape, call.need("scale").dtype)
    return TensorType(source.shape, zero.dtype if zero else ELEMENT_TYPES["uint8"])


def _dynamic_quantize(call: Call, source: TensorType) -> Shaped:
    byte = ELEMENT_TYPES["uint8"]
    return TensorType(source.shape, byte), TensorType((), DEFAULT), TensorType((), byte)


OPERATORS = (
    copy("embedding", _embedding,
        "embedding(input weight padding_idx:int max_norm:number norm_type:number=2.0 "
        "scale_grad_by_freq:flag sparse:flag)"),
    copy("index_select", _index_select, "index_select(input index dim:int!)"),
    copy("gather_onnx", _gather, onnx="Gather(input index axis>dim:int=0)"),
    copy("gather", _gather_elements, "gather take_along_dim(input index dim:int sparse_grad:flag)",
        "GatherElements(input index axis>dim:int=0)"),
    copy("gather_nd", _gather_nd, onnx="GatherND(input index batch_dims:int=0)"),
    copy("one_hot", _one_hot, "one_hot(input num_classes:int=-1)",
        "OneHot(input depth values axis>dim:int=-1)"),
    copy("nonzero", _by_values, "nonzero masked_select unique(input mask?)",
        "NonZero Compress Unique NonMaxSuppression(input a? b? c? d? axis:int sorted:int=1 "
        "center_point_box:int=0)"),
    copy("shape", _shape, onnx="Shape(input start:int=0 end:int)"),
    copy("size", _size, onnx="Size(input)"),
    copy("filled", _filled, onnx="ConstantOfShape(shape value:any)"),
    copy("range", _range, onnx="Range(start limit delta stash_type:int=1)"),
    memory("quantize", _quantize,
        onnx="QuantizeLinear DequantizeLinear(input scale zero_point? axis:int=1 block_size:int=0 "
        "saturate:any output_dtype:int=0 precision:int=0)", onednn="reorder"),
    memory("dynamic_quantize", _dynamic_quantize, onnx="DynamicQuantizeLinear(input)"),
)  # fmt: skip  # a table: a row an operator
