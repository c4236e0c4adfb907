"""Watches all connections of one server: their number, their deadlines, and their end."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeAlias

from ...settings import Settings

Watched: TypeAlias = Any  # a GuardedProtocol, whose module imports this one
STATE: Final = "stridescope_guard"  # its name in the state of a server
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
            self._exit_later()
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
            self._exit_later()

    def _exit_later(self) -> None:
        """End this process soon after ``stop_seconds``, should it not have ended by then.

        A thread that hangs would keep it. Only where the server has the process to itself.
        """
        if owns_process():
            seconds = self.limits.stop_seconds + _EXIT_SECONDS
            timer = threading.Timer(seconds, os._exit, (_KILLED,))
            timer.daemon = True
            timer.start()

    def _give_up(self) -> None:
        if self.connections:
            _LOG.warning("Giving up %d connections.", len(self.connections))
        self._on_stop()
        for connection in list(self.connections):
            connection.abort()
            # A call whose caller is gone ends by itself; one that does not is cancelled.
            asyncio.get_running_loop().call_later(_EXIT_SECONDS / 3, connection.cancel)


def owns_process() -> bool:
    """Whether the process was started to serve: this runs on its main thread, and nothing else.

    False inside somebody's own program, such as a notebook, which goes on when the server ends.
    """
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    file = getattr(main, "__file__", None) or ""
    name = spec.name.removesuffix(".__main__") if spec else Path(file).stem
    return name in _COMMANDS and threading.current_thread() is threading.main_thread()
