"""Other layouts over the same buffer: what view steps and slices consist of, and reshapes.

The callers have checked dimensions and indices: they count from 0 and exist. A function returns
None if no layout over the same buffer gives the result; a reshape says why.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .errors import LayoutError, phrase
from .layout import INT64_MAX, Digit, Layout
from .sizes import checked_product, default_dims, packed_strides, unused_dim

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
    return _spliced(layout, d, 1, (count,), layout.dims[d], (found,), added)


def _spliced(
    layout: Layout,
    d: int,
    gone: int,
    sizes: tuple[int, ...],
    names: str,
    digits: tuple[tuple[Digit, ...], ...],
    added: int = 0,
) -> Layout:
    """Dimensions of these sizes instead of ``gone`` ones from ``d`` on, ``added`` to the offset."""
    shape = (*layout.shape[:d], *sizes, *layout.shape[d + gone :])
    dims = layout.dims[:d] + names + layout.dims[d + gone :]
    every = (*layout.digits[:d], *digits, *layout.digits[d + gone :])
    return Layout(shape, dims, every, layout.offset + added, layout.swizzle)


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
    return _spliced(layout, d, 1, (), "", (), added)


def add_dim(layout: Layout, d: int) -> Layout:
    """A new dimension of size 1 before dimension ``d``, named by the first unused letter."""
    name = unused_dim(layout.dims)
    # PyTorch's rule: size times stride of the dimension behind it.
    inner = layout.digits[d][0] if d < layout.rank else Digit(1, 1)
    stride = inner.stride * inner.extent
    if abs(stride) > INT64_MAX:
        stride = inner.stride  # any stride is right for a size of 1; this one is within int64
    return _spliced(layout, d, 0, (1,), name, ((Digit(1, stride),),))


@dataclass(frozen=True, slots=True)
class Jump:
    """Where a new dimension would need two strides; strides in elements.

    ``inner``, ``last``: first and last of the old dimensions that continue each other. ``step``:
    how far apart their elements lie. ``outer``: the dimension before them, which does not continue
    them. ``stride``: that of ``outer``. ``needed``: the one with which it would. ``into``: the new
    dimension that would need both.
    """

    outer: int
    inner: int
    last: int
    step: int
    stride: int
    needed: int
    into: int


@dataclass(frozen=True, slots=True)
class NeedsCopy:
    """No layout over the same buffer gives the result; ``reason``: why, in one sentence.

    ``dim``: the dimension at fault, of the layout before the step. ``jump``: the break, where two
    dimensions do not continue each other.
    """

    reason: str
    dim: int | None = None
    jump: Jump | None = None


def reshape(layout: Layout, shape: Sequence[int], *, field: str = "shape") -> Layout | NeedsCopy:
    """The same elements, in the same row-major order, in another shape.

    One size may be -1: it is computed from the others. Strided layouts get exactly the strides of
    PyTorch's ``Tensor.view``; the digits of blocked ones are regrouped. Errors: LayoutError naming
    ``field``.
    """
    sizes = _inferred(layout.elements, shape, field)
    if layout.elements == 0 and sizes == layout.shape:
        return layout
    if layout.swizzle:
        return NeedsCopy("The addresses are swizzled: the dimensions cannot be regrouped.")
    strides = layout.strides
    if layout.elements == 0:
        return Layout.strided(sizes, packed_strides(sizes), layout.offset)
    if strides is not None and layout.padded_shape == layout.shape:
        found = _view_strides(layout, strides, sizes)
        if isinstance(found, NeedsCopy):
            return found
        return Layout.strided(sizes, found, layout.offset)
    return _regrouped(layout, sizes)


def _inferred(elements: int, shape: Sequence[int], field: str) -> tuple[int, ...]:
    unknown = [d for d, n in enumerate(shape) if n == -1]
    for d, n in enumerate(shape):
        if n < -1 or (n == -1 and d != unknown[0]):
            raise LayoutError(f"{field}[{d}]", n, phrase("size.or_unknown"))
    known = math.prod(n for n in shape if n != -1)
    sizes = list(shape)
    if unknown:
        if known == 0 or elements % known:
            expected = phrase("shape.divides", elements=elements)
            raise LayoutError(f"{field}[{unknown[0]}]", -1, expected)
        sizes[unknown[0]] = elements // known
    checked_product(field, sizes)
    if math.prod(sizes) != elements:
        raise LayoutError(field, list(shape), phrase("shape.elements", elements=elements))
    return tuple(sizes)


def _view_strides(
    layout: Layout, strides: Sequence[int], sizes: Sequence[int]
) -> tuple[int, ...] | NeedsCopy:
    """The strides of ``Tensor.view``. Source: ATen/TensorUtils.cpp, computeStride_impl."""
    old = layout.shape
    if not old:
        return (1,) * len(sizes)
    found = [0] * len(sizes)
    at = len(sizes) - 1
    # A run is a group of old dimensions that continue each other. Each run must consist of whole
    # new dimensions.
    base, run, taken, last = strides[-1], 1, 1, len(old) - 1
    for d in reversed(range(len(old))):
        run *= old[d]
        if d and (old[d - 1] == 1 or strides[d - 1] == run * base):
            continue
        while at >= 0 and (taken < run or sizes[at] == 1):
            found[at] = taken * base
            taken *= sizes[at]
            at -= 1
        if taken != run:
            into = _advanced(sizes, run * math.prod(old[last + 1 :]))
            jump = Jump(d - 1, d, last, base, strides[d - 1], run * base, into)
            return NeedsCopy(_jump_reason(layout, jump, run), d - 1, jump)
        if d:
            base, run, taken, last = strides[d - 1], 1, 1, d - 1
    return tuple(found)


def _advanced(sizes: Sequence[int], linear: int) -> int:
    """The dimension whose index grows between element ``linear - 1`` and ``linear``."""
    rest, i = linear, len(sizes) - 1
    while rest % sizes[i] == 0:  # it is not the first element
        rest //= sizes[i]
        i -= 1
    return i


def _jump_reason(layout: Layout, jump: Jump, run: int) -> str:
    outer, names = layout.dims[jump.outer], layout.dims[jump.inner : jump.last + 1]
    return (
        f"{outer} and {names} cannot join in one new dimension: the {run} elements of {names} lie "
        f"{jump.step} apart, so {outer} would need stride {run}·{jump.step} = {jump.needed}, but "
        f"it has {jump.stride}."
    )


def _regrouped(layout: Layout, sizes: Sequence[int]) -> Layout | NeedsCopy:
    if layout.padded_shape != layout.shape:
        d = next(d for d in range(layout.rank) if layout.padded_shape[d] != layout.shape[d])
        return NeedsCopy(
            f"{layout.dims[d]} is padded from {layout.shape[d]} to {layout.padded_shape[d]}: the "
            f"padding would lie inside the new dimensions.",
            d,
        )
    left = [(d, g) for d, gs in enumerate(layout.digits) for g in gs if g.extent != 1]
    groups: list[tuple[Digit, ...]] = []
    for size in reversed(sizes):
        group: list[Digit] = []
        need = size
        while need > 1:
            d, g = left.pop()
            if need % g.extent == 0:
                group.append(g)
                need //= g.extent
            elif g.extent % need == 0:
                group.append(Digit(need, g.stride))
                left.append((d, Digit(g.extent // need, g.stride * need)))
                need = 1
            else:
                return NeedsCopy(
                    f"The new size {size} cuts a block of {g.extent} elements of stride "
                    f"{g.stride} into unequal parts.",
                    d,
                )
        groups.append(tuple(reversed(group)) or (Digit(size, 1),))
    return Layout(tuple(sizes), default_dims(len(sizes)), tuple(reversed(groups)), layout.offset)
