"""Too long a URL, too many headers and what is no HTTP are refused as everything else is."""

import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.testclient import TestClient

from app.api.problems import MAX_HEADER_BYTES, MAX_URL_BYTES
from app.main import create_app
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
def port() -> Iterator[int]:
    """The program under uvicorn with httptools."""
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="critical", http="httptools"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while thread.is_alive() and not server.started:
            thread.join(0.02)
        yield int(listener.getsockname()[1])
        server.should_exit = True
        thread.join()


def answer(port: int, request: bytes) -> tuple[str, dict[str, str], str]:
    """The status line, headers and body of the answer to bytes on the wire."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as wire:
        wire.sendall(request)
        received = b""
        while piece := wire.recv(1 << 16):
            received += piece
    head, _, body = received.decode().partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    return status, dict(line.lower().split(": ", 1) for line in lines), body


@pytest.mark.parametrize(
    ("request_head", "status", "title"),
    [
        (b"NONSENSE\r\n\r\n", "400 Bad Request", '"title":"Bad Request"'),
        (b"GET /a b HTTP/1.1\r\n\r\n", "400 Bad Request", '"title":"Bad Request"'),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "400 Bad Request",
            '"title":"Bad Request"',
        ),
        (
            b"GET /?" + b"A" * 62_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "414 ",
            '"field":"url"',
        ),
        (b"GET /?" + b"A" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", "414 ", '"field":"url"'),
    ],
    ids=["no-http", "blank", "length", "long-url", "longer-than-the-parser-reads"],
)
def test_what_the_server_refuses_is_a_problem_document(
    port: int, request_head: bytes, status: str, title: str
) -> None:
    line, headers, body = answer(port, request_head)
    assert line.startswith(f"HTTP/1.1 {status}")
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    assert int(headers["content-length"]) == len(body)
    assert title in body
    assert "AAAA" not in body
