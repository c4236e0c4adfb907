"""Operators that take parts of the operand or pick elements by index; sizes and what fills them.

Narrow, slice, select and split are views in PyTorch.
"""

import math
from functools import partial
from itertools import accumulate, pairwise

from ...model.dtypes import DEFAULT, ELEMENT_TYPES, parse_dtype
from ...model.errors import refusal
from ...model.layout import checked_product
from .base import (
    Call,
    Shaped,
    ShapeNotKnownError,
    StridedView,
    TensorType,
    axis_of,
    broadcast_shapes,
    copy,
    memory,
    read_axes,
    strided,
)
from .views import replaced


def _narrow(call: Call, source: StridedView) -> StridedView:
    d = axis_of(call, source.rank)
    size, stride = source.dims[d] if source.rank else (0, 0)
    start, length = call.attributes["start"], call.attributes["length"]
    if not source.rank or not -size <= start <= size:
        raise call.wrong("start", start, "integer.range", low=-size, high=size)
    start += size * (start < 0)
    if not 0 <= length <= size - start:
        raise call.wrong("length", length, "integer.range", low=0, high=size - start)
    return source.within(d, start, (length, stride))


_INT64 = ELEMENT_TYPES["int64"]


def _select(call: Call, source: StridedView) -> StridedView:
    d = axis_of(call, source.rank)
    size = source.shape[d] if source.rank else 0
    index = call.attributes["index"]
    if not source.rank or not -size <= index < size:
        raise call.wrong("index", index, "integer.range", low=-size, high=size - 1)
    return source.within(d, index % size)


def sliced(size: int, start: int | None, end: int | None, step: int) -> range:
    """The indices that a slice of Python takes; steps may be negative in ONNX."""
    return range(*slice(start, end, step).indices(size))


def _slice(call: Call, source: StridedView) -> StridedView:
    if call.origin == "torch":
        d = axis_of(call, source.rank)
        step = call.attributes["step"]
        if step < 1 or not source.rank:
            raise call.wrong("step", step, "integer.positive")
        return _sliced(source, d, call.attributes["start"], call.attributes["end"], step)
    starts, ends = call.integers("starts") or (), call.integers("ends") or ()
    axes = call.integers("axes")
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = call.integers("steps") or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise call.refusal("starts", "lists of different lengths, or a step of 0", "lists.as_many")
    if axes and not source.rank:
        raise call.refusal("input", "a tensor of rank 0", "rank.some")
    dims = read_axes(axes, source.rank, call.where("axes"))
    for part in zip(dims, starts, ends, steps, strict=True):
        source = _sliced(source, *part)
    return source


def _sliced(
    source: StridedView, d: int, start: int | None, end: int | None, step: int
) -> StridedView:
    size, stride = source.dims[d]
    part = sliced(size, start, end, step)
    return source.within(d, part.start, (len(part), stride * step))


def _unbind(call: Call, source: StridedView) -> tuple[StridedView, ...]:
    d = axis_of(call, source.rank)
    count = source.shape[d] if source.rank else 0
    if call.outputs != count:
        raise refusal("outputs", f"{call.outputs} names", "names.count", n=count)
    return tuple(source.within(d, index) for index in range(count))


def _diagonal(call: Call, source: StridedView) -> StridedView:
    a = axis_of(call, source.rank, "dim1")
    b = axis_of(call, source.rank, "dim2")
    if a == b:
        raise call.wrong("dim2", b, "dim.other")
    shift = call.attributes["offset"]
    (rows, down), (columns, right) = source.dims[a], source.dims[b]
    size = max(min(rows + min(shift, 0), columns - max(shift, 0)), 0)
    rest = source.ordered(d for d in range(source.rank) if d not in {a, b})
    begin = max(shift, 0) * right - min(shift, 0) * down if size else 0
    return StridedView((*rest.dims, (size, down + right)), source.offset + begin)


