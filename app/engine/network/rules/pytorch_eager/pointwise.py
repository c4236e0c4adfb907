"""Element-wise operators and normalisations of eager PyTorch: the iterator's rule on operands."""

from collections.abc import Callable

from ....model.dtypes import DEFAULT
from ....model.layout import Layout
from ....model.views import reshape
from ....notation import view_steps as steps
from ...operators.base import Family
from ...operators.promotion import as_float, numbers_among, result_type
from ...operators.views import replaced
from . import memory
from .calls import Eager, EagerResult, Outcome, copied_to, new, rule, suggests, view, viewed
from .memory import converted, iterate
from .simple import on_contiguous
from .views import checked_format

_ITERATED = (
    "Element-wise: the result has the first operand's order of strides; where that operand is "
    "broadcast, the next one's."
)
_NUMBERS = ("other", "exponent", "min", "max")


def _iterated(
    names: str, source: str, operands: Callable[[Eager], list[Layout]], *family: Family
) -> None:
    """The rule of the iterator on operands that follow from the input."""
    rule(names, *family, source=source)(lambda call: new(iterate(operands(call)), _ITERATED))


def _as_number(call: Eager) -> Layout:
    """The operand, of integers in the floats that the result has (build_unary_float_op)."""
    of_integers = call.first.dtype.kind not in {"float", "complex"}
    return call.converted if of_integers and call.types[0].dtype.kind == "float" else call.input


def _halves(call: Eager) -> list[Layout]:
    d = call.attributes["dim"] % call.input.rank
    half = call.input.shape[d] // 2
    return [viewed(steps.narrow(call.input, d, start, half)) for start in (0, half)]


def _of_softsign(call: Eager) -> list[Layout]:
    """x / (|x| + 1)."""
    below = iterate([iterate([call.input])], scalars=1)
    return [call.converted, converted(below, call.first.dtype, call.types[0].dtype)]


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
    common = result_type(call.given(), numbers_among(call, _NUMBERS))
    if name in {"div", "atan2"}:
        common = as_float(common)
    layouts = [converted(each.layout, each.dtype, common) for each in call.operands if each]
    number = len(layouts) == 1 and call.node.origin == "torch" and name not in {"clamp", "pow"}
    return new(iterate(layouts, scalars=int(number)), _ITERATED)


@rule("isinf isfinite")
def _is_finite(call: Eager) -> Outcome:
    """|x| == inf, or (x == x) * (|x| != inf). Source: ATen/native/TensorCompare.cpp."""
    if call.first.dtype.kind != "float":
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
    condition = call.layout("condition")
    if call.need("condition").dtype.name not in {"bool", "uint8"}:
        condition = iterate([condition], scalars=1)  # it stands for ``condition > 0``
    branches = [
        converted(found, call.need(role).dtype, call.types[0].dtype)
        for role in ("input", "other")
        if (found := call.get(role))
    ]
    return new(iterate([condition, *branches], scalars=2 - len(branches)), _ITERATED)


@rule("dropout")
def _dropout(call: Eager) -> Outcome:
    """Outside training the input itself. Source: ATen/native/Dropout.cpp."""
    if call.attributes.get("training") or call.attributes.get("train"):
        kept = memory.preserved(call.input)
        return new(iterate([call.input, kept]), "Multiplied by a mask that lies like the input.")
    mask = (EagerResult(memory.fresh(each.shape)) for each in call.types[1:])
    why = "Outside training, dropout returns its input itself."
    return Outcome((EagerResult(call.input, 0), *mask), why)


@rule("like")
def _like(call: Eager) -> Outcome:
    """zeros_like and its relatives. Source: ATen/native/TensorFactories.cpp (empty_like)."""
    wanted = call.attributes["memory_format"]
    why = "A new tensor in the memory format that is asked for."
    if wanted in {None, "preserve_format"}:
        return new(memory.preserved(call.input), why)
    return new(memory.fresh(call.shape, checked_format(call, wanted)), why)


@rule("batch_norm")
def _batch_norm(call: Eager) -> Outcome:
    """In the first format that the input has, if the parameters are contiguous.

    Otherwise in the format that the order of its strides suggests.

    Source: ATen/native/Normalization.cpp (batch_norm_cpu, suggest_memory_format_contig).
    """
    if not call.input.elements:
        return new(_empty(call, call.input), "Empty: a copy.")
    roles = ("input", "weight", "bias", "running_mean", "running_var")
    layouts = [found for role in roles if (found := call.get(role)) is not None]
    wanted = memory.suggested(call.input)
    if all(memory.has_format(each, memory.CONTIGUOUS) for each in layouts[1:]):
        formats = (memory.CONTIGUOUS, memory.CHANNELS_LAST_3D, memory.CHANNELS_LAST)
        wanted = next((f for f in formats if memory.has_format(call.input, f)), wanted)
    return new(memory.fresh(call.shape, wanted), suggests(wanted))


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
    if weight := call.get("weight"):
        found = iterate([found, weight])
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
