"""Reorders on a GPU: CuPy copies strided views, one kernel transposes, tables do the rest.

Imported only when a reorder gets a device array or "cupy". None of this has run on a card yet:
tests run it on a stand-in for CuPy, with the kernel compiled for the host.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...model.arrays import gpu_namespace
from ...model.errors import LayoutError, phrase
from ..moves import Move, moves_of
from ..numpy.gather import addresses_of, boxes_of
from ..plan import Plan
from ..ranges import Loop

HostBytes = npt.NDArray[np.uint8]
DeviceBytes = Any
OnHost = Callable[[HostBytes, HostBytes], str]
THREADS: Final = 256
TILE: Final = 32
_WIDEST_BYTES: Final = 8
_OUTER_LOOPS: Final = 32
_FEWEST: Final = 16  # rows and columns for which a tile of 32 by 32 is worth it; not measured
_TABLE_ELEMENTS: Final = 1 << 22  # whose addresses are on the device at once
MATRICES: Final = np.dtype(
    [
        *((name, "i8") for name in ("source", "target", "rows", "columns")),
        *((name, "i8") for name in ("source_stride", "target_stride")),
        *((name, "i8") for name in ("row_tiles", "column_tiles", "outer_loops")),
        *((name, "i8", (_OUTER_LOOPS,)) for name in ("steps", "source_strides", "target_strides")),
    ]
)
# What CUDA, its compiler and CuPy's memory pool raise, also if NVRTC is not installed.
_FAILURES: Final = (RuntimeError, MemoryError, ImportError, OSError, ValueError)


class DeviceProgram:
    """A plan for the GPU, for items of ``item_bits``. Nibbles are moved as bytes."""

    def __init__(self, planned: Plan, item_bits: int) -> None:
        self._planned = planned
        self._nibbles = item_bits < 8
        self._item_bytes = max(item_bits // 8, 1)
        self._moves = moves_of(planned.boxes, 8 * self._item_bytes)

    def run(self, buffer: Any, out: Any, backend: str | None, on_host: OnHost) -> str:
        """Write all of the target's bytes from the source's; return the backend that did.

        ``buffer``, ``out``: bytes, both on the device or both on the host; they must not overlap.
        On the device, the work is queued on CuPy's current stream. ``on_host`` does the same
        between host buffers. It is called if ``backend`` is not "cupy" or None and, after a
        RuntimeWarning, if the GPU fails. Errors: LayoutError naming ``backend``.
        """
        cupy = gpu_namespace()
        if cupy is None:
            raise LayoutError("backend", backend, phrase("backend.gpu"))
        on_device = isinstance(buffer, cupy.ndarray)
        if backend in {None, "cupy"}:
            try:
                if on_device:
                    with buffer.device:
                        self._reorder(cupy, buffer, out)
                else:
                    target = cupy.asarray(out)  # with its gaps
                    self._reorder(cupy, cupy.asarray(buffer), target)
                    target.get(out=out)
            except (*_FAILURES, cupy.cuda.compiler.CompileException) as failure:
                what = f"{type(failure).__name__}: {failure}".splitlines()[0]
                warnings.warn(f"the GPU failed, the CPU reorders: {what}", RuntimeWarning, 5)
            else:
                return "cupy"
        if not on_device:
            return on_host(buffer, out)
        there = out.get()
        done = on_host(buffer.get(), there)
        out.set(there)
        return done

    def _reorder(self, cupy: Any, buffer: DeviceBytes, out: DeviceBytes) -> None:
        if not self._nibbles:
            self._move(cupy, buffer, out)
            return
        source, target = _unpacked(cupy, buffer), _unpacked(cupy, out)
        self._move(cupy, source, target)
        out[...] = target[0::2] | target[1::2] << 4

    def _move(self, cupy: Any, source: DeviceBytes, target: DeviceBytes) -> None:
        planned = self._planned
        if planned.padded_by_table:
            self._gather(cupy, None, target, planned.target.padded_shape)
        unit_bytes = math.gcd(source.data.ptr, target.data.ptr, _WIDEST_BYTES)
        for move in self._moves:
            _carry(cupy, _in_units(move, math.gcd(move.unit_bytes, unit_bytes)), source, target)
        if planned.kernel == "gather":
            self._gather(cupy, source, target, planned.source.shape)

    def _gather(
        self, cupy: Any, source: DeviceBytes | None, target: DeviceBytes, shape: Sequence[int]
    ) -> None:
        """Copy every element by address tables, or write zeros if there is no ``source``."""
        size = self._item_bytes

        def items(buffer: DeviceBytes) -> DeviceBytes:
            return buffer[: len(buffer) // size * size].reshape(-1, size)

        for box in boxes_of([range(n) for n in shape], _TABLE_ELEMENTS):
            to = cupy.asarray(addresses_of(self._planned.target, box))
            if source is None:
                items(target)[to] = 0
            else:
                begin = cupy.asarray(addresses_of(self._planned.source, box))
                items(target)[to] = items(source)[begin]


def _unpacked(cupy: Any, packed: DeviceBytes) -> DeviceBytes:
    """Return a new array of one byte per nibble."""
    unpacked = cupy.empty(2 * len(packed), np.uint8)
    unpacked[0::2] = packed & 15
    unpacked[1::2] = packed >> 4
    return unpacked


def _in_units(move: Move, unit_bytes: int) -> Move:
    """Return the same move with each unit split into units of ``unit_bytes``."""
    parts = move.unit_bytes // unit_bytes
    if parts == 1:
        return move
    loops = [
        replace(x, source_stride=x.source_stride * parts, target_stride=x.target_stride * parts)
        for x in move.loops
    ]
    source = None if move.source is None else move.source * parts
    whole = (*loops, Loop(parts, 1, 1))
    return Move("runs", 8 * unit_bytes, source, move.target * parts, whole)


def _carry(cupy: Any, move: Move, source: DeviceBytes, target: DeviceBytes) -> None:
    for k, loop in enumerate(move.loops):
        if loop.fill:
            begin = move.target + loop.extent * loop.target_stride
            beyond = [x.fill if i == k else x.steps for i, x in enumerate(move.loops)]
            _view(cupy, target, move, begin, beyond, "target_stride")[...] = 0
    shape = [loop.extent for loop in move.loops]
    to = _view(cupy, target, move, move.target, shape, "target_stride")
    if move.source is None:
        to[...] = 0
    elif matrices := matrices_of(move):
        blocks, given = matrices
        size = move.unit_bytes
        kernel = _kernel(cupy, size)
        shared = TILE * (TILE + 1) * size
        kernel((blocks,), (THREADS,), (source, target, given), shared_mem=shared)
    else:
        to[...] = _view(cupy, source, move, move.source, shape, "source_stride")


def _view(
    cupy: Any, memory: DeviceBytes, move: Move, begin: int, shape: Sequence[int], strides: str
) -> Any:
    size = move.unit_bytes
    steps = tuple(getattr(loop, strides) * size for loop in move.loops)
    return cupy.ndarray(tuple(shape), f"u{size}", memory.data + begin * size, steps)


def matrices_of(move: Move) -> tuple[int, npt.NDArray[Any]] | None:
    """Return the blocks and the argument of the kernel; None if CuPy's copy serves as well."""
    if move.kernel != "transpose":
        return None
    along = max((x for x in move.loops if x.source_stride == 1), key=lambda x: x.extent)
    across = next(x for x in move.loops if x.target_stride == 1)
    outer = [x for x in reversed(move.loops) if x is not along and x is not across]
    if min(along.extent, across.extent) < _FEWEST or len(outer) > _OUTER_LOOPS:
        return None
    tiles = -(-across.extent // TILE), -(-along.extent // TILE)
    given = np.zeros(1, MATRICES)
    for name, value in {
        "source": move.source,
        "target": move.target,
        "rows": across.extent,
        "columns": along.extent,
        "source_stride": across.source_stride,
        "target_stride": along.target_stride,
        "row_tiles": tiles[0],
        "column_tiles": tiles[1],
        "outer_loops": len(outer),
    }.items():
        given[name] = value
    for k, loop in enumerate(outer):
        given["steps"][0, k] = loop.extent
        given["source_strides"][0, k] = loop.source_stride
        given["target_strides"][0, k] = loop.target_stride
    return math.prod(x.extent for x in outer) * math.prod(tiles), given


@lru_cache(maxsize=8)
def _kernel(cupy: Any, unit_bytes: int) -> Any:
    code = (resources.files(__package__ or "") / "kernels.cu").read_text("utf-8")
    return cupy.RawKernel(code, "transpose", ("-std=c++14", f"-DUNIT_BYTES={unit_bytes}"))
