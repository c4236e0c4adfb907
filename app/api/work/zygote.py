"""A process that has imported the program once, and forks workers that share its memory.

    python -c "from app.api.work.zygote import main; main(3)"

It has one thread, so forking it is safe. It ends when the program that started it does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from pathlib import Path
from typing import Final

_KILL_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG of Linux' prctl
_NICER: Final = 1
_FIRST_TO_GO: Final = "800"  # for the kernel, when the machine has no memory left


def main(control_fd: int) -> None:
    """Fork a worker for each socket that comes over ``control_fd``, and send its process id."""
    # The program stops its workers itself; a terminal or a manager signals all of them.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended workers need no one to wait for them
    from .worker import prepare, work  # noqa: PLC0415  # what takes long, after the signals are set

    prepare()
    control = socket.socket(fileno=control_fd)
    try:
        control.sendall(b"0\n")
    except BrokenPipeError:  # the program has ended meanwhile
        os._exit(0)
    while True:
        message, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            os._exit(0)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            control.close()
            _become_a_worker(parent)
            work(socket.socket(fileno=fds[0]))
            os._exit(0)
        os.close(fds[0])
        control.sendall(b"%d\n" % pid)


def _become_a_worker(parent: int) -> None:
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_KILL_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
    os.nice(_NICER)  # small calls, in the program itself, come first
    score = Path("/proc/self/oom_score_adj")
    if score.exists():
        try:
            score.write_text(_FIRST_TO_GO, encoding="ascii")
        except OSError:
            return
