"""What every runner prepares: the kernel for its types, its numbers, a thread's scratch memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import typeof as _typeof

from ..interface import Buffer
from ..moves import Move
from ..ranges import Loop
from . import kernel_tables

typeof: Any = _typeof  # Numba has no type hints
UNITS: dict[int, type] = {
    8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64, 128: np.complex128,
}  # fmt: skip
ZEROS = np.zeros(1 << 14, np.uint8)
Numbers = npt.NDArray[np.int64]


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.memory = np.zeros(kernel_tables.SCRATCH_BYTES + 64, np.uint8)
        self.address = self.memory.ctypes.data + (-self.memory.ctypes.data) % 64


scratch = _Scratch()


def entry(kernel: Any, *arguments: Any) -> Any:
    """Return the kernel for arguments of these types, compiled or read from disk on first use.

    A call of it avoids Numba's search for the types, which takes as long as copying 20 KB.
    """
    return _compiled(kernel, tuple(typeof(argument) for argument in arguments))


@cache
def _compiled(kernel: Any, types: tuple[Any, ...]) -> Any:
    return kernel.compile(types)


def units_of(move: Move, count: int) -> Buffer:
    """Return an empty array, whose type and dimensions give a kernel the units of its registers."""
    return np.empty((0,) * count, UNITS[move.unit_bits])


def begins(move: Move) -> list[int]:
    """Return the first bytes of a move in source and target."""
    return [(move.source or 0) * move.unit_bytes, move.target * move.unit_bytes]


def steps_of(loops: Sequence[Loop], size: int) -> list[int]:
    """Return steps, source stride and target stride of each loop, strides in bytes."""
    return [n for x in loops for n in (x.steps, x.source_stride * size, x.target_stride * size)]


def numbers_of(header: Sequence[int], *tables: Sequence[int]) -> Numbers:
    """Return the numbers that a kernel reads: the header, then each table after its length."""
    return np.array([*header, *(n for table in tables for n in (len(table), *table))], np.int64)


def rows_of(chain: Sequence[Loop], count: int, size: int) -> tuple[list[int], list[int]]:
    """Return distances in bytes of ``count`` rows from the first, and the rows that are padding."""
    index = np.arange(count, dtype=np.int64)
    distances, padding = np.zeros(count, np.int64), np.zeros(count, bool)
    for loop in chain:
        index, i = np.divmod(index, loop.steps)
        distances += i * loop.source_stride * size
        padding |= i >= loop.extent
    distances[padding] = 0
    return distances.tolist(), np.flatnonzero(padding).tolist()
