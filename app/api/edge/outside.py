"""The outermost layer: CORS, request ids, refusals as answers, the metrics and the log of requests.

The log has one line for each request, JSON unless a person reads it at a terminal. It replaces
uvicorn's access log, on the same conditions: where that one is off, so is this one. A line has no
address and no query, because both are the caller's.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter, time
from typing import Final

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...engine.model.errors import phrase
from ...negotiation import is_acceptable, prefers
from ..metrics import METHODS, Metrics, route_of
from ..problems import MEDIA_TYPE, head_refusal, problem

HELD: Final = "stridescope.held"  # in a scope: a list of what is called when the request ends
_OTHER_MEDIA: Final = phrase("media.accept")
_ID: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OPEN: Final = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"ETag, X-Request-Id, Retry-After, X-Stridescope-Plan, Content-Disposition, "
        b"Preference-Applied",
    ),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
_REFUSALS: Final = {400, 422}  # of input; a browser logs each such status as an error
_PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "*",
    "access-control-max-age": "86400",
}


class Outside:
    """Pure ASGI middleware, the outermost but for the security headers: inside it would miss
    failures. ``log``: None to log no requests."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: RequestLog) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = _Sent(scope, receive, send)
        start, method = perf_counter(), scope["method"]
        # HEAD is answered as GET: the server sends no body.
        held: list[Callable[[], None]] = []
        scope = {**scope, "method": "GET" if method == "HEAD" else method, HELD: held}
        answer = head_refusal(scope) or self._app
        if sent.open and method == "OPTIONS" and sent.preflight:
            answer = Response(status_code=204, headers=_PREFLIGHT)
        try:
            await answer(scope, receive, sent)
        finally:
            for release in held:
                release()
            seconds = perf_counter() - start
            route = route_of(scope)
            self._metrics.count(method, route, sent.status, seconds)
            if self._log.on:
                self._log.write(method, route, sent, seconds)


class _Sent:
    """``send`` for one request: adds headers, and notes the status and the bytes."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self.status = "none"  # if the caller disconnects before the answer starts
        self.size_bytes = 0
        self.open = scope["path"].startswith("/api/v1/")
        self._refused = False
        asked = Headers(scope=scope)
        self._accept = ",".join(asked.getlist("accept"))
        self._asked = asked
        self.preflight = "access-control-request-method" in asked
        given = asked.get("x-request-id", "").encode("latin-1")
        self.request_id = given if _ID.fullmatch(given) else os.urandom(8).hex().encode()

    async def __call__(self, message: Message) -> None:
        if self._refused:
            return
        if message["type"] == "http.response.start":
            if self.open and message["status"] == 200 and self._accept:
                media = Headers(raw=message["headers"]).get("content-type")
                if media is not None and not is_acceptable(self._accept, media):
                    await problem(406, _OTHER_MEDIA)(self._scope, self._receive, self)
                    self._refused = True
                    return
            if self.open and message["status"] in _REFUSALS:
                self._answer_refusal(message)
            status: int = message["status"]
            self.status = str(status)
            headers: list[tuple[bytes, bytes]] = message["headers"]
            headers += [(b"x-request-id", self.request_id), *(_OPEN if self.open else ())]
            if 300 <= status < 400:
                message["headers"] = [_without_host(pair) for pair in headers]
        self.size_bytes += len(message.get("body", b""))
        await self._send(message)

    def _answer_refusal(self, start: Message) -> None:
        """Make 200 of a refusal for who prefers that; its document keeps the refusal's status."""
        headers = MutableHeaders(raw=start["headers"])
        if headers.get("content-type") != MEDIA_TYPE:
            return
        headers.add_vary_header("Prefer")
        if prefers(",".join(self._asked.getlist("prefer")), "refusal", "answer"):
            headers["Preference-Applied"] = "refusal=answer"
            headers["Cache-Control"] = "no-store"  # as 422, which no cache keeps unasked
            start["status"] = 200


def _without_host(pair: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A redirect stays on the host that was asked, whatever the Host header says."""
    name, value = pair
    if name != b"location" or not value.startswith((b"http://", b"https://")):
        return pair
    path = b"/" + value.split(b"/", 3)[3].lstrip(b"/") if value.count(b"/") >= 3 else b"/"
    return name, path


class RequestLog(logging.Formatter):
    """Writes to standard error while it is ``on``, as ``replace_uvicorn`` decides."""

    on = False

    def replace_uvicorn(self) -> None:
        """Take the place of uvicorn's access log, if there is one; let its other lines follow."""
        theirs = logging.getLogger("uvicorn.access")
        if not (theirs.hasHandlers() and theirs.isEnabledFor(logging.INFO)):
            return
        self.on = bool(theirs.handlers)
        theirs.handlers, theirs.propagate = [], False
        if not sys.stderr.isatty():
            for handler in logging.getLogger("uvicorn").handlers:
                handler.setFormatter(self)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of another logger."""
        more = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
        return _json_line(record.levelname.lower(), record.getMessage(), **more)

    def write(self, method: str, route: str, sent: _Sent, seconds: float) -> None:
        """Write the line of one request. ``route``: the template, never the path."""
        method = method if method in METHODS else "other"
        if sys.stderr.isatty():
            line = f"{method:4} {route} {sent.status} {1000 * seconds:.1f} ms {sent.size_bytes} B"
        else:
            line = _json_line(
                "info",
                "request",
                method=method,
                route=route,
                status=int(sent.status) if sent.status.isdigit() else None,
                seconds=round(seconds, 6),
                bytes=sent.size_bytes,
                request_id=sent.request_id.decode("ascii"),
            )
        sys.stderr.write(line + "\n")


def _json_line(level: str, event: str, **more: object) -> str:
    now = datetime.fromtimestamp(time(), UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"time": now, "level": level, "event": event, **more}).decode()
