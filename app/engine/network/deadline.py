"""Deadline: the time that one answer may take, by a clock that is handed in.

What can stop early asks ``left_s``. What walks over the nodes of a network calls ``look`` at each,
which raises once the time of the innermost ``with deadline.kept()`` is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Clock = Callable[[], float]


class OutOfTimeError(Exception):
    """The time is over."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time at which to stop: ``at_s`` on ``clock``, in seconds."""

    at_s: float
    clock: Clock = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Clock = time.monotonic) -> Deadline:
        """The deadline that is ``seconds`` from now."""
        return cls(clock() + seconds, clock)

    def left_s(self) -> float:
        """Seconds that are left; negative once the time is over."""
        return self.at_s - self.clock()

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.left_s() <= 0

    def earlier(self, seconds: float) -> Deadline:
        """The deadline that is ``seconds`` before this one."""
        return Deadline(self.at_s - seconds, self.clock)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within it, ``look`` raises once the time is over."""
        token = _KEPT.set(self)
        try:
            yield
        finally:
            _KEPT.reset(token)


_KEPT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def look() -> None:
    """Look at the clock. Errors: OutOfTimeError once the time of the kept deadline is over."""
    kept = _KEPT.get()
    if kept is not None and kept.over:
        raise OutOfTimeError
