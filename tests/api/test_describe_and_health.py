"""GET /describe beside POST, its caching, health, and the catalogue of formats."""

import re
from urllib.parse import urlencode

import httpx2
import pytest

from tests.api.twin import Json, post

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


def test_catalogue_names_the_formats(client: httpx2.Client) -> None:
    response = client.get("/api/v1/formats")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/json")
    for name in ("NCHW", "NHWC", "NCDHW", "NDHWC", "CHWN4", "HW", "WH", "DHW", "WHD"):
        assert f'"{name}"' in response.text, name
