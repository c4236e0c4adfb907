"""How PyTorch allocates: memory formats, and what contiguous, clone and to return.

Source: c10/core/MemoryFormat.h (is_channels_last_strides_2d_s4, _3d_s5),
ATen/native/TensorFactories.cpp (empty_like, clone), ATen/native/TensorConversions.cpp (_to_copy),
ATen/ExpandUtils.cpp (infer_dense_strides).
"""

from collections.abc import Sequence

from ....model.dtypes import ElementType
from ....model.facts import is_channels_last, is_channels_last_3d, is_contiguous, is_dense
from ....model.layout import Layout, packed_strides
from ....notation.dialects.pytorch import suggests
from ....notation.dialects.strides import write_numbers
from ...elementwise import dense_strides, elementwise, stride_order

CONTIGUOUS, CHANNELS_LAST = "contiguous_format", "channels_last"
CHANNELS_LAST_3D = "channels_last_3d"
RANKS = {CHANNELS_LAST: 4, CHANNELS_LAST_3D: 5}
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
    # A size of 0 counts as it is here.
    return Layout.strided(shape, dense_strides(shape, _ORDERS[memory_format][::-1]))


def suggested(layout: Layout) -> str:
    """``suggest_memory_format``: by the order of strides, whether or not the tensor is dense."""
    return next(name for name in (*_ORDERS, CONTIGUOUS) if suggests(layout, name))


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
    if not is_dense(layout.shape, strides):  # by the iterator's sort (infer_dense_strides)
        sizes = [max(n, 1) for n in layout.shape]
        strides = dense_strides(sizes, stride_order(layout.shape, [strides]))
    return Layout.strided(layout.shape, strides)


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


def called(layout: Layout) -> str:
    """A layout in words: a memory format where it has one, else its strides."""
    if has_format(layout, CONTIGUOUS):
        return "contiguous"
    found = format_named(layout)
    return found if found is not None and has_format(layout, found) else str(layout)


def iterate(operands: Sequence[Layout], *, scalars: int = 0) -> Layout:
    """The result of TensorIterator on ``operands`` and some numbers.

    A number is a tensor of rank 0: with one, shapes differ, so that the fast way for operands of
    one shape is not taken unless all are of rank 0. Source: ATen/TensorIterator.cpp.
    """
    return elementwise([*operands, *[Layout.strided((), ())] * scalars])


def converted(layout: Layout, dtype: ElementType, common: ElementType) -> Layout:
    """An operand in the common element type, before strides are compared (compute_types)."""
    return layout if dtype.name == common.name else preserved(layout)
