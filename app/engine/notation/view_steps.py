"""The steps of a view by their names, as /view takes them and a pasted text calls them.

Each returns another layout over the same buffer, or why there is none.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...nearest import nearest
from ..model.digits import places
from ..model.errors import POSITIVE, SIZE, LayoutError, integer_range, one_of, phrase, refusal
from ..model.facts import CONTIGUOUS, MEMORY_ORDER, has_format
from ..model.layout import MAX_RANK, Digit, Layout, unused_dim
from ..model.views import NeedsCopy, add_dim, drop_dim, permuted, progression, reshape, take_range
from .orders import blocking
from .slices import index

Viewed = Layout | NeedsCopy


def dimension(d: int, rank: int, field: str) -> int:
    """``d`` as an index from 0; a negative one counts from the end, as in PyTorch."""
    if not -rank <= d < rank:
        none = phrase("dimension.none")
        some = phrase("dimension.range", low=-rank, high=rank - 1)
        raise LayoutError(field, d, some if rank else none)
    return d % rank


def permute(layout: Layout, dims: Sequence[int]) -> Layout:
    """Dimension ``dims[i]`` becomes dimension i."""
    order = [dimension(d, layout.rank, f"dims[{i}]") for i, d in enumerate(dims)]
    if sorted(order) != list(range(layout.rank)):
        raise LayoutError("dims", list(dims), phrase("dims.each", rank=layout.rank))
    return permuted(layout, order)


def transpose(layout: Layout, dim0: int, dim1: int) -> Layout:
    """Swap two dimensions."""
    a, b = (dimension(d, max(layout.rank, 1), f"dim{i}") for i, d in enumerate((dim0, dim1)))
    if not layout.rank:
        return layout  # PyTorch lets a scalar have the dimensions 0 and -1
    order = list(range(layout.rank))
    order[a], order[b] = order[b], order[a]
    return permute(layout, order)


def narrow(layout: Layout, dim: int, start: int, length: int) -> Viewed:
    """``length`` elements of ``dim``, beginning at ``start``."""
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if not -size <= start <= size:
        raise LayoutError("start", start, integer_range(-size, size))
    first = start + size if start < 0 else start
    if not 0 <= length <= size - first:
        raise LayoutError("length", length, integer_range(0, size - first))
    part = take_range(layout, d, first, 1, length)
    return part or NeedsCopy(f"{blocks_text(layout, d)}, and this part would cut a block.", d)


def blocks_text(layout: Layout, d: int) -> str:
    """That dimension ``d`` lies in blocks, and in which."""
    blocks = " by ".join(str(g.extent) for g in layout.digits[d])
    return f"{layout.dims[d]} lies in blocks ({blocks})"


def select(layout: Layout, dim: int, index: int) -> Layout:
    """Element ``index`` of ``dim``; the result does not have this dimension."""
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if not -size <= index < size:
        none = phrase("index.none")
        raise LayoutError("index", index, integer_range(-size, size - 1) if size else none)
    return drop_dim(layout, d, index % size)


def chunk(layout: Layout, dim: int, chunks: int, index: int) -> Viewed:
    """Chunk ``index`` of PyTorch's ``chunk(chunks, dim)``: parts of ⌈size/chunks⌉ elements."""
    d = dimension(dim, layout.rank, "dim")
    if chunks < 1:
        raise LayoutError("chunks", chunks, POSITIVE)
    size = layout.shape[d]
    part = max(-(-size // chunks), 1)
    # PyTorch splits an empty dimension into ``chunks`` empty chunks.
    count = -(-size // part) if size else chunks
    if not 0 <= index < count:
        raise LayoutError("index", index, phrase("chunk.index", high=count - 1, count=count))
    start = min(index * part, size)
    return narrow(layout, d, start, min(part, size - start))


def unsqueeze(layout: Layout, dim: int) -> Layout:
    """A new dimension of size 1 before ``dim``; rank or -1 puts it last."""
    rank = layout.rank + 1
    return add_dim(layout, dimension(dim, rank, "dim"))


def squeeze(layout: Layout, dim: int | None = None) -> Layout:
    """Remove dimension ``dim`` if its size is 1; by default, remove all of size 1."""
    if dim is None:
        gone = [d for d in range(layout.rank) if layout.shape[d] == 1]
    else:
        d = dimension(dim, max(layout.rank, 1), "dim")
        gone = [d] if layout.shape[d : d + 1] == (1,) else []
    for d in reversed(gone):
        layout = drop_dim(layout, d, 0)
    return layout


def flip(layout: Layout, dim: int) -> Viewed:
    """Reverse ``dim`` with a negative stride, as NumPy does.

    PyTorch has no negative strides, so its flip makes a copy: the result's ``warnings`` say so.
    """
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if size <= 1:
        return layout
    flipped = take_range(layout, d, size - 1, -1, size)
    return flipped or NeedsCopy(f"{blocks_text(layout, d)}, and its padding would come first.", d)


def broadcast(layout: Layout, shape: Sequence[int]) -> Layout:
    """PyTorch's ``expand``: repeat sizes of 1 and add leading dimensions, by stride 0; -1 keeps."""
    extra = len(shape) - layout.rank
    if extra < 0:
        raise LayoutError("shape", list(shape), phrase("sizes.least", rank=layout.rank))
    if len(shape) > MAX_RANK:
        raise LayoutError("shape", list(shape), phrase("sizes.most", most=MAX_RANK))
    dims, sizes = layout.dims, list(shape)
    for _ in range(extra):
        dims = unused_dim(dims) + dims
    digits: list[tuple[Digit, ...]] = []
    for i, (wanted, own) in enumerate(zip(shape, (None,) * extra + layout.shape, strict=True)):
        if wanted == -1 and own is not None:
            sizes[i] = own
        elif wanted < 0 or (own not in {None, 1, wanted}):
            kept = phrase("size.kept", own=own)
            raise LayoutError(f"shape[{i}]", wanted, SIZE if own in {None, 1} else kept)
        digits.append(layout.digits[i - extra] if sizes[i] == own else (Digit(sizes[i], 0),))
    for i in reversed(range(extra if layout.rank else 0)):
        # PyTorch (inferExpandGeometry): a new dimension of size 1 continues the next one.
        if sizes[i] == 1:
            beside = digits[i + 1][0] if i + 1 < len(digits) else Digit(1, 1)
            digits[i] = (Digit(1, beside.stride * beside.extent),)
    return replace(layout, shape=tuple(sizes), dims=dims, digits=tuple(digits))


def reverse(layout: Layout) -> Layout:
    """``.T``: all dimensions in reverse order."""
    return permute(layout, range(layout.rank)[::-1])


def matrix_transpose(layout: Layout) -> Layout:
    """``.mT``: swap the last two dimensions; PyTorch lets a scalar be its own."""
    if layout.rank == 0:
        return layout
    if layout.rank == 1:
        raise refusal("", f"a tensor of rank {layout.rank}", "view.matrix")
    return transpose(layout, -2, -1)


def flatten(layout: Layout, start_dim: int = 0, end_dim: int = -1) -> Viewed:
    """One dimension from ``start_dim`` to ``end_dim``, both included; by default of all."""
    first = dimension(start_dim, max(layout.rank, 1), "start_dim")
    last = dimension(end_dim, max(layout.rank, 1), "end_dim")
    if not layout.rank:
        return reshape(layout, [1])
    if first > last:
        raise LayoutError("end_dim", end_dim, phrase("view.end", first=first))
    sizes = layout.shape
    if first == last:
        return layout
    whole = math.prod(sizes[first : last + 1])
    return reshape(layout, [*sizes[:first], whole, *sizes[last + 1 :]])


def contiguous(layout: Layout, memory_format: str = CONTIGUOUS) -> Viewed:
    """The tensor itself if it has the memory format; else PyTorch makes a copy."""
    name = memory_format.removeprefix("torch.")
    if name not in MEMORY_ORDER:
        raise LayoutError("memory_format", memory_format, one_of(MEMORY_ORDER))
    if len(MEMORY_ORDER[name] or layout.shape) != layout.rank:
        expected = phrase("view.format_rank", rank=layout.rank)
        raise LayoutError("memory_format", memory_format, expected)
    strides = layout.strides
    if strides is None or layout.padded_shape != layout.shape:
        return NeedsCopy(f"The elements are in blocks, padded or swizzled, which is no {name}.")
    if has_format(layout.shape, strides, name):
        return layout
    return NeedsCopy(f"The strides {strides} are not those of {name}.")


def unfold(layout: Layout, dim: int, size: int, step: int) -> Viewed:
    """Windows of ``size`` elements of ``dim``, ``step`` apart, in a new last dimension."""
    d = dimension(dim, max(layout.rank, 1), "dim")
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
            return NeedsCopy(f"{blocks_text(layout, d)}, which the windows would cut.", d)
        starts, within = (part[1] for part in parts if part is not None)
    return replace(
        layout,
        shape=(*layout.shape[:d], count, *layout.shape[d + 1 :], size),
        dims=layout.dims + name,
        digits=(*layout.digits[:d], starts, *layout.digits[d + 1 :], within),
    )


def submemory(layout: Layout, offsets: Sequence[int], sizes: Sequence[int]) -> Layout | NeedsCopy:
    """oneDNN's ``submemory_desc``: a part with the same strides, under oneDNN's conditions.

    In a blocked dimension the part must begin at a block. It must be whole blocks or less than
    one block, unless it reaches the end. A part that reaches the end keeps the padding there.
    One difference: for a part of less than one block inside the tensor, oneDNN has no padding.
    Digits cannot express that, so here it is padded to the block.
    Source: memory_desc_init_submemory.
    """
    for name, values in (("offsets", offsets), ("sizes", sizes)):
        if len(values) != layout.rank:
            expected = phrase("integers.per_dimension", rank=layout.rank)
            raise LayoutError(name, list(values), expected)
    view = blocking(layout)
    if view is None:
        return NeedsCopy("oneDNN has no blocking descriptor for this layout.")
    added = 0
    parts: list[tuple[Digit, ...]] = []
    for d, (size, start, length) in enumerate(zip(layout.shape, offsets, sizes, strict=True)):
        if start < 0 or start > size:
            raise LayoutError(f"offsets[{d}]", start, integer_range(0, size))
        if not 0 <= length <= size - start:
            raise LayoutError(f"sizes[{d}]", length, integer_range(0, size - start))
        outer, *inner = layout.digits[d]
        block = places(layout.digits[d])[-1][0]
        name = layout.dims[d]
        if start % block:
            return NeedsCopy(
                f"oneDNN refuses: {name} begins at {start}, not at a multiple of its block "
                f"{block}.",
                d,
            )
        if start + length < size and length % block and length > block:
            return NeedsCopy(
                f"oneDNN refuses: {name} ends inside the tensor after {length} elements, which "
                f"are neither whole blocks of {block} nor less than one block.",
                d,
            )
        reaches_end = start + length == size
        blocks = outer.extent - start // block if reaches_end else -(-length // block)
        parts.append((Digit(blocks, outer.stride), *inner))
        added += start // block * outer.stride
    return replace(layout, shape=tuple(sizes), digits=tuple(parts), offset=layout.offset + added)


# An op has the name of its function, or that of PyTorch's attribute.
OPS: Final[Mapping[str, Callable[..., Layout | NeedsCopy]]] = {
    function.__name__: function
    for function in (
        *(permute, transpose, chunk, reshape, broadcast, narrow, select, unsqueeze),
        *(squeeze, flip, submemory, flatten, unfold, contiguous, index),
    )
} | {"T": reverse, "mT": matrix_transpose}


def unknown_op(field: str, op: str) -> LayoutError:
    """The error of a step whose op is none of ``OPS``."""
    unknown = refusal(field, "an unknown op", "one_of", names=tuple(OPS))
    return unknown.suggesting(nearest(op, OPS))
