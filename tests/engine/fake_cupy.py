"""As much of CuPy as a reorder needs, on a device that is NumPy's memory.

What is queued on a stream is done when somebody waits for it, no sooner.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.engine import gpu_kernels

launched: list[str] = []


class ndarray:  # noqa: N801  # CuPy's name
    """Unlike NumPy's arrays in that NumPy's functions refuse it."""

    device: AbstractContextManager[None] = nullcontext()

    def __init__(self, memory: npt.NDArray[Any]) -> None:
        self.memory = memory
        self.data = _Pointer(memory.ctypes.data)
        self.dtype, self.itemsize = memory.dtype, memory.itemsize
        self.ndim, self.shape = memory.ndim, memory.shape
        self.size, self.nbytes = memory.size, memory.nbytes
        self.flags = SimpleNamespace(c_contiguous=memory.flags.c_contiguous)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def __len__(self) -> int:
        return len(self.memory)

    def __getitem__(self, part: slice) -> ndarray:
        return ndarray(self.memory[part])

    def view(self, dtype: npt.DTypeLike) -> ndarray:
        return ndarray(self.memory.view(dtype))

    def copy(self) -> ndarray:
        return ndarray(self.memory.copy())

    def get(self) -> npt.NDArray[Any]:
        return self.memory.copy()

    def set(self, host: npt.NDArray[Any]) -> None:
        self.memory[...] = host


class _Pointer:
    def __init__(self, ptr: int) -> None:
        self.ptr = ptr

    def copy_from_host_async(self, mem: int, size: int, stream: _Stream) -> None:
        stream.queue.append(lambda: ctypes.memmove(self.ptr, mem, size))

    def copy_to_host_async(self, mem: int, size: int, stream: _Stream) -> None:
        stream.queue.append(lambda: ctypes.memmove(mem, self.ptr, size))


class _Stream:
    current: _Stream | None = None

    def __init__(self, *, non_blocking: bool) -> None:
        assert non_blocking
        self.queue: list[Callable[[], object]] = []
        self.done = 0

    def __enter__(self) -> _Stream:
        _Stream.current = self
        return self

    def __exit__(self, *_: object) -> None:
        _Stream.current = None

    def synchronize(self, until: int | None = None) -> None:
        until = len(self.queue) if until is None else until
        while self.done < until:
            self.done += 1
            self.queue[self.done - 1]()


class _Event:
    def __init__(self, *, disable_timing: bool) -> None:
        assert disable_timing
        self.recorded: tuple[_Stream, int] | None = None

    def record(self, stream: _Stream) -> None:
        self.recorded = stream, len(stream.queue)

    def synchronize(self) -> None:
        if self.recorded:
            stream, until = self.recorded
            stream.synchronize(until)


class RawModule:
    """Kernels that ``gpu_kernels`` evaluates."""

    def __init__(self, *, code: str, options: tuple[str, ...], name_expressions: Any) -> None:
        assert all(name.partition("<")[0] in code for name in name_expressions)
        assert all(option.startswith("-") for option in options)
        self.names = name_expressions

    def get_function(self, name: str) -> Callable[..., None]:
        assert name in self.names

        def launch(grid: Any, block: Any, given: Any, *, shared_mem: int) -> None:
            source, target, arguments = given
            launched.append(name)
            memories = source.memory, target.memory, arguments

            def work() -> None:
                gpu_kernels.launch(name, grid[0], block[0], shared_mem, memories)

            work() if _Stream.current is None else _Stream.current.queue.append(work)

        return launch


def zeros(size: int, dtype: npt.DTypeLike) -> ndarray:
    return ndarray(np.zeros(size, dtype))


def empty(size: int, dtype: npt.DTypeLike) -> ndarray:
    memory = np.empty(size, dtype)
    memory.view(np.uint8)[:] = 0xAA  # so that what is not written is seen
    return ndarray(memory)


def ascontiguousarray(array: ndarray) -> ndarray:
    return ndarray(np.ascontiguousarray(array.memory))


def may_share_memory(one: ndarray, other: ndarray) -> bool:
    return np.may_share_memory(one.memory, other.memory)


class CompileException(Exception):  # noqa: N818  # CuPy's name
    """What CuPy raises where NVRTC refuses."""


cuda = SimpleNamespace(
    is_available=lambda: True,
    Stream=_Stream,
    Event=_Event,
    alloc_pinned_memory=bytearray,
    compiler=SimpleNamespace(CompileException=CompileException),
)
