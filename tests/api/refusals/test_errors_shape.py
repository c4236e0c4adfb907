"""One error shape from every producer: parser, schema, engine, router, method, media type."""

import json

import httpx2
import pytest
from starlette.exceptions import HTTPException

from app.api.problems import BusyError, RefusedError, error_response
from app.engine.model.errors import Phrase
from app.files.onnx import MissingLibraryError
from tests.api.refusals.problems import DIGITS, MARKER, assert_problem
from tests.api.twin import API, Json

GOOD = b'{"shape": [2, 3], "layout": "HW"}'
NEGATIVE = "/describe?shape=2,-3&layout=HW"
TENSOR = b'{"tensor": {"shape": [1], "layout": "W"}}'
# Method, path and body; status, the fields of the errors and their codes.
Question = tuple[str, str, bytes]
Answer = tuple[int, list[str], list[str]]
PRODUCERS: dict[str, tuple[Question, Answer]] = {
    "parser": (("POST", "/describe", b"{"), (400, ["body"], ["json.malformed"])),
    "empty": (("POST", "/describe", b""), (400, ["body"], ["json.empty"])),
    "schema": (("POST", "/describe", b"{}"), (422, ["shape", "layout"], ["missing"] * 2)),
    "engine": (
        ("POST", "/describe", b'{"shape": [2], "layout": "HW"}'),
        (422, ["shape"], ["layout.sizes"]),
    ),
    "media-type": (("POST", "/describe", GOOD), (415, ["Content-Type"], ["media.json"])),
    "no-route": (("GET", f"/{MARKER}", b""), (404, [], ["http.path"])),
    "no-route-post": (("POST", f"/describe/{MARKER}", GOOD), (404, [], ["http.path"])),
    "put": (("PUT", "/describe", GOOD), (405, [], ["http.method"])),
    "delete": (("DELETE", "/offsets", b""), (405, [], ["http.method"])),
    "get": (("GET", "/reorder", b""), (405, [], ["http.method"])),
    "patch": (("PATCH", "/formats", GOOD), (405, [], ["http.method"])),
    "query": (("GET", NEGATIVE, b""), (422, ["shape[1]"], ["greater_than_equal"])),
    "number": (
        ("POST", "/describe", b'{"shape": [-1], "layout": "W"}'),
        (422, ["shape[0]"], ["greater_than_equal"]),
    ),
    "name": (
        ("POST", "/describe", b'{"shape": [1], "layout": "W", "size": 1}'),
        (422, ["?"], ["field.unknown"]),
    ),
    "either": (("POST", "/slice", TENSOR), (422, ["body"], ["exactly_one"])),
}
ALLOWED = {"/describe": {"GET", "POST"}, "/formats": {"GET"}}


@pytest.mark.parametrize("name", PRODUCERS)
def test_every_producer_answers_in_one_shape_and_with_200_to_who_prefers_that(
    client: httpx2.Client, name: str
) -> None:
    """A browser logs each answer from 400 on; the document is the same, with its own status."""
    (method, path, body), (status, fields, codes) = PRODUCERS[name]
    media_type = "text/plain" if name == "media-type" else "application/json"

    def asked(prefer: str) -> httpx2.Response:
        headers = {"Content-Type": media_type, "Prefer": prefer}
        return client.request(method, f"{API}{path}", content=body, headers=headers)

    usual = asked("refusal=error, refusal=answer")  # the first one counts
    problem = assert_problem(usual, status, *fields)
    assert codes == ([error["code"] for error in problem["errors"]] or [problem["code"]])
    assert problem["code"] == codes[0]
    if status == 405:
        allowed = {each.strip() for each in usual.headers["allow"].split(",")}
        assert allowed - {"HEAD", "OPTIONS"} == ALLOWED.get(path, {"POST"})
    assert "preference-applied" not in usual.headers
    is_of_input = status in {400, 422}
    assert ("Prefer" in usual.headers.get("vary", "")) == is_of_input
    for prefer in ("refusal=answer", 'wait=5, Refusal = "answer"; x=y'):
        answer = asked(prefer)
        assert answer.json() == problem
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status_code == (200 if is_of_input else status)
        applied = "refusal=answer" if is_of_input else None
        assert answer.headers.get("preference-applied") == applied
        assert answer.headers.get("vary") == usual.headers.get("vary")
        assert not is_of_input or answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (BusyError(), 503, "server.busy"),
        (MemoryError(), 503, "server.busy"),
        (BusyError(Phrase("server.lost", "Try again.")), 503, "server.lost"),
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


def test_a_right_call_does_not_see_the_preference(client: httpx2.Client) -> None:
    url = f"{API}/describe?shape=2,3&layout=HW"
    answer = client.get(url, headers={"Prefer": "refusal=answer"})
    assert "preference-applied" not in answer.headers
    assert answer.content == client.get(url).content
    assert "refusal=answer" in client.get("/openapi.json").json()["info"]["description"]


QUERIES = [
    ("layout=HW", "shape"),
    (f"shape={MARKER}&layout=HW", "shape[0]"),
    ("shape=2,,3&layout=DHW", "shape[1]"),
    ("shape=1_0,3&layout=HW", "shape[0]"),
    ("shape=%EF%BC%92,3&layout=HW", "shape[0]"),
    (f"shape={DIGITS * 4},3&layout=HW", "shape[0]"),
    ("shape=" + "9" * 10_000 + ",3&layout=HW", "shape[0]"),
    ("shape=2,3&shape=3,2&layout=HW", "shape"),
    ("shape=2%00,3&layout=HW", "shape[0]"),
    ("shape=%FF,3&layout=HW", "shape[0]"),
    (f"shape=2,3&layout={MARKER}", "layout"),
    ("shape=2,3&layout=%FF%FE", "layout"),
    ("shape=2,3&layout=HW&strides=3,1", "layout"),
    ("shape=2,3", "layout"),
    (f"shape=2,3&strides={MARKER}", "strides[0]"),
    ("shape=2,3&strides=1", "layout.strides"),
    ("shape=2,3&strides=3,1&offset=1.5", "offset"),
    ("shape=2,3&strides=-3,1&offset=0", "layout.offset"),
    (f"shape=2,3&layout=HW&dtype={MARKER}", "dtype"),
    ("shape=2,3&layout=HW&colour=red", "query"),
]


@pytest.mark.parametrize(("query", "field"), QUERIES, ids=range(len(QUERIES)))
def test_query_is_refused_like_a_body(client: httpx2.Client, query: str, field: str) -> None:
    assert_problem(client.get(f"{API}/describe?{query}"), 422, field)


def test_an_error_has_its_position_and_the_numbers_of_its_message(client: httpx2.Client) -> None:
    for layout, position in {"NCQW": 2, "NCHQ": 3, "directml:{1,2,x}": 14}.items():
        body = {"shape": [1, 8, 2, 2], "layout": layout}
        [error] = client.post(f"{API}/describe", json=body).json()["errors"]
        assert error["position"] == position
    asked: Json = {"tensor": {"shape": [2, 3], "layout": "HW"}, "coordinates": [[0, 3]]}
    [error] = client.post(f"{API}/offsets", json=asked).json()["errors"]
    assert (error["code"], error["params"]) == ("integer.range", {"low": 0, "high": 2})
    asked = {"shape": [2**31, 2**31], "layout": {"strides": [-(2**62), -(2**62)]}}
    [error] = client.post(f"{API}/describe", json=asked).json()["errors"]
    assert error["code"] == "offset.least"
    assert error["params"] == {"least": str(2**63 * (2**31 - 1))}, "beyond 64 bits: as text"
