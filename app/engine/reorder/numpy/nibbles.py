"""Moves of single nibbles: two elements to a byte, the even address in the low half.

A loop with an odd stride is cut in two: its even steps and its odd steps. Then source and target
each stay in one half of the byte, and the copy is a copy of bytes with a shift and a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..moves import Move
from ..ranges import Loop

Buffer = npt.NDArray[Any]
_TILE_BYTES = 1 << 16


def runner(moves: Sequence[Move]) -> Callable[[Buffer, Buffer], None]:
    """Return the function that carries out ``moves`` between two buffers of packed bytes."""
    parts = [part for move in moves for part in _even(move)]

    def go(buffer: Buffer, out: Buffer) -> None:
        for part in parts:
            _carry(part, buffer, out)

    return go


def _even(move: Move) -> Iterator[Move]:
    """Yield parts of ``move`` in which every stride is even."""
    for k, loop in enumerate(move.loops):
        source_stride = 0 if move.source is None else loop.source_stride
        if source_stride % 2 == 0 and loop.target_stride % 2 == 0:
            continue
        for first in range(min(2, loop.extent)):
            steps = (loop.extent - first + 1) // 2
            wide = Loop(steps, 2 * source_stride, 2 * loop.target_stride)
            yield from _even(
                replace(
                    move,
                    source=None if move.source is None else move.source + first * source_stride,
                    target=move.target + first * loop.target_stride,
                    loops=(*move.loops[:k], wide, *move.loops[k + 1 :]),
                )
            )
        return
    yield move


def _carry(move: Move, buffer: Buffer, out: Buffer) -> None:
    """Copy byte by byte, in slabs of the outermost loop, so that little memory is needed."""
    inner = 1
    for loop in move.loops[1:]:
        inner *= loop.extent
    if move.loops and inner * move.loops[0].extent > _TILE_BYTES:
        whole, step = move.loops[0].extent, max(_TILE_BYTES // inner, 1)
        for begin in range(0, whole, step):
            _carry(_slab(move, begin, min(step, whole - begin)), buffer, out)
        return
    high = move.target % 2
    target = _view(out, move.target // 2, [(x.extent, x.target_stride // 2) for x in move.loops])
    kept = np.bitwise_and(target, 0x0F if high else 0xF0)
    if move.source is not None:
        loops = [(x.extent, x.source_stride // 2) for x in move.loops]
        taken = _view(buffer, move.source // 2, loops)
        taken = taken >> 4 if move.source % 2 else taken & 0x0F
        kept |= taken << 4 if high else taken
    target[...] = kept


def _slab(move: Move, begin: int, extent: int) -> Move:
    first, *inner = move.loops
    source = None if move.source is None else move.source + begin * first.source_stride
    return replace(
        move,
        source=source,
        target=move.target + begin * first.target_stride,
        loops=(replace(first, extent=extent), *inner) if extent > 1 else tuple(inner),
    )


def _view(buffer: Buffer, offset_bytes: int, loops: Sequence[tuple[int, int]]) -> Buffer:
    return np.ndarray(
        shape=[extent for extent, _ in loops],
        dtype=np.uint8,
        buffer=buffer,
        offset=offset_bytes,
        strides=[stride for _, stride in loops],
    )


def gather(packed: Buffer, offsets: npt.NDArray[np.int64]) -> Buffer:
    """Return the nibbles at ``offsets``, one to a byte."""
    found = packed[offsets >> 1]
    nibbles: Buffer = np.where(offsets & 1, found >> 4, found & 0x0F).astype(np.uint8)
    return nibbles


def scatter(packed: Buffer, offsets: npt.NDArray[np.int64], nibbles: Buffer) -> None:
    """Write ``nibbles`` at ``offsets``, which are all different."""
    for half, (shift, kept) in enumerate(((0, 0xF0), (4, 0x0F))):
        mine = (offsets & 1) == half
        at = offsets[mine] >> 1
        packed[at] = (packed[at] & kept) | (nibbles[mine] << shift)


def unpack_nibbles(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return one uint8 per nibble, 0 to 15, low nibble first: shape (2n,) from (n,)."""
    nibbles = np.empty(2 * len(packed), dtype=np.uint8)
    np.bitwise_and(packed, 0xF, out=nibbles[0::2])
    np.right_shift(packed, 4, out=nibbles[1::2])
    return nibbles


def pack_nibbles(nibbles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Pack two nibbles to a byte, low nibble first.

    For an odd number of nibbles, the last high nibble is zero.
    """
    packed = np.zeros(-(-len(nibbles) // 2), dtype=np.uint8)
    np.bitwise_and(nibbles[0::2], 0xF, out=packed)
    packed[: len(nibbles) // 2] |= nibbles[1::2] << 4
    return packed
