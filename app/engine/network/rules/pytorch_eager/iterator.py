"""Element-wise results: the rule of PyTorch's TensorIterator, also for chains of operations.

Source: ATen/TensorIterator.cpp. Operands of another element type than the common one are converted
first, which keeps or infers dense strides (compute_types comes before the strides are compared).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....model.dtypes import ElementType
from ....model.layout import Layout
from ...elementwise import elementwise
from . import memory
from .calls import Eager

SCALAR = Layout.strided((), ())


def iterate(operands: Sequence[Layout], *, scalars: int = 0) -> Layout:
    """The result of an operation on ``operands`` and some numbers.

    A number is a tensor of rank 0: with one, shapes differ, so that the fast way for operands of
    one shape is not taken unless all are of rank 0.
    """
    return elementwise([*operands, *[SCALAR] * scalars])


def converted(layout: Layout, dtype: ElementType, common: ElementType) -> Layout:
    """An operand in the common element type."""
    return layout if dtype.name == common.name else memory.preserved(layout)


def converted_input(call: Eager) -> Layout:
    """The first operand in the element type of the result, as a division of integers takes it."""
    return converted(call.input, call.given()[0].dtype, call.types[0].dtype)
