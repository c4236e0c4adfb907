"""Refuses a request whose URL or headers are too long, and what the server itself cannot parse."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from starlette.responses import Response
from starlette.types import Scope

from ..engine.model.errors import Phrase
from .problems import error_response, problem, too_large

MAX_URL_BYTES: Final = 60 * 2**10  # the server itself parses up to 64 KiB
MAX_HEADER_BYTES: Final = 64 * 2**10
MOST_HEADERS: Final = 256


def head_refusal(scope: Scope) -> Response | None:
    """The answer to a request whose URL or headers are too long, None for all others."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    if len(path) + len(scope["query_string"]) > MAX_URL_BYTES:
        return _too_much(414)
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return _too_much(431)
    return None


def _too_much(status: int) -> Response:
    field, most = ("url", MAX_URL_BYTES) if status == 414 else ("headers", MAX_HEADER_BYTES)
    return error_response(too_large(most, status, field))


def raw_refusal(status: int, default_headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the whole answer, head and body, to a request that the application never sees.

    It is the last one of its connection.
    """
    said = _DETAILS.get(status)
    answer = problem(status, said) if said else _too_much(status)
    named = [*default_headers, *answer.raw_headers, (b"connection", b"close")]
    named += [(b"retry-after", b"1")] if status == 503 else []
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
    lines = (name + b": " + value for name, value in named)
    return b"\r\n".join([first, *lines, b"", bytes(answer.body)])


_DETAILS: Final = {
    400: Phrase("http.unreadable", "The request is not HTTP that this server can read."),
    408: Phrase("body.late", "The rest of the body did not arrive in time."),
    503: Phrase("server.connections", "The server has too many connections; try again later."),
}
