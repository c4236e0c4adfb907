"""A plan prepared for one element size: its moves, cut into pieces that threads may share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from . import cpu
from .children import cores
from .moves import Buffer, Memory, Move, Runner, moves_of
from .numpy.gather import gather
from .plan import Plan
from .ranges import Loop

if TYPE_CHECKING:
    from .cuda.device import DeviceProgram

Progress = Callable[[int], None]
_ALIGNED_UNITS = 64  # runs are cut at multiples of this, so no two pieces share a line of memory
_PIECE_BYTES = 8 << 20  # of the target, between two reports of progress
_SHARED_PIECE_BYTES = 1 << 19  # if several moves write the same lines, so that these stay in cache
_NEAR_BITS = 1 << 13
_REMEMBERED_BYTES = 256 << 20  # largest target whose pieces are kept for the next call
_LEAST_PIECE_BYTES = 1 << 18
# For fewer bytes, giving a part to another thread costs as much as it saves.
_BYTES_PER_THREAD = 4 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves prepared for a backend. ``size_bytes``: bytes of the target that they write."""

    runners: tuple[Runner, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The pieces of a backend. An iterator of pieces can be used only once."""

    backend: str
    pieces: Iterable[Piece]
    workers: int  # threads that share these pieces
    memory_of: Callable[[Buffer, Buffer], Memory]

    def run(self, source: Buffer, target: Buffer) -> None:
        """Run all pieces on this thread."""
        memory = self.memory_of(source, target)
        for piece in self.pieces:
            for go in piece.runners:
                go(*memory)


class Program:
    """A plan for elements of ``bits``, with the pieces that each backend prepared for it."""

    def __init__(self, planned: Plan, bits: int) -> None:
        self.planned = planned
        self.bits = bits
        self.moves = moves_of(planned.boxes, bits)
        self.by_tables = planned.kernel == "gather"
        self.written_bits = _bits_in(self.moves)
        self.size_bytes = _bytes_in(self.moves)
        self.source_items = self._items(planned.source.buffer_elements)
        self.target_items = self._items(planned.target.buffer_elements)
        # by backend, workers, whether it reports
        self._ready: dict[tuple[str, int, bool], Ready] = {}
        self.on_gpu: DeviceProgram | None = None

    def _items(self, elements: int) -> int:
        return -(-elements // 2) if self.bits < 8 else elements

    def ready(self, backend: str, threads: int | None, *, reports: bool) -> Ready:
        """Return the pieces for a backend, made at the first call.

        ``reports``: whether somebody is told of each piece. Errors: LayoutError naming ``backend``.
        """
        workers = self._workers(threads)
        key = (backend, workers, reports)
        found = self._ready.get(key)
        if found is None:
            cpu.check(backend)
            if self.by_tables:
                backend = "numpy"
            pieces: Iterable[Piece] = self._pieces(backend, workers, reports=reports)
            if self.size_bytes <= _REMEMBERED_BYTES:
                pieces = tuple(pieces)
                workers = max(min(workers, len(pieces)), 1)
            found = Ready(backend, pieces, workers, cpu.memory_of(backend))
            if isinstance(pieces, tuple):
                self._ready[key] = found
        return found

    def may_repeat(self, ready: Ready) -> bool:
        """Whether ``ready.run`` alone does what ``run`` does."""
        return ready.workers == 1 and isinstance(ready.pieces, tuple) and not self.by_tables

    def run(self, ready: Ready, source: Buffer, target: Buffer, progress: Progress | None) -> None:
        """Move everything. ``source``, ``target``: one-dimensional and contiguous."""
        if ready.workers == 1 and progress is None and not self.by_tables:
            ready.run(source, target)
            return
        memory = ready.memory_of(source, target)
        if self.by_tables:
            in_bytes = memory[0].view(np.uint8), target.view(np.uint8)
            gather(self.planned, self.bits, *in_bytes, progress)
        share(ready.pieces, memory, ready.workers, progress or (lambda _written: None))

    def _workers(self, threads: int | None) -> int:
        """Return how many threads share the work, if at most ``threads`` may."""
        if threads == 1:
            return 1
        return max(1, min(threads or cores(), self.size_bytes // _BYTES_PER_THREAD))

    def _pieces(self, backend: str, workers: int, *, reports: bool) -> Iterator[Piece]:
        streamed = self.size_bytes >= cpu.STREAMED_BYTES
        for moves in cut(self.moves, self._most_bytes(backend, workers, reports=reports)):
            runners = tuple(cpu.runners(moves, backend, streamed=streamed))
            yield Piece(runners, _bytes_in(moves))

    def _most_bytes(self, backend: str, workers: int, *, reports: bool) -> int:
        """Return the most bytes of a piece."""
        most = self.size_bytes
        if workers > 1 or reports:
            most = min(_PIECE_BYTES, max(self.size_bytes // (4 * workers), _LEAST_PIECE_BYTES))
        # Where each move begins that is not written in one pass with the move before it.
        pairs = zip((None, *self.moves), self.moves, strict=False)
        alone = [m for before, m in pairs if not (before and cpu.are_one(before, m, backend))]
        begins = sorted(move.target * move.unit_bits for move in alone)
        if any(b - a < _NEAR_BITS for a, b in pairwise(begins)):
            most = min(most, _SHARED_PIECE_BYTES)
        if any(move.unit_bits < 8 for move in self.moves):
            most = self.size_bytes  # two nibbles share a byte: one thread writes them all
        return most


def _bits_in(moves: Sequence[Move]) -> int:
    return sum(move.units * move.unit_bits for move in moves)


def _bytes_in(moves: Sequence[Move]) -> int:
    """Return the number of bytes that moves write; a last nibble counts as one byte."""
    return -(-_bits_in(moves) // 8)


def cut(moves: Sequence[Move], most_bytes: int) -> Iterator[tuple[Move, ...]]:
    """Yield pieces that write about ``most_bytes`` each and together do the same as ``moves``.

    Moves with the same outermost loop of several steps are cut together, because they may write the
    same lines.
    """
    size = _bits_in(moves) // 8
    count = -(-size // max(most_bytes, 1))
    if count <= 1:
        if moves:
            yield tuple(moves)
        return
    places = [_cuttable(moves[0])] if len(moves) == 1 else [_outermost(move) for move in moves]
    pairs = list(zip(moves, places, strict=True))
    cuttable = [(move.loops[k], move.unit_bits) for move, k in pairs if k is not None]
    kinds = {(loop.extent, loop.target_stride * bits) for loop, bits in cuttable}
    if len(moves) > 1 and (len(kinds) > 1 or len(cuttable) < len(moves)):
        for move in moves:
            yield from cut((move,), most_bytes)
        return
    k = places[0]
    if k is None:
        yield tuple(moves)
        return
    loop = moves[0].loops[k]
    grain = _ALIGNED_UNITS if 1 in {loop.source_stride, loop.target_stride} else 1
    step = -(-loop.extent // (count * grain)) * grain
    for begin in range(0, loop.extent, step):
        extent = min(step, loop.extent - begin)
        part = tuple(_narrowed(move, at, begin, extent) for move, at in pairs if at is not None)
        yield from cut(part, most_bytes) if extent == 1 else [part]


def _outermost(move: Move) -> int | None:
    """Return the outermost loop of several steps, None if it cannot be cut."""
    k = next((k for k, loop in enumerate(move.loops) if loop.steps > 1), None)
    return k if k is not None and _may_cut(move.loops[k]) else None


def _may_cut(loop: Loop) -> bool:
    return loop.extent > 1 and not loop.fill and loop.target_stride != 1


def _cuttable(move: Move) -> int | None:
    found = [k for k, loop in enumerate(move.loops) if _may_cut(loop)]
    if found:
        return found[0]
    # The move may be a single run.
    only = move.loops[0] if len(move.loops) == 1 else None
    return 0 if only and not only.fill and only.extent > _ALIGNED_UNITS else None


def _narrowed(move: Move, k: int, begin: int, extent: int) -> Move:
    loop = move.loops[k]
    source = None if move.source is None else move.source + begin * loop.source_stride
    target = move.target + begin * loop.target_stride
    # A loop of one step is kept, because the kernel may transpose its rows.
    narrowed = replace(loop, extent=extent)
    loops = (*move.loops[:k], narrowed, *move.loops[k + 1 :])
    return replace(move, source=source, target=target, loops=loops)


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
