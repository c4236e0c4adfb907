"""PyTorch's type promotion: the element type of an operation on several types.

Source: c10/core/ScalarType.h (promoteTypes), ATen/native/TypeProperties.cpp (result_type).
"""

from collections.abc import Iterable, Sequence
from functools import cache, reduce

from ...model.dtypes import DEFAULT, ELEMENT_TYPES, ElementType
from .base import Call, TensorType

_RANK = {"bool": 0, "uint": 1, "int": 1, "float": 2, "complex": 3}


@cache
def promote(a: ElementType, b: ElementType) -> ElementType:
    """The smallest type that PyTorch takes for both."""
    if a is b or a.name == b.name:
        return a
    if {a.name, b.name} == {"complex64", "float64"}:
        return ELEMENT_TYPES["complex128"]
    if _RANK[a.kind] != _RANK[b.kind]:
        return a if _RANK[a.kind] > _RANK[b.kind] else b
    if a.kind == b.kind:
        if a.bits != b.bits:
            return a if a.bits > b.bits else b
        return ELEMENT_TYPES["float32"]  # float16 with bfloat16
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    return ELEMENT_TYPES[f"int{min(max(8, signed.bits, 2 * unsigned.bits), 64)}"]


def _all(types: Iterable[ElementType]) -> ElementType | None:
    listed = [*types]
    return reduce(promote, listed) if listed else None


def scalar_type(value: bool | float) -> ElementType:  # noqa: FBT001  # a value, no flag
    """The type that a number of Python counts as."""
    if isinstance(value, bool):
        return ELEMENT_TYPES["bool"]
    return ELEMENT_TYPES["int64"] if isinstance(value, int) else DEFAULT


def result_type(
    operands: Sequence[TensorType], scalars: Sequence[bool | float] = ()
) -> ElementType:
    """The type of an operation: tensors decide, then tensors of rank 0, then numbers.

    A lower class changes the result only if its kind is greater (bool, integer, float).
    """
    first = operands[0]
    if not scalars and all(each.dtype is first.dtype for each in operands):
        return first.dtype
    classes = (
        _all(each.dtype for each in operands if each.shape),
        _all(each.dtype for each in operands if not each.shape),
        _all(map(scalar_type, scalars)),
    )
    found, *lower = filter(None, classes)
    for each in lower:
        if _RANK[each.kind] > _RANK[found.kind]:
            found = promote(found, each)
    return found


def as_float(dtype: ElementType) -> ElementType:
    """The type that PyTorch computes exp, division or a mean in: float32 for integers."""
    return dtype if dtype.kind in {"float", "complex"} else DEFAULT


def as_sum(dtype: ElementType) -> ElementType:
    """The type that PyTorch sums in: int64 for integers."""
    return dtype if dtype.kind in {"float", "complex"} else ELEMENT_TYPES["int64"]


def as_it_is(dtype: ElementType) -> ElementType:
    """The same type."""
    return dtype


def numbers_among(call: Call, names: Sequence[str]) -> list[bool | float]:
    """The numbers that stand as attributes in the place of operands."""
    values = map(call.attributes.get, names)
    return [each for each in values if each is not None and not isinstance(each, (str, tuple))]
