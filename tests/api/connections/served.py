"""The program under uvicorn on a thread, and bare connections to it."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from unittest.mock import patch

import uvicorn

from app import main
from app.api.connections.guard import STATE, Guard
from app.api.work.resources import Resources
from app.settings import Settings
from tests.attack.program import rest

PATIENCE_S = 120  # longer than anything takes on a busy machine
# The program's own deadlines: a busy machine must still connect and send within them.
SHORT_S = 1.5
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Served:
    """A running server. ``guard``: watches its connections."""

    port: int
    guard: Guard
    server: uvicorn.Server
    resources: Resources

    @contextmanager
    def connected(self, window: int | None = None) -> Iterator[socket.socket]:
        """A bare connection, with a receive buffer of ``window`` bytes."""
        with socket.socket() as wire:
            if window is not None:
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            wire.settimeout(PATIENCE_S)
            wire.connect(("127.0.0.1", self.port))
            yield wire

    def ask(self, request: bytes) -> bytes:
        """All that comes back until the server closes."""
        with self.connected() as wire:
            wire.sendall(request)
            return rest(wire)

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self.guard.connections)


@contextmanager
def served(
    loop: Literal["uvloop", "asyncio"] = "uvloop",
    http: Literal["httptools", "h11"] = "httptools",
    **limits: Any,
) -> Iterator[Served]:
    """The program under these settings, with short deadlines if none are given."""
    short = {"idle_seconds": SHORT_S, "head_seconds": SHORT_S, "stop_seconds": 0.5}
    application = main.create_app(Settings(**{**short, **limits}))
    resources: Resources = application.state.resources
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, log_level="critical", http=http, loop=loop)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    with patch.object(main, "KERNELS", ()):  # nothing here is worth loading them
        thread.start()
        until(lambda: server.started or not thread.is_alive())
    try:
        yield Served(listener.getsockname()[1], server.lifespan.state[STATE], server, resources)
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listener.close()
    assert not thread.is_alive()


def until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait for a condition."""
    deadline_s = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
