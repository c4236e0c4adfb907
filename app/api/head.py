"""Refuses a request whose URL or headers are too long, and what the server itself cannot parse."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..engine.model.errors import Phrase
from .problems import error_response, problem, too_large

MAX_URL_BYTES: Final = 60 * 2**10  # the server itself parses up to 64 KiB
MAX_HEADER_BYTES: Final = 64 * 2**10
MOST_HEADERS: Final = 256


class HeadLimits:
    """Pure ASGI middleware that answers 414 or 431 to too long a URL or too many headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> Response | None:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    if len(path) + len(scope["query_string"]) > MAX_URL_BYTES:
        return _long_url()
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return _too_much(431, "headers", MAX_HEADER_BYTES)
    return None


def _long_url() -> Response:
    return _too_much(414, "url", MAX_URL_BYTES)


def _too_much(status: int, field: str, most: int) -> Response:
    return error_response(too_large(most, status, field))


def raw_refusal(status: int, default_headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the whole answer, head and body, to a request that the application never sees.

    It is the last one of its connection.
    """
    if status == 414:
        answer = _long_url()
    elif status == 431:
        answer = _too_much(431, "headers", MAX_HEADER_BYTES)
    else:
        answer = problem(status, _DETAILS[status])
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
