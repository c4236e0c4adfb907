"""Element-wise operators: one operand, two or more operands, comparisons, logic."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...model.dtypes import BY_ONNX, ELEMENT_TYPES, ElementType
from ...model.errors import Described, LayoutError, Phrase
from .base import (
    Call,
    Operator,
    Shaped,
    ShapeRule,
    TensorType,
    axis_of,
    broadcast_shapes,
    broadcast_to,
    dtype_named,
    memory,
)
from .promotion import as_float, numbers_among, result_type
from .views import PRESERVED

_BOOL = ELEMENT_TYPES["bool"]
_SCALARS = ("other", "min", "max", "exponent", "value", "end", "tensor1", "tensor2", "input")


def _keep(dtype: ElementType) -> ElementType:
    return dtype


def _logical(_dtype: ElementType) -> ElementType:
    return _BOOL


def broadcasting(into: Callable[[ElementType], ElementType]) -> ShapeRule:
    """The rule of an operator on broadcast operands; ``into``: from their common type."""

    def shape(call: Call) -> Shaped:
        given = call.given()
        if len(given) == 1:
            sizes = given[0].shape
        else:
            places = [i for i, each in enumerate(call.operands) if each is not None]
            sizes = broadcast_shapes(
                [each.shape for each in given], lambda i: f"inputs[{places[i]}]"
            )
        if call.dialect == "onnx":
            return TensorType(sizes, into(given[0].dtype))
        scalars = numbers_among(call, _SCALARS)
        if not scalars and _lacks_second(call):
            said = "two operands, or a number as the attribute {name}"
            expected = Phrase("operands.or_number", said, name=call.signature.operands[-1])
            raise LayoutError("inputs", Described("one operand"), expected)
        return TensorType(sizes, into(result_type(given, scalars)))

    return shape


def _lacks_second(call: Call) -> bool:
    """Whether an operator of two operands has one, and no number in the other's place."""
    operands = call.signature.operands
    return len(operands) == 2 and operands[1] in _SCALARS and len(call.operands) < 2


def _where(call: Call) -> Shaped:
    branches = [each for each in (call.operand("input"), call.operand("other")) if each]
    if not branches:
        expected = Phrase("operands.where", "the operands input and other")
        raise LayoutError("inputs", Described("one operand"), expected)
    roles = [each for each in call.operands if each is not None]
    sizes = broadcast_shapes([each.shape for each in roles], lambda i: f"inputs[{i}]")
    if call.dialect == "onnx":
        return TensorType(sizes, branches[0].dtype)
    return TensorType(sizes, result_type(branches, numbers_among(call, ("input", "other"))))


def _masked_fill(call: Call) -> Shaped:
    source, mask = call.need("input"), call.need("mask")
    sizes = broadcast_shapes([source.shape, mask.shape], lambda i: f"inputs[{i}]")
    return TensorType(sizes, source.dtype)


def _prelu(call: Call) -> Shaped:
    source, weight = call.need("input"), call.need("weight")
    if call.dialect == "torch":
        channels = source.shape[1] if source.rank > 1 else 1
        if math.prod(weight.shape) not in {1, channels}:
            said = "1 value, or {channels}: one for each channel"
            raise call.misfit("weight", Phrase("values.one_or_channels", said, channels=channels))
        return source
    return broadcast_to(call, source, "weight")


