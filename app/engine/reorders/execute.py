"""Carry out a plan: which backend, in which pieces, on how many threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from app.engine.backend import cores, gpu_namespace
from app.engine.dtypes import ElementType, parse_dtype
from app.engine.errors import Described, LayoutError
from app.engine.layout import Layout
from app.engine.reorders import backends, tables
from app.engine.reorders.backends import Runner
from app.engine.reorders.moves import Move, moves_of
from app.engine.reorders.pieces import cut
from app.engine.reorders.plan import Plan, plan

if TYPE_CHECKING:
    from app.engine.reorders.gpu import DeviceProgram

Buffer1D = npt.NDArray[Any]
Progress = Callable[[int], None]
_PIECE_BYTES = 8 << 20  # of the target, between two reports of progress
_SHARED_PIECE_BYTES = 1 << 19  # where several moves write the same lines, while these are in cache
_NEAR_BITS = 1 << 13
_REMEMBERED_BYTES = 256 << 20  # of a target whose pieces are kept for the next call
_BYTES_PER_THREAD = 4 << 20  # below, waking a thread costs as much as it saves


@dataclass(frozen=True, slots=True)
class Reordered:
    """``buffer``: the target's. ``backend``: what moved the bytes."""

    buffer: Buffer1D
    backend: str


def reorder(
    buffer: Buffer1D,
    source: Layout,
    target: Layout,
    *,
    out: Buffer1D | None = None,
    dtype: str | ElementType | None = None,
    threads: int | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
) -> Buffer1D:
    """Copy every element from its address in ``source`` to its address in ``target``.

    ``buffer``: one-dimensional, in address order, at least ``source.buffer_elements`` long.
    ``out``: written in place (padding zero, gaps left); by default a fresh array of
    ``target.buffer_elements`` with zeros in padding and gaps. ``dtype``: needed for int4 and
    uint4 alone, whose buffers are packed uint8, two elements to a byte. ``threads``: an upper
    bound, by default the machine's. ``backend``: "numpy", "numba", "cupy" or None for the best
    that is ready. CuPy's buffers make one of CuPy's, on its current stream; where the GPU fails,
    the CPU reorders, with a RuntimeWarning. ``progress`` is called with the bytes of the target
    written since the last call; what it raises ends the reorder. Errors: LayoutError naming the
    argument.
    """
    return _reorder(buffer, source, target, out, dtype, threads, backend, progress)[0]


class Options(TypedDict, total=False):
    """``reorder``'s, all of them."""

    out: Buffer1D | None
    dtype: str | ElementType | None
    threads: int | None
    backend: str | None
    progress: Progress | None


def reordered(
    buffer: Buffer1D, source: Layout, target: Layout, **options: Unpack[Options]
) -> Reordered:
    """``reorder``, and which backend did it."""
    return Reordered(*_reorder(buffer, source, target, **options))


def _reorder(
    buffer: Any,
    source: Layout,
    target: Layout,
    out: Any = None,
    dtype: str | ElementType | None = None,
    threads: int | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
) -> tuple[Buffer1D, str]:
    if threads is not None and (type(threads) is not int or threads < 1):
        raise LayoutError("threads", threads, "a positive integer")
    xp: Any = np if isinstance(buffer, np.ndarray) else _device_namespace(buffer)
    element = parse_dtype(dtype) if isinstance(dtype, str) else dtype
    bits = _item_bits(buffer, element)
    what = _program(source, target, bits)
    _check_buffer("buffer", buffer, what.source_items)
    if out is None:
        out = xp.zeros(what.target_items, dtype=buffer.dtype)
    else:
        _check_out(out, buffer, what.target_items, xp)
        if xp.may_share_memory(out, buffer):
            buffer = buffer.copy()
    given, taken = _bytes_of(buffer, xp), _bytes_of(out, xp)
    if backend == "cupy" or xp is not np:
        return out, _with_gpu(what, given, taken, backend, threads, progress)
    chosen = backends.choose(backend, what.target_items * buffer.itemsize)
    return out, what.run(given, taken, chosen, threads, progress)


def _item_bits(buffer: Buffer1D, element: ElementType | None) -> int:
    if buffer.dtype.hasobject or not buffer.itemsize:
        expected = "an array of items that lie in its memory"
        raise LayoutError("buffer", Described("an array of objects or of nothing"), expected)
    held = buffer.itemsize * 8
    if element is None:
        return held
    if max(element.bits, 8) != held:
        raise LayoutError("dtype", element.name, f"a type of {held} bits, as the buffer's items")
    return element.bits


def _device_namespace(buffer: object) -> Any:
    cupy = gpu_namespace()
    if cupy is None or not isinstance(buffer, cupy.ndarray):
        raise LayoutError("buffer", buffer, "an array of NumPy's or CuPy's")
    return cupy


def _with_gpu(
    what: _Program,
    buffer: Buffer1D,
    out: Buffer1D,
    backend: str | None,
    threads: int | None,
    progress: Progress | None,
) -> str:
    from app.engine.reorders import gpu  # noqa: PLC0415  # nobody else waits for CuPy

    def on_host(buffer: Buffer1D, out: Buffer1D) -> str:
        chosen = backends.choose(None if backend == "cupy" else backend, len(out))
        return what.run(buffer, out, chosen, threads, progress)

    if what.on_gpu is None:
        what.on_gpu = gpu.DeviceProgram(what.planned, what.moves, what.bits)
    done = what.on_gpu.run(buffer, out, backend, on_host)
    if done == "cupy" and progress:
        progress(len(out))
    return done


