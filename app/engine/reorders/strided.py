"""The NumPy backend: strided copies over the loops of a move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.reorders.moves import Move
from app.engine.reorders.plan import Loop

Buffer = npt.NDArray[Any]
_UNITS = {8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "c16"}


def runner(move: Move) -> Callable[[Buffer, Buffer], None]:
    """What carries out ``move`` between two buffers of bytes."""
    unit = np.dtype(_UNITS.get(move.unit_bits, f"V{move.unit_bytes}"))
    real = [Loop(x.extent, x.source_stride, x.target_stride) for x in move.loops]
    last = move.loops[-1] if move.loops else Loop(1, 0, 0)
    filled = _target([*real[:-1], Loop(last.fill, 0, last.target_stride)])
    filled_from = move.target + last.extent * last.target_stride

    def go(buffer: Buffer, out: Buffer) -> None:
        if move.source is None:
            _view(out, unit, move.target, _target(move.loops))[...] = np.zeros((), unit)
            return
        source = _view(buffer, unit, move.source, [(x.extent, x.source_stride) for x in real])
        np.copyto(_view(out, unit, move.target, _target(real)), source)
        if move.loops and move.loops[-1].fill:
            _view(out, unit, filled_from, filled)[...] = np.zeros((), unit)

    return go


def _target(loops: Sequence[Loop]) -> list[tuple[int, int]]:
    return [(loop.steps, loop.target_stride) for loop in loops]


def _view(
    buffer: Buffer, unit: np.dtype[Any], offset_units: int, loops: Sequence[tuple[int, int]]
) -> Buffer:
    """Units as a strided view; NumPy refuses one that leaves the buffer."""
    return np.ndarray(
        shape=[extent for extent, _ in loops],
        dtype=unit,
        buffer=buffer,
        offset=offset_units * unit.itemsize,
        strides=[stride * unit.itemsize for _, stride in loops],
    )