def _glu(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    if not source.rank or source.shape[d] % 2:
        expected = Phrase("dimension.even", "a dimension of an even size, to halve it")
        raise LayoutError("attributes.dim", call.attributes["dim"], expected)
    return TensorType(
        (*source.shape[:d], source.shape[d] // 2, *source.shape[d + 1 :]), source.dtype
    )


def _dropout(call: Call) -> Shaped:
    source = call.need("input")
    if call.dialect == "torch":
        return source
    return source, TensorType(source.shape, _BOOL)


def _cast(call: Call) -> Shaped:
    source = call.need("input")
    if call.op == "CastLike":
        return TensorType(source.shape, call.need("other").dtype)
    code = call.attributes["to"]
    dtype = BY_ONNX.get(code)
    if dtype is None:
        expected = Phrase("dtype.number", "the number of an element type that is known here")
        raise LayoutError("attributes.to", code, expected)
    return TensorType(source.shape, dtype)


def _like(call: Call) -> Shaped:
    """zeros_like and its relatives: the input's shape, and a type that may be given."""
    source = call.need("input")
    return TensorType(source.shape, dtype_named(call, "dtype", source.dtype))


def _squared(call: Call) -> Shaped:
    source = call.need("input")
    return TensorType(source.shape, result_type([source], (2,)))


_keep_shape = broadcasting(_keep)
_float_shape = broadcasting(as_float)
_bool_shape = broadcasting(_logical)


def _unary(
    names: str,
    onnx: str = "",
    onednn: str | None = None,
    *,
    rule: ShapeRule = _float_shape,
    more: str = "",
    onnx_more: str = "",
) -> Operator:
    """A row of an operator with one operand; PyTorch's have ``inplace`` where they are layers.

    ``names``: PyTorch's, the catalogue's first. ``more``: other attributes, as in a signature.
    """
    return memory(
        names.split(maxsplit=1)[0],
        rule,
        torch=f"{names}(input {more} inplace:flag)",
        onnx=f"{onnx}(input {onnx_more})" if onnx else "",
        onednn=onednn,
        family="unary",
    )


def _binary(
    names: str,
    onnx: str = "",
    onednn: str | None = None,
    *,
    rule: ShapeRule = _keep_shape,
    second: str = "other",
    more: str = "",
    onnx_more: str = "",
) -> Operator:
    """A row of an operator with two operands, of which PyTorch's second may be a number."""
    return memory(
        names.split(maxsplit=1)[0],
        rule,
        torch=f"{names}(input {second}? {second}:scalar input:scalar {more})",
        onnx=f"{onnx}(input other {onnx_more})" if onnx else "",
        onednn=onednn,
        family="binary",
    )


_KEPT = (
    _unary("relu relu_", "Relu", "eltwise_relu", rule=_keep_shape),
    _unary("neg negative", "Neg", "eltwise_linear", rule=_keep_shape),
    _unary("abs absolute", "Abs", "eltwise_abs", rule=_keep_shape),
    _unary("sign sgn", "Sign", rule=_keep_shape),
    _unary("floor", "Floor", rule=_keep_shape),
    _unary("ceil", "Ceil", rule=_keep_shape),
    _unary("round", "Round", "eltwise_round", rule=_keep_shape, more="decimals:number=0"),
    _unary("trunc fix", rule=_keep_shape),
    _unary("frac", rule=_keep_shape),
    _unary("square", "", "eltwise_square", rule=_squared),
    _unary("relu6", "", "eltwise_clip", rule=_keep_shape),
    _unary("bitwise_not", "BitwiseNot", rule=_keep_shape),
    _unary("hardtanh", rule=_keep_shape, more="min_val:number=-1.0 max_val:number=1.0"),
    _unary("threshold", rule=_keep_shape, more="threshold:number=0.0 value:number=0.0"),
    _unary(
        "leaky_relu",
        "LeakyRelu",
        "eltwise_relu",
        rule=_keep_shape,
        more="negative_slope:number=0.01",
        onnx_more="alpha:number=0.01",
    ),
    _unary("thresholded_relu", "ThresholdedRelu", rule=_keep_shape, onnx_more="alpha:number=1.0"),
    _unary("nan_to_num", rule=_keep_shape, more="nan:number posinf:number neginf:number"),
)
_ONNX_TOO = "reciprocal erf sin cos tan asin acos atan sinh cosh asinh acosh atanh softsign"
_TORCH_ONLY = "rsqrt exp2 expm1 log2 log10 log1p erfc logsigmoid tanhshrink deg2rad rad2deg"
_FLOAT = (
    _unary("sigmoid", "Sigmoid", "eltwise_logistic"),
    *(_unary(name, name.title(), f"eltwise_{name}") for name in ("tanh", "exp", "log", "sqrt")),
    *(_unary(name, name.title()) for name in _ONNX_TOO.split()),
    *map(_unary, _TORCH_ONLY.split()),
    _unary("hardswish", "HardSwish", "eltwise_hardswish"),
    _unary(
        "hardsigmoid",
        "HardSigmoid",
        "eltwise_hardsigmoid",
        onnx_more="alpha:number=0.2 beta:number=0.5",
    ),
    _unary("silu swish", "Swish", "eltwise_swish", onnx_more="alpha:number=1.0"),
    _unary(
        "gelu",
        "Gelu",
        "eltwise_gelu_erf",
        more="approximate:text=none",
        onnx_more="approximate:text=none",
    ),
    _unary("mish", "Mish", "eltwise_mish"),
    _unary("elu", "Elu", "eltwise_elu", more="alpha:number=1.0", onnx_more="alpha:number=1.0"),
    _unary("celu", "Celu", more="alpha:number=1.0", onnx_more="alpha:number=1.0"),
    _unary("selu", "Selu", onnx_more="alpha:number=1.67326 gamma:number=1.0507"),
    _unary(
        "softplus", "Softplus", "eltwise_soft_relu", more="beta:number=1.0 threshold:number=20.0"
    ),
    _unary(
        "hardshrink",
        "Shrink",
        more="lambd:number=0.5",
        onnx_more="bias:number=0.0 lambd:number=0.5",
    ),
    _unary("softshrink", more="lambd:number=0.5"),
    _unary("logit", more="eps:number"),
)
_BOOLEAN = (
    _unary("logical_not", "Not", rule=_bool_shape),
    _unary("isnan", "IsNaN", rule=_bool_shape),
    _unary(
        "isinf",
        "IsInf",
        rule=_bool_shape,
        onnx_more="detect_negative:flag=true detect_positive:flag=true",
    ),
    _unary("isfinite", rule=_bool_shape),
    _binary("eq", "Equal", rule=_bool_shape),
    _binary("ne not_equal", rule=_bool_shape),
    _binary("gt greater", "Greater", rule=_bool_shape),
    _binary("ge greater_equal", "GreaterOrEqual", rule=_bool_shape),
    _binary("lt less", "Less", rule=_bool_shape),
    _binary("le less_equal", "LessOrEqual", rule=_bool_shape),
    _binary("logical_and", "And", rule=_bool_shape),
    _binary("logical_or", "Or", rule=_bool_shape),
    _binary("logical_xor", "Xor", rule=_bool_shape),
)
_TWO = (
    _binary("add", "Add", "binary_add", more="alpha:number=1"),
    _binary("sub subtract", "Sub", "binary_sub", more="alpha:number=1"),
    _binary("rsub", more="alpha:number=1"),
    _binary("mul multiply", "Mul", "binary_mul"),
    _binary(
        "div divide true_divide", "Div", "binary_div", rule=_float_shape, more="rounding_mode:text"
    ),
    _binary("floor_divide"),
    _binary("remainder", "Mod", onnx_more="fmod:flag"),
    _binary("fmod"),
    _binary("pow", "Pow", "eltwise_pow", second="exponent"),
    _binary("maximum", "", "binary_max"),
    _binary("minimum", "", "binary_min"),
    _binary("fmax"),
    _binary("fmin"),
    _binary("atan2", rule=_float_shape),
    _binary("bitwise_and", "BitwiseAnd"),
    _binary("bitwise_or", "BitwiseOr"),
    _binary("bitwise_xor", "BitwiseXor"),
    _binary("bitwise_left_shift", "BitShift", onnx_more="direction:text=LEFT"),
    _binary("bitwise_right_shift"),
)


def _variadic(name: str, onnx: str, onednn: str | None = None) -> Operator:
    return memory(name, _keep_shape, onnx=f"{onnx}(*tensors)", onednn=onednn, family="pointwise")


_MORE = (
    _variadic("sum_of", "Sum", "sum"),
    _variadic("max_of", "Max", "binary_max"),
    _variadic("min_of", "Min", "binary_min"),
    _variadic("mean_of", "Mean"),
    memory(
        "clamp",
        _keep_shape,
        "clamp clip(input min? max? min:scalar max:scalar)",
        "Clip(input min? max?)",
        onednn="eltwise_clip",
        family="pointwise",
    ),
    memory(
        "where",
        _where,
        "where(condition input? other? input:scalar other:scalar)",
        "Where(condition input other)",
        onednn="binary_select",
        family="pointwise",
    ),
    memory(
        "masked_fill",
        _masked_fill,
        "masked_fill(input mask value? value:scalar)",
        family="pointwise",
    ),
    memory("prelu", _prelu, "prelu(input weight)", "PRelu(input weight)", onednn="prelu"),
    memory("glu", _glu, "glu(input dim:int=-1)"),
    _unary("clamp_min", rule=_keep_shape, more="min:scalar"),
    _unary("clamp_max", rule=_keep_shape, more="max:scalar"),
    memory("lerp", _keep_shape, "lerp(input end weight? weight:scalar)", family="pointwise"),
    memory(
        "addcmul",
        _keep_shape,
        "addcmul addcdiv(input tensor1 tensor2 value:scalar)",
        family="pointwise",
    ),
    memory(
        "dropout",
        _dropout,
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout(input "
        "p:number=0.5 training:flag inplace:flag train:flag)",
        "Dropout(input ratio? training? seed:any)",
        family="unary",
    ),
    memory(
        "cast",
        _cast,
        onnx="Cast CastLike(input other? to:number saturate:any round_mode:text)",
        onednn="reorder",
        family="unary",
    ),
    memory(
        "like",
        _like,
        "zeros_like ones_like empty_like rand_like randn_like full_like(input "
        f"fill_value:scalar dtype:text {PRESERVED})",
        family="unary",
    ),
)

OPERATORS = (*_KEPT, *_FLOAT, *_BOOLEAN, *_TWO, *_MORE)
