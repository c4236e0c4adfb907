"""Messages between the program and its workers: a kind, a length, that many bytes.

Workers use the functions, which wait; the program, on its event loop, uses ``Wire``. All raise
ConnectionError when the other side is gone.
"""

import asyncio
import socket
import struct
from typing import Final

_HEAD: Final = struct.Struct("!cQ")

JOB: Final = b"J"  # to a worker: the name of a call and its options, as JSON
BODY: Final = b"B"  # to a worker: the body of that call; of a worker: that of its answer
YES: Final = b"Y"  # to a worker: it may hold what it asked for
NO: Final = b"N"  # to a worker: it may not, others hold too much
HOLD: Final = b"H"  # of a worker: may it hold so many bytes more? As a decimal number.
HEAD: Final = b"A"  # of a worker: status, headers and length of its answer, as JSON


def send(wire: socket.socket, kind: bytes, content: bytes | memoryview = b"") -> None:
    """Send one message."""
    wire.sendall(_HEAD.pack(kind, len(content)))
    wire.sendall(content)


def receive(wire: socket.socket) -> tuple[bytes, bytearray]:
    """Return the next message."""
    kind, size_bytes = _HEAD.unpack(_received(wire, _HEAD.size))
    return kind, _received(wire, size_bytes)


def _received(wire: socket.socket, size_bytes: int) -> bytearray:
    content = bytearray(size_bytes)
    view = memoryview(content)
    while view:
        view = view[_some(wire.recv_into(view)) :]
    return content


def _some(came: int) -> int:
    if not came:
        raise ConnectionError
    return came


class Wire:
    """A connection on the event loop that runs."""

    def __init__(self, wire: socket.socket) -> None:
        wire.settimeout(0)
        self._wire = wire
        self._loop = asyncio.get_running_loop()

    async def send(self, kind: bytes, content: bytes | bytearray = b"") -> None:
        """Send one message."""
        await self._loop.sock_sendall(self._wire, _HEAD.pack(kind, len(content)))
        await self._loop.sock_sendall(self._wire, content)

    async def receive(self) -> tuple[bytes, bytearray]:
        """Return the next message."""
        kind, size_bytes = _HEAD.unpack(await self._received(_HEAD.size))
        return kind, await self._received(size_bytes)

    async def _received(self, size_bytes: int) -> bytearray:
        content = bytearray(size_bytes)
        view = memoryview(content)
        while view:
            view = view[_some(await self._loop.sock_recv_into(self._wire, view)) :]
        return content
