"""What can move the bytes: NumPy always, Numba's kernels and CuPy where they are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from app.engine.errors import LayoutError
from app.engine.kernels import Kernels
from app.engine.reorders import nibbles, strided
from app.engine.reorders.moves import Move

Buffer = npt.NDArray[Any]
# The source and the target, one-dimensional and without gaps: bytes for "numpy", items of any type
# for "numba"; then the addresses where they begin, and before the second where the first ends.
Memory = tuple[Buffer, Buffer, int, int, int]
Runner = Callable[[Buffer, Buffer, int, int, int], None]

STREAMED_BYTES: Final = 16 << 20  # a target that no cache keeps is written past the caches
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves made ready for a backend, and the bytes of the target that they write."""

    runners: tuple[Runner, ...]
    size_bytes: int


KERNELS = Kernels("app.engine.reorders.fast")


def available() -> tuple[str, ...]:
    """Names of the backends that can run here, the GPU's aside."""
    return ("numpy", "numba") if KERNELS.installed else ("numpy",)


def choose(asked: str | None, size_bytes: int) -> str:
    """The backend for a target of ``size_bytes``: the one asked for, or the best that is ready.

    Errors: LayoutError naming ``backend``.
    """
    if asked is not None:
        if asked == "numpy" or (asked == "numba" and KERNELS.load() is not None):
            return asked
        raise LayoutError("backend", asked, "one of " + ", ".join(available()))
    ready = KERNELS.ready(worth_loading=size_bytes >= _WORTH_LOADING_BYTES)
    return "numpy" if ready is None else "numba"


def memory(backend: str, source: Buffer, target: Buffer) -> Memory:
    """What runners are called with; of a source that overlaps the target, a copy."""
    if backend == "numba":
        begin, end, place, overlap = KERNELS.loaded.bounds(source, target)
        if not overlap:
            return source, target, begin, end, place
    elif not np.may_share_memory(source, target):
        # NumPy's views need not know ml_dtypes.
        return source.view(np.uint8), target.view(np.uint8), 0, 0, 0
    return memory(backend, source.copy(), target)


def runners(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    """What carries out ``moves``, one after the other."""
    if backend != "numba":
        yield from map(_by_numpy, moves)
        return
    fast = KERNELS.loaded

    def has_kernel(move: Move) -> bool:
        return move.kernel != "zeros" and move.unit_bits in fast.UNIT_BITS

    for compiled, some in groupby(moves, has_kernel):
        if compiled:
            yield from fast.runners(tuple(some), streamed=streamed)
        else:
            yield from (_on_items(_by_numpy(move)) for move in some)


def are_one(move: Move, following: Move, backend: str) -> bool:
    """Whether one runner makes both, so that they need not share a cache."""
    return backend == "numba" and KERNELS.loaded.partial_row(move, following) > 0


def _by_numpy(move: Move) -> Runner:
    return nibbles.runner(move) if move.unit_bits < 8 else strided.runner(move)


def _on_items(go: Runner) -> Runner:
    def on_items(source: Buffer, target: Buffer, *addresses: int) -> None:
        go(source.view(np.uint8), target.view(np.uint8), *addresses)

    return on_items
