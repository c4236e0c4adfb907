"""Element-wise operators of eager PyTorch: the iterator's rule on their operands."""

from __future__ import annotations

from collections.abc import Callable

from ....model.dtypes import ELEMENT_TYPES, ElementType
from ....model.layout import Layout
from ....model.views import steps
from ...operators.base import Family, TensorType
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


def _iterated(
    names: str, source: str, operands: Callable[[Eager], list[Layout]], *family: Family
) -> None:
    """The rule of the iterator on operands that follow from the input."""
    rule(names, *family, source=source)(lambda call: new(iterate(operands(call)), _ITERATED))


def _as_number(call: Eager) -> Layout:
    """The operand, of integers in the floats that the result has (build_unary_float_op)."""
    of_integers = call.given()[0].dtype.kind not in {"float", "complex"}
    return call.converted if of_integers and call.types[0].dtype.kind == "float" else call.input


def _halves(call: Eager) -> list[Layout]:
    d = call.attributes["dim"] % call.input.rank
    half = call.input.shape[d] // 2
    return [viewed(steps.narrow(call.input, d, start, half)) for start in (0, half)]


def _of_softsign(call: Eager) -> list[Layout]:
    """x / (|x| + 1)."""
    below = iterate([iterate([call.input])], scalars=1)
    return [call.converted, converted(below, call.given()[0].dtype, call.types[0].dtype)]


_OPS = "ATen/native/UnaryOps.cpp, Activation.cpp, TensorCompare.cpp (clamp)"
_FUNCTIONAL = "torch/nn/functional.py"
_iterated("quantize", _OPS, lambda call: [_as_number(call)], "unary")
_iterated("isnan threshold", "TensorCompare.cpp (x != x)", lambda call: [call.input, call.input])
_iterated("tanhshrink", _FUNCTIONAL, lambda call: [call.converted, iterate([call.converted])])
_iterated("softsign", _FUNCTIONAL, _of_softsign)
_iterated("glu", "ATen/native/GatedLinearUnit.cpp", _halves)


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


@rule("isinf isfinite")
def _is_finite(call: Eager) -> Outcome:
    """|x| == inf, or (x == x) * (|x| != inf). Source: ATen/native/TensorCompare.cpp."""
    if call.given()[0].dtype.kind != "float":
        return new(memory.preserved(call.input), "Integers are finite: filled like the input.")
    found = iterate([iterate([call.input])], scalars=1)
    if call.node.operator.name == "isfinite":
        found = iterate([iterate([call.input, call.input]), found])
    return new(found, _ITERATED)


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
