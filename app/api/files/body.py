"""A file over HTTP: reads the body only as far as needed, sends the answer in large slices."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from starlette.requests import Request

from .buffers import FileBuffer

SLICE_BYTES = 1 << 20  # smaller slices reduce the rate by a third


class Body:
    """A request's body, read in order. If the sender disconnects, the body ends there."""

    def __init__(self, request: Request) -> None:
        self._receive = request.receive
        self._parts: list[bytes] = []
        self._ended = False

    async def peek(self, size_bytes: int) -> bytes:
        """Return the next bytes without consuming them; fewer if the body ends."""
        await self._fill(size_bytes)
        self._parts = [b"".join(self._parts)]
        return self._parts[0][:size_bytes]

    async def read_into(self, buffer: FileBuffer) -> int:
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
            message = await self._receive()
            chunk = message.get("body", b"")
            self._ended = not message.get("more_body", False)
            if chunk:
                self._parts.append(chunk)
                held += len(chunk)


async def slices(head: bytes, buffer: FileBuffer) -> AsyncGenerator[bytes | memoryview, None]:
    """A header and what is in a buffer, in large pieces."""
    yield head
    size_bytes = len(buffer.content)
    for at in range(0, size_bytes, SLICE_BYTES):
        piece = await buffer.read(at, SLICE_BYTES)
        # The server may hold the last two for as long as it likes. A view of the buffer would
        # hold all of it, after its memory is given to another call.
        is_last = buffer.in_memory and at + 2 * SLICE_BYTES >= size_bytes
        yield bytes(piece) if is_last else piece
