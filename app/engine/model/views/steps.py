"""The steps of /view: each returns another layout over the same buffer, or why there is none."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import POSITIVE, SIZE, LayoutError, Phrase, integer_range
from ..layout import MAX_RANK, Digit, Layout, unused_dim
from .regions import add_dim, drop_dim, take_range
from .reshape import NeedsCopy

Viewed = Layout | NeedsCopy


def dimension(d: int, rank: int, field: str) -> int:
    """``d`` as an index from 0; a negative one counts from the end, as in PyTorch."""
    if not -rank <= d < rank:
        none = Phrase("dimension.none", "no dimension: rank 0")
        said = "a dimension from {low} to {high}"
        some = Phrase("dimension.range", said, low=-rank, high=rank - 1)
        raise LayoutError(field, d, some if rank else none)
    return d % rank


def permute(layout: Layout, dims: Sequence[int]) -> Layout:
    """Dimension ``dims[i]`` becomes dimension i."""
    order = [dimension(d, layout.rank, f"dims[{i}]") for i, d in enumerate(dims)]
    if sorted(order) != list(range(layout.rank)):
        expected = Phrase("dims.each", "each of the {rank} dimensions once", rank=layout.rank)
        raise LayoutError("dims", list(dims), expected)
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
        none = Phrase("index.none", "no index: size 0")
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
        said = "an integer from 0 to {high}: there are {count}"
        raise LayoutError("index", index, Phrase("chunk.index", said, high=count - 1, count=count))
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
        expected = Phrase("sizes.least", "at least {rank} sizes", rank=layout.rank)
        raise LayoutError("shape", list(shape), expected)
    if len(shape) > MAX_RANK:
        expected = Phrase("sizes.most", "at most {most} sizes", most=MAX_RANK)
        raise LayoutError("shape", list(shape), expected)
    dims, sizes = layout.dims, list(shape)
    for _ in range(extra):
        dims = unused_dim(dims) + dims
    digits: list[tuple[Digit, ...]] = []
    for i, (wanted, own) in enumerate(zip(shape, (None,) * extra + layout.shape, strict=True)):
        if wanted == -1 and own is not None:
            sizes[i] = own
        elif wanted < 0 or (own not in {None, 1, wanted}):
            kept = Phrase("size.kept", "{own}, or -1 to keep it", own=own)
            raise LayoutError(f"shape[{i}]", wanted, SIZE if own in {None, 1} else kept)
        digits.append(layout.digits[i - extra] if sizes[i] == own else (Digit(sizes[i], 0),))
    for i in reversed(range(extra if layout.rank else 0)):
        # PyTorch (inferExpandGeometry): a new dimension of size 1 continues the next one.
        if sizes[i] == 1:
            beside = digits[i + 1][0] if i + 1 < len(digits) else Digit(1, 1)
            digits[i] = (Digit(1, beside.stride * beside.extent),)
    return replace(layout, shape=tuple(sizes), dims=dims, digits=tuple(digits))
