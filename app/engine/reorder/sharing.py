"""Runs the pieces of a reorder in parallel on a pool of threads."""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache

from .children import cores
from .interface import Memory, Piece

Progress = Callable[[int], None]


def share(pieces: Iterable[Piece], memory: Memory, workers: int, progress: Progress) -> None:
    """Run all pieces on ``workers`` threads, the calling thread included.

    Only the calling thread calls ``progress``. An exception in one thread stops all of them.
    """
    waiting, lock = iter(pieces), threading.Lock()
    written = 0

    def work(report: Progress | None = None) -> None:
        nonlocal waiting, written
        try:
            while True:
                with lock:
                    piece = next(waiting, None)
                    count = written
                    if report:
                        written = 0
                if report and count:
                    report(count)
                if piece is None:
                    return
                for go in piece.runners:
                    go(*memory)
                with lock:
                    written += piece.size_bytes
        except BaseException:
            with lock:
                waiting = iter(())
            raise

    others: list[Future[None]] = []
    try:
        others.extend(_pool().submit(work) for _ in range(workers - 1))
        work(progress)
    finally:
        with lock:
            waiting = iter(())
        # Work that has not begun is cancelled; work that has begun still writes to the target.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    if written:
        progress(written)


@cache
def _pool() -> ThreadPoolExecutor:
    """Return a pool whose threads stay, because waking a thread costs less than starting one."""
    return ThreadPoolExecutor(max(cores(), 1), thread_name_prefix="reorder")


# A child process has the pool but none of its threads. Windows has no fork.
with suppress(AttributeError):
    os.register_at_fork(after_in_child=_pool.cache_clear)
