"""Coordinates to addresses and back, vectorised; who owns an address.

Arrays of any array namespace are answered in theirs; NumPy's take the fast ways of ``batches``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine import batches
from app.engine.backend import namespace_of, to_numpy
from app.engine.decoder import (
    ELEMENT,
    GAP,
    KINDS,
    OUTSIDE,
    Owners,
    decoder_of,
    descending,
)
from app.engine.digits import digit_offsets
from app.engine.errors import Described, LayoutError
from app.engine.layout import INT64_MAX, Digit, Int64Array, Layout, strides_nest
from app.engine.search import Budget, Search, Term

__all__ = [
    "KINDS",
    "Owners",
    "coordinates_of",
    "offset_map",
    "offsets_of",
    "owners_of",
    "shares_addresses",
]

_COUNTED = 1 << 22  # elements up to which a question is settled by counting
_BLOCK = 1 << 14  # elements of an offset map that are one table


def offset_map(layout: Layout, *, out: Int64Array | None = None, xp: Any = np) -> Int64Array:
    """Address of every element: int64, shape ``layout.shape``, elements, read-only.

    ``out``: written and returned instead, to spare the fresh memory. ``xp``: the array namespace
    of the answer. Errors: LayoutError naming ``out``.
    """
    if xp is not np:
        total = xp.asarray(layout.offset, dtype=xp.int64)
        for d in range(layout.rank):
            total = total[..., None] + layout.table(d, xp=xp)
        found: Int64Array = layout.swizzle(total) if layout.swizzle else total
        return found
    result = _target(out, layout.shape)
    if layout.elements:
        _fill(layout, result.reshape(-1))
        if layout.swizzle:
            result[...] = layout.swizzle(result)
    if out is None:
        result.flags.writeable = False
    return result


def _fill(layout: Layout, out: Int64Array) -> None:
    """The map before the swizzle: one table of a block and one sum, a fill rather than a
    computation per element."""
    loops = list(_loops(layout))
    inner = 1
    low = np.zeros(1, dtype=np.int64)
    while loops and inner * loops[-1][0] <= _BLOCK:
        size, digits = loops.pop()
        inner *= size
        low = np.add.outer(digit_offsets(digits, np.arange(size)), low).ravel()
    if not loops:
        np.add(low, layout.offset, out=out)
        return
    # The next loop is too long for the block: it goes in steps, and what is left of it.
    size, digits = loops.pop()
    place = math.prod(g.extent for g in digits[1:])
    step = max(_BLOCK // inner // place, 1) * place
    if inner * step > _BLOCK:
        step = 1
    whole, left = divmod(size, step)
    low = np.add.outer(digit_offsets(digits, np.arange(step)), low).ravel()
    high = np.full(1, layout.offset, dtype=np.int64)
    for outer_size, outer_digits in loops:
        high = np.add.outer(high, digit_offsets(outer_digits, np.arange(outer_size))).ravel()
    starts = digit_offsets(digits, np.arange(0, size, step))
    rows = out.reshape(len(high), size * inner)
    blocks = rows[:, : whole * step * inner].reshape(len(high), whole, step * inner)
    np.add(np.add.outer(high, starts[:whole])[:, :, None], low, out=blocks)
    if left:
        last = np.add.outer(high, starts[whole:])
        np.add(last, low[: left * inner], out=rows[:, whole * step * inner :])


def _loops(layout: Layout) -> Iterator[tuple[int, tuple[Digit, ...]]]:
    """(size, digits) of nested loops over the elements, row-major: a digit each, or all digits
    of a dimension that ends within a block of them."""
    for size, digits in zip(layout.shape, layout.digits, strict=True):
        place = math.prod(g.extent for g in digits[1:])
        if size % place:
            yield size, digits
        else:
            yield size // place, digits[:1]
            for g in digits[1:]:
                yield g.extent, (g,)


def _target(out: Int64Array | None, shape: tuple[int, ...]) -> Int64Array:
    if out is None:
        return np.empty(shape, dtype=np.int64)
    writable = out.flags.writeable and out.flags.c_contiguous
    if out.shape != shape or out.dtype != np.int64 or not writable:
        raise LayoutError(
            "out",
            Described("another array"),
            f"a writable contiguous int64 array of shape {shape}",
        )
    return out


def offsets_of(
    layout: Layout,
    coordinates: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Addresses of ``coordinates``, int64 of shape (n, rank), in elements: shape (n,).

    ``out``: NumPy's array to write and return instead of a fresh one; no part of the input.
    ``threads``: an upper bound; by default as many as cores, for millions of rows alone.
    Errors: LayoutError naming the first coordinate outside the shape, or ``out``.
    """
    xp = namespace_of(coordinates)
    c: Any = xp.asarray(coordinates, dtype=xp.int64)
    if c.ndim != 2 or c.shape[1] != layout.rank:
        raise LayoutError(
            "coordinates", Described("rows of another length"), f"rows of {layout.rank} integers"
        )
    if xp is np:
        result = _target(out, (len(c),))
        chunk = batches.in_parts(
            len(c), threads, lambda part: batches.encode(layout, c[part], result[part])
        )
        if chunk >= 0:
            _refuse(layout, c[chunk : chunk + batches.CHUNK_ROWS], chunk)
    else:
        result = xp.full(c.shape[0], layout.offset, dtype=xp.int64)
        for d, size in enumerate(layout.shape):
            column = c[:, d]
            if bool(xp.any((column < 0) | (column >= size))):
                _refuse(layout, to_numpy(c), 0)
            result = result + layout.dim_offsets(d, column)
    if layout.swizzle is None:
        return result
    if out is None:
        return layout.swizzle(result)
    out[...] = layout.swizzle(result)
    return out


