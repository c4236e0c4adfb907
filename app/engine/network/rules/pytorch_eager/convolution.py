"""Convolutions, pooling and resizing in eager PyTorch on the CPU."""

import math

from ....model.layout import Layout
from ....notation import view_steps as steps
from ...operators.convolution import spatial_dims
from . import memory
from .calls import Eager, EagerCopy, EagerResult, Outcome, copied_to, new, rule, suggests
from .memory import iterate
from .views import joined, taken

_LAST = {4: memory.CHANNELS_LAST, 5: memory.CHANNELS_LAST_3D}
_MKLDNN_ELEMENTS = 20480
_HALVES = {"bfloat16", "float16"}


@rule("conv conv_transpose")
def _conv(call: Eager) -> Outcome:
    """channels_last if the strides of the input or of the weight suggest it.

    In 3D only the kernels of oneDNN have it, which take no float64 and leave small float32
    problems to PyTorch's own. conv1d makes its input contiguous and runs as conv2d.
    Source: ATen/native/ConvUtils.h (mkldnn_conv_use_channels_last, thnn_conv_use_channels_last),
    ATen/native/Convolution.cpp (use_mkldnn, _convolution, for no elements ConvBackend::Empty).
    """
    source, weight = call.input, call.layout("weight")
    spatial = weight.rank - 2
    batched = source.rank == spatial + 2
    if not batched:
        source = steps.unsqueeze(source, 0)
    shape = call.shape if batched else (1, *call.shape)
    if spatial == 1:
        source, weight = (steps.unsqueeze(memory.contiguous(source), 2), steps.unsqueeze(weight, 2))
        shape = (*shape[:2], 1, *shape[2:])
    found, wanted = _computed(call, source, weight, shape)
    if spatial == 1:
        found = steps.squeeze(found, 2)
    if not batched:
        found = steps.squeeze(found, 0)
    return new(found, _reason(call, source, weight, wanted), _copies(call, wanted))


def _computed(
    call: Eager, source: Layout, weight: Layout, shape: tuple[int, ...]
) -> tuple[Layout, str]:
    """The result of the kernel on batched operands, and the format that it computes in."""
    if not source.elements:  # a view of the input, multiplied by a number
        found = iterate([source], scalars=1) if shape == source.shape else memory.fresh(shape)
        return found, memory.CONTIGUOUS
    onednn = _uses_onednn(call, source, weight)
    wanted = _format(call, source, weight, onednn=onednn)
    groups = call.attributes["groups"]
    if onednn or groups == 1:
        source, weight = memory.contiguous(source, wanted), memory.contiguous(weight, wanted)
        return memory.fresh(shape, _format(call, source, weight, onednn=onednn)), wanted
    into, out = source.shape[1] // groups, shape[1] // groups
    parts = []
    for group in range(groups):
        part = memory.contiguous(taken(source, 1, group * into, into), wanted)
        rows = weight.shape[0] // groups
        own = memory.contiguous(taken(weight, 0, group * rows, rows), wanted)
        again = _format(call, part, own, onednn=False)
        parts.append(memory.fresh((shape[0], out, *shape[2:]), again))
    return joined(parts, 1), wanted


def _format(call: Eager, source: Layout, weight: Layout, *, onednn: bool) -> str:
    last = _LAST.get(source.rank, memory.CONTIGUOUS)
    double = any(each.dtype.name == "float64" for each in call.given())
    if (onednn and double) or (source.rank == 5 and not onednn):
        return memory.CONTIGUOUS
    suggests = last in {memory.suggested(source), memory.suggested(weight)}
    return last if suggests else memory.CONTIGUOUS


def _uses_onednn(call: Eager, source: Layout, weight: Layout) -> bool:
    """Whether oneDNN computes it, with two threads or more.

    16-bit floats: on a processor with instructions for them (mkldnn_fp16_device_check).
    Source: Convolution.cpp, use_mkldnn.
    """
    dtype = call.first.dtype.name
    if call.node.operator.name == "conv_transpose" and _big_output_padding(call):
        return False
    if dtype in _HALVES:
        return True
    return dtype == "float32" and (
        call.attributes["groups"] > 1
        or (weight.shape[-1] > 3 and weight.shape[-2] > 3)
        or source.shape[0] > 1
        or math.prod(source.shape[:4]) > _MKLDNN_ELEMENTS
    )


def _big_output_padding(call: Eager) -> bool:
    more = call.attributes.get("output_padding") or (0,)
    stride = call.attributes.get("stride") or (1,)
    longest = max(len(more), len(stride))
    more, stride = (each * longest if len(each) == 1 else each for each in (more, stride))
    return any(m >= s for m, s in zip(more, stride, strict=True))


def _copies(call: Eager, wanted: str) -> tuple[EagerCopy, ...]:
    copies: list[EagerCopy] = []
    for role in ("input", "weight"):
        layout, at = call.layout(role), call.signature.positions[role]
        if layout.rank == memory.RANKS.get(wanted, layout.rank):
            copies += copied_to(call, at, memory.contiguous(layout, wanted))
    return tuple(copies)


