"""When Numba's kernels may be used: never half-loaded, never compiled inside a request.

Importing Numba takes 0.3 s and the first compilation of a kernel about a second, once per machine.
A library call that is worth it waits for that; a server loads on a thread of its own and NumPy
serves meanwhile. Without the ``fast`` extra, or where it is broken, NumPy serves always.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any, Final


class Kernels:
    """The kernels of one module, which ``import_module`` imports and returns.

    The module's ``compiling`` is an iterator that makes one kernel at a time. Any number of
    threads may call the methods.
    """

    def __init__(self, import_module: Callable[[], ModuleType]) -> None:
        self._import_module = import_module
        self._module: ModuleType | None = None
        self._broken = False
        self._holds = 0  # blocks of ``held_back`` that have not ended
        self._lock = Lock()

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
        if self._module is None and worth_loading and not self._holds:
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

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Until the block ends, ``ready`` loads nothing: another thread does, or nobody."""
        with self._lock:
            self._holds += 1
        try:
            yield
        finally:
            with self._lock:
                self._holds -= 1

    def _imported(self) -> ModuleType | None:
        with self._lock:  # a broken module is tried once, and told of once
            if not self.installed:
                return None
            try:
                return self._import_module()
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

    with ExitStack() as held:
        for each in kernels:
            held.enter_context(each.held_back())
        thread = Thread(target=load, name="compile-kernels", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy"}


def compiled(*helpers: ModuleType) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that makes a function a kernel, kept on disk where a folder may be written.

    ``helpers``: the modules whose functions and constants become part of the kernel. Numba's disk
    cache sees a change of the function's own file alone, so their digest is part of the name
    under which the kernel is kept.
    """
    from numba import njit  # noqa: PLC0415  # the engine serves without it

    digest = _digest(helpers)

    def compile_(kernel: Callable[..., Any]) -> Any:
        kernel.__qualname__ += f"_{digest}"
        try:
            return njit(cache=True, **_OPTIONS)(kernel)
        except RuntimeError:  # Numba's word for no such folder
            return njit(**_OPTIONS)(kernel)

    return compile_


def _digest(helpers: Sequence[ModuleType]) -> str:
    """Of the helpers' files and of Numba's options; the same wherever the files lie."""
    found = hashlib.sha256(repr(_OPTIONS).encode())
    for module in helpers:
        found.update(Path(str(module.__file__)).read_bytes())
    return found.hexdigest()[:16]
