"""The array namespace: NumPy, or the one that the arrays in hand belong to.

The engine's array code names no library. ``xp = namespace_of(array)`` and the result lives where
its input does: CuPy's arrays stay on the card, array-api-strict's stand in for them in tests.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np


def namespace_of(array: Any) -> Any:
    """The array API namespace of ``array``: NumPy for lists and numbers."""
    if isinstance(array, np.ndarray) or not hasattr(array, "shape"):
        return np
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    found = gpu_namespace()  # CuPy's arrays name their namespace from release 14 on
    return found if found is not None and isinstance(array, found.ndarray) else np


@lru_cache(maxsize=1)
def gpu_namespace() -> Any | None:
    """CuPy where it is installed and a device answers, else None.

    Without a device CuPy imports all the same, and without a driver it raises when asked.
    """
    try:
        import cupy  # noqa: PLC0415  # seconds that most callers never need

        return cupy if cupy.cuda.is_available() else None
    except Exception:  # whatever a missing or broken driver raises, there is no device
        return None


def to_numpy(array: Any) -> Any:
    """``array`` as NumPy's, copied from the device where it lives on one."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
