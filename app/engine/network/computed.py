"""Values of small results that follow from the graph alone: the shape arithmetic of ONNX exporters.

``Shape → Gather → Mul → Concat → Reshape`` and the like, with ONNX's meaning of each operator, on
arrays of at most 1,024 elements. What does not follow, or is not known here, is left open.
Source: docs/Operators.md of onnx/onnx.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.dtypes import BY_ONNX, ElementType, parse_dtype
from .attributes import Value
from .operators.base import TensorType

MOST_ELEMENTS = 1024
Array = npt.NDArray[Any]
_DTYPES = {"bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"}


class NotComputedError(Exception):
    """The values do not follow from the graph."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What is known of a node: types and values of its operands, None where there are none."""

    attributes: Mapping[str, Value]
    types: Sequence[TensorType | None]
    arrays: Sequence[Array | None]
    outputs: int

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

    def integers(self, at: int, name: str = "") -> list[int] | None:
        """Integers of an operand, or of the attribute that older opsets have in its place."""
        given = self.attributes.get(name)
        if given is not None:
            return [int(given)] if isinstance(given, int) else [int(each) for each in given]
        if at >= len(self.types) or self.types[at] is None:
            return None
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


def compute(op: str, arguments: Arguments) -> list[tuple[ElementType, Array]] | None:
    """The results of an operator that ``is_computed``; None where they do not follow."""
    try:
        with np.errstate(all="ignore"):
            found = _EVALUATORS[op](arguments)
    except (NotComputedError, ValueError, IndexError, OverflowError, TypeError, ZeroDivisionError):
        return None  # operands that do not fit are named by the rules for shapes
    arrays = [np.asarray(each) for each in (found if isinstance(found, list) else [found])]
    if any(each.size > MOST_ELEMENTS or not np.isfinite(each).all() for each in arrays):
        return None
    return [(parse_dtype(each.dtype.name), each) for each in arrays]


def is_computed(op: str) -> bool:
    """Whether an operator of ONNX is one of those that are computed here."""
    return op in _EVALUATORS


