"""The steps of a view by their names, as /view takes them and a pasted text calls them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from ..model.digits import places
from ..model.errors import POSITIVE, Described, LayoutError, integer_range, one_of
from ..model.facts.properties import is_channels_last, is_channels_last_3d, is_contiguous
from ..model.layout import Digit, Layout, unused_dim
from ..model.views import steps as views
from ..model.views.regions import progression
from ..model.views.reshape import NeedsCopy, reshape
from .blocking import submemory
from .index import index
from .phrases import phrase

# Each with the rank that has it, None for any, and PyTorch's question.
MEMORY_FORMATS = {
    "contiguous_format": (None, is_contiguous),
    "channels_last": (4, is_channels_last),
    "channels_last_3d": (5, is_channels_last_3d),
}


def reverse(layout: Layout) -> Layout:
    """``.T``: all dimensions in reverse order."""
    return views.permute(layout, range(layout.rank)[::-1])


def matrix_transpose(layout: Layout) -> Layout:
    """``.mT``: swap the last two dimensions; PyTorch lets a scalar be its own."""
    if layout.rank == 0:
        return layout
    if layout.rank == 1:
        raise LayoutError("", Described(f"a tensor of rank {layout.rank}"), phrase("view.matrix"))
    return views.transpose(layout, -2, -1)


def flatten(layout: Layout, start_dim: int = 0, end_dim: int = -1) -> views.Viewed:
    """One dimension from ``start_dim`` to ``end_dim``, both included; by default of all."""
    first = views.dimension(start_dim, max(layout.rank, 1), "start_dim")
    last = views.dimension(end_dim, max(layout.rank, 1), "end_dim")
    if not layout.rank:
        return reshape(layout, [1])
    if first > last:
        raise LayoutError("end_dim", end_dim, phrase("view.end", first=first))
    sizes = layout.shape
    if first == last:
        return layout
    whole = math.prod(sizes[first : last + 1])
    return reshape(layout, [*sizes[:first], whole, *sizes[last + 1 :]])


def contiguous(layout: Layout, memory_format: str = "contiguous_format") -> views.Viewed:
    """The tensor itself if it has the memory format; else PyTorch makes a copy."""
    name = memory_format.removeprefix("torch.")
    if name not in MEMORY_FORMATS:
        raise LayoutError("memory_format", memory_format, one_of(MEMORY_FORMATS))
    rank, has_format = MEMORY_FORMATS[name]
    if rank not in {None, layout.rank}:
        expected = phrase("view.format_rank", rank=layout.rank)
        raise LayoutError("memory_format", memory_format, expected)
    strides = layout.strides
    if strides is None or layout.padded_shape != layout.shape:
        return NeedsCopy(f"The elements are in blocks, padded or swizzled, which is no {name}.")
    if has_format(layout.shape, strides):
        return layout
    return NeedsCopy(f"The strides {strides} are not those of {name}.")


def unfold(layout: Layout, dim: int, size: int, step: int) -> views.Viewed:
    """Windows of ``size`` elements of ``dim``, ``step`` apart, in a new last dimension."""
    d = views.dimension(dim, max(layout.rank, 1), "dim")
    whole = layout.shape[d] if layout.rank else 1
    if not 0 <= size <= whole:
        raise LayoutError("size", size, integer_range(0, whole))
    if step < 1:
        raise LayoutError("step", step, POSITIVE)
    name = unused_dim(layout.dims)
    if not layout.rank:
        return replace(layout, shape=(size,), dims=name, digits=((Digit(size, 1),),))
    count = (whole - size) // step + 1
    digits = layout.digits[d]
    linear = layout.reachable_digits(d) or digits[-1:]
    starts: tuple[Digit, ...]
    within: tuple[Digit, ...]
    if len(linear) == 1:
        [g] = linear
        starts, within = (Digit(count, step * g.stride),), (Digit(size, g.stride),)
    else:
        # Addresses of window and place add up only if no window crosses a block that it begins in.
        fits = any(size <= place and step % place == 0 for place, _ in places(digits))
        parts = progression(digits, 0, step, count), progression(digits, 0, 1, size)
        if None in parts or not (fits or count == 1 or size == 1):
            return NeedsCopy(f"{views.blocks_text(layout, d)}, which the windows would cut.", d)
        starts, within = (part[1] for part in parts if part is not None)
    return replace(
        layout,
        shape=(*layout.shape[:d], count, *layout.shape[d + 1 :], size),
        dims=layout.dims + name,
        digits=(*layout.digits[:d], starts, *layout.digits[d + 1 :], within),
    )


# An op has the name of its function, or that of PyTorch's attribute.
OPS: Final[Mapping[str, Callable[..., Layout | NeedsCopy]]] = {
    **{
        function.__name__: function
        for function in (
            *(views.permute, views.transpose, views.chunk, reshape, views.broadcast, views.narrow),
            *(views.select, views.unsqueeze, views.squeeze, views.flip, submemory),
            *(flatten, unfold, contiguous, index),
        )
    },
    "T": reverse,
    "mT": matrix_transpose,
}
