"""Which array of zarr v3 holds a layout: its axes, its chunks and the order inside them."""

import math
from collections.abc import Sequence

from ...engine.model.errors import Described, LayoutError, Phrase
from ...engine.notation.orders import Order
from .boxes import Sizes
from .layout import ArrayLayout, spec_of

CHUNK_BYTES = 64 << 20  # the largest chunk that is made without being asked for


def made(
    source: ArrayLayout,
    text: str,
    *,
    physical: bool,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
) -> ArrayLayout:
    """Return the array that holds ``source`` in the layout of a text.

    By default its axes are the logical dimensions; the chunk and the order inside it give the
    layout. ``physical``: its axes are the digits, outermost first, in one row-major array.
    ``chunks``, ``shards``: sizes per axis. Errors: LayoutError naming to, chunks or shards.
    """
    spec = spec_of(text, "to")
    rank = len(source.shape)
    dims = source.dims if spec.takes(source.dims) else None
    order = spec.order_of_rank(rank, dims)
    if order is None:
        got = Described("a layout that gives no memory order for these dimensions")
        said = "one for {rank} dimensions, such as {dims}"
        raise LayoutError("to", got, Phrase("layout.rank", said, rank=rank, dims=source.dims))
    if physical:
        axes, memory = order, tuple(range(len(order)))
        whole = ArrayLayout(source.shape, source.dims, axes, source.dtype, (), None, memory).extents
        fixed: list[int | None] = [x for _, x in axes]
    else:
        axes = tuple((d, None) for d in range(rank))
        whole = source.shape
        fixed = _blocks_of(order, rank)
        innermost = {d: at for at, (d, _) in enumerate(order)}
        memory = tuple(sorted(range(rank), key=innermost.__getitem__))
    most_elements = CHUNK_BYTES // source.itemsize
    chosen = _checked(chunks, axes, fixed, "chunks") or _chunk(
        whole, _alone(order, fixed, physical=physical), memory, most_elements
    )
    inside = tuple(
        sorted(
            range(len(axes)),
            key=lambda axis: (chosen[axis] > 1, 0 if chosen[axis] == 1 else memory.index(axis)),
        )
    )
    of_shards = _checked(shards, axes, fixed if physical else [None] * rank, "shards")
    if of_shards and any(a % b for a, b in zip(of_shards, chosen, strict=True)):
        expected = Phrase("chunk.multiples", "multiples of the chunk {chunk}", chunk=list(chosen))
        raise LayoutError("shards", list(of_shards), expected)
    return ArrayLayout(source.shape, source.dims, axes, source.dtype, chosen, of_shards, inside)


def _blocks_of(order: Order, rank: int) -> list[int | None]:
    """The chunk that a memory order wants per dimension, None if it may be any.

    Errors: LayoutError naming to, if no chunk and no order of dimensions inside it gives the order.
    """
    fixed: list[int | None] = [None] * rank
    inside = False
    for d, x in order:
        if x is None:
            # The outer part of a dimension with blocks is the chunk grid: it comes before all
            # that stands inside a chunk.
            blocked = any(at == d and block is not None for at, block in order)
            if blocked and inside:
                fixed[d] = -1
            continue
        inside = True
        fixed[d] = x if fixed[d] is None else -1
    if -1 in fixed:
        expected = Phrase("zarr.physical", "--physical, whose array has an axis for each block")
        raise LayoutError("to", Described("a layout whose blocks are no chunks"), expected)
    return fixed


def _alone(order: Order, fixed: Sequence[int | None], *, physical: bool) -> Sequence[int | None]:
    """The chunk per axis, with 1 for each that stands outside the outer part of a blocked one."""
    if physical:
        return fixed
    blocked = {d for d, x in order if x is not None}
    last = max((at for at, (d, x) in enumerate(order) if x is None and d in blocked), default=0)
    outside = {d for d, _ in order[:last]} - blocked
    return [1 if d in outside else x for d, x in enumerate(fixed)]


def _chunk(extents: Sizes, fixed: Sequence[int | None], memory: Sizes, most_elements: int) -> Sizes:
    """The chunk that keeps the memory order: of the axes outside, one; inside, as much as fits."""
    blocked = [axis for axis, x in enumerate(fixed) if x is not None]
    left = max(most_elements // math.prod(fixed[axis] or 1 for axis in blocked), 1)
    chosen = [fixed[axis] or 1 for axis in range(len(extents))]
    for axis in reversed([axis for axis in memory if fixed[axis] is None]):
        chosen[axis] = max(min(extents[axis], left), 1)
        left //= chosen[axis]
        if chosen[axis] < extents[axis]:
            break
    return tuple(chosen)


def _checked(
    sizes: Sequence[int] | None, axes: Order, fixed: Sequence[int | None], field: str
) -> Sizes | None:
    if sizes is None:
        return None
    if len(sizes) != len(axes) or any(n < 1 for n in sizes):
        expected = Phrase("chunk.sizes", "{n} sizes of at least 1, one per axis", n=len(axes))
        raise LayoutError(field, list(sizes), expected)
    if any(x is not None and n != x for n, x in zip(sizes, fixed, strict=True)):
        wanted = ", ".join("any" if x is None else str(x) for x in fixed)
        expected = Phrase("chunk.blocks", "the blocks of the layout: {wanted}", wanted=wanted)
        raise LayoutError(field, list(sizes), expected)
    return tuple(sizes)
