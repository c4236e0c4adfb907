"""What OpenAPI promises holds, for requests made from it: all of schemathesis' checks.

`make test` makes some requests for each operation, `make schema` makes 300.
"""

import os
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from app.api.refused import REFUSED, examples
from app.main import app

# Files are bytes to it, whatever they hold.
for media_type in ("application/x-npy", "application/vnd.safetensors"):
    schemathesis.serializer.alias(media_type, "application/octet-stream")

SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", app)
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "20"))

# One check wants 2xx for whatever fits the schema. It is left out for these operations alone, for
# what JSON Schema cannot say of their requests. The document shows each rule by an example of 422.
TENSOR: Final = (
    "a layout is a text in one of some twenty grammars; the product of the sizes and the greatest "
    "address are bounded, not each size; there are as many strides and names as sizes; an integer "
    "may not be written 3.0, which is an integer to JSON Schema"
)
GRAPH: Final = f"a node reads what another one wrote, of a shape that its operator takes; {TENSOR}"
REFUSING: Final = {
    "/describe": TENSOR,
    "/offsets": f"a coordinate lies within the shape; {TENSOR}",
    "/coordinates": TENSOR,
    "/slice": f"a window lies within the shape, an index is a text in NumPy's grammar; {TENSOR}",
    "/view": f"a step takes the dimensions that the steps before it left; {TENSOR}",
    "/elementwise": f"operands broadcast against each other; {TENSOR}",
    "/reorder": f"the target takes the source's shape and shares no addresses; {TENSOR}",
    "/schedule": f"the target takes the source's shape, a window lies in the steps; {TENSOR}",
    "/cost": f"an order of loops names each dimension once; {TENSOR}",
    "/propagate": GRAPH,
    "/arrange": GRAPH,
    "/offers": f"a node has one of the names in the graph; {GRAPH}",
    "/plan": GRAPH,
    "/read": "a text that names no tensor is refused, with the reason why it cannot be read",
    "/reorder/file": f"the bytes of a body have a header or a length that says a tensor; {TENSOR}",
    "/graph": "the bytes of a body are an ONNX model",
}


def _left_out(path: str) -> list[Any]:
    return [positive_data_acceptance] if path.removeprefix("/api/v1") in REFUSING else []


@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES)
def test_every_answer_is_the_documented_one(case: schemathesis.Case[Any]) -> None:
    # A process that answers long calls may have to start first, on a busy machine.
    case.call_and_validate(excluded_checks=_left_out(case.operation.path), timeout=600)


def test_what_is_left_out_is_an_operation() -> None:
    found = SCHEMA.get_all_operations()
    paths = {one.ok().path.removeprefix("/api/v1") for one in found if isinstance(one, Ok)}
    assert REFUSING.keys() <= paths


@pytest.mark.parametrize("name", REFUSED)
def test_the_examples_of_422_are_what_is_answered(client: TestClient, name: str) -> None:
    _, body = REFUSED[name]
    answer = client.post("/api/v1/describe", json=body)
    assert answer.status_code == 422
    assert answer.json() == examples()[name]["value"]
    document = client.get("/openapi.json").json()
    said = document["paths"]["/api/v1/describe"]["post"]["responses"]["422"]["content"]
    assert said["application/problem+json"]["examples"][name]["value"] == answer.json()
