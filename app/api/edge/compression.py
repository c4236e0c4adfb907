"""Compresses text for callers that take gzip or br.

A compressed answer has a weak ETag: it is the same text, not the same bytes. Static files and
workers bring their own coding. Answers to a part of a file, and what is too short to gain, stay as
they are.
"""

import re
from functools import lru_cache
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...negotiation import Coding, best_coding, compressed

_LEAST_BYTES: Final = 1024
_AT_ONCE_BYTES: Final = 1 << 16  # of the bytes that are compressed on the event loop
_KEPT_BYTES: Final = 1 << 14
_TEXT: Final = re.compile(
    r"text/(?!event-stream)|application/(?:[a-z.+-]*\+)?(?:json|xml|javascript)|image/svg\+xml"
)
# Questions that are asked again have answers that are compressed again.
_kept = lru_cache(maxsize=256)(compressed)


class Compression:
    """Pure ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked = Headers(scope=scope)
            coding = None if "range" in asked else best_coding(asked.get("accept-encoding", ""))
            send = _Outgoing(send, coding, has_body=scope["method"] != "HEAD")
        await self._app(scope, receive, send)


class _Outgoing:
    """``send`` of one answer: holds its start until its bytes tell whether to compress."""

    def __init__(self, send: Send, coding: Coding | None, *, has_body: bool) -> None:
        self._send, self._coding, self._has_body = send, coding, has_body
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self._is_compressible(message):
                self._start = message
                return
        elif self._start is not None:
            start, self._start = self._start, None
            body = message.get("body", b"")
            if not message.get("more_body", False) and len(body) >= _LEAST_BYTES:
                message = {**message, "body": await self._coded(start, body)}
            await self._send(start)
        await self._send(message)

    def _is_compressible(self, start: Message) -> bool:
        """Whether the body may be compressed; says that the answer depends on Accept-Encoding."""
        headers, status = MutableHeaders(raw=start["headers"]), start["status"]
        if status == 304 and self._coding is not None and "vary" not in headers:
            _weaken(headers)
        is_text = _is_text(headers)
        if is_text or status == 304:
            headers.setdefault("Vary", "Accept-Encoding")
        wished = self._coding is not None and self._has_body and "content-encoding" not in headers
        return wished and is_text and status != 206

    async def _coded(self, start: Message, body: bytes) -> bytes:
        assert self._coding is not None
        headers = MutableHeaders(raw=start["headers"])
        if len(body) > _AT_ONCE_BYTES:
            body = await run_in_threadpool(compressed, body, self._coding)
        else:
            body = (_kept if len(body) <= _KEPT_BYTES else compressed)(body, self._coding)
        _say(headers, self._coding, body)
        return body


def compress(response: Response, coding: Coding | None) -> None:
    """Compress a whole answer; for a worker, whose answers are sent in pieces."""
    is_text = _is_text(response.headers)
    if coding is not None and is_text and len(response.body) >= _LEAST_BYTES:
        response.body = compressed(bytes(response.body), coding)
        _say(response.headers, coding, response.body)


def _is_text(headers: Headers) -> bool:
    return _TEXT.match(headers.get("content-type", "")) is not None


def _say(headers: MutableHeaders, coding: Coding, body: bytes) -> None:
    headers["Content-Encoding"] = coding
    headers["Content-Length"] = str(len(body))
    _weaken(headers)


def _weaken(headers: MutableHeaders) -> None:
    etag = headers.get("etag")
    if etag is not None and not etag.startswith("W/"):
        headers["ETag"] = f"W/{etag}"
