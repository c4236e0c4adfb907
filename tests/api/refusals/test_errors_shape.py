"""One error shape from every producer: parser, schema, engine, router, method, media type."""

import json
from dataclasses import dataclass

import httpx2
import pytest
from starlette.exceptions import HTTPException

from app.api.problems import BusyError, RefusedError, error_response
from app.engine.model.errors import Phrase
from app.files.onnx import MissingLibraryError
from tests.api.refusals.problems import DIGITS, MARKER, assert_problem
from tests.api.twin import Json

GOOD_BODY = b'{"shape": [2, 3], "layout": "HW"}'
JSON = (("content-type", "application/json"),)
TEXT = (("content-type", "text/plain"),)


@dataclass(frozen=True, slots=True)
class Producer:
    id: str
    method: str
    path: str
    status: int
    fields: tuple[str, ...]
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = JSON
    codes: tuple[str, ...] = ()


PRODUCERS = [
    Producer("parser", "POST", "/describe", 400, ("body",), b"{", codes=("json.malformed",)),
    Producer("empty", "POST", "/describe", 400, ("body",), codes=("json.empty",)),
    Producer(
        "schema", "POST", "/describe", 422, ("shape", "layout"), b"{}", codes=("missing",) * 2
    ),
    Producer("engine", "POST", "/describe", 422, ("shape",), b'{"shape": [2], "layout": "HW"}'),
    Producer(
        "media-type", "POST", "/describe", 415, ("Content-Type",), GOOD_BODY, TEXT, ("media.json",)
    ),
    Producer("no-route", "GET", f"/{MARKER}", 404, (), codes=("http.path",)),
    Producer("no-route-post", "POST", f"/describe/{MARKER}", 404, (), GOOD_BODY),
    Producer("method-put", "PUT", "/describe", 405, (), GOOD_BODY, codes=("http.method",)),
    Producer("method-delete", "DELETE", "/offsets", 405, ()),
    Producer("method-get", "GET", "/reorder", 405, ()),
    Producer("method-patch", "PATCH", "/formats", 405, (), GOOD_BODY),
    Producer(
        "query",
        "GET",
        "/describe?shape=2,-3&layout=HW",
        422,
        ("shape[1]",),
        codes=("greater_than_equal",),
    ),
    Producer(
        "number",
        "POST",
        "/describe",
        422,
        ("shape[0]",),
        b'{"shape": [-1], "layout": "W"}',
        codes=("greater_than_equal",),
    ),
    Producer(
        "name",
        "POST",
        "/describe",
        422,
        ("?",),
        b'{"shape": [1], "layout": "W", "size": 1}',
        codes=("field.unknown",),
    ),
    Producer(
        "either",
        "POST",
        "/slice",
        422,
        ("body",),
        b'{"tensor": {"shape": [1], "layout": "W"}}',
        codes=("exactly_one",),
    ),
]


@pytest.mark.parametrize("row", PRODUCERS, ids=lambda row: row.id)
def test_every_producer_answers_in_one_shape(client: httpx2.Client, row: Producer) -> None:
    response = client.request(
        row.method, f"/api/v1{row.path}", content=row.body, headers=dict(row.headers)
    )
    problem = assert_problem(response, row.status, *row.fields)
    codes = [error["code"] for error in problem["errors"]] or [problem["code"]]
    assert problem["code"] == codes[0]
    assert codes == list(row.codes) or not row.codes
    if row.status == 405:
        assert response.headers["allow"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (BusyError(), 503, "server.busy"),
        (MemoryError(), 503, "server.busy"),
        (
            BusyError(Phrase("server.lost", "The server lost this call; try again.")),
            503,
            "server.lost",
        ),
        (MissingLibraryError(Phrase("library.onnx", "pip install onnx")), 501, "library.onnx"),
        (RefusedError(418, "pot", Phrase("pot.tea", "no coffee")), 418, "pot.tea"),
        (HTTPException(405), 405, "http.method"),
        (HTTPException(403, "no"), 403, "http.refused"),
        (KeyError(MARKER), 500, "server.failed"),
    ],
)
def test_every_problem_has_a_code(error: Exception, status: int, code: str) -> None:
    answer = error_response(error)
    found = json.loads(bytes(answer.body))
    assert (answer.status_code, found["code"]) == (status, code)
    assert ("retry-after" in answer.headers) == (status == 503)
    assert MARKER not in bytes(answer.body).decode()


def test_a_refused_method_names_every_allowed_one(client: httpx2.Client) -> None:
    for path, allowed in (("/describe", {"GET", "POST"}), ("/reorder", {"POST"})):
        response = client.put(f"/api/v1{path}", content=GOOD_BODY, headers=dict(JSON))
        assert response.status_code == 405
        named = {method.strip() for method in response.headers["allow"].split(",")}
        assert named - {"HEAD", "OPTIONS"} == allowed


