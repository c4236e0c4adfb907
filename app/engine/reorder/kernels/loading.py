"""When Numba's kernels are used: only when all are loaded, and never compiled inside a request.

Importing Numba takes 0.3 s, and the first compilation of a kernel about 1 s, once per machine. A
library call with enough work waits for this. A server loads the kernels on a separate thread and
uses NumPy until they are ready; an image brings them compiled, in a store (``store.py``). Without
the ``fast`` extra, with an untested version of Numba, or if it is broken, NumPy is always used.
"""

import ctypes
import hashlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any, Final, TypeVar

from .. import children
from . import store

# The versions of Numba that the tests ran with; pyproject.toml says the same.
TESTED: Final = ("0.68.",)
_ENGINE: Final = __name__.rpartition(".reorder.")[0]
T = TypeVar("T")


class Kernels:
    """The kernels of one module.

    ``import_module`` imports the module and returns it. The module has a function ``compiling``:
    an iterator that compiles one kernel per step. All methods are safe to call from many threads.
    """

    def __init__(self, import_module: Callable[[], ModuleType]) -> None:
        self._import_module = import_module
        self._module: ModuleType | None = None
        self._broken = ""
        self._holds = 0  # number of open ``held_back`` blocks
        self._lock = Lock()

    @property
    def missing(self) -> str:
        """Why the kernels cannot be loaded; empty if Numba is there, tested and not broken."""
        return self._broken or ("" if self._module else unusable())

    def ready(self, *, worth_loading: bool = False) -> ModuleType | None:
        """The module, or None if it is not loaded.

        ``worth_loading``: the call has enough work to load it now, and to wait for that.
        """
        if self._module is None and worth_loading and not self._holds:
            return self.load()
        return self._module

    def load(self) -> ModuleType | None:
        """Import the module. Each kernel is compiled, or read from disk, at its first use."""
        if self._module is None:
            self._module = self._imported()
        return self._module

    def compiling(self) -> Iterator[None]:
        """Compile the kernels, one per step, or read them from disk. Then ``ready`` has them."""
        if self._module is None and (module := self._imported()) is not None:
            yield from module.compiling()
            self._module = module

    def missing_on_disk(self) -> bool:
        """Whether a kernel has to be compiled that could be read from disk afterwards."""
        if self._imported() is None:
            return False
        names = [(Path(k.stats.cache_path), f".{k.py_func.__qualname__}-") for k in _COMPILED]
        return not all(any(name in x.name for x in at.glob("*.nbi")) for at, name in names)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Until the block ends, ``ready`` loads nothing; another thread may call ``compiling``."""
        with self._lock:
            self._holds += 1
        try:
            yield
        finally:
            with self._lock:
                self._holds -= 1

    def _imported(self) -> ModuleType | None:
        with self._lock:  # import a broken module once, and warn once
            if self._broken or find_spec("numba") is None:
                return None
            try:
                if reason := unusable():
                    raise ImportError(reason)
                store.bring()
                return self._import_module()
            except Exception as error:  # for example a NumPy that this Numba does not support
                self._broken = f"{type(error).__name__}: {error}"
                what = f"Numba cannot be used, NumPy replaces it: {self._broken}"
                warnings.warn(what, RuntimeWarning, stacklevel=3)
                return None


@cache
def unusable() -> str:
    """Return why Numba as it is installed here is not used; empty if it is."""
    if find_spec("numba") is None:
        return "Numba is not installed"
    found = metadata.version("numba")
    if found.startswith(TESTED):
        return ""
    return f"Numba {found} is not a tested version: those begin with {', '.join(TESTED)}"


@contextmanager
def loading_in_background(
    *kernels: Kernels, then: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Compile ``kernels`` on a thread during the block. Calls use NumPy until that is done.

    ``then`` is called when all are ready.
    """
    ended = Event()

    def load() -> None:
        if any(each.missing_on_disk() for each in kernels):
            with suppress(OSError):  # without another process, this one compiles
                _compile_apart(ended)
        for each in kernels:
            for _ in each.compiling():
                if ended.is_set():
                    return
        then()

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


def _compile_apart(ended: Event) -> int:
    """Compile all kernels in a process of its own, which leaves them on disk; return its status.

    Compiling takes over 500 MB, which Numba does not give back; reading them takes 150. The process
    is killed if ``ended`` is set, and ends with this one.
    """
    root = Path(__file__).resolve().parents[__name__.count(".")]
    path = os.pathsep.join(dict.fromkeys((str(root), *filter(None, sys.path))))
    main = f"from {_ENGINE} import KERNELS\nfor each in KERNELS: list(each.compiling())"
    with subprocess.Popen(  # noqa: S603  # this program, by its own name
        children.command(main),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what fails there fails here too, and is said here
        env={**os.environ, "PYTHONPATH": path},
    ) as program:
        while program.poll() is None:
            if ended.wait(0.1):
                program.kill()
    return program.returncode


def forever(what: T) -> T:
    """Keep an object until the process has ended; return it.

    Python frees modules and the memory of threads before it ends daemon threads, which may be in a
    kernel then: neither the kernel nor its memory may go.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))
    return what


_COMPILED: Final[list[Any]] = []  # all that ``compiled`` has decorated, with a folder to write to


_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy"}


def compiled(*helpers: ModuleType) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function, cached on disk if a folder is writable.

    ``helpers``: the modules whose functions and constants are compiled into the kernel. Numba's
    disk cache only notices changes of the function's own file, so a digest of the helpers is part
    of the name under which the kernel is cached.
    """
    from numba import njit  # noqa: PLC0415  # optional: the engine works without it

    # The same whatever folder the helpers' files are in.
    found = hashlib.sha256(repr(_OPTIONS).encode())
    for module in helpers:
        found.update(Path(str(module.__file__)).read_bytes())
    digest = found.hexdigest()[:16]

    def compile_(kernel: Callable[..., Any]) -> Any:
        kernel.__qualname__ += f"_{digest}"
        try:
            made = forever(njit(cache=True, **_OPTIONS)(kernel))
        except RuntimeError:  # what Numba raises if no folder is writable
            return forever(njit(**_OPTIONS)(kernel))
        _COMPILED.append(made)
        return made

    return compile_
