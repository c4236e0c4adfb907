"""The crew: the threads of this process that help with reorders. See ``kernel_crew``."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from functools import cache
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple

import numpy as np

from ...model.arrays import at_line, cores
from .kernel_crew import LINE, READY, help_out
from .lasting import forever
from .prepared import Numbers, entry, numbers_of, scratch

_PATIENCE_S: Final = 2e-4  # a helper looks for its next job five times as long as waking it takes
_SOON_S: Final = 1e-4  # after the end of a call, in which another one follows it
_BURST: Final = 4  # calls that follow each other are worth waking helpers for the first one
_NO_THREAD: Final = -1  # for the system: 0 would be the caller
_ENDING_S: Final = 1.0  # that a process waits at its end for a helper at work
_STATE, _ENDS = 0, 1  # the words of a helper


class _Helper(NamedTuple):
    """``bell``: a file that it reads when it sleeps, and a file to be written to wake it."""

    thread: threading.Thread
    bell: tuple[int, int]


class Crew:
    """The helpers: at most one for each core but one. Each stays once it has started."""

    def __init__(self) -> None:
        self._most = cores() - 1
        self._words: Numbers = at_line((self._most, LINE // 8), np.int64, zeros=True)
        self.address: int = self._words.ctypes.data
        self._helpers: list[_Helper] = []
        self._threads: dict[int, Numbers] = {}
        self._lock = threading.Lock()
        self._ended_s = 0.0  # when the last call ended
        self._followed = 0  # calls that followed each other until then
        self._in_bursts = False  # whether the last calls but those came in a burst
        atexit.register(self._end)

    def threads(self, count: int) -> Numbers:
        """Return the ``threads`` of ``together`` for ``count`` helpers, or as many as there are."""
        known = self._threads.get(count)
        if known is None:
            with self._lock:
                with suppress(OSError, RuntimeError):  # no more files, or no more threads: ever
                    while len(self._helpers) < min(count, self._most):
                        self._start(len(self._helpers))
                some = self._helpers[:count]
                found = [(each.thread.native_id or _NO_THREAD, each.bell[1]) for each in some]
                known = self._threads[count] = numbers_of([n for each in found for n in each])
        return known

    def begin(self) -> bool:
        """Begin a call; return whether to wake helpers for it, because more calls will follow.

        To wake one takes as long as to copy some 100 KB, and it is longer until it begins.
        """
        if perf_counter() - self._ended_s < _SOON_S:
            self._followed += 1
            return True
        self._in_bursts, self._followed = self._followed >= _BURST, 0
        return self._in_bursts

    def end(self) -> None:
        """End a call."""
        self._ended_s = perf_counter()

    def forget(self) -> None:
        """Close a child's copies of its parent's files. The child has none of the threads."""
        atexit.unregister(self._end)
        for each in self._helpers:
            _close(each.bell)

    def _start(self, k: int) -> None:
        bell = _bell()
        name, work = f"reorder-helper-{k}", (self.address, k, bell[0])
        thread = threading.Thread(target=_help, args=work, name=name, daemon=True)
        self._words[k, _STATE] = READY
        # First: the start of a thread may be interrupted after it has begun.
        self._helpers.append(_Helper(thread, bell))
        try:
            thread.start()
        except RuntimeError:
            self._helpers.pop()
            _close(bell)
            raise

    def _end(self) -> None:
        """End all helpers: none is left in compiled code when Python takes that away."""
        until_s = perf_counter() + _ENDING_S
        self._words[:, _ENDS] = 1
        for each in self._helpers:
            os.write(each.bell[1], (1).to_bytes(8, sys.byteorder))
        for each in self._helpers:
            each.thread.join(max(until_s - perf_counter(), 0))


def _bell() -> tuple[int, int]:
    if hasattr(os, "eventfd"):
        # Linux wakes a thread that reads a pipe on the core of the thread that writes to it, as if
        # that one was about to sleep.
        counter = os.eventfd(0)
        return counter, counter
    return os.pipe()


def _close(bell: tuple[int, int]) -> None:
    for each in set(bell):
        os.close(each)


def _help(crew: int, me: int, bell: int) -> None:
    heard = np.zeros(1, np.int64)
    helping()(crew, me, bell, heard.ctypes.data, _pauses(), scratch.address)


@cache
def helping() -> Any:
    """Return the compiled kernel ``help_out``."""
    return entry(help_out, 0, 0, 0, 0, 0, 0)


@cache
def _pauses() -> int:
    """Return how often a helper pauses in ``_PATIENCE_S``."""
    words, tried = np.array([READY, 0]), 1 << 10
    took_s = []
    for _ in range(3):
        began_s = thread_time()  # which counts no waiting for Python's lock
        helping()(words.ctypes.data, 0, -1, 0, tried, 0)
        took_s.append(thread_time() - began_s)
    return int(_PATIENCE_S / min(took_s) * tried)


_here: Crew | None = None
_lock = threading.Lock()


def here() -> Crew:
    """Return the crew of this process."""
    return _here or _new()


def _new() -> Crew:
    global _here  # noqa: PLW0603  # a child process needs another
    with _lock:
        if _here is None:
            _here = forever(Crew())
        return _here


def _in_child() -> None:
    global _here, _lock
    if _here is not None:
        _here.forget()
    _here, _lock = None, threading.Lock()


with suppress(AttributeError):  # Windows has no fork
    os.register_at_fork(after_in_child=_in_child)
