"""A file over HTTP: reads the body only as far as needed, sends the answer in large slices."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .room import Buffer

SLICE_BYTES = 1 << 20  # smaller slices reduce the rate by a third


class Body:
    """A request's body, read in order. If the sender disconnects, the body ends there.

    ``idle_seconds``: how long to wait for more bytes. Errors: TimeoutError.
    """

    def __init__(self, request: Request, idle_seconds: float) -> None:
        self._receive = request.receive
        self._idle_seconds = idle_seconds
        self._parts: list[bytes] = []
        self._ended = False

    async def peek(self, size_bytes: int) -> bytes:
        """Return the next bytes without consuming them; fewer if the body ends."""
        await self._fill(size_bytes)
        self._parts = [b"".join(self._parts)]
        return self._parts[0][:size_bytes]

    async def read_into(self, buffer: Buffer) -> int:
        """Fill ``buffer`` and return the number of bytes written; fewer if the body ends.

        Errors: BusyError if the disk is full.
        """
        at, size_bytes = 0, len(buffer.content)
        while at < size_bytes:
            piece = await self._take(size_bytes - at, 1 if buffer.in_memory else SLICE_BYTES)
            if not piece:
                break
            await buffer.write(at, piece)
            at += len(piece)
        return at

    async def skip(self, size_bytes: int) -> int:
        """Skip bytes and return the number of bytes skipped; fewer if the body ends."""
        passed = 0
        while passed < size_bytes and (piece := await self._take(size_bytes - passed, 1)):
            passed += len(piece)
        return passed

    async def _take(self, most_bytes: int, least_bytes: int) -> bytes:
        await self._fill(min(most_bytes, least_bytes))
        joined = b"".join(self._parts) if len(self._parts) != 1 else self._parts[0]
        self._parts = [joined[most_bytes:]] if len(joined) > most_bytes else []
        return joined[:most_bytes]

    async def _fill(self, least_bytes: int) -> None:
        held = sum(map(len, self._parts))
        while held < least_bytes and not self._ended:
            async with asyncio.timeout(self._idle_seconds):
                message = await self._receive()
            chunk = message.get("body", b"")
            self._ended = not message.get("more_body", False)
            if chunk:
                self._parts.append(chunk)
                held += len(chunk)


class SlicedResponse(Response):
    """Sends a header and a buffer. Releases the buffer when it is sent, or if sending fails."""

    def __init__(
        self,
        head: bytes,
        buffer: Buffer,
        *,
        media_type: str,
        headers: Mapping[str, str],
        idle_seconds: float,
    ) -> None:
        size = {"Content-Length": str(len(head) + len(buffer.content))}
        super().__init__(None, 200, {**headers, **size}, media_type)
        self._head = head
        self._buffer = buffer
        self._idle_seconds = idle_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        size_bytes = len(self._buffer.content)
        try:
            await send(start)
            await send({"type": "http.response.body", "body": self._head, "more_body": True})
            for at in range(0, size_bytes, SLICE_BYTES):
                piece = await self._buffer.read(at, SLICE_BYTES)
                if self._buffer.in_memory and at + 2 * SLICE_BYTES >= size_bytes:
                    # The server may hold the last two for as long as it likes. A view of the buffer
                    # would hold all of it, after its room is given to another call.
                    piece = memoryview(bytes(piece))
                async with asyncio.timeout(self._idle_seconds):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            return  # the server closes a connection whose answer is not complete
        finally:
            self._buffer.release()
