"""Nibbles with NumPy alone: two elements to a byte, the even address in the low half.

Rows of nibbles are nested loops, the rows of a table: steps, stride in nibbles of the packed side,
stride in bytes of the unpacked side. There are at least two; the last is contiguous on both sides.
"""

from collections.abc import Iterator

import numpy as np

from ...model.arrays import Int64Array
from ..moves import Buffer


def unpack_rows(packed: Buffer, first: int, rows: Int64Array, unpacked: Buffer) -> None:
    """Write each nibble of ``rows`` to a byte of its own.

    ``first``: the address of the first nibble. Its byte is the first one of ``unpacked``.
    """
    for half, nibbles, bytes_ in _halves(packed, first, rows, unpacked):
        if half:
            np.right_shift(nibbles, 4, out=bytes_)
        else:
            np.bitwise_and(nibbles, 15, out=bytes_)


def pack_rows(unpacked: Buffer, rows: Int64Array, first: int, packed: Buffer) -> None:
    """Write bytes of 0 to 15 to the nibbles of ``rows``; the other half of a byte stays."""
    for half, nibbles, bytes_ in _halves(packed, first, rows, unpacked):
        kept = nibbles & (15 if half else 240)
        np.bitwise_or(kept, bytes_ << 4 if half else bytes_, out=nibbles)


def _halves(
    packed: Buffer, first: int, rows: Int64Array, unpacked: Buffer
) -> Iterator[tuple[int, Buffer, Buffer]]:
    """Yield 0 or 1 for low or high halves, the packed bytes that hold them, and the unpacked.

    A loop with an odd stride is cut in two: its even steps and its odd steps.
    """
    parts = [(first, 0, rows)]
    for k in np.flatnonzero(rows[:, 1] % 2).tolist():
        parts = [
            (at + i * rows[k, 1], to + i * rows[k, 2], _every_second(some, k, i))
            for at, to, some in parts
            for i in range(min(2, rows[k, 0]))
        ]
    for at, to, some in parts:
        shape = some[:, 0]
        yield (
            at % 2,
            np.ndarray(shape, np.uint8, packed, at // 2, some[:, 1] // 2),
            np.ndarray(shape, np.uint8, unpacked, to, some[:, 2]),
        )


def _every_second(rows: Int64Array, k: int, first: int) -> Int64Array:
    """Return ``rows`` with every second step of loop ``k``, from step ``first`` on."""
    some = rows.copy()
    some[k] = (rows[k, 0] - first + 1) // 2, 2 * rows[k, 1], 2 * rows[k, 2]
    return some
