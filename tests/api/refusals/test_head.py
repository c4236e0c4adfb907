"""Too long a URL, too many headers and what is no HTTP are refused as everything else is."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.api.problems import MAX_HEADER_BYTES, MAX_URL_BYTES
from tests.api.connections.served import Served, served
from tests.api.refusals.problems import MARKER, assert_problem

QUERY = "/api/v1/describe?shape=2,3&layout="


def test_a_url_over_the_limit_is_414(client: TestClient) -> None:
    longest = "A" * (MAX_URL_BYTES - len(QUERY.replace("?", "")))
    assert_problem(client.get(QUERY + longest), 422, "layout")
    assert_problem(client.get(QUERY + longest + "A"), 414, "url")
    assert_problem(client.get("/" + MARKER * 5200), 414, "url")


def test_headers_over_the_limit_are_431(client: TestClient) -> None:
    few = {"X-Few": "a" * (MAX_HEADER_BYTES // 2)}
    assert client.get("/api/v1/formats", headers=few).status_code == 200
    many = {f"X-{i}": MARKER * 100 for i in range(60)}
    assert_problem(client.get("/api/v1/formats", headers=many), 431, "headers")


@pytest.fixture(scope="module")
def program() -> Iterator[Served]:
    with served() as running:
        yield running


REST = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "status", "said"),
    [
        (b"NONSENSE\r\n\r\n", "400 Bad Request", '"title":"Bad Request"'),
        (b"GET /a b" + REST, "400 Bad Request", '"title":"Bad Request"'),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "400 Bad Request",
            '"title":"Bad Request"',
        ),
        (b"GET /?" + b"A" * 62_000 + REST, "414 ", '"field":"url"'),
        (b"GET /?" + b"A" * 200_000 + REST, "414 ", '"field":"url"'),
    ],
    ids=["no-http", "blank", "length", "long-url", "longer-than-the-parser-reads"],
)
def test_what_the_server_refuses_is_a_problem_document(
    program: Served, head: bytes, status: str, said: str
) -> None:
    headers, _, body = program.ask(head).decode().partition("\r\n\r\n")
    assert headers.startswith(f"HTTP/1.1 {status}")
    lines = headers.lower().split("\r\n")
    assert "content-type: application/problem+json" in lines
    assert "connection: close" in lines
    assert f"content-length: {len(body)}" in lines
    assert said in body
    assert "AAAA" not in body
