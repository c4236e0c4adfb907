"""What the calls of one application share: memory, kept answers, a thread, worker processes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from ...settings import Settings
from ..answers import Answers
from ..metrics import Metrics
from ..problems import BusyError
from .budget import MemoryBudget, Share
from .fork_server import ForkServer
from .pool import WorkerPool

# One: the interpreter runs one at a time, and the event loop waits for the turns of all others
# before each of its own, a new connection among them.
_SMALL_THREADS: Final = 1
_MOST_SMALL: Final = 1024

Result = TypeVar("Result")


class Resources:
    """Who works on which call. ``quick`` calls never wait for ``long`` ones."""

    def __init__(self, settings: Settings) -> None:
        self.limits = settings
        self.budget = MemoryBudget(settings.max_memory_bytes)
        self.answers = Answers(settings.answer_cache_bytes)
        self._threads = ThreadPoolExecutor(_SMALL_THREADS, thread_name_prefix="small")
        self._small = 0
        self._turn_taken = asyncio.Event()
        self._fork_server = ForkServer()
        self.quick, self.long = self._pools = tuple(
            WorkerPool(self._fork_server, settings, workers) for workers in (1, settings.workers)
        )

    def share(self) -> Share:
        """Return what a new call holds: nothing yet."""
        return Share(self.budget)

    async def small(self, work: Callable[[], Result], *, brief: bool = False) -> Result:
        """Return the result of ``work``, which takes a few milliseconds. Errors: BusyError.

        ``brief``: it usually takes less than one. The first of them in a turn of the event loop is
        done at once, because another thread would cost a third as much again.
        """
        if brief and not self._small and not self._turn_taken.is_set():
            self._turn_taken.set()
            asyncio.get_running_loop().call_soon(self._turn_taken.clear)
            return work()
        if self._small >= _MOST_SMALL:
            raise BusyError
        self._small += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._small -= 1

    def report_to(self, metrics: Metrics) -> None:
        """Give all figures to the metrics."""
        answers, budget, pools = self.answers, self.budget, self._pools
        level, figure = metrics.level, metrics.figure
        figure("answers_found", "Questions whose answer was kept.", lambda: answers.hits)
        figure("answers_missed", "Questions whose answer was not.", lambda: answers.misses)
        figure("answers_dropped", "Answers dropped for others.", lambda: answers.dropped)
        level("answers_kept_bytes", "Bytes of kept answers.", lambda: answers.held_bytes)
        level("calls_small", "Small calls that run or wait.", lambda: self._small)
        level("calls_quick", "Quick calls that run or wait.", lambda: len(self.quick.calls))
        level("calls_long", "Long calls that run or wait.", lambda: len(self.long.calls))
        level(
            "workers_idle", "Workers without a call.", lambda: sum(len(each.idle) for each in pools)
        )
        figure("workers_lost", "Workers that died.", lambda: sum(each.lost for each in pools))
        level("memory_held_bytes", "Bytes that calls hold.", lambda: budget.held_bytes)
        level("memory_most_bytes", "Bytes that they may hold.", lambda: budget.most_bytes)
        said = "Times that others held what a call needed."
        figure("memory_refused", said, lambda: budget.refused)

    def warm(self) -> None:
        """Have workers ready before the first call that needs one."""
        for pool in self._pools:
            pool.warm()

    def stop(self) -> None:
        """Give up what workers do."""
        for pool in self._pools:
            pool.stop()

    def close(self) -> None:
        """End all workers."""
        for pool in self._pools:
            pool.close()
        self._fork_server.close()