def _refuse(layout: Layout, coordinates: Int64Array, start: int) -> None:
    """Name the first of ``coordinates``, rows from ``start`` on, that is outside the shape."""
    sizes = np.array(layout.shape, dtype=np.int64)
    row, d = np.argwhere((coordinates < 0) | (coordinates >= sizes))[0].tolist()
    size = layout.shape[d]
    expectation = f"an integer from 0 to {size - 1}" if size else "no coordinate: size is 0"
    raise LayoutError(f"coordinates[{start + row}][{d}]", int(coordinates[row, d]), expectation)


def coordinates_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Coordinates of the elements at ``offsets``, int64 of shape (n,): shape (n, rank).

    ``out``: NumPy's array to write and return instead of a fresh one; no part of the input.
    ``threads``: an upper bound; by default as many as cores, for millions of rows alone.
    Errors: LayoutError naming the first address that is not exactly one element's, or ``out``.
    """
    xp = namespace_of(offsets)
    asked: Any = xp.asarray(offsets, dtype=xp.int64)
    if asked.ndim != 1:
        raise LayoutError("offsets", Described("an array of another rank"), "one dimension")
    decoder = decoder_of(layout)
    if xp is not np:
        plain = layout.swizzle(asked) if layout.swizzle else asked
        least, greatest = layout.bounds
        inside = (plain >= least) & (plain <= greatest)
        if not decoder.unique or not bool(xp.all(inside)):
            on_host: Int64Array = xp.asarray(coordinates_of(layout, to_numpy(asked)))
            return on_host
        digits, rest = decoder.divide(plain - least)
        found = decoder.coordinates(digits, plain)
        wrong = rest != 0
        for d, size in enumerate(layout.shape):
            wrong = wrong | (found[:, d] >= size)
        if bool(xp.any(wrong)):
            coordinates_of(layout, to_numpy(asked))  # which one, says the way below
        return found
    result = _target(out, (len(asked), layout.rank))
    start = batches.in_parts(
        len(asked), threads, lambda part: decoder.elements(asked[part], result[part])
    )
    while 0 <= start < len(asked):
        # Interleaved strides are searched, and who is at fault is found the same way.
        part = asked[start : start + batches.CHUNK_ROWS]
        owners = owners_of(layout, part)
        wrong_rows = np.flatnonzero(owners.kinds != ELEMENT)
        if len(wrong_rows):
            at = int(wrong_rows[0])
            raise LayoutError(
                f"offsets[{start + at}]", int(part[at]), "the address of exactly one element"
            )
        result[start : start + len(part)] = owners.coordinates
        start += len(part)
    return result


def owners_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    buffer_elements: int | None = None,
    budget: Budget | None = None,
) -> Owners:
    """Who owns each address of ``offsets``, int64 of shape (n,), in elements.

    ``buffer_elements`` enlarges the buffer beyond the greatest address; what is added is gap.
    ``budget``: what a search may spend; by default that of one call.
    """
    asked = np.asarray(offsets, dtype=np.int64).reshape(-1)
    decoder = decoder_of(layout)
    coordinates = np.empty((len(asked), layout.rank), dtype=np.int64)
    first_other = batches.in_parts(
        len(asked), None, lambda part: decoder.elements(asked[part], coordinates[part])
    )
    if first_other < 0:
        alike = (len(asked),)
        return Owners(
            np.broadcast_to(np.uint8(ELEMENT), alike),
            np.broadcast_to(np.int64(1), alike),
            np.arange(len(asked) + 1),
            coordinates,
        )
    limit = max(layout.buffer_elements, buffer_elements or 0)
    kinds = np.full(len(asked), OUTSIDE, dtype=np.uint8)
    inside = (asked >= 0) & (asked < limit)
    kinds[inside] = GAP
    candidates = np.flatnonzero(inside & (asked < layout.buffer_elements))
    return decoder.owners(asked, kinds, candidates, budget)


@lru_cache(maxsize=512)
def shares_addresses(layout: Layout) -> bool | None:
    """Whether two coordinates share an address; None where the search's budget ends first."""
    if layout.elements <= 1:
        return False
    digits = [g for d in range(layout.rank) for g in layout.reachable_digits(d)]
    if any(g.stride == 0 for g in digits) or layout.elements > layout.span_elements:
        return True
    strides = sorted((Digit(g.extent, abs(g.stride)) for g in digits), key=descending)
    if strides_nest(strides):
        return False
    # Two coordinates share an address where the differences of their digits sum to 0.
    differences = [Term(0, 1, 2 * g.extent - 1, g.stride, flipped=False) for g in strides]
    if 2 * sum(g.reach for g in strides) > INT64_MAX:
        return _counted(layout)
    zero = np.array([sum(g.reach for g in strides)], dtype=np.int64)
    [hits] = Search(differences, exact_tail=True).solve(zero, Budget())
    if not hits.undetermined[0] and hits.counts[0] == 1:
        return False
    ragged = any(
        math.prod(g.extent for g in layout.reachable_digits(d)) > size > 1
        for d, size in enumerate(layout.shape)
    )
    if not ragged and not hits.undetermined[0]:
        return True
    return _counted(layout)


def _counted(layout: Layout) -> bool | None:
    if layout.elements <= _COUNTED:
        addresses = np.sort(offset_map(layout), axis=None)
        return bool((addresses[1:] == addresses[:-1]).any())
    return None
