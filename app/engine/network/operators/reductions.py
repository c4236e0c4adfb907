"""Reductions, scans, softmax and sorting."""

from __future__ import annotations

from collections.abc import Callable

from ...model.dtypes import ELEMENT_TYPES, ElementType
from ...model.errors import LayoutError
from ..attributes import flag, integer, integers, number, required, text
from .base import (
    Call,
    Operator,
    Shaped,
    ShapeRule,
    TensorType,
    axis_of,
    dtype_named,
    read_axes,
    signature,
)
from .promotion import as_float
from .views import place, replaced

_INT64 = ELEMENT_TYPES["int64"]
_BOOL = ELEMENT_TYPES["bool"]


def reduced_dims(call: Call, rank: int) -> tuple[int, ...]:
    """The dimensions that a reduction removes, as indices from 0; all of them by default."""
    given = call.integers("dim")
    if given is None or given == ():
        if call.dialect == "onnx" and call.attributes.get("noop"):
            return ()
        return tuple(range(rank))
    return read_axes(given, rank, place(call, "dim"))


def _keep(dtype: ElementType) -> ElementType:
    return dtype


def _summed(dtype: ElementType) -> ElementType:
    return dtype if dtype.kind == "float" else _INT64


def _logical(dtype: ElementType) -> ElementType:
    """bool, but uint8 stays. Source: ATen/native/ReduceOps.cpp (all, any)."""
    return dtype if dtype is ELEMENT_TYPES["uint8"] else _BOOL


def _reduction(into: Callable[[ElementType], ElementType]) -> ShapeRule:
    def shape(call: Call) -> Shaped:
        source = call.need("input")
        gone = reduced_dims(call, source.rank)
        if call.attributes["keepdim"]:
            sizes = tuple(1 if d in gone else n for d, n in enumerate(source.shape))
        else:
            sizes = tuple(n for d, n in enumerate(source.shape) if d not in gone)
        if call.dialect == "onnx":
            return TensorType(sizes, source.dtype)
        dtype = dtype_named(call, "dtype", into(source.dtype))
        return TensorType(sizes, dtype)

    return shape


def _arg(call: Call) -> Shaped:
    source = call.need("input")
    keep = call.attributes["keepdim"]
    if call.attributes["dim"] is None:
        return TensorType((1,) * source.rank if keep else (), _INT64)
    d = axis_of(call, source.rank)
    if not source.rank:
        return TensorType((), _INT64)
    return TensorType(replaced(source.shape, d, *((1,) if keep else ())), _INT64)


def _with_indices(call: Call) -> Shaped:
    """max and min: of everything, or of one dimension with the indices of the results."""
    source = call.need("input")
    if call.attributes["dim"] is None:
        return TensorType((), source.dtype)
    places = _arg(call)
    assert isinstance(places, TensorType)
    return TensorType(places.shape, source.dtype), places


def _softmax(call: Call) -> Shaped:
    source = call.need("input")
    axis_of(call, source.rank)
    if call.dialect == "onnx":
        return source
    return TensorType(source.shape, dtype_named(call, "dtype", source.dtype))


def _scan(call: Call) -> Shaped:
    source = call.need("input")
    if call.dialect == "onnx":
        return source
    axis_of(call, source.rank)
    if call.op in {"cummax", "cummin"}:
        return source, TensorType(source.shape, _INT64)
    if call.op == "logcumsumexp":
        return source
    return TensorType(source.shape, dtype_named(call, "dtype", _summed(source.dtype)))


def _sort(call: Call) -> Shaped:
    source = call.need("input")
    axis_of(call, source.rank)
    places = TensorType(source.shape, _INT64)
    return places if call.op == "argsort" else (source, places)


