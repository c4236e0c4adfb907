"""The operator catalogue: every row is well formed, and shapes where they are hard to get right."""

from __future__ import annotations

from typing import Any

import pytest

from app.engine import LayoutError
from app.engine.network import Graph, GraphTensor
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
                if not attribute.required:
                    read = attribute.read(name, attribute.default)
                    assert read == attribute.default


_NUMBERS = {
    "axes": tensor((2,), dtype="int64", values=[2, 3]),
    "scales": tensor((4,), values=[1.0, 1.0, 2.0, 0.5]),
    "sizes": tensor((4,), dtype="int64", values=[2, 8, 3, 3]),
    "two": tensor((1,), dtype="int64", values=[2]),
    "from": tensor((1,), dtype="int64", values=[-1]),
    "to": tensor((1,), dtype="int64", values=[-100]),
    "back": tensor((1,), dtype="int64", values=[-2]),
    "pads": tensor((4,), dtype="int64", values=[1, 0, 2, -1]),
}


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "shape", "dtype"),
    [
        ("max_pool2d", "x", {"kernel_size": 3, "stride": 2, "ceil_mode": True}, "2 8 3 3", ""),
        ("max_pool2d", "x", {"kernel_size": 2, "padding": 1}, "2 8 4 4", ""),
        ("conv2d", "x w", {"padding": "same", "dilation": 2}, "2 16 6 6", ""),
        ("conv_transpose2d", "x u", {"stride": 2, "output_padding": 1}, "2 4 14 14", ""),
        ("Conv", "x w", {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, "2 16 3 3", ""),
        ("Conv", "x w", {"pads": [0, 1, 2, 1]}, "2 16 6 6", ""),
        ("AveragePool", "x", {"kernel_shape": [3, 3], "ceil_mode": 1, "strides": [2, 2]},
         "2 8 3 3", ""),
        ("interpolate", "x", {"scale_factor": [0.5, 1.5]}, "2 8 3 9", ""),
        ("Resize", "x - scales", {}, "2 8 12 3", ""),
        ("Resize", "x - - sizes", {}, "2 8 3 3", ""),
        ("ReduceMean", "x axes", {"keepdims": 0}, "2 8", ""),
        ("ReduceSum", "x", {"noop_with_empty_axes": 1}, "2 8 6 6", ""),
        ("Slice", "x from to two back", {}, "2 8 3 6", ""),
        ("Pad", "x pads - axes", {}, "2 8 9 5", ""),
        ("TopK", "x two", {"axis": 1}, "2 2 6 6", ""),
        ("Gather", "x axes", {"axis": 1}, "2 2 6 6", ""),
        ("Flatten", "x", {"axis": 2}, "16 36", ""),
        ("argmax", "x", {"dim": 1}, "2 6 6", "int64"),
        ("einsum", "x x", {"equation": "nchw,nkhw->nck"}, "2 8 8", ""),
        ("tensor_split", "x", {"indices_or_sections": [], "dim": 1}, "2 8 6 6", ""),
        ("unfold_dim", "x", {"dimension": 2, "size": 3, "step": 2}, "2 8 2 6 3", ""),
        ("movedim", "x", {"source": 1, "destination": -1}, "2 6 6 8", ""),
        ("repeat", "x", {"repeats": [2, 1, 1, 1, 3]}, "2 2 8 6 18", ""),
        ("pad", "x", {"pad": [1, 2, -1]}, "", "error"),
        ("pad", "x", {"pad": [1, 2, -1, 0]}, "2 8 5 9", ""),
        ("cat", "x h", {"dim": 1}, "2 16 6 6", "float32"),
        ("add", "h", {"other": 2}, "2 8 6 6", "float16"),
        ("add", "i", {"other": 2.5}, "2 8 6 6", "float32"),
        ("add", "i s", {}, "2 8 6 6", "float32"),
        ("add", "h s", {}, "2 8 6 6", "float16"),
        ("div", "i i", {}, "2 8 6 6", "float32"),
        ("exp", "i", {}, "2 8 6 6", "float32"),
        ("relu", "i", {}, "2 8 6 6", "int32"),
        ("sum", "i", {"dim": 1}, "2 6 6", "int64"),
        ("gt", "x", {"other": 0}, "2 8 6 6", "bool"),
        ("to", "x", {"dtype": "torch.float16"}, "2 8 6 6", "float16"),
        ("Cast", "x", {"to": 10}, "2 8 6 6", "float16"),
        ("lstm_cell", "p q q wi wh", {}, "3 5", ""),
        ("scaled_dot_product_attention", "x x x", {}, "2 8 6 6", ""),
        ("linear", "p l", {}, "3 7", ""),
    ],
)  # fmt: skip
def test_shapes_and_types(
    op: str, inputs: str, attributes: dict[str, Any], shape: str, dtype: str
) -> None:
    tensors: dict[str, GraphTensor] = {
        "x": tensor((2, 8, 6, 6)),
        "h": tensor((2, 8, 6, 6), dtype="float16"),
        "i": tensor((2, 8, 6, 6), dtype="int32"),
        "s": tensor(()),
        "w": tensor((16, 8, 3, 3)),
        "u": tensor((8, 4, 3, 3)),
        "p": tensor((3, 4)),
        "q": tensor((3, 5)),
        "l": tensor((7, 4)),
        "wi": tensor((20, 4)),
        "wh": tensor((20, 5)),
    }
    if dtype == "error":
        with pytest.raises(LayoutError, match="two integers a dimension"):
            Graph.of(inputs=tensors, nodes=[node(op, inputs, **attributes)])
        return
    graph = Graph.of(inputs=tensors, constants=_NUMBERS, nodes=[node(op, inputs, **attributes)])
    found = graph.type("y")
    assert found is not None
    assert found.shape == tuple(map(int, shape.split()))
    assert found.dtype.name == (dtype or "float32")


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