def _check_out(out: Buffer1D, buffer: Buffer1D, items: int, xp: Any) -> None:
    if not isinstance(out, xp.ndarray):
        raise LayoutError("out", Described("an array elsewhere"), "an array where the buffer is")
    _check_buffer("out", out, items)
    writeable = getattr(out.flags, "writeable", True)  # CuPy has no other
    if out.dtype != buffer.dtype or not writeable or not out.flags.c_contiguous:
        raise LayoutError(
            "out",
            Described("an array of another type, read-only or with gaps"),
            "a writable contiguous array of the buffer's dtype",
        )


def _check_buffer(name: str, buffer: Buffer1D, items: int) -> None:
    if buffer.ndim != 1 or len(buffer) < items:
        raise LayoutError(
            name,
            Described(f"an array of shape {buffer.shape}"),
            f"at least {items} elements in one dimension",
        )


def _bytes_of(buffer: Buffer1D, xp: Any) -> Buffer1D:
    """A copy need not know a type, and NumPy's views need not know ml_dtypes."""
    found: Buffer1D = xp.ascontiguousarray(buffer).view(np.uint8)
    return found


@lru_cache(maxsize=64)
def _program(source: Layout, target: Layout, bits: int) -> _Program:
    return _Program(plan(source, target), bits)


@dataclass(frozen=True, slots=True)
class _Piece:
    runners: tuple[Runner, ...]
    size_bytes: int


class _Program:
    """A plan for one element size, with what its backends prepared for it."""

    def __init__(self, planned: Plan, bits: int) -> None:
        self.planned = planned
        self.bits = bits
        self.moves = moves_of(planned.boxes, bits)
        self.size_bytes = _bytes_in(self.moves)
        self.source_items = self._items(planned.source.buffer_elements)
        self.target_items = self._items(planned.target.buffer_elements)
        self._prepared: dict[tuple[str, int, bool], tuple[_Piece, ...]] = {}
        self.on_gpu: DeviceProgram | None = None

    def _items(self, elements: int) -> int:
        return -(-elements // 2) if self.bits < 8 else elements

    def run(
        self,
        buffer: Buffer1D,
        out: Buffer1D,
        backend: str,
        threads: int | None,
        progress: Progress | None,
    ) -> str:
        """Move everything; returns the backend that did."""
        if self.planned.kernel == "gather":
            tables.gather(self.planned, self.bits, buffer, out, progress)
            backend = "numpy"
        workers = 1
        if threads != 1 and self.size_bytes >= 2 * _BYTES_PER_THREAD:
            workers = min(threads or cores(), self.size_bytes // _BYTES_PER_THREAD)
        key = (backend, workers, progress is not None)
        pieces: Iterable[_Piece] | None = self._prepared.get(key)
        if pieces is None:
            pieces = self._prepare(backend, workers, reports=progress is not None)
            if self.size_bytes <= _REMEMBERED_BYTES:
                pieces = self._prepared[key] = tuple(pieces)
        if workers == 1 and progress is None:
            for piece in pieces:
                for go in piece.runners:
                    go(buffer, out)
        else:
            _share(pieces, buffer, out, workers, progress or (lambda _written: None))
        return backend

    def _prepare(self, backend: str, workers: int, *, reports: bool) -> Iterator[_Piece]:
        most = self.size_bytes
        if workers > 1 or reports:
            most = min(_PIECE_BYTES, self.size_bytes // (4 * workers))
        if _are_near(self.moves):
            most = min(most, _SHARED_PIECE_BYTES)
        if any(move.unit_bits < 8 for move in self.moves):
            most = self.size_bytes  # two nibbles share a byte: one thread writes them all
        streamed = self.size_bytes >= backends.STREAMED_BYTES
        for moves in cut(self.moves, most):
            runners = tuple(backends.runner(move, backend, streamed=streamed) for move in moves)
            yield _Piece(runners, _bytes_in(moves))


def _bytes_in(moves: Sequence[Move]) -> int:
    """Bytes that moves write; a last nibble counts as one."""
    return -(-sum(move.units * move.unit_bits for move in moves) // 8)


def _are_near(moves: Sequence[Move]) -> bool:
    """Whether moves write the same lines of memory, or lines next to each other."""
    begins = sorted(move.target * move.unit_bits for move in moves)
    return any(b - a < _NEAR_BITS for a, b in pairwise(begins))


def _share(
    pieces: Iterable[_Piece],
    buffer: Buffer1D,
    out: Buffer1D,
    workers: int,
    progress: Progress,
) -> None:
    """All pieces on ``workers`` threads, this one among them, which alone reports."""
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
                    go(buffer, out)
                with lock:
                    written += piece.size_bytes
        except BaseException:
            with lock:
                waiting = iter(())
            raise

    others = [_pool().submit(work) for _ in range(workers - 1)]
    try:
        work(progress)
    finally:
        # Who has not begun has nothing left to do; who has still writes to ``out``.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    if written:
        progress(written)


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that stay, since waking one costs less than making one."""
    return ThreadPoolExecutor(max(cores(), 1), thread_name_prefix="reorder")


if hasattr(os, "register_at_fork"):  # a child has the pool's memory and none of its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
