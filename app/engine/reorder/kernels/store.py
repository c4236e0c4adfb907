"""Which kernels compiled ahead of time this processor can run.

Numba's cache serves one kind of processor and needs a folder to write to. A store has one folder
per level: a set of processor features, such as x86-64-v3. A process takes the highest level whose
features its processor has, copies its folder to a temporary one, lets Numba read that, and
compiles nothing. Numba's index names the level too, so code of one level is never loaded for
another.
"""

import atexit
import os
import platform
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import copyfile, copytree, rmtree
from tempfile import mkdtemp
from typing import Final

VARIABLE: Final = "STRIDESCOPE_KERNELS"  # the environment's name of the folder
_V2 = "cx16 sahf popcnt sse3 sse4.1 sse4.2 ssse3"
_V3 = f"{_V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
_V4 = f"{_V3} avx512f avx512bw avx512cd avx512dq avx512vl"

# Per kind of machine: LLVM's name of each level, the highest first, and LLVM's names of the
# features that it needs. Source: the x86-64 psABI, section 3.1.1. Every 64-bit Arm processor has
# what LLVM calls generic.
LEVELS: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "x86_64": {"x86-64-v4": frozenset(_V4.split()), "x86-64-v3": frozenset(_V3.split())},
    "aarch64": {"generic": frozenset()},
}


def fitting(features: Mapping[str, bool], machine: str) -> list[str]:
    """Return the levels whose code a processor can run, the highest first.

    ``features``: LLVM's names, and whether the processor and the system have them. ``machine``: as
    ``platform.machine()``.
    """
    present = {name for name, there in features.items() if there}
    return [level for level, needed in LEVELS.get(machine, {}).items() if needed <= present]


def environment(level: str, folder: Path) -> dict[str, str]:
    """Return the variables with which a process compiles the kernels of ``level`` for a store."""
    return {**_chosen(level), "NUMBA_CACHE_DIR": str(folder / level)}


def _chosen(level: str) -> dict[str, str]:
    # The features of the level, and none of this machine's.
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}


def level() -> Path | None:
    """Return the folder of the level that this processor can run, and let Numba compile for it.

    None without a store, if no level of it fits this processor, or if Numba is given a folder of
    its own (``NUMBA_CACHE_DIR``), where it keeps kernels for exactly this processor. Where the
    environment names a processor (``NUMBA_CPU_NAME``), that is taken as Numba takes it.
    """
    store = os.environ.get(VARIABLE)
    if not store or os.environ.get("NUMBA_CACHE_DIR") or "numba" in sys.modules:
        return None
    if named := os.environ.get("NUMBA_CPU_NAME"):
        found = Path(store) / named
        return found if found.is_dir() else None
    from llvmlite import binding  # noqa: PLC0415  # a part of Numba, which is optional

    for name in fitting(binding.get_host_cpu_features(), platform.machine()):
        if (Path(store) / name).is_dir():
            os.environ.update(_chosen(name))
            return Path(store) / name
    return None


def bring() -> None:
    """Let Numba read the kernels of a store, if there is one: call it before Numba is imported.

    The copy is removed when the process ends. Without a folder to write to, Numba compiles.
    """
    chosen = level()
    if chosen is None:
        return
    with suppress(OSError):
        copied = mkdtemp(prefix="stridescope-kernels-")
        atexit.register(_remove, copied, os.getpid())
        copytree(chosen, copied, dirs_exist_ok=True, copy_function=copyfile)
        os.environ["NUMBA_CACHE_DIR"] = copied


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child leaves its parent's
        rmtree(folder, ignore_errors=True)
