"""uvicorn's HTTP protocol over httptools, with the limits and deadlines of a Guard.

uvicorn waits without end for the rest of a head, of a body and for a reader. Every way to start the
program leads here: the lifespan puts a guard into the state of its server, and each connection of a
server with one is a GuardedProtocol. docs/decisions/0020.
"""

import asyncio
import os
import socket
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from ...settings import Settings
from ..problems import MAX_HEADER_BYTES, MAX_URL_BYTES, MOST_HEADERS, raw_refusal
from .guard import STATE, Guard

MAX_HEAD_BYTES: Final = MAX_URL_BYTES + MAX_HEADER_BYTES
_MOST_PIPELINED: Final = 16
_MOST_FRAMING_BYTES: Final = 64 << 10  # of a chunked body, beside 8 for each byte that it carries
_FRAMING_PER_BYTE: Final = 8
_LINGER_SECONDS: Final = 1.0
_MOST_UNREAD_BYTES: Final = 16 << 20  # of what comes after a refusal

_USER_TIMEOUT: Final = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux has it


def adopt() -> None:
    """Make each connection of a server that has a guard a guarded one."""

    def new(cls: type, *_: Any, **given: Any) -> Any:
        guarded = cls is HttpToolsProtocol and STATE in given.get("app_state", ())
        return object.__new__(GuardedProtocol if guarded else cls)

    HttpToolsProtocol.__new__ = new  # type: ignore[method-assign]  # on purpose


@dataclass(slots=True)
class Pace:
    """One direction of one request. Only the time is counted in which the other side is late."""

    waited_seconds: float = 0
    still_seconds: float = 0
    moved_bytes: int = 0

    def is_late(self, seconds: float, moved_bytes: int, limits: Settings) -> bool:
        """Count ``seconds`` of waiting in which so many bytes moved; whether it is too slow."""
        self.waited_seconds += seconds
        self.still_seconds = 0 if moved_bytes else self.still_seconds + seconds
        self.moved_bytes += moved_bytes
        due = (self.waited_seconds - limits.idle_seconds) * limits.least_bytes_per_second
        return (
            self.still_seconds >= limits.idle_seconds
            or self.waited_seconds >= limits.transfer_seconds
            or self.moved_bytes < due
        )


