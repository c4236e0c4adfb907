"""CUDA kernels compiled for the host by g++, and run so that what a card would punish is refused.

``run.cpp`` says what that is. Only what the project's kernels use is there: blocks of one
dimension, shared memory, ``__syncthreads``.
"""

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

_HERE = Path(__file__).parent
_OPTIONS = ("-O1", "-fPIC")
# Calls before each access of memory; what they call is ours, not the sanitizer's library.
_CHECKED = ("-fsanitize=thread",)


class RefusedError(AssertionError):
    """What a kernel did that it must not."""


class Module:
    """The compiled kernels of one text."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.run.restype = ctypes.c_char_p

    def launch(
        self,
        name: str,
        grid: tuple[int, int],
        memory: Sequence[npt.NDArray[Any]],
        *,
        shared_bytes: int = 0,
    ) -> None:
        """Run ``name`` on ``grid``: blocks and threads of each. Errors: RefusedError.

        ``memory``: the source, the target and the arguments, one structure.
        """
        spans = [
            value
            for each in memory
            for value in (ctypes.c_void_p(each.ctypes.data), ctypes.c_size_t(each.nbytes))
        ]
        body = self._library[f"body_of_{name}"]
        refused = self._library.run(body, *spans, *grid, shared_bytes)
        if refused is not None:
            raise RefusedError(refused.decode())


@lru_cache(maxsize=8)
def _folder() -> tempfile.TemporaryDirectory[str]:
    """For the libraries of this process, which removes it at its end."""
    return tempfile.TemporaryDirectory(prefix="cuda-on-host-", ignore_cleanup_errors=True)


@lru_cache(maxsize=8)
def compiled(code: str, options: Sequence[str], names: Sequence[str]) -> Module:
    """The kernels ``names`` of ``code``, compiled by g++ under ``options``."""
    folder = Path(tempfile.mkdtemp(dir=_folder().name))
    kernels = folder / "kernels.cpp"
    kernels.write_text(
        f'#include "{_HERE / "kernel.h"}"\n#line 1 "kernels.cu"\n{code}\n'
        + "".join(f"BODY({name})\n" for name in names)
    )
    objects = [folder / "kernels.o", folder / "run.o"]
    _gcc(*options, *_OPTIONS, *_CHECKED, "-c", kernels, "-o", objects[0])
    _gcc("-std=c++17", *_OPTIONS, "-c", _HERE / "run.cpp", "-o", objects[1])
    library = folder / "kernels.so"
    _gcc("-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", *objects, "-o", library)
    return Module(library)


def _gcc(*arguments: str | Path) -> None:
    done = subprocess.run(["g++", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
