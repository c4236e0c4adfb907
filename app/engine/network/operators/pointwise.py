"""Element-wise operators: one operand, two or more operands, comparisons, logic."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...model.dtypes import ELEMENT_TYPES, ElementType
from ...model.errors import Described, LayoutError
from ..attributes import Attribute, anything, flag, integer, number, scalar, text
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
    signature,
)
from .promotion import as_float, numbers_among, result_type
from .views import memory_format

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
            raise LayoutError(
                "inputs",
                Described("one operand"),
                "two operands, or a number as the attribute " + call.signature.operands[-1],
            )
        return TensorType(sizes, into(result_type(given, scalars)))

    return shape


def _lacks_second(call: Call) -> bool:
    """Whether an operator of two operands has one, and no number in the other's place."""
    operands = call.signature.operands
    return len(operands) == 2 and operands[1] in _SCALARS and len(call.operands) < 2


def _where(call: Call) -> Shaped:
    branches = [each for each in (call.operand("input"), call.operand("other")) if each]
    if not branches:
        raise LayoutError("inputs", Described("one operand"), "the operands input and other")
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
            raise LayoutError(
                call.where("weight"),
                Described(f"the shape {list(weight.shape)}"),
                f"1 value, or {channels}: one for each channel",
            )
        return source
    return broadcast_to(call, source, "weight")


def _glu(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    if not source.rank or source.shape[d] % 2:
        raise LayoutError(
            "attributes.dim", call.attributes["dim"], "a dimension of an even size, to halve it"
        )
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
    dtype = _ONNX_TYPES.get(code)
    if dtype is None:
        raise LayoutError("attributes.to", code, "the number of an element type that is known here")
    return TensorType(source.shape, ELEMENT_TYPES[dtype])


# TensorProto.DataType of onnx.proto, as far as the engine has the type.
_ONNX_TYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 16: "bfloat16", 17: "float8_e4m3fn",
    19: "float8_e5m2", 21: "uint4", 22: "int4", 23: "float4_e2m1fn",
}  # fmt: skip


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
    name: str,
    onnx: str = "",
    onednn: str | None = None,
    *,
    rule: ShapeRule = _float_shape,
    others: tuple[str, ...] = (),
    onnx_attributes: dict[str, Attribute] | None = None,
    **attributes: Attribute,
) -> Operator:
    """A row of an operator with one operand; PyTorch's have ``inplace`` where they are layers."""
    return Operator(
        name, "memory", rule,
        torch=(name, *others), torch_call=signature("input", **attributes, inplace=flag()),
        onnx=(onnx,) if onnx else (),
        onnx_call=signature("input", **(onnx_attributes or {})) if onnx else None,
        onednn=onednn,
    )  # fmt: skip


def _binary(
    name: str,
    onnx: str = "",
    onednn: str | None = None,
    *,
    rule: ShapeRule = _keep_shape,
    others: tuple[str, ...] = (),
    **attributes: Attribute,
) -> Operator:
    """A row of an operator with two operands, of which PyTorch's second may be a number."""
    second = "exponent" if name == "pow" else "other"
    more = {second: scalar(), "input": scalar(), **attributes}
    onnx_more = {"fmod": flag()} if onnx == "Mod" else {}
    if onnx == "BitShift":
        onnx_more = {"direction": text("LEFT")}
    return Operator(
        name, "memory", rule,
        torch=(name, *others), torch_call=signature(f"input {second}?", **more),
        onnx=(onnx,) if onnx else (),
        onnx_call=signature("input other", **onnx_more) if onnx else None,
        onednn=onednn,
    )  # fmt: skip


