"""When Numba's kernels may be used: never half-loaded, never compiled inside a request.

Importing Numba takes 0.3 s and the first compilation of a kernel about a second, once per machine.
A library call that is worth it waits for that; a server loads on a thread of its own and NumPy
serves meanwhile. Without the ``fast`` extra, or where it is broken, NumPy serves always.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Event, Thread
from types import ModuleType
from typing import Any


class Kernels:
    """The kernels of one module, whose ``compiling`` makes one at a time."""

    in_background = False  # of the process: another thread brings them

    def __init__(self, module_name: str) -> None:
        self._module_name = module_name
        self._module: ModuleType | None = None
        self._broken = False

    @property
    def installed(self) -> bool:
        """Whether they can be had at all."""
        return self._module is not None or (not self._broken and find_spec("numba") is not None)

    @property
    def loaded(self) -> ModuleType:
        """The module, for those who know that it is loaded."""
        assert self._module is not None
        return self._module

    def ready(self, *, worth_loading: bool = False) -> ModuleType | None:
        """The module if it is loaded, or if the call at hand is worth the wait; else None."""
        if self._module is None and worth_loading and not Kernels.in_background:
            return self.load()
        return self._module

    def load(self) -> ModuleType | None:
        """Import them; each is compiled, or read from disk, when first needed."""
        if self._module is None:
            self._module = self._imported()
        return self._module

    def compiling(self) -> Iterator[None]:
        """Compile the kernels one by one, or read them from disk; then calls use them."""
        if self._module is None and (module := self._imported()) is not None:
            yield from module.compiling()
            self._module = module

    def _imported(self) -> ModuleType | None:
        if not self.installed:
            return None
        try:
            return import_module(self._module_name)
        except Exception as error:  # another NumPy than Numba was made for, say
            self._broken = True
            what = f"Numba cannot be used, NumPy serves: {type(error).__name__}: {error}"
            warnings.warn(what, RuntimeWarning, stacklevel=3)
            return None


@contextmanager
def loading_in_background(*kernels: Kernels) -> Iterator[None]:
    """Compile ``kernels`` on a thread, which ends with the block; until then no call waits."""
    ended = Event()

    def load() -> None:
        for each in kernels:
            for _ in each.compiling():
                if ended.is_set():
                    return

    Kernels.in_background = True
    thread = Thread(target=load, name="compile-kernels", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        Kernels.in_background = False


def compiled(kernel: Callable[..., Any]) -> Any:
    """``kernel`` for Numba, kept on disk where a folder may be written."""
    from numba import njit  # noqa: PLC0415  # the engine serves without it

    try:
        return njit(cache=True, nogil=True, error_model="numpy")(kernel)
    except RuntimeError:  # Numba's word for no such folder
        return njit(nogil=True, error_model="numpy")(kernel)
