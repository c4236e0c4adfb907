"""Who works on a call: a thread on the small ones, worker processes on the others.

Calls wait in a pool for a worker, not long and not many. All share kept answers, and the memory
that they may hold together.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ...engine.model.errors import phrase
from ...negotiation import best_coding
from ...settings import Settings
from ..answers import Answers
from ..metrics import Metrics
from ..problems import BusyError
from . import messages
from .fork_server import ForkServer, Worker

# One: the interpreter runs one at a time, and the event loop waits for the turns of all others
# before each of its own, a new connection among them.
_SMALL_THREADS: Final = 1
_MOST_SMALL: Final = 1024
_LOST: Final = phrase("server.lost")
_PIECE_BYTES: Final = 1 << 16

_Answer = tuple[messages.Said, bytearray]
Result = TypeVar("Result")


@dataclass(slots=True)
class MemoryBudget:
    """``most_bytes`` of all calls together; ``within``: what they are taken from besides.

    Only the event loop changes it.
    """

    most_bytes: int
    within: MemoryBudget | None = None
    held_bytes: int = 0
    refused: int = 0

    def take(self, size_bytes: int) -> None:
        """Count bytes as held. Errors: BusyError if others hold too many."""
        if self.held_bytes + size_bytes > self.most_bytes:
            self.refused += 1
            raise BusyError
        if self.within is not None:
            self.within.take(size_bytes)
        self.held_bytes += size_bytes

    def give_back(self, size_bytes: int) -> None:
        """Count bytes as free again."""
        self.held_bytes -= size_bytes
        if self.within is not None:
            self.within.give_back(size_bytes)


@dataclass(slots=True)
class Share:
    """What one call holds of a budget. As a context it is released at the end of the block."""

    budget: MemoryBudget
    held_bytes: int = 0

    def hold(self, size_bytes: int) -> None:
        """Take so much more. Errors: BusyError."""
        self.budget.take(size_bytes)
        self.held_bytes += size_bytes

    def resize(self, size_bytes: int) -> None:
        """Hold so much in all. Errors: BusyError if that is more than before, and too much."""
        if size_bytes > self.held_bytes:
            self.hold(size_bytes - self.held_bytes)
        else:
            self.budget.give_back(self.held_bytes - size_bytes)
            self.held_bytes = size_bytes

    def moved(self) -> Share:
        """Return a share with all that this one holds, which then holds nothing."""
        taken, self.held_bytes = Share(self.budget, self.held_bytes), 0
        return taken

    def release(self) -> None:
        """Give everything back."""
        self.resize(0)

    def __enter__(self) -> Share:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class HeldResponse(StreamingResponse):
    """Sends ``pieces``, and calls ``release`` when they are sent, or if sending fails.

    The server keeps a piece until it is sent, so a view must not outlive ``release``.
    """

    def __init__(
        self, pieces: AsyncGenerator[Any, None], release: Callable[[], None], status: int = 200
    ) -> None:
        super().__init__(pieces, status)
        self._pieces, self._release = pieces, release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self._pieces):
                await self.stream_response(send)
        finally:
            self._release()


async def _pieces(content: bytearray) -> AsyncGenerator[bytes, None]:
    for at in range(0, len(content), _PIECE_BYTES):
        yield bytes(memoryview(content)[at : at + _PIECE_BYTES])


class WorkerPool:
    """Worker processes. Only the event loop of a server may use it.

    ``idle``: those that wait for a call. ``calls``: those that run or wait. ``lost``: workers that
    died.
    """

    def __init__(self, fork_server: ForkServer, limits: Settings, workers: int) -> None:
        self._fork_server = fork_server
        self._limits = limits
        self._workers = workers
        self._turns = asyncio.Semaphore(workers)
        self.idle: list[Worker] = []
        self.calls: set[asyncio.Task[_Answer]] = set()
        self.lost = 0

    async def run(
        self, request: Request, call: str, body: bytearray, options: Mapping[str, Any], share: Share
    ) -> Response:
        """Return the answer of a worker to one of its calls.

        Errors: BusyError; ClientDisconnect if nobody wants the answer.
        """
        if len(self.calls) >= self._workers + self._limits.max_waiting:
            raise BusyError
        coding = best_coding(request.headers.get("accept-encoding", ""))
        asked = {"call": call, "options": options, "coding": coding}
        answer = asyncio.create_task(self._answer(asked, body, share))
        self.calls.add(answer)
        answer.add_done_callback(self.calls.discard)
        try:
            await done_or_gone(answer, request)
            if not answer.done():
                raise ClientDisconnect
        finally:
            answer.cancel()
        if answer.cancelled():
            raise BusyError(_LOST)
        said, content = answer.result()
        response = HeldResponse(_pieces(content), share.moved().release, said["status"])
        response.raw_headers = [(name.encode(), value.encode()) for name, value in said["headers"]]
        return response

    async def _answer(self, asked: messages.Said, body: bytearray, share: Share) -> _Answer:
        """Have a call answered by a worker; one that does not finish it is killed."""
        limits, turns = self._limits, self._turns
        try:
            async with asyncio.timeout(limits.wait_seconds):
                await turns.acquire()
        except TimeoutError:
            raise BusyError from None
        try:
            while not self.idle:
                await asyncio.to_thread(self._start)
            worker, stays = self.idle.pop(), False
            try:
                async with asyncio.timeout(limits.call_seconds):
                    answer = await self._exchange(worker.wire, asked, body, share)
                stays = answer[0]["stays"]
                return answer
            except TimeoutError:
                said = phrase("server.overdue", seconds=limits.call_seconds)
                raise BusyError(said) from None
            except ConnectionError:
                self.lost += 1
                raise BusyError(_LOST) from None
            finally:
                if stays:
                    self.idle.append(worker)
                else:
                    worker.end()
        finally:
            turns.release()

    def _start(self) -> None:
        """Have one worker more, on any thread. Errors: BusyError."""
        try:
            try:
                worker = self._fork_server.worker()
            except OSError:  # what workers are forked from may just have ended
                worker = self._fork_server.worker()
        except OSError as error:
            raise BusyError from error
        worker.wire.settimeout(0)
        self.idle.append(worker)

    async def _exchange(
        self, wire: socket.socket, asked: messages.Said, body: bytearray, share: Share
    ) -> _Answer:
        """Send a call and receive its answer."""
        limits = self._limits
        most_bytes = min(limits.max_call_bytes, limits.max_memory_bytes - share.held_bytes)
        await messages.tell(wire, {**asked, "most_bytes": most_bytes}, body)
        while "hold" in (came := await messages.hear(wire))[0]:
            try:
                share.hold(came[0]["hold"])
                await messages.tell(wire, {"granted": True})
            except BusyError:
                await messages.tell(wire, {"granted": False})
        share.resize(came[0]["size_bytes"])
        return came

    def stop(self) -> None:
        """Give up all calls."""
        for task in list(self.calls):
            task.cancel()

    def close(self) -> None:
        """Give up all calls, and end the workers. Another event loop can use the pool then."""
        self.stop()
        self._turns = asyncio.Semaphore(self._workers)
        while self.idle:
            self.idle.pop().end()

    def warm(self) -> None:
        """Have a worker ready."""
        starting = asyncio.get_running_loop().run_in_executor(None, self._start)
        starting.add_done_callback(lambda done: done.cancelled() or done.exception())


async def done_or_gone(work: asyncio.Future[Any], request: Request) -> None:
    """Wait for ``work``, or until the caller of ``request``, whose body was read, is gone."""

    async def until_gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    gone = asyncio.create_task(until_gone())
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()


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
