"""Guards one server: where it may listen, its connections and their deadlines, and its end."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeAlias

import uvicorn
from starlette.types import Receive, Scope

from ...engine.model.errors import phrase
from ...settings import Settings

Watched: TypeAlias = Any  # a GuardedProtocol, whose module imports this one
STATE: Final = "stridescope_guard"  # its name in the state of a server
# Private attributes of it are used, so pyproject.toml names the same one. Change it only if
# tests/api/connections passes.
TESTED_VERSION: Final = "0.54.0"
NO_LIFESPAN: Final = phrase("server.no_lifespan")
_PROTOCOL: Final = "uvicorn.protocols.http.httptools_impl"
_LOG: Final = logging.getLogger("uvicorn.error")
_BEING_REFUSED: Final = 64  # connections above the limit, which are being told so
# Modules and scripts that serve and do nothing else.
_COMMANDS: Final = {"uvicorn", "stridescope", "app.cli", "stridescope.cli"}
_EXIT_SECONDS: Final = 1.5  # after the last call was given up
_KILLED: Final = 128 + 15  # the status of a program that signal 15 has ended


class Guard:
    """All connections of one server. Only its event loop may call this.

    ``on_stop``: called when what still runs is given up.
    """

    def __init__(self, limits: Settings, on_stop: Callable[[], None]) -> None:
        self.limits = limits
        self.connections: set[Watched] = set()
        self.refused = 0
        self._on_stop = on_stop
        self._stopping = False

    def admits(self, connection: Watched) -> bool:
        """Count a new connection. At the limit the oldest that only waits is dropped."""
        beyond = len(self.connections) - self.limits.max_connections
        if beyond >= 0:
            waiting = [each for each in self.connections if each.quiet_since is not None]
            if not waiting:
                self.refused += 1
                if beyond < _BEING_REFUSED:
                    self.connections.add(connection)
                else:
                    connection.abort()
                return False
            oldest = min(waiting, key=lambda each: each.quiet_since or 0)
            oldest.abort()
            self.connections.discard(oldest)
        self.connections.add(connection)
        return True

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look at all deadlines, again and again, until the block ends."""
        self._stopping = False
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            exit_later(self.limits.stop_seconds)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        last, limits = monotonic(), self.limits
        # A deadline is missed by at most this.
        tick = min(1.0, limits.idle_seconds / 6, limits.head_seconds / 6)
        while True:
            await asyncio.sleep(tick)
            now = monotonic()
            # A pause of this process is not the callers' fault.
            seconds, last = min(now - last, 2 * tick), now
            for connection in list(self.connections):
                connection.check(seconds)

    def stop(self) -> None:
        """The server was told to stop: what still runs after ``stop_seconds`` is given up."""
        if not self._stopping:
            self._stopping = True
            asyncio.get_running_loop().call_later(self.limits.stop_seconds, self._give_up)
            exit_later(self.limits.stop_seconds)

    def _give_up(self) -> None:
        if self.connections:
            _LOG.warning("Giving up %d connections.", len(self.connections))
        self._on_stop()
        for connection in list(self.connections):
            connection.abort()
            # A call whose caller is gone ends by itself; one that does not is cancelled.
            asyncio.get_running_loop().call_later(_EXIT_SECONDS / 3, connection.cancel)


def guard_connections(receive: Receive) -> str | None:
    """Give each connection of a server with a guard its deadlines; why it must not start, if so.

    It must not if it is a uvicorn that would serve the world without deadlines. ``receive``: of the
    lifespan, as the server gave it.
    """
    is_tested = uvicorn.__version__ == TESTED_VERSION
    is_running = any(name.startswith("uvicorn.protocols.http.") for name in sys.modules)
    if is_tested and _PROTOCOL in sys.modules:
        from .protocol import adopt  # noqa: PLC0415  # imports the server's protocol

        adopt()
    elif is_running:
        _LOG.warning("This server sets no deadlines: run it behind a proxy that does.")
    config: Any = getattr(getattr(receive, "__self__", None), "config", None)
    if isinstance(config, uvicorn.Config):
        protocol: Any = getattr(config, "http_protocol_class", None)
        is_tested &= getattr(protocol, "__module__", None) == _PROTOCOL
        is_safe = config.uds is not None or (config.fd is None and _is_local(config.host))
        host = config.host
    else:
        is_safe, host = not is_running, "any address"
    if is_tested or is_safe:
        return None
    version = uvicorn.__version__
    return phrase("server.untested", tested=TESTED_VERSION, version=version, host=host)


def has_no_lifespan(scope: Scope, receive: Receive) -> bool:
    """Whether uvicorn, with its lifespan off, passes a request on that came from elsewhere."""
    if STATE in scope.get("state", ()) or not scope.get("server"):
        return False
    server = type(getattr(receive, "__self__", None)).__module__
    host, port = scope["server"]
    return server.startswith("uvicorn.") and port is not None and not _is_local(host)


def _is_local(host: str) -> bool:
    """Whether connections to a host can only come from this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def owns_process() -> bool:
    """Whether the process was started to serve: this runs on its main thread, and nothing else.

    False inside somebody's own program, such as a notebook, which goes on when the server ends.
    """
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    file = getattr(main, "__file__", None) or ""
    name = spec.name.removesuffix(".__main__") if spec else Path(file).stem
    return name in _COMMANDS and threading.current_thread() is threading.main_thread()


def exit_later(seconds: float) -> None:
    """End this process soon after ``seconds``, should it not have ended by then.

    A thread that hangs would keep it. Only where the server has the process to itself.
    """
    if owns_process():
        timer = threading.Timer(seconds + _EXIT_SECONDS, os._exit, (_KILLED,))
        timer.daemon = True
        timer.start()
