"""Large batches in NumPy arrays: compiled kernels if they are ready, else NumPy in small chunks.

Both write into an array of the caller and return -1. If a row is invalid, they return the first
row of the chunk that contains it; the caller then searches the chunk, outside the fast path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..arrays import at_line, cores
from ..digits import place_weights
from ..errors import Described, LayoutError
from ..kernels import Kernels
from ..layout import Int64Array, Layout
from .search import Term

CHUNK_ROWS = 1 << 14  # an invalid row is fewer rows than this behind the returned row
_WORTH_CALLING_ROWS = 1 << 12
_ROWS_PER_THREAD = 1 << 20  # milliseconds of work
_WORTH_LOADING_ROWS = 1 << 20  # the import takes 0.3 s, and the first call compiles


def _import_kernels() -> ModuleType:
    from . import numba_kernels  # noqa: PLC0415  # Numba takes 0.3 s, and may be missing

    return numba_kernels


KERNELS = Kernels(_import_kernels)


def _ready(rows: int) -> ModuleType | None:
    """The kernels, or None if NumPy has to do the work: few rows, or kernels not ready."""
    if rows < _WORTH_CALLING_ROWS:
        return None
    return KERNELS.ready(worth_loading=rows >= _WORTH_LOADING_ROWS)


def target(out: Int64Array | None, shape: tuple[int, ...]) -> Int64Array:
    """``out``, or a new array if it is None. Errors: LayoutError naming ``out``."""
    if out is None:
        return at_line(shape, np.int64)
    writable = out.flags.writeable and out.flags.c_contiguous
    if out.shape != shape or out.dtype != np.int64 or not writable:
        raise LayoutError(
            "out",
            Described("another array"),
            f"a writable contiguous int64 array of shape {shape}",
        )
    return out


Work = Callable[[slice], int]


def in_parts(rows: int, threads: int | None, work: Work) -> int:
    """Call ``work`` on all ``rows``, in parallel parts if there are millions.

    ``threads``: the most threads to use, None for one per core. ``work`` returns -1, or a row
    counted from the start of its slice. The result is the first such row, counted from 0, or -1.
    """
    workers = min(cores() if threads is None else threads, rows // _ROWS_PER_THREAD)
    if workers < 2:
        return work(slice(0, rows))
    bounds = [rows * i // workers for i in range(workers + 1)]
    parts = [slice(a, b) for a, b in pairwise(bounds)]
    with ThreadPoolExecutor(workers - 1, thread_name_prefix="addresses") as pool:
        later = [pool.submit(work, part) for part in parts[1:]]
        found = [work(parts[0]), *(each.result() for each in later)]
    return next((p.start + at for p, at in zip(parts, found, strict=True) if at >= 0), -1)


def encode(layout: Layout, coordinates: Int64Array, out: Int64Array) -> int:
    """Write addresses of ``coordinates``, (n, rank), to ``out``, (n,), before the swizzle.

    Returns -1, or the start of the chunk with the first coordinate outside the shape.
    """
    weights = [place_weights(digits) for digits in layout.digits]
    linear = [w[0][1] for w in weights]
    further = [(d, *each) for d, w in enumerate(weights) for each in w[1:]]
    kernels = _ready(len(out))
    if (
        kernels is not None
        and layout.rank in kernels.RANKS
        and coordinates.flags.c_contiguous
        and all(layout.shape[d] < kernels.DIVIDENDS > place for d, place, _ in further)
    ):
        last = tuple(n - 1 for n in layout.shape)
        rows = [(d, *kernels.magic(place, layout.shape[d]), w) for d, place, w in further]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        flat = coordinates.reshape(-1)
        return int(kernels.encode(flat, layout.offset, last, tuple(linear), table, out))
    sizes = np.tile(np.array(layout.shape, dtype=np.uint64), min(len(out), CHUNK_ROWS))
    steps = np.array(linear, dtype=np.int64)
    for chunk in _chunks(len(out)):
        rows_in = np.ascontiguousarray(coordinates[chunk])
        # Read as unsigned, negative numbers are greater than every size.
        if (rows_in.view(np.uint64).reshape(-1) >= sizes[: rows_in.size]).any():
            return int(chunk.start)
        total = out[chunk]
        np.matmul(rows_in, steps, out=total)
        total += layout.offset
        for d, place, weight in further:
            total += rows_in[:, d] // place * weight
    return -1


class Quotient(NamedTuple):
    """One digit of an address x: x // stride - (x // above)·ratio, above = ratio·stride.

    Each division is a multiplication and a shift: ``low`` and ``low_shift`` divide by stride,
    ``high`` and ``high_shift`` by above; these are 0 for the digit of the largest stride.
    """

    low: int
    low_shift: int
    high: int
    high_shift: int
    ratio: int


_NO_DIGIT = Quotient(0, 0, 0, 0, 0)


def decode(layout: Layout, terms: Sequence[Term], addresses: Int64Array, out: Int64Array) -> int:
    """Write coordinates of ``addresses``, (n,), before a swizzle, to ``out``, (n, rank).

    ``terms``: digits of extents over 1 whose strides nest, strides descending. Returns -1, or the
    start of the chunk with the first address that no element owns; padding counts as such.
    """
    base, greatest = layout.bounds[0], layout.bounds[1] - layout.bounds[0]
    kernels = _ready(len(out))
    if (
        kernels is not None
        and layout.rank in kernels.RANKS
        and greatest < kernels.DIVIDENDS
        and addresses.flags.c_contiguous
        and _divide_each_other(terms)
    ):
        first = [_NO_DIGIT] * layout.rank
        further = []
        for t, quotient in zip(terms, _quotients(kernels.magic, terms, greatest + 1), strict=True):
            if t.place == 1 and _needs_no_check(layout, t, quotient):
                first[t.dim] = quotient
            else:
                last, top = layout.shape[t.dim] - 1, t.extent - 1
                step, least = (-t.place, t.place * top) if t.flipped else (t.place, 0)
                further.append((*quotient, t.dim, last, top, step, least))
        table = np.array(further, dtype=np.int64).reshape(-1, len(_NO_DIGIT) + 5)
        columns = tuple(zip(*first, strict=True))
        return int(kernels.decode(addresses, base, greatest, columns, table, out.reshape(-1)))
    for chunk in _chunks(len(out)):
        if not _decode_chunk(layout, terms, addresses[chunk], out[chunk]):
            return int(chunk.start)
    return -1


def _chunks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, CHUNK_ROWS):
        yield slice(start, min(start + CHUNK_ROWS, rows))


def _divide_each_other(terms: Sequence[Term]) -> bool:
    strides = [t.stride for t in terms]
    return strides[-1:] == [1] and all(a % b == 0 for a, b in pairwise(strides))


def _quotients(magic: Any, terms: Sequence[Term], dividends: int) -> Iterator[Quotient]:
    above, high, high_shift = 0, 0, 0
    for t in terms:
        low, low_shift = magic(t.stride, dividends)
        yield Quotient(low, low_shift, high, high_shift, above // t.stride)
        above, high, high_shift = t.stride, low, low_shift


def _needs_no_check(layout: Layout, term: Term, quotient: Quotient) -> bool:
    """Whether every address between the first and the last leads to a coordinate by this digit."""
    no_gap = quotient.ratio in {0, term.extent}  # 0: the digit of the largest stride
    no_padding = layout.padded_shape[term.dim] == layout.shape[term.dim]
    return no_gap and no_padding and not term.flipped


def _decode_chunk(
    layout: Layout, terms: Sequence[Term], addresses: Int64Array, out: Int64Array
) -> bool:
    base, greatest = layout.bounds[0], layout.bounds[1] - layout.bounds[0]
    residual = addresses - base
    if (residual.view(np.uint64) > greatest).any():
        return False
    # NumPy divides 32-bit integers by a scalar twice as fast as 64-bit integers.
    rest: Any = residual.astype(np.uint32) if greatest < 1 << 32 else residual
    out[...] = 0
    for t in terms:
        digit = np.minimum(rest // t.stride, t.extent - 1) if t.stride > 1 else rest
        if t.stride > 1:
            rest = rest - digit * t.stride
        elif (digit >= t.extent).any():
            return False
        out[:, t.dim] += t.place * (t.extent - 1 - digit if t.flipped else digit)
    if terms and terms[-1].stride > 1 and rest.any():
        return False
    return layout.padded_shape == layout.shape or bool((out < np.array(layout.shape)).all())
