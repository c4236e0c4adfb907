"""How PyTorch allocates: memory formats, what contiguous, clone and to return, and TensorIterator.

Source: c10/core/MemoryFormat.h (is_channels_last_strides_2d_s4, _3d_s5),
ATen/native/TensorFactories.cpp (empty_like, clone), ATen/native/TensorConversions.cpp (_to_copy),
ATen/ExpandUtils.cpp (infer_dense_strides), ATen/TensorIterator.cpp (fast set-up,
reorder_dimensions, compatible strides).
"""

from collections.abc import Sequence

from ....model import facts
from ....model.dtypes import ElementType
from ....model.errors import LayoutError, phrase, refusal
from ....model.facts import MEMORY_ORDER, is_dense
from ....model.layout import Layout, default_dims, packed_strides
from ....notation.dialects.pytorch import suggests
from ....notation.dialects.strides import write_numbers

CONTIGUOUS, CHANNELS_LAST, CHANNELS_LAST_3D = MEMORY_ORDER
_ORDERS = {name: order for name, order in MEMORY_ORDER.items() if order is not None}
RANKS = {name: len(order) for name, order in _ORDERS.items()}


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
    return facts.has_format(layout.shape, strides_of(layout), memory_format)


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


def called(layout: Layout) -> str | None:
    """The name of its memory format; None where it has none."""
    if has_format(layout, CONTIGUOUS):
        return "contiguous"
    found = format_named(layout)
    return found if found is not None and has_format(layout, found) else None


def converted(layout: Layout, dtype: ElementType, common: ElementType) -> Layout:
    """An operand in the common element type, before strides are compared (compute_types)."""
    return layout if dtype.name == common.name else preserved(layout)


def iterate(operands: Sequence[Layout], *, scalars: int = 0) -> Layout:
    """Layout of op(operands…) as TensorIterator allocates it: dense, in the operands' order.

    ``scalars``: numbers beside them. A number is a tensor of rank 0: with one, shapes differ, so
    that the fast way for operands of one shape is not taken unless all are of rank 0.

    If all operands have one shape and all are contiguous, all channels_last, or all dense with
    equal strides, the result is so too. Otherwise the dimensions are sorted by stride: for each
    two dimensions, by the first operand whose strides decide. Dimensions that an operand repeats
    (stride 0, or a size of 1 that is broadcast) or does not have decide nothing.
    Errors: LayoutError naming ``operands[i]``.
    """
    if not operands:
        raise LayoutError("operands", [], phrase("tensors.least_one"))
    operands = [*operands, *[Layout.strided((), ())] * scalars]
    shape = _broadcast_shape(operands)
    strides = []
    for i, x in enumerate(operands):
        if x.strides is None or x.padded_shape != x.shape:
            raise refusal(f"operands[{i}]", "a blocked or swizzled layout", "strides.plain")
        strides.append(x.strides)
    dims = next((x.dims for x in operands if x.rank == len(shape)), default_dims(len(shape)))
    found = _kept(shape, strides) if all(x.shape == shape for x in operands) else None
    return Layout.strided(shape, found or _sorted_strides(shape, operands, strides), dims=dims)


def _broadcast_shape(operands: Sequence[Layout]) -> tuple[int, ...]:
    rank = max(x.rank for x in operands)
    shape = [1] * rank
    for i, x in enumerate(operands):
        for d, size in enumerate(x.shape, start=rank - x.rank):
            if size != 1 and shape[d] not in {1, size}:
                expected = phrase("size.broadcast", size=shape[d])
                raise LayoutError(f"operands[{i}].shape[{d - rank + x.rank}]", size, expected)
            shape[d] = shape[d] if size == 1 else size
    return tuple(shape)


def _kept(shape: tuple[int, ...], strides: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    if all(facts.has_format(shape, s) for s in strides):
        return packed_strides(shape)
    if all(facts.has_format(shape, s, CHANNELS_LAST) for s in strides):
        return dense_strides([max(n, 1) for n in shape], _ORDERS[CHANNELS_LAST][::-1])
    if all(is_dense(shape, s) for s in strides) and len({tuple(s) for s in strides}) == 1:
        return tuple(strides[0])
    return None


def _sorted_strides(
    shape: tuple[int, ...], operands: Sequence[Layout], strides: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    opinions = []
    for x, own in zip(operands, strides, strict=True):
        missing = len(shape) - x.rank
        sides = zip(x.shape, own, shape[missing:], strict=True)
        opinions.append([0] * missing + [0 if n == 1 != size else s for n, s, size in sides])
    order = stride_order(shape, opinions)
    return packed_strides(shape) if order == sorted(order)[::-1] else dense_strides(shape, order)


def stride_order(shape: Sequence[int], opinions: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions by the strides of each operand, innermost first.

    TensorIterator's insertion sort. Some pairs are not comparable, so another sorting algorithm
    could give another result.
    """
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(shape)):
        at = i
        for k in reversed(range(i)):
            opinion = _compare(shape, opinions, order[k], order[at])
            if opinion > 0:
                order[k], order[at] = order[at], order[k]
                at = k
            elif opinion < 0:
                break
    return order


def dense_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Strides without gaps; ``order``: of all dimensions, innermost first."""
    found = [0] * len(shape)
    step = 1
    for d in order:
        found[d] = step
        step *= shape[d]
    return tuple(found)


def _compare(
    shape: Sequence[int], opinions: Sequence[Sequence[int]], inner: int, outer: int
) -> int:
    """1 if ``inner`` belongs outside ``outer``, -1 if not, 0 if no operand decides."""
    for strides in opinions:
        a, b = strides[inner], strides[outer]
        if a == 0 or b == 0:
            continue
        if a != b:
            return 1 if a > b else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0
