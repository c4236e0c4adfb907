"""Normalisations of eager PyTorch."""

from __future__ import annotations

from ....model.dtypes import DEFAULT
from ....model.layout import Layout
from ....model.views import steps
from ....model.views.reshape import reshape
from ...operators.views import replaced
from . import memory
from .calls import Eager, EagerResult, Outcome, copied_to, new, rule, suggests, view, viewed
from .memory import iterate
from .simple import on_contiguous


@rule("batch_norm")
def _batch_norm(call: Eager) -> Outcome:
    """In the first format that the input has, if the parameters are contiguous.

    Otherwise in the format that the order of its strides suggests.

    Source: ATen/native/Normalization.cpp (batch_norm_cpu, suggest_memory_format_contig).
    """
    if not call.input.elements:
        return new(_empty(call, call.input), "Empty: a copy.")
    roles = ("input", "weight", "bias", "running_mean", "running_var")
    layouts = [found.layout for role in roles if (found := call.get(role)) is not None]
    wanted = memory.suggested(call.input)
    if all(memory.has_format(each, memory.CONTIGUOUS) for each in layouts[1:]):
        formats = (memory.CONTIGUOUS, memory.CHANNELS_LAST_3D, memory.CHANNELS_LAST)
        wanted = next((f for f in formats if memory.has_format(call.input, f)), wanted)
    more = [EagerResult(memory.fresh(each.shape)) for each in call.types[1:]]
    return Outcome((EagerResult(memory.fresh(call.shape, wanted)), *more), suggests(wanted))


def _empty(call: Eager, source: Layout) -> Layout:
    """Nothing is normalised: a copy, times one number of the weight and plus one of the bias."""
    empty = memory.preserved(source)
    for role in ("weight", "bias"):
        empty = iterate([empty], scalars=1) if call.get(role) else empty
    return empty


@rule("instance_norm")
def _instance_norm(call: Eager) -> Outcome:
    """Normalises one image of all channels of all images, which is a view of contiguous memory.

    Source: ATen/native/Normalization.cpp (instance_norm).
    """
    if call.input.elements:
        return on_contiguous(call)
    images, channels, *rest = call.shape
    source = viewed(reshape(call.input, (1, images * channels, *rest)))
    return new(viewed(reshape(_empty(call, source), call.shape)), "Empty: a copy.")


@rule("group_norm")
def _group_norm(call: Eager) -> Outcome:
    """In the format that the input suggests. Source: ATen/native/group_norm.cpp."""
    wanted = memory.suggested(call.input)
    source = memory.contiguous(call.input, wanted)
    found = memory.fresh(call.shape, memory.suggested(source))
    return new(found, suggests(wanted), copied_to(call, 0, source))


@rule("rms_norm")
def _rms_norm(call: Eager) -> Outcome:
    """The input times a factor and the weight, made contiguous unless it is channels_last.

    Source: ATen/native/layer_norm.cpp (rms_norm_symint, rms_norm_composite).
    """
    shape = call.attributes.get("normalized_shape") or call.shape[-1:]
    kept = call.input.rank - len(shape)
    source = call.input
    if call.types[0].dtype.bits < DEFAULT.bits:
        source = memory.preserved(source)
    found = iterate([source, memory.fresh((*call.shape[:kept], *(1,) * len(shape)))])
    weight = call.get("weight")
    if weight is not None:
        found = iterate([found, weight.layout])
    if memory.suggested(call.input) != memory.CONTIGUOUS:
        return new(found, "channels_last goes step by step, and the order of strides is kept.")
    return new(memory.contiguous(found), "rms_norm gives a contiguous result.")


@rule("normalize")
def _normalize(call: Eager) -> Outcome:
    """The input divided by its norm, which is expanded. Source: torch/nn/functional.py."""
    if not call.shape:
        return new(memory.fresh(()), "One element.")
    d = call.attributes["dim"] % call.input.rank
    norm = iterate([memory.fresh(replaced(call.shape, d, 1))])
    found = iterate([call.input, steps.broadcast(norm, call.shape)])
    return new(found, "The input divided by its norm: the result keeps the order of its strides.")


@rule("local_response_norm")
def _local_response_norm(call: Eager) -> Outcome:
    """The input divided by a pooled tensor of its shape. Source: torch/nn/functional.py."""
    if not call.input.elements:
        return view(call.input, "Empty: the input itself.")
    divisor = iterate([memory.fresh(call.shape)], scalars=1)
    return new(iterate([call.converted, divisor]), "The input divided by a contiguous tensor.")