def _reason(call: Eager, source: Layout, weight: Layout, wanted: str) -> str:
    if wanted == memory.CONTIGUOUS:
        last = _LAST.get(source.rank)
        if last in {memory.suggested(source), memory.suggested(weight)}:
            return "This kernel knows contiguous memory only."
        return "Neither the input nor the weight is channels_last, so the result is contiguous."
    who = "input" if memory.suggested(source) == wanted else "weight"
    reason = f"The strides of the {who} say {wanted}, so it is computed and written so."
    if wanted == memory.CHANNELS_LAST_3D and call.first.dtype.name in _HALVES:
        reason += " A processor without instructions for this type writes it contiguous."
    return reason


def _written(call: Eager, wanted: str, *, made: Layout | None = None) -> Outcome:
    reason = suggests(wanted)
    if wanted == memory.CONTIGUOUS and memory.suggested(call.input) != wanted:
        reason = "This kernel knows contiguous memory only."
    found = memory.fresh(call.shape, wanted) if made is None else made
    rank_fits = call.input.rank == memory.RANKS.get(wanted, call.input.rank)
    copies = copied_to(call, 0, memory.contiguous(call.input, wanted)) if rank_fits else ()
    return Outcome(tuple(EagerResult(found) for _ in call.types), reason, copies)


@rule("max_unpool", "pooling", "global pooling")
def _pool(call: Eager) -> Outcome:
    """Pooling over one, two or three dimensions.

    One dimension runs as two, with a height of 1. A pooling to one element per channel is a mean.
    Source: ATen/native/DilatedMaxPool2d.cpp, AveragePool2d.cpp, AdaptiveAveragePooling.cpp,
    Pooling.cpp.
    """
    spatial = spatial_dims(call.op, call.origin, call.input.rank)
    name = call.node.operator.name
    if name == "interpolate":
        name = "adaptive_avg_pool"  # what the mode "area" calls
    if name in {"adaptive_avg_pool", "global_avg_pool"} and set(call.shape[-spatial:]) <= {1}:
        found, wanted = _kept(call.input, call.shape, spatial)
        if wanted == memory.CHANNELS_LAST and spatial == 3:
            found, wanted = memory.fresh(call.shape), memory.CONTIGUOUS
        return _written(call, wanted, made=found)
    if spatial == 1 and name != "max_pool":
        return _written(call, memory.CONTIGUOUS, made=_kept(call.input, call.shape, 1)[0])
    if spatial == 1 or (spatial == 3 and name not in {"max_pool", "global_max_pool"}):
        return _written(call, memory.CONTIGUOUS)
    if spatial == 3 and call.input.rank == 4:
        # Without a batch: channels_last_3d if it is dense so, and not contiguous.
        batched = steps.unsqueeze(call.input, 0)
        plain = memory.has_format(call.input, memory.CONTIGUOUS)
        last = not plain and memory.has_format(batched, memory.CHANNELS_LAST_3D)
        wanted = memory.CHANNELS_LAST_3D if last else memory.CONTIGUOUS
        found = steps.squeeze(memory.fresh((1, *call.shape), wanted), 0)
        return _written(call, memory.CONTIGUOUS, made=found)
    return _written(call, memory.suggested(call.input))


@rule("lp_pool global_lp_pool")
def _lp_pool(call: Eager) -> Outcome:
    """sign(y) · relu(|y|), times and to the power of a number, for y the average of x^p.

    Source: torch/nn/functional.py (lp_pool2d).
    """
    spatial = spatial_dims(call.op, call.origin, call.input.rank)
    average = memory.fresh(call.shape)
    if spatial < 3:
        average, _ = _kept(iterate([call.input]), call.shape, spatial)
    signed = iterate([iterate([average]), iterate([iterate([average])])])
    found = iterate([iterate([signed], scalars=1)])
    return _written(call, memory.suggested(call.input), made=found)


def _kept(source: Layout, shape: tuple[int, ...], spatial: int) -> tuple[Layout, str]:
    """A result in the format that the source suggests; one dimension runs as two, a height of 1."""
    if spatial == 1:
        found, wanted = _kept(steps.unsqueeze(source, -2), (*shape[:-1], 1, shape[-1]), 2)
        return steps.squeeze(found, -2), wanted
    wanted = memory.suggested(source)
    return memory.fresh(shape, wanted), wanted


@rule("", "resizing")
def _interpolate(call: Eager) -> Outcome:
    """Two and three dimensions keep the format, one does not. Source: ATen/native/UpSample*.cpp."""
    if call.attributes.get("mode") == "area":
        return _pool(call)
    if call.input.rank == 3:
        return _written(call, memory.CONTIGUOUS)
    return _written(call, memory.suggested(call.input))


@rule("grid_sample")
def _grid_sample(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/GridSampler.cpp."""
    return _written(call, memory.CONTIGUOUS)