class GuardedProtocol(HttpToolsProtocol):
    """One connection.

    ``in_head``: whether the next bytes belong to a head. ``head_bytes``: of a head that is not
    complete.
    """

    # The base class narrows asyncio's BaseTransport in the same way.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as above
        """Count the connection, or refuse it."""
        self.guard: Guard = self.app_state[STATE]
        self.ws_protocol_class = None  # there are no WebSockets here: an upgrade is ignored
        self.in_head = True
        self.head_bytes = self.body_bytes = self.framing_bytes = self.unread_bytes = 0
        self._came_bytes = self._outstanding = 0
        self._since = monotonic()
        self._waited_seconds = 0.0
        self._body, self._answer = Pace(), Pace()
        self._ended = False
        super().connection_made(transport)
        # The system gives up what it holds of an answer that nobody takes for so long: megabytes,
        # of a connection that may be closed already as this program sees it.
        wire = transport.get_extra_info("socket")
        if wire is not None and wire.family in {socket.AF_INET, socket.AF_INET6} and _USER_TIMEOUT:
            with socket.socket(fileno=os.dup(wire.fileno())) as same:
                milliseconds = int(1000 * self.guard.limits.idle_seconds)
                same.setsockopt(socket.IPPROTO_TCP, _USER_TIMEOUT, milliseconds)
        if not self.guard.admits(self):
            self._refuse(503)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self.guard.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, as long as they are no head without end."""
        self._came_bytes += len(data)
        if self._ended:
            self.unread_bytes += len(data)
            if self.unread_bytes > _MOST_UNREAD_BYTES:
                self.abort()
            return
        began_in_head, body_bytes = self.in_head, self.body_bytes
        self.head_bytes += len(data) if began_in_head else 0
        super().data_received(data)
        if self.in_head and self.head_bytes:
            if self.head_bytes > MAX_HEAD_BYTES or len(self.headers or ()) > MOST_HEADERS:
                self._refuse(414 if len(self.url) > MAX_URL_BYTES else 431)
        elif not began_in_head and not self.in_head:
            self.framing_bytes += len(data) - (self.body_bytes - body_bytes)
            if self.framing_bytes > _MOST_FRAMING_BYTES + _FRAMING_PER_BYTE * self.body_bytes:
                self._refuse(400)

    def on_message_begin(self) -> None:
        """Start the clocks of a request."""
        super().on_message_begin()
        self._waited_seconds, self._body = 0, Pace()
        if not self.transport.get_write_buffer_size():
            self._answer = Pace()
        self.body_bytes = self.framing_bytes = 0

    def on_headers_complete(self) -> None:
        """Leave the head, and start the call unless too many wait before it."""
        self.in_head, self.head_bytes = False, 0
        if len(self.headers) > MOST_HEADERS:
            self._refuse(431)
        elif len(self.pipeline) >= _MOST_PIPELINED:
            self.abort()
        if not self._ended:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count a part of the body. What comes after the answer is passed over."""
        self.body_bytes += len(body)
        if not self._ended:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Expect another head."""
        self.in_head = True
        if not self._ended:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start a call that waits, or be quiet."""
        self._since, self._waited_seconds = monotonic(), 0
        super().on_response_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Answer the request as any other; nothing can follow it."""
        if self._call is not None:
            self._call.keep_alive = False

    @property
    def quiet_since(self) -> float | None:
        """Since when the connection waits for a whole head, or for its end; None in a call."""
        waits = self._ended or (self.in_head and self._call is None)
        return self._since if waits else None

    @property
    def _call(self) -> RequestResponseCycle | None:
        """The call that runs."""
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def check(self, seconds: float) -> None:
        """Look at the deadline of what the connection waits for."""
        limits = self.guard.limits
        came, self._came_bytes = self._came_bytes, 0
        call = self._call
        unsent = self.transport.get_write_buffer_size()
        outstanding = unsent + (call.expected_content_length if call and unsent else 0)
        before, self._outstanding = self._outstanding, outstanding
        if unsent and not self._ended:
            # More to send than before: all that was to be sent then has gone.
            went = before - min(outstanding, before) if outstanding <= before else before
            late = self._answer.is_late(seconds, went, limits)
        elif not (self._ended or self.in_head):
            late = not self.flow.read_paused and self._body.is_late(seconds, came, limits)
        elif call and not self._ended:
            late = False
        else:
            self._waited_seconds += seconds
            most = limits.head_seconds if self.head_bytes else limits.idle_seconds
            most = min(limits.idle_seconds, _LINGER_SECONDS) if self._ended else most
            late = self._waited_seconds >= most
        if late:
            waits_for_body = not unsent and not self.in_head and not self._ended
            if waits_for_body and not self.transport.is_closing():
                self._refuse(408)
            else:
                self.abort()

    def _refuse(self, status: int) -> None:
        """Answer with a problem document if nothing was answered yet, and end.

        What still comes is passed over for a moment: closed at once, the other side could be told
        of a reset before it reads the answer.
        """
        self._ended, self._waited_seconds = True, 0
        call = self._call
        if call is None or not call.response_started:
            self.transport.write(raw_refusal(status, self.server_state.default_headers))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()
        if call is not None:
            call.disconnected = True
            call.message_event.set()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP with a problem document."""
        del msg  # it is uvicorn's, for a log
        if not self._ended:
            # The parser reads no URL over 64 KiB: it fails after the URL's last byte was stored.
            self._refuse(414 if len(getattr(self, "url", b"")) > MAX_URL_BYTES else 400)

    def abort(self) -> None:
        """Close at once, whatever is not sent."""
        self._ended = True
        self.transport.abort()

    def cancel(self) -> None:
        """Cancel the calls of this server that still run."""
        for task in list(self.tasks):
            task.cancel()

    def shutdown(self) -> None:
        """Finish what runs, in time."""
        self.guard.stop()
        super().shutdown()
