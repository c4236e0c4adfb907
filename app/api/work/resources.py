"""Who works on a call: a thread on the small ones, worker processes on the others.

Calls wait for a worker, not long and not many. All share kept answers, and the memory that they may
hold together.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ...engine.model.errors import phrase
from ...negotiation import best_coding
from ...settings import Settings
from ..answers import Answers
from ..edge.outside import HELD
from ..metrics import Figures
from ..problems import BusyError
from . import messages
from .fork_server import ForkServer, Worker

# One: the interpreter runs one at a time, and the event loop waits for the turns of all others
# before each of its own, a new connection among them.
_SMALL_THREADS: Final = 1
_LOST: Final = phrase("server.lost")
_PIECE_BYTES: Final = 1 << 16

_Answer = tuple[messages.Said, bytearray]
Result = TypeVar("Result")


@dataclass(slots=True)
class HeldBytes:
    """Bytes that may be held: by all calls together, or by one.

    ``within``: the budget that they are taken from besides. Only the event loop changes it.
    """

    most_bytes: int
    within: HeldBytes | None = None
    held_bytes: int = 0
    refused: int = 0

    def take(self, size_bytes: int) -> None:
        """Count bytes as held. Errors: BusyError if too many are."""
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

    def release(self) -> None:
        """Give everything back."""
        self.give_back(self.held_bytes)

    def share(self) -> HeldBytes:
        """Return a part of it that holds nothing yet."""
        return HeldBytes(self.most_bytes, self)


class PiecesResponse(StreamingResponse):
    """Sends pieces, without tasks of its own that look whether the caller is gone.

    The server keeps a piece until it is sent, and so all that the piece is a view of.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of them."""
        await self.stream_response(send)


async def _pieces(content: bytearray) -> AsyncIterator[bytes]:
    for at in range(0, len(content), _PIECE_BYTES):
        yield bytes(memoryview(content)[at : at + _PIECE_BYTES])


class CallQueue(asyncio.Semaphore):
    """Calls that wait for none but each other: ``calls`` run, as many as ``workers``, or wait."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.workers = workers
        self.calls: set[asyncio.Task[_Answer]] = set()


