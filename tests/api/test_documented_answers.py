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
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "2"))
SEED: Final = None if "SCHEMA_EXAMPLES" in os.environ else 11
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", app, config=SchemathesisConfig(seed=SEED))
ASKED: Final[set[tuple[Any, str]]] = set()
MODELS: Final[dict[str, type[BaseModel]]] = {f"/{each.name}": each.request for each in OPERATIONS}

# One check wants 2xx for whatever fits the schema. These operations cannot have it, for what JSON
# Schema cannot say of their requests: a layout's text, products, as many strides as sizes, names in
# a graph, bytes of a file. The document shows each rule by an example of 422. Two other checks take
# its place: what fits the schema has the form that the program takes, so only a rule refuses it;
# and what keeps the rules too, by `valid_requests`, is answered with 200.
REFUSING: Final = {
    *MODELS,
    *("/picture.svg", "/picture.png", "/picture.tex", "/reorder/file", "/graph"),
    "/lessons/{id}/answer",
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


def _is_known(case: schemathesis.Case[Any]) -> bool:
    """Whether the same bound of the same field was asked for already.

    Calls have models in common: what lies deep in one is asked for once, by whichever call.
    """
    bound: Any = case.meta and case.meta.phase.data
    if SEED is None or not hasattr(bound, "scenario"):
        return False
    key = (bound.scenario, bound.parameter, bound.location, bound.description)
    is_deep = (bound.location or "").count("/") > 3 or " value: " in bound.description
    known = (key, "" if is_deep else case.operation.path) in ASKED
    ASKED.add((key, "" if is_deep else case.operation.path))
    return known


@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES, database=None)
def test_every_answer_is_the_documented_one(case: schemathesis.Case[Any]) -> None:
    if _is_known(case):
        return
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
    assert paths >= REFUSING


def _answered(method: str, path: str, **parts: Any) -> None:
    """A request that keeps all rules gets its answer, and the documented one."""
    case = SCHEMA[f"{PATH}{path}"][method].Case(**parts)
    assert case.call_and_validate(timeout=600).status_code == 200


@pytest.mark.parametrize("name", [each.name for each in OPERATIONS])
def test_a_request_that_keeps_the_rules_fits_the_schema_and_is_answered(name: str) -> None:
    document = app.openapi()
    body = document["paths"][f"{PATH}/{name}"]["post"]["requestBody"]["content"]
    schema = body["application/json"]["schema"]
    fitting = validator_for({**schema, "components": document["components"]})

    @settings(max_examples=EXAMPLES, database=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        request = valid_requests.request(data.draw, name)
        fitting.validate(request)
        _answered("POST", f"/{name}", body=request, media_type="application/json")

    (check if SEED is None else seed(SEED)(check))()


@settings(max_examples=EXAMPLES, database=None, derandomize=SEED is not None)
@given(st.data())
def test_a_query_and_files_that_keep_the_rules_are_answered(data: st.DataObject) -> None:
    _answered("GET", "/describe", query=valid_requests.query(data.draw))
    query, body = valid_requests.file(data.draw)
    media_type = "application/octet-stream"
    _answered("POST", "/reorder/file", query=query, body=body, media_type=media_type)
    _answered("POST", "/graph", body=small().SerializeToString(), media_type=media_type)


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
