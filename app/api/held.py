"""Answers whose bytes are held until they are sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class HeldResponse(Response):
    """Sends ``pieces``, and calls ``release`` when they are sent, or if sending fails.

    The server keeps a piece until it is sent, so a view must not outlive ``release``.
    """

    def __init__(
        self, pieces: AsyncGenerator[Any, None], release: Callable[[], None], status: int = 200
    ) -> None:
        super().__init__(None, status)
        self._pieces, self._release = pieces, release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        try:
            await send({**start, "headers": self.raw_headers})
            async with aclosing(self._pieces) as pieces:
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._release()
