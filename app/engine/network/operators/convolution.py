"""Convolutions, their transposes, and pooling: windows that slide over images."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...model.dtypes import ELEMENT_TYPES
from ...model.errors import refusal
from .base import Call, Origin, Shaped, TensorType, compute, memory
from .promotion import as_float


@dataclass(frozen=True, slots=True)
class Windows:
    """What slides over the spatial dimensions, one entry for each; ``padding``: (before, after)."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]

    def extent(self, d: int) -> int:
        """Elements from the first to the last that a window covers."""
        return (self.kernel[d] - 1) * self.dilation[d] + 1


def spatial_dims(op: str, origin: Origin, rank: int) -> int:
    """Number of spatial dimensions: the digit in PyTorch's name, or the operand's rank less 2."""
    digit = next(filter(str.isdigit, op), "")
    return int(digit) if digit and origin == "torch" else rank - 2


def spatial_rank(call: Call) -> int:
    """The same, where the operand's rank fits. Errors: LayoutError naming the operand."""
    rank = call.need("input").rank
    spatial = spatial_dims(call.op, call.origin, rank)
    got = f"a tensor of {rank} dimensions"
    if rank not in {spatial + 1, spatial + 2}:
        raise call.refusal("input", got, "convolution.rank", n=spatial + 2, spatial=spatial)
    if spatial < 1:
        raise call.refusal("input", got, "dimensions.least_3")
    return spatial


def per_dim(call: Call, name: str, spatial: int, default: int | None = None) -> Any:
    """An attribute of one value, or one for each spatial dimension; ``default`` for none."""
    value = call.attributes.get(name) or ()
    if not value and default is not None:
        return (default,) * spatial
    if len(value) not in {1, spatial}:
        raise call.wrong(name, value, "integer.or_each", n=spatial)
    return value * spatial if len(value) == 1 else value


def windows(call: Call, kernel: tuple[int, ...], *, stride_is_kernel: bool = False) -> Windows:
    """The windows of a call, from either system's attributes."""
    spatial = len(kernel)
    stride = per_dim(call, "stride", spatial, 1)
    if stride_is_kernel and not call.attributes.get("stride"):
        stride = kernel
    dilation = per_dim(call, "dilation", spatial, 1)
    for name, values in (("stride", stride), ("dilation", dilation), ("kernel_size", kernel)):
        if any(n < 1 for n in values):
            named = name if name in call.attributes else "weight"
            raise call.wrong(named, values, "integers.positive")
    flat = Windows(kernel, stride, ((0, 0),) * spatial, dilation)
    return replace(flat, padding=_padding(call, flat))


