"""Pooling over windows, to a given size, and over everything."""

from __future__ import annotations

from ...model.dtypes import ELEMENT_TYPES
from ...model.errors import Described, LayoutError
from ..attributes import choice, flag, integer, integers, integers_with_holes, number, required
from .base import Call, Operator, Shaped, TensorType, signature
from .convolution import spatial_rank, window_sizes, windows
from .promotion import as_float

_INT64 = ELEMENT_TYPES["int64"]


def _pool(call: Call) -> Shaped:
    spatial = spatial_rank(call)
    source = call.need("input")
    kernel = call.attributes["kernel_size"]
    if len(kernel) == 1:
        kernel = kernel * spatial
    if len(kernel) != spatial:
        raise LayoutError("attributes.kernel_size", list(kernel), f"one integer, or {spatial}")
    slid = windows(call, kernel, stride_is_kernel=call.dialect == "torch")
    if call.dialect == "torch":
        for (before, _), size in zip(slid.padding, kernel, strict=True):
            if not 0 <= before <= size // 2:
                raise LayoutError("attributes.padding", before, "at most half of the kernel")
    sizes = window_sizes(call, slid, ceil=call.attributes["ceil_mode"])
    dtype = as_float(source.dtype) if call.op.startswith("lp") else source.dtype
    found = TensorType((*source.shape[: source.rank - spatial], *sizes), dtype)
    return (found, TensorType(found.shape, _INT64)) if call.op.lower().startswith("max") else found


def _adaptive(call: Call) -> Shaped:
    spatial = spatial_rank(call)
    source = call.need("input")
    wanted = call.attributes["output_size"]
    if len(wanted) == 1:
        wanted = wanted * spatial
    if len(wanted) != spatial:
        raise LayoutError("attributes.output_size", list(wanted), f"one integer, or {spatial}")
    sizes = []
    for size, n in zip(source.shape[-spatial:], wanted, strict=True):
        if n is not None and n < 0:
            raise LayoutError("attributes.output_size", n, "sizes from 0, or null")
        sizes.append(size if n is None else n)
    found = TensorType((*source.shape[: source.rank - spatial], *sizes), source.dtype)
    return (found, TensorType(found.shape, _INT64)) if "max" in call.op else found


def _global(call: Call) -> Shaped:
    source = call.need("input")
    spatial = spatial_rank(call)
    return TensorType((*source.shape[:2], *(1,) * spatial), source.dtype)


def _unpool(call: Call) -> Shaped:
    spatial = spatial_rank(call)
    source = call.need("input")
    wanted = call.integers("output_size")
    if wanted is None:
        kernel = call.attributes["kernel_size"]
        kernel = kernel * spatial if len(kernel) == 1 else kernel
        if len(kernel) != spatial:
            raise LayoutError("attributes.kernel_size", list(kernel), f"one integer, or {spatial}")
        slid = windows(call, kernel, stride_is_kernel=call.dialect == "torch")
        wanted = tuple(
            (size - 1) * slid.stride[d] - sum(slid.padding[d]) + kernel[d]
            for d, size in enumerate(source.shape[-spatial:])
        )
    if len(wanted) < spatial or any(n < 0 for n in wanted):
        raise LayoutError("attributes.output_size", Described("wrong sizes"), f"{spatial} sizes")
    return TensorType((*source.shape[: source.rank - spatial], *wanted[-spatial:]), source.dtype)


_WINDOWS = {
    "kernel_size": required(integers()),
    "stride": integers(),
    "padding": integers((0,)),
}
_ONNX = {
    "auto_pad": choice("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
    "ceil_mode": flag(),
    "dilations": integers().named("dilation"),
    "kernel_shape": required(integers()).named("kernel_size"),
    "pads": integers().named("padding"),
    "strides": integers().named("stride"),
}


def _by_rank(name: str) -> tuple[str, ...]:
    return tuple(name.replace("Nd", f"{n}d") for n in (1, 2, 3))


OPERATORS = (
    Operator(
        "max_pool", "memory", _pool,
        torch=_by_rank("max_poolNd"),
        torch_call=signature(
            "input", **_WINDOWS, dilation=integers((1,)), ceil_mode=flag(), return_indices=flag()
        ),
        onnx=("MaxPool",), onnx_call=signature("input", storage_order=integer(0), **_ONNX),
        onednn="pooling",
    ),
    Operator(
        "avg_pool", "memory", _pool,
        torch=_by_rank("avg_poolNd"),
        torch_call=signature(
            "input", **_WINDOWS, ceil_mode=flag(), count_include_pad=flag(default=True),
            divisor_override=integer(),
        ),
        onnx=("AveragePool",), onnx_call=signature("input", count_include_pad=flag(), **_ONNX),
        onednn="pooling",
    ),
    Operator(
        "lp_pool", "memory", _pool,
        torch=_by_rank("lp_poolNd"),
        torch_call=signature(
            "input", norm_type=number(2), kernel_size=required(integers()), stride=integers(),
            ceil_mode=flag(),
        ),
        onnx=("LpPool",), onnx_call=signature("input", p=integer(2), **_ONNX),
    ),
    Operator(
        "adaptive_max_pool", "memory", _adaptive,
        torch=_by_rank("adaptive_max_poolNd"),
        torch_call=signature(
            "input", output_size=required(integers_with_holes()), return_indices=flag()
        ),
        onednn="pooling",
    ),
    Operator(
        "adaptive_avg_pool", "memory", _adaptive,
        torch=_by_rank("adaptive_avg_poolNd"),
        torch_call=signature("input", output_size=required(integers_with_holes())),
        onednn="pooling",
    ),
    Operator(
        "global_avg_pool", "memory", _global,
        onnx=("GlobalAveragePool",), onnx_call=signature("input"), onednn="pooling",
    ),
    Operator(
        "global_max_pool", "memory", _global,
        onnx=("GlobalMaxPool",), onnx_call=signature("input"), onednn="pooling",
    ),
    Operator(
        "global_lp_pool", "memory", _global,
        onnx=("GlobalLpPool",), onnx_call=signature("input", p=integer(2)),
    ),
    Operator(
        "max_unpool", "memory", _unpool,
        torch=_by_rank("max_unpoolNd"),
        torch_call=signature("input indices", **_WINDOWS, output_size=integers()),
        onnx=("MaxUnpool",),
        onnx_call=signature(
            "input indices output_size?",
            kernel_shape=required(integers()).named("kernel_size"),
            pads=integers().named("padding"), strides=integers().named("stride"),
        ),
    ),
)  # fmt: skip
