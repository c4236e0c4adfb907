"""Networks from .onnx files: what is read, and every way in which a file can be wrong."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.contract.networks import NetworkGraph
from app.engine import LayoutError
from app.engine.network import TensorType
from app.files.onnx import MissingLibraryError, opsets, read_network
from tests.files.onnx.models import FLOAT, integers, model, op, small, value, weight

BLOCKED = "com.microsoft.nchwc"


def shape_of(kind: TensorType | object) -> tuple[int, ...]:
    assert isinstance(kind, TensorType)
    return kind.shape


def refused(made: onnx.ModelProto | bytes, field: str) -> LayoutError:
    data = made if isinstance(made, bytes) else made.SerializeToString()
    with pytest.raises(LayoutError) as caught:
        read_network(data)
    assert caught.value.field == field
    assert len(str(caught.value)) < 400
    return caught.value


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
    assert found.json == {
        "inputs": {"x": x},
        "constants": {
            "w": {"shape": [8, 4, 3, 3], "dtype": "float32"},
            "sizes": {"shape": [2], "dtype": "int64", "values": [0, -1]},
        },
        "nodes": [dict(zip(keys, row, strict=True)) for row in rows],
        "outputs": ["c"],
    }
    assert shape_of(found.graph.types["c"]) == (2, 512)
    again = NetworkGraph.model_validate(found.json).parse()
    assert again.types == found.graph.types


NEWEST = onnx.defs.onnx_opset_version()


@pytest.mark.parametrize("opset", range(7, NEWEST + 1))
def test_every_opset_of_the_contract(opset: int) -> None:
    found = read_network(small(opset=opset).SerializeToString())
    assert len(found.graph.nodes) == 3
    assert not found.unknown


@pytest.mark.parametrize("opset", [6, NEWEST + 1])
def test_other_opsets_are_refused(opset: int) -> None:
    error = refused(small(opset=opset), "opset_import[0].version")
    assert f"from 7 to {NEWEST}" in error.message


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
    assert shape_of(found.graph.types["y"]) == shape
    assert NetworkGraph.model_validate(found.json).parse().types == found.graph.types


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
    monkeypatch.setattr("app.files.onnx.opsets.NEWEST_READ", newest)
    made = model([op("Gelu x -> y")], [value("x", [2])], [value("y", [2])], opset=opset)
    found = read_network(made.SerializeToString())
    assert [(each["op"], each["reason"]) for each in found.unknown] == [
        ("ai.onnx:Gelu", f"{said} It is kept in plain layouts.")
    ]
    assert shape_of(found.graph.types["y"]) == (2,)


def test_opsets_are_known_as_far_as_the_library_goes() -> None:
    """A newer library needs a look at what changed: docs/Changelog.md of onnx/onnx."""
    assert opsets.NEWEST_READ >= NEWEST


def test_constant_nodes_and_listed_initializers_are_constants() -> None:
    nodes = [
        op("Constant -> axes", value_ints=[1]),
        op("Constant -> unread", value_float=2.0),
        op("Unsqueeze x axes -> y"),
        op("Mul y w -> z"),
    ]
    made = model(nodes, [value("x", [2, 3]), value("w", [3])], [value("z", None)], [weight("w", 3)])
    found = read_network(made.SerializeToString())
    assert list(found.graph.inputs) == ["x"]
    assert set(found.graph.constants) == {"axes", "w"}
    assert shape_of(found.graph.types["z"]) == (2, 1, 3)


def test_unknown_operators_keep_their_name_and_the_shapes_that_the_file_tells() -> None:
    nodes = [
        op("com.acme:Strange x -> a", name="odd", level=3),
        op("relu a -> b", name="lower"),
        op("Relu a -> c", name="act"),
    ]
    made = model(
        nodes,
        [value("x", [2, 3])],
        [value("c", None), value("b", None)],
        domains=["com.acme"],
        value_info=[value("a", [2, 5])],
    )
    found = read_network(made.SerializeToString())
    assert [each["op"] for each in found.unknown] == ["com.acme:Strange", "ai.onnx:relu"]
    told = {"level": 3, "output_shapes": [[2, 5]], "output_dtypes": ["float32"]}
    assert found.json["nodes"][0]["attributes"] == told
    again = NetworkGraph.model_validate(found.json).parse()
    assert shape_of(again.types["c"]) == (2, 5)


def test_a_shape_that_the_network_computes_is_taken_from_the_result() -> None:
    nodes = [op("my:Sizes x -> s"), op("Reshape x s -> y")]
    made = model(nodes, [value("x", [2, 3])], [value("y", [2, 3])], domains=["my"])
    found = read_network(made.SerializeToString())
    shape = {"shape": [2], "dtype": "int64", "values": [2, 3]}
    assert found.json["constants"] == {"y.shape": shape}


def test_functions_are_inlined() -> None:
    act = helper.make_function(
        "local",
        "Act",
        ["a"],
        ["c"],
        [op("Relu a -> b"), op("Neg b -> c")],
        [helper.make_opsetid("", 17)],
    )
    nodes = [op("local:Act x -> y"), op("local:Act y -> z")]
    made = model(
        nodes, [value("x", [2, 3])], [value("z", None)], domains=["local"], functions=[act]
    )
    found = read_network(made.SerializeToString())
    assert [node.op for node in found.graph.nodes] == ["Relu", "Neg", "Relu", "Neg"]


def _functions(count: int, *, circle: bool) -> onnx.ModelProto:
    """Each function calls the next one twice; the last one the first, or nothing."""
    functions = []
    for i in range(count):
        last = i == count - 1
        called = "Relu" if last and not circle else f"f{(i + 1) % count}"
        domain = "" if called == "Relu" else "local"
        body = [op(f"{domain}:{called} {a} -> {b}") for a, b in ("ab", "bc")]
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
        functions.append(helper.make_function("local", f"f{i}", ["a"], ["c"], body, opsets))
    call = op("local:f0 x -> y")
    return model(
        [call], [value("x", [2])], [value("y", None)], domains=["local"], functions=functions
    )


@pytest.mark.parametrize("count", [1, 2, 500])
def test_functions_that_call_themselves_are_refused(count: int) -> None:
    refused(_functions(count, circle=True), f"functions[{count - 1}].node")


def test_functions_that_grow_exponentially_are_refused() -> None:
    refused(_functions(40, circle=False), "functions")


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
    made = model(
        nodes, [value("x", [1, 3, 32, 32])], [value("r3", None)], weights, domains=[BLOCKED]
    )
    found = read_network(made.SerializeToString())
    assert [(d.node, d.tensor, d.source, d.target) for d in found.decisions] == [
        ("out", "e", "NCHWc", "NCHW"),
        ("in", "f", "NCHW", "NCHWc"),
    ]
    assert shape_of(found.graph.types["r2"]) == (1, 32, 16, 16)
    assert shape_of(found.graph.types["f"]) == (1, 24, 16, 16)
    assert [each["op"] for each in found.unknown][:2] == [f"{BLOCKED}:Conv"] * 2
    assert "NCHWc" in found.unknown[0]["reason"]


def test_sizes_that_the_file_does_not_leave_open_are_refused() -> None:
    for sizes in ({"length": 4}, {"batch": -1}, {"batch": 0}, {"batch": 2**63}):
        with pytest.raises(LayoutError) as caught:
            read_network(small().SerializeToString(), sizes)
        assert caught.value.field == f"sizes.{next(iter(sizes))}"


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
    assert found.json["constants"]["c.shape"]["values"] == [1, 512]
    assert "passwd" not in str(found)


def test_sizes_beyond_the_file_are_refused_before_anything_is_allocated() -> None:
    made = small()
    made.graph.initializer[0].dims[:] = [1 << 40, 4, 3, 3]
    refused(made, "graph.initializer[0]")
    made.graph.initializer[0].ClearField("raw_data")
    refused(made, "graph.initializer[0]")
    made.graph.initializer[0].dims[:] = [-1]
    refused(made, "graph.initializer[0]")
    made = small()
    del made.graph.initializer[1].dims[:]
    made.graph.initializer[1].dims.extend([2] * 3)
    refused(made, "graph.initializer[1]")


def test_a_truncated_file_is_refused_at_every_place() -> None:
    made = small(value_info=[value("a", [1, 8, 8, 8])])
    made.graph.initializer[0].CopyFrom(weight("w", 1, 4, 1, 1))
    data = made.SerializeToString()
    places = set()
    for end in range(len(data)):
        try:
            read_network(data[:end])
        except LayoutError as error:
            places.add(error.field)
        else:  # what came is a complete model: only the list of opsets may be cut at its end
            assert end > len(data) - 8
    assert {"body", "graph", "graph.node[0].attribute[0]", "graph.initializer[0]"} <= places


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00", b"\xff" * 100, b"PK\x03\x04" * 9, b"{}", b"\x3a\x00", b"\x08\x08", bytes(4096)],
)
def test_other_files_are_refused(data: bytes) -> None:
    refused(data, "body")


def test_text_that_is_not_utf8_is_refused() -> None:
    data = small().SerializeToString().replace(b"Relu", b"Re\xff\xfe")
    refused(data, "graph.node[1].op_type")


def test_many_nodes_are_refused_without_memory() -> None:
    node = op("Relu x -> y").SerializeToString()
    graph = (b"\x0a" + bytes([len(node)]) + node) * 100_000
    data = b"\x3a" + _length(len(graph)) + graph
    tracemalloc.start()
    refused(data, "graph")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 << 20


def test_millions_of_empty_messages_are_refused() -> None:
    empty = b"\x2a\x00" * (2 << 20)  # attributes of one node
    node = b"\x0a" + _length(len(empty)) + empty
    data = b"\x3a" + _length(len(node)) + node
    refused(data, "body")


def _length(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def test_deep_graphs_are_refused() -> None:
    inner = helper.make_graph([], "g", [], [])
    for _ in range(30):
        node = op("If x -> y")
        node.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH, g=inner)
        inner = helper.make_graph([node], "g", [], [])
    made = model([], [], [])
    made.graph.CopyFrom(inner)
    error = refused(made.SerializeToString(), _place_of_depth(made))
    assert "deep" in error.message


def _place_of_depth(made: onnx.ModelProto) -> str:
    with pytest.raises(LayoutError) as caught:
        read_network(made.SerializeToString())
    assert caught.value.field.startswith("graph.node[0].attribute[0].g.node[0]")
    return caught.value.field


def test_a_branch_is_kept_by_name() -> None:
    branch = helper.make_graph([op("Relu x -> z")], "b", [], [value("z", [2])])
    node = op("If c -> y", then_branch=branch, else_branch=branch)
    made = model([node], [value("c", [], TensorProto.BOOL), value("x", [2])], [value("y", [2])])
    found = read_network(made.SerializeToString())
    assert found.unknown[0]["op"] == "If"
    assert found.json["nodes"][0]["attributes"]["then_branch"] == "a graph"


def _relu(*pairs: tuple[str, str]) -> list[onnx.NodeProto]:
    return [op(f"Relu {a} -> {b}") for a, b in pairs]


@pytest.mark.parametrize(
    ("nodes", "field"),
    [
        (_relu(("x", "a"), ("b", "c"), ("c", "b")), "graph.node[1].input[0]"),
        (_relu(("x", "a"), ("a", "b"), ("q", "c")), "graph.node[2].input[0]"),
        (_relu(("x", "a"), ("x", "a")), "graph.node[1].output[0]"),
        (_relu(("x", "a"), ("a", "x")), "graph.node[1].output[0]"),
        ([op("Constant -> k"), *_relu(("x", "a"), ("q", "b"))], "graph.node[0].attribute"),
        ([op("Constant -> k", value_int=1), *_relu(("q", "b"))], "graph.node[1].input[0]"),
        ([op("Softmax x -> a", axis=7)], "graph.node[0].attribute.axis"),
        ([op("Conv x x -> a")], "graph.node[0].input[0]"),
        ([op("Slice x -> a", starts="one", ends=[1])], "graph.node[0].input[1]"),
        ([op("Relu -> a")], "graph.node[0].inputs"),
        ([op(f"Relu x -> {'n' * 5000}")], "graph.node[0].output[0]"),
    ],
)
def test_wrong_graphs_name_the_node_and_the_field(nodes: list[onnx.NodeProto], field: str) -> None:
    refused(model(nodes, [value("x", [2, 3])], []), field)


def test_wrong_inputs_and_outputs_are_named() -> None:
    refused(model([], [value("x", None)], []), "graph.input[0].type")
    refused(model([], [value("x", [2], TensorProto.STRING)], []), "graph.input[0].data_type")
    refused(model([], [value("x", [-2])], []), "graph.input[0].type.shape.dim[0]")
    refused(model([], [value("x", [1 << 62, 1 << 62])], []), "graph.input[0].dims")
    refused(model([], [value("x", [2]), value("x", [2])], []), "graph.input[1].name")
    refused(model([], [value("x", [2])], [value("y", [2])]), "graph.output[0]")
    refused(model([], [], [], [integers("k", 1), integers("k", 1)]), "graph.initializer[1].name")


def test_weights_are_not_parsed() -> None:
    made = small()
    made.graph.initializer.append(
        helper.make_tensor("large", FLOAT, [1 << 20], bytes(4 << 20), raw=True)
    )
    data = made.SerializeToString()
    tracemalloc.start()
    read_network(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = small().SerializeToString()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingLibraryError, match=r"stridescope\[onnx\]"):
        read_network(data)
