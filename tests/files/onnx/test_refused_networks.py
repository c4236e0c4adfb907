"""Files .onnx that are refused: each with the field that is wrong, in little memory and time."""

import sys
import tracemalloc

import onnx
import pytest
from onnx import TensorProto, helper

from app.engine import LayoutError
from app.files.onnx import MissingLibraryError, read_network
from tests.files.onnx.models import FLOAT, integers, model, op, small, value, weight

_NEWEST = onnx.defs.onnx_opset_version()


def refused(made: onnx.ModelProto | bytes, field: str) -> LayoutError:
    data = made if isinstance(made, bytes) else made.SerializeToString()
    with pytest.raises(LayoutError) as caught:
        read_network(data)
    assert caught.value.field == field
    assert len(str(caught.value)) < 400
    return caught.value


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
    return model([call], [value("x", [2])], [value("y", None)], functions=functions)


@pytest.mark.parametrize("count", [1, 500])
def test_functions_that_call_themselves_are_refused(count: int) -> None:
    refused(_functions(count, circle=True), f"functions[{count - 1}].node")


def test_functions_that_grow_exponentially_are_refused() -> None:
    refused(_functions(40, circle=False), "functions")


def test_sizes_that_the_file_does_not_leave_open_are_refused() -> None:
    for sizes in ({"length": 4}, {"batch": 0}, {"batch": 2**63}):
        with pytest.raises(LayoutError) as caught:
            read_network(small().SerializeToString(), sizes)
        assert caught.value.field == f"sizes.{next(iter(sizes))}"


def test_sizes_beyond_the_file_are_refused_before_anything_is_allocated() -> None:
    made = small()
    for dims in ([1 << 40, 4, 3, 3], [-1]):
        made.graph.initializer[0].dims[:] = dims
        refused(made, "graph.initializer[0]")
        made.graph.initializer[0].ClearField("raw_data")
    made = small()
    made.graph.initializer[1].dims[:] = [2] * 3
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


NUMBER_FOR_THE_GRAPH = small().SerializeToString() + b"\x38\x01"
OTHERS = [b"", b"\x00", b"\xff" * 100, b"PK\x03\x04" * 9, b"{}", b"\x3a\x00", b"\x08\x08"]


@pytest.mark.parametrize("data", [*OTHERS, bytes(4096), NUMBER_FOR_THE_GRAPH], ids=range(9))
def test_other_files_are_refused(data: bytes) -> None:
    refused(data, "body")


def test_many_nodes_are_refused_without_memory() -> None:
    node = op("Relu x -> y").SerializeToString()
    graph = (b"\x0a" + bytes([len(node)]) + node) * 40_000
    data = b"\x3a" + _length(len(graph)) + graph
    tracemalloc.start()
    refused(data, "graph")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


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
    with pytest.raises(LayoutError, match="deep") as caught:
        read_network(made.SerializeToString())
    assert caught.value.field.startswith("graph.node[0].attribute[0].g.node[0]")


def _relu(*pairs: tuple[str, str]) -> list[onnx.NodeProto]:
    return [op(f"Relu {a} -> {b}") for a, b in pairs]


@pytest.mark.parametrize(
    ("nodes", "field"),
    [
        (_relu(("x", "a"), ("b", "c"), ("c", "b")), "graph.node[1].input[0]"),
        (_relu(("x", "a"), ("x", "a")), "graph.node[1].output[0]"),
        (_relu(("x", "a"), ("a", "x")), "graph.node[1].output[0]"),
        ([op("Constant -> k"), *_relu(("x", "a"), ("q", "b"))], "graph.node[0].attribute"),
        ([op("Softmax x -> a", axis=7)], "graph.node[0].attribute.axis"),
        ([op("Conv x x -> a")], "graph.node[0].input[0]"),
        ([op("Slice x -> a", starts="one", ends=[1])], "graph.node[0].input[1]"),
        ([op("Relu -> a")], "graph.node[0].inputs"),
        ([op(f"Relu x -> {'n' * 5000}")], "graph.node[0].output[0]"),
    ],
)
def test_wrong_graphs_name_the_node_and_the_field(nodes: list[onnx.NodeProto], field: str) -> None:
    refused(model(nodes, [value("x", [2, 3])], []), field)


def test_wrong_inputs_outputs_and_texts_are_named() -> None:
    refused(small().SerializeToString().replace(b"Relu", b"Re\xff\xfe"), "graph.node[1].op_type")
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


@pytest.mark.parametrize("opset", [6, _NEWEST + 1])
def test_other_opsets_are_refused(opset: int) -> None:
    error = refused(small(opset=opset), "opset_import[0].version")
    assert f"from 7 to {_NEWEST}" in error.message
