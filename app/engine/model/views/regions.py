"""Permute, cut, drop and add dimensions: the operations that view steps and slices consist of.

The callers have checked the arguments: dimensions and indices count from 0 and exist. A function
returns None if no layout over the same buffer gives the result.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..layout import INT64_MAX, Digit, Layout, unused_dim

_LINEAR_CHECKED = 4096  # at most so many members of a progression are compared one by one


def progression(
    digits: Sequence[Digit], start: int, step: int, count: int
) -> tuple[int, tuple[Digit, ...]] | None:
    """What ``start`` adds to the offset, and the digits of i ↦ T[start + step·i] for i < count.

    ``digits``: those of T, outermost first; strides in elements; ``step`` may be negative. None if
    the members are no mixed-radix number, for example 2:6 with blocks of 4.
    """
    if step < 0:
        ascending = progression(digits, start + step * (count - 1), -step, count)
        if ascending is None:
            return None
        base, found = ascending
        if math.prod(g.extent for g in found) != count:
            return None  # padding would come first
        flipped = tuple(Digit(g.extent, -g.stride) for g in found)
        return base + sum(g.reach for g in found), flipped
    if len(digits) == 1:
        return start * digits[0].stride, (Digit(count, step * digits[0].stride),)
    *outer, inner = digits
    phase, block = start % inner.extent, start // inner.extent
    if phase + step * (count - 1) < inner.extent:
        moved = progression(outer, block, 1, 1)
        return moved and (moved[0] + phase * inner.stride, (Digit(count, step * inner.stride),))
    if step % inner.extent == 0:
        moved = progression(outer, block, step // inner.extent, count)
        return moved and (moved[0] + phase * inner.stride, moved[1])
    if inner.extent % step == 0 and phase < step:
        lanes = inner.extent // step
        moved = progression(outer, block, 1, -(-count // lanes))
        return moved and (
            moved[0] + phase * inner.stride,
            (*moved[1], Digit(lanes, step * inner.stride)),
        )
    return _linear(digits, start, step, count)


def _linear(
    digits: Sequence[Digit], start: int, step: int, count: int
) -> tuple[int, tuple[Digit, ...]] | None:
    """The members as one digit, if the distances between them are equal."""
    if count > _LINEAR_CHECKED or any(g.stride < 0 for g in digits):
        return None
    one = Layout((math.prod(g.extent for g in digits),), "W", (tuple(digits),))
    members = one.dim_offsets(0, start + step * np.arange(count, dtype=np.int64))
    gaps = np.diff(members)
    if (gaps != gaps[0]).any():
        return None
    return int(members[0]), (Digit(count, int(gaps[0])),)


def take_range(layout: Layout, d: int, start: int, step: int, count: int) -> Layout | None:
    """``count`` elements start, start+step, … of dimension ``d``."""
    if (start, step, count) == (0, 1, layout.shape[d]):
        return layout
    linear = layout.reachable_digits(d)
    if count == 0:
        # No element is left, but the offset still moves, as in PyTorch and oneDNN.
        begin = int(layout.dim_offsets(d, np.array([start], dtype=np.int64))[0])
        begin = max(begin, -layout.offset)
        stride = layout.digits[d][-1].stride
        moved: tuple[int, tuple[Digit, ...]] | None = (begin, (Digit(0, step * stride),))
    elif len(linear) == 1:
        stride = linear[0].stride
        moved = start * stride, (Digit(count, step * stride),)
    else:
        moved = progression(layout.digits[d], start, step, count)
    if moved is None:
        return None
    added, found = moved
    return replace(
        layout,
        shape=(*layout.shape[:d], count, *layout.shape[d + 1 :]),
        digits=(*layout.digits[:d], found, *layout.digits[d + 1 :]),
        offset=layout.offset + added,
    )


def permuted(layout: Layout, order: Sequence[int]) -> Layout:
    """Dimension ``order[i]`` becomes dimension i."""
    return replace(
        layout,
        shape=tuple(layout.shape[d] for d in order),
        dims="".join(layout.dims[d] for d in order),
        digits=tuple(layout.digits[d] for d in order),
    )


def drop_dim(layout: Layout, d: int, index: int) -> Layout:
    """Element ``index`` of dimension ``d``; the result does not have this dimension."""
    added = int(layout.dim_offsets(d, np.array([index], dtype=np.int64))[0])
    return replace(
        layout,
        shape=layout.shape[:d] + layout.shape[d + 1 :],
        dims=layout.dims[:d] + layout.dims[d + 1 :],
        digits=layout.digits[:d] + layout.digits[d + 1 :],
        offset=layout.offset + added,
    )


def add_dim(layout: Layout, d: int) -> Layout:
    """A new dimension of size 1 before dimension ``d``, named by the first unused letter."""
    name = unused_dim(layout.dims)
    # PyTorch's rule: size times stride of the dimension behind it.
    inner = layout.digits[d][0] if d < layout.rank else Digit(1, 1)
    stride = inner.stride * inner.extent
    if abs(stride) > INT64_MAX:
        stride = inner.stride  # any stride is right for a size of 1; this one is within int64
    return replace(
        layout,
        shape=(*layout.shape[:d], 1, *layout.shape[d:]),
        dims=layout.dims[:d] + name + layout.dims[d:],
        digits=(*layout.digits[:d], (Digit(1, stride),), *layout.digits[d:]),
    )