_KEPT = (
    _unary("relu", "Relu", "eltwise_relu", rule=_keep_shape, others=("relu_",)),
    _unary("neg", "Neg", "eltwise_linear", rule=_keep_shape, others=("negative",)),
    _unary("abs", "Abs", "eltwise_abs", rule=_keep_shape, others=("absolute",)),
    _unary("sign", "Sign", rule=_keep_shape, others=("sgn",)),
    _unary("floor", "Floor", rule=_keep_shape),
    _unary("ceil", "Ceil", rule=_keep_shape),
    _unary("round", "Round", "eltwise_round", rule=_keep_shape, decimals=number(0)),
    _unary("trunc", rule=_keep_shape, others=("fix",)),
    _unary("frac", rule=_keep_shape),
    _unary("square", "", "eltwise_square", rule=_squared),
    _unary("relu6", "", "eltwise_clip", rule=_keep_shape),
    _unary("bitwise_not", "BitwiseNot", rule=_keep_shape),
    _unary("hardtanh", rule=_keep_shape, min_val=number(-1.0), max_val=number(1.0)),
    _unary("threshold", rule=_keep_shape, threshold=number(0.0), value=number(0.0)),
    _unary(
        "leaky_relu", "LeakyRelu", "eltwise_relu", rule=_keep_shape, negative_slope=number(0.01),
        onnx_attributes={"alpha": number(0.01)},
    ),
    _unary(
        "thresholded_relu", "ThresholdedRelu", rule=_keep_shape,
        onnx_attributes={"alpha": number(1.0)},
    ),
    _unary(
        "nan_to_num", rule=_keep_shape, nan=number(), posinf=number(), neginf=number()
    ),
)  # fmt: skip

_FLOAT = (
    *(
        _unary(name, onnx, onednn)
        for name, onnx, onednn in (
            ("sigmoid", "Sigmoid", "eltwise_logistic"), ("tanh", "Tanh", "eltwise_tanh"),
            ("exp", "Exp", "eltwise_exp"), ("log", "Log", "eltwise_log"),
            ("sqrt", "Sqrt", "eltwise_sqrt"), ("reciprocal", "Reciprocal", None),
            ("erf", "Erf", None), ("sin", "Sin", None), ("cos", "Cos", None), ("tan", "Tan", None),
            ("asin", "Asin", None), ("acos", "Acos", None), ("atan", "Atan", None),
            ("sinh", "Sinh", None), ("cosh", "Cosh", None), ("asinh", "Asinh", None),
            ("acosh", "Acosh", None), ("atanh", "Atanh", None), ("softsign", "Softsign", None),
            ("rsqrt", "", None), ("exp2", "", None), ("expm1", "", None), ("log2", "", None),
            ("log10", "", None), ("log1p", "", None), ("erfc", "", None), ("logsigmoid", "", None),
            ("tanhshrink", "", None), ("deg2rad", "", None), ("rad2deg", "", None),
        )
    ),
    _unary("hardswish", "HardSwish", "eltwise_hardswish"),
    _unary(
        "hardsigmoid", "HardSigmoid", "eltwise_hardsigmoid",
        onnx_attributes={"alpha": number(0.2), "beta": number(0.5)},
    ),
    _unary(
        "silu", "Swish", "eltwise_swish", others=("swish",),
        onnx_attributes={"alpha": number(1.0)},
    ),
    _unary(
        "gelu", "Gelu", "eltwise_gelu_erf", approximate=text("none"),
        onnx_attributes={"approximate": text("none")},
    ),
    _unary("mish", "Mish", "eltwise_mish"),
    _unary("elu", "Elu", "eltwise_elu", alpha=number(1.0), onnx_attributes={"alpha": number(1.0)}),
    _unary("celu", "Celu", alpha=number(1.0), onnx_attributes={"alpha": number(1.0)}),
    _unary(
        "selu", "Selu", onnx_attributes={"alpha": number(1.67326), "gamma": number(1.0507)}
    ),
    _unary(
        "softplus", "Softplus", "eltwise_soft_relu", beta=number(1.0), threshold=number(20.0)
    ),
    _unary("hardshrink", "Shrink", lambd=number(0.5), onnx_attributes={
        "bias": number(0.0), "lambd": number(0.5)}),
    _unary("softshrink", lambd=number(0.5)),
    _unary("logit", eps=number()),
)  # fmt: skip

_BOOLEAN = (
    _unary("logical_not", "Not", rule=_bool_shape),
    _unary("isnan", "IsNaN", rule=_bool_shape),
    _unary(
        "isinf", "IsInf", rule=_bool_shape,
        onnx_attributes={
            "detect_negative": flag(default=True), "detect_positive": flag(default=True)
        },
    ),
    _unary("isfinite", rule=_bool_shape),
    _binary("eq", "Equal", rule=_bool_shape),
    _binary("ne", "", rule=_bool_shape, others=("not_equal",)),
    _binary("gt", "Greater", rule=_bool_shape, others=("greater",)),
    _binary("ge", "GreaterOrEqual", rule=_bool_shape, others=("greater_equal",)),
    _binary("lt", "Less", rule=_bool_shape, others=("less",)),
    _binary("le", "LessOrEqual", rule=_bool_shape, others=("less_equal",)),
    _binary("logical_and", "And", rule=_bool_shape),
    _binary("logical_or", "Or", rule=_bool_shape),
    _binary("logical_xor", "Xor", rule=_bool_shape),
)  # fmt: skip

