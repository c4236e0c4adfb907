"""The documented shape of an answer is the answer's: in names, at every depth."""

import dataclasses
from typing import Any, TypedDict

import pytest
from jsonschema_rs import ValidationError, validator_for  # which schemathesis brings
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from app.contract import shapes
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
# Beside the documented examples: what reaches members that may be absent.
MORE: dict[str, list[Json]] = {
    "describe": [TENSOR, SWIZZLED, {"shape": [1, 1, 3, 5], "layout": "NHWC"}],
    "read": [{"text": "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"}],
    "run": [{"log": GOLDEN_LOG}, {"log": f"{GOLDEN_LOG}\n{GOLDEN_LOG}\nno line"}],
    "coordinates": [{"tensor": TENSOR, "offsets": [0, 300]}],
    "slice": [{"tensor": TENSOR, "index": "0, ::2"}, {"tensor": TENSOR, "index": ":, 1:6"}],
    "view": [{"tensor": TENSOR, "steps": [{"op": "reshape", "shape": [180]}]}],
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
    "plan": [{"graph": find_example(name).json} for name in ("int8-nchw4", "bert-layer")],
    "cost": [
        {"tensor": TENSOR, "walk": {"order": "NHWC", "orders": True}},
        {"tensor": SWIZZLED, "warp": {"along": "H"}},
        {
            "tensor": {"shape": [32, 32], "layout": "HW"},
            "warp": {"along": ["H", "W"], "space": "shared", "suggest": True},
        },
    ],
    "reorder": [{"source": TENSOR, "target": "NCHW8"}],
    "schedule": [{"source": TENSOR, "target": name, "first": 2} for name in ("NCHW8", "NCHW6")],
}


@pytest.fixture(scope="module")
def document(client: TestClient) -> Json:
    """The OpenAPI document, in which objects have the documented members alone."""
    found: Json = client.get("/openapi.json").json()
    for schema in found["components"]["schemas"].values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    return found


def assert_documented(document: Json, schema: Json, value: Any) -> None:
    validator_for({**schema, "components": document["components"]}).validate(value)


@pytest.mark.parametrize("name", [operation.name for operation in OPERATIONS])
def test_answers_have_the_documented_members(client: TestClient, document: Json, name: str) -> None:
    post = document["paths"][f"/api/v1/{name}"]["post"]
    said = post["responses"]["200"]
    example = post["requestBody"]["content"]["application/json"]["example"]
    for body in (example, *MORE.get(name, [])):
        answer = client.post(f"/api/v1/{name}", json=body)
        assert answer.status_code == 200, answer.text
        schema = said["content"]["application/json"]["schema"]
        assert_documented(document, schema, answer.json())


def test_catalogues_have_the_documented_members(client: TestClient, document: Json) -> None:
    for path, name in (
        ("formats", "Formats"),
        ("networks", "Examples"),
        ("networks/unet", "ExampleNetwork"),
    ):
        schema = {"$ref": f"#/components/schemas/{name}"}
        answer = client.get(f"/api/v1/{path}").json()
        assert_documented(document, schema, answer)


def test_a_wrong_shape_is_found(client: TestClient, document: Json) -> None:
    answer = client.post("/api/v1/describe", json=TENSOR).json()
    answer["digits"][1][0]["width"] = 4
    with pytest.raises(ValidationError, match="width"):
        assert_documented(document, {"$ref": "#/components/schemas/Description"}, answer)


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
