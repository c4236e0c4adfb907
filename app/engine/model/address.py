"""From coordinates to addresses, vectorised, in the array namespace of the input."""

import operator
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .arrays import Int64Array, at_line, integers, namespace_of, to_numpy
from .digits import outer_sum
from .errors import LayoutError, integer_range, phrase, refusal
from .layout import Layout

CHUNK_ROWS = 1 << 15  # computed at once, so that they stay in the cache


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
    result = output_array(out, layout.shape)
    if layout.elements:
        _fill(layout, result)
        if layout.swizzle:
            result[...] = layout.swizzle(result)
    if out is None:
        result.flags.writeable = False
    return result


def _fill(layout: Layout, result: Int64Array) -> None:
    """Write the addresses before the swizzle."""
    row = layout.elements // layout.shape[0] if layout.rank else 1
    if not layout.rank or len(layout.digits[0]) > 1 or row >= CHUNK_ROWS // 32:
        tables = [layout.table(d) for d in range(layout.rank)]
        outer_sum(tables or [np.zeros((), np.int64)], start=layout.offset, out=result)
        return
    # Rows are short, and some repeat the first ones at a distance: sums of long runs of them.
    rows, stride = min(CHUNK_ROWS // row, layout.shape[0]), layout.digits[0][0].stride
    steps = stride * np.arange(rows, dtype=np.int64)
    tables = [layout.table(d) for d in range(1, layout.rank)]
    first = outer_sum([steps, *tables], start=layout.offset)
    for at in range(0, len(result), rows):
        part = result[at : at + rows]
        np.add(first[: len(part)], at * stride, out=part)


def offsets_of(
    layout: Layout,
    coordinates: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Addresses of ``coordinates``, int64 of shape (n, rank), in elements: shape (n,).

    ``out``: a NumPy array to write and return instead of a new one; it must not share memory
    with the input. ``threads`` is taken and has no effect: one thread does all.
    Errors: LayoutError naming the first coordinate that is no integer or outside the shape, or
    ``out``.

    >>> from stridescope import offsets, parse_layout
    >>> offsets(parse_layout("NCHW4", (2, 6, 3, 3)), [[0, 0, 0, 0], [1, 5, 0, 2]]).tolist()
    [0, 117]
    """
    rows = integers(coordinates, "coordinates")
    if rows.ndim != 2 or rows.shape[1] != layout.rank:
        raise refusal("coordinates", "rows of another length", "coordinates.rows", rank=layout.rank)
    if namespace_of(rows) is not np:
        return _addresses(layout, rows, 0)
    result = output_array(out, (len(rows),))
    for chunk in chunks(len(rows)):
        result[chunk] = _addresses(layout, rows[chunk], chunk.start)
    return result


def output_array(out: Int64Array | None, shape: tuple[int, ...]) -> Int64Array:
    """``out``, or a new array if it is None. Errors: LayoutError naming ``out``."""
    if out is None:
        return at_line(shape, np.int64, huge=True)
    writable = out.flags.writeable and out.flags.c_contiguous
    if out.shape != shape or out.dtype != np.int64 or not writable:
        raise refusal("out", "another array", "out.array", shape=str(shape))
    return out


def chunks(rows: int) -> Iterator[slice]:
    """All ``rows`` in slices of at most CHUNK_ROWS."""
    for start in range(0, rows, CHUNK_ROWS):
        yield slice(start, min(start + CHUNK_ROWS, rows))


def _addresses(layout: Layout, rows: Any, start: int) -> Int64Array:
    """Addresses of ``rows``, of which the first is row ``start`` of all."""
    xp = namespace_of(rows)
    # A copy in which each dimension is contiguous is read faster than columns of rows.
    columns = np.ascontiguousarray(rows.T) if xp is np else rows.T
    if columns.shape[0] and columns.shape[1]:
        greatest = to_numpy(xp.max(columns, axis=1)).tolist()
        if int(xp.min(columns)) < 0 or any(map(operator.ge, greatest, layout.shape)):
            refuse(layout, to_numpy(rows), start)
    total = xp.full(rows.shape[0], layout.offset, dtype=xp.int64)
    for d in range(layout.rank):
        total += layout.dim_offsets(d, columns[d, :])
    found: Int64Array = layout.swizzle(total) if layout.swizzle else total
    return found


def refuse(layout: Layout, rows: Int64Array, start: int) -> NoReturn:
    """Raise for the first of ``rows``, rows ``start`` and after, outside the shape."""
    sizes = np.array(layout.shape, dtype=np.int64)
    row, d = np.argwhere((rows < 0) | (rows >= sizes))[0].tolist()
    size = layout.shape[d]
    empty = phrase("coordinates.none")
    expected = integer_range(0, size - 1) if size else empty
    raise LayoutError(f"coordinates[{start + row}][{d}]", int(rows[row, d]), expected)
