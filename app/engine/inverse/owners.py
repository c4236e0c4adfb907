"""From addresses to coordinates, vectorised, and the owners of an address."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..model.address import chunks, target
from ..model.arrays import Int64Array, integers, namespace_of, to_numpy
from ..model.errors import Described, LayoutError, Phrase
from ..model.layout import Layout
from .decoder import Decoder, decoder_of, first_per_row
from .search import SHOWN, Budget, Hits

KINDS: Final = ("element", "shared", "padding", "gap", "outside", "undetermined")
ELEMENT, SHARED, PADDING, GAP, OUTSIDE, UNDETERMINED = range(6)


@dataclass(frozen=True, slots=True)
class Owners:
    """Who owns each of n addresses.

    ``kinds``: (n,) uint8, indices into KINDS. ``counts``: (n,) int64, logical elements at the
    address. ``starts``: (n+1,) int64; ``coordinates[starts[i]:starts[i+1]]``, shape (·, rank),
    are those of address i in row-major order: one for an element, the first 64 for a shared
    address, the padded one for padding, none otherwise.

    >>> from stridescope import KINDS, owners, parse_layout
    >>> found = owners(parse_layout("(0, 1)", (2, 3)), [2, 7])  # both rows are one
    >>> [KINDS[kind] for kind in found.kinds], found.counts.tolist()
    (['shared', 'outside'], [2, 0])
    >>> found.coordinates[found.starts[0] : found.starts[1]].tolist()
    [[0, 2], [1, 2]]
    """

    kinds: npt.NDArray[np.uint8]
    counts: Int64Array
    starts: Int64Array
    coordinates: Int64Array


def coordinates_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Coordinates of the elements at ``offsets``, int64 of shape (n,): shape (n, rank).

    In the array namespace of ``offsets``. ``out``: a NumPy array to write and return instead of a
    new one; it must not share memory with the input. ``threads`` is taken and has no effect.
    Errors: LayoutError naming the first address that is no integer or does not belong to exactly
    one element, or ``out``.

    >>> from stridescope import coordinates, parse_layout
    >>> coordinates(parse_layout("NCHW4", (2, 6, 3, 3)), [0, 117]).tolist()
    [[0, 0, 0, 0], [1, 5, 0, 2]]
    """
    asked = _flat(offsets)
    decoder, xp = decoder_of(layout), namespace_of(asked)
    if xp is not np:
        columns = decoder.elements(asked)
        if not columns:  # none found, or no dimensions
            there: Int64Array = xp.asarray(coordinates_of(layout, to_numpy(asked)))
            return there
        found: Int64Array = xp.stack(columns, axis=1)
        return found
    result = target(out, (len(asked), layout.rank))
    for chunk in chunks(len(asked)):
        if not _write(decoder.elements(asked[chunk]), result[chunk]):
            result[chunk] = _searched(layout, asked[chunk], chunk.start)
    return result


def _flat(offsets: npt.ArrayLike) -> Any:
    """The addresses as int64 of shape (n,), in their array namespace."""
    asked = integers(offsets, "offsets")
    if asked.ndim != 1:
        expected = Phrase("rank.one", "one dimension")
        raise LayoutError("offsets", Described("an array of another rank"), expected)
    return asked


def _write(columns: list[Int64Array] | None, out: Int64Array) -> bool:
    """Write the coordinates of each dimension to ``out``, (n, rank), if there are any."""
    for d, column in enumerate(columns or ()):
        out[:, d] = column
    return columns is not None


def _searched(layout: Layout, asked: Int64Array, start: int) -> Int64Array:
    """Coordinates of addresses, the first of them ``offsets[start]``, by a search."""
    owners = owners_of(layout, asked)
    others = np.flatnonzero(owners.kinds != ELEMENT)
    if len(others):
        expected = Phrase("offsets.element", "the address of exactly one element")
        field, wrong = f"offsets[{start + others[0]}]", int(asked[others[0]])
        raise LayoutError(field, wrong, expected)
    return owners.coordinates


