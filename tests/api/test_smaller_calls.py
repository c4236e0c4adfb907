"""GET /describe beside POST, limits, and the OpenAPI document."""

import re

import httpx2
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem
from tests.api.twin import Json, post

METHODS = ("get", "post", "put", "patch", "delete")
HW: Json = {"shape": [2, 3], "layout": "HW"}
LAST: Json = {"shape": [2, 3, 4, 5], "layout": "NHWC", "dims": "NHWC", "dtype": "int4"}
# A tensor, and what of its query is written otherwise.
QUERIES: list[tuple[Json, dict[str, str]]] = [
    (HW, {}),
    ({"shape": [2, 64, 3, 3], "layout": "NCHW4"}, {}),
    ({**HW, "layout": {"strides": [5, 1]}, "elements": 10}, {"strides": "5,1"}),
    (
        {**HW, "layout": {"strides": [-3, 1], "offset": 3}, "dtype": "int8"},
        {"strides": "-3,1", "offset": "3"},
    ),
    (LAST, {}),
    ({"shape": [], "layout": {"strides": []}}, {"strides": ""}),
    ({"shape": [2**63 - 1], "layout": "W", "dtype": "int8"}, {}),
]


@pytest.mark.parametrize(("body", "more"), QUERIES)
def test_get_describes_like_post(client: httpx2.Client, body: Json, more: dict[str, str]) -> None:
    query = {name: value for name, value in body.items() if name != "layout" or not more} | more
    query["shape"] = ",".join(map(str, body["shape"]))
    response = client.get("/api/v1/describe", params=query)
    assert response.status_code == 200, response.text
    assert response.json() == post(client, "/describe", body)


def test_limits_are_the_settings(client: httpx2.Client) -> None:
    answer = client.get("/api/v1/limits")
    settings = Settings()
    found = answer.json()
    assert found["body_bytes"] == settings.max_body_bytes
    assert found["idle_seconds"] == settings.idle_seconds
    assert Settings.model_fields["idle_seconds"].default == 6
    assert found["values"] >= 2**20
    again = client.get("/api/v1/limits", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_a_limit_that_is_set_is_the_one_that_holds() -> None:
    application = create_app(Settings(max_body_bytes=1024))
    client = TestClient(application)
    assert client.get("/api/v1/limits").json()["body_bytes"] == 1024
    refused = client.post("/api/v1/describe", json={"shape": [1], "layout": " " * 2000})
    assert_problem(refused, 413, "body")
    assert "1024" in refused.text


def operations(document: Json) -> list[tuple[str, str, Json]]:
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


@pytest.fixture
def document(client: httpx2.Client) -> Json:
    response = client.get("/openapi.json")
    assert response.status_code == 200
    loaded: Json = response.json()
    return loaded


def test_openapi_operations_are_named_and_summarised(document: Json) -> None:
    identifiers = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(identifiers) == len(set(identifiers))
    for path, method, operation in operations(document):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", operation["operationId"]), path
        assert operation["summary"], f"{method} {path}"


def test_every_example_of_a_request_is_answered(client: httpx2.Client, document: Json) -> None:
    for path, method, operation in operations(document):
        media = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if method != "post" or media is None or "{" in path:
            continue
        model = media["schema"]["$ref"].removeprefix("#/components/schemas/")
        examples = document["components"]["schemas"][model]["examples"]
        assert media["example"] == examples[0]
        for body in examples:
            assert client.post(path, json=body).status_code == 200, (path, body)
