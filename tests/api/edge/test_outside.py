"""CORS, request ids, compression, redirects, media types, WebSockets, and the log."""

import io
import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.api.edge.compression import Compression
from app.api.edge.outside import Outside, RequestLog
from app.api.metrics import Metrics
from app.main import create_app
from app.negotiation import best_coding, is_acceptable
from app.settings import Settings
from tests.api.refusals.problems import assert_problem

DESCRIBE = "/api/v1/describe"
TENSOR = {"shape": [2, 64, 3, 3], "layout": "NCHW4"}


def test_other_origins_may_call_the_api(client: TestClient) -> None:
    for path, status in ((f"{DESCRIBE}?shape=2&layout=W", 200), ("/api/v1/nothing", 404)):
        answer = client.get(path, headers={"Origin": "https://lesson.example"})
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "ETag" in answer.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in answer.headers
    for path in ("/", "/healthz", "/metrics"):
        assert "access-control-allow-origin" not in client.get(path).headers
    # Pages of others import <memory-grid> from there.
    assert client.get("/static/css/2-base.css").headers["access-control-allow-origin"] == "*"


def test_a_preflight_is_answered(client: TestClient) -> None:
    asked = {
        "Origin": "https://x.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    answer = client.options(DESCRIBE, headers=asked)
    assert answer.status_code == 204
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "*"
    assert client.options(DESCRIBE).status_code == 405
    assert client.options("/", headers=asked).status_code == 405


def test_a_request_id_is_echoed_only_if_it_is_well_formed(client: TestClient) -> None:
    for good in ("abc", "0f8e-1.2_3", "a" * 64):
        given = client.get("/healthz", headers={"X-Request-Id": good}).headers["x-request-id"]
        assert given == good
    for bad in (b"", b"a" * 65, b"a b", b"<script>", b"a\xe9", b"-a"):
        given = client.get("/healthz", headers={b"X-Request-Id": bad}).headers["x-request-id"]
        assert re.fullmatch("[0-9a-f]{16}", given), bad
    ids = {client.get("/nowhere").headers["x-request-id"] for _ in range(5)}
    assert len(ids) == 5


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0.5, gzip;q=0.9", "gzip"),
        ("br;q=0, gzip;q=0", None),
        ("*", "br"),
        ("*;q=0", None),
        ("identity", None),
        ("gzip;q=x", None),
        ("x" * 300, None),
    ],
)
def test_the_coding_that_a_caller_likes(header: str, coding: str | None) -> None:
    assert best_coding(header) == coding


def test_text_is_compressed_and_says_so(client: TestClient) -> None:
    plain = client.post(DESCRIBE, json=TENSOR, headers={"Accept-Encoding": "identity"})
    for coding in ("br", "gzip"):
        for _ in range(2):  # worked out, then kept
            small = client.post(DESCRIBE, json=TENSOR, headers={"Accept-Encoding": coding})
            assert small.headers["content-encoding"] == coding
            assert small.headers["vary"] == "Accept-Encoding"
            assert int(small.headers["content-length"]) < len(plain.content) / 2
            assert small.content == plain.content
    short = client.get("/healthz", headers={"Accept-Encoding": "br"})
    assert "content-encoding" not in short.headers
    assert short.headers["vary"] == "Accept-Encoding"


def test_a_compressed_answer_has_a_weak_etag(client: TestClient) -> None:
    url = f"{DESCRIBE}?shape=2,3,4&layout=CHW"
    plain = client.get(url, headers={"Accept-Encoding": "identity"}).headers["etag"]
    small = client.get(url, headers={"Accept-Encoding": "gzip"}).headers["etag"]
    assert small == f"W/{plain}"
    for etag in (plain, small):
        assert client.get(url, headers={"If-None-Match": etag}).status_code == 304


def test_a_worker_compresses_its_long_answers(client: TestClient) -> None:
    asked = {"source": {"shape": [1, 4, 128, 128], "layout": "NCHW"}, "target": "NHWC"}
    plain = client.post("/api/v1/reorder", json=asked, headers={"Accept-Encoding": "identity"})
    assert plain.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers
    for coding in ("gzip", "br"):
        answer = client.post("/api/v1/reorder", json=asked, headers={"Accept-Encoding": coding})
        assert answer.headers["content-encoding"] == coding
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.json()["values"] == plain.json()["values"]


