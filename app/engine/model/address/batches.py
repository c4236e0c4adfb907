"""Large batches in NumPy arrays, in chunks that stay in the cache.

Each function writes into an array of the caller and returns -1. If a row is invalid, it returns
the first row of the chunk that contains it; the caller then searches the chunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..arrays import at_line, cores
from ..digits import place_weights
from ..errors import Described, LayoutError, Phrase
from ..layout import Int64Array, Layout
from .search import Term

CHUNK_ROWS = 1 << 14  # an invalid row is fewer rows than this behind the returned row
_ROWS_PER_THREAD = 1 << 20  # milliseconds of work


def target(out: Int64Array | None, shape: tuple[int, ...]) -> Int64Array:
    """``out``, or a new array if it is None. Errors: LayoutError naming ``out``."""
    if out is None:
        return at_line(shape, np.int64, huge=True)
    writable = out.flags.writeable and out.flags.c_contiguous
    if out.shape != shape or out.dtype != np.int64 or not writable:
        said = "a writable contiguous int64 array of shape {shape}"
        expected = Phrase("out.array", said, shape=str(shape))
        raise LayoutError("out", Described("another array"), expected)
    return out


Uint64s = npt.NDArray[np.uint64]
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


def decode(layout: Layout, terms: Sequence[Term], addresses: Int64Array, out: Int64Array) -> int:
    """Write coordinates of ``addresses``, (n,), before a swizzle, to ``out``, (n, rank).

    ``terms``: digits of extents over 1 whose strides nest, strides descending. Returns -1, or the
    start of the chunk with the first address that no element owns; padding counts as such.
    """
    scratch = np.empty((3, min(len(out), CHUNK_ROWS)), np.uint64)
    for chunk in _chunks(len(out)):
        if not _decode_chunk(layout, terms, addresses[chunk], out[chunk], scratch):
            return int(chunk.start)
    return -1


def _chunks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, CHUNK_ROWS):
        yield slice(start, min(start + CHUNK_ROWS, rows))


def _decode_chunk(
    layout: Layout, terms: Sequence[Term], addresses: Int64Array, out: Int64Array, scratch: Uint64s
) -> bool:
    """Write the coordinates of one chunk; return whether each of its addresses is an element's.

    Unsigned: NumPy divides by a number in vector registers, and fastest without a sign.
    ``scratch``: three rows, at least as long as the chunk.
    """
    rest, digit, product = scratch[:, : len(out)]
    np.subtract(addresses.view(np.uint64), layout.bounds[0] % 2**64, out=rest)
    if int(rest.max()) > layout.bounds[1] - layout.bounds[0]:
        return False
    columns: list[Uint64s | None] = [None] * layout.rank
    waiting = Counter(t.dim for t in terms)  # digits of each dimension that are not added yet
    for d in range(layout.rank):
        if d not in waiting:
            out[:, d] = 0
    above = 0
    for t in terms:
        if t.stride > 1:
            np.floor_divide(rest, t.stride, out=digit)
            np.subtract(rest, np.multiply(digit, t.stride, out=product), out=rest)
        else:
            digit = rest
        if above not in {0, t.stride * t.extent} and int(digit.max()) >= t.extent:
            return False
        if t.flipped:
            np.subtract(t.extent - 1, digit, out=digit)
        if t.place > 1:
            np.multiply(digit, t.place, out=digit)
        column = columns[t.dim]
        coordinate = digit if column is None else np.add(column, digit, out=column)
        waiting[t.dim] -= 1
        if waiting[t.dim]:
            columns[t.dim] = digit.copy() if column is None else column
        elif (
            layout.padded_shape[t.dim] != layout.shape[t.dim]
            and int(coordinate.max()) >= layout.shape[t.dim]
        ):
            return False
        else:
            np.copyto(out[:, t.dim].view(np.uint64), coordinate)
        above = t.stride
    return above <= 1 or not rest.any()
