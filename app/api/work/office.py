"""Who works on which call: one budget, threads for small calls, two lanes of processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from ...settings import Settings
from ..problems import BusyError
from .budget import Budget, Share
from .lanes import Lane, LaneLimits
from .nursery import Nursery

# Few, because each that works delays the event loop by its turn of the interpreter.
_SMALL_THREADS: Final = 4
_MOST_SMALL: Final = 1024

Result = TypeVar("Result")


class Office:
    """What the calls of one application share. ``quick`` calls never wait for ``long`` ones."""

    def __init__(self, settings: Settings) -> None:
        self.limits = settings
        self.budget = Budget(settings.max_memory_bytes)
        self._threads = ThreadPoolExecutor(_SMALL_THREADS, thread_name_prefix="small")
        self._small = 0
        self._nursery = Nursery()
        call_bytes = min(settings.max_call_bytes, settings.max_memory_bytes)
        self.quick, self.long = (
            Lane(
                self._nursery,
                LaneLimits(
                    workers,
                    settings.max_waiting,
                    settings.wait_seconds,
                    settings.call_seconds,
                    call_bytes,
                ),
            )
            for workers in (1, settings.workers)
        )

    def share(self) -> Share:
        """Return what a new call holds: nothing yet."""
        return Share(self.budget)

    async def small(self, work: Callable[[], Result]) -> Result:
        """Return the result of ``work``, which takes a few milliseconds. Errors: BusyError."""
        if self._small >= _MOST_SMALL:
            raise BusyError
        self._small += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._small -= 1

    def warm(self) -> None:
        """Have workers ready before the first call that needs one."""
        self.quick.warm()
        self.long.warm()

    def stop(self) -> None:
        """Give up what workers do."""
        self.quick.stop()
        self.long.stop()

    def close(self) -> None:
        """End all workers."""
        self.quick.close()
        self.long.close()
        self._nursery.close()
