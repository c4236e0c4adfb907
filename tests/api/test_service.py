"""GET beside POST, caching, health, the catalogue, OpenAPI and documentation without a network."""

import re
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from tests.api.twin import Json, post

METHODS = ("get", "post", "put", "patch", "delete")
PATHS = {
    "/describe": {"get", "post"},
    "/offsets": {"post"},
    "/coordinates": {"post"},
    "/slice": {"post"},
    "/reorder": {"post"},
    "/formats": {"get"},
}

QUERIES: list[tuple[Json, dict[str, str]]] = [
    ({"shape": [2, 3], "layout": "HW"}, {"shape": "2,3", "layout": "HW"}),
    ({"shape": [2, 64, 3, 3], "layout": "NCHW4"}, {"shape": "2,64,3,3", "layout": "NCHW4"}),
    (
        {"shape": [2, 3], "layout": {"strides": [5, 1]}, "elements": 10},
        {"shape": "2,3", "strides": "5,1", "elements": "10"},
    ),
    (
        {"shape": [2, 3], "layout": {"strides": [-3, 1], "offset": 3}, "dtype": "int8"},
        {"shape": "2,3", "strides": "-3,1", "offset": "3", "dtype": "int8"},
    ),
    (
        {"shape": [2, 3, 4, 5], "layout": "NHWC", "dims": "NHWC", "dtype": "int4"},
        {"shape": "2,3,4,5", "layout": "NHWC", "dims": "NHWC", "dtype": "int4"},
    ),
    ({"shape": [], "layout": {"strides": []}}, {"shape": "", "strides": ""}),
    (
        {"shape": [2**63 - 1], "layout": "W", "dtype": "int8"},
        {"shape": str(2**63 - 1), "layout": "W", "dtype": "int8"},
    ),
]


@pytest.mark.parametrize(("body", "query"), QUERIES, ids=[urlencode(row[1]) for row in QUERIES])
def test_get_describes_like_post(client: httpx2.Client, body: Json, query: dict[str, str]) -> None:
    response = client.get("/api/v1/describe", params=query)
    assert response.status_code == 200, response.text
    assert response.json() == post(client, "/describe", body)


def test_description_has_the_contract_names(client: httpx2.Client) -> None:
    answer = post(client, "/describe", {"shape": [2, 3], "layout": "HW"})
    assert set(answer) >= {
        "shape",
        "dims",
        "dtype",
        "layout",
        "offset",
        "digits",
        "swizzle",
        "strides",
        "byte_strides",
        "padded_shape",
        "physical_shape",
        "blocking",
        "buffer",
        "properties",
        "names",
        "notations",
    }
    assert set(answer["buffer"]) >= {"elements", "bytes", "per_system"}
    assert set(answer["buffer"]["per_system"]) >= {"numpy", "pytorch", "directml", "onednn"}
    assert set(answer["properties"]) == {
        "packed",
        "padded",
        "broadcast",
        "overlapping",
        "dense",
        "contiguous",
        "channels_last",
        "channels_last_3d",
    }
    assert answer["dtype"] == "float32"
    assert all(set(digit) == {"extent", "stride"} for dim in answer["digits"] for digit in dim)


def test_get_is_cacheable_and_answers_304(client: httpx2.Client) -> None:
    url = "/api/v1/describe?shape=2,3&layout=HW"
    first = client.get(url)
    etag = first.headers["etag"]
    assert re.fullmatch(r'(W/)?"[\x21\x23-\x7e]+"', etag)
    assert "no-store" not in first.headers["cache-control"]
    assert re.search(r"max-age=\d+|no-cache", first.headers["cache-control"])
    weak = etag.removeprefix("W/")
    for condition in (etag, f"W/{weak}", f'"other", {etag}', "*"):
        again = client.get(url, headers={"if-none-match": condition})
        assert again.status_code == 304, condition
        assert again.content == b""
        assert again.headers["etag"] == etag
    changed = client.get(url, headers={"if-none-match": '"other"'})
    assert changed.status_code == 200
    assert changed.json() == first.json()


def test_etags_differ_where_descriptions_differ(client: httpx2.Client) -> None:
    queries = ("shape=2,3&layout=HW", "shape=2,3&layout=WH", "shape=2,3&layout=HW&dtype=int8")
    etags = {client.get(f"/api/v1/describe?{query}").headers["etag"] for query in queries}
    assert len(etags) == len(queries)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health(client: httpx2.Client, path: str) -> None:
    assert client.get(path).status_code == 200


def test_catalogue_names_the_formats_of_the_mission(client: httpx2.Client) -> None:
    response = client.get("/api/v1/formats")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/json")
    for name in ("NCHW", "NHWC", "NCDHW", "NDHWC", "CHWN4", "HW", "WH", "DHW", "WHD"):
        assert f'"{name}"' in response.text, name


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
    assert not re.search(r"https?://", response.text)
    assets = re.findall(r"""(?:src|href)\s*=\s*["']([^"'#]+)["']""", response.text)
    local = [asset for asset in assets if not asset.startswith("data:")]
    assert any(asset.endswith(".js") for asset in local)
    for asset in local:
        loaded = client.get(asset)
        assert loaded.status_code == 200, asset
        assert loaded.content, asset
