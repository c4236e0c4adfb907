"""Rare parts of .onnx files: sparse weights, odd attributes, incomplete notes, broken bytes."""

import math
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from app.engine import LayoutError
from app.engine.model.dtypes import ELEMENT_TYPES
from app.files.onnx import read_network, wire
from tests.files.onnx.models import integers, model, op, small, value, weight

X = value("x", [2, 3])


def read(made: onnx.ModelProto) -> Any:
    return read_network(made.SerializeToString())


def refused(made: onnx.ModelProto) -> str:
    with pytest.raises(LayoutError) as caught:
        read(made)
    return caught.value.field


def test_sparse_initializers_and_long_lists_of_integers_are_weights() -> None:
    made = model([op("Add x w -> y")], [X], [value("y", None)])
    made.graph.sparse_initializer.add(
        values=numpy_helper.from_array(np.ones(1, np.float32), "w"),
        indices=integers("i", 4),
        dims=[2, 3],
    )
    found = read(made)
    assert found.graph.constants["w"].layout.shape == (2, 3)
    assert found.graph.constants["w"].values is None
    long = numpy_helper.from_array(np.zeros(100_000, np.int64), "long")
    made = model([op("Neg long -> y")], [], [value("y", None, 7)], [long])
    assert read(made).graph.constants["long"].values is None


def test_each_element_type_is_read_by_its_number_in_onnx() -> None:
    node = op("Relu x -> y")
    for dtype in ELEMENT_TYPES.values():
        assert helper.tensor_dtype_to_np_dtype(dtype.onnx) == dtype.numpy(), dtype
        made = model([node], [value("x", [2, 3], dtype.onnx)], [value("y", None)])
        assert read(made).graph.inputs["x"].dtype is dtype


def test_notes_of_results_that_are_not_whole_are_left() -> None:
    node = op("my:Odd x -> y")
    huge = [1 << 40, 1 << 40]
    for shape in (huge, [2, None]):
        made = model([node], [X], [value("z", None)], value_info=[value("y", shape)])
        made.graph.output[0].name = "y"
        assert read(made).graph.type("y") is None
    made = model([node], [X], [value("y", [2, 5])])
    assert read(made).graph.type("y").shape == (2, 5)


def test_trailing_names_that_are_empty_and_attributes_that_are_not_known() -> None:
    node = op("Clip x - - -> y -", name="c", speed=3)
    found = read(model([node], [X], [value("y", None)]))
    (read_node,) = found.graph.nodes
    assert (read_node.inputs, read_node.outputs, read_node.given) == (("x",), ("y",), {})
    assert found.unknown == [
        {"node": "c", "op": "Clip", "reason": "An attribute of it is not known, and left out."}
    ]


def test_computed_results_without_a_name_are_no_constants() -> None:
    nodes = [op("Split sizes -> - tail", axis=0, num_outputs=2), op("Reshape x tail -> y")]
    sizes = integers("sizes", 9, 9, 3, 2)
    found = read(model(nodes, [X], [value("y", None)], [sizes], opset=18))
    assert found.graph.constants["tail"].values == (3, 2)
    assert [node.op for node in found.graph.nodes] == ["Reshape"]


@pytest.mark.parametrize(
    ("name", "result", "attributes"),
    [("Reshape", [2, 0], {"allowzero": 1}), ("Expand", [4, 2, 3], {})],
)
def test_a_computed_shape_is_taken_from_the_result(
    name: str, result: list[int], attributes: dict[str, Any]
) -> None:
    nodes = [op("my:Sizes x -> s"), op(f"{name} x s -> y", **attributes)]
    source = value("x", [2, 0]) if name == "Reshape" else X
    found = read(model(nodes, [source], [value("y", result)]))
    last = found.graph.nodes[1]
    assert (last.inputs, last.given) == (("x", "y.shape"), attributes)
    assert found.graph.constants["y.shape"].values == tuple(result)


def test_a_computed_shape_stays_where_a_constant_gives_it_or_has_its_name() -> None:
    texts = "Reshape x k -> y; my:Sizes x -> s; Reshape y s -> z; Add z z.shape -> a"
    nodes = [op(text) for text in texts.split("; ")]
    made = model(
        nodes,
        [X],
        [value("a", [3, 2])],
        [integers("k", 3, 2), weight("z.shape", 3, 2)],
        value_info=[value("y", [3, 2]), value("z", [3, 2])],
    )
    found = read(made)
    assert [node.inputs for node in found.graph.nodes if node.op == "Reshape"] == [
        ("x", "k"),
        ("y", "s"),
    ]


def test_attributes_of_every_kind() -> None:
    tensor = integers("t", 1)
    graph = helper.make_graph([], "g", [], [])
    more: dict[str, Any] = {"c": ["one", "two"], "d": tensor, "e": graph, "f": 2.5}
    more |= {"g": "text", "h": [3, 4]}
    node = op("my:Odd x -> y", a=math.inf, b=[1.0, math.nan], **more)
    node.attribute.add(name="i", type=onnx.AttributeProto.UNDEFINED)
    node.attribute.add(name="j", type=onnx.AttributeProto.INT, i=-(2**63))
    found = read(model([node], [X], [value("y", None)]))
    more |= {"d": "a tensor", "e": "a graph", "i": None, "j": -(2**63 - 1)}
    assert found.graph.nodes[0].given == {"a": None, "b": [1.0, None], **more}


def test_the_blocked_nodes_of_a_file_whose_shapes_do_not_fit_stay_unknown() -> None:
    blocked = "com.microsoft.nchwc"
    nodes = [
        op("ReorderInput x -> a", channels_last=1, domain=blocked),
        op("Upsample a -> b", scales=[1, 1, 2, 2], domain=blocked),
        op("ReorderOutput b -> c", channels=99, domain=blocked),
    ]
    found = read(model(nodes, [value("x", [1, 8, 8, 16])], [value("c", None)]))
    assert [(d.tensor, d.source, d.target) for d in found.decisions] == [
        ("x", "NHWC", "NCHWc"),
        ("c", "NCHWc", "NCHW"),
    ]
    conv = op("Conv x w -> y", domain=blocked)
    image, weights = value("x", [1, 3, 8, 8]), [weight("w", 16, 5, 1, 1)]
    wrong = model([conv], [image], [value("y", None)], weights)
    assert read(wrong).graph.type("y") is None


def test_functions_that_are_wrong() -> None:
    def called(text: str, *bodies: onnx.NodeProto) -> onnx.ModelProto:
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
        made = [helper.make_function("local", "Act", ["a"], ["b"], [b], opsets) for b in bodies]
        return model([op(text)], [X], [value("y", None)], functions=made)

    relu = op("Relu a -> b")
    assert refused(called("local:Act x -> y", relu, relu)) == "functions"
    assert refused(called("local:Act x x x -> y", relu)) == "functions"
    # A call inside a branch of a function counts.
    inner = helper.make_graph([op("local:Act a -> z")], "g", [], [value("z", None)])
    branch = op("If a -> b", then_branch=inner, else_branch=inner)
    assert refused(called("local:Act x -> y", branch)) == "functions[0].node"


def test_a_file_that_is_large_without_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_KEPT_BYTES", 10)
    assert refused(small()) == "body"
