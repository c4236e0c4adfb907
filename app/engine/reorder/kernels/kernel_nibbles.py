"""Kernels that unpack rows of nibbles to bytes and pack bytes to nibbles: see ``numpy.nibbles``.

Row by row, and a row by whole bytes except at its ends: a byte of which a row has one half keeps
the other half. The compiler makes vector instructions of the two innermost loops.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import instructions
from .instructions import helper
from .loading import compiled

HELPERS: Final = (instructions,)  # compiled into the kernels below
Buffer = npt.NDArray[Any]


@helper
def _begin(rows: Buffer, first: int, k: int) -> tuple[int, int]:
    """Return where iteration ``k`` of the outer loops begins: its nibble, and its byte."""
    at, to = first, 0
    for i in range(len(rows) - 3, -1, -1):
        at += k % rows[i, 0] * rows[i, 1]
        to += k % rows[i, 0] * rows[i, 2]
        k //= rows[i, 0]
    return at, to


@compiled(*HELPERS)
def unpack_rows(packed: Buffer, first: int, rows: Buffer, unpacked: Buffer) -> None:
    """Write each nibble of some rows to a byte of its own."""
    run = rows[-1, 0]
    for k in range(np.prod(rows[:-2, 0])):
        at, to = _begin(rows, first, k)
        for _ in range(rows[-2, 0]):
            half = at & 1
            if half:
                unpacked[to] = packed[at >> 1] >> 4
            pairs = (run - half) >> 1
            given = packed[(at + half) >> 1 :][:pairs]
            bytes_ = unpacked[to + half :][: 2 * pairs]
            for j in range(pairs):
                bytes_[2 * j] = given[j] & 15
                bytes_[2 * j + 1] = given[j] >> 4
            if half + 2 * pairs < run:
                unpacked[to + run - 1] = packed[(at + run - 1) >> 1] & 15
            at += rows[-2, 1]
            to += rows[-2, 2]


@compiled(*HELPERS)
def pack_rows(unpacked: Buffer, rows: Buffer, first: int, packed: Buffer) -> None:
    """Write bytes to the nibbles of some rows."""
    run = rows[-1, 0]
    for k in range(np.prod(rows[:-2, 0])):
        at, to = _begin(rows, first, k)
        for _ in range(rows[-2, 0]):
            half = at & 1
            if half:
                packed[at >> 1] = packed[at >> 1] & 15 | unpacked[to] << 4
            pairs = (run - half) >> 1
            taken = packed[(at + half) >> 1 :][:pairs]
            bytes_ = unpacked[to + half :][: 2 * pairs]
            for j in range(pairs):
                taken[j] = bytes_[2 * j] | bytes_[2 * j + 1] << 4
            if half + 2 * pairs < run:
                last = (at + run - 1) >> 1
                packed[last] = packed[last] & 240 | unpacked[to + run - 1]
            at += rows[-2, 1]
            to += rows[-2, 2]


def compiling() -> Iterator[None]:
    """Compile both kernels, or read them from disk; yield after each. A source may be read-only."""
    memory, rows = np.zeros(1, np.uint8), np.zeros((2, 3), np.int64)
    read_only = memory.view()
    read_only.flags.writeable = False
    for packed in (memory, read_only):
        unpack_rows(packed, 0, rows, memory)
        yield
    pack_rows(memory, rows, 0, memory)
    yield
