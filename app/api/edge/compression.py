"""Compresses text for callers that take gzip or br.

Kept answers and static files keep their compressed form, so that it costs once. Other answers are
compressed as they are sent. A compressed answer has a weak ETag: it is the same text, not the same
bytes. An answer to a part of a file, and what is too short to gain, stays as it is.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import Any, Final, Protocol

import brotli
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import ANSWER, Answer, Answers

_LEAST_BYTES: Final = 1024
_AT_ONCE_BYTES: Final = 1 << 16  # of the bytes that are compressed on the event loop
_GZIP: Final = 31  # zlib's window bits of a gzip file
_TEXT = re.compile(
    rb"(?:text/(?!event-stream)|application/(?:[a-z.+-]*\+)?(?:json|xml|javascript)|image/svg\+xml)"
)
_ITEM = re.compile(r"\s*([A-Za-z0-9*_.-]+)\s*(?:;\s*[qQ]=([0-9.]+))?\s*")


class _Coder(Protocol):
    def more(self, data: bytes) -> bytes: ...

    def end(self) -> bytes: ...


class _Gzip:
    def __init__(self) -> None:
        self._coder = zlib.compressobj(1, zlib.DEFLATED, _GZIP)

    def more(self, data: bytes) -> bytes:
        return self._coder.compress(data)

    def end(self) -> bytes:
        return self._coder.flush()


class _Brotli:
    def __init__(self) -> None:
        self._coder = brotli.Compressor(quality=1)

    def more(self, data: bytes) -> bytes:
        return bytes(self._coder.process(data))

    def end(self) -> bytes:
        return bytes(self._coder.finish())


_CODERS: Final[dict[str, type[_Gzip] | type[_Brotli]]] = {"br": _Brotli, "gzip": _Gzip}


@lru_cache(maxsize=256)
def accepted(header: bytes) -> str | None:
    """The coding to use for an Accept-Encoding: br before gzip where both are liked equally."""
    if len(header) > 256:
        return None
    likes: dict[str, float] = {}
    for item in header.decode("latin-1").lower().split(","):
        found = _ITEM.fullmatch(item)
        if found is not None:
            try:
                likes[found[1]] = float(found[2] or 1)
            except ValueError:
                return None
    best = max(_CODERS, key=lambda name: likes.get(name, likes.get("*", 0)))
    return best if likes.get(best, likes.get("*", 0)) > 0 else None


def compressed(body: bytes, coding: str) -> bytes:
    """``body`` in a coding, at a quality that costs about 0.1 ms for a description."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=4))
    coder = zlib.compressobj(4, zlib.DEFLATED, _GZIP)
    return coder.compress(body) + coder.flush()


class Compression:
    """Pure ASGI middleware; it must stand directly outside the kept answers."""

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self._app = app
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        coding, ranged = _wishes(scope["headers"])
        out = _Outgoing(scope, send, None if ranged else coding, self._answers)
        await self._app(scope, receive, out)


def _wishes(headers: list[tuple[bytes, bytes]]) -> tuple[str | None, bool]:
    wish, ranged = b"", False
    for name, value in headers:
        if name == b"accept-encoding":
            wish = value
        elif name == b"range":
            ranged = True
    return accepted(wish) if wish else None, ranged


class _Outgoing:
    """``send`` for one answer: holds its start until it is known whether it is worth it."""

    __slots__ = ("_answers", "_coder", "_coding", "_held", "_scope", "_send")

    def __init__(self, scope: Scope, send: Send, coding: str | None, answers: Answers) -> None:
        self._scope, self._send, self._coding, self._answers = scope, send, coding, answers
        self._held: Message | None = None
        self._coder: _Coder | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body" and self._held is not None:
            start, self._held = self._held, None
            await self._first(start, message)
        elif self._coder is not None:
            await self._more(message)
        else:
            await self._send(message)

    async def _start(self, message: Message) -> None:
        headers = message["headers"]
        status = message["status"]
        media = next((value for name, value in headers if name == b"content-type"), b"")
        if status == 304:
            _weaken(headers, only=self._coding is not None and not _vary(headers))
            await self._send(message)
        elif _TEXT.match(media) is None or any(n == b"content-encoding" for n, _ in headers):
            await self._send(message)
        else:
            _vary(headers)
            if self._coding is None or self._scope["method"] == "HEAD" or status == 206:
                await self._send(message)
            else:
                self._held = message

    async def _first(self, start: Message, message: Message) -> None:
        body, coding = message.get("body", b""), self._coding
        assert coding is not None
        if message.get("more_body"):
            self._coder = _CODERS[coding]()
            await self._send(_encoded(start, coding, None))
            await self._more(message)
        elif len(body) < _LEAST_BYTES:
            await self._send(start)
            await self._send(message)
        else:
            small = await self._whole(body, coding)
            await self._send(_encoded(start, coding, len(small)))
            await self._send({"type": "http.response.body", "body": small})

    async def _whole(self, body: Any, coding: str) -> bytes:
        answer: Answer | None = self._scope.get(ANSWER)
        kept = answer if answer is not None and answer.body is body else None
        if kept is not None and coding in kept.encoded:
            return kept.encoded[coding]
        if len(body) > _AT_ONCE_BYTES:
            small = await run_in_threadpool(compressed, body, coding)
        else:
            small = compressed(body, coding)
        if kept is not None:
            self._answers.encode(kept, coding, small)
        return small

    async def _more(self, message: Message) -> None:
        assert self._coder is not None
        body = message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > _AT_ONCE_BYTES:
            small = await run_in_threadpool(self._coder.more, body)
        else:
            small = self._coder.more(body)
        if not more:
            small += self._coder.end()
        if small or not more:
            await self._send({"type": "http.response.body", "body": small, "more_body": more})


def _encoded(start: Message, coding: str, length: int | None) -> Message:
    """The start of an answer in a coding. ``length``: its bytes, if they are known."""
    headers = [pair for pair in start["headers"] if pair[0] != b"content-length"]
    headers.append((b"content-encoding", coding.encode()))
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    _weaken(headers, only=True)
    return {**start, "headers": headers}


def _weaken(headers: list[tuple[bytes, bytes]], *, only: bool) -> None:
    """Make the ETag a weak one, if ``only`` is true."""
    for at, (name, value) in enumerate(headers):
        if name == b"etag" and only and not value.startswith(b"W/"):
            headers[at] = (name, b"W/" + value)


def _vary(headers: list[tuple[bytes, bytes]]) -> bool:
    """Say that the answer depends on Accept-Encoding; return whether it said so, as files do."""
    said = any(name == b"vary" for name, _ in headers)
    if not said:
        headers.append((b"vary", b"Accept-Encoding"))
    return said
