"""Runs the passes of a reorder: here, in processes of this machine, or on a dask scheduler."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ...engine.model.errors import Described, LayoutError, phrase, refusal
from .places import changing, reading, remove, store
from .transfer import PROCESS_BYTES, Pass, Transfer, Workers

if TYPE_CHECKING:
    import zarr
    from distributed import Client

_WAITING_PER_THREAD = 4  # tasks that the scheduler knows at once
_ATTEMPTS = 3
_PLAN = "plan"

Advance = Callable[[int], None]


Tasks = Callable[[Callable[[int], int], Iterable[int]], Iterator[int]]
"""Calls a function with each number; yields results in any order."""


def _task(one: Pass, marks: str, number: int) -> int:
    """Move one box of a pass, then mark that it is done. Picklable, for another machine."""
    size_bytes = one.move(number)
    changing(marks)[number] = 1
    return size_bytes


def run(transfer: Transfer, tasks: Tasks, *, resume: bool, advance: Advance) -> None:
    """Move every box, then make the array appear.

    ``advance``: called with the bytes of the source's boxes moved since the last call. If it is
    interrupted, the chunks written and the marks of what is done stay; with ``resume`` the next
    run does the rest. Errors: LayoutError naming resume or the target; those of zarr and dask.
    """
    import zarr

    last = transfer.passes[-1]
    marks = _begun(transfer, resume=resume)
    for one, place in zip(transfer.passes, marks, strict=True):
        left = np.flatnonzero(np.asarray(changing(place)[:]) == 0).tolist()
        if len(left) < len(one.boxes):
            advance(one.moved_bytes - sum(map(one.bytes_of, left)))
        with reading(one.source):
            for size_bytes in tasks(partial(_task, one, place), left):
                advance(size_bytes)
    # The metadata comes last: until then, whoever opens the target finds no array.
    zarr.create_array(store(last.target), **last.writing.created())
    remove(transfer.part)


@contextmanager
def cluster(workers: Workers, scheduler: str | None) -> Iterator[Tasks]:
    """Yields what runs tasks on a scheduler, or without one on new processes.

    Errors: LayoutError naming scheduler.
    """
    from distributed import Client

    local = {
        "n_workers": workers.count,
        "threads_per_worker": 1,
        "memory_limit": workers.memory_bytes,
        "dashboard_address": None,
        "silence_logs": logging.CRITICAL,
    }
    with Client(**local) if scheduler is None else _client(scheduler) as client:
        yield _on(client)


def workers_of(scheduler: str, *, most_bytes: int | None, unlimited_bytes: int) -> Workers:
    """Return what the workers of a scheduler have now.

    ``most_bytes``: of a worker's memory, if only a part may be used. ``unlimited_bytes``: what is
    used of a worker without a limit. Errors: LayoutError naming scheduler.
    """
    with _client(scheduler) as client:
        found = client.scheduler_info()["workers"].values()
    if not found:
        raise refusal("scheduler", "one without workers", "zarr.worker")
    limits = [one["memory_limit"] or unlimited_bytes for one in found]
    threads = [one["nthreads"] for one in found]
    each = zip((min(limit, most_bytes or limit) for limit in limits), threads, strict=True)
    memory_bytes, beside = min(each, key=lambda one: (one[0] - PROCESS_BYTES) / one[1])
    return Workers(len(threads), sum(threads), memory_bytes, beside)


def _client(scheduler: str) -> Client:
    from distributed import Client

    try:
        return Client(scheduler, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise refusal("scheduler", "an address without one", "address") from error


def _on(client: Client) -> Tasks:
    def run_tasks(work: Callable[[int], int], numbers: Iterable[int]) -> Iterator[int]:
        from distributed import KilledWorker, as_completed

        waiting = iter(numbers)
        known = max(sum(client.nthreads().values()), 1) * _WAITING_PER_THREAD
        # Not pure: a task writes. It may run again, as after the death of its worker.
        first = client.map(work, list(islice(waiting, known)), pure=False, retries=_ATTEMPTS)
        done = as_completed(first)
        for future in done:
            try:
                yield future.result()
            except KilledWorker:
                got = "a worker that its limit ended several times"
                raise refusal("memory", got, "zarr.memory") from None
            for number in islice(waiting, 1):
                done.add(client.submit(work, number, pure=False, retries=_ATTEMPTS))

    return run_tasks


def _begun(transfer: Transfer, *, resume: bool) -> list[str]:
    """Make or find the place of the progress; return where each pass marks what is done."""
    import zarr

    plan = repr(transfer.passes)
    marks = [f"{transfer.part}/done-{number}" for number in range(len(transfer.passes))]
    try:
        there: zarr.Group | None = zarr.open_group(store(transfer.part), mode="r")
    except FileNotFoundError:
        there = None
    if there is not None:
        got, expected = "an interrupted", phrase("zarr.interrupted")
        if resume:
            got, expected = "another", phrase("zarr.same")
        if not resume or there.attrs.get(_PLAN) != plan:
            raise LayoutError("resume", Described(f"{got} run at {transfer.part}"), expected)
        return marks
    for one in transfer.passes[:-1]:
        zarr.create_array(store(one.target), **one.writing.created())
    for one, place in zip(transfer.passes, marks, strict=True):
        count = len(one.boxes)
        zarr.create_array(
            store(place), shape=(count,), chunks=(1,), dtype="uint8", compressors=None
        )
    zarr.create_group(store(transfer.part), attributes={_PLAN: plan})
    return marks
