"""A pool of worker processes: calls wait in it for a worker, not long and not many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...engine.model.errors import Phrase
from ...settings import Settings
from ..problems import BusyError
from . import messages
from .budget import Share
from .fork_server import ForkServer, Worker

_LOST: Final = Phrase("server.lost", "The server lost this call; try again.")
_PIECE_BYTES: Final = 1 << 16


@dataclass(slots=True, eq=False)
class WorkerCall:
    """One call: the name of what is asked for, the body, options of the settings.

    ``share``: what it holds; the job releases it.
    """

    call: str
    body: bytearray
    options: Mapping[str, Any]
    share: Share
    asked_s: float = field(default_factory=monotonic)
    cancelled: bool = False
    _worker: Worker | None = None
    _lock: Lock = field(default_factory=Lock)

    def given_to(self, worker: Worker | None) -> bool:
        """Whether the call is still wanted; from now on ``cancel`` kills ``worker``."""
        with self._lock:
            self._worker = worker
            return not self.cancelled

    def cancel(self) -> None:
        """Give the call up, and kill the worker that has it."""
        with self._lock:
            self.cancelled = True
            if self._worker is not None:
                self._worker.kill()


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
    """Worker processes, each with a thread of the program that talks to it."""

    def __init__(self, fork_server: ForkServer, limits: Settings, workers: int) -> None:
        self._fork_server = fork_server
        self._limits = limits
        self._workers = workers
        self._threads = self._new_threads()
        self._idle: list[Worker] = []
        self._jobs: set[WorkerCall] = set()
        self.lost = 0

    def _new_threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._workers, thread_name_prefix="worker")

    @property
    def calls(self) -> int:
        """How many calls run or wait."""
        return len(self._jobs)

    @property
    def idle(self) -> int:
        """How many workers wait for a call."""
        return len(self._idle)

    async def run(self, request: Request, job: WorkerCall) -> Response:
        """Return the answer of a worker.

        Errors: BusyError; ClientDisconnect if nobody wants the answer.
        """
        if len(self._jobs) >= self._workers + self._limits.max_waiting:
            job.share.release()
            raise BusyError
        self._jobs.add(job)
        later = self._threads.submit(self._work, job)
        later.add_done_callback(lambda done: self._ended(job, done))
        answer = asyncio.wrap_future(later)
        gone = asyncio.ensure_future(until_gone(request))
        try:
            await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            raise ClientDisconnect
        finally:
            gone.cancel()
            if not answer.done():
                job.cancel()
                answer.cancel()

    def _ended(self, job: WorkerCall, done: Future[HeldResponse]) -> None:
        self._jobs.discard(job)
        if job.cancelled or done.cancelled() or done.exception() is not None:
            job.share.release()

    def _work(self, job: WorkerCall) -> HeldResponse:
        """Have the job done, on a thread of this pool."""
        if monotonic() - job.asked_s > self._limits.wait_seconds:
            raise BusyError
        worker = self._idle.pop() if self._idle else self._worker()
        stays = False
        try:
            if not job.given_to(worker):
                raise ClientDisconnect
            answer, stays = self._exchange(worker, job)
            return answer
        except TimeoutError:
            most = self._limits.call_seconds
            said = Phrase("server.overdue", "The call took over {seconds:g} s.", seconds=most)
            raise BusyError(said) from None
        except messages.EndedError:
            self.lost += not job.cancelled
            raise BusyError(_LOST) from None
        finally:
            if job.given_to(None) and stays:
                self._idle.append(worker)
            else:
                worker.end()

    def _worker(self) -> Worker:
        # What workers are forked from may just have ended: once more starts another one.
        with suppress(OSError, messages.EndedError):
            return self._fork_server.worker()
        try:
            return self._fork_server.worker()
        except (OSError, messages.EndedError) as error:
            raise BusyError from error

    def _exchange(self, worker: Worker, job: WorkerCall) -> tuple[HeldResponse, bool]:
        """Send a job and receive its answer; whether the worker can do another one."""
        limits, wire, share = self._limits, worker.wire, job.share
        ends_s = monotonic() + limits.call_seconds
        most_bytes = min(limits.max_call_bytes, limits.max_memory_bytes - share.held_bytes)
        asked = {"call": job.call, "options": job.options, "most_bytes": most_bytes}
        wire.settimeout(limits.call_seconds)
        messages.send(wire, messages.JOB, json.dumps(asked).encode())
        messages.send(wire, messages.BODY, job.body)
        job.body = bytearray()
        while True:
            wire.settimeout(max(ends_s - monotonic(), 0.001))
            kind, content = messages.receive(wire)
            if kind == messages.HEAD:
                break
            try:
                share.hold(int(content))
                messages.send(wire, messages.YES)
            except BusyError:
                messages.send(wire, messages.NO)
        head = json.loads(content)
        share.resize(head["size_bytes"])
        _, received = messages.receive(wire)
        response = HeldResponse(_pieces(memoryview(received)), share.release, head["status"])
        response.raw_headers = [(name.encode(), value.encode()) for name, value in head["headers"]]
        return response, head["stays"]

    def stop(self) -> None:
        """Give up all calls."""
        for job in list(self._jobs):
            job.cancel()

    def close(self) -> None:
        """Give up all calls, and end the workers. The pool can be used again."""
        self.stop()
        ended, self._threads = self._threads, self._new_threads()
        ended.shutdown(wait=False, cancel_futures=True)
        while self._idle:
            self._idle.pop().end()

    def warm(self) -> None:
        """Have a worker ready."""
        self._threads.submit(lambda: self._idle.append(self._worker()))


async def until_gone(request: Request) -> None:
    """Return when the caller of ``request``, whose body was read, is gone or has its answer."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
