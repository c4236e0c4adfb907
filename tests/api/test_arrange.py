"""/arrange and /offers: networks as drawings, and the ways to run a node, through the API."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from app.engine.network.examples import find_example
from tests.api.refusals.problems import assert_problem

Json = dict[str, Any]
GRAPH: Json = {
    "inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NHWC"}},
    "nodes": [
        {"op": "relu", "inputs": ["x"], "outputs": ["a"]},
        {"op": "add", "inputs": ["a", "x"], "outputs": ["b"]},
    ],
}


def test_a_plan_s_ways_come_from_its_offers(client: TestClient) -> None:
    graph = find_example("residual-block").json
    ways = client.post("/api/v1/offers", json={"graph": graph, "node": "conv1"}).json()["ways"]
    assert {way["outputs"][0] for way in ways} >= {"NHWC", "NCHW16"}
    for way in ways:
        body = {"graph": graph, "choices": {"conv1": [way]}}
        plan = client.post("/api/v1/plan", json=body).json()
        assert plan["nodes"]["conv1"] == way


STRANGE = {"tensor": "a", "readers": ["a"]}
MANY = [{"op": "relu", "inputs": ["x"], "outputs": [f"t{k}"]} for k in range(3001)]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("arrange", {"graph": GRAPH, "reorders": [{"tensor": "q"}]}, "reorders[0].tensor"),
        ("arrange", {"graph": GRAPH, "reorders": [STRANGE]}, "reorders[0].readers[0]"),
        ("arrange", {"graph": GRAPH, "aspect": 0}, "aspect"),
        ("arrange", {"graph": {**GRAPH, "nodes": MANY}}, "graph.nodes"),
        ("offers", {"graph": GRAPH, "node": "q"}, "node"),
    ],
)
def test_errors_name_the_field(client: TestClient, path: str, body: Json, field: str) -> None:
    assert_problem(client.post(f"/api/v1/{path}", json=body), 422, field)
