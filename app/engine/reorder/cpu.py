"""The backends of the CPU: NumPy always, and Numba's kernels where a tested Numba is installed."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from types import ModuleType
from typing import Any, Final

import numpy as np

from ..model.errors import LayoutError, one_of
from . import nibbles
from .kernels.loading import Kernels
from .moves import Buffer, Memory, Move, Runner
from .numpy import nibbles as numpy_nibbles
from .numpy import strided

STREAMED_BYTES: Final = 16 << 20  # a target too large for the caches is written past them
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


def _import_kernels() -> ModuleType:
    from .kernels import runners  # noqa: PLC0415  # Numba takes 0.3 s, and may be missing

    return runners


KERNELS = Kernels(_import_kernels)


def _kernels() -> Any:
    return KERNELS.load()


def available() -> tuple[str, ...]:
    """Return the names of the CPU's backends that can run here."""
    return ("numpy",) if KERNELS.missing else ("numpy", "numba")


def best(size_bytes: int) -> str:
    """Return the best backend that is ready for a target of ``size_bytes``."""
    ready = KERNELS.ready(worth_loading=size_bytes >= _WORTH_LOADING_BYTES)
    return "numpy" if ready is None else "numba"


def check(backend: str) -> None:
    """Check that ``backend`` can run here. Errors: LayoutError naming ``backend``."""
    if backend != "numpy" and (backend != "numba" or KERNELS.load() is None):
        raise LayoutError("backend", backend, one_of(available()))


def stays(backend: str | None) -> bool:
    """Whether every later call that asks for ``backend`` gets the one that serves now."""
    return backend is not None or KERNELS.ready() is not None or bool(KERNELS.missing)


def memory_of(backend: str) -> Callable[[Buffer, Buffer], Memory]:
    """Return the function that finds what a backend's runners take.

    It copies the source if that overlaps the target.
    """
    if backend == "numpy":
        return _memory
    found: Callable[[Buffer, Buffer], Memory] = _kernels().memory_of
    return found


def _memory(source: Buffer, target: Buffer) -> Memory:
    given = source.copy() if np.may_share_memory(source, target) else source
    return given, target, 0, 0, 0


def runners(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    """Yield the runners that carry out ``moves``, to be called in this order."""
    for of_nibbles, some in groupby(moves, lambda move: move.unit_bits < 8):
        if of_nibbles:
            packing = _kernels().packing if backend == "numba" else numpy_nibbles
            to_scratch = partial(_of_bytes, backend=backend, streamed=False)
            yield from nibbles.runners(tuple(some), packing, to_scratch)
        else:
            yield from _of_bytes(tuple(some), backend, streamed=streamed)


def _of_bytes(moves: Sequence[Move], backend: str, *, streamed: bool) -> Iterator[Runner]:
    if backend != "numba":
        yield _by_numpy(moves)
        return
    fast = _kernels()
    for compiled, some in groupby(moves, fast.has_kernel):
        if compiled:
            yield from fast.runners(tuple(some), streamed=streamed)
        else:
            yield _by_numpy(tuple(some))


def are_one(move: Move, following: Move, backend: str) -> bool:
    """Whether one runner makes both moves in one pass, so their lines need not stay in cache."""
    return backend == "numba" and _kernels().in_one_pass(move, following) is not None


def _by_numpy(moves: Sequence[Move]) -> Runner:
    carry = strided.runner(moves)

    def go(source: Buffer, target: Buffer, *_addresses: int) -> None:
        # NumPy makes views of what has the buffer protocol: not of dates, nor of ml_dtypes' types.
        if source.dtype.num not in EXPORTED or target.dtype.num not in EXPORTED:
            source, target = source.view(np.uint8), target.view(np.uint8)
        carry(source, target)

    return go


EXPORTED: Final = frozenset(np.dtype(name).num for name in "?bBhHiIlLqQefdFD")
