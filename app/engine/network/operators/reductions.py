"""Reductions, scans, softmax and sorting; normalisations, whose results are like the input."""

from collections.abc import Callable

from ...model.dtypes import ELEMENT_TYPES, ElementType
from .base import (
    Call,
    Operator,
    Shaped,
    ShapeRule,
    TensorType,
    axis_of,
    broadcast_to,
    dtype_named,
    memory,
    read_axes,
    same,
)
from .promotion import as_float, as_it_is, as_sum
from .views import replaced

_INT64 = ELEMENT_TYPES["int64"]
_BOOL = ELEMENT_TYPES["bool"]


def reduced_dims(call: Call, rank: int) -> tuple[int, ...]:
    """The dimensions that a reduction removes, as indices from 0; all of them by default."""
    given = call.integers("dim")
    if given is None or given == ():
        if call.origin == "onnx" and call.attributes.get("noop"):
            return ()
        return tuple(range(rank))
    return read_axes(given, rank, call.where("dim"))


def _logical(dtype: ElementType) -> ElementType:
    """bool, but uint8 stays. Source: ATen/native/ReduceOps.cpp (all, any)."""
    return dtype if dtype is ELEMENT_TYPES["uint8"] else _BOOL


def _reduction(into: Callable[[ElementType], ElementType]) -> ShapeRule:
    def shape(call: Call, source: TensorType) -> Shaped:
        gone, keep = reduced_dims(call, source.rank), call.attributes["keepdim"]
        kept = (1 if d in gone else n for d, n in enumerate(source.shape) if keep or d not in gone)
        sizes = tuple(kept)
        if call.origin == "onnx":
            return TensorType(sizes, source.dtype)
        return TensorType(sizes, dtype_named(call, into(source.dtype)))

    return shape


def _arg(call: Call, source: TensorType) -> TensorType:
    keep = call.attributes["keepdim"]
    if call.attributes["dim"] is None:
        return TensorType((1,) * source.rank * keep, _INT64)
    d = axis_of(call, source.rank)
    return TensorType(replaced(source.shape, d, *(1,) * keep) if source.rank else (), _INT64)


def _with_indices(call: Call, source: TensorType) -> Shaped:
    """max and min: of everything, or of one dimension with the indices of the results."""
    if call.attributes["dim"] is None:
        return TensorType((), source.dtype)
    places = _arg(call, source)
    return TensorType(places.shape, source.dtype), places


def _softmax(call: Call, source: TensorType) -> Shaped:
    axis_of(call, source.rank)
    return TensorType(source.shape, dtype_named(call, source.dtype))


def _scan(call: Call, source: TensorType) -> Shaped:
    if call.origin == "onnx":
        return source
    axis_of(call, source.rank)
    if call.op in {"cummax", "cummin"}:
        return source, TensorType(source.shape, _INT64)
    if call.op == "logcumsumexp":
        return source
    return TensorType(source.shape, dtype_named(call, as_sum(source.dtype)))


def _sort(call: Call, source: TensorType) -> Shaped:
    axis_of(call, source.rank)
    places = TensorType(source.shape, _INT64)
    return places if call.op == "argsort" else (source, places)


def _topk(call: Call, source: TensorType) -> Shaped:
    d = axis_of(call, source.rank)
    k = call.integers("k")
    size = source.shape[d] if source.rank else 1
    if k is None or len(k) != 1 or not 0 <= k[0] <= size:
        raise call.wrong("k", k, "integer.range", low=0, high=size)
    shape = replaced(source.shape, d, k[0]) if source.rank else ()
    return TensorType(shape, source.dtype), TensorType(shape, _INT64)


def _reduced(
    torch: str,
    onnx: str,
    into: Callable[[ElementType], ElementType],
    onednn: str | None = "reduction",
    *,
    name: str = "",
    more: str = "",
) -> Operator:
    """A row of a reduction; its name is PyTorch's first, if there is one."""
    axes = "axes>dim:ints keepdims>keepdim:flag=true noop_with_empty_axes>noop:flag"
    return memory(
        name or torch.split(maxsplit=1)[0],
        _reduction(into),
        torch=f"{torch}(input dim:ints keepdim:flag {more})" if torch else "",
        onnx=f"{onnx}(input dim? {axes})" if onnx else "",
        onednn=onednn,
        family="reduction",
    )


_ARG = "input axis>dim:int=0 keepdims>keepdim:flag=true select_last_index:flag"
_SOFTMAX = "input dim:int! dtype:text _stacklevel:int"


def _by_channel(call: Call, source: TensorType) -> Shaped:
    if source.rank < 2:
        raise call.refusal("input", f"a tensor of {source.rank} dimensions", "channels.second")
    channels = source.shape[1]
    if call.op == "GroupNormalization" and call.need("weight").shape != (channels,):
        channels = call.attributes["num_groups"]  # opset 18 has one scale for each group
    for role in ("weight", "bias", "running_mean", "running_var"):
        found = call.operand(role)
        if found is not None and found.shape != (channels,):
            raise call.misfit(role, "shape.per_channel", channels=channels)
    groups = call.attributes.get("num_groups")
    if groups is not None and (groups < 1 or source.shape[1] % groups):
        raise call.wrong("num_groups", groups, "channels.divisor", channels=source.shape[1])
    if call.op != "BatchNormalization":
        return source
    return (source, *(TensorType((channels,), source.dtype),) * 4)


