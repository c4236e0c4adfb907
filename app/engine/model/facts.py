"""Facts about strides: PyTorch's memory formats and predicates."""

from collections.abc import Mapping, Sequence
from typing import Final

CONTIGUOUS: Final = "contiguous_format"
# Memory order of the logical dimensions, outermost first. None: logical order, any rank.
MEMORY_ORDER: Final[Mapping[str, tuple[int, ...] | None]] = {
    CONTIGUOUS: None,
    "channels_last": (0, 2, 3, 1),
    "channels_last_3d": (0, 2, 3, 4, 1),
}


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


def has_format(
    shape: Sequence[int], strides: Sequence[int], memory_format: str = CONTIGUOUS
) -> bool:
    """PyTorch's ``is_contiguous(memory_format=…)``.

    Source: c10/core/Contiguity.h, _compute_contiguous, _compute_channels_last_contiguous_2d, _3d.
    """
    order = MEMORY_ORDER[memory_format]
    if order is None:
        return 0 in shape or _follows(range(len(shape))[::-1], shape, strides)
    return len(shape) == len(order) and _follows(order[::-1], shape, strides)


def is_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """PyTorch's ``is_non_overlapping_and_dense``.

    Source: c10/core/Contiguity.h, _compute_non_overlapping_and_dense, and TensorImpl, which
    counts the three memory formats as dense before it compares strides.
    """
    if any(has_format(shape, strides, name) for name in MEMORY_ORDER):
        return True
    by_stride = sorted((d for d, n in enumerate(shape) if n >= 2), key=lambda d: strides[d])
    return _follows(by_stride, shape, strides)


def least_offset(shape: Sequence[int], strides: Sequence[int]) -> int:
    """The least offset with which strides below 0 reach no address below 0, in their unit."""
    return -sum(min(s * max(n - 1, 0), 0) for s, n in zip(strides, shape, strict=True))
