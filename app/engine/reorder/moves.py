"""Makes moves of boxes for one element size: chooses wide units and a kernel.

Elements that stay neighbours are moved as one unit of up to 16 bytes. Example: from NCHW4 to
NCHW32, four int8 are one unit of 32 bits. A move has one of these kernels:

- ``runs``: the innermost loop is contiguous on both sides, or units of 16 bytes go one by one;
- ``transpose``: one loop is contiguous in the source, another in the target;
- ``elements``: neither of these, so units are copied one by one;
- ``zeros``: padding.

A fill stays in its move if it ends the innermost run of the target. Other fills become separate
moves. ``registers_of`` says how a transpose moves its units in registers: the compiled backend
chooses its kernel by it, and a schedule says it of each whole move.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy.typing as npt

from .ranges import Box, Loop

WIDEST_BITS = 128  # of a unit, and of a register
MOST_ROWS: Final = 1024
INTERLEAVED: Final = (2, 3, 4, 8, 16)
_COLUMN_BITS = 4096  # a transpose keeps a fill in columns up to this length: one tile has all rows
Kernel = Literal["runs", "transpose", "elements", "zeros"]
Buffer = npt.NDArray[Any]
# The source and the target, one-dimensional and contiguous. Then three addresses: begin and end of
# the source, begin of the target; 0 for NumPy, which does not use them.
Memory = tuple[Buffer, Buffer, int, int, int]
Runner = Callable[[Buffer, Buffer, int, int, int], None]  # carries out moves


@dataclass(frozen=True)
class Move:
    """Nested loops, outermost first; offsets and strides are in units.

    ``unit_bits``: neighbours that stay together are copied as one unit. ``source``: first unit
    read; None where zeros are written. ``target``: first unit written.
    """

    kernel: Kernel
    unit_bits: int
    source: int | None
    target: int
    loops: tuple[Loop, ...]

    @cached_property
    def units(self) -> int:
        """Number of units written, fill included."""
        return math.prod(loop.steps for loop in self.loops)

    @property
    def unit_bytes(self) -> int:
        """Bytes of one unit; 0 for one nibble."""
        return self.unit_bits // 8


def moves_of(boxes: Sequence[Box], item_bits: int) -> tuple[Move, ...]:
    """Return the moves of ``boxes`` for elements of ``item_bits``: 4, or whole bytes."""
    return tuple(move for box in boxes for move in _moves(box, item_bits))


def _moves(box: Box, item_bits: int) -> Iterator[Move]:
    unit = _unit(box, max(WIDEST_BITS // item_bits, 1))
    loops = list(box.loops)
    if unit > 1:
        loops = [_divided(loop, unit, is_run=_is_run(loop, box)) for loop in loops]
        loops = [loop for loop in loops if loop.steps > 1]
    source = None if box.source_offset is None else box.source_offset // unit
    move = Move("zeros", unit * item_bits, source, box.target_offset // unit, tuple(loops))
    kernel = _kernel(move)
    filled = [
        k for k, loop in enumerate(loops) if loop.fill and not _keeps_fill(move, kernel, loop)
    ]
    yield replace(
        move,
        kernel=kernel,
        loops=tuple(replace(x, fill=0) if k in filled else x for k, x in enumerate(loops)),
    )
    for k in filled:
        yield fill_of(move, k)


def fill_of(move: Move, k: int) -> Move:
    """Return the move that writes the fill of loop ``k``, and no fill of the loops around it."""
    loop = move.loops[k]
    outer = [Loop(x.extent, 0, x.target_stride) for x in move.loops[:k]]
    inner = [Loop(x.steps, 0, x.target_stride) for x in move.loops[k + 1 :]]
    every = (*outer, Loop(loop.fill, 0, loop.target_stride), *inner)
    begin = move.target + loop.extent * loop.target_stride
    beyond = tuple(x for x in every if x.extent > 1)
    return Move("zeros", move.unit_bits, None, begin, beyond)


def _keeps_fill(move: Move, kernel: Kernel, loop: Loop) -> bool:
    if loop.target_stride != 1 or move.unit_bits < 8:
        return False
    short = loop.steps * move.unit_bits <= _COLUMN_BITS
    return (kernel == "runs" and loop.source_stride == 1) or (kernel == "transpose" and short)


def _is_run(loop: Loop, box: Box) -> bool:
    return loop.target_stride == 1 and (loop.source_stride == 1 or box.source_offset is None)


def _unit(box: Box, most: int) -> int:
    """Return how many elements always move together: a divisor of ``most``."""
    together = most
    for loop in box.loops:
        if _is_run(loop, box):
            together = math.gcd(together, loop.extent, loop.fill)
        else:
            together = math.gcd(together, loop.source_stride, loop.target_stride)
    if not any(_is_run(loop, box) for loop in box.loops):
        return 1
    return math.gcd(together, box.source_offset or 0, box.target_offset)


def _divided(loop: Loop, unit: int, *, is_run: bool) -> Loop:
    if is_run:
        return replace(loop, extent=loop.extent // unit, fill=loop.fill // unit)
    return replace(
        loop, source_stride=loop.source_stride // unit, target_stride=loop.target_stride // unit
    )


def _kernel(move: Move) -> Kernel:
    if move.source is None:
        return "zeros"
    from_source = [loop for loop in move.loops if loop.source_stride == 1]
    from_target = [loop for loop in move.loops if loop.target_stride == 1]
    if not move.loops or any(loop.target_stride == 1 for loop in from_source):
        return "runs"
    if from_source and from_target:
        return "transpose"
    return "runs" if move.unit_bits == WIDEST_BITS else "elements"


@dataclass(frozen=True, slots=True)
class Registers:
    """What a transpose does with its units, of which a register of 16 bytes holds several.

    ``way``: ``transpose`` makes columns of rows, ``interleave`` one run of a few rows, ``separate``
    a few rows of one run. ``along``: index of the loop that is contiguous in the source. ``chain``:
    indices of the loops that together are contiguous in the target, innermost first. ``rows``:
    their steps, the rows of the transpose.
    """

    way: Literal["transpose", "interleave", "separate"]
    along: int
    chain: tuple[int, ...]
    rows: int


def registers_of(loops: Sequence[Loop], unit_bits: int, *, partial: bool = False) -> Registers:
    """Return how a transpose with these loops moves its units, of at least 8 bits.

    ``partial``: whether its last row is a partial one; then only the innermost loop is in rows.
    """
    every = range(len(loops))
    contiguous = (k for k in every if loops[k].source_stride == 1)
    along = max(contiguous, key=lambda k: loops[k].extent)
    chain: list[int] = []
    count = 1
    while count < MOST_ROWS and not (partial and chain):
        others = (k for k in every if k != along and k not in chain)
        found = next((k for k in others if loops[k].target_stride == count), None)
        if found is None:
            break
        chain.append(found)
        count *= loops[found].steps
    rows, inner, lanes = loops[along], loops[chain[0]], WIDEST_BITS // unit_bits
    apart = inner.source_stride
    way: Literal["transpose", "interleave", "separate"] = "transpose"
    if not partial and rows.extent <= apart <= lanes and apart in INTERLEAVED and not inner.fill:
        way = "separate"
    elif not partial and count in INTERLEAVED and count <= lanes and rows.target_stride == count:
        way = "interleave"
    return Registers(way, along, tuple(chain), count)
