"""Kept answers: the same bytes as an answer that is worked out, and never to another question."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from app.api.answers import Answers
from app.main import create_app
from app.settings import Settings

DESCRIBE = "/api/v1/describe"
TENSOR: dict[str, Any] = {"shape": [2, 64, 3, 3], "layout": "NCHW4"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def fresh() -> Iterator[TestClient]:
    """A program of its own, and so kept answers of its own."""
    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


def found(client: httpx2.Client) -> float:
    """How many answers were found kept."""
    lines = client.get("/metrics").text.splitlines()
    name = "stridescope_answers_found_total"
    return float(next(line.split()[1] for line in lines if line.startswith(name)))


def test_an_answer_that_was_kept_is_the_same(fresh: TestClient) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("describe", TENSOR),
        ("read", {"text": "(5, 1)"}),
        ("offsets", {"tensor": TENSOR, "coordinates": [[0, 1, 2, 0]]}),
        ("coordinates", {"tensor": TENSOR, "offsets": [0, 5]}),
        ("slice", {"tensor": TENSOR, "index": "0, ::-1, 1:3"}),
        ("view", {"tensor": TENSOR, "steps": [{"op": "flip", "dim": 0}]}),
        ("elementwise", {"operands": [{"shape": [2, 3], "layout": "WH"}]}),
    ]
    for name, body in calls:
        first, second = (fresh.post(f"/api/v1/{name}", json=body) for _ in range(2))
        assert first.status_code == second.status_code == 200, name
        assert first.content == second.content
        different = {"x-request-id"}
        assert {k: v for k, v in first.headers.items() if k not in different} == {
            k: v for k, v in second.headers.items() if k not in different
        }
    before = found(fresh)
    for name, body in calls:
        fresh.post(f"/api/v1/{name}", json=body)
    assert found(fresh) == before + len(calls)


def test_questions_that_differ_in_a_byte_are_different(fresh: TestClient) -> None:
    texts = [
        '{"shape":[1,4],"layout":"HW"}',
        '{"shape":[1,4], "layout":"HW"}',
        '{"layout":"HW","shape":[1,4]}',
    ]
    answers = [fresh.post(DESCRIBE, content=text, headers=JSON).content for text in texts]
    assert answers[0] == answers[1] == answers[2]
    refused = ['{"shape":[true,4],"layout":"HW"}', '{"shape":[1.0,4],"layout":"HW"}']
    for text in refused * 2:
        assert fresh.post(DESCRIBE, content=text, headers=JSON).status_code == 422


def test_errors_are_not_kept(fresh: TestClient) -> None:
    before = found(fresh)
    for _ in range(2):
        assert fresh.post(DESCRIBE, json={"shape": [2], "layout": "NCHX"}).status_code == 422
        assert fresh.get(f"{DESCRIBE}?shape=2&layout=NCHX").status_code == 422
        assert fresh.get("/api/v1/networks/nothing").status_code == 404
    assert found(fresh) == before


def test_a_kept_answer_needs_the_declared_media_type(fresh: TestClient) -> None:
    content = json.dumps(TENSOR)
    assert fresh.post(DESCRIBE, content=content, headers=JSON).status_code == 200
    for headers in ({}, {"Content-Type": "text/plain"}):
        assert fresh.post(DESCRIBE, content=content, headers=headers).status_code == 415
    for method in ("PUT", "DELETE"):
        assert fresh.request(method, DESCRIBE, content=content, headers=JSON).status_code == 405


def test_get_is_kept_with_its_etag(fresh: TestClient) -> None:
    url = f"{DESCRIBE}?shape=2,3&layout=HW&dtype=int8"
    first = fresh.get(url)
    assert re.search(r"max-age=\d+|no-cache", first.headers["cache-control"])
    assert fresh.get(f"{url}&dims=WH").headers["etag"] != first.headers["etag"]
    before = found(fresh)
    assert fresh.get(url).content == first.content
    head = fresh.head(url)
    assert head.headers["etag"].removeprefix("W/") == first.headers["etag"].removeprefix("W/")
    assert head.content == b""
    for condition in (first.headers["etag"], "*", f'"other", {first.headers["etag"]}'):
        again = fresh.get(url, headers={"If-None-Match": condition})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["cache-control"] == first.headers["cache-control"]
    assert fresh.get(url, headers={"If-None-Match": '"other"'}).content == first.content
    assert found(fresh) == before + 6


def test_metrics_name_the_route_of_a_kept_answer(fresh: TestClient) -> None:
    def counted() -> float:
        wanted = 'stridescope_requests_total{method="POST",route="/api/v1/read",status="200"}'
        lines = fresh.get("/metrics").text.splitlines()
        return next((float(x.split()[-1]) for x in lines if x.startswith(wanted)), 0)

    before = counted()
    for _ in range(3):
        fresh.post("/api/v1/read", json={"text": "(7, 1)"})
    assert counted() == before + 3


def test_nothing_is_kept_where_the_setting_says_so() -> None:
    with TestClient(create_app(Settings(answer_cache_bytes=0))) as client:
        for _ in range(2):
            assert client.post(DESCRIBE, json=TENSOR).status_code == 200
        assert found(client) == 0


def test_it_never_holds_more_than_it_may() -> None:
    answers = Answers(100_000)
    for i in range(200):
        answers.keep(b"%d" % i, b"x" * 3000)
        assert answers.held_bytes <= 100_000
    assert answers.find(b"0") is None
    assert answers.find(b"199") is not None
    for question, body in ((b"huge", b"x" * 200_000), (b"q" * 5000, b"x")):
        answers.keep(question, body)
        assert answers.find(question) is None


def test_what_is_used_stays() -> None:
    answers = Answers(10 * (1024 + 1 + 1000))
    for i in range(10):
        answers.keep(b"%d" % i, b"x" * 1000)
    assert answers.find(b"0") is not None
    answers.keep(b"x", b"x" * 1000)
    assert answers.find(b"0") is not None
    assert answers.find(b"1") is None
