"""Reorders on a GPU: CuPy copies strided views, one kernel transposes, tables do the rest.

Imported only when a reorder gets a device array or "cupy". Tests run it on a stand-in for CuPy with
the kernel compiled for the host, and on a card where there is one.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...model.arrays import gpu_namespace
from ...model.errors import LayoutError, phrase
from ..moves import Move, moves_of
from ..numpy.gather import addresses_of, boxes_of
from ..numpy.strided import StridedCopy, copies_of
from ..plan import Plan
from ..ranges import Loop

HostBytes = npt.NDArray[np.uint8]
OnHost = Callable[[HostBytes, HostBytes], str]
THREADS: Final = 64
TILE_BYTES: Final = 4096
_WORD_BYTES: Final = 4  # that a thread reads and writes at once where units are smaller
_WIDEST_BYTES: Final = 8
_SHORT: Final = 32  # steps of a loop that makes rows or columns together with the next one
_OUTER_LOOPS: Final = 32
_MOST: Final = 1 << 31  # rows, columns and blocks
_TABLE_ELEMENTS: Final = 1 << 22  # whose addresses are on the device at once
# What CUDA, its compiler and CuPy's memory pool raise, also if NVRTC is not installed.
_FAILURES: Final = (RuntimeError, MemoryError, ImportError, OSError, ValueError)


class DeviceProgram:
    """A plan for the GPU, for items of ``item_bits``. Nibbles are moved as bytes."""

    def __init__(self, planned: Plan, item_bits: int) -> None:
        self._planned = planned
        self._nibbles = item_bits < 8
        self._item_bytes = max(item_bits // 8, 1)
        self._moves = moves_of(planned.boxes, 8 * self._item_bytes)
        # by the bytes that divide both addresses
        self._steps: dict[int, list[StridedCopy | Launch]] = {}

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

    def _reorder(self, cupy: Any, buffer: Any, out: Any) -> None:
        if not self._nibbles:
            self._move(cupy, buffer, out)
            return
        source, target = _unpacked(cupy, buffer), _unpacked(cupy, out)
        self._move(cupy, source, target)
        out[...] = target[0::2] | target[1::2] << 4

    def _move(self, cupy: Any, source: Any, target: Any) -> None:
        planned = self._planned
        if planned.padded_by_table:
            self._gather(cupy, None, target, planned.target.padded_shape)
        aligned = math.gcd(source.data.ptr, target.data.ptr, _WIDEST_BYTES)
        if aligned not in self._steps:
            found = self._steps[aligned] = []
            for move in self._moves:
                units = _in_units(move, math.gcd(move.unit_bytes, aligned))
                launch = launch_of(units, aligned)
                found += copies_of([units]) if launch is None else [launch]
        for step in self._steps[aligned]:
            if isinstance(step, Launch):
                given = source, target, step.matrices
                kernel = _kernel(cupy, step.options)
                kernel((step.blocks,), (THREADS,), given, shared_mem=step.shared_bytes)
            else:
                of: Any = 0
                if step.zero is None:
                    of = cupy.ndarray(step.shape, step.unit, source.data + step.begin, step.steps)
                to = cupy.ndarray(step.shape, step.unit, target.data + step.place, step.strides)
                to[...] = of
        if planned.kernel == "gather":
            self._gather(cupy, source, target, planned.source.shape)

    def _gather(self, cupy: Any, source: Any | None, target: Any, shape: Sequence[int]) -> None:
        """Copy every element by address tables, or write zeros if there is no ``source``."""
        size = self._item_bytes
        to = target[: len(target) // size * size].reshape(-1, size)
        for box in boxes_of([range(n) for n in shape], _TABLE_ELEMENTS):
            taken: Any = 0
            if source is not None:
                begins = cupy.asarray(addresses_of(self._planned.source, box))
                taken = source[: len(source) // size * size].reshape(-1, size)[begins]
            to[cupy.asarray(addresses_of(self._planned.target, box))] = taken


def _unpacked(cupy: Any, packed: Any) -> Any:
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


class Launch(NamedTuple):
    """A launch of the kernel. ``matrices``: its structure of this name, as one item."""

    blocks: int
    shared_bytes: int
    options: tuple[str, ...]
    matrices: npt.NDArray[Any]


def launch_of(move: Move, aligned: int) -> Launch | None:
    """Return the launch that transposes ``move``; None if it is no transpose or has too many steps.

    It also writes the zeros that end a run of the target. ``aligned``: source and target begin at
    multiples of so many bytes; how many units are a word depends on it.
    """
    if move.kernel != "transpose" or move.source is None:
        return None
    outer = list(reversed(move.loops))
    columns = [max((x for x in outer if x.source_stride == 1), key=lambda x: x.extent)]
    rows = [next(x for x in outer if x.target_stride == 1)]
    outer = [x for x in outer if x is not columns[0] and x is not rows[0]]
    for chain, stride in ((columns, "source_stride"), (rows, "target_stride")):
        count = chain[0].extent
        following = (x for x in outer if getattr(x, stride) == count)
        short = count < _SHORT and count.bit_count() == 1
        chain.append((next(following, None) if short else None) or Loop(1, 0, 0))
        outer = [x for x in outer if x is not chain[1]]
    counts = [rows[0].steps * rows[1].extent, columns[0].extent * columns[1].extent]
    near_bits = [x.extent.bit_length() - 1 if y.extent > 1 else 31 for x, y in (rows, columns)]
    sides = _tile_bits(TILE_BYTES // move.unit_bytes, *counts)
    tiles = [-(-count >> bits) for count, bits in zip(counts, sides, strict=True)]
    steps = [x.extent for x in outer]
    blocks = math.prod(tiles + steps)
    if len(outer) > _OUTER_LOOPS or max(*counts, blocks) >= _MOST:
        return None
    source = [move.source, *(x.source_stride for x in (*rows, *outer))]
    target = [move.target, *(x.target_stride for x in (*columns, *outer))]
    numbers = (*source[:3], *target[:3], *counts, *near_bits, *tiles, *sides, rows[0].fill)
    of_loops = np.zeros((3, _OUTER_LOOPS), np.int64)
    of_loops[:, : len(outer)] = steps, source[3:], target[3:]
    matrices = np.concatenate([numbers, [len(outer)], *of_loops])
    size = move.unit_bytes
    word = max(_WORD_BYTES // size, 1), aligned // size
    read, write = math.gcd(*word, counts[1], *source), math.gcd(*word, counts[0], *target)
    constants = f"-DTHREADS={THREADS} -DUNIT_BYTES={size} -DREAD={read} -DWRITE={write}"
    shared_bytes = size * (((1 << sides[0]) + 1) << sides[1])
    options = ("-std=c++14", *constants.split())
    return Launch(blocks, shared_bytes, options, matrices.view(f"V{matrices.nbytes}"))


def _tile_bits(units: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the sides of a tile of so many units as powers of 2, near to a square if both fit."""
    most = units.bit_length() - 1
    row_bits = min(most // 2, (rows - 1).bit_length())
    column_bits = min(most - row_bits, (columns - 1).bit_length())
    return min(most - column_bits, (rows - 1).bit_length()), column_bits


@lru_cache(maxsize=64)
def _kernel(cupy: Any, options: tuple[str, ...]) -> Any:
    code = (resources.files(__package__ or "") / "kernels.cu").read_text("utf-8")
    return cupy.RawKernel(code, "transpose", options)
