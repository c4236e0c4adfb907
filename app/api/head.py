"""Refuses a request whose URL or headers are too long, and what the server itself cannot parse.

uvicorn answers a request that is not HTTP, or whose URL has over 64 KiB, before the application
sees it, in plain text. Under a tested version of it, that answer is a problem document too.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import problem

MAX_URL_BYTES: Final = 60 * 2**10  # the server itself parses up to 64 KiB
MAX_HEADER_BYTES: Final = 64 * 2**10
# A private method is replaced below. Add a version only if test_head.py passes.
TESTED_VERSIONS: Final = frozenset({"0.54.0"})
_SERVER: Final = "uvicorn.protocols.http.httptools_impl"


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
    message = f"expected at most {most} bytes"
    return problem(status, f"{field}: {message}", [{"field": field, "message": message}])


def answer_unreadable_heads() -> None:
    """Let uvicorn, if it runs this process, refuse what it cannot parse with a problem document."""
    server: Any = sys.modules.get(_SERVER)  # None unless the server itself has imported it
    if server is not None and uvicorn.__version__ in TESTED_VERSIONS:
        server.HttpToolsProtocol.send_400_response = _send_problem


def _send_problem(protocol: Any, _message: str) -> None:
    # The parser reads no URL over 64 KiB: it fails after the last byte of the URL was stored.
    long_url = len(getattr(protocol, "url", b"")) > MAX_URL_BYTES
    detail = "The request is not HTTP that this server can read."
    answer = _long_url() if long_url else problem(400, detail)
    head = [f"HTTP/1.1 {answer.status_code} {_PHRASES[answer.status_code]}".encode()]
    named = [*protocol.server_state.default_headers, *answer.raw_headers]
    head += [name + b": " + value for name, value in (*named, (b"connection", b"close"))]
    protocol.transport.write(b"\r\n".join([*head, b"", bytes(answer.body)]))
    protocol.transport.close()


_PHRASES: Final = {400: "Bad Request", 414: "URI Too Long"}
