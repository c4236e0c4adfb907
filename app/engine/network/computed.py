"""Values of small results that follow from the graph alone: the shape arithmetic of ONNX exporters.

``Shape → Gather → Mul → Concat → Reshape`` and the like, with ONNX's meaning of each operator, on
arrays of at most 1,024 elements. What does not follow, or is not known here, is left open.
Source: docs/Operators.md of onnx/onnx.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.dtypes import BY_ONNX, ElementType, parse_dtype
from .operators.base import Call, ShapeNotKnownError, TensorType, Unknown

MOST_ELEMENTS = 1024
Array = npt.NDArray[Any]
_DTYPES = {"bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"}


@dataclass(frozen=True, slots=True)
class Arguments(Call):
    """What is known of a node. ``arrays``: the values of its operands, None where not known."""

    arrays: Sequence[Array | None]
    results: Sequence[TensorType | Unknown]

    def sizes(self, at: int = 0) -> tuple[int, ...]:
        """The shape of a result. Errors: ShapeNotKnownError."""
        found = self.results[at]
        if isinstance(found, Unknown):
            raise ShapeNotKnownError
        return found.shape

    def array(self, at: int = 0) -> Array:
        """The values of an operand. Errors: ShapeNotKnownError."""
        found = self.arrays[at]
        if found is None:
            raise ShapeNotKnownError
        return found

    def all(self) -> list[Array]:
        """The values of all operands. Errors: ShapeNotKnownError."""
        return [self.array(at) for at in range(len(self.arrays))]


Evaluator = Callable[[Arguments], Array | list[Array]]


def numbers_of(array: Array) -> tuple[int | float, ...]:
    """The elements in row-major order; booleans as 0 and 1."""
    values = array.astype(np.int64) if array.dtype == np.bool_ else array
    return tuple(values.ravel().tolist())


def array_of(kind: TensorType, values: tuple[int | float, ...]) -> Array | None:
    """An array of these elements; None where its type is not one of those that are computed."""
    few = len(values) == prod(kind.shape) and len(values) <= MOST_ELEMENTS
    if kind.dtype.name not in _DTYPES or not few:
        return None
    try:
        return np.array(values, kind.dtype.numpy()).reshape(kind.shape)
    except (OverflowError, ValueError):
        return None


def compute(asked: Arguments) -> list[tuple[ElementType, Array]]:
    """The results of an operator of ``EVALUATORS``; none where they do not follow."""
    known = (each.shape for each in asked.results if isinstance(each, TensorType))
    if any(prod(shape) > MOST_ELEMENTS for shape in known):
        return []
    try:
        with np.errstate(all="ignore"):
            found = EVALUATORS[asked.op](asked)
    except (ShapeNotKnownError, ValueError, IndexError, ArithmeticError, TypeError):
        return []  # operands that do not fit are named by the rules for shapes
    arrays = [np.asarray(each) for each in (found if isinstance(found, list) else [found])]
    if any(each.size > MOST_ELEMENTS or not np.isfinite(each).all() for each in arrays):
        return []
    return [(parse_dtype(each.dtype.name), each) for each in arrays]


def _only(follows: object) -> None:
    """Errors: ShapeNotKnownError where the result does not follow."""
    if not follows:
        raise ShapeNotKnownError


def _slice(a: Arguments) -> Array:
    data, starts, ends = a.array(), a.integers("starts") or (), a.integers("ends") or ()
    axes = a.integers("axes") or range(len(starts))
    steps = a.integers("steps") or [1] * len(starts)
    parts = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        parts[axis] = slice(start, end, step)
    return data[tuple(parts)]


def _cast(a: Arguments) -> Array:
    data, element = a.array(), BY_ONNX.get(a.attributes["to"])
    if element is None or element.name not in _DTYPES:
        raise ShapeNotKnownError
    dtype = element.numpy()
    if data.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = np.trunc(data.astype(np.float64))
        # What is beyond the limits is left open by the standard.
        _only(((whole >= limits.min) & (whole < float(limits.max))).all())
    found: Array = data.astype(dtype)
    return found


def _folded(function: Callable[[Array, Array], Array]) -> Evaluator:
    """Two operands of one type, or more, from left to right."""

    def evaluate(a: Arguments) -> Array:
        arrays = a.all()
        _only(len({each.dtype for each in arrays}) == 1)
        return reduce(function, arrays)

    return evaluate


def _divided(one: Array, other: Array) -> Array:
    """Integers are divided towards zero."""
    if one.dtype.kind == "f":
        return np.asarray(one / other)
    _only(other.all())
    quotient = np.abs(one) // np.abs(other)
    return np.asarray(np.where((one < 0) != (other < 0), -quotient, quotient).astype(one.dtype))


def _modulo(a: Arguments) -> Array:
    one, other = a.all()
    _only(one.dtype.kind == "f" or other.all())
    return np.asarray((np.fmod if a.attributes["fmod"] else np.mod)(one, other))


def _power(a: Arguments) -> Array:
    one, other = a.all()
    _only(one.dtype.kind == "f" or not (other.dtype.kind == "f" or (other < 0).any()))
    return np.asarray(np.power(one, other)).astype(one.dtype)


def _unary(function: Callable[[Array], Array], *, floats: bool = False) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        data = a.array()
        _only(data.dtype.kind == "f" or not floats)
        return np.asarray(function(data))

    return evaluate


def _filled(a: Arguments) -> Array:
    given = a.attributes["value"]
    dtype, value = ("float32", 0) if given is None else given
    _only(dtype in _DTYPES)
    return np.full(a.sizes(), value, dtype)


def _range(a: Arguments) -> Array:
    start, _, delta = a.all()
    _only(start.dtype.kind != "f")  # runtimes differ in how they sum
    first, step = start.item(), delta.item()
    return np.array([first + k * step for k in range(*a.sizes())], start.dtype)


def _reduced(function: Callable[..., Array]) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        data, axes = a.array(), a.integers("dim")
        if not axes and a.attributes["noop"]:
            return data
        found = np.asarray(function(data, axis=tuple(axes or range(data.ndim))))
        return found.reshape(a.sizes()).astype(data.dtype)

    return evaluate


def _split(a: Arguments) -> list[Array]:
    axis = a.attributes["dim"]
    ends = np.cumsum([a.sizes(at)[axis] for at in range(len(a.results))])
    return np.split(a.array(), ends[:-1].tolist(), axis=axis)


# ONNX's names with those of the functions of NumPy that do the same.
_UNARY = "Identity:asarray Not:logical_not Neg:negative Abs:abs Sign:sign"
_FLOAT = "Floor:floor Ceil:ceil Round:round Sqrt:sqrt"
_FOLDED = (
    "Add:add Sub:subtract Mul:multiply Equal:equal Less:less LessOrEqual:less_equal "
    "Greater:greater GreaterOrEqual:greater_equal And:logical_and Or:logical_or Xor:logical_xor "
    "Min:minimum Max:maximum"
)
_REDUCED = "ReduceProd:prod ReduceSum:sum ReduceMax:max ReduceMin:min"
EVALUATORS: Mapping[str, Evaluator] = {
    **{
        name: made(getattr(np, function))
        for made, pairs in (
            (_unary, _UNARY),
            (partial(_unary, floats=True), _FLOAT),
            (_folded, _FOLDED),
            (_reduced, _REDUCED),
        )
        for name, function in (pair.split(":") for pair in pairs.split())
    },
    **dict.fromkeys(
        ("Reshape", "Flatten", "Squeeze", "Unsqueeze"), lambda a: a.array().reshape(a.sizes())
    ),
    "Div": _folded(_divided),
    "ConstantOfShape": _filled,
    "Shape": lambda a: np.array(
        a.first.shape[a.attributes["start"] : a.attributes["end"]], np.int64
    ),
    "Size": lambda a: np.array(prod(a.first.shape), np.int64),
    "Gather": lambda a: np.take(a.array(), a.array(1), axis=a.attributes["dim"]),
    "Slice": _slice,
    "Concat": lambda a: np.concatenate(a.all(), axis=a.attributes["dim"]),
    "Cast": _cast,
    "Mod": _modulo,
    "Pow": _power,
    "Range": _range,
    "Where": lambda a: np.where(*a.all()),
    "Expand": lambda a: np.broadcast_to(a.array(), a.sizes()),
    "Tile": lambda a: np.tile(a.array(), a.integers("repeats") or ()),
    "Transpose": lambda a: np.transpose(a.array(), a.attributes["dims"]),
    "Split": _split,
    "NonZero": lambda a: np.array(np.nonzero(a.array()), np.int64),
}
