"""Messages between the program and its workers: a kind, a length, that many bytes."""

from __future__ import annotations

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


class EndedError(Exception):
    """The other side is gone."""


def send(wire: socket.socket, kind: bytes, content: bytes | bytearray | memoryview = b"") -> None:
    """Send one message. Errors: EndedError; TimeoutError."""
    try:
        wire.sendall(_HEAD.pack(kind, len(content)))
        wire.sendall(content)
    except ConnectionError as error:
        raise EndedError from error


def receive(wire: socket.socket) -> tuple[bytes, bytearray]:
    """Return the next message. Errors: EndedError; TimeoutError by the socket's own limit."""
    kind, size_bytes = _HEAD.unpack(_received(wire, _HEAD.size))
    return kind, _received(wire, size_bytes)


def _received(wire: socket.socket, size_bytes: int) -> bytearray:
    content = bytearray(size_bytes)
    view = memoryview(content)
    while view:
        try:
            came = wire.recv_into(view)
        except ConnectionError as error:
            raise EndedError from error
        if not came:
            raise EndedError
        view = view[came:]
    return content
