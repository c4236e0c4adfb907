"""The NumPy backend: strided copies over the loops of moves.

An assignment between views makes the loop with the target's smallest stride the innermost one. That
is the wrong loop if few rows are interleaved to one run (a loop of four), or if the lines that a
run reads push each other out of cache. ``np.positive`` with ``out`` keeps the order of the views
instead. docs/decisions/0007 has the measurement.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray, positive

from ..moves import Buffer, Move, fill_of
from ..ranges import Loop

_UNITS = {8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "c16"}
_FEW_ROWS, _SHORT_BYTES = 8, 32  # a run of few rows is shorter than this
_LONG = 16  # a row of at least this many units gets its own loop
_LINE_BYTES = 64
_WAYS, _WAY_BYTES = 12, 4096  # of a first-level cache of 48 KB


class StridedCopy(NamedTuple):
    """A copy between two views of ``unit``, or ``zero`` everywhere in one. In bytes.

    ``begin``, ``steps``: offset and strides of the source. ``place``, ``strides``: of the target.
    ``is_sorted``: whether NumPy may choose the order of the loops.
    """

    unit: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    steps: tuple[int, ...]
    place: int
    strides: tuple[int, ...]
    zero: Buffer | None
    is_sorted: bool


def runner(moves: Sequence[Move]) -> Callable[[Buffer, Buffer], None]:
    """Return the function that carries out ``moves`` between two buffers.

    NumPy raises an error if a view is not inside its buffer.
    """
    copies = copies_of(moves)

    def go(buffer: Buffer, out: Buffer) -> None:
        for unit, shape, begin, here, place, there, zero, is_sorted in copies:
            target = ndarray(shape, unit, out, place, there)
            if zero is not None:
                target.fill(zero)
            elif is_sorted:
                target[...] = ndarray(shape, unit, buffer, begin, here)
            else:
                positive(ndarray(shape, unit, buffer, begin, here), target)

    return go


def copies_of(moves: Sequence[Move]) -> tuple[StridedCopy, ...]:
    """Return the copies that carry out ``moves``, in their order."""
    return tuple(copy for move in moves for copy in _copies(move))


def _copies(move: Move) -> Iterator[StridedCopy]:
    """Yield one pass over the loops of ``move``, then zeros for its fill."""
    if move.source is None:
        yield _copy(move)
        return
    along = _along(move)
    if along is None:
        yield _copy(move)
    else:
        loops = (*(x for x in move.loops if x is not along), along)
        yield _copy(replace(move, loops=loops), is_sorted=False)
    yield from (_copy(fill_of(move, k)) for k, loop in enumerate(move.loops) if loop.fill)


def _copy(move: Move, *, is_sorted: bool = True) -> StridedCopy:
    unit = np.dtype(_UNITS.get(move.unit_bits, f"V{move.unit_bytes}"))
    size, is_copy = unit.itemsize, move.source is not None
    return StridedCopy(
        unit,
        tuple(x.extent if is_copy else x.steps for x in move.loops),
        (move.source or 0) * size,
        tuple(x.source_stride * size for x in move.loops),
        move.target * size,
        tuple(x.target_stride * size for x in move.loops),
        None if is_copy else np.zeros((), unit),
        is_sorted,
    )


def _along(move: Move) -> Loop | None:
    """Return the loop of the source's rows if it should be the innermost one, else None.

    It should not if the lines of the target that it writes push each other out of cache, because
    each line is written again for the next row. Stores cost more than loads there, so this counts
    before what the other order reads.
    """
    if move.kernel != "transpose" or move.unit_bits not in (8, 16, 32, 64):
        return None
    along = max((x for x in move.loops if x.source_stride == 1), key=lambda x: x.extent)
    across, size = move.loops[-1], move.unit_bytes
    written = along.target_stride * size
    kept = _lines_kept(written)
    if along.extent < _LONG or (_is_uneven(written) and 2 * along.extent > kept):
        return None
    if 1 < across.extent <= _FEW_ROWS:
        return along if across.extent * size < _SHORT_BYTES else None
    read = across.source_stride * size
    crowded = _is_uneven(read) and 2 * across.extent > 3 * _lines_kept(read)
    fits = along.extent * min(written, _LINE_BYTES) <= kept * _LINE_BYTES
    return along if crowded and fits and along.extent * size >= 2 * _LINE_BYTES else None


def _is_uneven(stride_bytes: int) -> bool:
    """Whether lines at this stride use only some sets of a first-level cache."""
    return stride_bytes != 0 and stride_bytes % (2 * _LINE_BYTES) == 0


def _lines_kept(stride_bytes: int) -> int:
    """Return how many lines at this stride a first-level cache holds at once."""
    apart = _LINE_BYTES
    if _is_uneven(stride_bytes):
        apart = min(stride_bytes & -stride_bytes, _WAY_BYTES)
    return _WAYS * (_WAY_BYTES // apart)
