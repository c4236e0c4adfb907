"""A plan prepared for one element size: its moves, cut into pieces, for each backend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays import cores
from ..dtypes import ElementType
from ..layout import Layout
from . import cpu
from .interface import Buffer, Look, Piece, Runner
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
_LOOKED_AT_BYTES = frozenset((1, 2, 4, 8, 16))  # items of which NumPy makes views without a copy
_BYTES_PER_THREAD = 4 << 20  # for fewer bytes, waking a thread costs as much as it saves


class _Ready(NamedTuple):
    """The pieces of a backend. An iterator of pieces can be used only once."""

    backend: str
    pieces: Iterable[Piece]
    look: Look


class Prepared(NamedTuple):
    """What a call leaves for the next one that is given the same. It holds no array.

    ``runners``: all of them, to be called on the calling thread; none if ``look`` does the work.
    """

    source: Layout
    target: Layout
    held: np.dtype[Any]
    dtype: str | ElementType | None
    threads: int | None
    backend: str | None
    source_items: int
    target_items: int
    look: Look
    runners: tuple[Runner, ...]


_Key = tuple[str, int, int, bool]  # backend, workers, bytes of an item, progress or not


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
        self._ready: dict[_Key, _Ready] = {}
        self.prepared: Prepared | None = None
        self._is_alone = len(self.moves) == 1 and cpu.may_overlap(self.moves[0])
        self._most_workers = max(1, self.size_bytes // _BYTES_PER_THREAD)
        self.on_gpu: DeviceProgram | None = None

    def _items(self, elements: int) -> int:
        return -(-elements // 2) if self.bits < 8 else elements

    def run(
        self,
        source: Buffer,
        target: Buffer,
        asked: str | None,
        threads: int | None,
        progress: Progress | None,
    ) -> str:
        """Move everything with the backend ``asked``; return the name of the one used.

        ``source``, ``target``: one-dimensional and contiguous. ``asked``: None for the best one
        that is ready. Errors: LayoutError naming ``backend``.
        """
        backend = asked or cpu.best(target.nbytes)
        workers = 1
        if threads != 1 and self._most_workers > 1:
            workers = min(threads or cores(), self._most_workers)
        key = (backend, workers, source.itemsize, progress is not None)
        ready = self._ready.get(key) or self._make_ready(key)
        items = self.source_items, self.target_items
        begin, end, place, fits = ready.look(source, target, *items)
        if not fits:  # they overlap: the rest has been checked
            source = source.copy()
            begin, end, place, _ = ready.look(source, target, *items)
        if self.by_tables:
            in_bytes = source.view(np.uint8), target.view(np.uint8)
            gather(self.planned, self.bits, *in_bytes, progress)
        memory = (source, target, begin, end, place)
        if workers == 1 and progress is None:
            for piece in ready.pieces:
                for go in piece.runners:
                    go(*memory)
        else:
            share(ready.pieces, memory, workers, progress or (lambda _written: None))
        return ready.backend

    def prepare(
        self,
        source: Layout,
        target: Layout,
        held: np.dtype[Any],
        dtype: str | ElementType | None,
        threads: int | None,
        backend: str | None,
    ) -> bool:
        """Set ``prepared`` for the next call that is given the same; return whether it is set.

        It is not if that call has more to decide: which backend is ready, how to share the work.
        """
        name = cpu.settled(backend)
        ready = self._ready.get((name, 1, held.itemsize, False)) if name else None
        shared = threads != 1 and self._most_workers > 1
        if ready is None or shared or self.by_tables or held.itemsize not in _LOOKED_AT_BYTES:
            return False
        look, runners = ready.look, tuple(go for piece in ready.pieces for go in piece.runners)
        if ready.backend == "numpy" and self._is_alone and held.num in cpu.EXPORTED:
            look, runners = cpu.copying(self.moves[0]), ()
        items = self.source_items, self.target_items
        given = source, target, held, dtype, threads, backend
        self.prepared = Prepared(*given, *items, look, runners)
        return True

    def _make_ready(self, key: _Key) -> _Ready:
        backend, workers, item_bytes, reports = key
        cpu.check(backend)
        if self.by_tables:
            backend = "numpy"
        pieces = self._pieces(backend, workers, reports=reports)
        look = cpu.look_at(backend, item_bytes, alone=self._is_alone)
        if self.size_bytes > _REMEMBERED_BYTES:
            return _Ready(backend, pieces, look)
        ready = self._ready[key] = _Ready(backend, tuple(pieces), look)
        return ready

    def _is_joined(self, k: int, backend: str) -> bool:
        """Whether one pass makes move ``k`` together with the move before it."""
        return k > 0 and cpu.are_one(self.moves[k - 1], self.moves[k], backend)

    def _pieces(self, backend: str, workers: int, *, reports: bool) -> Iterator[Piece]:
        most = self.size_bytes
        if workers > 1 or reports:
            most = min(_PIECE_BYTES, self.size_bytes // (4 * workers))
        alone = [m for k, m in enumerate(self.moves) if not self._is_joined(k, backend)]
        if _are_near(alone):
            most = min(most, _SHARED_PIECE_BYTES)
        if any(move.unit_bits < 8 for move in self.moves):
            most = self.size_bytes  # two nibbles share a byte: one thread writes them all
        streamed = self.size_bytes >= cpu.STREAMED_BYTES
        for moves in cut(self.moves, most):
            runners = tuple(cpu.runners(moves, backend, streamed=streamed))
            yield Piece(runners, _bytes_in(moves))


def _bits_in(moves: Sequence[Move]) -> int:
    return sum(move.units * move.unit_bits for move in moves)


def _bytes_in(moves: Sequence[Move]) -> int:
    """Return the number of bytes that moves write; a last nibble counts as one byte."""
    return -(-_bits_in(moves) // 8)


def _are_near(moves: Sequence[Move]) -> bool:
    """Whether moves write the same lines of memory, or lines near each other."""
    begins = sorted(move.target * move.unit_bits for move in moves)
    return any(b - a < _NEAR_BITS for a, b in pairwise(begins))