def _unfold(call: Call, source: StridedView) -> StridedView:
    d = axis_of(call, source.rank, "dimension")
    size, step = call.attributes["size"], call.attributes["step"]
    whole, stride = source.dims[d] if source.rank else (1, 1)
    if not 0 <= size <= whole:
        raise call.wrong("size", size, "integer.range", low=0, high=whole)
    if step < 1:
        raise call.wrong("step", step, "integer.positive")
    dims = list(source.dims)
    dims[d : d + 1] = [((whole - size) // step + 1, stride * step)] if dims else []
    return StridedView((*dims, (size, stride)), source.offset)


def section_sizes(call: Call, size: int) -> list[int]:
    """Sizes of the parts of chunk, split and tensor_split along a dimension of ``size``."""
    if call.origin == "onnx":
        return _onnx_sections(call, size)
    if call.op in {"chunk", "unsafe_chunk"}:
        chunks = call.attributes["chunks"]
        if chunks < 1:
            raise call.wrong("chunks", chunks, "integer.positive")
        if not size:
            return [0] * _named(call, chunks, size)
        return _equal_parts(call, size, -(-size // chunks))
    if call.op == "tensor_split":
        return _tensor_split(call, size)
    given = call.attributes["split_size_or_sections"]
    if isinstance(given, tuple):
        return _listed(call, "split_size_or_sections", given, size)
    if given is None or given < (1 if size else 0):
        raise call.wrong("split_size_or_sections", given, "integer.positive")
    return _equal_parts(call, size, given)


def _listed(call: Call, name: str, sizes: tuple[int, ...], size: int) -> list[int]:
    if sum(sizes) != size or min(sizes, default=0) < 0:
        raise call.wrong(name, sizes, "sizes.sum", sum=size)
    return list(sizes)


def _named(call: Call, parts: int, size: int) -> int:
    """The number of parts, checked before any is made. Errors: LayoutError naming ``outputs``."""
    if call.outputs != parts:
        raise refusal("outputs", f"{call.outputs} names", "parts.count", n=parts, size=size)
    return parts


def _equal_parts(call: Call, size: int, part: int) -> list[int]:
    whole, rest = divmod(size, part) if size else (0, 0)
    parts = _named(call, max(whole + bool(rest), 1), size)
    return [*[part] * (parts - 1), rest or min(part, size)]


def _tensor_split(call: Call, size: int) -> list[int]:
    parts = call.attributes["indices_or_sections"]
    if isinstance(parts, tuple):
        places = [0, *(min(n + size * (n < 0), size) for n in parts), size]
        return [max(b - a, 0) for a, b in pairwise(places)]
    if parts is None or parts < 1:
        raise call.wrong("indices_or_sections", parts, "integer.positive")
    return [size // parts + (i < size % parts) for i in range(_named(call, parts, size))]


def _onnx_sections(call: Call, size: int) -> list[int]:
    given = call.integers("split")
    if given is not None:
        return _listed(call, "split", given, size)
    if call.attributes["num_outputs"] not in {None, call.outputs}:
        given = call.attributes["num_outputs"]
        raise call.wrong("num_outputs", given, "outputs.most", n=call.outputs)
    part = -(-size // call.outputs)
    return [max(min(part, size - i * part), 0) for i in range(call.outputs)]


def _split(call: Call, source: StridedView) -> tuple[StridedView, ...]:
    d = axis_of(call, source.rank)
    if not source.rank:
        raise call.refusal("input", "a tensor of rank 0", "rank.some")
    size, stride = source.dims[d]
    parts = section_sizes(call, size)
    _named(call, len(parts), size)
    return tuple(
        source.within(d, min(start, size), (n, stride))
        for start, n in zip(accumulate(parts, initial=0), parts, strict=False)
    )


def _embedding(call: Call, indices: TensorType) -> Shaped:
    weight = call.need("weight")
    if weight.rank != 2:
        raise call.misfit("weight", "rank.2")
    return TensorType((*indices.shape, weight.shape[1]), weight.dtype)


def _index_select(call: Call, source: TensorType) -> Shaped:
    index = call.need("index")
    d = axis_of(call, source.rank)
    if index.rank > 1:
        raise call.misranked("index", "rank.most_1")
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
        raise call.misranked("index", "rank.equal", rank=source.rank)
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
        raise call.misfit("index", "index.matching")
    return TensorType((*index.shape[:-1], *source.shape[batch + last :]), source.dtype)


def _one_hot(call: Call, source: TensorType) -> Shaped:
    if call.origin == "torch":
        classes = call.attributes["num_classes"]
        if classes < 0:
            raise ShapeNotKnownError("The number of classes depends on the values of the indices.")
        return TensorType((*source.shape, classes), _INT64)
    depth = call.integers("depth") or (0,)
    axis = call.attributes["dim"]
    axis += (source.rank + 1) * (axis < 0)
    if not 0 <= axis <= source.rank:
        raise call.wrong("dim", axis, "dimension.of", rank=source.rank + 1)
    shape = (*source.shape[:axis], depth[0], *source.shape[axis:])
    return TensorType(shape, call.need("values").dtype)


def _by_values(_call: Call, _source: TensorType) -> Shaped:
    raise ShapeNotKnownError("The shape depends on the values of the operand.")


def _shape(call: Call, source: TensorType) -> Shaped:
    start, end = call.attributes["start"], call.attributes["end"]
    return TensorType((len(sliced(source.rank, start, end, 1)),), _INT64)


def _filled(call: Call, _source: TensorType) -> Shaped:
    shape, given = call.integers("shape") or (), call.attributes["value"]
    if any(n < 0 for n in shape):
        raise call.wrong("shape", shape, "sizes")
    checked_product(call.where("shape"), shape)
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], str):
        return TensorType(shape, parse_dtype(given[0], field="attributes.value"))
    return TensorType(shape, DEFAULT)


def _range(call: Call, first: TensorType) -> Shaped:
    ends = [call.numbers(role) for role in ("start", "limit", "delta")]
    start, limit, delta = ((each or (1,))[0] for each in ends)
    if not delta:
        raise call.wrong("delta", delta, "step")
    return TensorType((max(int(-((start - limit) // delta)), 0),), first.dtype)


def _quantize(call: Call, source: TensorType) -> Shaped:
    zero = call.operand("zero_point")
    if call.op == "DequantizeLinear":
        return TensorType(source.shape, call.need("scale").dtype)
    return TensorType(source.shape, zero.dtype if zero else ELEMENT_TYPES["uint8"])


def _dynamic_quantize(call: Call, source: TensorType) -> Shaped:
    byte = ELEMENT_TYPES["uint8"]
    return TensorType(source.shape, byte), TensorType((), DEFAULT), TensorType((), byte)


_cutting = partial(strided, family="split")
OPERATORS = (
    strided("narrow", _narrow, "narrow(input dim:int! start:int! length:int!)"),
    strided("select", _select, "select(input dim:int! index:int!)"),
    strided("slice", _slice, "slice(input dim:int=0 start:int end:int step:int=1)",
        "Slice(input starts ends axes? steps?)"),
    strided("unbind", _unbind, "unbind(input dim:int=0)"),
    strided("diagonal", _diagonal, "diagonal(input offset:int=0 dim1:int=0 dim2:int=1)"),
    strided("unfold_dim", _unfold,
        "unfold_dim Tensor.unfold(input dimension:int! size:int! step:int!)"),
    _cutting("chunk", _split, "chunk unsafe_chunk(input chunks:int! dim:int=0)"),
    _cutting("split", _split,
        "split unsafe_split(input split_size_or_sections:int|ints! dim:int=0)",
        "Split(input split? axis>dim:int=0 num_outputs:int)"),
    _cutting("tensor_split", _split, "tensor_split(input indices_or_sections:int|ints! dim:int=0)"),
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
    copy("size", lambda _call, _source: TensorType((), _INT64), onnx="Size(input)"),
    copy("filled", _filled, onnx="ConstantOfShape(shape value:any)"),
    copy("range", _range, onnx="Range(start limit delta stash_type:int=1)"),
    memory("quantize", _quantize,
        onnx="QuantizeLinear DequantizeLinear(input scale zero_point? axis:int=1 block_size:int=0 "
        "saturate:any output_dtype:int=0 precision:int=0)", onednn="reorder"),
    memory("dynamic_quantize", _dynamic_quantize, onnx="DynamicQuantizeLinear(input)"),
)  # fmt: skip  # a table: a row an operator
