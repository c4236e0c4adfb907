"""The steps of /view: each takes a layout to a layout over the same buffer, or says why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..digits import places
from ..errors import LayoutError
from ..facts.properties import blocking
from ..layout import MAX_RANK, Digit, Layout, unused_dim
from .regions import add_dim, drop_dim, take_range
from .reshape import NeedsCopy

Viewed = Layout | NeedsCopy


def dimension(d: int, rank: int, field: str) -> int:
    """``d`` as an index from 0, negative ones counted from the end as PyTorch does."""
    if not -rank <= d < rank:
        raise LayoutError(
            field, d, f"a dimension from {-rank} to {rank - 1}" if rank else "no dimension: rank 0"
        )
    return d % rank


def permute(layout: Layout, dims: Sequence[int]) -> Layout:
    """Dimension ``dims[i]`` becomes dimension i."""
    order = [dimension(d, layout.rank, f"dims[{i}]") for i, d in enumerate(dims)]
    if sorted(order) != list(range(layout.rank)):
        raise LayoutError("dims", list(dims), f"each of the {layout.rank} dimensions once")
    return replace(
        layout,
        shape=tuple(layout.shape[d] for d in order),
        dims="".join(layout.dims[d] for d in order),
        digits=tuple(layout.digits[d] for d in order),
    )


def transpose(layout: Layout, dim0: int, dim1: int) -> Layout:
    """Swap two dimensions."""
    a, b = (dimension(d, max(layout.rank, 1), f"dim{i}") for i, d in enumerate((dim0, dim1)))
    if not layout.rank:
        return layout  # PyTorch lets a scalar have the dimensions 0 and -1
    order = list(range(layout.rank))
    order[a], order[b] = order[b], order[a]
    return permute(layout, order)


def narrow(layout: Layout, dim: int, start: int, length: int) -> Viewed:
    """``length`` elements of ``dim`` from ``start`` on."""
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if not -size <= start <= size:
        raise LayoutError("start", start, f"an integer from {-size} to {size}")
    first = start + size if start < 0 else start
    if not 0 <= length <= size - first:
        raise LayoutError("length", length, f"an integer from 0 to {size - first}")
    return take_range(layout, d, first, 1, length) or _cut(layout, d, "this part")


def _cut(layout: Layout, d: int, what: str) -> NeedsCopy:
    blocks = " by ".join(str(g.extent) for g in layout.digits[d])
    return NeedsCopy(f"{layout.dims[d]} lies in blocks ({blocks}), which {what} cuts unevenly.")


def select(layout: Layout, dim: int, index: int) -> Layout:
    """Element ``index`` of ``dim``, which goes away."""
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if not -size <= index < size:
        raise LayoutError(
            "index", index, f"an integer from {-size} to {size - 1}" if size else "no index: size 0"
        )
    return drop_dim(layout, d, index % size)


def chunk(layout: Layout, dim: int, chunks: int, index: int) -> Viewed:
    """Chunk ``index`` of PyTorch's ``chunk(chunks, dim)``: parts of ⌈size/chunks⌉ elements."""
    d = dimension(dim, layout.rank, "dim")
    if chunks < 1:
        raise LayoutError("chunks", chunks, "a positive integer")
    size = layout.shape[d]
    part = max(-(-size // chunks), 1)
    # PyTorch gives an empty dimension as many empty chunks as were asked for.
    count = -(-size // part) if size else chunks
    if not 0 <= index < count:
        raise LayoutError("index", index, f"an integer from 0 to {count - 1}: there are {count}")
    start = min(index * part, size)
    return narrow(layout, d, start, min(part, size - start))


def unsqueeze(layout: Layout, dim: int) -> Layout:
    """A new dimension of size 1 before ``dim``; the last place is rank, or -1."""
    rank = layout.rank + 1
    return add_dim(layout, dimension(dim, rank, "dim"))


def squeeze(layout: Layout, dim: int | None = None) -> Layout:
    """Without dimension ``dim`` if its size is 1, else as it is; by default without all such."""
    if dim is None:
        gone = [d for d in range(layout.rank) if layout.shape[d] == 1]
    else:
        d = dimension(dim, max(layout.rank, 1), "dim")
        gone = [d] if layout.shape[d : d + 1] == (1,) else []
    for d in reversed(gone):
        layout = drop_dim(layout, d, 0)
    return layout


def flip(layout: Layout, dim: int) -> Viewed:
    """``dim`` backwards, by a negative stride as NumPy does; PyTorch itself would copy."""
    d = dimension(dim, layout.rank, "dim")
    size = layout.shape[d]
    if size <= 1:
        return layout
    return take_range(layout, d, size - 1, -1, size) or _cut(layout, d, "its padding, then first,")


def broadcast(layout: Layout, shape: Sequence[int]) -> Layout:
    """PyTorch's ``expand``: size 1 repeated with stride 0, new leading dimensions; -1 keeps."""
    extra = len(shape) - layout.rank
    if extra < 0:
        raise LayoutError("shape", list(shape), f"at least {layout.rank} sizes")
    sizes = list(shape)
    digits: list[tuple[Digit, ...]] = []
    dims = layout.dims
    if len(shape) > MAX_RANK:
        raise LayoutError("shape", list(shape), f"at most {MAX_RANK} sizes")
    for _ in range(extra):
        dims = unused_dim(dims) + dims
    for i, wanted in enumerate(shape):
        own = layout.shape[i - extra] if i >= extra else None
        if wanted == -1 and own is not None:
            sizes[i] = own
        elif wanted < 0 or (own not in {None, 1, wanted}):
            expected = "a size from 0" if own in {None, 1} else f"{own}, or -1 to keep it"
            raise LayoutError(f"shape[{i}]", wanted, expected)
        if own is not None and sizes[i] == own:
            digits.append(layout.digits[i - extra])
        else:
            digits.append((Digit(sizes[i], 0),))
    for i in reversed(range(extra if layout.rank else 0)):
        # PyTorch (inferExpandGeometry): a new dimension of size 1 continues the one beside it.
        if sizes[i] == 1:
            beside = digits[i + 1][0] if i + 1 < len(digits) else Digit(1, 1)
            digits[i] = (Digit(1, beside.stride * beside.extent),)
    return replace(layout, shape=tuple(sizes), dims=dims, digits=tuple(digits))


def submemory(layout: Layout, offsets: Sequence[int], sizes: Sequence[int]) -> Viewed:
    """oneDNN's ``submemory_desc``: a part that inherits the strides, by oneDNN's conditions.

    On blocked dimensions the part must begin at a block and, unless it reaches the end, be whole
    blocks or less than one. A part that reaches the end keeps the padding behind it. One limit:
    oneDNN counts a part of less than one block inside the tensor as unpadded, which digits cannot
    say; it is padded to the block here. Source: memory_desc_init_submemory.
    """
    for name, values in (("offsets", offsets), ("sizes", sizes)):
        if len(values) != layout.rank:
            raise LayoutError(name, list(values), f"{layout.rank} integers, one per dimension")
    view = blocking(layout)
    if view is None:
        return NeedsCopy("oneDNN has no blocking descriptor for this layout.")
    added = 0
    parts: list[tuple[Digit, ...]] = []
    for d, (size, start, length) in enumerate(zip(layout.shape, offsets, sizes, strict=True)):
        if start < 0 or start > size:
            raise LayoutError(f"offsets[{d}]", start, f"an integer from 0 to {size}")
        if not 0 <= length <= size - start:
            raise LayoutError(f"sizes[{d}]", length, f"an integer from 0 to {size - start}")
        outer, *inner = layout.digits[d]
        block = places(layout.digits[d])[-1][0]
        name = layout.dims[d]
        if start % block:
            return NeedsCopy(
                f"oneDNN refuses: {name} begins at {start}, no multiple of its block of {block}."
            )
        if start + length < size and length % block and length > block:
            return NeedsCopy(
                f"oneDNN refuses: {name} ends inside the tensor after {length} elements, which "
                f"are neither whole blocks of {block} nor less than one."
            )
        reaches_end = start + length == size
        blocks = outer.extent - start // block if reaches_end else -(-length // block)
        parts.append((Digit(blocks, outer.stride), *inner))
        added += start // block * outer.stride
    return replace(
        layout,
        shape=tuple(sizes),
        digits=tuple(parts),
        offset=layout.offset + added,
    )
