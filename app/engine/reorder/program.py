"""A plan prepared for one element size: its moves, cut into pieces, for each backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from . import cpu
from .children import cores
from .interface import Buffer, Memory, Piece
from .moves import Move, moves_of
from .numpy.gather import gather
from .pieces import cut
from .plan import Plan
from .sharing import Progress, share

if TYPE_CHECKING:
    from .cuda.device import DeviceProgram

_PIECE_BYTES = 8 << 20  # of the target, between two reports of progress
_SHARED_PIECE_BYTES = 1 << 19  # if several moves write the same lines, so that these stay in cache
_NEAR_BITS = 1 << 13
_REMEMBERED_BYTES = 256 << 20  # largest target whose pieces are kept for the next call
_LEAST_PIECE_BYTES = 1 << 18
# For fewer bytes, giving a part to another thread costs as much as it saves.
_BYTES_PER_THREAD = 4 << 20


@dataclass(frozen=True, slots=True)
class Ready:
    """The pieces of a backend. An iterator of pieces can be used only once."""

    backend: str
    pieces: Iterable[Piece]
    workers: int  # threads that share these pieces
    memory_of: Callable[[Buffer, Buffer], Memory]

    def run(self, source: Buffer, target: Buffer) -> None:
        """Make all pieces on this thread."""
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

    def _is_joined(self, k: int, backend: str) -> bool:
        """Whether one pass makes move ``k`` together with the move before it."""
        return k > 0 and cpu.are_one(self.moves[k - 1], self.moves[k], backend)

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
        alone = [m for k, m in enumerate(self.moves) if not self._is_joined(k, backend)]
        if _are_near(alone):
            most = min(most, _SHARED_PIECE_BYTES)
        if any(move.unit_bits < 8 for move in self.moves):
            most = self.size_bytes  # two nibbles share a byte: one thread writes them all
        return most


def _bits_in(moves: Sequence[Move]) -> int:
    return sum(move.units * move.unit_bits for move in moves)


def _bytes_in(moves: Sequence[Move]) -> int:
    """Return the number of bytes that moves write; a last nibble counts as one byte."""
    return -(-_bits_in(moves) // 8)


def _are_near(moves: Sequence[Move]) -> bool:
    """Whether moves write the same lines of memory, or lines near each other."""
    begins = sorted(move.target * move.unit_bits for move in moves)
    return any(b - a < _NEAR_BITS for a, b in pairwise(begins))
