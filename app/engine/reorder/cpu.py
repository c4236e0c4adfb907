"""The backends of the CPU: NumPy always, and Numba's kernels if Numba is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec
from itertools import groupby
from types import ModuleType
from typing import Any, Final

import numpy as np

from ..model.errors import LayoutError
from . import nibbles
from .interface import Buffer, Look, Piece, Runner
from .kernels.loading import Kernels
from .moves import Move
from .numpy import nibbles as numpy_nibbles
from .numpy import strided

STREAMED_BYTES: Final = 16 << 20  # a target too large for the caches is written past them
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


def _import_kernels() -> ModuleType:
    from .kernels import runners  # noqa: PLC0415  # Numba takes 0.3 s, and may be missing

    return runners


KERNELS = Kernels(_import_kernels)


def available() -> tuple[str, ...]:
    """Return the names of the CPU's backends that can run here."""
    return ("numpy", "numba") if KERNELS.installed else ("numpy",)


def best(size_bytes: int) -> str:
    """Return the best backend that is ready for a target of ``size_bytes``."""
    ready = KERNELS.ready(worth_loading=size_bytes >= _WORTH_LOADING_BYTES)
    return "numpy" if ready is None else "numba"


def check(backend: str) -> None:
    """Check that ``backend`` can run here. Errors: LayoutError naming ``backend``."""
    if backend != "numpy" and (backend != "numba" or KERNELS.load() is None):
        raise LayoutError("backend", backend, "one of " + ", ".join(available()))


def settled(backend: str | None) -> str | None:
    """Return the backend of every later call that asks for ``backend``; None if it may change."""
    if backend is not None or KERNELS.ready() is not None:
        return backend or "numba"
    return None if _numba_is_there() else "numpy"


@cache
def _numba_is_there() -> bool:
    return find_spec("numba") is not None


def look_at(backend: str, item_bytes: int, *, alone: bool) -> Look:
    """Return the function that finds the addresses of source and target for a backend.

    It also finds whether they fit: see ``Look``. ``item_bytes``: the size of one item of both.
    ``alone``: source and target ``may_overlap``.
    """
    if backend == "numba":
        found: Look = KERNELS.loaded.look_at(item_bytes)
        return found
    return _look_at_sizes if alone else _look


def _look_at_sizes(
    source: Buffer, target: Buffer, source_items: int, target_items: int
) -> tuple[int, int, int, bool]:
    # For moves that may overlap.
    fits = (
        source.size >= source_items
        and target.size >= target_items
        and source.flags.c_contiguous
        and target.flags.c_contiguous
    )
    return 0, 0, 0, fits


def may_overlap(moves: Sequence[Move]) -> bool:
    """Whether NumPy makes ``moves`` right if source and target overlap, so nobody has to look."""
    whole = all(move.unit_bits >= 8 for move in moves)
    return whole and strided.may_overlap(strided.steps_of(moves))


def _look(
    source: Buffer, target: Buffer, source_items: int, target_items: int
) -> tuple[int, int, int, bool]:
    found = _look_at_sizes(source, target, source_items, target_items)
    return found if not np.may_share_memory(source, target) else (0, 0, 0, False)


def copies(moves: Sequence[Move], held: np.dtype[Any]) -> tuple[strided.Step, ...]:
    """Return the copies by which NumPy carries out ``moves`` between arrays of ``held``.

    Empty if it does not do so by copies between views alone.
    """
    if held.num not in EXPORTED or any(move.unit_bits < 8 for move in moves):
        return ()
    return strided.steps_of(moves)


def runners(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    """Yield the runners that carry out ``moves``, to be called in this order."""
    for of_nibbles, some in groupby(moves, lambda move: move.unit_bits < 8):
        if of_nibbles:
            packing = KERNELS.loaded.kernel_nibbles if backend == "numba" else numpy_nibbles
            to_scratch = partial(_of_bytes, backend=backend, streamed=False)
            yield from nibbles.runners(tuple(some), packing, to_scratch)
        else:
            yield from _of_bytes(tuple(some), backend, streamed=streamed)


def _of_bytes(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    if backend != "numba":
        yield _by_numpy(moves)
        return
    fast = KERNELS.loaded

    def has_kernel(move: Move) -> bool:
        return move.kernel != "zeros" and move.unit_bits in fast.UNIT_BITS

    for compiled, some in groupby(moves, has_kernel):
        if compiled:
            yield from fast.runners(tuple(some), streamed=streamed)
        else:
            yield _by_numpy(tuple(some))


def are_one(move: Move, following: Move, backend: str) -> bool:
    """Whether one runner makes both moves in one pass, so their lines need not stay in cache."""
    return backend == "numba" and KERNELS.loaded.in_one_pass(move, following) is not None


def crew(pieces: Sequence[Piece], backend: str, workers: int) -> Runner | None:
    """Return the runner that shares ``pieces`` between threads without Python, if there is one."""
    if backend != "numba":
        return None
    found: Runner | None = KERNELS.loaded.shared(pieces, workers)
    return found


def _by_numpy(moves: Sequence[Move]) -> Runner:
    carry = strided.runner(moves)

    def go(source: Buffer, target: Buffer, *_addresses: int) -> None:
        # NumPy makes views of what has the buffer protocol: not of dates, nor of ml_dtypes' types.
        if source.dtype.num not in EXPORTED or target.dtype.num not in EXPORTED:
            source, target = source.view(np.uint8), target.view(np.uint8)
        carry(source, target)

    return go


EXPORTED: Final = frozenset(np.dtype(name).num for name in "?bBhHiIlLqQefdFD")
