"""The backends of the CPU: NumPy always, and Numba's kernels if Numba is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from types import ModuleType
from typing import Final

import numpy as np

from ..errors import LayoutError
from ..kernels import Kernels
from .interface import Buffer, Look, Runner
from .moves import Move
from .numpy import nibbles, strided

STREAMED_BYTES: Final = 16 << 20  # a target too large for the caches is written past them
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


def _import_kernels() -> ModuleType:
    from .numba import runners  # noqa: PLC0415  # Numba takes 0.3 s, and may be missing

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


def look_at(backend: str, item_bytes: int) -> Look:
    """Return the function that finds the addresses of source and target for a backend.

    It also finds whether they fit: see ``Look``. ``item_bytes``: the size of one item of both.
    """
    if backend == "numba":
        found: Look = KERNELS.loaded.look_at(item_bytes)
        return found
    return _look


def _look(
    source: Buffer, target: Buffer, source_items: int, target_items: int
) -> tuple[int, int, int, bool]:
    fits = (
        source.size >= source_items
        and target.size >= target_items
        and source.flags.c_contiguous
        and target.flags.c_contiguous
        and not np.may_share_memory(source, target)
    )
    return 0, 0, 0, fits


def runners(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    """Yield the runners that carry out ``moves``, to be called in this order."""
    if backend != "numba":
        yield from map(_by_numpy, moves)
        return
    fast = KERNELS.loaded

    def has_kernel(move: Move) -> bool:
        return move.unit_bits < 8 or (move.kernel != "zeros" and move.unit_bits in fast.UNIT_BITS)

    for compiled, some in groupby(moves, has_kernel):
        if compiled:
            yield from fast.runners(tuple(some), streamed=streamed)
        else:
            yield from map(_by_numpy, some)


def are_one(move: Move, following: Move, backend: str) -> bool:
    """Whether one runner makes both moves in one pass, so their lines need not stay in cache."""
    return backend == "numba" and KERNELS.loaded.in_one_pass(move, following) is not None


def _by_numpy(move: Move) -> Runner:
    on_bytes = nibbles.runner(move) if move.unit_bits < 8 else strided.runner(move)

    def go(source: Buffer, target: Buffer, *_addresses: int) -> None:
        # As bytes, so that the views do not depend on the types of ml_dtypes.
        on_bytes(source.view(np.uint8), target.view(np.uint8))

    return go
