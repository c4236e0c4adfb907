"""How PyTorch allocates: memory formats, and what contiguous, clone and to return.

Source: c10/core/MemoryFormat.h (is_channels_last_strides_2d_s4, _3d_s5),
ATen/native/TensorFactories.cpp (empty_like, clone), ATen/native/TensorConversions.cpp (_to_copy),
ATen/ExpandUtils.cpp (infer_dense_strides).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....model.facts.properties import (
    is_channels_last,
    is_channels_last_3d,
    is_contiguous,
    is_dense,
)
from ....model.layout import Layout, packed_strides
from ....notation.dialects.strides import write_numbers

CONTIGUOUS, CHANNELS_LAST, CHANNELS_LAST_3D = (
    "contiguous_format",
    "channels_last",
    "channels_last_3d",
)
_ORDERS = {CHANNELS_LAST: (0, 2, 3, 1), CHANNELS_LAST_3D: (0, 2, 3, 4, 1)}


def strides_of(layout: Layout) -> tuple[int, ...]:
    """The strides of a layout that PyTorch can have."""
    strides = layout.strides
    assert strides is not None  # inputs are checked, and rules make strided layouts only
    return strides


def fresh(shape: Sequence[int], memory_format: str = CONTIGUOUS) -> Layout:
    """What ``torch.empty(shape, memory_format=…)`` returns."""
    if memory_format == CONTIGUOUS:
        return Layout.strided(shape, packed_strides(shape))
    order = _ORDERS[memory_format]
    strides = [1] * len(shape)
    step = 1
    for d in reversed(order):
        strides[d] = step
        step *= shape[d]  # a size of 0 counts as it is here
    return Layout.strided(shape, strides)


def suggested(layout: Layout) -> str:
    """``suggest_memory_format``: by the order of strides, whether or not the tensor is dense."""
    strides = strides_of(layout)
    for name, order in _ORDERS.items():
        if len(order) == layout.rank and _like_channels_last(layout.shape, strides, order):
            return name
    return CONTIGUOUS


def _like_channels_last(shape: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> bool:
    if strides[1] == 0:
        return False
    least = 0
    for d in reversed(order):
        if shape[d] == 0 or strides[d] < least:
            return False
        # Sizes of 1 leave two formats possible: PyTorch takes NCHW then.
        if d == 0 and least == strides[1]:
            return False
        least = strides[d] * max(shape[d], 1)
    return True


def has_format(layout: Layout, memory_format: str) -> bool:
    """``is_contiguous(memory_format=…)``."""
    strides = strides_of(layout)
    if memory_format == CHANNELS_LAST:
        return is_channels_last(layout.shape, strides)
    if memory_format == CHANNELS_LAST_3D:
        return is_channels_last_3d(layout.shape, strides)
    return is_contiguous(layout.shape, strides)


def contiguous(layout: Layout, memory_format: str = CONTIGUOUS) -> Layout:
    """``Tensor.contiguous``: the tensor itself if it has the format, else a copy."""
    return layout if has_format(layout, memory_format) else fresh(layout.shape, memory_format)


def preserved(layout: Layout) -> Layout:
    """A new tensor in the operand's order: ``empty_like``, ``clone`` and ``to`` by default."""
    strides = strides_of(layout)
    if is_dense(layout.shape, strides):
        return Layout.strided(layout.shape, strides)
    return Layout.strided(layout.shape, inferred_strides(layout.shape, strides))


def inferred_strides(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Dense strides in the order of ``strides``, by the iterator's sort (infer_dense_strides)."""
    rank = len(shape)
    if rank == 1:
        return (1,)

    def after(a: int, b: int) -> int:
        if strides[a] == 0 or strides[b] == 0:
            return 0
        if strides[a] != strides[b]:
            return 1 if strides[a] > strides[b] else -1
        return int(shape[a] > shape[b])

    order = list(range(rank))[::-1]
    for i in range(1, rank):
        at = i
        for k in reversed(range(i)):
            opinion = after(order[k], order[at])
            if opinion > 0:
                order[k], order[at] = order[at], order[k]
                at = k
            elif opinion < 0:
                break
    found = [0] * rank
    step = 1
    for d in order:
        found[d] = step
        step *= max(shape[d], 1)
    return tuple(found)


def text_of(layout: Layout) -> str:
    """The memory format whose strides these are exactly, else strides and storage offset."""
    formats = (CONTIGUOUS, *(name for name, order in _ORDERS.items() if len(order) == layout.rank))
    for name in formats:
        if fresh(layout.shape, name) == layout:
            return name
    return write_numbers(strides_of(layout), layout.offset)


def format_named(layout: Layout) -> str | None:
    """channels_last or channels_last_3d if the tensor is so and is not contiguous, else None."""
    name = suggested(layout)
    return None if name == CONTIGUOUS or has_format(layout, CONTIGUOUS) else name