class Resources:
    """Who works on which call. ``quick`` calls never wait for ``long`` ones.

    Only the event loop of a server may use it. ``idle``: workers that wait for a call. ``lost``:
    how many died.
    """

    def __init__(self, settings: Settings) -> None:
        self.limits = settings
        self.budget = HeldBytes(settings.max_memory_bytes)
        self.answers = Answers(settings.answer_cache_bytes)
        self.quick, self.long = self._queues = CallQueue(1), CallQueue(settings.workers)
        self.idle: list[Worker] = []
        self.lost = 0
        self._fork_server = ForkServer()
        self._threads = ThreadPoolExecutor(_SMALL_THREADS, thread_name_prefix="small")
        self._small = 0
        self._turn_taken = asyncio.Event()

    def share(self, request: Request) -> HeldBytes:
        """Return what a request holds until it is answered: nothing yet."""
        share = self.budget.share()
        request.scope[HELD].append(share.release)
        return share

    async def run(
        self,
        queue: CallQueue,
        request: Request,
        asked: messages.Said,
        body: bytearray,
        share: HeldBytes,
    ) -> Response:
        """Return the answer of a worker. ``asked``: the name of a ``call``, and its ``options``.

        Errors: BusyError; ClientDisconnect if nobody wants the answer.
        """
        if len(queue.calls) >= queue.workers + self.limits.max_waiting:
            raise BusyError
        coding = best_coding(request.headers.get("accept-encoding", ""))
        job = {**asked, "coding": coding}
        answer = asyncio.create_task(self._answer(queue, job, body, share))
        queue.calls.add(answer)
        answer.add_done_callback(queue.calls.discard)
        try:
            await done_or_gone(answer, request)
            if not answer.done():
                raise ClientDisconnect
        finally:
            answer.cancel()
        if answer.cancelled():
            raise BusyError(_LOST)
        said, content = answer.result()
        response = PiecesResponse(_pieces(content), said["status"])
        response.raw_headers = [(name.encode(), value.encode()) for name, value in said["headers"]]
        return response

    async def _answer(
        self, queue: CallQueue, job: messages.Said, body: bytearray, share: HeldBytes
    ) -> _Answer:
        """Have a call answered by a worker; one that does not finish it is killed."""
        limits = self.limits
        try:
            async with asyncio.timeout(limits.wait_seconds):
                await queue.acquire()
        except TimeoutError:
            raise BusyError from None
        try:
            while not self.idle or self.idle[-1].has_ended():
                if self.idle:
                    self.idle.pop()
                else:
                    await asyncio.to_thread(self._start)
            worker, stays = self.idle.pop(), False
            try:
                async with asyncio.timeout(limits.call_seconds):
                    answer = await self._exchange(worker.wire, job, body, share)
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
            queue.release()

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
        self, wire: socket.socket, job: messages.Said, body: bytearray, share: HeldBytes
    ) -> _Answer:
        """Send a call and receive its answer."""
        limits = self.limits
        most_bytes = min(limits.max_call_bytes, limits.max_memory_bytes - share.held_bytes)
        await messages.tell(wire, {**job, "most_bytes": most_bytes}, body)
        while "hold" in (came := await messages.hear(wire))[0]:
            try:
                share.take(came[0]["hold"])
                await messages.tell(wire, {"granted": True})
            except BusyError:
                await messages.tell(wire, {"granted": False})
        share.release()
        share.take(came[0]["size_bytes"])
        return came

    async def small(self, work: Callable[[], Result], *, brief: bool = False) -> Result:
        """Return the result of ``work``, which takes a few milliseconds.

        ``brief``: it usually takes less than one. The first of them in a turn of the event loop is
        done at once, because another thread would cost a third as much again.
        """
        if brief and not self._small and not self._turn_taken.is_set():
            self._turn_taken.set()
            asyncio.get_running_loop().call_soon(self._turn_taken.clear)
            return work()
        self._small += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._small -= 1

    def figures(self) -> Figures:
        """What the metrics show of calls, workers, memory and kept answers."""
        answers, budget = self.answers, self.budget
        return {
            "answers_found_total": ("Questions whose answer was kept.", answers.hits),
            "answers_missed_total": ("Questions whose answer was not.", answers.misses),
            "answers_dropped_total": ("Answers dropped for others.", answers.dropped),
            "answers_kept_bytes": ("Bytes of kept answers.", answers.held_bytes),
            "calls_small": ("Small calls that run or wait.", self._small),
            "calls_quick": ("Quick calls that run or wait.", len(self.quick.calls)),
            "calls_long": ("Long calls that run or wait.", len(self.long.calls)),
            "workers_idle": ("Workers without a call.", len(self.idle)),
            "workers_lost_total": ("Workers that died.", self.lost),
            "memory_held_bytes": ("Bytes that calls hold.", budget.held_bytes),
            "memory_most_bytes": ("Bytes that they may hold.", budget.most_bytes),
            "memory_refused_total": ("Times that others held what a call needed.", budget.refused),
        }

    def warm(self) -> None:
        """Have workers ready before the first calls that need them."""
        for _ in self._queues:
            starting = asyncio.get_running_loop().run_in_executor(None, self._start)
            starting.add_done_callback(lambda done: done.cancelled() or done.exception())

    def stop(self) -> None:
        """Give up what workers do."""
        for queue in self._queues:
            for task in list(queue.calls):
                task.cancel()

    def close(self) -> None:
        """Give up all calls, and end the workers. Another event loop can be served then."""
        self.stop()
        self.quick, self.long = self._queues = CallQueue(1), CallQueue(self.limits.workers)
        while self.idle:
            self.idle.pop().end()
        self._fork_server.close()


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
