"""Starts worker processes, and the process that they are forked from."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from .frames import EndedError

_START_SECONDS: Final = 60
_PACKAGE: Final = __package__ or ""
_ROOT: Final = Path(__file__).resolve().parents[_PACKAGE.count(".") + 1]
_ONE_THREAD: Final = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}


class Worker:
    """One worker process. ``wire``: the connection to it."""

    def __init__(self, wire: socket.socket, pid: int) -> None:
        self.wire = wire
        self.pid = pid
        self._handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def kill(self) -> None:
        """Kill it, whatever it does; whoever waits for it is told."""
        with suppress(OSError):  # it has ended by itself
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it and forget it."""
        self.kill()
        self.wire.close()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class Nursery:
    """Makes workers. Safe to use from many threads. The first worker takes a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def worker(self) -> Worker:
        """Start a worker. Errors: EndedError, OSError, TimeoutError."""
        with self._lock:
            try:
                return self._forked(self._ready())
            except BaseException:
                self._end()
                raise

    def _forked(self, control: socket.socket) -> Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(control, [b"w"], [theirs.fileno()])
                return Worker(ours, _number(control))
            except BaseException:
                ours.close()
                raise

    def _ready(self) -> socket.socket:
        if self._control is None or self._zygote is None or self._zygote.poll() is not None:
            self._end()
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_START_SECONDS)
        with theirs:
            main = f"from {_PACKAGE}.zygote import main; main({theirs.fileno()})"
            path = os.pathsep.join(dict.fromkeys((str(_ROOT), *filter(None, sys.path))))
            self._zygote = subprocess.Popen(  # noqa: S603  # this program, by its own name
                [sys.executable, "-c", main],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
            )
        _number(self._control)

    def close(self) -> None:
        """End the process that workers are forked from, and with it all of them."""
        zygote = self._zygote
        if zygote is not None:
            zygote.kill()  # who waits for it, and holds the lock meanwhile, need not wait longer
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._zygote is not None:
            self._zygote.kill()
            self._zygote.wait()
            self._zygote = None


def _number(control: socket.socket) -> int:
    line = b""
    while not line.endswith(b"\n"):
        piece = control.recv(1)
        if not piece:
            raise EndedError
        line += piece
    return int(line)
