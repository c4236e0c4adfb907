"""Normalisations: the result has the shape and the element type of the input."""

from __future__ import annotations

from ...model.errors import Described, LayoutError
from ..attributes import flag, integer, integers, number, required
from .base import Call, Operator, Shaped, TensorType, axis_of, broadcast_to, signature
from .promotion import as_float


def _by_channel(call: Call) -> Shaped:
    source = call.need("input")
    if source.rank < 2:
        raise LayoutError(
            call.where("input"),
            Described(f"a tensor of {source.rank} dimensions"),
            "at least 2 dimensions, the second of them channels",
        )
    channels = source.shape[1]
    if call.op == "GroupNormalization" and call.need("weight").shape != (channels,):
        channels = call.attributes["num_groups"]  # opset 18 has one scale for each group
    for role in ("weight", "bias", "running_mean", "running_var"):
        found = call.operand(role)
        if found is not None and found.shape != (channels,):
            raise LayoutError(
                call.where(role),
                Described(f"the shape {list(found.shape)}"),
                f"the shape [{channels}], one value for each channel",
            )
    groups = call.attributes.get("num_groups")
    if groups is not None and (groups < 1 or source.shape[1] % groups):
        raise LayoutError(
            "attributes.num_groups", groups, f"a divisor of the {source.shape[1]} channels"
        )
    if call.op != "BatchNormalization":
        return source
    return (source, *(TensorType((channels,), source.dtype),) * 4)


def _by_shape(call: Call) -> Shaped:
    source = call.need("input")
    if call.dialect == "onnx":
        axis = axis_of(call, source.rank)
        for role in ("weight", "bias"):
            if call.operand(role):
                broadcast_to(call, source, role)
        shape = (*source.shape[:axis], *(1,) * (source.rank - axis))
        return (source, *(TensorType(shape, source.dtype),) * 2)
    shape = call.attributes["normalized_shape"]
    if not shape or source.shape[source.rank - len(shape) :] != shape:
        raise LayoutError(
            "attributes.normalized_shape", list(shape), "the last sizes of the input, at least one"
        )
    for role in ("weight", "bias"):
        found = call.operand(role)
        if found is not None and found.shape != shape:
            raise LayoutError(
                call.where(role),
                Described(f"the shape {list(found.shape)}"),
                f"the shape {list(shape)}",
            )
    return source


def _same(call: Call) -> Shaped:
    return call.need("input")


def _along(call: Call) -> Shaped:
    source = call.need("input")
    axis_of(call, source.rank)
    return source


def _local_response(call: Call) -> Shaped:
    source = call.need("input")
    if source.rank < 3:
        raise LayoutError(
            call.where("input"), Described(f"a tensor of rank {source.rank}"), "a rank of 3 or more"
        )
    if 0 in source.shape:
        return source
    return TensorType(source.shape, as_float(source.dtype))


OPERATORS = (
    Operator(
        "batch_norm", "memory", _by_channel,
        torch=("batch_norm",),
        torch_call=signature(
            "input running_mean? running_var? weight? bias?", training=flag(),
            momentum=number(0.1), eps=number(1e-5),
        ),
        onnx=("BatchNormalization",),
        onnx_call=signature(
            "input weight bias running_mean running_var", epsilon=number(1e-5).named("eps"),
            momentum=number(0.9), training_mode=flag().named("training"), spatial=integer(1),
        ),
        onednn="batch_normalization",
    ),
    Operator(
        "instance_norm", "memory", _by_channel,
        torch=("instance_norm",),
        torch_call=signature(
            "input running_mean? running_var? weight? bias?", use_input_stats=flag(default=True),
            momentum=number(0.1), eps=number(1e-5),
        ),
        onnx=("InstanceNormalization",),
        onnx_call=signature("input weight bias", epsilon=number(1e-5).named("eps")),
    ),
    Operator(
        "group_norm", "memory", _by_channel,
        torch=("group_norm",),
        torch_call=signature(
            "input weight? bias?", num_groups=required(integer()), eps=number(1e-5)
        ),
        onnx=("GroupNormalization",),
        onnx_call=signature(
            "input weight bias", num_groups=required(integer()), stash_type=integer(1),
            epsilon=number(1e-5).named("eps"),
        ),
        onednn="group_normalization",
    ),
    Operator(
        "layer_norm", "memory", _by_shape,
        torch=("layer_norm",),
        torch_call=signature(
            "input weight? bias?", normalized_shape=required(integers()), eps=number(1e-5)
        ),
        onnx=("LayerNormalization",),
        onnx_call=signature(
            "input weight bias?", axis=integer(-1).named("dim"), stash_type=integer(1),
            epsilon=number(1e-5).named("eps"),
        ),
        onednn="layer_normalization",
    ),
    Operator(
        "rms_norm", "memory", _by_shape,
        torch=("rms_norm",),
        torch_call=signature(
            "input weight?", normalized_shape=required(integers()), eps=number()
        ),
        onnx=("RMSNormalization", "SimplifiedLayerNormalization"),
        onnx_call=signature(
            "input weight", axis=integer(-1).named("dim"), stash_type=integer(1),
            epsilon=number(1e-5).named("eps"),
        ),
    ),
    Operator(
        "local_response_norm", "memory", _local_response,
        torch=("local_response_norm",),
        torch_call=signature(
            "input", size=required(integer()), alpha=number(1e-4), beta=number(0.75), k=number(1.0)
        ),
        onnx=("LRN",),
        onnx_call=signature(
            "input", size=required(integer()), alpha=number(1e-4), beta=number(0.75),
            bias=number(1.0).named("k"),
        ),
        onednn="lrn",
    ),
    Operator(
        "normalize", "memory", _along,
        torch=("normalize",),
        torch_call=signature("input", p=number(2.0), dim=integer(1), eps=number(1e-12)),
        onnx=("LpNormalization",),
        onnx_call=signature("input", axis=integer(-1).named("dim"), p=integer(2)),
    ),
    Operator(
        "mean_variance_norm", "memory", _same,
        onnx=("MeanVarianceNormalization",), onnx_call=signature("input", axes=integers((0, 2, 3))),
    ),
)  # fmt: skip
