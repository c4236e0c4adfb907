"""From coordinates to addresses, vectorised.

The result is in the array namespace of the input. NumPy arrays take the fast path in ``batches``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..arrays import integers, namespace_of, to_numpy
from ..digits import Digit, digit_offsets, outer_sum, places
from ..errors import Described, LayoutError, Phrase, integer_range
from ..layout import Int64Array, Layout
from . import batches

_BLOCK = 1 << 14  # elements of an offset map that are copied from one table


def offset_map(layout: Layout, *, out: Int64Array | None = None, xp: Any = np) -> Int64Array:
    """Address of every element: int64, shape ``layout.shape``, elements, read-only.

    ``out``: an array to write and return instead of a new one. ``xp``: the array namespace of the
    result. Errors: LayoutError naming ``out``.

    >>> from stridescope import offset_map, parse_layout
    >>> offset_map(parse_layout("WH", (2, 3))).tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    if xp is not np:
        return layout.offsets_at([xp.arange(n, dtype=xp.int64) for n in layout.shape], xp=xp)
    result = batches.target(out, layout.shape)
    if layout.elements:
        _fill(layout, result.reshape(-1))
        if layout.swizzle:
            result[...] = layout.swizzle(result)
    if out is None:
        result.flags.writeable = False
    return result


def _fill(layout: Layout, out: Int64Array) -> None:
    """Write the map before the swizzle to ``out``.

    The innermost loops make one table. The rest is one sum of that table and the start of each
    block: little more than a copy per element.
    """
    loops = list(_loops(layout))
    inner = 1
    tables: list[Int64Array] = []
    while loops and inner * loops[-1][0] <= _BLOCK:
        size, digits = loops.pop()
        inner *= size
        tables.insert(0, digit_offsets(digits, np.arange(size)))
    nothing = np.zeros(1, dtype=np.int64)
    if not loops:
        low = outer_sum(tables or [nothing]).ravel()
        np.add(low, layout.offset, out=out)
        return
    # The next loop is too long for a block: it is cut into whole steps and a remainder.
    size, digits = loops.pop()
    place = places(digits)[-1][0]
    step = max(_BLOCK // inner // place, 1) * place
    if inner * step > _BLOCK:
        step = 1
    whole, left = divmod(size, step)
    low = outer_sum([digit_offsets(digits, np.arange(step)), *tables]).ravel()
    outer = [digit_offsets(gs, np.arange(n)) for n, gs in loops]
    high = outer_sum(outer or [nothing], start=layout.offset).ravel()
    starts = digit_offsets(digits, np.arange(0, size, step))
    rows = out.reshape(len(high), size * inner)
    blocks = rows[:, : whole * step * inner].reshape(len(high), whole, step * inner)
    outer_sum([high, starts[:whole], low], out=blocks)
    if left:
        last = rows[:, None, whole * step * inner :]
        outer_sum([high, starts[whole:], low[: left * inner]], out=last)


def _loops(layout: Layout) -> Iterator[tuple[int, tuple[Digit, ...]]]:
    """(size, digits) of nested loops over the elements, row-major.

    One loop per digit, but a single one for a dimension whose blocks do not divide its size.
    """
    for size, digits in zip(layout.shape, layout.digits, strict=True):
        place = places(digits)[-1][0]
        if size % place:
            yield size, digits
        else:
            yield size // place, digits[:1]
            for g in digits[1:]:
                yield g.extent, (g,)


def offsets_of(
    layout: Layout,
    coordinates: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Addresses of ``coordinates``, int64 of shape (n, rank), in elements: shape (n,).

    ``out``: a NumPy array to write and return instead of a new one; it must not share memory
    with the input. ``threads``: the most threads to use, by default one per core; only millions
    of rows use more than one.
    Errors: LayoutError naming the first coordinate outside the shape, or ``out``.

    >>> from stridescope import offsets, parse_layout
    >>> offsets(parse_layout("NCHW4", (2, 6, 3, 3)), [[0, 0, 0, 0], [1, 5, 0, 2]]).tolist()
    [0, 117]
    """
    xp = namespace_of(coordinates)
    c = integers(coordinates, "coordinates")
    if c.ndim != 2 or c.shape[1] != layout.rank:
        expected = Phrase("coordinates.rows", "rows of {rank} integers", rank=layout.rank)
        raise LayoutError("coordinates", Described("rows of another length"), expected)
    if xp is np:
        result = batches.target(out, (len(c),))
        chunk = batches.in_parts(
            len(c), threads, lambda part: batches.encode(layout, c[part], result[part])
        )
        if chunk >= 0:
            refuse(layout, c[chunk : chunk + batches.CHUNK_ROWS], chunk)
    else:
        result = xp.full(c.shape[0], layout.offset, dtype=xp.int64)
        for d, size in enumerate(layout.shape):
            column = c[:, d]
            if bool(xp.any((column < 0) | (column >= size))):
                refuse(layout, to_numpy(c), 0)
            result = result + layout.dim_offsets(d, column)
    if layout.swizzle is None:
        return result
    if out is None:
        return layout.swizzle(result)
    out[...] = layout.swizzle(result)
    return out


def refuse(layout: Layout, coordinates: Int64Array, start: int) -> NoReturn:
    """Raise for the first of ``coordinates``, rows ``start`` and after, outside the shape."""
    sizes = np.array(layout.shape, dtype=np.int64)
    row, d = np.argwhere((coordinates < 0) | (coordinates >= sizes))[0].tolist()
    size = layout.shape[d]
    empty = Phrase("coordinates.none", "no coordinate: size is 0")
    expected = integer_range(0, size - 1) if size else empty
    raise LayoutError(f"coordinates[{start + row}][{d}]", int(coordinates[row, d]), expected)
