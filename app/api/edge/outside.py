"""The outermost layer: CORS, request ids, what each request cost, what WebSockets are told."""

from __future__ import annotations

import os
import re
from time import perf_counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...negotiation import is_acceptable
from ..metrics import Metrics, route_of
from ..problems import problem
from .log import RequestLog

_API: Final = "/api/v1/"
_ID: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OPEN: Final = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"ETag, X-Request-Id, Retry-After, X-Stridescope-Plan, Content-Disposition",
    ),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
_PREFLIGHT: Final = [
    *_OPEN,
    (b"access-control-allow-methods", b"GET, HEAD, POST"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
]


class Outside:
    """Pure ASGI middleware, the outermost but for the security headers: inside it would miss
    failures. ``log``: None to log no requests."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: RequestLog) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await _refuse(scope, receive, send)
        elif scope["type"] == "http":
            await self._observed(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _observed(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = _Sent(scope, send)
        start = perf_counter()
        try:
            if sent.open and scope["method"] == "OPTIONS" and sent.preflight:
                await _answer_preflight(sent)
            else:
                await self._app(scope, receive, sent)
        finally:
            seconds = perf_counter() - start
            route = route_of(scope)
            self._metrics.count(scope["method"], route, sent.status, seconds)
            if self._log.on:
                self._log.write(
                    scope, route, sent.status, seconds, sent.size_bytes, sent.request_id
                )


class _Sent:
    """``send`` for one request: adds headers, and notes the status and the bytes."""

    __slots__ = (
        "_refused",
        "_send",
        "accept",
        "open",
        "path",
        "preflight",
        "request_id",
        "size_bytes",
        "status",
    )

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self.status = "none"  # if the caller disconnects before the answer starts
        self.size_bytes = 0
        self.accept = b""
        self.path = scope["path"]
        self.open = self.path.startswith(_API)
        self.preflight = False
        self._refused = False
        given = None
        for name, value in scope["headers"]:
            if name == b"x-request-id":
                given = value
            elif name == b"accept":
                self.accept = value if not self.accept else self.accept + b"," + value
            elif name == b"access-control-request-method":
                self.preflight = True
        well_formed = given is not None and _ID.fullmatch(given)
        self.request_id: bytes = given if given and well_formed else os.urandom(8).hex().encode()

    async def __call__(self, message: Message) -> None:
        kind = message["type"]
        if kind == "http.response.start":
            if (
                self.open
                and message["status"] == 200
                and self.accept
                and self._not_acceptable(message["headers"])
            ):
                self._refused = True
                await self._send_406()
                return
            self._start(message)
        elif self._refused:
            return
        elif kind == "http.response.body":
            self.size_bytes += len(message.get("body", b""))
        await self._send(message)

    def _start(self, message: Message) -> None:
        status: int = message["status"]
        self.status = str(status)
        headers: list[tuple[bytes, bytes]] = message["headers"]
        headers.append((b"x-request-id", self.request_id))
        if self.open:
            headers += _OPEN
        if 300 <= status < 400:
            message["headers"] = [_without_host(pair) for pair in headers]

    def _not_acceptable(self, headers: list[tuple[bytes, bytes]]) -> bool:
        media = next((value for name, value in headers if name == b"content-type"), None)
        return media is not None and not is_acceptable(
            self.accept.decode("latin-1"), media.decode("latin-1")
        )

    async def _send_406(self) -> None:
        answer = problem(406, "Accept: this call answers in another media type.")
        headers = [*answer.raw_headers]
        message: Message = {"type": "http.response.start", "status": 406, "headers": headers}
        self._start(message)
        await self._send(message)
        self.size_bytes = len(answer.body)
        await self._send({"type": "http.response.body", "body": bytes(answer.body)})


def _without_host(pair: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A redirect stays on the host that was asked, whatever the Host header says."""
    name, value = pair
    if name != b"location" or not value.startswith((b"http://", b"https://")):
        return pair
    path = b"/" + value.split(b"/", 3)[3].lstrip(b"/") if value.count(b"/") >= 3 else b"/"
    return name, path


async def _answer_preflight(sent: _Sent) -> None:
    sent.open = False  # its headers are in the answer
    start: Message = {"type": "http.response.start", "status": 204, "headers": [*_PREFLIGHT]}
    await sent(start)
    await sent({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a WebSocket with a problem, or close it where the server cannot send one."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1000})
        return
    answer = problem(404, "There are no WebSockets here; /docs lists the paths.")
    start = {
        "type": "websocket.http.response.start",
        "status": 404,
        "headers": answer.raw_headers,
    }
    await send(start)
    await send({"type": "websocket.http.response.body", "body": bytes(answer.body)})
