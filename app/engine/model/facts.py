"""Facts about strides: PyTorch's predicates."""

from collections.abc import Sequence


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


def least_offset(shape: Sequence[int], strides: Sequence[int]) -> int:
    """The least offset with which strides below 0 reach no address below 0, in their unit."""
    return -sum(min(s * max(n - 1, 0), 0) for s, n in zip(strides, shape, strict=True))
