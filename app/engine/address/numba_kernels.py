"""Numba kernels: batches of coordinates to addresses and back, in one pass over memory.

A division by a constant becomes a multiplication and a shift (Granlund and Montgomery). It is
exact for the dividends here, which are below 2^31. Multiplier and dividend have 32 bits, so vector
registers multiply them in one instruction (three for 64 bits). The numbers for the dimensions are
passed as tuples. So Numba compiles once per rank, unrolls the loop over the dimensions and uses
vector registers for the rows. Indices are unsigned, because Numba tests each signed index for
being negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba import typeof as _typeof

from ..kernels import compiled

typeof: Any = _typeof  # Numba has no type hints


def intrinsic(emitter: Callable[..., Any]) -> Any:
    """Apply Numba's decorator. Callers of the result leave out ``typingctx``."""
    return extending.intrinsic(emitter)


RANKS = range(1, 7)
DIVIDENDS = 1 << 31
_BLOCK = 512  # rows that are checked together and fit into the first-level cache
_AHEAD = 2 * _BLOCK
_LINE = 64  # bytes
_U, _HALF = np.uint64, np.uint32


def magic(divisor: int, dividends: int) -> tuple[int, int]:
    """(multiplier, shift): (x·multiplier) >> shift == x // divisor for all x < ``dividends``.

    With up to 2^31 dividends, the multiplier is below 2^32.
    """
    shift = (divisor * dividends - 1).bit_length()
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


@intrinsic
def _prefetch(typingctx: Any, address: Any) -> Any:
    """Fetch the line at an address into the second-level cache; any address is allowed."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        called = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(called, [pointer, *(ir.Constant(flag, x) for x in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(types.int64), emit


@compiled()
def decode(addresses: Any, base: int, greatest: int, digits: Any, further: Any, out: Any) -> int:
    """Write coordinates of ``addresses`` to ``out``, flat, row by row.

    Returns -1, or the start of the block with the first address that no element owns.
    ``greatest``: limit of address - base. ``digits``: one tuple per field of ``batches.Quotient``,
    with one entry per dimension: a digit whose every value is a coordinate. ``further``: the
    other digits, one row each: the fields, dimension, its last coordinate, the digit's last value,
    what a step of it adds, what is added to all.
    """
    low, low_shift, high, high_shift, ratio = digits
    rank = len(low)
    for start in range(0, len(addresses), _BLOCK):
        rows = min(_BLOCK, len(addresses) - start)
        block = addresses[start : start + rows]
        found = out[start * rank : (start + rows) * rank]
        # The processor's own prefetch ends with a page. A fresh page was just cleared, so its
        # lines are in a cache, but not in the first one.
        ahead = out.ctypes.data + (start + _AHEAD) * rank * 8
        for line in range(0, rows * rank * 8, _LINE):
            _prefetch(ahead + line)
        signs = 0
        for i in range(rows):
            x = block[_U(i)] - base
            signs |= x | (greatest - x)
            y = _U(_HALF(x))
            at = _U(i) * _U(len(low))
            for d in range(len(low)):
                above = (y * _U(_HALF(high[d]))) >> _U(high_shift[d])
                below = (y * _U(_HALF(low[d]))) >> _U(low_shift[d])
                found[at + _U(d)] = np.int64(below - _U(_HALF(above)) * _U(_HALF(ratio[d])))
        if signs < 0:
            return start
        for k in range(len(further)):
            row = further[k]
            f_low, f_low_shift, f_high, f_high_shift = (
                _U(row[0]), _U(row[1]), _U(row[2]), _U(row[3]),
            )  # fmt: skip
            f_ratio, dim, last, top, place, least = (
                row[4], _U(row[5]), row[6], row[7], row[8], row[9],
            )  # fmt: skip
            for i in range(rows):
                y = _U(block[_U(i)] - base)
                above = (y * f_high) >> f_high_shift
                digit = np.int64((y * f_low) >> f_low_shift) - np.int64(above) * f_ratio
                at = _U(i) * _U(rank) + dim
                coordinate = found[at] + least + digit * place
                signs |= (top - digit) | (last - coordinate)
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
        yield _compile(decode, nothing, 0, 0, (one,) * 5, table, nothing)


def _compile(kernel: Any, *arguments: Any) -> Any:
    return kernel.compile(tuple(typeof(argument) for argument in arguments))
