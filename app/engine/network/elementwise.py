"""The layout of an element-wise operation's result, by PyTorch's eager rule.

Source: ATen/TensorIterator.cpp (fast set-up, reorder_dimensions, compatible strides).
"""

from collections.abc import Sequence

from ..model.errors import Described, LayoutError, Phrase
from ..model.facts import is_channels_last, is_contiguous, is_dense
from ..model.layout import Layout, default_dims, packed_strides

_CHANNELS_LAST = (0, 2, 3, 1)


def elementwise(operands: Sequence[Layout]) -> Layout:
    """Layout of op(operands…) as PyTorch allocates it: dense, in the operands' order.

    If all operands have one shape and all are contiguous, all channels_last, or all dense with
    equal strides, the result is so too. Otherwise the dimensions are sorted by stride: for each
    two dimensions, by the first operand whose strides decide. Dimensions that an operand repeats
    (stride 0, or a size of 1 that is broadcast) or does not have decide nothing.
    Errors: LayoutError naming ``operands[i]``.
    """
    if not operands:
        raise LayoutError("operands", [], Phrase("tensors.least_one", "at least one tensor"))
    shape = _broadcast_shape(operands)
    strides = [_strides(i, x) for i, x in enumerate(operands)]
    dims = next((x.dims for x in operands if x.rank == len(shape)), default_dims(len(shape)))
    found = None
    if all(x.shape == shape for x in operands):
        found = _kept(shape, strides)
    return Layout.strided(shape, found or _sorted_strides(shape, operands, strides), dims=dims)


def _strides(i: int, operand: Layout) -> tuple[int, ...]:
    strides = operand.strides
    if strides is None or operand.padded_shape != operand.shape:
        expected = Phrase("strides.plain", "one stride per dimension, as PyTorch's rule needs")
        raise LayoutError(f"operands[{i}]", Described("a blocked or swizzled layout"), expected)
    return strides


def _broadcast_shape(operands: Sequence[Layout]) -> tuple[int, ...]:
    rank = max(x.rank for x in operands)
    shape = [1] * rank
    for i, x in enumerate(operands):
        for d, size in enumerate(x.shape, start=rank - x.rank):
            if size != 1 and shape[d] not in {1, size}:
                said = "1 or {size}, to broadcast with the operands before it"
                expected = Phrase("size.broadcast", said, size=shape[d])
                raise LayoutError(f"operands[{i}].shape[{d - rank + x.rank}]", size, expected)
            shape[d] = shape[d] if size == 1 else size
    return tuple(shape)


def _packed(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Strides of dense memory in ``order`` (outermost first), as torch.empty gives them."""
    by_place = dict(zip(order, packed_strides([shape[d] for d in order]), strict=True))
    return tuple(by_place[d] for d in range(len(shape)))


def _kept(shape: tuple[int, ...], strides: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    if all(is_contiguous(shape, s) for s in strides):
        return _packed(shape, range(len(shape)))
    if all(is_channels_last(shape, s) for s in strides):
        return _packed(shape, _CHANNELS_LAST)
    if all(is_dense(shape, s) for s in strides) and len({tuple(s) for s in strides}) == 1:
        return tuple(strides[0])
    return None


def _sorted_strides(
    shape: tuple[int, ...], operands: Sequence[Layout], strides: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    rank = len(shape)
    opinions = []
    for x, own in zip(operands, strides, strict=True):
        missing = rank - x.rank
        opinions.append(
            [0] * missing
            + [
                0 if n == 1 and shape[d + missing] != 1 else s
                for d, (n, s) in enumerate(zip(x.shape, own, strict=True))
            ]
        )
    order = stride_order(shape, opinions)
    if order == list(range(rank))[::-1]:
        return _packed(shape, range(rank))
    return dense_strides(shape, order)


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
