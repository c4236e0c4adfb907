"""Reductions, scans, softmax and sorting in eager PyTorch."""

from __future__ import annotations

from ....model.layout import Layout
from . import memory
from .calls import Eager, Outcome, Result, Rules, copied_to

FAMILY = Rules()


def reduced(shape: tuple[int, ...]) -> Layout:
    """The result of a reduction: contiguous. Source: ATen/native/ReduceOpsUtils.h."""
    return memory.fresh(shape)


@FAMILY.rule(
    "sum", "mean", "prod", "amax", "amin", "any", "all", "var", "std", "logsumexp", "norm",
    "norm_l1", "sum_square", "log_sum", "argmax", "argmin", "max_dim", "topk",
)  # fmt: skip
def _reduction(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/ReduceOpsUtils.h (resize_reduction)."""
    found = tuple(Result(reduced(each.shape)) for each in call.types)
    return Outcome(found, "A reduction writes a contiguous result, whatever the input's layout.")


@FAMILY.rule("softmax", "log_softmax", "softmin", "hardmax")
def _softmax(call: Eager) -> Outcome:
    """On contiguous memory. Source: ATen/native/SoftMax.cpp."""
    return Outcome(
        (Result(memory.fresh(call.shape)),),
        "Softmax computes on contiguous memory, so the result is contiguous.",
        copied_to(call, 0, memory.contiguous(call.input)),
    )


@FAMILY.rule("cumsum")
def _scan(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/ReduceOps.cpp (meta_func_cum_ops)."""
    found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
    return Outcome(found, "A scan writes a contiguous result, whatever the input's layout.")


@FAMILY.rule("sort")
def _sort(call: Eager) -> Outcome:
    """In the order of the input's strides. Source: ATen/native/Sorting.cpp (sort)."""
    found = tuple(Result(memory.preserved(call.input)) for _ in call.types)
    return Outcome(found, "Allocated in the order of the input's strides.")