@pytest.mark.parametrize("row", PRODUCERS, ids=lambda row: row.id)
def test_refusals_of_input_are_answers_to_who_prefers_that(
    client: httpx2.Client, row: Producer
) -> None:
    """A browser logs each answer from 400 on; the document is the same, with its own status."""

    def asked(prefer: str) -> httpx2.Response:
        headers = {**dict(row.headers), "Prefer": prefer}
        return client.request(row.method, f"/api/v1{row.path}", content=row.body, headers=headers)

    usual = asked("refusal=error, refusal=answer")  # the first one counts
    assert usual.status_code == row.status
    assert "preference-applied" not in usual.headers
    is_of_input = row.status in {400, 422}
    assert ("Prefer" in usual.headers.get("vary", "")) == is_of_input
    for prefer in ("refusal=answer", 'wait=5, Refusal = "answer"; x=y'):
        answer = asked(prefer)
        assert answer.json() == usual.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status_code == (200 if is_of_input else row.status)
        assert answer.headers.get("preference-applied") == (
            "refusal=answer" if is_of_input else None
        )
        assert answer.headers.get("vary") == usual.headers.get("vary")
        assert not is_of_input or answer.headers["cache-control"] == "no-store"


def test_a_right_call_does_not_see_the_preference(client: httpx2.Client) -> None:
    url = "/api/v1/describe?shape=2,3&layout=HW"
    answer = client.get(url, headers={"Prefer": "refusal=answer"})
    assert "preference-applied" not in answer.headers
    assert answer.content == client.get(url).content
    assert "refusal=answer" in client.get("/openapi.json").json()["info"]["description"]


QUERIES = {
    "shape-missing": ("layout=HW", "shape"),
    "shape-words": (f"shape={MARKER}&layout=HW", "shape[0]"),
    "shape-hole": ("shape=2,,3&layout=DHW", "shape[1]"),
    "shape-trailing-comma": ("shape=2,3,&layout=HW", "shape[2]"),
    "shape-fraction": ("shape=2.0,3&layout=HW", "shape[0]"),
    "shape-negative": ("shape=2,-3&layout=HW", "shape[1]"),
    "shape-underscore": ("shape=1_0,3&layout=HW", "shape[0]"),
    "shape-exponent": ("shape=1e1,3&layout=HW", "shape[0]"),
    "shape-fullwidth-digit": ("shape=%EF%BC%92,3&layout=HW", "shape[0]"),
    "shape-hexadecimal": ("shape=0x2,3&layout=HW", "shape[0]"),
    "shape-NaN": ("shape=NaN,3&layout=HW", "shape[0]"),
    "shape-beyond-int64": (f"shape={DIGITS * 4},3&layout=HW", "shape[0]"),
    "shape-10000-digits": ("shape=" + "9" * 10_000 + ",3&layout=HW", "shape[0]"),
    "shape-twice": ("shape=2,3&shape=3,2&layout=HW", "shape"),
    "shape-null-byte": ("shape=2%00,3&layout=HW", "shape[0]"),
    "shape-not-UTF-8": ("shape=%FF,3&layout=HW", "shape[0]"),
    "layout-unknown": (f"shape=2,3&layout={MARKER}", "layout"),
    "layout-not-UTF-8": ("shape=2,3&layout=%FF%FE", "layout"),
    "layout-and-strides": ("shape=2,3&layout=HW&strides=3,1", "layout"),
    "neither-layout-nor-strides": ("shape=2,3", "layout"),
    "strides-words": (f"shape=2,3&strides={MARKER}", "strides[0]"),
    "strides-rank": ("shape=2,3&strides=1", "layout.strides"),
    "offset-fraction": ("shape=2,3&strides=3,1&offset=1.5", "offset"),
    "offset-mends": ("shape=2,3&strides=-3,1&offset=0", "layout.offset"),
    "dtype-unknown": (f"shape=2,3&layout=HW&dtype={MARKER}", "dtype"),
    "elements-too-few": ("shape=2,3&layout=HW&elements=5", "elements"),
    "unknown-parameter": ("shape=2,3&layout=HW&colour=red", "query"),
}


@pytest.mark.parametrize(("query", "field"), QUERIES.values(), ids=QUERIES.keys())
def test_query_is_refused_like_a_body(client: httpx2.Client, query: str, field: str) -> None:
    response = client.get(f"/api/v1/describe?{query}")
    assert_problem(response, 422, field)


POSITIONS = {"NCQW": 2, "NCHQ": 3, "NCHH": 3, "directml:{1,2,x}": 14}


@pytest.mark.parametrize(("layout", "position"), POSITIONS.items(), ids=POSITIONS.keys())
def test_position_points_into_the_layout_string(
    client: httpx2.Client, layout: str, position: int
) -> None:
    body = {"shape": [1, 8, 2, 2], "layout": layout}
    response = client.post("/api/v1/describe", json=body)
    [error] = assert_problem(response, 422, "layout")["errors"]
    assert error["position"] == position


def test_a_problem_is_never_cached(client: httpx2.Client) -> None:
    response = client.get("/api/v1/describe?shape=2,-3&layout=HW")
    assert "etag" not in response.headers
    assert "max-age" not in response.headers.get("cache-control", "").replace("max-age=0", "")


def test_params_are_the_numbers_and_names_of_the_message(client: httpx2.Client) -> None:
    asked: Json = {"tensor": {"shape": [2, 3], "layout": "HW"}, "coordinates": [[0, 3]]}
    [error] = client.post("/api/v1/offsets", json=asked).json()["errors"]
    assert (error["code"], error["params"]) == ("integer.range", {"low": 0, "high": 2})
    asked = {"shape": [2**31, 2**31], "layout": {"strides": [-(2**62), -(2**62)]}}
    [error] = client.post("/api/v1/describe", json=asked).json()["errors"]
    assert error["code"] == "offset.least"
    assert error["params"] == {"least": str(2**63 * (2**31 - 1))}, "beyond 64 bits: as text"
