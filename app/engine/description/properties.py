"""Predicates of a layout with its buffer: PyTorch's, and ours."""

import math
from dataclasses import dataclass
from typing import Final

from ..inverse.overlap import distinct_addresses, shares_addresses
from ..model.facts import has_format, is_dense
from ..model.layout import Digit, Layout

OF_PYTORCH: Final = ("dense", "contiguous", "channels_last", "channels_last_3d")


@dataclass(frozen=True, slots=True)
class Properties:
    """Predicates of a layout with its buffer; None if a bounded search ended without a result.

    ``packed``: as many addresses as elements, all distinct. ``padded``: the buffer has addresses
    that no element owns: padding of whole blocks, or gaps, as strides (5, 1) leave behind rows of
    3. ``broadcast``: stride 0 on a size over 1. ``overlapping``: two coordinates share an address.
    ``dense``, ``contiguous``, ``channels_last`` and ``channels_last_3d``: PyTorch's own rules, by
    one stride for each dimension; False where a layout has no such strides.
    """

    packed: bool | None
    padded: bool | None
    broadcast: bool
    overlapping: bool | None
    dense: bool
    contiguous: bool
    channels_last: bool
    channels_last_3d: bool


def properties(layout: Layout, *, buffer_elements: int | None = None) -> Properties:
    """All predicates of ``layout``. ``buffer_elements``: size of a larger buffer."""
    buffer = max(layout.buffer_elements, buffer_elements or 0)
    overlapping = shares_addresses(layout)
    strides = layout.strides
    return Properties(
        packed=None if overlapping is None else not overlapping and buffer == layout.elements,
        padded=_is_padded(layout, buffer, overlapping=overlapping),
        broadcast=any(g.stride == 0 for mine in layout.reached for g in mine),
        overlapping=overlapping,
        dense=strides is not None and is_dense(layout.shape, strides),
        contiguous=strides is not None and has_format(layout.shape, strides),
        channels_last=strides is not None and has_format(layout.shape, strides, "channels_last"),
        channels_last_3d=strides is not None
        and has_format(layout.shape, strides, "channels_last_3d"),
    )


def _is_padded(layout: Layout, buffer: int, *, overlapping: bool | None) -> bool | None:
    if overlapping is False:
        return buffer > layout.elements
    if layout.swizzle:
        # A swizzle keeps addresses distinct, so there are as many as before it.
        return buffer > layout.elements or buffer > distinct_addresses(layout)
    if buffer > layout.buffer_elements or layout.bounds[0] > 0 or buffer > layout.elements:
        return True
    digits: list[Digit] = []
    for d, size in enumerate(layout.shape):
        reachable = layout.reachable_digits(d)
        if math.prod(g.extent for g in reachable) > max(size, 1):
            return None
        digits.extend(Digit(g.extent, abs(g.stride)) for g in reachable if g.stride)
    # By ascending stride: if the digits so far reach all of 0..m, the next stride may be at most
    # m+1. If it is greater, nothing reaches m+1.
    covered = 0
    for g in sorted(digits, key=lambda g: g.stride):
        if g.stride > covered + 1:
            return True
        covered += g.reach
    return covered + 1 < buffer
