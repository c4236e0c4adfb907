"""What every runner prepares: the kernel for its types, its numbers, a thread's scratch memory."""

import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import typeof as _typeof

from ...model.arrays import Int64Array, at_line
from ..moves import Buffer, Move, Runner
from ..ranges import Loop
from . import kernel_parts
from .loading import forever

typeof: Any = _typeof  # Numba has no type hints
_BY_BITS: dict[int, type] = {bits: np.dtype(f"u{bits // 8}").type for bits in (8, 16, 32, 64)}
UNITS: Final = _BY_BITS | {128: np.complex128}
ZEROS = forever(np.zeros(1 << 14, np.uint8))
_spare: Final[dict[int, list[npt.NDArray[np.uint8]]]] = forever({})  # by size: no thread has it


class _Lent:
    """Memory that goes back to the spare one when its thread ends."""

    def __init__(self, size_bytes: int) -> None:
        spare = _spare.setdefault(size_bytes, [])
        self._back: Final = spare.append
        try:
            self.memory = spare.pop()
            self.memory.fill(0)  # its thread may have been in a kernel when the process was forked
        except IndexError:
            self.memory = at_line((size_bytes,), np.uint8, zeros=True)

    def __del__(self) -> None:
        self._back(self.memory)


class ThreadMemory(threading.local):
    """Memory that each thread has for itself. It begins at a line, and has zeros at first."""

    def __init__(self, size_bytes: int) -> None:
        self._lent: Final = _Lent(size_bytes)
        self.address: int = self._lent.memory.ctypes.data

    def bytes(self) -> npt.NDArray[np.uint8]:
        """Return this thread's memory."""
        return self._lent.memory


scratch: Final = ThreadMemory(kernel_parts.SCRATCH_BYTES)


def entry(kernel: Any, *arguments: Any) -> Any:
    """Compile the kernel for arguments of these types, or read it from disk; return it."""
    kernel.compile(tuple(typeof(argument) for argument in arguments))
    return kernel


def calling(kernel: Any, units: Buffer, *tables: Int64Array) -> Runner:
    """Return the runner that calls a kernel once with each of ``tables`` for its numbers."""

    def run(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        for numbers in tables:
            kernel(units, begin, end, place, numbers, scratch.address)

    return run


def units_of(move: Move, count: int) -> Buffer:
    """Return an empty array, whose type and dimensions give a kernel the units of its registers."""
    return np.empty((0,) * count, UNITS[move.unit_bits])


def begins(move: Move) -> list[int]:
    """Return the first bytes of a move in source and target."""
    return [(move.source or 0) * move.unit_bytes, move.target * move.unit_bytes]


def steps_of(loops: Sequence[Loop], size: int) -> list[int]:
    """Return steps, source stride and target stride of each loop, strides in bytes."""
    return [n for x in loops for n in (x.steps, x.source_stride * size, x.target_stride * size)]


def numbers_of(header: Sequence[int], *tables: Sequence[int]) -> Int64Array:
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
