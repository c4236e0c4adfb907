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
from .attributes import Value
from .operators.base import TensorType, Unknown

MOST_ELEMENTS = 1024
Array = npt.NDArray[Any]
_DTYPES = {"bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"}


class NotComputedError(Exception):
    """The values do not follow from the graph."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What is known of a node: types and values of its operands, and the types of its results.

    ``types``, ``arrays``: None where there are none.
    """

    attributes: Mapping[str, Value]
    types: Sequence[TensorType | None]
    arrays: Sequence[Array | None]
    results: Sequence[TensorType | Unknown]

    def sizes(self, at: int = 0) -> tuple[int, ...]:
        """The shape of a result. Errors: NotComputedError."""
        found = self.results[at]
        if isinstance(found, Unknown):
            raise NotComputedError
        return found.shape

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first operand. Errors: NotComputedError."""
        if self.types[0] is None:
            raise NotComputedError
        return self.types[0].shape

    def need(self, at: int) -> Array:
        """The values of an operand. Errors: NotComputedError."""
        found = self.arrays[at] if at < len(self.arrays) else None
        if found is None:
            raise NotComputedError
        return found

    def all(self) -> list[Array]:
        """The values of all operands. Errors: NotComputedError."""
        return [self.need(at) for at in range(len(self.types))]

    def integers(self, at: int, name: str = "") -> list[int]:
        """Integers of an operand, or of the attribute that older opsets have in its place."""
        given = self.attributes.get(name)
        if given is not None:
            return [int(given)] if isinstance(given, int) else [int(each) for each in given]
        if at >= len(self.types) or self.types[at] is None:
            return []
        return [int(each) for each in self.need(at).ravel()]

    def number(self, name: str, default: int) -> int:
        """An integer attribute."""
        found = self.attributes.get(name)
        return default if found is None else int(found)


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


def compute(op: str, asked: Arguments) -> list[tuple[ElementType, Array]]:
    """The results of an operator that ``is_computed``; none where they do not follow."""
    known = (each.shape for each in asked.results if isinstance(each, TensorType))
    if any(prod(shape) > MOST_ELEMENTS for shape in known):
        return []
    try:
        with np.errstate(all="ignore"):
            found = _EVALUATORS[op](asked)
    except (NotComputedError, ValueError, IndexError, OverflowError, TypeError, ZeroDivisionError):
        return []  # operands that do not fit are named by the rules for shapes
    arrays = [np.asarray(each) for each in (found if isinstance(found, list) else [found])]
    if any(each.size > MOST_ELEMENTS or not np.isfinite(each).all() for each in arrays):
        return []
    return [(parse_dtype(each.dtype.name), each) for each in arrays]


def is_computed(op: str) -> bool:
    """Whether an operator of ONNX is one of those that are computed here."""
    return op in _EVALUATORS


def _only(follows: object) -> None:
    """Errors: NotComputedError where the result does not follow."""
    if not follows:
        raise NotComputedError


def _slice(a: Arguments) -> Array:
    data, starts = a.need(0), a.integers(1)
    axes = a.integers(3) or list(range(len(starts)))
    steps = a.integers(4) or [1] * len(starts)
    parts = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, a.integers(2), steps, strict=True):
        parts[axis] = slice(start, end, step)
    return data[tuple(parts)]


def _cast(a: Arguments) -> Array:
    data, element = a.need(0), BY_ONNX.get(a.number("to", 0))
    if element is None or element.name not in _DTYPES:
        raise NotComputedError
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
    return np.asarray((np.fmod if a.number("fmod", 0) else np.mod)(one, other))


def _power(a: Arguments) -> Array:
    one, other = a.all()
    _only(one.dtype.kind == "f" or not (other.dtype.kind == "f" or (other < 0).any()))
    return np.asarray(np.power(one, other)).astype(one.dtype)


def _unary(function: Callable[[Array], Array], *, floats: bool = False) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        data = a.need(0)
        _only(data.dtype.kind == "f" or not floats)
        return np.asarray(function(data))

    return evaluate


def _filled(a: Arguments) -> Array:
    given = a.attributes.get("value")
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
        data, axes = a.need(0), a.integers(1, "axes")
        if not axes and a.number("noop_with_empty_axes", 0):
            return data
        found = np.asarray(function(data, axis=tuple(axes or range(data.ndim))))
        return found.reshape(a.sizes()).astype(data.dtype)

    return evaluate


def _split(a: Arguments) -> list[Array]:
    axis = a.number("axis", 0)
    ends = np.cumsum([a.sizes(at)[axis] for at in range(len(a.results))])
    return np.split(a.need(0), ends[:-1].tolist(), axis=axis)


# ONNX's names with those of the functions of NumPy that do the same.
_UNARY = "Identity:asarray Not:logical_not Neg:negative Abs:abs Sign:sign"
_FLOAT = "Floor:floor Ceil:ceil Round:round Sqrt:sqrt"
_FOLDED = (
    "Add:add Sub:subtract Mul:multiply Equal:equal Less:less LessOrEqual:less_equal "
    "Greater:greater GreaterOrEqual:greater_equal And:logical_and Or:logical_or Xor:logical_xor "
    "Min:minimum Max:maximum"
)
_REDUCED = "ReduceProd:prod ReduceSum:sum ReduceMax:max ReduceMin:min"
_EVALUATORS: Mapping[str, Evaluator] = {
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
        ("Reshape", "Flatten", "Squeeze", "Unsqueeze"), lambda a: a.need(0).reshape(a.sizes())
    ),
    "Div": _folded(_divided),
    "ConstantOfShape": _filled,
    "Shape": lambda a: np.array(a.shape[a.number("start", 0) : a.attributes.get("end")], np.int64),
    "Size": lambda a: np.array(prod(a.shape), np.int64),
    "Gather": lambda a: np.take(a.need(0), a.need(1), axis=a.number("axis", 0)),
    "Slice": _slice,
    "Concat": lambda a: np.concatenate(a.all(), axis=a.number("axis", 0)),
    "Cast": _cast,
    "Mod": _modulo,
    "Pow": _power,
    "Range": _range,
    "Where": lambda a: np.where(*a.all()),
    "Expand": lambda a: np.broadcast_to(a.need(0), a.sizes()),
    "Tile": lambda a: np.tile(a.need(0), a.integers(1)),
    "Transpose": lambda a: np.transpose(a.need(0), a.attributes.get("perm")),
    "Split": _split,
    "NonZero": lambda a: np.array(np.nonzero(a.need(0)), np.int64),
}
