"""Keeps the bytes of answers, so that a question asked again costs no parsing and no thread.

An answer is kept under the exact bytes of its question: method, path, query and body. So two
questions that only mean the same, such as `1` and `1.0` or another order of names, are two. Kept
are only answers with status 200 of calls that depend on nothing else; errors never are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..metrics import Metrics

Headers = list[tuple[bytes, bytes]]

_MOST_QUESTION_BYTES: Final = 4096
_MOST_ANSWER_BYTES: Final = 1 << 18
_OVERHEAD_BYTES: Final = 1024  # what Python keeps beside the bytes
_PREFIX: Final = "/api/v1/"
# Their answers depend on the body alone, and it is usually small.
_POSTS: Final = frozenset(
    f"{_PREFIX}{name}"
    for name in ("describe", "read", "offsets", "coordinates", "slice", "view", "elementwise")
)
_KEPT_304: Final = frozenset({b"etag", b"cache-control"})


@dataclass(slots=True)
class Answer:
    """One answer. ``route``: the route that gave it, which metrics and logs name.

    ``encoded``: the same body by content coding, filled by the compression outside.
    """

    headers: Headers
    body: bytes
    route: Any
    etag: bytes | None
    encoded: dict[str, bytes] = field(default_factory=dict)
    size_bytes: int = 0


class Answers:
    """At most ``most_bytes`` of answers; what was not asked for longest makes room first."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.held_bytes = 0
        self.hits = 0
        self.misses = 0
        self.dropped = 0
        self._kept: OrderedDict[bytes, Answer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: bytes) -> Answer | None:
        """The answer to a question, which counts as used now."""
        found = self._kept.get(key)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        self._kept.move_to_end(key)
        return found

    def keep(self, key: bytes, answer: Answer) -> None:
        """Keep an answer, if it is not too large."""
        size_bytes = len(key) + len(answer.body) + _OVERHEAD_BYTES
        if len(answer.body) > _MOST_ANSWER_BYTES or size_bytes > self.most_bytes:
            return
        answer.size_bytes = size_bytes
        before = self._kept.pop(key, None)
        self.held_bytes += answer.size_bytes - (before.size_bytes if before else 0)
        self._kept[key] = answer
        self._make_room()

    def encode(self, answer: Answer, coding: str, body: bytes) -> None:
        """Keep another form of a kept answer."""
        if answer.encoded.setdefault(coding, body) is body and answer.size_bytes:
            answer.size_bytes += len(body)
            self.held_bytes += len(body)
            self._make_room()

    def _make_room(self) -> None:
        while self.held_bytes > self.most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self.held_bytes -= oldest.size_bytes
            oldest.size_bytes = 0  # whoever is sending it keeps nothing more in it
            self.dropped += 1

    def report_to(self, metrics: Metrics) -> None:
        """Give its figures to the metrics."""
        metrics.figure("answers_found", "Questions whose answer was kept.", lambda: self.hits)
        metrics.figure("answers_missed", "Questions whose answer was not.", lambda: self.misses)
        metrics.figure("answers_dropped", "Answers that made room.", lambda: self.dropped)
        metrics.level("answers_kept_bytes", "Bytes of kept answers.", lambda: self.held_bytes)


class KeptAnswers:
    """Pure ASGI middleware that answers from ``answers``, and keeps what ``app`` answers."""

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self._app = app
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_PREFIX):
            await self._app(scope, receive, send)
            return
        method, condition = scope["method"], None
        if method == "POST":
            if scope["path"] not in _POSTS or not _is_small_json(scope["headers"]):
                await self._app(scope, receive, send)
                return
            first = await receive()
            if first["type"] != "http.request" or first.get("more_body"):
                await self._app(scope, _again(first, receive), send)
                return
            receive, body = _again(first, receive), first.get("body", b"")
        elif method in {"GET", "HEAD"}:
            body = b""
            condition = _condition(scope["headers"])
        else:
            await self._app(scope, receive, send)
            return
        key = _key(method, scope, body)
        answer = self._answers.find(key) if len(key) <= _MOST_QUESTION_BYTES else None
        if answer is not None:
            await _send(answer, condition, scope, send)
        elif len(key) <= _MOST_QUESTION_BYTES:
            await self._app(scope, receive, self._keeping(key, scope, send))
        else:
            await self._app(scope, receive, send)

    def _keeping(self, key: bytes, scope: Scope, send: Send) -> Send:
        headers: Headers | None = None

        async def send_and_keep(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start":
                headers = [*message["headers"]] if message["status"] == 200 else None
            elif headers is not None:
                if message.get("more_body"):
                    headers = None
                else:
                    self._keep(key, scope, headers, message.get("body", b""))
            await send(message)

        return send_and_keep

    def _keep(self, key: bytes, scope: Scope, headers: Headers, body: bytes) -> None:
        etag = next((value for name, value in headers if name == b"etag"), None)
        # An answer to GET says by its ETag that it depends on the URL alone.
        if (etag is not None or scope["method"] == "POST") and isinstance(body, bytes):
            answer = Answer(headers, body, scope.get("route"), etag)
            self._answers.keep(key, answer)
            scope[ANSWER] = answer


ANSWER: Final = "stridescope.answer"  # in a scope, for the compression outside


def _key(method: str, scope: Scope, body: bytes) -> bytes:
    path = scope.get("raw_path") or scope["path"].encode()
    front = b"POST " if method == "POST" else b"GET "  # HEAD is GET without its body
    return b"".join((front, path, b"?", scope["query_string"], b"\n", body))


def _is_small_json(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the body is declared as plain JSON of few bytes."""
    media = length = None
    for name, value in headers:
        if name == b"content-type":
            media = value if media is None else b""
        elif name == b"content-length":
            length = value if length is None else b""
        elif name in {b"content-encoding", b"transfer-encoding"}:
            return False
    if media != b"application/json" or length is None or not length.isdigit():
        return False
    return len(length) <= 4 and int(length) <= _MOST_QUESTION_BYTES


def _condition(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    return next((value for name, value in headers if name == b"if-none-match"), None)


def etag_matches(etag: bytes, condition: bytes) -> bool:
    """Whether If-None-Match names this ETag, weakly compared, as 304 needs it."""
    known = {tag.strip().removeprefix(b"W/") for tag in condition.split(b",")}
    return etag.removeprefix(b"W/") in known or b"*" in known


def _again(first: Message, receive: Receive) -> Receive:
    """``receive`` with a message before those that come."""
    waiting: list[Message] = [first]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


async def _send(answer: Answer, condition: bytes | None, scope: Scope, send: Send) -> None:
    scope["route"] = answer.route
    etag = answer.etag
    if etag is not None and condition is not None and etag_matches(etag, condition):
        headers = [pair for pair in answer.headers if pair[0] in _KEPT_304]
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    scope[ANSWER] = answer
    start = {"type": "http.response.start", "status": 200, "headers": [*answer.headers]}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body})
