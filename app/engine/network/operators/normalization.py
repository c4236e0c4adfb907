"""Normalisations: the result has the shape and the element type of the input."""

from __future__ import annotations

from ...model.errors import LayoutError, Phrase
from .base import Call, Shaped, TensorType, axis_of, broadcast_to, memory, same
from .promotion import as_float


def _by_channel(call: Call) -> Shaped:
    source = call.need("input")
    if source.rank < 2:
        expected = Phrase("channels.second", "at least 2 dimensions, the second of them channels")
        raise call.refusal("input", f"a tensor of {source.rank} dimensions", expected)
    channels = source.shape[1]
    if call.op == "GroupNormalization" and call.need("weight").shape != (channels,):
        channels = call.attributes["num_groups"]  # opset 18 has one scale for each group
    for role in ("weight", "bias", "running_mean", "running_var"):
        found = call.operand(role)
        if found is not None and found.shape != (channels,):
            said = "the shape [{channels}], one value for each channel"
            raise call.misfit(role, Phrase("shape.per_channel", said, channels=channels))
    groups = call.attributes.get("num_groups")
    if groups is not None and (groups < 1 or source.shape[1] % groups):
        said = "a divisor of the {channels} channels"
        expected = Phrase("channels.divisor", said, channels=source.shape[1])
        raise LayoutError("attributes.num_groups", groups, expected)
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
        expected = Phrase("sizes.last", "the last sizes of the input, at least one")
        raise LayoutError("attributes.normalized_shape", list(shape), expected)
    for role in ("weight", "bias"):
        found = call.operand(role)
        if found is not None and found.shape != shape:
            raise call.misfit(role, Phrase("shape.is", "the shape {shape}", shape=list(shape)))
    return source


def _along(call: Call) -> Shaped:
    source = call.need("input")
    axis_of(call, source.rank)
    return source


def _local_response(call: Call) -> Shaped:
    source = call.need("input")
    if source.rank < 3:
        raise call.misranked("input", Phrase("rank.least_3", "a rank of 3 or more"))
    if 0 in source.shape:
        return source
    return TensorType(source.shape, as_float(source.dtype))


OPERATORS = (
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
    memory("normalize", _along, "normalize(input p:number=2.0 dim:int=1 eps:number=1e-12)",
        "LpNormalization(input axis>dim:int=-1 p:int=2)"),
    memory("mean_variance_norm", same, onnx="MeanVarianceNormalization(input axes:ints=0,2,3)"),
)  # fmt: skip  # a table: a row an operator
