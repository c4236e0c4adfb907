"""Lanes of worker processes: calls wait in a lane for a worker, not long and not many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ..gone import until_gone
from ..problems import BusyError, LostError, OverdueError
from . import frames
from .answer import Answer, HeldResponse
from .budget import Share
from .nursery import Nursery, Worker


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """``waiting``: most calls that wait, each for ``wait_seconds`` at most.

    ``call_seconds``: longest time of one call. ``call_bytes``: the most that it may hold.
    """

    workers: int
    waiting: int
    wait_seconds: float
    call_seconds: float
    call_bytes: int


@dataclass(slots=True, eq=False)
class Job:
    """One call: the name of what is asked for, the body, options of the settings.

    ``share``: what it holds; the job releases it.
    """

    call: str
    body: bytearray
    options: Mapping[str, Any]
    share: Share
    asked_s: float = field(default_factory=monotonic)
    cancelled: bool = False
    worker: Worker | None = None
    _lock: Lock = field(default_factory=Lock)

    def begin(self, worker: Worker) -> bool:
        """Whether the call is still wanted; from now on ``cancel`` ends ``worker``."""
        with self._lock:
            self.worker = worker
            return not self.cancelled

    def end(self) -> bool:
        """Whether the worker can be used again."""
        with self._lock:
            self.worker = None
            return not self.cancelled

    def cancel(self) -> None:
        """Give the call up, and end the worker that has it."""
        with self._lock:
            self.cancelled = True
            if self.worker is not None:
                self.worker.kill()


class Lane:
    """Worker processes, each with a thread of the program that talks to it."""

    def __init__(self, nursery: Nursery, limits: LaneLimits) -> None:
        self._nursery = nursery
        self._limits = limits
        self._threads = self._new_threads()
        self._idle: list[Worker] = []
        self._jobs: set[Job] = set()
        self.lost = 0

    def _new_threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._limits.workers, thread_name_prefix="worker")

    @property
    def calls(self) -> int:
        """How many calls run or wait."""
        return len(self._jobs)

    @property
    def idle(self) -> int:
        """How many workers wait for a call."""
        return len(self._idle)

    async def run(self, request: Request, job: Job) -> Response:
        """Return the answer of a worker.

        Errors: BusyError, OverdueError, LostError; ClientDisconnect if nobody wants the answer.
        """
        limits = self._limits
        if len(self._jobs) >= limits.workers + limits.waiting:
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
                return HeldResponse(answer.result())
            raise ClientDisconnect
        finally:
            gone.cancel()
            if not answer.done():
                job.cancel()
                answer.cancel()

    def _ended(self, job: Job, done: Future[Answer]) -> None:
        self._jobs.discard(job)
        if job.cancelled or done.cancelled() or done.exception() is not None:
            job.share.release()

    def _work(self, job: Job) -> Answer:
        """Have the job done, on a thread of this lane."""
        if monotonic() - job.asked_s > self._limits.wait_seconds:
            raise BusyError
        worker = self._idle.pop() if self._idle else self._worker()
        stays = False
        try:
            if not job.begin(worker):
                raise ClientDisconnect
            answer, stays = self._exchange(worker, job)
            return answer
        except TimeoutError:
            raise OverdueError(f"The call took over {self._limits.call_seconds:g} s.") from None
        except frames.EndedError:
            self.lost += 1
            raise LostError from None
        finally:
            if job.end() and stays:
                self._idle.append(worker)
            else:
                worker.end()

    def _worker(self) -> Worker:
        # What workers are forked from may just have ended: once more starts another one.
        with suppress(OSError, frames.EndedError):
            return self._nursery.worker()
        try:
            return self._nursery.worker()
        except (OSError, frames.EndedError) as error:
            raise BusyError from error

    def _exchange(self, worker: Worker, job: Job) -> tuple[Answer, bool]:
        """Send a job and receive its answer; whether the worker can do another one."""
        ends_s = monotonic() + self._limits.call_seconds
        wire, share = worker.wire, job.share
        asked = {"call": job.call, "options": job.options, "most_bytes": self._limits.call_bytes}
        wire.settimeout(self._limits.call_seconds)
        frames.send(wire, frames.JOB, json.dumps(asked).encode())
        frames.send(wire, frames.BODY, job.body)
        job.body = bytearray()
        while True:
            wire.settimeout(max(ends_s - monotonic(), 0.001))
            kind, content = frames.receive(wire)
            if kind == frames.HEAD:
                break
            try:
                share.hold(int(content))
                frames.send(wire, frames.YES)
            except BusyError:
                frames.send(wire, frames.NO)
        head = json.loads(content)
        share.resize(head["size_bytes"])
        received = np.empty(head["size_bytes"], np.uint8).data
        frames.fill(wire, received)
        headers = [(name.encode(), value.encode()) for name, value in head["headers"]]
        return Answer(head["status"], headers, received, share), head["stays"]

    def stop(self) -> None:
        """Give up all calls."""
        for job in list(self._jobs):
            job.cancel()

    def close(self) -> None:
        """Give up all calls, and end the workers. The lane can be used again."""
        self.stop()
        ended, self._threads = self._threads, self._new_threads()
        ended.shutdown(wait=False, cancel_futures=True)
        while self._idle:
            self._idle.pop().end()

    def warm(self) -> None:
        """Have a worker ready."""
        self._threads.submit(lambda: self._idle.append(self._worker()))
