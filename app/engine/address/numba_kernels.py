"""Numba kernels: batches of coordinates to addresses and back, in one pass over memory.

A division by a constant becomes a multiplication and a shift (Granlund and Montgomery). It is
exact for the dividends here, which are below 2^31. The numbers for the dimensions are passed as
tuples. So Numba compiles once per rank, unrolls the loop over the dimensions and uses vector
registers for the rows. Indices are unsigned, because Numba tests each signed index for being
negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import typeof as _typeof

from ..kernels import compiled

typeof: Any = _typeof  # Numba has no type hints

RANKS = range(1, 7)
DIVIDENDS = 1 << 31
_BLOCK = 512  # rows that are checked together and fit into the first-level cache
_U = np.uint64


def magic(divisor: int, dividends: int) -> tuple[int, int]:
    """(multiplier, shift): (x·multiplier) >> shift == x // divisor for all x < ``dividends``."""
    shift = (divisor * dividends).bit_length()
    return -(-(1 << shift) // divisor), shift


@compiled()
def encode(coordinates: Any, base: int, last: Any, weights: Any, further: Any, out: Any) -> int:
    """Write addresses of ``coordinates`` to ``out``, both flat, row by row.

    Returns -1, or the start of the block with the first coordinate outside the shape.
    ``last``, ``weights``: per dimension, the greatest coordinate, and what a step of 1 adds.
    ``further``: (k, 4), rows of dimension, multiplier, shift and weight; see ``place_weights``.
    """
    rank = len(weights)
    for start in range(0, len(out), _BLOCK):
        rows = min(_BLOCK, len(out) - start)
        block = coordinates[start * rank : (start + rows) * rank]
        total = out[start : start + rows]
        signs = 0
        for i in range(rows):
            address = base
            for d in range(len(weights)):
                x = block[_U(i) * _U(len(weights)) + _U(d)]
                signs |= x | (last[d] - x)
                address += x * weights[d]
            total[_U(i)] = address
        if signs < 0:
            return start
        for k in range(len(further)):
            dim, multiplier, shift = _U(further[k, 0]), _U(further[k, 1]), _U(further[k, 2])
            for i in range(rows):
                y = _U(block[_U(i) * _U(rank) + dim])
                total[_U(i)] += np.int64((y * multiplier) >> shift) * further[k, 3]
    return -1


@compiled()
def decode(
    addresses: Any, base: int, greatest: int, digits: Any, last: Any, further: Any, out: Any
) -> int:
    """Write coordinates of ``addresses`` to ``out``, flat, row by row.

    Returns -1, or the start of the block with the first address that no element owns.
    ``digits``: one tuple per field of ``batches.Quotient``, with one entry per dimension: its
    digit of the largest stride. ``further``: the other digits, one row each: dimension, its last
    coordinate, the fields. ``greatest``: limit of address - base. ``last``: per dimension, the
    greatest coordinate.
    """
    low, low_shift, high, high_shift, ratio, top, place, least = digits
    rank = len(last)
    for start in range(0, len(addresses), _BLOCK):
        rows = min(_BLOCK, len(addresses) - start)
        block = addresses[start : start + rows]
        found = out[start * rank : (start + rows) * rank]
        signs = 0
        for i in range(rows):
            x = block[_U(i)] - base
            signs |= x | (greatest - x)
            at = _U(i) * _U(len(last))
            for d in range(len(last)):
                above = np.int64((_U(x) * _U(high[d])) >> _U(high_shift[d]))
                digit = np.int64((_U(x) * _U(low[d])) >> _U(low_shift[d])) - above * ratio[d]
                coordinate = least[d] + digit * place[d]
                signs |= (top[d] - digit) | (last[d] - coordinate)
                found[at + _U(d)] = coordinate
        if signs < 0:
            return start
        for k in range(len(further)):
            row = further[k]
            dim, last_of, f_ratio, f_top, f_place, f_least = (
                _U(row[0]), row[1], row[6], row[7], row[8], row[9],
            )  # fmt: skip
            f_low, f_low_shift, f_high, f_high_shift = (
                _U(row[2]), _U(row[3]), _U(row[4]), _U(row[5]),
            )  # fmt: skip
            for i in range(rows):
                y = _U(block[_U(i)] - base)
                above = np.int64((y * f_high) >> f_high_shift)
                digit = np.int64((y * f_low) >> f_low_shift) - above * f_ratio
                at = _U(i) * _U(rank) + dim
                coordinate = found[at] + f_least + digit * f_place
                signs |= (f_top - digit) | (last_of - coordinate)
                found[at] = coordinate
        if signs < 0:
            return start
    return -1


def compiling() -> Iterator[None]:
    """Compile both kernels for every rank, one per step, or read them from disk.

    Calls none: the code may be for another processor.
    """
    nothing, table = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    for rank in RANKS:
        one = (1,) * rank
        yield _compile(encode, nothing, 0, one, one, table, nothing)
        yield _compile(decode, nothing, 0, 0, (one,) * 8, one, table, nothing)


def _compile(kernel: Any, *arguments: Any) -> Any:
    return kernel.compile(tuple(typeof(argument) for argument in arguments))