def _by_shape(call: Call, source: TensorType) -> Shaped:
    if call.origin == "onnx":
        axis = axis_of(call, source.rank)
        for role in ("weight", "bias"):
            if call.operand(role):
                broadcast_to(call, source, role)
        shape = (*source.shape[:axis], *(1,) * (source.rank - axis))
        return (source, *(TensorType(shape, source.dtype),) * 2)
    shape = call.attributes["normalized_shape"]
    if not shape or source.shape[source.rank - len(shape) :] != shape:
        raise call.wrong("normalized_shape", shape, "sizes.last")
    for role in ("weight", "bias"):
        found = call.operand(role)
        if found is not None and found.shape != shape:
            raise call.misfit(role, "shape.is", shape=list(shape))
    return source


def _local_response(call: Call, source: TensorType) -> Shaped:
    if source.rank < 3:
        raise call.misranked("input", "rank.least_3")
    if 0 in source.shape:
        return source
    return TensorType(source.shape, as_float(source.dtype))


OPERATORS = (
    _reduced("sum", "ReduceSum", as_sum, more="dtype:text"),
    _reduced("mean", "ReduceMean", as_it_is, more="dtype:text"),
    _reduced("prod", "ReduceProd", as_sum, more="dtype:text"),
    _reduced("amax", "ReduceMax", as_it_is),
    _reduced("amin", "ReduceMin", as_it_is),
    _reduced("any", "", _logical, None),
    _reduced("all", "", _logical, None),
    _reduced("var", "", as_it_is, None, more="correction:number=1 unbiased:flag=true"),
    _reduced("std", "", as_it_is, None, more="correction:number=1 unbiased:flag=true"),
    _reduced("logsumexp", "ReduceLogSumExp", as_float, None),
    _reduced("norm linalg_vector_norm", "ReduceL2", as_float,
        more="p:number=2.0 ord:number=2.0 dtype:text"),
    _reduced("", "ReduceL1", as_float, name="norm_l1"),
    _reduced("", "ReduceSumSquare", as_it_is, None, name="sum_square"),
    _reduced("", "ReduceLogSum", as_it_is, None, name="log_sum"),
    *(memory(name.lower(), _arg, f"{name.lower()}(input dim:int keepdim:flag)", f"{name}({_ARG})",
        agnostic=False) for name in ("ArgMax", "ArgMin")),
    memory("max_dim", _with_indices, "max min median mode(input dim:int keepdim:flag)",
        agnostic=False),
    memory("softmax", _softmax, f"softmax({_SOFTMAX})", "Softmax(input axis>dim:int=-1)",
        onednn="softmax"),
    memory("log_softmax", _softmax, f"log_softmax({_SOFTMAX})", "LogSoftmax(input axis>dim:int=-1)",
        onednn="softmax"),
    memory("softmin", _softmax, f"softmin({_SOFTMAX})"),
    memory("hardmax", _softmax, onnx="Hardmax(input axis>dim:int=-1)"),
    memory("cumsum", _scan, "cumsum cumprod logcumsumexp cummax cummin(input dim:int! dtype:text)",
        "CumSum CumProd(input dim exclusive:flag reverse:flag)"),
    memory("sort", _sort, "sort argsort msort(input dim:int=-1 descending:flag stable:flag)",
        agnostic=False),
    memory("topk", _topk, "topk(input k:int! dim:int=-1 largest:flag=true sorted:flag=true)",
        "TopK(input k axis>dim:int=-1 largest:flag=true sorted:flag=true)", agnostic=False),
    memory("batch_norm", _by_channel,
        "batch_norm(input running_mean? running_var? weight? bias? training:flag "
        "momentum:number=0.1 eps:number=1e-05)",
        "BatchNormalization(input weight bias running_mean running_var epsilon>eps:number=1e-05 "
        "momentum:number=0.9 training_mode>training:flag spatial:int=1)",
        onednn="batch_normalization", images=True),
    memory("instance_norm", _by_channel,
        "instance_norm(input running_mean? running_var? weight? bias? use_input_stats:flag=true "
        "momentum:number=0.1 eps:number=1e-05)",
        "InstanceNormalization(input weight bias epsilon>eps:number=1e-05)", images=True),
    memory("group_norm", _by_channel,
        "group_norm(input weight? bias? num_groups:int! eps:number=1e-05)",
        "GroupNormalization(input weight bias num_groups:int! stash_type:int=1 "
        "epsilon>eps:number=1e-05)", onednn="group_normalization", images=True),
    memory("layer_norm", _by_shape,
        "layer_norm(input weight? bias? normalized_shape:ints! eps:number=1e-05)",
        "LayerNormalization(input weight bias? axis>dim:int=-1 stash_type:int=1 "
        "epsilon>eps:number=1e-05)", onednn="layer_normalization"),
    memory("rms_norm", _by_shape, "rms_norm(input weight? normalized_shape:ints! eps:number)",
        "RMSNormalization SimplifiedLayerNormalization(input weight axis>dim:int=-1 "
        "stash_type:int=1 epsilon>eps:number=1e-05)"),
    memory("local_response_norm", _local_response,
        "local_response_norm(input size:int! alpha:number=0.0001 beta:number=0.75 k:number=1.0)",
        "LRN(input size:int! alpha:number=0.0001 beta:number=0.75 bias>k:number=1.0)", onednn="lrn",
        images=True),
    memory("normalize", _softmax, "normalize(input p:number=2.0 dim:int=1 eps:number=1e-12)",
        "LpNormalization(input axis>dim:int=-1 p:int=2)"),
    memory("mean_variance_norm", same, onnx="MeanVarianceNormalization(input axes:ints=0,2,3)"),
)  # fmt: skip  # a table: a row an operator
