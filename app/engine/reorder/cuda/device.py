"""The GPU backend: CuPy compiles the kernels, keeps them on disk and launches them.

This module and CuPy are imported only when a reorder gets a device array or "cupy".
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...model.arrays import gpu_namespace
from ...model.errors import LayoutError
from ..moves import Move
from ..plan import Plan
from .arguments import BLOCK_THREADS, Launch, TooLargeError
from .launches import KERNELS, WIDEST_BYTES, launches_of

HostBytes = npt.NDArray[np.uint8]
DeviceBytes = Any
OnHost = Callable[[HostBytes, HostBytes], str]
_STAGED_BYTES: Final = 16 << 20  # of each of two pieces of pinned memory


class DeviceProgram:
    """The launches of a plan, prepared once per alignment of the buffers."""

    def __init__(self, planned: Plan, moves: Sequence[Move], item_bits: int) -> None:
        self._planned = planned
        self._moves = moves
        self._item_bits = item_bits
        self._written_bits = sum(move.units * move.unit_bits for move in moves)
        self._prepared: dict[int, tuple[Launch, ...]] = {}

    def run(self, buffer: Any, out: Any, backend: str | None, on_host: OnHost) -> str:
        """Write all of the target's bytes from the source's; return the backend that did.

        ``buffer``, ``out``: bytes, both on the device or both on the host; they must not overlap.
        On the device, the launches are queued on CuPy's current stream. ``on_host`` does the same
        between host buffers. It is called if ``backend`` is not "cupy" or None and, after a
        RuntimeWarning, if the GPU fails. Errors: LayoutError naming ``backend``.
        """
        cupy = gpu_namespace()
        if cupy is None:
            raise LayoutError("backend", backend, "numpy or numba: no GPU is available here")
        on_device = isinstance(buffer, cupy.ndarray)
        if backend in {None, "cupy"}:
            try:
                if on_device:
                    self._launch(cupy, buffer, out)
                else:
                    self._there_and_back(cupy, buffer, out)
            except (*_FAILURES, cupy.cuda.compiler.CompileException) as failure:
                what = f"{type(failure).__name__}: {failure}".splitlines()[0]
                warnings.warn(f"the GPU failed, the CPU reorders: {what}", RuntimeWarning, 5)
            else:
                return "cupy"
        return _through_host(buffer, out, on_host) if on_device else on_host(buffer, out)

    def _launch(self, cupy: Any, buffer: DeviceBytes, out: DeviceBytes) -> None:
        alignment_bytes = math.gcd(buffer.data.ptr, out.data.ptr, WIDEST_BYTES)
        launches = self._prepared.get(alignment_bytes)
        if launches is None:
            found = launches_of(self._planned, self._moves, self._item_bits, alignment_bytes)
            launches = self._prepared[alignment_bytes] = tuple(found)
        with buffer.device:
            for launch in launches:
                _kernel(cupy, launch.kernel)(
                    (launch.blocks,),
                    (BLOCK_THREADS,),
                    (buffer, out, launch.arguments),
                    shared_mem=launch.shared_bytes,
                )

    def _there_and_back(self, cupy: Any, buffer: HostBytes, out: HostBytes) -> None:
        with cupy.cuda.Stream(non_blocking=True) as stream:
            source, target = cupy.empty(len(buffer), np.uint8), cupy.empty(len(out), np.uint8)
            staging = _Staging(cupy, stream)
            staging.upload(buffer, source)
            if self._written_bits < 8 * len(out):
                staging.upload(out, target)  # so that its gaps stay unchanged
            self._launch(cupy, source, target)
            staging.download(target, out)


# What CUDA, its compiler and CuPy's memory pool raise, also if NVRTC is not installed.
_FAILURES: Final = (RuntimeError, MemoryError, ImportError, OSError, TooLargeError)


@lru_cache(maxsize=32)
def _kernel(cupy: Any, name: str) -> Any:
    return _module(cupy).get_function(name)


@lru_cache(maxsize=1)
def _module(cupy: Any) -> Any:
    code = (resources.files(__package__ or "") / "kernels.cu").read_text("utf-8")
    return cupy.RawModule(code=code, options=("-std=c++14",), name_expressions=KERNELS)


def _through_host(buffer: DeviceBytes, out: DeviceBytes, on_host: OnHost) -> str:
    there = out.get()
    backend = on_host(buffer.get(), there)
    out.set(there)
    return backend


class _Staging:
    """Two pieces of pinned memory: one is filled or emptied while the other is copied."""

    def __init__(self, cupy: Any, stream: Any) -> None:
        self._stream = stream
        self._pinned: list[HostBytes] = []
        self._copied: list[Any] = []
        for _ in range(2):
            memory = cupy.cuda.alloc_pinned_memory(_STAGED_BYTES)
            self._pinned.append(np.frombuffer(memory, np.uint8, _STAGED_BYTES))
            self._copied.append(cupy.cuda.Event(disable_timing=True))

    def upload(self, host: HostBytes, device: DeviceBytes) -> None:
        """Copy all of ``host``; the copies are queued when this returns."""
        for k, part in enumerate(_parts(len(host))):
            pinned, copied = self._pinned[k % 2][: part.stop - part.start], self._copied[k % 2]
            copied.synchronize()
            np.copyto(pinned, host[part])
            device[part].data.copy_from_host_async(pinned.ctypes.data, len(pinned), self._stream)
            copied.record(self._stream)

    def download(self, device: DeviceBytes, host: HostBytes) -> None:
        """Copy all of ``device``; the copies are complete when this returns."""
        before: tuple[HostBytes, HostBytes, Any] | None = None
        for k, part in enumerate(_parts(len(host))):
            pinned, copied = self._pinned[k % 2][: part.stop - part.start], self._copied[k % 2]
            device[part].data.copy_to_host_async(pinned.ctypes.data, len(pinned), self._stream)
            copied.record(self._stream)
            _land(before)
            before = host[part], pinned, copied
        _land(before)


def _land(copy: tuple[HostBytes, HostBytes, Any] | None) -> None:
    if copy is not None:
        host, pinned, copied = copy
        copied.synchronize()
        np.copyto(host, pinned)


def _parts(size_bytes: int) -> Iterator[slice]:
    for begin in range(0, size_bytes, _STAGED_BYTES):
        yield slice(begin, min(begin + _STAGED_BYTES, size_bytes))
