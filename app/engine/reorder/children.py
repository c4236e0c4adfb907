"""Processes that this one starts, each of which ends with this one, and the cores for them."""

import os
import sys

# The system ends it however busy it is; a thread of its own could not always run.
# 1 is PR_SET_PDEATHSIG of Linux' prctl, 9 is SIGKILL.
_END_WITH_PARENT = """
import ctypes, os
prctl = getattr(ctypes.CDLL(None), "prctl", None)
if prctl is not None:
    prctl(1, 9)
if os.getppid() != {parent}:
    os._exit(1)
"""


def command(code: str, *options: str) -> list[str]:
    """The command of a process that runs ``code``; the thread that starts it has to wait for it.

    ``options``: of the interpreter. Elsewhere than on Linux, a process that has begun its work
    goes on to the end of it.
    """
    return [sys.executable, *options, "-c", _END_WITH_PARENT.format(parent=os.getpid()) + code]


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
