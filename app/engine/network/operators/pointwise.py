"""Element-wise operators: one operand, two or more operands, comparisons, logic."""

import math
from collections.abc import Callable, Iterator

from ...model.dtypes import BY_ONNX, ELEMENT_TYPES, ElementType
from ...model.errors import refusal
from .base import (
    Call,
    Family,
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
from .promotion import as_float, as_it_is, numbers_among, result_type
from .views import PRESERVED, replaced

_BOOL = ELEMENT_TYPES["bool"]
_SCALARS = ("other", "min", "max", "exponent", "value", "end", "tensor1", "tensor2", "input")


def broadcasting(into: Callable[[ElementType], ElementType]) -> ShapeRule:
    """The rule of an operator on broadcast operands; ``into``: from their common type."""

    def shape(call: Call, source: TensorType) -> Shaped:
        given = call.given()
        places = [i for i, each in enumerate(call.operands) if each is not None]
        shapes = [each.shape for each in given]
        sizes = broadcast_shapes(shapes, lambda i: f"inputs[{places[i]}]")
        if call.origin == "onnx":
            return TensorType(sizes, into(source.dtype))
        scalars = numbers_among(call, _SCALARS)
        operands = call.signature.operands
        wants_two = len(operands) == 2 and operands[1] in _SCALARS
        if not scalars and wants_two and len(call.operands) < 2:
            raise refusal("inputs", "one operand", "operands.or_number", name=operands[-1])
        return TensorType(sizes, into(result_type(given, scalars)))

    return shape


def _where(call: Call, _source: TensorType) -> Shaped:
    branches = [each for each in (call.operand("input"), call.operand("other")) if each]
    if not branches:
        raise refusal("inputs", "one operand", "operands.where")
    roles = [each for each in call.operands if each is not None]
    sizes = broadcast_shapes([each.shape for each in roles], lambda i: f"inputs[{i}]")
    if call.origin == "onnx":
        return TensorType(sizes, branches[0].dtype)
    return TensorType(sizes, result_type(branches, numbers_among(call, ("input", "other"))))


def _masked_fill(call: Call, source: TensorType) -> Shaped:
    mask = call.need("mask")
    sizes = broadcast_shapes([source.shape, mask.shape], lambda i: f"inputs[{i}]")
    return TensorType(sizes, source.dtype)


def _prelu(call: Call, source: TensorType) -> Shaped:
    weight = call.need("weight")
    if call.origin == "torch":
        channels = source.shape[1] if source.rank > 1 else 1
        if math.prod(weight.shape) not in {1, channels}:
            raise call.misfit("weight", "values.one_or_channels", channels=channels)
        return source
    return broadcast_to(call, source, "weight")


def _glu(call: Call, source: TensorType) -> Shaped:
    d = axis_of(call, source.rank)
    if not source.rank or source.shape[d] % 2:
        raise call.wrong("dim", call.attributes["dim"], "dimension.even")
    return TensorType(replaced(source.shape, d, source.shape[d] // 2), source.dtype)


def _dropout(call: Call, source: TensorType) -> Shaped:
    if call.origin == "torch":
        return source
    return source, TensorType(source.shape, _BOOL)


def _cast(call: Call, source: TensorType) -> Shaped:
    if call.op == "CastLike":
        return TensorType(source.shape, call.need("other").dtype)
    code = call.attributes["to"]
    dtype = BY_ONNX.get(code)
    if dtype is None:
        raise call.wrong("to", code, "dtype.number")
    return TensorType(source.shape, dtype)


def _like(call: Call, source: TensorType) -> Shaped:
    """zeros_like and its relatives: the input's shape, and a type that may be given."""
    return TensorType(source.shape, dtype_named(call, source.dtype))


_keep_shape = broadcasting(as_it_is)
_float_shape = broadcasting(as_float)
_bool_shape = broadcasting(lambda _dtype: _BOOL)


def _rows(family: Family, rule: ShapeRule, table: str) -> Iterator[Operator]:
    """A line an operator: PyTorch's names, the catalogue's first; ONNX's; oneDNN's; attributes
    beside the usual ones in PyTorch and in ONNX, as in a signature.

    PyTorch's operators of one operand have ``inplace`` where they are layers; those of two may have
    a number in the place of one.
    """
    for line in table.strip().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        names, onnx, onednn, more, onnx_more = *cells, *[""] * (5 - len(cells))
        operands, rest = "input", f"{more} inplace:flag"
        if family == "binary":
            second = "exponent" if names == "pow" else "other"
            operands, rest = "input other", f"{second}? {second}:scalar input:scalar {more}"
        yield memory(
            names.split(maxsplit=1)[0],
            rule,
            f"{names}(input {rest})",
            f"{onnx}({operands} {onnx_more})" if onnx else "",
            onednn=onednn or None,
            family=family,
        )


_ONE_KEPT = """
relu relu_ | Relu | eltwise_relu
neg negative | Neg | eltwise_linear
abs absolute | Abs | eltwise_abs
sign sgn | Sign
floor | Floor
ceil | Ceil
round | Round | eltwise_round | decimals:number=0
trunc fix
frac
relu6 | | eltwise_clip
bitwise_not | BitwiseNot
hardtanh | | | min_val:number=-1.0 max_val:number=1.0
threshold | | | threshold:number=0.0 value:number=0.0
leaky_relu | LeakyRelu | eltwise_relu | negative_slope:number=0.01 | alpha:number=0.01
thresholded_relu | ThresholdedRelu | | | alpha:number=1.0
nan_to_num | | | nan:number posinf:number neginf:number
clamp_min | | | min:scalar
clamp_max | | | max:scalar
"""
_ONE_FLOAT = """
sigmoid | Sigmoid | eltwise_logistic
tanh | Tanh | eltwise_tanh
exp | Exp | eltwise_exp
log | Log | eltwise_log
sqrt | Sqrt | eltwise_sqrt
hardswish | HardSwish | eltwise_hardswish
hardsigmoid | HardSigmoid | eltwise_hardsigmoid | | alpha:number=0.2 beta:number=0.5
silu swish | Swish | eltwise_swish | | alpha:number=1.0
gelu | Gelu | eltwise_gelu_erf | approximate:text=none | approximate:text=none
mish | Mish | eltwise_mish
elu | Elu | eltwise_elu | alpha:number=1.0 | alpha:number=1.0
celu | Celu | | alpha:number=1.0 | alpha:number=1.0
selu | Selu | | | alpha:number=1.67326 gamma:number=1.0507
softplus | Softplus | eltwise_soft_relu | beta:number=1.0 threshold:number=20.0
hardshrink | Shrink | | lambd:number=0.5 | bias:number=0.0 lambd:number=0.5
softshrink | | | lambd:number=0.5
logit | | | eps:number
"""
_ONNX_TOO = "reciprocal erf sin cos tan asin acos atan sinh cosh asinh acosh atanh softsign"
_TORCH_ONLY = "rsqrt exp2 expm1 log2 log10 log1p erfc logsigmoid tanhshrink deg2rad rad2deg"
_ONE_LOGICAL = """
logical_not | Not
isnan | IsNaN
isinf | IsInf | | | detect_negative:flag=true detect_positive:flag=true
isfinite
"""
_TWO_LOGICAL = """
eq | Equal
ne not_equal
gt greater | Greater
ge greater_equal | GreaterOrEqual
lt less | Less
le less_equal | LessOrEqual
logical_and | And
logical_or | Or
logical_xor | Xor
"""
_TWO_KEPT = """
add | Add | binary_add | alpha:number=1
sub subtract | Sub | binary_sub | alpha:number=1
rsub | | | alpha:number=1
mul multiply | Mul | binary_mul
floor_divide
remainder | Mod | | | fmod:flag
fmod
pow | Pow | eltwise_pow
maximum | | binary_max
minimum | | binary_min
fmax
fmin
bitwise_and | BitwiseAnd
bitwise_or | BitwiseOr
bitwise_xor | BitwiseXor
bitwise_left_shift | BitShift | | | direction:text=LEFT
bitwise_right_shift
"""
_TWO_FLOAT = """
div divide true_divide | Div | binary_div | rounding_mode:text
atan2
"""
_NAMED_ALIKE = "\n".join(f"{name} | {name.title()}" for name in _ONNX_TOO.split())


def _variadic(name: str, onnx: str, onednn: str | None = None) -> Operator:
    return memory(name, _keep_shape, onnx=f"{onnx}(*tensors)", onednn=onednn, family="pointwise")


OPERATORS = (
    *_rows("unary", _keep_shape, _ONE_KEPT),
    *_rows("unary", lambda _call, x: TensorType(x.shape, result_type([x], (2,))),
        "square | | eltwise_square"),
    *_rows("unary", _float_shape, _ONE_FLOAT),
    *_rows("unary", _float_shape, _NAMED_ALIKE),
    *_rows("unary", _float_shape, _TORCH_ONLY.replace(" ", "\n")),
    *_rows("unary", _bool_shape, _ONE_LOGICAL),
    *_rows("binary", _bool_shape, _TWO_LOGICAL),
    *_rows("binary", _keep_shape, _TWO_KEPT),
    *_rows("binary", _float_shape, _TWO_FLOAT),
    _variadic("sum_of", "Sum", "sum"),
    _variadic("max_of", "Max", "binary_max"),
    _variadic("min_of", "Min", "binary_min"),
    _variadic("mean_of", "Mean"),
    memory("clamp", _keep_shape, "clamp clip(input min? max? min:scalar max:scalar)",
        "Clip(input min? max?)", onednn="eltwise_clip", family="pointwise"),
    memory("where", _where, "where(condition input? other? input:scalar other:scalar)",
        "Where(condition input other)", onednn="binary_select", family="pointwise"),
    memory("masked_fill", _masked_fill, "masked_fill(input mask value? value:scalar)",
        family="pointwise"),
    memory("prelu", _prelu, "prelu(input weight)", "PRelu(input weight)", onednn="prelu"),
    memory("glu", _glu, "glu(input dim:int=-1)"),
    memory("lerp", _keep_shape, "lerp(input end weight? weight:scalar)", family="pointwise"),
    memory("addcmul", _keep_shape, "addcmul addcdiv(input tensor1 tensor2 value:scalar)",
        family="pointwise"),
    memory("dropout", _dropout,
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout(input "
        "p:number=0.5 training:flag inplace:flag train:flag)",
        "Dropout(input ratio? training? seed:any)", family="unary"),
    memory("cast", _cast, onnx="Cast CastLike(input other? to:number saturate:any round_mode:text)",
        onednn="reorder", family="unary"),
    memory("like", _like, "zeros_like ones_like empty_like rand_like randn_like full_like(input "
        f"fill_value:scalar dtype:text {PRESERVED})", family="unary"),
)  # fmt: skip  # a table: a row an operator
