"""The operator catalogue: every row is well formed, and shapes where they are hard to get right."""

from typing import Any

import pytest

from app.engine import LayoutError
from app.engine.network import Graph
from app.engine.network.operators import OPERATORS, find_operator
from app.engine.network.rules import propagate
from tests.engine.network.graphs import node, tensor


def test_each_name_of_a_system_has_one_row() -> None:
    names = [name for row in OPERATORS for name in (*row.torch, *row.onnx)]
    assert len(set(names)) == len(names)
    assert len({row.name for row in OPERATORS}) == len(OPERATORS)
    for row in OPERATORS:
        assert row.torch or row.onnx
        for name in (*row.torch, *row.onnx):
            assert find_operator(name)[0] is row


def test_attributes_of_all_rows_have_defaults_that_read_back() -> None:
    for row in OPERATORS:
        for call in (row.torch_call, row.onnx_call):
            for name, attribute in call.attributes.items() if call else ():
                if attribute.default is not None:  # a null is never read
                    read = attribute.read(name, attribute.default)
                    assert read == attribute.default


@pytest.mark.parametrize(
    ("op", "weight", "groups", "expected"),
    [
        ("conv2d", (50, 12, 3, 3), 4, "a number of output channels that 4 groups divide"),
        ("Conv", (50, 12, 3, 3), 4, "a number of output channels that 4 groups divide"),
        ("conv2d", (48, 11, 3, 3), 4, "a weight for 48 input channels"),
        ("conv_transpose2d", (48, 10, 3, 3), 5, "a number of input channels that 5 groups divide"),
        ("ConvTranspose", (48, 10, 3, 3), 5, "a number of input channels that 5 groups divide"),
        ("ConvTranspose", (40, 10, 3, 3), 5, "a weight for 48 input channels"),
    ],
)
def test_a_grouped_convolution_says_what_its_weight_lacks(
    op: str, weight: tuple[int, ...], groups: int, expected: str
) -> None:
    inputs = {"x": tensor((1, 48, 8, 8)), "w": tensor(weight)}
    attributes: dict[str, Any] = {"group" if op[0] == "C" else "groups": groups}
    with pytest.raises(LayoutError) as found:
        Graph.of(inputs=inputs, nodes=[node(op, "x w", **attributes)])
    assert found.value.field == "nodes[0].inputs[1]"
    assert str(found.value).endswith(f"with {groups} groups; expected {expected}")


def test_an_unknown_rule_set_is_named() -> None:
    graph = Graph.of(inputs={"x": tensor((2,))}, nodes=[node("relu", "x")])
    with pytest.raises(LayoutError, match="no rule set"):
        propagate(graph, "my-own")