def _few(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape that is small enough. Errors: NotComputedError."""
    _only(all(n >= 0 for n in shape) and prod(shape) <= MOST_ELEMENTS)
    return tuple(shape)


def _only(follows: object) -> None:
    """Errors: NotComputedError where the result does not follow."""
    if not follows:
        raise NotComputedError


def _gather(a: Arguments) -> Array:
    data, index, axis = a.need(0), a.need(1), a.number("axis", 0)
    _only(prod(data.shape) // max(1, data.shape[axis]) * index.size <= MOST_ELEMENTS)
    return np.take(data, index, axis=axis)


def _slice(a: Arguments) -> Array:
    data, starts, ends = a.need(0), a.integers(1), a.integers(2)
    if starts is None or ends is None:
        raise NotComputedError
    axes = a.integers(3) or list(range(len(starts)))
    steps = a.integers(4) or [1] * len(starts)
    parts = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        parts[axis] = slice(start, end, step)
    return data[tuple(parts)]


def _concat(a: Arguments) -> Array:
    arrays = [a.need(at) for at in range(len(a.types))]
    _only(sum(each.size for each in arrays) <= MOST_ELEMENTS)
    return np.concatenate(arrays, axis=a.number("axis", 0))


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


def _broadcast(a: Arguments, count: int) -> list[Array]:
    """The first operands, of which the common shape is small enough."""
    arrays = [a.need(at) for at in range(count)]
    _few(np.broadcast_shapes(*(each.shape for each in arrays)))
    return arrays


def _binary(function: Callable[[Array, Array], Array]) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        one, other = _broadcast(a, 2)
        _only(one.dtype == other.dtype)
        return np.asarray(function(one, other))

    return evaluate


def _divided(one: Array, other: Array) -> Array:
    """Integers are divided towards zero."""
    if one.dtype.kind == "f":
        return np.asarray(one / other)
    _only(other.all())
    quotient = np.abs(one) // np.abs(other)
    return np.asarray(np.where((one < 0) != (other < 0), -quotient, quotient).astype(one.dtype))


def _modulo(a: Arguments) -> Array:
    one, other = _broadcast(a, 2)
    _only(one.dtype.kind == "f" or other.all())
    return np.asarray((np.fmod if a.number("fmod", 0) else np.mod)(one, other))


def _power(a: Arguments) -> Array:
    one, other = _broadcast(a, 2)
    _only(one.dtype.kind == "f" or not (other.dtype.kind == "f" or (other < 0).any()))
    return np.asarray(np.power(one, other)).astype(one.dtype)


def _unary(function: Callable[[Array], Array], *, floats: bool = False) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        data = a.need(0)
        _only(data.dtype.kind == "f" or not floats)
        return np.asarray(function(data))

    return evaluate


def _axes(a: Arguments) -> tuple[int, ...] | None:
    """Axes that are an operand, or an attribute in older opsets."""
    found = a.integers(1, "axes")
    return None if found is None else tuple(found)


def _filled(a: Arguments) -> Array:
    shape = _few(a.integers(0) or ())
    given = a.attributes.get("value")
    dtype, value = ("float32", 0) if given is None else given
    _only(dtype in _DTYPES)
    return np.full(shape, value, dtype)


def _range(a: Arguments) -> Array:
    start, limit, delta = (a.need(at).reshape(()) for at in range(3))
    _only(start.dtype.kind != "f")  # runtimes differ in how they sum
    first, step = int(start), int(delta)
    count = max(-((first - int(limit)) // step), 0)
    _few((count,))
    return np.array([first + k * step for k in range(count)], start.dtype)


def _reduced(function: Callable[..., Array]) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        data, axes = a.need(0), _axes(a)
        if not axes and a.number("noop_with_empty_axes", 0):
            return data
        keep = bool(a.number("keepdims", 1))
        found = np.asarray(function(data, axis=axes or tuple(range(data.ndim)), keepdims=keep))
        return found.astype(data.dtype)

    return evaluate


def _reshape(a: Arguments) -> Array:
    data, sizes = a.need(0), a.integers(1)
    if sizes is None:
        raise NotComputedError
    if not a.number("allowzero", 0):
        sizes = [data.shape[d] if n == 0 else n for d, n in enumerate(sizes)]
    return data.reshape(sizes)


def _flatten(a: Arguments) -> Array:
    data, axis = a.need(0), a.number("axis", 1)
    axis += data.ndim * (axis < 0)
    return data.reshape(prod(data.shape[:axis]), prod(data.shape[axis:]))


def _expand(a: Arguments) -> Array:
    data = a.need(0)
    shape = _few(np.broadcast_shapes(data.shape, tuple(a.integers(1) or ())))
    return np.broadcast_to(data, shape)


def _tile(a: Arguments) -> Array:
    data, repeats = a.need(0), a.integers(1) or []
    _few([n * k for n, k in zip(data.shape, repeats, strict=True)])
    return np.tile(data, repeats)


def _split(a: Arguments) -> list[Array]:
    data, axis, sizes = a.need(0), a.number("axis", 0), a.integers(1, "split")
    if sizes is None:
        each = -(-data.shape[axis] // a.outputs)
        sizes = [each] * (a.outputs - 1) + [data.shape[axis] - each * (a.outputs - 1)]
    _only(sum(sizes) == data.shape[axis] and min(sizes) >= 0)
    return np.split(data, np.cumsum(sizes)[:-1].tolist(), axis=axis)


def _nonzero(a: Arguments) -> Array:
    data = a.need(0)
    _few((data.ndim, data.size))
    return np.array(np.nonzero(data), np.int64)


def _extreme(function: Callable[[Array, Array], Array]) -> Evaluator:
    def evaluate(a: Arguments) -> Array:
        found = a.need(0)
        for at in range(1, len(a.types)):
            _few(np.broadcast_shapes(found.shape, a.need(at).shape))
            found = np.asarray(function(found, a.need(at)))
        return found

    return evaluate


# ONNX's names with those of the functions of NumPy that do the same.
_UNARY = "Identity:asarray Not:logical_not Neg:negative Abs:abs Sign:sign"
_FLOAT = "Floor:floor Ceil:ceil Round:round Sqrt:sqrt"
_BINARY = (
    "Add:add Sub:subtract Mul:multiply Equal:equal Less:less LessOrEqual:less_equal "
    "Greater:greater GreaterOrEqual:greater_equal And:logical_and Or:logical_or Xor:logical_xor"
)
_REDUCED = "ReduceProd:prod ReduceSum:sum ReduceMax:max ReduceMin:min"
_EVALUATORS: Mapping[str, Evaluator] = {
    **{
        name: made(getattr(np, function))
        for made, pairs in (
            (_unary, _UNARY),
            (partial(_unary, floats=True), _FLOAT),
            (_binary, _BINARY),
            (_reduced, _REDUCED),
            (_extreme, "Min:minimum Max:maximum"),
        )
        for name, function in (pair.split(":") for pair in pairs.split())
    },
    "Div": _binary(_divided),
    "ConstantOfShape": _filled,
    "Shape": lambda a: np.array(a.shape[a.number("start", 0) : a.attributes.get("end")], np.int64),
    "Size": lambda a: np.array(prod(a.shape), np.int64),
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Unsqueeze": lambda a: np.expand_dims(a.need(0), _axes(a) or ()),
    "Squeeze": lambda a: np.squeeze(a.need(0), _axes(a)),
    "Cast": _cast,
    "Mod": _modulo,
    "Pow": _power,
    "Range": _range,
    "Where": lambda a: np.where(*_broadcast(a, 3)),
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Expand": _expand,
    "Tile": _tile,
    "Transpose": lambda a: np.transpose(a.need(0), a.attributes.get("perm")),
    "Split": _split,
    "NonZero": _nonzero,
}
