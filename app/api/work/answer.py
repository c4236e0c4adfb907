"""The answer of a worker, sent piece by piece as the caller reads it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .budget import Share

_PIECE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker answered: ``content`` is held by ``share``."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: memoryview
    share: Share


class HeldResponse(Response):
    """Sends an answer, and gives its memory back when it is sent, or if sending fails."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(None, answer.status)
        self.raw_headers = answer.headers
        self._content = answer.content
        self._share = answer.share

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it in pieces. Each is a copy: the server keeps a piece until it is sent."""
        content, self._content = self._content, memoryview(b"")
        start = {
            "type": "http.response.start",
            "status": self.status_code,
            "headers": self.raw_headers,
        }
        try:
            await send(start)
            for at in range(0, len(content), _PIECE_BYTES):
                piece = bytes(content[at : at + _PIECE_BYTES])
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            del content
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._share.release()
