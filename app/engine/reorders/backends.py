"""What can move the bytes: NumPy always, Numba's kernels and CuPy where they are installed."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from threading import Thread
from types import ModuleType
from typing import Any, Final

import numpy.typing as npt

from app.engine.errors import LayoutError
from app.engine.reorders import nibbles, strided
from app.engine.reorders.moves import Move

Runner = Callable[[npt.NDArray[Any], npt.NDArray[Any]], None]

STREAMED_BYTES: Final = 16 << 20  # a target that no cache keeps is written past the caches
_WORTH_LOADING_BYTES = 1 << 20  # importing Numba takes 0.3 s


class _Compiled:
    """The compiled kernels: not asked for, being loaded elsewhere, or here."""

    def __init__(self) -> None:
        self.module: ModuleType | None = None
        self.in_background = False

    @property
    def installed(self) -> bool:
        """Whether the ``fast`` extra is."""
        return self.module is not None or find_spec("numba") is not None

    def load(self) -> ModuleType:
        """Import them; each is compiled, or read from disk, when first called."""
        from app.engine.reorders import fast  # noqa: PLC0415  # it imports Numba

        self.module = fast
        return fast


_compiled = _Compiled()


def available() -> tuple[str, ...]:
    """Names of the backends that can run here."""
    return ("numpy", "numba") if _compiled.installed else ("numpy",)


def choose(asked: str | None, size_bytes: int) -> str:
    """The backend for a target of ``size_bytes``: the one asked for, or the best that is ready.

    Errors: LayoutError naming ``backend``.
    """
    if asked is not None:
        if asked not in available():
            raise LayoutError("backend", asked, "one of " + ", ".join(available()))
        return asked
    if _compiled.module is not None:
        return "numba"
    worth_it = size_bytes >= _WORTH_LOADING_BYTES and not _compiled.in_background
    return "numba" if worth_it and _compiled.installed else "numpy"


def runner(move: Move, backend: str, *, streamed: bool) -> Runner:
    """What carries out ``move`` between two buffers of bytes."""
    if move.unit_bits < 8:
        return nibbles.runner(move)
    if backend == "numba" and move.kernel != "zeros":
        fast = _compiled.module or _compiled.load()
        if move.unit_bits in fast.UNIT_BITS:
            found: Runner = fast.runner(move, streamed=streamed)
            return found
    return strided.runner(move)


def load_in_background() -> None:
    """Compile every kernel, or read it from disk, on a thread; NumPy serves until then."""
    if not _compiled.installed or _compiled.in_background or _compiled.module:
        return
    _compiled.in_background = True

    def load() -> None:
        from app.engine.reorders import fast  # noqa: PLC0415

        fast.compile_all()
        _compiled.module = fast
        _compiled.in_background = False

    Thread(target=load, name="compile-kernels", daemon=True).start()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