_TWO = (
    _binary("add", "Add", "binary_add", alpha=number(1)),
    _binary("sub", "Sub", "binary_sub", others=("subtract",), alpha=number(1)),
    _binary("rsub", alpha=number(1)),
    _binary("mul", "Mul", "binary_mul", others=("multiply",)),
    _binary("div", "Div", "binary_div", rule=_float_shape, others=("divide", "true_divide"),
            rounding_mode=text()),
    _binary("floor_divide"),
    _binary("remainder", "Mod"),
    _binary("fmod"),
    _binary("pow", "Pow", "eltwise_pow"),
    _binary("maximum", "", "binary_max"),
    _binary("minimum", "", "binary_min"),
    _binary("fmax"),
    _binary("fmin"),
    _binary("atan2", rule=_float_shape),
    _binary("bitwise_and", "BitwiseAnd"),
    _binary("bitwise_or", "BitwiseOr"),
    _binary("bitwise_xor", "BitwiseXor"),
    _binary("bitwise_left_shift", "BitShift"),
    _binary("bitwise_right_shift"),
)  # fmt: skip


def _variadic(name: str, onnx: str, onednn: str | None = None) -> Operator:
    return Operator(
        name, "memory", _keep_shape, onnx=(onnx,), onnx_call=signature("*tensors"), onednn=onednn
    )


_MORE = (
    _variadic("sum_of", "Sum", "sum"),
    _variadic("max_of", "Max", "binary_max"),
    _variadic("min_of", "Min", "binary_min"),
    _variadic("mean_of", "Mean"),
    Operator(
        "clamp", "memory", _keep_shape,
        torch=("clamp", "clip"),
        torch_call=signature("input min? max?", min=scalar(), max=scalar()),
        onnx=("Clip",), onnx_call=signature("input min? max?"), onednn="eltwise_clip",
    ),
    Operator(
        "where", "memory", _where,
        torch=("where",),
        torch_call=signature("condition input? other?", input=scalar(), other=scalar()),
        onnx=("Where",), onnx_call=signature("condition input other"), onednn="binary_select",
    ),
    Operator(
        "masked_fill", "memory", _masked_fill,
        torch=("masked_fill",), torch_call=signature("input mask value?", value=scalar()),
    ),
    Operator(
        "prelu", "memory", _prelu,
        torch=("prelu",), torch_call=signature("input weight"),
        onnx=("PRelu",), onnx_call=signature("input weight"), onednn="prelu",
    ),
    Operator(
        "glu", "memory", _glu, torch=("glu",), torch_call=signature("input", dim=integer(-1)),
    ),
    _unary("clamp_min", rule=_keep_shape, min=scalar()),
    _unary("clamp_max", rule=_keep_shape, max=scalar()),
    Operator(
        "lerp", "memory", _keep_shape,
        torch=("lerp",), torch_call=signature("input end weight?", weight=scalar()),
    ),
    Operator(
        "addcmul", "memory", _keep_shape,
        torch=("addcmul", "addcdiv"), torch_call=signature("input tensor1 tensor2", value=scalar()),
    ),
    Operator(
        "dropout", "memory", _dropout,
        torch=("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout",
               "feature_alpha_dropout"),
        torch_call=signature("input", p=number(0.5), training=flag(), inplace=flag(), train=flag()),
        onnx=("Dropout",), onnx_call=signature("input ratio? training?", seed=anything()),
    ),
    Operator(
        "cast", "memory", _cast,
        onnx=("Cast", "CastLike"),
        onnx_call=signature("input other?", to=number(), saturate=anything(), round_mode=text()),
        onednn="reorder",
    ),
    Operator(
        "like", "memory", _like,
        torch=("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"),
        torch_call=signature(
            "input", fill_value=scalar(), dtype=text(),
            memory_format=memory_format("preserve_format"),
        ),
    ),
)  # fmt: skip

OPERATORS = (*_KEPT, *_FLOAT, *_BOOLEAN, *_TWO, *_MORE)
