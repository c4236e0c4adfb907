"""Messages between the program and its workers: an object as JSON and bytes, after their lengths.

Workers use the functions, which wait; the program, on its event loop, uses ``Wire``. All raise
ConnectionError when the other side is gone.

To a worker: a call, its options, and its body. It asks to ``hold`` so many bytes more, is told
whether they are ``granted``, and sends the status, the headers and the body of its answer.
"""

import asyncio
import json
import socket
import struct
from typing import Any, Final

_LENGTHS: Final = struct.Struct("!QQ")

Said = dict[str, Any]


def _head(said: Said, content: bytes | bytearray | memoryview) -> bytes:
    text = json.dumps(said).encode()
    return _LENGTHS.pack(len(text), len(content)) + text


def send(wire: socket.socket, said: Said, content: bytes | memoryview = b"") -> None:
    """Send one message."""
    wire.sendall(_head(said, content))
    wire.sendall(content)


def receive(wire: socket.socket) -> tuple[Said, bytearray]:
    """Return the next message."""
    lengths = _LENGTHS.unpack(_received(wire, _LENGTHS.size))
    text, content = (_received(wire, size_bytes) for size_bytes in lengths)
    return json.loads(text), content


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

    async def send(self, said: Said, content: bytes | bytearray = b"") -> None:
        """Send one message."""
        await self._loop.sock_sendall(self._wire, _head(said, content))
        await self._loop.sock_sendall(self._wire, content)

    async def receive(self) -> tuple[Said, bytearray]:
        """Return the next message."""
        lengths = _LENGTHS.unpack(await self._received(_LENGTHS.size))
        text, content = [await self._received(size_bytes) for size_bytes in lengths]
        return json.loads(text), content

    async def _received(self, size_bytes: int) -> bytearray:
        content = bytearray(size_bytes)
        view = memoryview(content)
        while view:
            view = view[_some(await self._loop.sock_recv_into(self._wire, view)) :]
        return content
