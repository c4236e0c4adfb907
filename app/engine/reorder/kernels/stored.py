"""Numba's cache without its wish to write: see ``kernel_store``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba
from numba.core import caching as _caching

from . import store as kernel_store

# Numba has no type hints: each class below is derived from Any.
caching: Any = _caching


class _Locator(caching.UserProvidedCacheLocator):  # type: ignore[misc]  # untyped
    """Numba's own way from a function to its file, in a folder that is only read."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        folder = self.get_suitable_cache_subpath(py_file)
        self._cache_path = str(Path(str(kernel_store.level())) / folder)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]  # untyped
    _locator_classes = (_Locator,)


class _Cache(caching.FunctionCache):  # type: ignore[misc]  # untyped
    """Reads what a store has. What it lacks is compiled, and kept in memory alone."""

    _impl_class = _Implementation

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write nothing."""


def dispatcher(kernel: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Return Numba's dispatcher of ``kernel``, which reads machine code from the store."""
    made: Any = numba.njit(**options)(kernel)
    made._cache = _Cache(kernel)  # Numba has no public way to a cache without a writable folder
    return made
