"""Shape arithmetic where it has to stop, and rare attributes, by the standard of ONNX.

tests/files/onnx/test_shape_arithmetic.py compares the usual cases with ONNX's own reference.
"""

from typing import Any

import numpy as np
import pytest

from app.engine import parse_dtype
from app.engine.network import Graph
from app.engine.network.computed import array_of
from app.engine.network.operators.base import TensorType
from tests.engine.network.graphs import node, tensor

_INT, _MANY = np.array([2, 3]), np.zeros(600, np.int64)
_REAL = np.array([1.0, 0.0], np.float32)


def result(op: str, *operands: Any, **attributes: Any) -> Any:
    """The values of a node's result, None if they are left open; ``...`` is an unknown operand."""
    constants = {
        f"x{at}": tensor(each.shape, dtype=each.dtype.name, values=each.ravel().tolist())
        for at, each in enumerate(operands)
        if each is not ...
    }
    names = [f"x{at}" for at in range(len(operands))]
    inputs = {name: tensor((2,), dtype="int64") for name in names if name not in constants}
    made = node(op, " ".join(names), **attributes)
    graph = Graph.of(inputs=inputs, constants=constants, nodes=[made])
    found, kind = graph.computed.get("y"), graph.type("y")
    return None if found is None or kind is None else np.array(found).reshape(kind.shape).tolist()


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "expected"),
    [
        # What does not follow is left open.
        ("Neg", [...], {}, None),
        ("Min", [_INT, _REAL], {}, None),
        ("Tile", [_MANY, _INT[:1]], {}, None),
        ("Gather", [_MANY.reshape(2, 300), np.zeros(4, np.int64)], {"axis": 0}, None),
        ("Concat", [_MANY, _MANY], {"axis": 0}, None),
        ("Cast", [_INT], {"to": 10}, None),
        ("Cast", [np.array([3e9], np.float32)], {"to": 6}, None),
        ("Add", [_INT, _REAL], {}, None),
        ("Div", [_REAL, np.zeros(2, np.float32)], {}, None),
        ("Div", [_INT, np.array([1, 0])], {}, None),
        ("Mod", [_INT, np.array([1, 0])], {}, None),
        ("Pow", [_INT, np.array([-1, 1])], {}, None),
        ("Floor", [_INT], {}, None),
        ("ConstantOfShape", [_INT], {"value": 7}, None),
        ("Range", [np.array(0.0), np.array(1.0), np.array(0.25)], {}, None),
        ("Min", [np.array([2, 5]), np.array([3]), np.array([4, 4])], {}, [2, 3]),
        ("Squeeze", [np.array([[2, 3]]), np.array([0])], {}, [2, 3]),
        ("ReduceSum", [np.array([[1, 2], [3, 4]])], {"axes": 1, "keepdims": 0}, [3, 7]),
        ("Div", [_REAL, np.array([4.0, 1.0], np.float32)], {}, [0.25, 0.0]),
        ("ConstantOfShape", [_INT], {}, [[0.0] * 3] * 2),
        ("Reshape", [np.zeros((2, 0)), np.array([0, 5])], {"allowzero": 1}, []),
    ],
)
def test_what_follows_and_what_is_left_open(
    op: str, operands: list[Any], attributes: dict[str, Any], expected: list[Any] | None
) -> None:
    assert result(op, *operands, **attributes) == expected


def test_elements_that_make_no_array() -> None:
    for dtype, values in (("float16", (1.0,)), ("int64", (1, 2)), ("int8", (300,))):
        assert array_of(TensorType((1,), parse_dtype(dtype)), values) is None
