"""Reshape as a view: PyTorch's rule for strides, digit by digit for blocked layouts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import LayoutError, phrase
from ..layout import Digit, Layout, checked_product, default_dims, packed_strides


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
            return NeedsCopy(_jump_reason(layout, jump, run, sizes[into]), d - 1, jump)
        if d:
            base, run, taken, last = strides[d - 1], 1, 1, d - 1
    return tuple(found)


def _advanced(sizes: Sequence[int], linear: int) -> int:
    """The dimension whose coordinate the step to the ``linear``-th element, from 1, raises."""
    rest, i = linear, len(sizes) - 1
    while rest % sizes[i] == 0:  # it is not the first element
        rest //= sizes[i]
        i -= 1
    return i


def _jump_reason(layout: Layout, jump: Jump, run: int, size: int) -> str:
    names = layout.dims[jump.inner : jump.last + 1]
    return (
        f"{layout.dims[jump.outer]} has stride {jump.stride}, but the {run} elements of {names} "
        f"end at {run}·{jump.step} = {jump.needed}: the new size {size} would need one stride for "
        f"both."
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
