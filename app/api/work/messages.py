"""Messages between the program and its workers: a kind, a length, that many bytes."""

from __future__ import annotations

import socket
import struct
from typing import Final

_HEAD: Final = struct.Struct("!cQ")

JOB: Final = b"J"  # to a worker: the name of a call and its options, as JSON
BODY: Final = b"B"  # to a worker: the body of that call
YES: Final = b"Y"  # to a worker: it may hold what it asked for
NO: Final = b"N"  # to a worker: it may not, others hold too much
HOLD: Final = b"H"  # of a worker: may it hold so many bytes more? As a decimal number.
HEAD: Final = b"A"  # of a worker: status, headers and length of its answer, as JSON


class EndedError(Exception):
    """The other side is gone."""


def send(wire: socket.socket, kind: bytes, content: bytes | bytearray = b"") -> None:
    """Send one message."""
    send_bytes(wire, _HEAD.pack(kind, len(content)))
    if content:
        send_bytes(wire, content)


def send_bytes(wire: socket.socket, content: bytes | bytearray | memoryview) -> None:
    """Send bytes as they are. Errors: EndedError; TimeoutError."""
    try:
        wire.sendall(content)
    except ConnectionError as error:
        raise EndedError from error


def receive(wire: socket.socket) -> tuple[bytes, bytearray]:
    """Return the next message. Errors: EndedError; TimeoutError by the socket's own limit."""
    head = bytearray(_HEAD.size)
    fill(wire, memoryview(head))
    kind, size_bytes = _HEAD.unpack(head)
    content = bytearray(size_bytes)
    fill(wire, memoryview(content))
    return kind, content


def fill(wire: socket.socket, view: memoryview) -> None:
    """Receive until ``view`` is full. Errors: EndedError; TimeoutError."""
    at = 0
    while at < len(view):
        try:
            came = wire.recv_into(view[at:])
        except ConnectionError as error:
            raise EndedError from error
        if not came:
            raise EndedError
        at += came
