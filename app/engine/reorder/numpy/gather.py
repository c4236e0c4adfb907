"""Reorders that loops cannot express: copies element by element through address tables."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...model.layout import Int64Array, Layout
from ..moves import Buffer
from ..plan import Plan

_REPORTED_BITS = 1 << 25  # written between two reports of progress
_ELEMENTS = 1 << 16  # per look-up, so that the addresses stay in cache


def gather(
    planned: Plan, bits: int, buffer: Buffer, out: Buffer, progress: Callable[[int], None] | None
) -> None:
    """Copy every element from its source address to its target address.

    Padding that is not in the plan's boxes is written first. ``bits``: of one element.
    ``progress``: called with the bytes written since the last call.
    """
    source, target = planned.source, planned.target
    report = progress or (lambda _written: None)
    unsaid = 0
    if planned.padded_by_table:
        for part in boxes_of([range(n) for n in target.padded_shape], _ELEMENTS):
            _write(out, bits, addresses_of(target, part), None)
        unsaid += (math.prod(target.padded_shape) - target.elements) * bits
    for part in boxes_of([range(n) for n in source.shape], _ELEMENTS):
        taken = _read(buffer, bits, addresses_of(source, part))
        _write(out, bits, addresses_of(target, part), taken)
        unsaid += len(taken) * bits
        if unsaid >= _REPORTED_BITS:
            report(unsaid // 8)
            unsaid %= 8
    if unsaid:
        report(-(-unsaid // 8))


def boxes_of(ranges: Sequence[range], most: int) -> Iterator[Sequence[range]]:
    """Yield boxes of at most ``most`` coordinates, cut along their longest side."""
    if math.prod(map(len, ranges)) <= most:
        yield ranges
        return
    d = max(range(len(ranges)), key=lambda d: len(ranges[d]))
    half = len(ranges[d]) // 2
    for part in (ranges[d][:half], ranges[d][half:]):
        yield from boxes_of([*ranges[:d], part, *ranges[d + 1 :]], most)


def addresses_of(layout: Layout, part: Sequence[range]) -> Int64Array:
    """Return the addresses of a box of coordinates, in elements, as one dimension."""
    return layout.offsets_at([np.arange(r.start, r.stop) for r in part]).ravel()


def _read(buffer: Buffer, bits: int, offsets: Int64Array) -> Buffer:
    if bits < 8:
        both = buffer[offsets >> 1]
        nibbles: Buffer = np.where(offsets & 1, both >> 4, both & 15).astype(np.uint8)
        return nibbles
    found: Buffer = _items(buffer, bits)[offsets]
    return found


def _write(out: Buffer, bits: int, offsets: Int64Array, values: Buffer | None) -> None:
    if bits < 8:
        given = np.zeros(len(offsets), np.uint8) if values is None else values
        for half, kept in enumerate((240, 15)):  # the offsets of a half byte are all different
            mine = (offsets & 1) == half
            at = offsets[mine] >> 1
            out[at] = (out[at] & kept) | (given[mine] << 4 * half)
        return
    items = _items(out, bits)
    items[offsets] = np.zeros((), items.dtype) if values is None else values


def _items(buffer: Buffer, bits: int) -> Buffer:
    size = bits // 8
    return buffer[: len(buffer) // size * size].view(f"V{size}")
