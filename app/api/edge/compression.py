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
    """Pure ASGI middleware. The start of an answer waits for its bytes: they tell what it says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        coding = None if "range" in asked else best_coding(asked.get("accept-encoding", ""))
        starts: list[Message] = []  # the one that waits

        async def outgoing(message: Message) -> None:
            if message["type"] == "http.response.start":
                if _is_compressible(message, coding):
                    starts.append(message)
                    return
            elif starts:
                start, body = starts.pop(), message.get("body", b"")
                if not message.get("more_body", False):
                    headers = MutableHeaders(raw=start["headers"])
                    if len(body) > _AT_ONCE_BYTES:
                        body = await run_in_threadpool(compress, headers, body, coding)
                    else:
                        body = compress(headers, body, coding)
                    message = {**message, "body": body}
                await send(start)
            await send(message)

        await self._app(scope, receive, outgoing)


def _is_compressible(start: Message, coding: Coding | None) -> bool:
    """Whether the body may be compressed; says that the answer depends on Accept-Encoding."""
    headers, status = MutableHeaders(raw=start["headers"]), start["status"]
    if status == 304 and coding is not None and "vary" not in headers:
        _weaken(headers)
    is_text = _is_text(headers)
    if is_text or status == 304:
        headers.setdefault("Vary", "Accept-Encoding")
    return coding is not None and is_text and status != 206 and "content-encoding" not in headers


def compress(headers: MutableHeaders, body: bytes, coding: Coding | None) -> bytes:
    """Return a whole body in a coding, which its headers say then; as it is if that gains little.

    A worker compresses its answers itself, because they are sent in pieces.
    """
    if coding is None or len(body) < _LEAST_BYTES or not _is_text(headers):
        return body
    body = (_kept if len(body) <= _KEPT_BYTES else compressed)(body, coding)
    headers["Content-Encoding"] = coding
    headers["Content-Length"] = str(len(body))
    _weaken(headers)
    return body


def _is_text(headers: Headers) -> bool:
    return _TEXT.match(headers.get("content-type", "")) is not None


def _weaken(headers: MutableHeaders) -> None:
    etag = headers.get("etag")
    if etag is not None and not etag.startswith("W/"):
        headers["ETag"] = f"W/{etag}"
