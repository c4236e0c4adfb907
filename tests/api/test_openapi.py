"""The OpenAPI document, and documentation without a network."""

import re
from typing import Any

import httpx2
import pytest

from tests.api.twin import Json

METHODS = ("get", "post", "put", "patch", "delete")
PATHS = {
    "/describe": {"get", "post"},
    "/offsets": {"post"},
    "/coordinates": {"post"},
    "/slice": {"post"},
    "/reorder": {"post"},
    "/formats": {"get"},
}


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


def test_openapi_lists_the_contract_paths(document: Json) -> None:
    assert document["openapi"].startswith("3.")
    for path, methods in PATHS.items():
        assert methods <= set(document["paths"][f"/api/v1{path}"]), path


def test_openapi_operations_are_named_and_summarised(document: Json) -> None:
    identifiers = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(identifiers) == len(set(identifiers))
    for path, method, operation in operations(document):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", operation["operationId"]), path
        assert operation["summary"], f"{method} {path}"


def test_openapi_declares_the_problem_document(document: Json) -> None:
    for path in PATHS:
        item = document["paths"][f"/api/v1{path}"]
        if "post" not in item:
            continue
        responses = item["post"]["responses"]
        assert {"200", "400", "415", "422"} <= set(responses), path
        for status in ("400", "415", "422"):
            assert "application/problem+json" in responses[status]["content"], (path, status)


def test_openapi_shows_an_example_of_each_request(document: Json) -> None:
    for path in PATHS:
        item = document["paths"][f"/api/v1{path}"]
        if "post" not in item:
            continue
        media = item["post"]["requestBody"]["content"]["application/json"]
        assert "example" in str(media) or "example" in str(resolve(document, media["schema"])), path


def test_every_example_of_a_request_is_answered(client: httpx2.Client, document: Json) -> None:
    for path, method, operation in operations(document):
        media = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if method != "post" or media is None or "{" in path:
            continue
        examples = resolve(document, media["schema"])["examples"]
        assert media["example"] == examples[0]
        for body in examples:
            assert client.post(path, json=body).status_code == 200, (path, body)


def resolve(document: Json, schema: Json) -> Any:
    if "$ref" not in schema:
        return schema
    found: Any = document
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def test_openapi_references_all_resolve(document: Json) -> None:
    waiting: list[Any] = [document]
    references = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                references += 1
                assert node["$ref"].startswith("#/")
                assert resolve(document, node)
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    assert references


def test_docs_need_no_network(client: httpx2.Client) -> None:
    response = client.get("/docs")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert not re.search(
        r"""(?:src|href)\s*=\s*["']?\s*(?:[a-z]+:)?//""", response.text, re.IGNORECASE
    )
    own = str(client.base_url).rstrip("/")  # in the command for a shell
    assert not re.search(r"https?://", response.text.replace(own, ""))
    assets = re.findall(r"""(?:src|href)\s*=\s*["']([^"'#]+)["']""", response.text)
    local = [asset for asset in assets if not asset.startswith("data:")]
    assert any(asset.endswith(".js") for asset in local)
    for asset in local:
        loaded = client.get(asset)
        assert loaded.status_code == 200, asset
        assert loaded.content, asset
