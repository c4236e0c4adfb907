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


def helper(function: Callable[..., Any]) -> Any:
    """Apply Numba's decorator: the function is compiled into the kernels that call it."""
    return extending.register_jitable(function)


RANKS = range(1, 9)
DIVIDENDS = 1 << 31
BLOCK = 512  # rows that are checked together and fit into the first-level cache
_AHEAD = 2 * BLOCK
_LINE = 64  # bytes
_U = np.uint64
_BITS_OF_2_52 = 0x4330000000000000
_2_52 = ir.Constant(ir.DoubleType(), float(1 << 52))


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
    for start in range(0, len(out), BLOCK):
        rows = min(BLOCK, len(out) - start)
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


@intrinsic
def _as_float(typingctx: Any, number: Any) -> Any:
    """Return an int64 from 0 to 2^52 - 1 as float64.

    By its bits, because AVX2 has no instruction for it. Numbers from 2^52 on have the value of the
    last 52 bits as their fraction.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.or_(arguments[0], ir.Constant(ir.IntType(64), _BITS_OF_2_52))
        return builder.fsub(builder.bitcast(bits, ir.DoubleType()), _2_52)

    return types.float64(types.int64), emit


@intrinsic
def _as_int(typingctx: Any, number: Any) -> Any:
    """Return a float64 that is an integer from 0 to 2^52 - 1 as int64."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(builder.fadd(arguments[0], _2_52), ir.IntType(64))
        return builder.and_(bits, ir.Constant(ir.IntType(64), (1 << 52) - 1))

    return types.int64(types.float64), emit


@helper
def _split(
    block: Any, base: int, greatest: int, splits: Any, shares: Any, parts: Any, rests: Any
) -> int:
    """Write the parts of the addresses of a block; return a negative number if one is too large."""
    signs = 0
    for i in range(len(block)):
        x = block[_U(i)] - base
        signs |= x | (greatest - x)
        rests[_U(i)] = x
    if signs < 0:
        return signs
    for k in range(len(splits)):
        stride, share = splits[k], shares[k]
        above = parts[k * BLOCK : (k + 1) * BLOCK]
        for i in range(len(block)):
            x = rests[_U(i)]
            quotient = np.floor(np.float64(x) * share)
            rest = x - _as_int(quotient) * stride
            too_low = rest >= stride
            above[_U(i)] = quotient + 1.0 if too_low else quotient
            rests[_U(i)] = rest - stride if too_low else rest
    last = parts[len(splits) * BLOCK :]
    for i in range(len(block)):
        last[_U(i)] = _as_float(rests[_U(i)])
    return signs


@helper
def _add_further(further: Any, numbers: Any, parts: Any, rows: int, sizes: Any, found: Any) -> int:
    """Check and add the further digits of a block; return a negative number if one is too large."""
    signs = 0
    for k in range(len(numbers)):
        low, high, ratio = further[k, 0], further[k, 1], further[k, 2]
        part = parts[numbers[k, 0] * BLOCK : (numbers[k, 0] + 1) * BLOCK]
        dim, last, top = _U(numbers[k, 1]), numbers[k, 2], numbers[k, 3]
        step, least = numbers[k, 4], numbers[k, 5]
        if step == 0:
            for i in range(rows):
                y = part[_U(i)]
                signs |= top - _as_int(np.floor(y * low) - np.floor(y * high) * ratio)
            continue
        for i in range(rows):
            y = part[_U(i)]
            digit = _as_int(np.floor(y * low) - np.floor(y * high) * ratio)
            at = _U(i) * _U(len(sizes)) + dim
            coordinate = found[at] + least + digit * step
            signs |= (top - digit) | (last - coordinate)
            found[at] = coordinate
    return signs


@compiled()
def decode(
    addresses: Any,
    base: int,
    greatest: int,
    splits: Any,
    shares: Any,
    digits: Any,
    further: Any,
    numbers: Any,
    parts: Any,
    rests: Any,
    out: Any,
) -> int:
    """Write coordinates of ``addresses`` to ``out``, flat, row by row.

    Returns -1, or the start of the block with the first address that no element owns.
    ``greatest``: limit of address - base. ``splits``, ``shares``: (k,), the stride of each split,
    and its ``share``. ``digits``: one tuple per field of ``Quotient``, with one entry per
    dimension: the digit of place 1. ``further``: (m, 3), low, high and ratio of the other digits,
    and of those to check; ``numbers``: (m, 6), their part, dimension, its last coordinate, the
    digit's last value, what a step of it adds (0: it is only checked), what is added to all.
    ``parts``, ``rests``: scratch memory for k + 1 blocks of float64 and one of int64.
    """
    low, high, ratio, part = digits
    rank = len(low)
    for start in range(0, len(addresses), BLOCK):
        rows = min(BLOCK, len(addresses) - start)
        block = addresses[start : start + rows]
        found = out[start * rank : (start + rows) * rank]
        # The processor's own prefetch ends with a page. A fresh page was just cleared, so its
        # lines are in a cache, but not in the first one.
        ahead = out.ctypes.data + (start + _AHEAD) * rank * 8
        for line in range(0, rows * rank * 8, _LINE):
            _prefetch(ahead + line)
        signs = 0
        if len(splits):
            signs = _split(block, base, greatest, splits, shares, parts, rests)
            for i in range(rows):
                at = _U(i) * _U(len(low))
                for d in range(len(low)):
                    y = parts[_U(part[d]) * _U(BLOCK) + _U(i)]
                    digit = np.floor(y * low[d]) - np.floor(y * high[d]) * ratio[d]
                    found[at + _U(d)] = _as_int(digit)
        else:  # the same in registers
            for i in range(rows):
                x = block[_U(i)] - base
                signs |= x | (greatest - x)
                y = _as_float(x)
                parts[_U(i)] = y
                at = _U(i) * _U(len(low))
                for d in range(len(low)):
                    digit = np.floor(y * low[d]) - np.floor(y * high[d]) * ratio[d]
                    found[at + _U(d)] = _as_int(digit)
        if (signs | _add_further(further, numbers, parts, rows, low, found)) < 0:
            return start
    return -1


def compiling() -> Iterator[None]:
    """Compile both kernels for every rank, one per step, or read them from disk.

    Calls none: the code may be for another processor.
    """
    nothing, table = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    floats, further = np.empty(0), np.empty((0, 0))
    for rank in RANKS:
        one, numbers = (1,) * rank, (1.0,) * rank
        yield _compile(encode, nothing, 0, one, one, table, nothing)
        yield _compile(
            decode, nothing, 0, 0, nothing, floats, (*(numbers,) * 3, one), further, table, floats,
            nothing, nothing,
        )  # fmt: skip


def _compile(kernel: Any, *arguments: Any) -> Any:
    return kernel.compile(tuple(typeof(argument) for argument in arguments))
