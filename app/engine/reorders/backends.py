"""What can move the bytes: NumPy always, Numba's kernels and CuPy where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy.typing as npt

from app.engine.errors import LayoutError
from app.engine.kernels import Kernels
from app.engine.reorders import nibbles, strided
from app.engine.reorders.moves import Move

Runner = Callable[[npt.NDArray[Any], npt.NDArray[Any]], None]

STREAMED_BYTES: Final = 16 << 20  # a target that no cache keeps is written past the caches
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


KERNELS = Kernels("app.engine.reorders.fast")


def available() -> tuple[str, ...]:
    """Names of the backends that can run here, the GPU's aside."""
    return ("numpy", "numba") if KERNELS.installed else ("numpy",)


def choose(asked: str | None, size_bytes: int) -> str:
    """The backend for a target of ``size_bytes``: the one asked for, or the best that is ready.

    Errors: LayoutError naming ``backend``.
    """
    if asked is not None:
        if asked not in available() or (asked == "numba" and KERNELS.load() is None):
            raise LayoutError("backend", asked, "one of " + ", ".join(available()))
        return asked
    ready = KERNELS.ready(worth_loading=size_bytes >= _WORTH_LOADING_BYTES)
    return "numpy" if ready is None else "numba"


def runner(move: Move, backend: str, *, streamed: bool) -> Runner:
    """What carries out ``move`` between two buffers of bytes."""
    if move.unit_bits < 8:
        return nibbles.runner(move)
    if backend == "numba" and move.kernel != "zeros":
        fast = KERNELS.load()
        if fast is not None and move.unit_bits in fast.UNIT_BITS:
            found: Runner = fast.runner(move, streamed=streamed)
            return found
    return strided.runner(move)
