"""As much of CuPy as a reorder needs, on a device that is NumPy's memory and runs real kernels.

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

from app.engine.reorder.cuda.arguments import BLOCK_THREADS, TILES, UNITS_PER_THREAD
from app.engine.reorder.cuda.tiles import WORD_BYTES
from tests.engine import cuda_on_host

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
    """Kernels compiled for the host, from the text and with the options that are CuPy's to get."""

    def __init__(self, *, code: str, options: tuple[str, ...], name_expressions: Any) -> None:
        self.kernels = cuda_on_host.compiled(code, options, name_expressions)
        self.names = name_expressions

    def get_function(self, name: str) -> Callable[..., None]:
        assert name in self.names

        def launch(grid: Any, block: Any, given: Any, *, shared_mem: int) -> None:
            source, target, arguments = given
            launched.append(name)
            _check(name, grid[0], block[0], arguments, shared_mem)

            def work() -> None:
                self.kernels.launch(
                    name,
                    (grid[0], block[0]),
                    source.memory,
                    target.memory,
                    arguments,
                    shared_bytes=shared_mem,
                    # Padding that a table reaches twice.
                    may_repeat="turn" not in name and not arguments["reads"][0],
                )

            work() if _Stream.current is None else _Stream.current.queue.append(work)

        return launch


def _check(name: str, blocks: int, threads: int, arguments: Any, shared_bytes: int) -> None:
    """What no result shows: a block too many, memory that is not needed, slow memory."""
    assert threads == BLOCK_THREADS
    assert arguments.shape == (1,)
    p = arguments[0]
    if arguments.dtype != TILES:
        per_block = BLOCK_THREADS * (UNITS_PER_THREAD if "units" in name else 1)
        assert (blocks - 1) * per_block < p["units"] <= blocks * per_block
        return
    listed = 0 if p["source_is_run"] else int(p["rows"]["divisor"])
    listed += 0 if p["target_is_run"] else int(p["columns"]["divisor"])
    assert p["tables"] + 8 * listed == shared_bytes
    size = int(name[:-1].partition("<")[2])
    word = max(WORD_BYTES // size, 1)
    assert p["pitch"] // word % 2 == 1  # no two words of a column in one bank


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
