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

from ..moves import Move
from ..ranges import Loop

Buffer = npt.NDArray[Any]
Runner = Callable[[Buffer, Buffer], None]
_UNITS = {8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "c16"}
_FEW_ROWS = 8
_LONG = 16  # a row of at least this many units gets its own loop
_LINE_BITS = 512
_TILE_BITS = 1 << 20  # of the target; fits in a second-level cache while rows are woven into it


def runner(move: Move) -> Runner:
    """Return the function that carries out ``move`` between two buffers of bytes."""
    unit = np.dtype(_UNITS.get(move.unit_bits, f"V{move.unit_bytes}"))
    if move.source is None:
        return _zeros(move, unit)
    if move.kernel == "transpose" and unit.kind == "u":
        along = max((x for x in move.loops if x.source_stride == 1), key=lambda x: x.extent)
        across = move.loops[-1]
        few = across.steps <= _FEW_ROWS and along.extent >= _LONG
        scattered = across.extent >= along.extent and along.extent * move.unit_bits >= _LINE_BITS
        if few or scattered:
            tile_bits = _TILE_BITS if few else math.inf
            return _copy(move, unit, _along_last(move, along, tile_bits), np.positive)
    return _copy(move, unit, move.loops, _copyto)


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


def _copyto(source: Buffer, *, out: Buffer) -> None:
    np.copyto(out, source)


def _copy(move: Move, unit: np.dtype[Any], loops: Sequence[Loop], copy: Any) -> Runner:
    """Return a runner: one pass of ``copy`` over ``loops``, then zeros for the innermost fill."""
    last = move.loops[-1] if move.loops else Loop(1, 0, 0)
    came = _view(unit, move.source or 0, [(x.extent, x.source_stride) for x in loops])
    went = _view(unit, move.target, [(x.extent, x.target_stride) for x in loops])
    rest = [replace(x, fill=0) for x in move.loops[:-1]]
    beyond = [*rest, Loop(last.fill, 0, last.target_stride)]
    filled = _view(unit, move.target + last.extent * last.target_stride, _target(beyond))
    zero = np.zeros((), unit)

    def go(buffer: Buffer, out: Buffer) -> None:
        copy(came(buffer), out=went(out))
        if last.fill:
            filled(out)[...] = zero

    return go


def _zeros(move: Move, unit: np.dtype[Any]) -> Runner:
    written, zero = _view(unit, move.target, _target(move.loops)), np.zeros((), unit)

    def go(_buffer: Buffer, out: Buffer) -> None:
        written(out)[...] = zero

    return go


def _target(loops: Sequence[Loop]) -> list[tuple[int, int]]:
    return [(loop.steps, loop.target_stride) for loop in loops]


def _view(
    unit: np.dtype[Any], offset_units: int, loops: Sequence[tuple[int, int]]
) -> Callable[[Buffer], Buffer]:
    """Return a function that makes a strided view of a buffer.

    NumPy raises an error if the view is not inside the buffer.
    """
    shape = tuple(extent for extent, _ in loops)
    strides = tuple(stride * unit.itemsize for _, stride in loops)
    offset = offset_units * unit.itemsize

    def view(buffer: Buffer) -> Buffer:
        return np.ndarray(shape, unit, buffer, offset, strides)  # keywords take twice as long

    return view
