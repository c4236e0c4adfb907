"""/plan and /networks through the API."""

import copy
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.engine.network import RULE_SETS
from app.engine.network.examples import EXAMPLES
from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem

Json = dict[str, Any]

_BODY: Json = {
    "graph": {
        "inputs": {"x": {"shape": [1, 32, 8, 8], "layout": "NCHW"}},
        "constants": {"w": {"shape": [32, 32, 3, 3]}},
        "nodes": [
            {
                "op": "conv2d",
                "inputs": ["x", "w"],
                "outputs": ["a"],
                "attributes": {"padding": 1},
                "name": "conv",
            },
            {"op": "relu", "inputs": ["a"], "outputs": ["b"], "name": "act"},
            {"op": "add", "inputs": ["b", "x"], "outputs": ["c"], "name": "join"},
        ],
    },
    "choices": {
        "conv2d": [
            {"inputs": ["NHWC"], "outputs": ["NHWC"]},
            {"inputs": ["NCHW"], "outputs": ["NCHW"], "cost": 40000},
        ],
        "join": [{"inputs": ["NHWC", "NHWC"], "outputs": ["NHWC"]}],
    },
}
_COPY = 2 * 32 * 8 * 8 * 4
_PATIENCE_S = 120  # so that a busy machine does not run out of time


def planned(client: TestClient, body: Json) -> Json:
    response = client.post("/api/v1/plan", json=body)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def _reorder(tensor: str, source: Json, target: Json) -> Json:
    return {
        "tensor": tensor,
        "source_layout": source,
        "target_layout": target,
        "source": source["layout"],
        "target": target["layout"],
        "before": None,
        "after": None,
        "readers": [],
        "prepared": False,
        "bytes": _COPY,
    }


def test_an_answer_in_full(client: TestClient) -> None:
    answer = planned(client, _BODY)
    baselines, layouts = answer.pop("baselines"), answer.pop("layouts")
    plain = {"layout": "NCHW", "kind": "plain", "short": "NCHW"}
    last = {"layout": "NHWC", "kind": "last", "short": "NHWC"}
    weight = {"layout": "OIHW", "kind": "plain", "short": "OIHW"}
    assert layouts == {"x": plain, "w": weight, "a": last, "b": last, "c": last}
    assert answer == {
        "tensors": {
            "x": ["NCHW", "NHWC"],
            "w": ["OIHW"],
            "a": ["NHWC"],
            "b": ["NHWC"],
            "c": ["NHWC", "NCHW"],
        },
        "nodes": {
            "conv": {"inputs": ["NHWC", None], "outputs": ["NHWC"], "cost": 0},
            "act": {"inputs": ["NHWC"], "outputs": ["NHWC"], "cost": 0},
            "join": {"inputs": ["NHWC", "NHWC"], "outputs": ["NHWC"], "cost": 0},
        },
        "reorders": [
            _reorder("x", plain, last) | {"before": "conv", "readers": ["conv", "join"]},
            _reorder("c", last, plain) | {"after": "join"},
        ],
        "cost": 2 * _COPY,
        "node_cost": 0,
        "prepared_bytes": 0,
        "outputs": {"c": "NCHW"},
        "bound": 2 * _COPY,
        "optimal": True,
        "left_out": [],
    }
    assert [each["name"] for each in baselines[:4]] == [
        "all NCHW",
        "all NHWC",
        "greedy",
        "beam of 1024",
    ]
    assert {each["name"] for each in baselines} >= set(RULE_SETS)
    assert all(each["cost"] >= 2 * _COPY for each in baselines[:4])
    as_it_is = planned(client, {**_BODY, "outputs": {"c": None}})
    assert (as_it_is["cost"], as_it_is["outputs"]) == (_COPY, {"c": None})


def test_examples_are_listed_and_cached(client: TestClient) -> None:
    response = client.get("/api/v1/networks")
    assert [each["name"] for each in response.json()["networks"]] == list(EXAMPLES)
    for path in ("networks", "networks/unet"):
        first = client.get(f"/api/v1/{path}")
        again = client.get(f"/api/v1/{path}", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
        assert client.head(f"/api/v1/{path}").status_code == 200
    assert_problem(client.get("/api/v1/networks/resnet50"), 404, "name")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"choices.conv2d.0.inputs": ["NCQ?"]}, "choices.conv2d[0].inputs[0]"),
        ({"choices.conv2d.0.inputs": [4]}, "choices.conv2d[0].inputs[0]"),
        ({"choices.conv2d.0.cost": -1}, "choices.conv2d[0].cost"),
        ({"choices.conv2d.1.price": 3}, "choices.conv2d[1].?"),
        ({"graph.inputs.x.layout": "NCQ"}, "graph.inputs.x.layout"),
        ({"outputs": {"c": "NCQ?"}}, "outputs.c"),
        ({"outputs": {"c": 4}}, "outputs.c"),
        ({"time_limit_s": 0}, "time_limit_s"),
        ({"time_limit_s": "5"}, "time_limit_s"),
        ({"rule": "pytorch-eager"}, "?"),
        ({"rules": "nobody"}, "rules"),
        ({"rules": "onednn", "options": {"isa": "neon"}}, "options.isa"),
        ({"options": {"isa": "avx2"}}, "rules"),
    ],
)
def test_errors_name_the_field(client: TestClient, change: Json, field: str) -> None:
    body = copy.deepcopy(_BODY)
    for path, value in change.items():
        target: Any = body
        *parents, last = path.split(".")
        for part in parents:
            target = target[int(part) if part.isdigit() else part]
        target[int(last) if last.isdigit() else last] = value
    assert_problem(client.post("/api/v1/plan", json=body), 422, field)


def test_the_time_limit_is_the_server_s() -> None:
    with TestClient(create_app(Settings(max_plan_seconds=_PATIENCE_S))) as patient:
        assert planned(patient, {**_BODY, "time_limit_s": _PATIENCE_S})["optimal"]
        refused = patient.post("/api/v1/plan", json={**_BODY, "time_limit_s": _PATIENCE_S + 1})
        assert_problem(refused, 422, "time_limit_s")
