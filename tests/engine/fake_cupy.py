"""As much of CuPy as a reorder needs, on a device that is NumPy's memory and runs real kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.engine import cuda_on_host

launched: list[tuple[str, ...]] = []  # the options of each kernel


class Pointer:
    """CuPy's MemoryPointer: so many bytes after the begin of an array."""

    def __init__(self, memory: npt.NDArray[Any], offset: int = 0) -> None:
        self.memory, self.offset = memory, offset
        self.ptr = memory.ctypes.data + offset

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.memory, self.offset + offset)


class ndarray:  # noqa: N801  # CuPy's name
    """Unlike NumPy's arrays in that NumPy's functions refuse it."""

    device: AbstractContextManager[None] = nullcontext()

    def __init__(
        self, shape: Sequence[int], dtype: npt.DTypeLike, memptr: Pointer, strides: Sequence[int]
    ) -> None:
        # NumPy refuses what is outside of the memory, which CuPy does not.
        within = memptr.memory.view(np.uint8)
        self.memory: npt.NDArray[Any] = np.ndarray(shape, dtype, within, memptr.offset, strides)
        assert self.memory.flags.aligned

    @property
    def data(self) -> Pointer:
        return Pointer(self.memory)

    def __getattr__(self, name: str) -> Any:
        assert name in _HAS, name
        found = getattr(self.memory, name)
        return partial(_on_memory, found) if callable(found) else found

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def get(self, *, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        if out is None:
            return self.memory.copy()
        assert out.flags.c_contiguous
        out[...] = self.memory
        return out

    def set(self, host: npt.NDArray[Any]) -> None:
        self.memory[...] = host


_HAS = {"copy", "dtype", "flags", "nbytes", "ndim", "reshape", "shape", "size", "view"}


def _on_memory(function: Callable[..., Any], *given: Any) -> Any:
    """What a function of NumPy's makes of device arrays; it takes no array of the host."""
    assert not any(isinstance(each, np.ndarray) for each in given)
    found = function(*(each.memory if isinstance(each, ndarray) else each for each in given))
    return on_device(found) if isinstance(found, np.ndarray) else found


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *given: _on_memory(getattr(self.memory, name), *given)


for _name in ("and", "getitem", "len", "lshift", "or", "rshift", "setitem"):
    setattr(ndarray, f"__{_name}__", _method(f"__{_name}__"))


def on_device(memory: npt.NDArray[Any]) -> ndarray:
    """An array of the device on ``memory``, with no copy."""
    found = object.__new__(ndarray)
    found.memory = memory
    return found


class RawKernel:
    """A kernel compiled for the host, from the text and with the options that are CuPy's to get."""

    def __init__(self, code: str, name: str, options: tuple[str, ...]) -> None:
        self.module = cuda_on_host.compiled(code, options, (name,))
        self.name, self.options = name, options

    def __call__(self, grid: Any, block: Any, given: Any, *, shared_mem: int) -> None:
        source, target, arguments = given
        assert arguments.size == 1  # CuPy passes no others by value
        launched.append(self.options)
        memory = source.memory, target.memory, arguments
        self.module.launch(self.name, (*grid, *block), memory, shared_bytes=shared_mem)


def zeros(size: int, dtype: npt.DTypeLike) -> ndarray:
    return on_device(np.zeros(size, dtype))


def empty(size: int, dtype: npt.DTypeLike) -> ndarray:
    memory = np.empty(size, dtype)
    memory.view(np.uint8)[:] = 0xAA  # so that what is not written is seen
    return on_device(memory)


def asarray(host: npt.NDArray[Any]) -> ndarray:
    return on_device(host.copy())


def ascontiguousarray(array: ndarray) -> ndarray:
    return on_device(np.ascontiguousarray(array.memory))


def may_share_memory(one: ndarray, other: ndarray) -> bool:
    return np.may_share_memory(one.memory, other.memory)


class CompileException(Exception):  # noqa: N818  # CuPy's name
    """What CuPy raises where NVRTC refuses."""


cuda = SimpleNamespace(
    is_available=lambda: True, compiler=SimpleNamespace(CompileException=CompileException)
)


def refuse(failure: Exception) -> Callable[..., Any]:
    """A function that fails."""

    def raises(*_: Any, **__: Any) -> Any:
        raise failure

    return raises
