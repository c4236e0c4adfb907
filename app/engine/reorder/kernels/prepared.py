"""What every runner prepares: the kernel for its types, its numbers, a thread's scratch memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from numba import typeof as _typeof

from ..interface import Buffer, Runner
from ..moves import Move
from ..ranges import Loop
from . import kernel_tables
from .atomics import ARGUMENTS
from .lasting import ThreadMemory, forever

typeof: Any = _typeof  # Numba has no type hints
UNITS: dict[int, type] = {
    8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64, 128: np.complex128,
}  # fmt: skip
ZEROS = forever(np.zeros(1 << 14, np.uint8))
Numbers = npt.NDArray[np.int64]


scratch: Final = ThreadMemory(kernel_tables.SCRATCH_BYTES)


def entry(kernel: Any, *arguments: Any) -> Any:
    """Return the kernel for arguments of these types, compiled or read from disk on first use.

    A call of it avoids Numba's search for the types, which takes as long as copying 20 KB.
    """
    return _compiled(kernel, tuple(typeof(argument) for argument in arguments))


@cache
def _compiled(kernel: Any, types: tuple[Any, ...]) -> Any:
    return kernel.compile(types)


# Of a runner: the calls that it makes of kernels, each as the words that ``atomics`` describes. For
# where the target begins in a line of memory, and for the size of the source's buffer in bytes.
Calls = Callable[[int, int], Sequence[Sequence[int]]]
_calls: Final[WeakKeyDictionary[Runner, Calls]] = WeakKeyDictionary()


def calls_of(runner: Runner) -> Calls | None:
    """Return the calls that a runner makes; None if it does anything else."""
    return _calls.get(runner)


def runner_by(calls: Calls, runner: Runner) -> Runner:
    """Return ``runner``, and remember that it makes ``calls``."""
    _calls[runner] = calls
    return runner


def calling(
    kernel: Any, *tables: Numbers, units: Buffer | None = None, ends: bool = False
) -> Runner:
    """Return the runner that calls a kernel once with each of ``tables`` for its numbers.

    ``units``: the kernel's first argument, if it has one. ``ends``: whether it takes the end of the
    source.
    """
    like = () if units is None else (units,)
    go = entry(kernel, *like, *_PLACES[ends], tables[0], 0)

    if ends:

        def run(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
            for numbers in tables:
                go(*like, begin, end, place, numbers, scratch.address)

    else:

        def run(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
            for numbers in tables:
                go(*like, begin, place, numbers, scratch.address)

    def calls(_place: int, _size: int) -> list[list[int]]:
        return [_call(kernel, [*like, *_PLACES[ends], numbers, 0]) for numbers in tables]

    return runner_by(calls, run)


def one_of(first: Runner, other: Runner, is_first: Callable[[int, int], bool]) -> Runner:
    """Return the runner that does as ``first`` where ``is_first``, and else as ``other``.

    ``is_first``: of where the target begins, and of the size of the source's buffer in bytes.
    """

    def run(source: Buffer, target: Buffer, begin: int, end: int, place: int) -> None:
        go = first if is_first(place, end - begin) else other
        go(source, target, begin, end, place)

    of_first, of_other = calls_of(first), calls_of(other)
    if of_first is None or of_other is None:
        return run
    makes = of_first, of_other
    return runner_by(lambda *way: makes[0 if is_first(*way) else 1](*way), run)


_PLACES: Final = ((0, 0), (0, 0, 0))  # the addresses that a kernel takes, without and with the end


def _call(kernel: Any, arguments: Sequence[Any]) -> list[int]:
    """Return the words of a call: see ``atomics``. Arguments that are no array are put in later."""
    words: list[int] = []
    at: list[int] = []
    for each in arguments:
        if isinstance(each, np.ndarray):
            shape = (each.size, each.itemsize, each.ctypes.data, *each.shape, *each.strides)
            words += [0, 0, *shape]  # Numba's owner and Python's, which count references: neither
        else:
            at.append(len(words))
            words.append(0)
    if len(at) < 4:
        at.insert(1, ARGUMENTS - 1)  # the end of the source, which no argument is
    result = kernel.overloads[tuple(typeof(each) for each in arguments)]
    address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    assert address
    assert len(words) < ARGUMENTS
    return [address, *at, *words, *[0] * (ARGUMENTS - len(words))]


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