def _padding(call: Call, flat: Windows) -> tuple[tuple[int, int], ...]:
    spatial = len(flat.kernel)
    value = call.attributes.get("padding")
    same = value if isinstance(value, str) else call.attributes.get("auto_pad", "NOTSET")
    if same in {"valid", "VALID"}:
        return flat.padding
    if same == "same":
        total = [flat.extent(d) - 1 for d in range(spatial)]
        return tuple((n // 2, n - n // 2) for n in total)
    if same in {"SAME_UPPER", "SAME_LOWER"}:
        pairs = []
        for d, size in enumerate(call.need("input").shape[-spatial:]):
            wanted = -(-size // flat.stride[d])
            n = max((wanted - 1) * flat.stride[d] + flat.extent(d) - size, 0)
            less, more = n // 2, n - n // 2
            pairs.append((less, more) if same == "SAME_UPPER" else (more, less))
        return tuple(pairs)
    if isinstance(value, str):
        raise call.wrong("padding", value, "padding.text")
    if call.origin == "onnx" and value:
        if len(value) != 2 * spatial:
            raise call.wrong("padding", value, "integers.count", n=2 * spatial)
        return tuple((value[d], value[spatial + d]) for d in range(spatial))
    return tuple((n, n) for n in per_dim(call, "padding", spatial, 0))


def window_sizes(call: Call, slid: Windows, *, ceil: bool = False) -> tuple[int, ...]:
    """Sizes of the result of sliding windows. Errors: LayoutError where no window fits."""
    sizes = call.need("input").shape[-len(slid.kernel) :]
    found = []
    for d, size in enumerate(sizes):
        before, after = slid.padding[d]
        free = size + before + after - slid.extent(d)
        steps = free + (slid.stride[d] - 1 if ceil else 0)
        count = steps // slid.stride[d] + 1
        # A window that would begin behind the padding is left out (ceil_mode).
        if ceil and (count - 1) * slid.stride[d] >= size + before:
            count -= 1
        if count < 1 or (free < 0 and not ceil):
            raise call.refusal("input", f"a size of {size}", "window.room", n=slid.extent(d))
        found.append(count)
    return tuple(found)


def _check_weight(call: Call, spatial: int, *, transposed: bool) -> int:
    """Check operands and groups; return the output channels."""
    source, weight = call.need("input"), call.need("weight")
    groups = call.attributes["groups"]
    if weight.rank != spatial + 2:
        got = f"a tensor of {weight.rank} dimensions"
        raise call.refusal("weight", got, "dimensions.count", n=spatial + 2)
    channels = source.shape[-spatial - 1]
    if groups < 1:
        raise call.wrong("groups", groups, "integer.positive")
    into, out = weight.shape[1] * groups, weight.shape[0]
    if transposed:
        into, out = weight.shape[0], weight.shape[1] * groups
    got = f"the shape {list(weight.shape)} with {groups} groups"
    if channels != into:
        raise call.refusal("weight", got, "weight.channels", n=channels)
    if weight.shape[0] % groups:
        side = "input" if transposed else "output"
        raise call.refusal("weight", got, "weight.groups", side=side, groups=groups)
    bias = call.operand("bias")
    if bias is not None and bias.shape != (out,):
        raise call.misfit("bias", "shape.is", shape=[out])
    if call.origin == "onnx":
        return out
    if not out or weight.shape[0] < groups:
        raise call.refusal("weight", got, "channels.per_group")
    if 0 in source.shape[-spatial:] and 0 not in source.shape[:-spatial]:
        raise call.misfit("input", "sizes.not_empty")
    return out if channels else 0  # so PyTorch's convolutions answer


def _conv(call: Call, source: TensorType) -> TensorType:
    spatial = spatial_rank(call)
    out = _check_weight(call, spatial, transposed=False)
    sizes = window_sizes(call, windows(call, call.need("weight").shape[2:]))
    return TensorType((*source.shape[: source.rank - spatial - 1], out, *sizes), source.dtype)


def _conv_transpose(call: Call, source: TensorType) -> Shaped:
    spatial = spatial_rank(call)
    out = _check_weight(call, spatial, transposed=True)
    kernel = call.need("weight").shape[2:]
    more = per_dim(call, "output_padding", spatial, 0)
    wanted = call.attributes.get("output_shape")
    slid = windows(call, kernel)
    same = call.attributes.get("auto_pad", "NOTSET")
    sizes: list[int] = []
    for d, size in enumerate(source.shape[-spatial:]):
        if wanted:
            sizes.append(wanted[-spatial:][d])
        elif same in {"SAME_UPPER", "SAME_LOWER"}:
            sizes.append(size * slid.stride[d])
        else:
            full = (size - 1) * slid.stride[d] + slid.extent(d)
            sizes.append(full - sum(slid.padding[d]) + more[d])
    if any(n < 0 for n in sizes):
        raise refusal(call.where("padding"), "more padding than the result has", "padding.less")
    return TensorType((*source.shape[: source.rank - spatial - 1], out, *sizes), source.dtype)


def _quantized(call: Call, source: TensorType) -> Shaped:
    whole = call.op == "ConvInteger"
    dtype = ELEMENT_TYPES["int32"] if whole else call.need("y_zero_point").dtype
    return TensorType(_conv(call, source).shape, dtype)


_ONNX_WINDOWS = (
    "auto_pad:NOTSET/SAME_UPPER/SAME_LOWER/VALID dilations>dilation:ints group>groups:int=1 "
    "kernel_shape>kernel_size:ints pads>padding:ints strides>stride:ints"
)

_convolution = partial(compute, onednn="convolution", family="convolution")


_INT64 = ELEMENT_TYPES["int64"]


def _pool(call: Call, source: TensorType) -> Shaped:
    spatial = spatial_rank(call)
    kernel = per_dim(call, "kernel_size", spatial)
    slid = windows(call, kernel, stride_is_kernel=call.origin == "torch")
    if call.origin == "torch":
        for (before, _), size in zip(slid.padding, kernel, strict=True):
            if not 0 <= before <= size // 2:
                raise call.wrong("padding", before, "padding.half")
    sizes = window_sizes(call, slid, ceil=call.attributes["ceil_mode"])
    dtype = as_float(source.dtype) if call.op.startswith("lp") else source.dtype
    found = TensorType((*source.shape[: source.rank - spatial], *sizes), dtype)
    return (found, TensorType(found.shape, _INT64)) if call.op.lower().startswith("max") else found


def _adaptive(call: Call, source: TensorType) -> Shaped:
    spatial = spatial_rank(call)
    wanted = per_dim(call, "output_size", spatial)
    sizes = []
    for size, n in zip(source.shape[-spatial:], wanted, strict=True):
        if n is not None and n < 0:
            raise call.wrong("output_size", n, "sizes.or_null")
        sizes.append(size if n is None else n)
    found = TensorType((*source.shape[: source.rank - spatial], *sizes), source.dtype)
    return (found, TensorType(found.shape, _INT64)) if "max" in call.op else found


def _global(call: Call, source: TensorType) -> Shaped:
    return TensorType((*source.shape[:2], *(1,) * spatial_rank(call)), source.dtype)


def _unpool(call: Call, source: TensorType) -> Shaped:
    spatial = spatial_rank(call)
    wanted = call.integers("output_size")
    if wanted is None:
        kernel = per_dim(call, "kernel_size", spatial)
        slid = windows(call, kernel, stride_is_kernel=call.origin == "torch")
        wanted = tuple(
            (size - 1) * slid.stride[d] - sum(slid.padding[d]) + kernel[d]
            for d, size in enumerate(source.shape[-spatial:])
        )
    if len(wanted) < spatial or any(n < 0 for n in wanted):
        raise refusal("attributes.output_size", "wrong sizes", "sizes.count", n=spatial)
    return TensorType((*source.shape[: source.rank - spatial], *wanted[-spatial:]), source.dtype)


_WINDOWS = "kernel_size:ints! stride:ints padding:ints=0"
_ONNX_POOLS = (
    "auto_pad:NOTSET/SAME_UPPER/SAME_LOWER/VALID ceil_mode:flag dilations>dilation:ints "
    "kernel_shape>kernel_size:ints! pads>padding:ints strides>stride:ints"
)

OPERATORS = (
    _convolution("conv", _conv,
        "conv1d conv2d conv3d(input weight bias? stride:ints=1 padding:ints|text=0 "
        "dilation:ints=1 groups:int=1)", f"Conv(input weight bias? {_ONNX_WINDOWS})"),
    _convolution("conv_transpose", _conv_transpose,
        "conv_transpose1d conv_transpose2d conv_transpose3d(input weight bias? stride:ints=1 "
        "padding:ints=0 output_padding:ints=0 groups:int=1 dilation:ints=1)",
        f"ConvTranspose(input weight bias? output_padding:ints output_shape:ints {_ONNX_WINDOWS})",
        onednn="deconvolution"),
    _convolution("conv_integer", _quantized,
        onnx=f"ConvInteger(input weight x_zero? w_zero? {_ONNX_WINDOWS})"),
    _convolution("qlinear_conv", _quantized,
        onnx="QLinearConv(input x_scale x_zero_point weight w_scale w_zero_point y_scale "
        f"y_zero_point bias? {_ONNX_WINDOWS})"),
    memory("max_pool", _pool,
        f"max_pool1d max_pool2d max_pool3d(input {_WINDOWS} dilation:ints=1 ceil_mode:flag "
        "return_indices:flag)", f"MaxPool(input storage_order:int=0 {_ONNX_POOLS})",
        onednn="pooling", family="pooling"),
    memory("avg_pool", _pool, f"avg_pool1d avg_pool2d avg_pool3d(input {_WINDOWS} ceil_mode:flag "
        "count_include_pad:flag=true divisor_override:int)",
        f"AveragePool(input count_include_pad:flag {_ONNX_POOLS})", onednn="pooling",
        family="pooling"),
    memory("lp_pool", _pool,
        "lp_pool1d lp_pool2d lp_pool3d(input norm_type:number=2 kernel_size:ints! stride:ints "
        "ceil_mode:flag)", f"LpPool(input p:int=2 {_ONNX_POOLS})", family="pooling"),
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
