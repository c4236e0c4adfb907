"""What OpenAPI promises holds, for requests made from it: all of schemathesis' checks.

`make test` makes requests for the bounds of each field and a few at random, the same in each run;
`make schema` makes 300 at random, others each time.
"""

import os
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for  # which schemathesis brings
from pydantic import BaseModel
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from app.api.openapi import examples, rules_of
from app.contract.operations import OPERATIONS
from app.main import app
from tests.api import valid_requests
from tests.files.onnx.models import small

# Files are bytes to it, whatever they hold.
for media_type in ("application/x-npy", "application/vnd.safetensors"):
    schemathesis.serializer.alias(media_type, "application/octet-stream")

PATH: Final = "/api/v1"
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "4"))
SEED: Final = None if "SCHEMA_EXAMPLES" in os.environ else 11
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", app, config=SchemathesisConfig(seed=SEED))
MODELS: Final[dict[str, type[BaseModel]]] = {f"/{each.name}": each.request for each in OPERATIONS}

# One check wants 2xx for whatever fits the schema. These operations cannot have it, for what JSON
# Schema cannot say of their requests. The document shows each rule by an example of 422. Two other
# checks take its place: what fits the schema has the form that the program takes, so only a rule
# refuses it; and what keeps the rules too, by `valid_requests`, is answered with 200.
TENSORS: Final = (
    "a layout is a text in one of some twenty grammars; the product of the sizes and the greatest "
    "address are bounded, not each size; there are as many strides and names as sizes; an integer "
    "may not be written 3.0, which is an integer to JSON Schema"
)
GRAPH: Final = f"a node reads what another one wrote, of a shape that its operator takes; {TENSORS}"
QUERY: Final = f"a query cannot say that it has either layout or strides; {TENSORS}"
REFUSING: Final = {
    "/describe": QUERY,
    "/picture.svg": QUERY,
    "/picture.png": QUERY,
    "/picture.tex": QUERY,
    "/offsets": f"a coordinate lies within the shape; {TENSORS}",
    "/coordinates": TENSORS,
    "/slice": f"a window lies within the shape, an index is a text in NumPy's grammar; {TENSORS}",
    "/view": f"a step takes the dimensions that the steps before it left; {TENSORS}",
    "/elementwise": f"operands broadcast against each other; {TENSORS}",
    "/reorder": f"the target takes the source's shape and shares no addresses; {TENSORS}",
    "/schedule": f"the target takes the source's shape, a window lies in the steps; {TENSORS}",
    "/cost": f"an order of loops names each dimension once; {TENSORS}",
    "/propagate": GRAPH,
    "/arrange": GRAPH,
    "/offers": f"a node has one of the names in the graph; {GRAPH}",
    "/plan": GRAPH,
    "/read": "a text that names no tensor is refused, with the reason why it cannot be read",
    "/run": "a text that is neither a log nor a profile is refused",
    "/reorder/file": f"the bytes of a body have a header or a length that says a tensor; {TENSORS}",
    "/lessons/{id}/answer": "an answer is of the kind of its question",
    "/graph": "the bytes of a body are an ONNX model",
}


def _left_out(path: str) -> list[Any]:
    return [positive_data_acceptance] if path.removeprefix(PATH) in REFUSING else []


def _whole(value: Any) -> Any:
    """The same JSON with 3 for 3.0, which JSON Schema does not tell apart."""
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES, database=None)
def test_every_answer_is_the_documented_one(case: schemathesis.Case[Any]) -> None:
    # A process that answers long calls may have to start first, on a busy machine.
    path = case.operation.path
    answer = case.call_and_validate(excluded_checks=_left_out(path), timeout=600)
    model = MODELS.get(path.removeprefix(PATH))
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if fits and answer.status_code == 422 and case.method == "POST" and model is not None:
        model.model_validate(_whole(case.body))


def test_what_is_left_out_is_an_operation() -> None:
    found = SCHEMA.get_all_operations()
    paths = {one.ok().path.removeprefix(PATH) for one in found if isinstance(one, Ok)}
    assert REFUSING.keys() <= paths
    assert MODELS.keys() <= REFUSING.keys()
    assert {f"/{name}" for name in valid_requests.REQUESTS} == MODELS.keys()


def _answered(method: str, path: str, **parts: Any) -> None:
    """A request that keeps all rules gets its answer, and the documented one."""
    case = SCHEMA[f"{PATH}{path}"][method].Case(**parts)
    assert case.call_and_validate(timeout=600).status_code == 200


@pytest.mark.parametrize("name", valid_requests.REQUESTS)
def test_a_request_that_keeps_the_rules_fits_the_schema_and_is_answered(name: str) -> None:
    document = app.openapi()
    body = document["paths"][f"{PATH}/{name}"]["post"]["requestBody"]["content"]
    schema = body["application/json"]["schema"]
    fitting = validator_for({**schema, "components": document["components"]})

    @settings(max_examples=EXAMPLES, database=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        request = valid_requests.REQUESTS[name](data.draw)
        fitting.validate(request)
        _answered("POST", f"/{name}", body=request, media_type="application/json")

    (check if SEED is None else seed(SEED)(check))()


@settings(max_examples=EXAMPLES, database=None, derandomize=SEED is not None)
@given(st.data())
def test_a_query_that_keeps_the_rules_is_answered(data: st.DataObject) -> None:
    _answered("GET", "/describe", query=valid_requests.query(data.draw))


@settings(max_examples=EXAMPLES, database=None, derandomize=SEED is not None)
@given(st.data())
def test_a_file_that_keeps_the_rules_is_answered(data: st.DataObject) -> None:
    query, body = valid_requests.file(data.draw)
    media_type = "application/octet-stream"
    _answered("POST", "/reorder/file", query=query, body=body, media_type=media_type)


@pytest.mark.parametrize("opset", [13, 17, 22])
def test_a_network_that_keeps_the_rules_is_answered(opset: int) -> None:
    body = small(opset=opset).SerializeToString()
    _answered("POST", "/graph", body=body, media_type="application/octet-stream")


@pytest.mark.parametrize(
    ("call", "name", "request_"),
    [
        (call, name, body)
        for call in (*(each.name for each in OPERATIONS), "lessons/nchw4/answer")
        for name, (_, body) in rules_of(call).items()
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_examples_of_422_are_what_is_answered(
    client: TestClient, call: str, name: str, request_: dict[str, Any]
) -> None:
    answer = client.post(f"{PATH}/{call}", json=request_)
    assert answer.status_code == 422
    assert answer.json() == examples(call)[name]["value"]
    document = client.get("/openapi.json").json()
    path = call.replace("nchw4", "{id}")  # the lesson that is asked about
    said = document["paths"][f"{PATH}/{path}"]["post"]["responses"]["422"]["content"]
    assert said["application/problem+json"]["examples"][name]["value"] == answer.json()
