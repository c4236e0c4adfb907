"""Normalisations of eager PyTorch."""

from __future__ import annotations

from ....layout import Layout
from . import memory
from .calls import Eager, Outcome, Result, Rules, copied_to, new
from .iterator import iterate

FAMILY = Rules()

_FORMATS = (memory.CONTIGUOUS, memory.CHANNELS_LAST, memory.CHANNELS_LAST_3D)


def _has_a_format(layout: Layout) -> bool:
    return any(memory.has_format(layout, each) for each in _FORMATS)


@FAMILY.rule("batch_norm")
def _batch_norm(call: Eager) -> Outcome:
    """In the input's memory format if it and the parameters are dense in one, else contiguous.

    Source: ATen/native/Normalization.cpp (batch_norm_cpu, _batch_norm_impl_index).
    """
    if not call.input.elements:
        return new(iterate([memory.preserved(call.input)], scalars=0), "Empty: a copy.")
    roles = ("weight", "bias", "running_mean", "running_var")
    parameters = [found.layout for role in roles if (found := call.get(role)) is not None]
    if _has_a_format(call.input) and all(
        memory.has_format(each, memory.CONTIGUOUS) for each in parameters
    ):
        wanted = memory.suggested(call.input)
        found = memory.fresh(call.shape, wanted)
        name = wanted.removesuffix("_format")
        reason = f"The input is {name} and dense, so the result is."
    else:
        found = memory.fresh(call.shape)
        reason = "The input or a parameter is in no memory format, so the result is contiguous."
    more = [Result(memory.fresh(each.shape)) for each in call.types[1:]]
    return Outcome((Result(found), *more), reason)


@FAMILY.rule("instance_norm", "layer_norm", "rms_norm", "mean_variance_norm")
def _on_contiguous(call: Eager) -> Outcome:
    """Computes on contiguous memory.

    Source: ATen/native/Normalization.cpp (instance_norm), layer_norm.cpp.
    """
    more = [Result(memory.fresh(each.shape)) for each in call.types[1:]]
    return Outcome(
        (Result(memory.fresh(call.shape)), *more),
        f"{call.op} computes on contiguous memory, so the result is contiguous.",
        copied_to(call, 0, memory.contiguous(call.input)),
    )


@FAMILY.rule("group_norm")
def _group_norm(call: Eager) -> Outcome:
    """In the format that the input suggests. Source: ATen/native/group_norm.cpp."""
    wanted = memory.suggested(call.input)
    source = memory.contiguous(call.input, wanted)
    name = wanted.removesuffix("_format")
    found = memory.fresh(call.shape, memory.suggested(source))
    return new(found, f"The order of the input's strides says {name}.", copied_to(call, 0, source))


@FAMILY.rule("local_response_norm", "normalize")
def _divided(call: Eager) -> Outcome:
    """The input divided by something of its shape. Source: torch/nn/functional.py."""
    return new(iterate([call.input, memory.fresh(call.shape)]), "The input divided by its norm.")
