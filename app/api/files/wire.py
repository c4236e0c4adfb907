"""The end of a body from the socket straight into memory, where uvicorn serves with httptools.

ASGI hands a body over in chunks, each of which uvicorn copies four times: that takes as long as
the rest of a file's round trip. Here the transport reads into the caller's memory instead, and
uvicorn's protocol takes over again when the last byte is there. Other servers, and versions of
uvicorn that the tests have not seen, go by ASGI alone. See docs/decisions/0006.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from starlette.requests import Request

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

# Private attributes are read below. Before a version is added, test_reorder_file_room.py passes.
TESTED_VERSIONS: Final = frozenset({"0.54.0"})
_SERVER: Final = "uvicorn.protocols.http.httptools_impl"


class Wire:
    """The connection of one request whose body has a declared length."""

    def __init__(self, cycle: RequestResponseCycle, protocol: HttpToolsProtocol) -> None:
        self._cycle = cycle
        self._protocol = protocol

    @classmethod
    def of(cls, request: Request) -> Wire | None:
        """The connection; None where the server is another or the length is not declared."""
        server = sys.modules.get(_SERVER)  # as the server itself has imported it, or not at all
        if server is None or uvicorn.__version__ not in TESTED_VERSIONS:
            return None
        cycle: Any = getattr(request.receive, "__self__", None)
        if type(cycle) is not server.RequestResponseCycle:
            return None
        protocol = cycle.transport.get_protocol()
        if type(protocol) is not server.HttpToolsProtocol:
            return None
        return cls(cycle, protocol) if "content-length" in request.headers else None

    @property
    def is_drained(self) -> bool:
        """Whether all that came has been handed over, and more is to come."""
        cycle = self._cycle
        return not cycle.body and cycle.more_body and not cycle.transport.is_closing()

    async def read_into(self, view: memoryview, idle_seconds: float) -> int:
        """Fill ``view``, which is all that is left of the body, while ``is_drained``.

        Returns how many bytes came before the sender went away. Errors: TimeoutError.
        """
        flow, transport = self._cycle.flow, self._cycle.transport
        straight = _Straight(self._protocol, view)
        # A transport learns of a new kind of protocol when it starts to read.
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
            self._hand_back(complete=straight.came == len(view))
        return straight.came

    def _hand_back(self, *, complete: bool) -> None:
        """The body is over for uvicorn, whose parser has not seen it: it gets a new one."""
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
    """Reads into ``view``; all else is uvicorn's."""

    def __init__(self, protocol: HttpToolsProtocol, view: memoryview) -> None:
        self.came = 0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._protocol = protocol
        self._view = view

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view[self.came :]

    def buffer_updated(self, nbytes: int) -> None:
        self.came += nbytes
        if self.came == len(self._view):
            self._protocol.flow.pause_reading()  # what follows is the next request
            self._end()

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)
        self._end()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
