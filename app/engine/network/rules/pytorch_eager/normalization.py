"""Normalisations of eager PyTorch."""

from __future__ import annotations

from . import memory
from .calls import Eager, Outcome, Result, Rules, copied_to, new, suggests
from .iterator import iterate

FAMILY = Rules()


@FAMILY.rule("batch_norm")
def _batch_norm(call: Eager) -> Outcome:
    """In the format that the input suggests.

    Source: ATen/native/Normalization.cpp (batch_norm_cpu, _batch_norm_impl_index).
    """
    wanted = memory.suggested(call.input)
    more = [Result(memory.fresh(each.shape)) for each in call.types[1:]]
    return Outcome((Result(memory.fresh(call.shape, wanted)), *more), suggests(wanted))


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
    found = memory.fresh(call.shape, memory.suggested(source))
    return new(found, suggests(wanted), copied_to(call, 0, source))


@FAMILY.rule("local_response_norm", "normalize")
def _divided(call: Eager) -> Outcome:
    """The input divided by something of its shape. Source: torch/nn/functional.py."""
    return new(iterate([call.input, memory.fresh(call.shape)]), "The input divided by its norm.")
