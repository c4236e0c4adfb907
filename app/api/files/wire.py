"""Reads the rest of a body from the socket straight into memory, under uvicorn with httptools.

ASGI passes a body in chunks, and uvicorn copies each chunk four times. That takes as long as the
rest of a file's round trip. Here the transport reads into the caller's memory instead, and
uvicorn's protocol takes over again after the last byte. Other servers, and untested versions of
uvicorn, use ASGI alone. See docs/decisions/0006.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from starlette.requests import Request

from ..connections.server import server_module

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

_TURN_BYTES: Final = 1 << 20  # that one connection may bring before the others have their turn


@runtime_checkable
class Counting(Protocol):
    """A connection with deadlines. ``received``: all bytes that came."""

    received: int


class Wire:
    """The connection of one request whose body has a declared length."""

    def __init__(self, cycle: RequestResponseCycle, protocol: HttpToolsProtocol) -> None:
        self._cycle = cycle
        self._protocol = protocol

    @classmethod
    def of(cls, request: Request) -> Wire | None:
        """Return the connection, or None under another server or without a declared length."""
        server = server_module()
        if server is None:
            return None
        cycle: Any = getattr(request.receive, "__self__", None)
        if type(cycle) is not server.RequestResponseCycle:
            return None
        protocol = cycle.transport.get_protocol()
        if not isinstance(protocol, server.HttpToolsProtocol):
            return None
        return cls(cycle, protocol) if "content-length" in request.headers else None

    @property
    def is_drained(self) -> bool:
        """Whether all bytes received have been passed on, and more will come."""
        cycle = self._cycle
        return not cycle.body and cycle.more_body and not cycle.transport.is_closing()

    async def read_into(self, view: memoryview, idle_seconds: float) -> int:
        """Fill ``view`` with the whole rest of the body. Call it only if ``is_drained``.

        Returns the number of bytes read; fewer if the sender disconnects. Errors: TimeoutError.
        """
        flow, transport = self._cycle.flow, self._cycle.transport
        straight = _Straight(self._protocol, view)
        # A transport checks the kind of its protocol only when it starts to read.
        flow.pause_reading()
        transport.set_protocol(straight)
        flow.resume_reading()
        try:
            came = -1
            while not straight.ended.done():
                if came == straight.came:
                    raise TimeoutError
                came = straight.came
                await asyncio.wait([straight.ended], timeout=idle_seconds)
        finally:
            straight.end()
            self._hand_back(complete=straight.came == len(view))
        return straight.came

    def _hand_back(self, *, complete: bool) -> None:
        """Tell uvicorn that the body is complete. Its parser did not see it and is replaced."""
        cycle, protocol = self._cycle, self._protocol
        cycle.keep_alive = cycle.keep_alive and complete
        if cycle.disconnected:
            return
        cycle.flow.pause_reading()
        cycle.transport.set_protocol(protocol)
        protocol.parser = type(protocol.parser)(protocol)
        protocol.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's own
        protocol.on_message_complete()
        cycle.flow.resume_reading()


class _Straight(asyncio.BufferedProtocol):
    """Reads into ``view``; passes other events on to uvicorn's protocol."""

    def __init__(self, protocol: HttpToolsProtocol, view: memoryview) -> None:
        self.came = 0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._protocol = protocol
        self._counting = protocol if isinstance(protocol, Counting) else None
        self._view = view

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view[self.came : self.came + _TURN_BYTES]

    def buffer_updated(self, nbytes: int) -> None:
        self.came += nbytes
        if self._counting is not None:
            self._counting.received += nbytes
        flow = self._protocol.flow
        if self.came == len(self._view):
            flow.pause_reading()  # the next bytes are the next request
            self.end()
        elif nbytes == _TURN_BYTES:
            # More is there, and uvloop would read all of it before it looks at other connections.
            flow.pause_reading()
            asyncio.get_running_loop().call_soon(self._next_turn)

    def eof_received(self) -> None:
        self.end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)
        self.end()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def _next_turn(self) -> None:
        if not self.ended.done():
            self._protocol.flow.resume_reading()

    def end(self) -> None:
        """Read no more."""
        if not self.ended.done():
            self.ended.set_result(None)
