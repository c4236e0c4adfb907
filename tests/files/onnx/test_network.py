"""Networks from .onnx files: what is read of them."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.contract.networks import NetworkGraph
from app.files.onnx import model as onnx_model
from app.files.onnx import read_network
from app.files.onnx.network import ModelReading
from tests.files.onnx.models import integers, model, op, small, value, weight

BLOCKED = "com.microsoft.nchwc"


def shape_of(found: ModelReading, name: str) -> tuple[int, ...] | None:
    return getattr(found.graph.types[name], "shape", None)


def test_a_small_model_in_full() -> None:
    found = read_network(small().SerializeToString(), {"batch": 2})
    assert found.assumed == {"batch": 2}
    assert not found.unknown
    assert not found.decisions
    x = {"shape": [2, 4, 8, 8], "layout": {"strides": [256, 64, 8, 1]}, "dtype": "float32"}
    rows: tuple[Any, ...] = (
        ("conv", "Conv", ["x", "w"], ["a"], {"pads": [1, 1, 1, 1]}),
        ("act", "Relu", ["a"], ["b"], {}),
        ("flat", "Reshape", ["b", "sizes"], ["c"], {}),
    )
    keys = ("name", "op", "inputs", "outputs", "attributes")
    assert found.graph.json == {
        "inputs": {"x": x},
        "constants": {
            "w": {"shape": [8, 4, 3, 3], "dtype": "float32"},
            "sizes": {"shape": [2], "dtype": "int64", "values": [0, -1]},
        },
        "nodes": [dict(zip(keys, row, strict=True)) for row in rows],
        "outputs": ["c"],
    }
    assert shape_of(found, "c") == (2, 512)
    again = NetworkGraph.model_validate(found.graph.json).parse()
    assert again.types == found.graph.types


NEWEST = onnx.defs.onnx_opset_version()


@pytest.mark.parametrize("opset", range(7, NEWEST + 1))
def test_every_opset_of_the_contract(opset: int) -> None:
    # A newer library needs a look at what changed: docs/Changelog.md of onnx/onnx.
    assert opset <= onnx_model.NEWEST_READ
    found = read_network(small(opset=opset).SerializeToString())
    assert len(found.graph.nodes) == 3
    assert not found.unknown


@pytest.mark.parametrize(
    ("opset", "node", "attributes", "shape"),
    [
        (7, "Slice x -> y", {"starts": [1], "ends": [9], "axes": [3]}, (2, 4, 6, 7)),
        (12, "Squeeze u -> y", {"axes": [0]}, (8,)),
        (11, "Unsqueeze x -> y", {"axes": [0, 5]}, (1, 2, 4, 6, 8, 1)),
        (12, "Split x -> y rest", {"split": [1, 3], "axis": 1}, (2, 1, 6, 8)),
        (7, "Pad x -> y", {"pads": [0, 0, 1, 1, 0, 0, 1, 1], "value": 0.5}, (2, 4, 8, 10)),
        (10, "Clip x -> y", {"max": 6.0}, (2, 4, 6, 8)),
        (7, "Dropout x -> y", {"ratio": 0.5}, (2, 4, 6, 8)),
        (7, "TopK x -> y at", {"k": 3}, (2, 4, 6, 3)),
        (7, "Upsample x -> y", {"scales": [1.0, 1.0, 2.0, 2.0]}, (2, 4, 12, 16)),
        (9, "Upsample x doubled -> y", {}, (2, 4, 12, 16)),
        (10, "Resize x doubled -> y", {}, (2, 4, 12, 16)),
        (11, "ReduceSum x -> y", {"axes": [1], "keepdims": 0}, (2, 6, 8)),
        (9, "Scatter x places x -> y", {}, (2, 4, 6, 8)),
        (23, "Attention x x x -> y key", {}, (2, 4, 6, 8)),
        (24, "Attention x x x - x x -> z y", {}, (2, 4, 12, 8)),
        (26, "CumProd x axis -> y", {}, (2, 4, 6, 8)),
        (28, "SpaceToDepth x -> y", {"blocksize": 2, "mode": "CRD"}, (2, 16, 3, 4)),
    ],
)
def test_operators_as_older_and_newer_opsets_write_them(
    opset: int, node: str, attributes: dict[str, Any], shape: tuple[int, ...]
) -> None:
    doubled = numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "doubled")
    made = model(
        [op(node, **attributes)],
        [value("x", [2, 4, 6, 8]), value("u", [1, 8])],
        [value("y", None)],
        [doubled, integers("axis", 1), integers("places", 0)],
        opset=opset,
    )
    found = read_network(made.SerializeToString())
    assert not found.unknown
    assert shape_of(found, "y") == shape
    assert NetworkGraph.model_validate(found.graph.json).parse().types == found.graph.types


@pytest.mark.parametrize(
    ("opset", "newest", "said"),
    [
        (13, NEWEST, "Opset 13 has no operator Gelu."),
        (20, 19, "Gelu changed in opset 20; it is known here up to opset 19."),
    ],
)
def test_an_operator_without_a_known_meaning_in_this_opset_is_kept_by_name(
    opset: int, newest: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.files.onnx.model.NEWEST_READ", newest)
    made = model([op("Gelu x -> y")], [value("x", [2])], [value("y", [2])], opset=opset)
    found = read_network(made.SerializeToString())
    assert [(each["op"], each["reason"]) for each in found.unknown] == [
        ("ai.onnx:Gelu", f"{said} It is kept in plain layouts.")
    ]
    assert shape_of(found, "y") == (2,)


def test_constant_nodes_and_listed_initializers_are_constants() -> None:
    nodes = [
        op("Constant -> axes", value_ints=[1]),
        op("Constant -> unread", value_float=2.0),
        op("Constant -> k", value=integers("any", 3, 2)),
        *map(op, ("Unsqueeze x axes -> y", "Mul y w -> z", "Reshape x k -> r")),
    ]
    made = model(nodes, [value("x", [2, 3]), value("w", [3])], [value("z", None)], [weight("w", 3)])
    found = read_network(made.SerializeToString())
    assert list(found.graph.inputs) == ["x"]
    assert set(found.graph.constants) == {"axes", "w", "k"}
    assert shape_of(found, "z") == (2, 1, 3)


def test_unknown_operators_keep_their_name_and_the_shapes_that_the_file_tells() -> None:
    nodes = [op("com.acme:Strange x -> a", level=3), op("relu a -> b"), op("Relu a -> c")]
    outputs = [value("c", None), value("b", None)]
    more: Any = {"value_info": [value("a", [2, 5])]}
    made = model(nodes, [value("x", [2, 3])], outputs, **more)
    found = read_network(made.SerializeToString())
    assert [each["op"] for each in found.unknown] == ["com.acme:Strange", "ai.onnx:relu"]
    told = {"level": 3, "output_shapes": [[2, 5]], "output_dtypes": ["float32"]}
    assert found.graph.json["nodes"][0]["attributes"] == told
    again = NetworkGraph.model_validate(found.graph.json).parse()
    assert getattr(again.types["c"], "shape", None) == (2, 5)


def test_functions_are_inlined() -> None:
    body, opsets = [op("Relu a -> b"), op("Neg b -> c")], [helper.make_opsetid("", 17)]
    more: Any = {"functions": [helper.make_function("local", "Act", ["a"], ["c"], body, opsets)]}
    nodes = [op("local:Act x -> y"), op("local:Act y -> z")]
    made = model(nodes, [value("x", [2, 3])], [value("z", None)], **more)
    found = read_network(made.SerializeToString())
    assert [node.op for node in found.graph.nodes] == ["Relu", "Neg", "Relu", "Neg"]


def test_the_decisions_that_onnx_runtime_wrote_into_a_file() -> None:
    # The nodes are those that ONNX Runtime 1.31 saved of such a network.
    plain: dict[str, Any] = {"group": 1, "auto_pad": "NOTSET", "pads": [1] * 4}
    halved: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        op(f"{BLOCKED}:Conv x w0 -> r0", name="b_nchwc", activation="Relu", **plain),
        op(f"{BLOCKED}:Conv r0 w1 - r0 -> r1", name="c_nchwc", **plain),
        op(f"{BLOCKED}:MaxPool r1 -> r2", name="p_nchwc", **halved),
        op(f"{BLOCKED}:ReorderOutput r2 -> e", name="out", channels=24, channels_last=0),
        op("Softmax e -> f", axis=1),
        op(f"{BLOCKED}:ReorderInput f -> r3", name="in"),
    ]
    weights = [weight("w0", 32, 3, 3, 3), weight("w1", 32, 32, 3, 3)]
    made = model(nodes, [value("x", [1, 3, 32, 32])], [value("r3", None)], weights)
    found = read_network(made.SerializeToString())
    assert [(d.node, d.tensor, d.source, d.target) for d in found.decisions] == [
        ("out", "e", "NCHWc", "NCHW"),
        ("in", "f", "NCHW", "NCHWc"),
    ]
    assert shape_of(found, "r2") == (1, 32, 16, 16)
    assert shape_of(found, "f") == (1, 24, 16, 16)
    assert [each["op"] for each in found.unknown][:2] == [f"{BLOCKED}:Conv"] * 2
    assert "NCHWc" in found.unknown[0]["reason"]


def test_weights_beside_the_file_are_taken_by_their_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = small()
    for tensor in made.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="../../etc/passwd")
    made.graph.output[0].CopyFrom(value("c", [1, 512]))
    monkeypatch.setattr(Path, "open", None)
    monkeypatch.setattr("builtins.open", None)
    found = read_network(made.SerializeToString())
    assert found.graph.constants["w"].layout.shape == (8, 4, 3, 3)
    assert found.graph.json["constants"]["c.shape"]["values"] == [1, 512]
    assert "passwd" not in str(found)


def test_a_branch_is_kept_by_name() -> None:
    branch = helper.make_graph([op("Relu x -> z")], "b", [], [value("z", [2])])
    node = op("If c -> y", then_branch=branch, else_branch=branch)
    made = model([node], [value("c", [], TensorProto.BOOL), value("x", [2])], [value("y", [2])])
    found = read_network(made.SerializeToString())
    assert found.unknown[0]["op"] == "If"
    assert found.graph.json["nodes"][0]["attributes"]["then_branch"] == "a graph"
