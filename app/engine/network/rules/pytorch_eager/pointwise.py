"""Element-wise operators of eager PyTorch: the iterator's rule on their operands."""

from __future__ import annotations

from ....model.dtypes import ELEMENT_TYPES, ElementType
from ....model.layout import Layout
from ....model.views import steps
from ...operators.base import TensorType
from ...operators.promotion import as_float, numbers_among, result_type
from . import memory
from .calls import Eager, EagerResult, Outcome, new, rule, viewed
from .memory import converted, iterate
from .views import checked_format

_ITERATED = "Element-wise: the result keeps the order of strides of the operands."
_NUMBERS = ("other", "exponent", "min", "max")


def _in_common_type(call: Eager) -> list[Layout]:
    """The operands' layouts after the conversion to their common element type."""
    given = call.given()
    numbers = numbers_among(call.call, _NUMBERS)
    common = result_type([TensorType(each.shape, each.dtype) for each in given], numbers)
    if call.node.operator.name in {"div", "atan2"}:
        common = as_float(common)
    return [converted(each.layout, each.dtype, common) for each in given]


@rule("quantize", "unary")
def _unary(call: Eager) -> Outcome:
    """One operand: its strides if it is dense, else dense strides in its order.

    Source: ATen/native/UnaryOps.cpp, Activation.cpp, TensorCompare.cpp (clamp).
    """
    return new(iterate([call.input]), _ITERATED)


@rule("", "binary", "pointwise")
def _binary(call: Eager) -> Outcome:
    """Several operands, or one and a number, which counts as a tensor of rank 0.

    clamp and pow with numbers are operations of one operand.
    Source: ATen/native/BinaryOps.cpp, TensorIterator.cpp (compute_types, reorder_dimensions).
    """
    name = call.node.operator.name
    layouts = _in_common_type(call)
    number = len(layouts) == 1 and call.node.dialect == "torch" and name not in {"clamp", "pow"}
    return new(iterate(layouts, scalars=int(number)), _ITERATED)


@rule("isnan threshold")
def _itself_twice(call: Eager) -> Outcome:
    """Compares the operand with itself (x != x). Source: ATen/native/TensorCompare.cpp."""
    return new(iterate([call.input, call.input]), _ITERATED)


@rule("isinf")
def _isinf(call: Eager) -> Outcome:
    """|x| == inf: an operation with a number. Source: ATen/native/TensorCompare.cpp."""
    if call.given()[0].dtype.kind != "float":
        return new(memory.preserved(call.input), "Integers are finite: filled like the input.")
    return new(iterate([iterate([call.input])], scalars=1), _ITERATED)


@rule("isfinite")
def _isfinite(call: Eager) -> Outcome:
    """(x == x) * (|x| != inf). Source: ATen/native/TensorCompare.cpp."""
    if call.given()[0].dtype.kind != "float":
        return new(memory.preserved(call.input), "Integers are finite: filled like the input.")
    same = iterate([call.input, call.input])
    return new(iterate([same, iterate([iterate([call.input])], scalars=1)]), _ITERATED)


@rule("softsign")
def _softsign(call: Eager) -> Outcome:
    """x / (|x| + 1). Source: torch/nn/functional.py."""
    below = iterate([iterate([call.input])], scalars=1)
    dtype, common = call.given()[0].dtype, call.types[0].dtype
    return new(iterate([call.converted, converted(below, dtype, common)]), _ITERATED)


@rule("tanhshrink")
def _tanhshrink(call: Eager) -> Outcome:
    """x - tanh(x). Source: torch/nn/functional.py."""
    return new(iterate([call.converted, iterate([call.input])]), _ITERATED)


@rule("glu")
def _glu(call: Eager) -> Outcome:
    """The iterator on the two halves. Source: ATen/native/GatedLinearUnit.cpp."""
    d = call.attributes["dim"] % call.input.rank
    half = call.input.shape[d] // 2
    halves = [viewed(steps.narrow(call.input, d, start, half)) for start in (0, half)]
    return new(iterate(halves), _ITERATED)


@rule("where")
def _where(call: Eager) -> Outcome:
    """The iterator on condition, input and other; numbers are tensors of rank 0.

    Source: ATen/native/TensorCompare.cpp (where_self_out).
    """
    condition = call.need("condition")
    layouts = [_as_condition(condition.layout, condition.dtype)]
    common = call.types[0].dtype
    for role in ("input", "other"):
        branch = call.get(role)
        if branch is not None:
            layouts.append(converted(branch.layout, branch.dtype, common))
    return new(iterate(layouts, scalars=3 - len(layouts)), _ITERATED)


def _as_condition(layout: Layout, dtype: ElementType) -> Layout:
    """A condition that is no boolean stands for ``condition > 0``."""
    if dtype is ELEMENT_TYPES["bool"] or dtype is ELEMENT_TYPES["uint8"]:
        return layout
    return iterate([layout], scalars=1)


@rule("dropout")
def _dropout(call: Eager) -> Outcome:
    """Outside training the input itself. Source: ATen/native/Dropout.cpp."""
    if call.attributes.get("training") or call.attributes.get("train"):
        kept = memory.preserved(call.input)
        return new(iterate([call.input, kept]), "Multiplied by a mask that lies like the input.")
    mask = [EagerResult(memory.fresh(each.shape)) for each in call.types[1:]]
    return Outcome(
        (EagerResult(call.input, 0), *mask), "Outside training, dropout returns its input itself."
    )


@rule("like")
def _like(call: Eager) -> Outcome:
    """zeros_like and its relatives. Source: ATen/native/TensorFactories.cpp (empty_like)."""
    wanted = call.attributes["memory_format"]
    keeps = wanted in {None, "preserve_format"}
    found = memory.preserved(call.input) if keeps else None
    found = found or memory.fresh(call.shape, checked_format(call, wanted))
    return new(found, "A new tensor in the memory format that is asked for.")
