"""A process that has imported the program once and forks workers that share its memory.

    python -c "from app.api.work.fork_server import main; main(3)"

It has one thread, so forking it is safe. It ends when the program that started it does, and with
it all workers.
"""

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

_START_SECONDS: Final = 120
_ASKED: Final = b"w"
_PACKAGE: Final = __package__ or ""
_ROOT: Final = Path(__file__).resolve().parents[_PACKAGE.count(".") + 1]
_ONE_THREAD: Final = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}
_KILL_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG of Linux' prctl
_FIRST_TO_GO: Final = "800"  # for the kernel, when the machine has no memory left


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker process. ``wire``: the connection to it. ``handle``: a pidfd of it."""

    wire: socket.socket
    handle: int

    def end(self) -> None:
        """Kill it, whatever it does."""
        with suppress(OSError):  # it has ended by itself
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        self.wire.close()
        os.close(self.handle)

    def has_ended(self) -> bool:
        """Whether it was killed while it waited; it is closed then."""
        watched = select.poll()
        watched.register(self.handle, select.POLLIN)
        if not watched.poll(0):
            return False
        self.end()
        return True


class ForkServer:
    """Starts workers. Safe to use from many threads. The first worker takes a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._running = ExitStack()

    def worker(self) -> Worker:
        """Start a worker. Errors: OSError."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._running.close()
                self._start()
            try:
                self._control.sendall(_ASKED)
                wire, handle = socket.recv_fds(self._control, len(_ASKED), 2)[1]
            except (OSError, ValueError) as error:  # it has ended, and sent no two
                self._running.close()
                raise ConnectionError from error
            return Worker(socket.socket(fileno=wire), handle)

    def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        self._running.enter_context(self._control).settimeout(_START_SECONDS)
        with theirs:
            command = f"from {__name__} import main; main({theirs.fileno()})"
            path = os.pathsep.join(dict.fromkeys((str(_ROOT), *filter(None, sys.path))))
            self._process = subprocess.Popen(  # noqa: S603  # this program, by its own name
                [sys.executable, "-c", command],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
            )
        self._running.callback(self._process.wait)
        self._running.callback(self._process.kill)

    def close(self) -> None:
        """End the process that workers are forked from, and with it all of them."""
        if self._process is not None:
            self._process.kill()  # who waits for it and holds the lock need not wait longer
        with self._lock:
            self._running.close()


def main(control_fd: int) -> None:
    """Fork a worker whenever asked over ``control_fd``, and send a connection to it and a pidfd."""
    # The program stops its workers itself; a terminal or a manager signals all of them.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended workers need no one to wait for them
    from .worker import prepare, work  # noqa: PLC0415  # what takes long, after the signals are set

    prepare()
    control = socket.socket(fileno=control_fd)
    with suppress(BrokenPipeError):  # the program has ended meanwhile
        while control.recv(len(_ASKED)):
            ours, theirs = socket.socketpair()
            parent = os.getpid()
            pid = os.fork()
            if pid == 0:
                control.close()
                ours.close()
                ctypes.CDLL(None).prctl(_KILL_WITH_PARENT, signal.SIGKILL)
                if os.getppid() == parent:
                    os.nice(1)  # small calls, in the program itself, come first
                    with suppress(OSError):
                        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
                    work(theirs)
                break
            handle = os.pidfd_open(pid)
            socket.send_fds(control, [_ASKED], [ours.fileno(), handle])
            os.close(handle)
            ours.close()
            theirs.close()
    os._exit(0)