def owners_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    buffer_elements: int | None = None,
    budget: Budget | None = None,
) -> Owners:
    """The owners of each address of ``offsets``, int64 of shape (n,), in elements.

    ``buffer_elements`` enlarges the buffer beyond the greatest address; the added part is gap.
    ``budget``: the limit of a search, by default that of one call.
    Errors: LayoutError naming the first address that is no integer.

    >>> from stridescope import KINDS, owners, parse_layout
    >>> found = owners(parse_layout("NCHW4", (2, 6, 3, 3)), [117, 118, 144])
    >>> [KINDS[kind] for kind in found.kinds]
    ['element', 'padding', 'outside']
    >>> found.coordinates.tolist()
    [[1, 5, 0, 2], [1, 6, 0, 2]]
    """
    asked = to_numpy(_flat(offsets))
    decoder = decoder_of(layout)
    coordinates = np.empty((len(asked), layout.rank), dtype=np.int64)
    for chunk in chunks(len(asked)):
        if not _write(decoder.elements(asked[chunk]), coordinates[chunk]):
            break
    else:
        kinds = np.broadcast_to(np.uint8(ELEMENT), len(asked))
        counts = np.broadcast_to(np.int64(1), len(asked))
        return Owners(kinds, counts, np.arange(len(asked) + 1), coordinates)
    kinds = np.full(len(asked), OUTSIDE, dtype=np.uint8)
    kinds[(asked >= 0) & (asked < max(layout.buffer_elements, buffer_elements or 0))] = GAP
    plain = layout.swizzle(asked) if layout.swizzle else asked
    inside = (asked >= 0) & (asked < layout.buffer_elements)
    inside &= (plain >= layout.bounds[0]) & (plain <= layout.bounds[1])
    return _listed(decoder, plain, np.flatnonzero(inside), kinds, budget or Budget())


def _listed(
    decoder: Decoder,
    plain: Int64Array,
    candidates: Int64Array,
    kinds: npt.NDArray[np.uint8],
    budget: Budget,
) -> Owners:
    """The owners of addresses before the swizzle; only those of ``candidates`` may have some.

    ``kinds`` is filled for these.
    """
    layout = decoder.layout
    counts = np.zeros(len(plain), dtype=np.int64)
    rows, coordinates = [np.empty(0, dtype=np.int64)], [np.empty((0, layout.rank), dtype=np.int64)]
    for hits in decoder.hits(plain[candidates] - layout.bounds[0], budget):
        part = candidates[hits.start : hits.start + len(hits.counts)]
        of, listed = _own(decoder, hits, part, kinds, counts)
        rows.append(part[of])
        coordinates.append(listed)
    starts = np.zeros(len(plain) + 1, dtype=np.int64)
    np.cumsum(np.bincount(np.concatenate(rows), minlength=len(plain)), out=starts[1:])
    return Owners(kinds, counts, starts, np.concatenate(coordinates))


def _own(
    decoder: Decoder, hits: Hits, part: Int64Array, kinds: npt.NDArray[np.uint8], counts: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Fill ``kinds`` and ``counts`` at ``part`` by what a batch found for it.

    Returns the indices of ``part`` and the coordinates to list for them.
    """
    layout, rows, found = decoder.layout, hits.rows, hits.counts
    coordinates = np.empty((len(rows), layout.rank), dtype=np.int64)
    _write(decoder.coordinates(hits.digits, rows), coordinates)
    padding = (coordinates >= np.array(layout.shape, dtype=np.int64)).any(axis=1)
    if decoder.partial:
        found = np.bincount(rows[~padding], minlength=len(part)).astype(np.int64)
    counts[part] = found * decoder.repeats
    kinds[part[hits.undetermined]] = UNDETERMINED
    kinds[part[rows[padding]]] = PADDING
    has = found > 0
    kinds[part[has]] = np.where(counts[part[has]] > 1, SHARED, ELEMENT)
    is_padding = kinds[part] == PADDING
    kept = ~padding | is_padding[rows]
    limit, sizes = np.where(is_padding, 1, SHOWN), layout.padded_shape
    rows, coordinates = first_per_row(rows[kept], coordinates[kept], sizes, limit)
    if decoder.repeats > 1:
        rows, coordinates = decoder.repeated(rows, coordinates)
        rows, coordinates = first_per_row(rows, coordinates, sizes, limit)
    return rows, coordinates
