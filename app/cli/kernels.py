"""Compiles the kernels ahead of time, for other machines than this one."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from .. import engine
from ..engine.reorder.kernels import store as kernel_store

_COMPILE = f"from {engine.__name__} import KERNELS; [list(each.compiling()) for each in KERNELS]"


def compile_into(folder: Path) -> list[str]:
    """Compile the kernels of every level of this kind of machine; return the levels' names.

    One process per level: Numba compiles for one processor in the life of a process. Takes a
    minute each. Errors: OSError, CalledProcessError.
    """
    folder.mkdir(parents=True, exist_ok=True)  # an error about it is one of this process
    levels = list(kernel_store.LEVELS.get(platform.machine(), ()))
    for level in levels:
        chosen = kernel_store.environment(level, folder.resolve())
        path = os.pathsep.join(filter(None, sys.path))
        subprocess.run(  # noqa: S603  # this program's own code
            [sys.executable, "-c", _COMPILE],
            env={**os.environ, **chosen, "PYTHONPATH": path},
            check=True,
        )
    return levels
