"""Facts about a layout: PyTorch's predicates, and ours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..address import shares_addresses
from ..address.overlap import distinct_addresses
from ..layout import Digit, Layout


@dataclass(frozen=True, slots=True)
class Properties:
    """Predicates of a layout with its buffer; None if a bounded search ended without a result.

    ``packed``: as many addresses as elements, all distinct. ``padded``: the buffer has addresses
    that no element owns: padding of whole blocks, or gaps, as strides (5, 1) leave behind rows of
    3. ``broadcast``: stride 0 on a size over 1. ``overlapping``: two coordinates share an address.
    ``dense``, ``contiguous``, ``channels_last`` and ``channels_last_3d``: PyTorch's own rules.
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
        broadcast=any(
            g.stride == 0 for d in range(layout.rank) for g in layout.reachable_digits(d)
        ),
        overlapping=overlapping,
        dense=strides is not None and is_dense(layout.shape, strides),
        contiguous=strides is not None and is_contiguous(layout.shape, strides),
        channels_last=strides is not None and is_channels_last(layout.shape, strides),
        channels_last_3d=strides is not None and is_channels_last_3d(layout.shape, strides),
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


def _follows(order: Sequence[int], shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether strides are packed in ``order``, innermost first; sizes of 1 are ignored."""
    expected = 1
    for d in order:
        if shape[d] == 1:
            continue
        if strides[d] != expected:
            return False
        expected *= shape[d]
    return True


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """PyTorch's ``is_contiguous()``. Source: c10/core/Contiguity.h, _compute_contiguous."""
    return 0 in shape or _follows(range(len(shape))[::-1], shape, strides)


def is_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """PyTorch's ``is_contiguous(memory_format=channels_last)``: rank 4 only.

    Source: c10/core/Contiguity.h, _compute_channels_last_contiguous_2d.
    """
    return len(shape) == 4 and _follows((1, 3, 2, 0), shape, strides)


def is_channels_last_3d(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """PyTorch's ``is_contiguous(memory_format=channels_last_3d)``: rank 5 only."""
    return len(shape) == 5 and _follows((1, 4, 3, 2, 0), shape, strides)


def is_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """PyTorch's ``is_non_overlapping_and_dense``.

    Source: c10/core/Contiguity.h, _compute_non_overlapping_and_dense, and TensorImpl, which
    counts the three memory formats as dense before it compares strides.
    """
    if (
        is_contiguous(shape, strides)
        or is_channels_last(shape, strides)
        or is_channels_last_3d(shape, strides)
    ):
        return True
    by_stride = sorted((d for d, n in enumerate(shape) if n >= 2), key=lambda d: strides[d])
    return _follows(by_stride, shape, strides)
