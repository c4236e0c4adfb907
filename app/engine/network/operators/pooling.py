"""Pooling over windows, to a given size, and over everything."""

from __future__ import annotations

from typing import Any

from ...model.dtypes import ELEMENT_TYPES
from ...model.errors import Described, LayoutError, Phrase
from .base import Call, Shaped, TensorType, memory
from .convolution import spatial_rank, window_sizes, windows
from .promotion import as_float

_INT64 = ELEMENT_TYPES["int64"]


def _sizes(call: Call, name: str, spatial: int) -> Any:
    """An attribute of one integer for all spatial dimensions, or one for each."""
    given = call.attributes[name]
    if len(given) not in {1, spatial}:
        expected = Phrase("integer.or_each", "one integer, or {n}", n=spatial)
        raise LayoutError(f"attributes.{name}", list(given), expected)
    return given * spatial if len(given) == 1 else given


def _pool(call: Call) -> Shaped:
    spatial = spatial_rank(call)
    source = call.need("input")
    kernel = _sizes(call, "kernel_size", spatial)
    slid = windows(call, kernel, stride_is_kernel=call.dialect == "torch")
    if call.dialect == "torch":
        for (before, _), size in zip(slid.padding, kernel, strict=True):
            if not 0 <= before <= size // 2:
                expected = Phrase("padding.half", "at most half of the kernel")
                raise LayoutError("attributes.padding", before, expected)
    sizes = window_sizes(call, slid, ceil=call.attributes["ceil_mode"])
    dtype = as_float(source.dtype) if call.op.startswith("lp") else source.dtype
    found = TensorType((*source.shape[: source.rank - spatial], *sizes), dtype)
    return (found, TensorType(found.shape, _INT64)) if call.op.lower().startswith("max") else found


def _adaptive(call: Call) -> Shaped:
    spatial = spatial_rank(call)
    source = call.need("input")
    wanted = _sizes(call, "output_size", spatial)
    sizes = []
    for size, n in zip(source.shape[-spatial:], wanted, strict=True):
        if n is not None and n < 0:
            expected = Phrase("sizes.or_null", "sizes from 0, or null")
            raise LayoutError("attributes.output_size", n, expected)
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
        kernel = _sizes(call, "kernel_size", spatial)
        slid = windows(call, kernel, stride_is_kernel=call.dialect == "torch")
        wanted = tuple(
            (size - 1) * slid.stride[d] - sum(slid.padding[d]) + kernel[d]
            for d, size in enumerate(source.shape[-spatial:])
        )
    if len(wanted) < spatial or any(n < 0 for n in wanted):
        expected = Phrase("sizes.count", "{n} sizes", n=spatial)
        raise LayoutError("attributes.output_size", Described("wrong sizes"), expected)
    return TensorType((*source.shape[: source.rank - spatial], *wanted[-spatial:]), source.dtype)


_WINDOWS = "kernel_size:ints! stride:ints padding:ints=0"
_ONNX = (
    "auto_pad:NOTSET/SAME_UPPER/SAME_LOWER/VALID ceil_mode:flag dilations>dilation:ints "
    "kernel_shape>kernel_size:ints! pads>padding:ints strides>stride:ints"
)

OPERATORS = (
    memory("max_pool", _pool,
        f"max_pool1d max_pool2d max_pool3d(input {_WINDOWS} dilation:ints=1 ceil_mode:flag "
        "return_indices:flag)", f"MaxPool(input storage_order:int=0 {_ONNX})", onednn="pooling",
        family="pooling"),
    memory("avg_pool", _pool,
        f"avg_pool1d avg_pool2d avg_pool3d(input {_WINDOWS} ceil_mode:flag "
        "count_include_pad:flag=true divisor_override:int)",
        f"AveragePool(input count_include_pad:flag {_ONNX})", onednn="pooling", family="pooling"),
    memory("lp_pool", _pool,
        "lp_pool1d lp_pool2d lp_pool3d(input norm_type:number=2 kernel_size:ints! stride:ints "
        "ceil_mode:flag)", f"LpPool(input p:int=2 {_ONNX})", family="pooling"),
    memory("adaptive_max_pool", _adaptive,
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d(input output_size:holes! "
        "return_indices:flag)", onednn="pooling", family="global pooling"),
    memory("adaptive_avg_pool", _adaptive,
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d(input output_size:holes!)",
        onednn="pooling", family="global pooling"),
    memory("global_avg_pool", _global, onnx="GlobalAveragePool(input)", onednn="pooling",
        family="global pooling"),
    memory("global_max_pool", _global, onnx="GlobalMaxPool(input)", onednn="pooling",
        family="global pooling"),
    memory("global_lp_pool", _global, onnx="GlobalLpPool(input p:int=2)", family="global pooling"),
    memory("max_unpool", _unpool,
        f"max_unpool1d max_unpool2d max_unpool3d(input indices {_WINDOWS} output_size:ints)",
        "MaxUnpool(input indices output_size? kernel_shape>kernel_size:ints! pads>padding:ints "
        "strides>stride:ints)", agnostic=False, images=True),
)  # fmt: skip  # a table: a row an operator
