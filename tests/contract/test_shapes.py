"""The documented shape of an answer is the answer's: in names, at every depth."""

import dataclasses
from typing import Any, TypedDict

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from app.contract import shapes
from app.contract.networks import NetworkGraph
from app.contract.operations import OPERATIONS
from app.engine import Description
from app.engine.network.examples import find_example

Json = dict[str, Any]
TENSOR = {"shape": [2, 6, 3, 5], "layout": "NCHW4"}
GOLDEN_LOG = (
    "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,"
    "src:f32::blocked:abcd::f0 dst:f32:p:blocked:aBcd16b::f0,attr-scratchpad:user,,2x8x21x16,10.9"
)
SWIZZLED = {"shape": [8, 8], "layout": "cute:Swizzle<2,0,3> o (8,8):(8,1)"}
CALLS: dict[str, list[Json]] = {
    "describe": [TENSOR, SWIZZLED, {"shape": [1, 1, 3, 5], "layout": "NHWC"}],
    "read": [{"text": "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"}],
    "run": [{"log": GOLDEN_LOG}, {"log": f"{GOLDEN_LOG}\n{GOLDEN_LOG}\nno line"}],
    "offsets": [{"tensor": TENSOR, "coordinates": [[0, 5, 0, 2]]}],
    "coordinates": [{"tensor": TENSOR, "offsets": [0, 300]}],
    "slice": [{"tensor": TENSOR, "index": "0, ::2"}, {"tensor": TENSOR, "index": ":, 1:6"}],
    "view": [
        {"tensor": TENSOR, "steps": [{"op": "flip", "dim": 2}]},
        {"tensor": TENSOR, "steps": [{"op": "reshape", "shape": [180]}]},
    ],
    "elementwise": [{"operands": [{"shape": [2, 3], "layout": "WH", "dims": "HW"}] * 2}],
    "propagate": [
        {
            "rules": "pytorch-eager",
            "graph": {
                "inputs": {"x": {"shape": [2, 8, 6, 6], "layout": "NHWC"}},
                "nodes": [
                    {"op": "softmax", "inputs": ["x"], "outputs": ["a"], "attributes": {"dim": 1}},
                    {"op": "t", "inputs": ["c"], "outputs": ["d"]},
                ],
                "constants": {"c": {"shape": [2, 3]}},
            },
        }
    ],
    "arrange": [{"graph": find_example("residual-block").json}],
    "offers": [{"graph": find_example("residual-block").json, "node": "conv1"}],
    "plan": [
        {"graph": find_example("int8-nchw4").json},
        {"graph": find_example("bert-layer").json},
    ],
    "cost": [
        {"tensor": TENSOR, "walk": {"order": "NHWC", "orders": True}},
        {"tensor": SWIZZLED, "warp": {"along": "H"}},
        {
            "tensor": {"shape": [32, 32], "layout": "HW"},
            "warp": {"along": ["H", "W"], "space": "shared", "suggest": True},
        },
    ],
    "reorder": [{"source": TENSOR, "target": "NCHW"}, {"source": TENSOR, "target": "NCHW8"}],
    "schedule": [
        {"source": TENSOR, "target": "NCHW8", "first": 2},
        {"source": TENSOR, "target": "NCHW6"},
    ],
}


def assert_documented(document: Json, schema: Json, value: Any, path: str) -> None:
    """Objects have exactly the documented members; one that may be absent is null by default."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if value is None:
            assert {"type": "null"} in schema["anyOf"], path
            return
        options = [option for option in schema["anyOf"] if option != {"type": "null"}]
        schema = next((o for o in options if _fits(document, o, value)), options[0])
        assert_documented(document, schema, value, path)
    elif "properties" in schema:
        optional = schema["properties"].keys() - schema.get("required", [])
        assert value.keys() | optional == schema["properties"].keys(), path
        for name, member in value.items():
            assert_documented(document, schema["properties"][name], member, f"{path}.{name}")
    elif "additionalProperties" in schema:
        for name, member in value.items():
            assert_documented(document, schema["additionalProperties"], member, f"{path}.{name}")
    elif isinstance(schema.get("items"), dict):
        for i, member in enumerate(value):
            assert_documented(document, schema["items"], member, f"{path}[{i}]")


def _fits(document: Json, schema: Json, value: Any) -> bool:
    """Whether an object has the members that a schema requires."""
    found = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
    return isinstance(value, dict) and set(found.get("required", ())) <= value.keys()


@pytest.mark.parametrize("name", [operation.name for operation in OPERATIONS])
def test_answers_have_the_documented_members(client: TestClient, name: str) -> None:
    document = client.get("/openapi.json").json()
    said = document["paths"][f"/api/v1/{name}"]["post"]["responses"]["200"]
    for body in CALLS[name]:
        answer = client.post(f"/api/v1/{name}", json=body)
        assert answer.status_code == 200, answer.text
        schema = said["content"]["application/json"]["schema"]
        assert_documented(document, schema, answer.json(), name)


def test_the_catalogue_has_the_documented_members(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    schema = {"$ref": "#/components/schemas/Formats"}
    assert_documented(document, schema, client.get("/api/v1/formats").json(), "formats")


def test_the_example_networks_have_the_documented_members(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    for path, name in (("networks", "Examples"), ("networks/unet", "ExampleNetwork")):
        schema = {"$ref": f"#/components/schemas/{name}"}
        answer = client.get(f"/api/v1/{path}").json()
        if "graph" in answer:
            NetworkGraph.model_validate(answer["graph"])  # documented as that of a request
            schema_of = document["components"]["schemas"][name]["properties"]
            del answer["graph"], schema_of["graph"]
        assert_documented(document, schema, answer, path)


def test_a_wrong_shape_is_found(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    answer = client.post("/api/v1/describe", json=TENSOR).json()
    answer["digits"][1][0]["width"] = 4
    with pytest.raises(AssertionError, match=r"digits\[1\]\[0\]"):
        assert_documented(document, {"$ref": "#/components/schemas/Description"}, answer, "")


def test_a_field_that_the_engine_gains_is_documented() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Richer(Description):
        """``cache_lines``: those of 64 bytes."""

        cache_lines: int

    schema = TypeAdapter(shapes.shape_of(Richer)).json_schema()
    said = {"title": "Cache Lines", "type": "integer", "description": "Those of 64 bytes."}
    assert schema["properties"]["cache_lines"] == said
    assert list(schema["required"]) == [f.name for f in dataclasses.fields(Richer)]


def test_words_about_a_field_that_is_gone_are_refused() -> None:
    class Empty(TypedDict):
        """``colour``: of the tensor."""

    with pytest.raises(TypeError, match="colour"):
        shapes.shape_of(Empty)
