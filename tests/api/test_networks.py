"""/propagate: golden graphs through the API, texts that read back, errors that name their place."""

import copy
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.engine import parse_layout
from app.engine.network.rules import RULE_SETS
from tests.api.refusals.problems import assert_problem
from tests.places import golden_rows

Json = dict[str, Any]


def propagate(client: TestClient, graph: Json, rules: str = "pytorch-eager") -> Json:
    response = client.post("/api/v1/propagate", json={"graph": graph, "rules": rules})
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def test_golden_graphs_of_pytorch(client: TestClient) -> None:
    for row in golden_rows("torch_graphs")[::8]:
        answer = propagate(client, row["graph"])
        tensors = answer["tensors"]
        for name, expected in row["expected"].items():
            found = tensors[name]
            assert {key: found[key] for key in expected} == expected
            text = parse_layout(found["layout"], found["shape"])
            assert list(text.strides or ()) == found["strides"]
            assert text.offset == found["offset"]
            assert ("of" in found) == found["view"]
        assert [each["op"] for each in answer["nodes"]] == [
            each["op"] for each in row["graph"]["nodes"]
        ]
        assert answer["bytes"] == sum(each["bytes"] for each in answer["reorders"])


_GRAPH: Json = {
    "inputs": {"x": {"shape": [2, 8, 6, 6], "layout": "NHWC"}},
    "constants": {"w": {"shape": [16, 8, 3, 3]}},
    "nodes": [
        {"op": "conv2d", "inputs": ["x", "w"], "outputs": ["a"], "attributes": {"padding": 1}},
        {"op": "softmax", "inputs": ["a"], "outputs": ["b"], "attributes": {"dim": 1}},
        {"op": "permute", "inputs": ["b"], "outputs": ["c"], "attributes": {"dims": [0, 2, 3, 1]}},
    ],
}


def test_an_answer_in_full(client: TestClient) -> None:
    answer = propagate(client, _GRAPH)
    assert answer["tensors"]["a"] == {
        "shape": [2, 16, 6, 6],
        "dtype": "float32",
        "layout": "pytorch:channels_last",
        "kind": "last",
        "short": "NHWC",
        "strides": [576, 1, 96, 16],
        "offset": 0,
        "view": False,
    }
    assert answer["tensors"]["c"]["of"] == "b"
    assert answer["verified"] is True
    assert "pytorch/pytorch" in answer["source"]
    prepared, moved = answer["reorders"]
    assert (prepared["tensor"], prepared["prepared"]) == ("w", True)
    assert (prepared["readers"], prepared["bytes"]) == (["a"], 2 * 16 * 8 * 9 * 4)
    assert moved == {
        "tensor": "a",
        "source_layout": {"layout": "NHWC", "kind": "last", "short": "NHWC"},
        "target_layout": {"layout": "NCHW", "kind": "plain", "short": "NCHW"},
        "source": "channels_last",
        "target": "contiguous",
        "before": "b",
        "after": "a",
        "readers": ["b"],
        "prepared": False,
        "bytes": 2 * 2 * 16 * 36 * 4,
    }
    assert [each.get("lost") for each in answer["nodes"]] == [None, "channels_last", None]


def test_an_input_that_is_not_taken_as_given_says_so(client: TestClient) -> None:
    graph: Json = {
        "inputs": {"x": {"shape": [1, 16, 8, 8], "layout": "NHWC", "dtype": "float32"}},
        "nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["y"]}],
    }
    x = propagate(client, graph, "onnxruntime-cpu")["tensors"]["x"]
    assert (x["short"], x["reason"].partition(";")[0]) == (
        "NCHW",
        "ONNX Runtime takes tensors in row-major order",
    )
    assert "reason" not in propagate(client, graph)["tensors"]["x"]


def test_what_is_not_known_is_null_with_its_reason(client: TestClient) -> None:
    graph = copy.deepcopy(_GRAPH)
    graph["nodes"][1]["op"] = "my_operator"
    answer = propagate(client, graph)
    assert answer["tensors"]["b"]["layout"] is None
    assert "not in the catalogue" in answer["tensors"]["b"]["reason"]
    assert answer["tensors"]["c"]["shape"] is None
    graph["nodes"][1]["attributes"] = {"output_shapes": [[2, 16, 6, 6]]}
    assert propagate(client, graph)["tensors"]["c"]["strides"] == [576, 6, 1, 36]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rules": "my-own"}, "rules"),
        ({"options": {"block": 8}}, "options"),
        ({"nodes.0.inputs": ["x", "nothing"]}, "graph.nodes[0].inputs[1]"),
        ({"nodes.2.outputs": ["a"]}, "graph.nodes[2].outputs[0]"),
        ({"nodes.1.attributes": {"dim": 4}}, "graph.nodes[1].attributes.dim"),
        ({"nodes.1.op": 3}, "graph.nodes[1].op"),
        ({"nodes.1.colour": 3}, "graph.nodes[1].?"),
        ({"inputs": {"x": {"shape": [2, 8, 6, 6], "layout": "NCHW4"}}}, "graph.inputs.x.layout"),
        ({"outputs": ["z"]}, "graph.outputs[0]"),
        ({"nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["y"]}] * 20_001}, "graph.nodes"),
    ],
)
def test_errors_name_the_node_and_the_field(client: TestClient, change: Json, field: str) -> None:
    body: Json = {"graph": copy.deepcopy(_GRAPH), "rules": "pytorch-eager"}
    for path, value in change.items():
        target: Any = body if path in {"rules", "options"} else body["graph"]
        *parents, last = path.split(".")
        for part in parents:
            target = target[int(part) if part.isdigit() else part]
        target[last] = value
    assert_problem(client.post("/api/v1/propagate", json=body), 422, field)


RELU: Json = {"op": "relu", "inputs": ["x"], "outputs": ["y"]}
SMALL: dict[str, Json] = {
    "nothing": {"inputs": {}, "nodes": []},
    "no elements": {"inputs": {"x": {"shape": [1, 0, 2, 2], "layout": "NCHW"}}, "nodes": []},
    "one element": {"inputs": {"x": {"shape": [], "layout": {"strides": []}}}, "nodes": [RELU]},
    "unknown and broadcast": {
        "inputs": {"x": {"shape": [3], "layout": {"strides": [0]}}},
        "nodes": [{**RELU, "op": "wobble"}],
    },
}


@pytest.mark.parametrize("name", SMALL)
def test_small_graphs_are_answered_by_every_call(client: TestClient, name: str) -> None:
    for call in ("arrange", "plan"):
        assert client.post(f"/api/v1/{call}", json={"graph": SMALL[name]}).status_code == 200
    for rules in RULE_SETS:
        propagate(client, SMALL[name], rules)
