"""The NumPy backend: strided copies over the loops of a move.

``np.copyto`` makes the loop with the target's smallest stride the innermost one. That is the
wrong loop if few rows are woven into one run (a loop of four), or if long rows are unwoven.
``np.positive`` with ``out`` keeps the order of the views instead. docs/decisions/0007 has the
measurement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy import copyto, ndarray, positive

from ..moves import Move
from ..ranges import Loop

Buffer = npt.NDArray[Any]
# As ``Look``, but the addresses are 0: whether the arrays fit, and so the work is done.
Done = tuple[int, int, int, bool]
Runner = Callable[..., Done]
_DONE, _NOT_DONE = (0, 0, 0, True), (0, 0, 0, False)
_UNITS = {8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "c16"}
_FEW_ROWS = 8
_LONG = 16  # a row of at least this many units gets its own loop
_LINE_BITS = 512
_WAYS, _WAY_BYTES = 12, 4096  # of a first-level cache of 48 KB
_TILE_BITS = 1 << 20  # of the target; fits in a second-level cache while rows are woven into it


def runner(move: Move) -> Runner:
    """Return the function that carries out ``move`` between two buffers of bytes."""
    unit = np.dtype(_UNITS.get(move.unit_bits, f"V{move.unit_bytes}"))
    if move.source is None:
        return _zeros(unit, move.target, move.loops)
    if move.kernel == "transpose" and unit.kind == "u":
        along = max((x for x in move.loops if x.source_stride == 1), key=lambda x: x.extent)
        across = move.loops[-1]
        few = across.steps <= _FEW_ROWS and along.extent >= _LONG
        scattered = _collides(across, move.unit_bytes)
        if few or (scattered and along.extent * move.unit_bits >= _LINE_BITS):
            tile_bits = _TILE_BITS if few else math.inf
            loops = _along_last(move, along, tile_bits)
            return _copy(move, unit, loops, keeps_order=True)
    return _copy(move, unit, move.loops)


def _collides(across: Loop, unit_bytes: int) -> bool:
    """Whether the lines of the source that a run of the target reads push each other out of cache.

    A stride of 128 bytes or a multiple uses only some sets of a first-level cache.
    """
    stride = abs(across.source_stride) * unit_bytes
    if not stride or stride % (2 * _LINE_BITS // 8):
        return False
    apart = min(stride & -stride, _WAY_BYTES)
    return across.extent > _WAYS * (_WAY_BYTES // apart)


def _along_last(move: Move, along: Loop, tile_bits: float) -> list[Loop]:
    """Return the loops with ``along`` innermost, in tiles if the columns across it are long."""
    at = move.loops.index(along)
    column_bits = math.prod(x.steps for x in move.loops[at + 1 :]) * move.unit_bits
    step = along.extent
    if step * column_bits > tile_bits:
        most = int(tile_bits // column_bits)
        step = max((n for n in range(_LONG, most + 1) if step % n == 0), default=step)
    tiles = Loop(along.extent // step, along.source_stride * step, along.target_stride * step)
    inner = replace(along, extent=step)
    return [*move.loops[:at], tiles, *move.loops[at + 1 :], inner]


def _copy(
    move: Move, unit: np.dtype[Any], loops: Sequence[Loop], *, keeps_order: bool = False
) -> Runner:
    """Return a runner: one pass over ``loops``, then zeros for the innermost fill.

    It may be given how many items the buffers need at least, and then does nothing if they are
    shorter, or if the source has gaps. NumPy raises an error if a view is not inside its buffer.
    """
    size, shape = unit.itemsize, tuple(x.extent for x in loops)
    begin, place = (move.source or 0) * size, move.target * size
    steps = tuple(x.source_stride * size for x in loops)
    strides = tuple(x.target_stride * size for x in loops)

    # A call costs as much as copying a few KB. So it looks and copies at once, with few names.
    def copy(buffer: Buffer, out: Buffer, source_items: int = 0, target_items: int = 0) -> Done:
        if buffer.size < source_items or out.size < target_items or not buffer.flags.c_contiguous:
            return _NOT_DONE
        copyto(
            ndarray(shape, unit, out, place, strides), ndarray(shape, unit, buffer, begin, steps)
        )
        return _DONE

    def copy_in_order(
        buffer: Buffer, out: Buffer, source_items: int = 0, target_items: int = 0
    ) -> Done:
        if buffer.size < source_items or out.size < target_items or not buffer.flags.c_contiguous:
            return _NOT_DONE
        positive(
            ndarray(shape, unit, buffer, begin, steps), ndarray(shape, unit, out, place, strides)
        )
        return _DONE

    go = copy_in_order if keeps_order else copy
    last = move.loops[-1] if move.loops else Loop(1, 0, 0)
    if not last.fill:
        return go
    rest = [replace(x, fill=0) for x in move.loops[:-1]]
    beyond = [*rest, Loop(last.fill, 0, last.target_stride)]
    zeros = _zeros(unit, move.target + last.extent * last.target_stride, beyond)

    def go_and_fill(
        buffer: Buffer, out: Buffer, source_items: int = 0, target_items: int = 0
    ) -> Done:
        done = go(buffer, out, source_items, target_items)
        return zeros(buffer, out) if done[3] else done

    return go_and_fill


def _zeros(unit: np.dtype[Any], begin: int, loops: Sequence[Loop]) -> Runner:
    shape, place = tuple(x.steps for x in loops), begin * unit.itemsize
    strides = tuple(x.target_stride * unit.itemsize for x in loops)
    zero = np.zeros((), unit)

    def go(_buffer: Buffer, out: Buffer) -> Done:
        ndarray(shape, unit, out, place, strides).fill(zero)
        return _DONE

    return go
