"""Shape arithmetic where it has to stop, and rare attributes, by the standard of ONNX.

tests/files/onnx/test_shape_arithmetic.py compares the usual cases with ONNX's own reference.
"""

from typing import Any

import numpy as np
import pytest

from app.engine import parse_dtype
from app.engine.network.computed import Arguments, array_of, compute
from app.engine.network.operators.base import TensorType

_INT, _MANY = np.array([2, 3]), np.zeros(600, np.int64)
_REAL = np.array([1.0, 0.0], np.float32)


def results(op: str, *operands: Any, outputs: int = 1, **attributes: Any) -> list[Any] | None:
    """Values of a node's results; an operand is an array, None if left out, or unknown (...)."""
    arrays = [each if isinstance(each, np.ndarray) else None for each in operands]
    types = [
        TensorType(each.shape, parse_dtype(each.dtype.name))
        if isinstance(each, np.ndarray)
        else None
        if each is None
        else TensorType((2,), parse_dtype("int64"))
        for each in operands
    ]
    found = compute(op, Arguments(attributes, types, arrays, outputs))
    return None if found is None else [array.tolist() for _, array in found]


@pytest.mark.parametrize(
    ("op", "operands", "attributes"),
    [
        ("Shape", [None], {}),
        ("Size", [None], {}),
        ("Neg", [...], {}),
        ("Gather", [_MANY.reshape(2, 300), np.zeros(4, np.int64)], {"axis": 0}),
        ("Slice", [_INT, None, _INT], {}),
        ("Concat", [_MANY, _MANY], {"axis": 0}),
        ("Cast", [_INT], {"to": 10}),
        ("Cast", [np.array([3e9], np.float32)], {"to": 6}),
        ("Add", [_INT, _REAL], {}),
        ("Div", [_REAL, np.zeros(2, np.float32)], {}),
        ("Div", [_INT, np.array([1, 0])], {}),
        ("Mod", [_INT, np.array([1, 0])], {}),
        ("Pow", [_INT, np.array([-1, 1])], {}),
        ("Floor", [_INT], {}),
        ("ConstantOfShape", [_INT], {"value": 7}),
        ("ConstantOfShape", [np.array([-1])], {}),
        ("Range", [np.array(0.0), np.array(1.0), np.array(0.25)], {}),
        ("Reshape", [_INT, None], {}),
        ("Split", [_INT, np.array([2, 1])], {"axis": 0}),
    ],
)
def test_what_does_not_follow_is_left_open(
    op: str, operands: list[Any], attributes: dict[str, Any]
) -> None:
    assert results(op, *operands, **attributes) is None


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "expected"),
    [
        ("Unsqueeze", [_INT], {"axes": [0]}, [[2, 3]]),
        ("ReduceSum", [np.array([[1, 2], [3, 4]])], {"axes": 1, "keepdims": 0}, [3, 7]),
        ("Div", [_REAL, np.array([4.0, 1.0], np.float32)], {}, [0.25, 0.0]),
        ("Div", [np.array([-7, 7]), np.array([2, -2])], {}, [-3, -3]),
        ("ConstantOfShape", [_INT], {}, [[0.0] * 3] * 2),
        ("Reshape", [np.zeros((2, 0)), np.array([0, 5])], {"allowzero": 1}, []),
        ("Cast", [np.array([-1.75], np.float32)], {"to": 6}, [-1]),
    ],
)
def test_what_follows(
    op: str, operands: list[Any], attributes: dict[str, Any], expected: list[Any]
) -> None:
    assert results(op, *operands, **attributes) == [expected]


@pytest.mark.parametrize(
    ("dtype", "values"), [("float16", (1.0,)), ("int64", (1, 2)), ("int8", (300,))]
)
def test_elements_that_make_no_array(dtype: str, values: tuple[float, ...]) -> None:
    assert array_of(TensorType((1,), parse_dtype(dtype)), values) is None
