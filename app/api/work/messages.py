"""Messages between the program and its workers: an object as JSON and bytes, after their lengths.

Workers ``send`` and ``receive``, which wait; the program, on its event loop, says ``tell`` and
``hear``. All raise ConnectionError when the other side is gone.

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
        came = wire.recv_into(view)  # a signal may end it early, MSG_WAITALL or not
        if not came:
            raise ConnectionError
        view = view[came:]
    return content


async def tell(wire: socket.socket, said: Said, content: bytes | bytearray = b"") -> None:
    """Send one message on the event loop, by a socket that does not block."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(wire, _head(said, content))
    await loop.sock_sendall(wire, content)


async def hear(wire: socket.socket) -> tuple[Said, bytearray]:
    """Return the next message on the event loop."""
    lengths = _LENGTHS.unpack(await _heard(wire, _LENGTHS.size))
    text, content = [await _heard(wire, size_bytes) for size_bytes in lengths]
    return json.loads(text), content


async def _heard(wire: socket.socket, size_bytes: int) -> bytearray:
    loop, content = asyncio.get_running_loop(), bytearray(size_bytes)
    view = memoryview(content)
    while view:
        came = await loop.sock_recv_into(wire, view)
        if not came:
            raise ConnectionError
        view = view[came:]
    return content
