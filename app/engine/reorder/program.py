"""A plan prepared for one element size: its moves, cut into pieces, for each backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy import may_share_memory, ndarray, positive

from ..model.arrays import cores
from ..model.dtypes import ElementType
from ..model.layout import Layout
from . import cpu
from .interface import HAS_CREW, Buffer, Look, Piece, Runner
from .moves import Move, moves_of
from .numpy.gather import gather
from .numpy.strided import Step, may_overlap
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
# For fewer bytes, giving a part to another thread costs as much as it saves: to one of the crew,
# and to one that Python has to wake.
_CREW_PART_BYTES = 1 << 18
_BYTES_PER_THREAD = 4 << 20


class _Ready(NamedTuple):
    """The pieces of a backend. An iterator of pieces can be used only once."""

    backend: str
    pieces: Iterable[Piece]
    look: Look
    workers: int  # threads that Python lets take these pieces


class Given(NamedTuple):
    """What one call may share with the next, besides its arrays. It holds no array."""

    source: Layout
    target: Layout
    held: np.dtype[Any]
    dtype: str | ElementType | None
    threads: int | None
    backend: str | None


# Of a source and a target that are arrays of NumPy, and of what is given besides: whether all this
# is as it was for the last call, and so the work is done.
Again = Callable[
    [Buffer, Buffer, Layout, Layout, str | ElementType | None, int | None, str | None], bool
]


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
        self.given: Given | None = None
        self.again: Again | None = None
        self._may_overlap = not self.by_tables and cpu.may_overlap(self.moves)
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
        workers = self._workers(backend, threads, reports=progress is not None)
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
        if ready.workers == 1 and progress is None:
            for piece in ready.pieces:
                for go in piece.runners:
                    go(*memory)
        else:
            share(ready.pieces, memory, ready.workers, progress or (lambda _written: None))
        return ready.backend

    def prepare(self, given: Given) -> bool:
        """Set ``again`` for the next call that is given the same; return whether it is set.

        It is not if that call has more to decide: which backend is ready, how to share the work.
        """
        name = cpu.settled(given.backend)
        item_bytes = given.held.itemsize
        if name is None or self.by_tables or item_bytes not in _LOOKED_AT_BYTES:
            return False
        ready = self._ready.get((name, self._workers(name, given.threads), item_bytes, False))
        if ready is None or ready.workers > 1:
            return False
        runners = tuple(go for piece in ready.pieces for go in piece.runners)
        copies: tuple[Step, ...] = ()
        if ready.backend == "numpy":
            moves = [move for part in self._cut("numpy", 1) for move in part]
            copies = cpu.copies(moves, given.held)
        items = self.source_items, self.target_items
        self.given = given
        self.again = _again(given, *items, ready.look, runners, copies)
        return True

    def _make_ready(self, key: _Key) -> _Ready:
        backend, workers, item_bytes, reports = key
        cpu.check(backend)
        if self.by_tables:
            backend = "numpy"
        pieces: Iterable[Piece] = self._pieces(backend, workers, reports=reports)
        in_one = self._most_bytes(backend, workers, reports=reports) >= self.size_bytes
        alone = self._may_overlap and workers == 1 and in_one
        look = cpu.look_at(backend, item_bytes, alone=alone)
        if self.size_bytes > _REMEMBERED_BYTES:
            return _Ready(backend, pieces, look, workers)
        pieces = tuple(pieces)
        workers = min(workers, len(pieces))
        woken = max(1, min(workers, self.size_bytes // _BYTES_PER_THREAD))
        crew = cpu.crew(pieces, backend, workers) if workers > 1 and not reports else None
        if crew:
            ready = _Ready(backend, (Piece((crew,), self.size_bytes),), look, 1)
        elif woken < workers:
            ready = self._make_ready((backend, woken, item_bytes, reports))
        else:
            ready = _Ready(backend, pieces, look, max(workers, 1))
        self._ready[key] = ready
        return ready

    def _workers(self, backend: str, threads: int | None, *, reports: bool = False) -> int:
        """Return how many threads share the work, if at most ``threads`` may."""
        if threads == 1:
            return 1
        has_crew = backend == "numba" and not reports and HAS_CREW
        each = _CREW_PART_BYTES if has_crew else _BYTES_PER_THREAD
        return max(1, min(threads or cores(), self.size_bytes // each))

    def _is_joined(self, k: int, backend: str) -> bool:
        """Whether one pass makes move ``k`` together with the move before it."""
        return k > 0 and cpu.are_one(self.moves[k - 1], self.moves[k], backend)

    def _pieces(self, backend: str, workers: int, *, reports: bool) -> Iterator[Piece]:
        streamed = self.size_bytes >= cpu.STREAMED_BYTES
        for moves in self._cut(backend, workers, reports=reports):
            runners = tuple(cpu.runners(moves, backend, streamed=streamed))
            yield Piece(runners, _bytes_in(moves))

    def _cut(
        self, backend: str, workers: int, *, reports: bool = False
    ) -> Iterator[tuple[Move, ...]]:
        yield from cut(self.moves, self._most_bytes(backend, workers, reports=reports))

    def _most_bytes(self, backend: str, workers: int, *, reports: bool) -> int:
        """Return the most bytes of a piece."""
        most = self.size_bytes
        if workers > 1 or reports:
            most = min(_PIECE_BYTES, max(self.size_bytes // (4 * workers), _CREW_PART_BYTES))
        alone = [m for k, m in enumerate(self.moves) if not self._is_joined(k, backend)]
        if _are_near(alone):
            most = min(most, _SHARED_PIECE_BYTES)
        if any(move.unit_bits < 8 for move in self.moves):
            most = self.size_bytes  # two nibbles share a byte: one thread writes them all
        return most


def _again(
    given: Given,
    source_items: int,
    target_items: int,
    look: Look,
    runners: Sequence[Runner],
    copies: Sequence[Step],
) -> Again:
    """Return the function for later calls. ``copies``: NumPy's, instead of ``runners``, if any."""
    source, target, held, dtype, threads, backend = given
    apart = not may_overlap(copies)

    # All that a call does takes as long as copying a few KB, and after a larger copy, each object
    # that it uses has left the caches. So it calls nothing that it can do itself.
    def again(
        buffer: Buffer,
        out: Buffer,
        of: Layout,
        to: Layout,
        element: str | ElementType | None,
        most: int | None,
        asked: str | None,
    ) -> bool:
        if not (
            to is target
            and of is source
            and buffer.dtype is out.dtype is held
            and element is dtype
            and most is threads
            and asked is backend
            and buffer.ndim == out.ndim == 1
            and out.flags.carray  # writable, without gaps, aligned
        ):
            return False
        if not copies:
            begin, end, place, fits = look(buffer, out, source_items, target_items)
            if fits:
                for go in runners:
                    go(buffer, out, begin, end, place)
            return fits
        if (
            buffer.size < source_items
            or out.size < target_items
            or not buffer.flags.c_contiguous
            or (apart and may_share_memory(buffer, out))
        ):
            return False
        for unit, shape, begin, here, place, there, zero, is_sorted in copies:
            view = ndarray(shape, unit, out, place, there)
            if zero is not None:
                view.fill(zero)
            elif is_sorted:
                view[...] = ndarray(shape, unit, buffer, begin, here)
            else:
                positive(ndarray(shape, unit, buffer, begin, here), view)
        return True

    return again


def _bits_in(moves: Sequence[Move]) -> int:
    return sum(move.units * move.unit_bits for move in moves)


def _bytes_in(moves: Sequence[Move]) -> int:
    """Return the number of bytes that moves write; a last nibble counts as one byte."""
    return -(-_bits_in(moves) // 8)


def _are_near(moves: Sequence[Move]) -> bool:
    """Whether moves write the same lines of memory, or lines near each other."""
    begins = sorted(move.target * move.unit_bits for move in moves)
    return any(b - a < _NEAR_BITS for a, b in pairwise(begins))
