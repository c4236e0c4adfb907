"""From addresses to coordinates, vectorised, and the owners of an address.

Coordinates are in the array namespace of the input. NumPy arrays take the fast path in
``batches``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import integers, namespace_of, to_numpy
from ..errors import Described, LayoutError, Phrase
from ..layout import Int64Array, Layout
from . import batches
from .decoder import ELEMENT, GAP, OUTSIDE, Owners, decoder_of
from .search import Budget


def coordinates_of(
    layout: Layout,
    offsets: npt.ArrayLike,
    *,
    out: Int64Array | None = None,
    threads: int | None = None,
) -> Int64Array:
    """Coordinates of the elements at ``offsets``, int64 of shape (n,): shape (n, rank).

    ``out``: a NumPy array to write and return instead of a new one; it must not share memory
    with the input. ``threads``: the most threads to use, by default one per core; only millions
    of rows use more than one.
    Errors: LayoutError naming the first address that does not belong to exactly one element, or
    ``out``.

    >>> from stridescope import coordinates, parse_layout
    >>> coordinates(parse_layout("NCHW4", (2, 6, 3, 3)), [0, 117]).tolist()
    [[0, 0, 0, 0], [1, 5, 0, 2]]
    """
    xp = namespace_of(offsets)
    asked = integers(offsets, "offsets")
    if asked.ndim != 1:
        expected = Phrase("rank.one", "one dimension")
        raise LayoutError("offsets", Described("an array of another rank"), expected)
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
            coordinates_of(layout, to_numpy(asked))  # raises, and names the address
        return found
    result = batches.target(out, (len(asked), layout.rank))
    start = batches.in_parts(
        len(asked), threads, lambda part: decoder.elements(asked[part], result[part])
    )
    while 0 <= start < len(asked):
        # Interleaved strides need a search. It also finds the first invalid address.
        part = asked[start : start + batches.CHUNK_ROWS]
        owners = owners_of(layout, part)
        wrong_rows = np.flatnonzero(owners.kinds != ELEMENT)
        if len(wrong_rows):
            at = int(wrong_rows[0])
            expected = Phrase("offsets.element", "the address of exactly one element")
            raise LayoutError(f"offsets[{start + at}]", int(part[at]), expected)
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
    """The owners of each address of ``offsets``, int64 of shape (n,), in elements.

    ``buffer_elements`` enlarges the buffer beyond the greatest address; the added part is gap.
    ``budget``: the limit of a search, by default that of one call.

    >>> from stridescope import KINDS, owners, parse_layout
    >>> found = owners(parse_layout("NCHW4", (2, 6, 3, 3)), [117, 118, 144])
    >>> [KINDS[kind] for kind in found.kinds]
    ['element', 'padding', 'outside']
    >>> found.coordinates.tolist()
    [[1, 5, 0, 2], [1, 6, 0, 2]]
    """
    asked = to_numpy(integers(offsets, "offsets")).reshape(-1)
    decoder = decoder_of(layout)
    coordinates = batches.target(None, (len(asked), layout.rank))
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
