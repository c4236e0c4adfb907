"""A pool of worker processes: calls wait in it for a worker, not long and not many."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...engine.model.errors import Phrase
from ...negotiation import Coding, best_coding
from ...settings import Settings
from ..problems import BusyError
from . import messages
from .budget import Share
from .fork_server import ForkServer, Worker

_LOST: Final = Phrase("server.lost", "The server lost this call; try again.")
_PIECE_BYTES: Final = 1 << 16

_Answer = tuple[dict[str, Any], memoryview]  # status, headers; whether the worker stays; the body


@dataclass(slots=True)
class WorkerCall:
    """One call: the name of what is asked for, the body, options of the settings.

    ``share``: what it holds. ``coding``: of the answer.
    """

    call: str
    body: bytearray
    options: Mapping[str, Any]
    share: Share
    coding: Coding | None = None


class HeldResponse(Response):
    """Sends ``pieces``, and calls ``release`` when they are sent, or if sending fails.

    The server keeps a piece until it is sent, so a view must not outlive ``release``.
    """

    def __init__(
        self, pieces: AsyncGenerator[Any, None], release: Callable[[], None], status: int = 200
    ) -> None:
        super().__init__(None, status)
        self._pieces, self._release = pieces, release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        try:
            await send({**start, "headers": self.raw_headers})
            async with aclosing(self._pieces) as pieces:
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._release()


async def _pieces(content: memoryview) -> AsyncGenerator[bytes, None]:
    for at in range(0, len(content), _PIECE_BYTES):
        yield bytes(content[at : at + _PIECE_BYTES])


class WorkerPool:
    """Worker processes. Only the event loop of a server may use it."""

    def __init__(self, fork_server: ForkServer, limits: Settings, workers: int) -> None:
        self._fork_server = fork_server
        self._limits = limits
        self._workers = workers
        self._turns = asyncio.Semaphore(workers)
        self._idle: list[Worker] = []
        self._tasks: set[asyncio.Task[_Answer]] = set()
        self.lost = 0

    @property
    def calls(self) -> int:
        """How many calls run or wait."""
        return len(self._tasks)

    @property
    def idle(self) -> int:
        """How many workers wait for a call."""
        return len(self._idle)

    async def run(self, request: Request, job: WorkerCall) -> Response:
        """Return the answer of a worker.

        Errors: BusyError; ClientDisconnect if nobody wants the answer.
        """
        if self.calls >= self._workers + self._limits.max_waiting:
            raise BusyError
        job.coding = best_coding(request.headers.get("accept-encoding", ""))
        answer = asyncio.create_task(self._answer(job))
        self._tasks.add(answer)
        answer.add_done_callback(self._tasks.discard)
        try:
            await done_or_gone(answer, request)
        finally:
            if not answer.done():
                answer.cancel()
        if answer.cancelled():
            raise BusyError(_LOST)
        if not answer.done():
            raise ClientDisconnect
        said, content = answer.result()
        response = HeldResponse(_pieces(content), job.share.moved().release, said["status"])
        response.raw_headers = [(name.encode(), value.encode()) for name, value in said["headers"]]
        return response

    async def _answer(self, job: WorkerCall) -> _Answer:
        """Have the job done by a worker; one that does not finish it is killed."""
        limits, turns = self._limits, self._turns
        try:
            async with asyncio.timeout(limits.wait_seconds):
                await turns.acquire()
        except TimeoutError:
            raise BusyError from None
        try:
            while not self._idle:
                await asyncio.to_thread(self._start)
            worker, stays = self._idle.pop(), False
            try:
                async with asyncio.timeout(limits.call_seconds):
                    answer = await self._exchange(worker, job)
                stays = answer[0]["stays"]
                return answer
            except TimeoutError:
                said = "The call took over {seconds:g} s."
                phrase = Phrase("server.overdue", said, seconds=limits.call_seconds)
                raise BusyError(phrase) from None
            except ConnectionError:
                self.lost += 1
                raise BusyError(_LOST) from None
            finally:
                if stays:
                    self._idle.append(worker)
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
        self._idle.append(worker)

    async def _exchange(self, worker: Worker, job: WorkerCall) -> _Answer:
        """Send a job and receive its answer."""
        limits, share, wire = self._limits, job.share, messages.Wire(worker.wire)
        most_bytes = min(limits.max_call_bytes, limits.max_memory_bytes - share.held_bytes)
        asked = {"call": job.call, "options": job.options, "coding": job.coding}
        head = json.dumps({**asked, "most_bytes": most_bytes}).encode()
        await wire.send(messages.JOB, head)
        await wire.send(messages.BODY, job.body)
        job.body = bytearray()
        while (message := await wire.receive())[0] != messages.HEAD:
            try:
                share.hold(int(message[1]))
                await wire.send(messages.YES)
            except BusyError:
                await wire.send(messages.NO)
        said = json.loads(message[1])
        share.resize(said["size_bytes"])
        return said, memoryview((await wire.receive())[1])

    def stop(self) -> None:
        """Give up all calls."""
        for task in list(self._tasks):
            task.cancel()

    def close(self) -> None:
        """Give up all calls, and end the workers. Another event loop can use the pool then."""
        self.stop()
        self._turns = asyncio.Semaphore(self._workers)
        while self._idle:
            self._idle.pop().end()

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