def test_a_part_of_a_file_is_not_compressed() -> None:
    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(b"0123456789" * 1000, media_type="application/json")(scope, receive, send)

    client = TestClient(Compression(whole))
    assert "content-encoding" in client.get("/").headers
    assert "content-encoding" not in client.get("/", headers={"Range": "bytes=0-9"}).headers


def test_a_redirect_names_no_host(client: TestClient) -> None:
    for path in (f"{DESCRIBE}/", "/docs/"):
        answer = client.get(path, headers={"Host": "evil.example"}, follow_redirects=False)
        assert answer.status_code == 307
        assert answer.headers["location"] == path.rstrip("/")
    answer = client.get("//evil.example/docs/", follow_redirects=False)
    assert "evil" not in answer.headers.get("location", "")


def test_another_media_type_is_not_to_be_had(client: TestClient) -> None:
    assert_problem(client.post(DESCRIBE, json=TENSOR, headers={"Accept": "text/html"}), 406)
    for accept in ("application/json", "*/*", "application/*", "text/html, */*;q=0.1"):
        answer = client.post(DESCRIBE, json=TENSOR, headers={"Accept": accept})
        assert answer.status_code == 200, accept
    # A problem is sent whatever the caller would rather have.
    wrong = client.post(DESCRIBE, json={"shape": []}, headers={"Accept": "text/html"})
    assert_problem(wrong, 422, "layout")


@pytest.mark.parametrize(
    ("accept", "media", "admitted"),
    [
        ("application/json;q=0, */*", "application/json", False),
        ("application/octet-stream", "application/x-npy", True),
        ("application/octet-stream", "application/json", False),
        ("image/*", "image/svg+xml", True),
        ("application/json; charset=utf-8", "application/json", True),
        ("application/json;q=no", "application/json", True),
        ("x" * 600, "application/json", True),
    ],
)
def test_what_an_accept_header_admits(accept: str, media: str, *, admitted: bool) -> None:
    assert is_acceptable(accept, media) == admitted


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, io.StringIO]]:
    """A program that logs, and what it logs."""
    out, log = io.StringIO(), RequestLog()
    monkeypatch.setattr("app.api.edge.outside.sys", SimpleNamespace(stderr=out))
    log.on = True
    app = create_app()
    app.middleware_stack = Outside(app.build_middleware_stack(), Metrics(), log)
    with TestClient(app) as client:
        yield client, out


def test_the_log_has_a_line_of_json_for_each_request(
    logged: tuple[TestClient, io.StringIO],
) -> None:
    client, out = logged
    sent = client.get(f"{DESCRIBE}?shape=2&layout=W&secret", headers={"X-Request-Id": "r-1"})
    client.get("/nowhere/secret")
    client.request("BREW-secret", "/docs")
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(x["method"], x["route"], x["status"]) for x in lines] == [
        ("GET", DESCRIBE, 422),
        ("GET", "none", 404),
        ("other", "/docs", 405),
    ]
    assert lines[0]["request_id"] == "r-1"
    assert lines[0]["bytes"] == len(sent.content)
    assert 0 < lines[0]["seconds"] < 300
    names = "time level event method route status seconds bytes request_id"
    assert set(lines[0]) == set(names.split())
    assert "secret" not in out.getvalue()
    assert "testclient" not in out.getvalue()


def test_a_person_reads_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True)
    monkeypatch.setattr("app.api.edge.outside.sys", SimpleNamespace(stderr=out))
    sent: Any = SimpleNamespace(status="200", size_bytes=477, request_id=b"id")
    RequestLog().write("GET", "/docs", sent, 0.0123)
    assert out.getvalue() == "GET  /docs 200 12.3 ms 477 B\n"


def test_metrics_move_where_the_settings_say() -> None:
    with TestClient(create_app(Settings(metrics_path="/numbers"))) as client:
        assert client.get("/metrics").status_code == 404
        assert client.get("/numbers").status_code == 200
    with TestClient(create_app(Settings(metrics_path=""))) as client:
        assert client.get("/metrics").status_code == 404
