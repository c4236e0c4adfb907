"""Workers on threads of the test's own process, where allocations can be made to fail."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

from app.api.work import worker as worker_module
from app.api.work.resources import HeldBytes

COUNTED = ("array", "arange", "empty", "full", "zeros", "unique", "frombuffer")


class ThreadWorker:
    """A worker that is a thread. It cannot be killed, only cut off."""

    def __init__(self) -> None:
        self.wire, theirs = socket.socketpair()
        threading.Thread(target=_work, args=(theirs,), daemon=True).start()

    def end(self) -> None:
        """Cut it off."""
        self.wire.close()

    def has_ended(self) -> bool:
        """Nobody else can end it."""
        return False


def _work(wire: socket.socket) -> None:
    with wire, suppress(OSError):  # cut off
        worker_module.work(wire)


class ThreadForkServer:
    """Makes such workers."""

    def worker(self) -> ThreadWorker:
        """A new one."""
        return ThreadWorker()

    def close(self) -> None:
        """There is nothing to end."""


@contextmanager
def failing(nth: int) -> Iterator[list[str]]:
    """The ``nth`` allocation of NumPy or from a budget raises; all that were made."""
    made: list[str] = []
    lock = threading.Lock()

    def counted(name: str, through: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            with lock:
                made.append(name)
                at = len(made)
            if at == nth:
                raise MemoryError
            return through(*arguments, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in COUNTED:
            patch.setattr(np, name, counted(name, getattr(np, name)))
        patch.setattr(HeldBytes, "take", counted("take", HeldBytes.take))
        yield made