def _topk(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    k = call.integers("k")
    size = source.shape[d] if source.rank else 1
    if k is None or len(k) != 1 or not 0 <= k[0] <= size:
        where = "attributes.k" if call.dialect == "torch" else call.where("k")
        raise LayoutError(where, k and list(k), f"an integer from 0 to {size}")
    shape = replaced(source.shape, d, k[0]) if source.rank else ()
    return TensorType(shape, source.dtype), TensorType(shape, _INT64)


def _row(
    name: str,
    onnx: str,
    into: Callable[[ElementType], ElementType],
    onednn: str | None = "reduction",
    *,
    others: tuple[str, ...] = (),
    in_torch: bool = True,
) -> Operator:
    more = {"dtype": text()} if name in {"sum", "mean", "prod", "nansum"} else {}
    if name in {"var", "std"}:
        more = {"correction": number(1), "unbiased": flag(default=True)}
    if name == "norm":
        more = {"p": number(2.0), "ord": number(2.0), "dtype": text()}
    return Operator(
        name, "memory", _reduction(into),
        torch=(name, *others) if in_torch else (),
        torch_call=signature("input", dim=integers(), keepdim=flag(), **more) if in_torch else None,
        onnx=(onnx,) if onnx else (),
        onnx_call=signature(
            "input dim?", axes=integers().named("dim"),
            keepdims=flag(default=True).named("keepdim"),
            noop_with_empty_axes=flag().named("noop"),
        ) if onnx else None,
        onednn=onednn,
    )  # fmt: skip


_ARG = signature(
    "input", axis=integer(0).named("dim"), keepdims=flag(default=True).named("keepdim"),
    select_last_index=flag(),
)  # fmt: skip
_TORCH_ARG = signature("input", dim=integer(), keepdim=flag())
_SOFTMAX = signature("input", dim=required(integer()), dtype=text(), _stacklevel=integer())

OPERATORS = (
    _row("sum", "ReduceSum", _summed),
    _row("mean", "ReduceMean", _keep),
    _row("prod", "ReduceProd", _summed),
    _row("amax", "ReduceMax", _keep),
    _row("amin", "ReduceMin", _keep),
    _row("any", "", _logical, None),
    _row("all", "", _logical, None),
    _row("var", "", _keep, None),
    _row("std", "", _keep, None),
    _row("logsumexp", "ReduceLogSumExp", as_float, None),
    _row("norm", "ReduceL2", as_float, others=("linalg_vector_norm",)),
    _row("norm_l1", "ReduceL1", as_float, in_torch=False),
    _row("sum_square", "ReduceSumSquare", _keep, None, in_torch=False),
    _row("log_sum", "ReduceLogSum", _keep, None, in_torch=False),
    Operator("argmax", "memory", _arg, torch=("argmax",), torch_call=_TORCH_ARG,
             onnx=("ArgMax",), onnx_call=_ARG),
    Operator("argmin", "memory", _arg, torch=("argmin",), torch_call=_TORCH_ARG,
             onnx=("ArgMin",), onnx_call=_ARG),
    Operator("max_dim", "memory", _with_indices, torch=("max", "min", "median", "mode"),
             torch_call=_TORCH_ARG),
    Operator(
        "softmax", "memory", _softmax,
        torch=("softmax",), torch_call=_SOFTMAX,
        onnx=("Softmax",), onnx_call=signature("input", axis=integer(-1).named("dim")),
        onednn="softmax",
    ),
    Operator(
        "log_softmax", "memory", _softmax,
        torch=("log_softmax",), torch_call=_SOFTMAX,
        onnx=("LogSoftmax",), onnx_call=signature("input", axis=integer(-1).named("dim")),
        onednn="softmax",
    ),
    Operator("softmin", "memory", _softmax, torch=("softmin",), torch_call=_SOFTMAX),
    Operator(
        "hardmax", "memory", _softmax,
        onnx=("Hardmax",), onnx_call=signature("input", axis=integer(-1).named("dim")),
    ),
    Operator(
        "cumsum", "memory", _scan,
        torch=("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"),
        torch_call=signature("input", dim=required(integer()), dtype=text()),
        onnx=("CumSum",), onnx_call=signature("input dim", exclusive=flag(), reverse=flag()),
    ),
    Operator(
        "sort", "memory", _sort,
        torch=("sort", "argsort", "msort"),
        torch_call=signature("input", dim=integer(-1), descending=flag(), stable=flag()),
    ),
    Operator(
        "topk", "memory", _topk,
        torch=("topk",),
        torch_call=signature(
            "input", k=required(integer()), dim=integer(-1), largest=flag(default=True),
            sorted=flag(default=True),
        ),
        onnx=("TopK",),
        onnx_call=signature(
            "input k", axis=integer(-1).named("dim"), largest=flag(default=True),
            sorted=flag(default=True),
        ),
    ),
)  # fmt: skip
