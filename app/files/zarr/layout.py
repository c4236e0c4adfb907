"""The layout of an array of zarr v3 in its chunks, and the array that holds a given layout."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine.model.dtypes import ElementType, parse_dtype
from ...engine.model.errors import Described, LayoutError, phrase, refusal
from ...engine.model.layout import Layout, default_dims
from ...engine.notation import Request, read_spec
from ...engine.notation.orders import Order
from ...engine.notation.specs import Spec
from .boxes import Sizes

CHUNK_BYTES = 64 << 20  # the largest chunk that is made without being asked for


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """An array of zarr v3 as the layouts of its boxes.

    ``shape``: the logical sizes, named ``dims``. ``axes``: the array's axes as digits, (d, None)
    for the outer part of dimension d, (d, x) for a block of x inside it. ``chunks``: the chunk per
    axis. ``shards``: the shard per axis, None without sharding. ``inside``: the order of the axes
    inside a chunk, the transpose codec's. ``compressed``: whether chunks are.
    """

    shape: Sizes
    dims: str
    axes: Order
    dtype: str
    chunks: Sizes
    shards: Sizes | None
    inside: Sizes
    compressed: bool = False

    @property
    def extents(self) -> Sizes:
        return tuple(-(-self.shape[d] // self.block(d)) if x is None else x for d, x in self.axes)

    @property
    def element(self) -> ElementType:
        return parse_dtype(self.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(np.dtype(self.dtype).itemsize)

    @property
    def piece(self) -> Sizes:
        """What one writer writes as a whole: a shard, or a chunk."""
        return self.shards or self.chunks

    @property
    def grain(self) -> Sizes:
        """Logical sizes of a chunk, which is read as a whole."""
        return self.along(self.chunks)

    def block(self, d: int) -> int:
        """The product of the blocks of dimension ``d``."""
        return math.prod(x for at, x in self.axes if at == d and x is not None)

    def along(self, per_axis: Sizes) -> Sizes:
        """Logical sizes of a chunk or a shard. Blocks count as a whole."""
        outer = {d: n for (d, x), n in zip(self.axes, per_axis, strict=True) if x is None}
        return tuple(outer[d] * self.block(d) for d in range(len(self.shape)))

    def region(self, box: Sequence[slice]) -> tuple[slice, ...]:
        """The part of the array that holds a box, which begins at whole blocks."""
        return tuple(
            slice(box[d].start // self.block(d), -(-box[d].stop // self.block(d)))
            if x is None
            else slice(0, x)
            for d, x in self.axes
        )

    def of_region(self, sizes: Sizes) -> Layout:
        """The layout of a box of these sizes, read as one array in row-major order."""
        return Layout.packed(sizes, self.dims, self.axes)

    def of_pieces(self, sizes: Sizes) -> Layout:
        """The layout of a box of these sizes as its pieces, one behind the other.

        The pieces are in row-major order, each in the order ``inside``; the last may overhang.
        """
        counts = [(d, None) for d, x in self.axes if x is None]
        blocks = [
            (self.axes[axis][0], self.axes[axis][1] or self.piece[axis]) for axis in self.inside
        ]
        return Layout.packed(sizes, self.dims, [*counts, *blocks])

    def whole(self) -> Layout:
        """The layout of the array as all its chunks, in the order of the chunk grid."""
        sizes = list(zip(self.axes, self.chunks, self.extents, strict=True))
        counts = [(d, None) for (d, x), n, extent in sizes if x is None and n < extent]
        inner: list[tuple[int, int | None]] = []
        for axis in self.inside:
            (d, x), n, extent = sizes[axis]
            if x is not None:
                inner.append((d, x))
            elif n >= extent:  # not cut: no digit of the grid
                inner.append((d, None))
            elif n > 1:
                inner.append((d, n))
        return Layout.packed(self.shape, self.dims, [*counts, *inner])

    def created(self) -> dict[str, Any]:
        """The arguments of ``zarr.create_array`` for this array."""
        from zarr.codecs import TransposeCodec

        plain = self.inside == tuple(range(len(self.axes)))
        return {
            "shape": self.extents,
            "dtype": self.dtype,
            "chunks": self.chunks,
            "shards": self.shards,
            "filters": [] if plain else [TransposeCodec(order=self.inside)],
            "compressors": None,
            "fill_value": 0,
            "dimension_names": self.names(),
        }

    def names(self) -> list[str]:
        """Names of the axes: N, C, H, W, and c for a block of C; c4 if it has several."""
        blocks = [d for d, x in self.axes if x is not None]
        found = []
        for d, x in self.axes:
            letter = self.dims[d]
            if x is not None:
                letter = letter.swapcase() if blocks.count(d) == 1 else f"{letter.swapcase()}{x}"
            found.append(letter)
        return found


def found(
    array: ArrayLayout,
    axis_names: Sequence[str],
    text: str | None,
    dims: str | None,
    shape: Sequence[int] | None = None,
) -> ArrayLayout:
    """Return the layout of an array that exists, for a layout's text that names its dimensions.

    ``array``: as if each axis were a dimension; ``axis_names``: empty if it has none. If they are
    the layout's dimensions, in any order, there is one axis for each. Else the axes are those of
    the layout, outermost first, as in an .npy file. ``text`` None: one dimension per axis.
    ``shape``: the logical sizes, if blocks hold padding. Errors: LayoutError naming from, dims or
    the array.
    """
    rank = len(array.shape)
    names = "".join(axis_names) if all(len(name) == 1 for name in axis_names) else ""
    if text is None:
        named = names if len(set(names)) == rank else None
        dims = dims or named or default_dims(rank)
        return _of_axes(array, dims, array.axes, shape)
    spec = spec_of(text, "from")
    for logical in range(rank, 0, -1):
        order = spec.order_of_rank(logical, dims)
        if order is None:
            continue
        letters = spec.apply(Request((1,) * logical, dims)).layout.dims
        if logical == rank and sorted(names.upper()) == sorted(letters.upper()):
            order = tuple((letters.upper().index(name), None) for name in names.upper())
        elif len(order) != rank:
            if logical != rank:
                continue
            order = array.axes
        return _of_axes(array, letters, order, shape)
    got = f"a layout for another number of dimensions than {rank}"
    sizes = list(array.shape)
    raise refusal("from", got, "layout.array_shape", shape=sizes, dims=default_dims(rank))


def spec_of(text: str, field: str) -> Spec:
    """How a text is written as a layout. Errors: LayoutError naming ``field``."""
    try:
        return read_spec(text)
    except LayoutError as error:
        raise error.under(field) from None


def _of_axes(
    array: ArrayLayout, dims: str, axes: Order, shape: Sequence[int] | None
) -> ArrayLayout:
    sizes = [1] * len(dims)
    for (d, x), extent in zip(axes, array.shape, strict=True):
        sizes[d] *= extent
        if x is not None and x != extent:
            expected = phrase("layout.blocks", extent=extent, shape=list(array.shape))
            raise LayoutError("from", Described(f"a layout with blocks of {x}"), expected)
    given = tuple(sizes) if shape is None else tuple(shape)
    layout = replace(array, shape=given, dims=dims, axes=axes)
    if len(given) != len(dims) or layout.extents != array.shape:
        raise LayoutError("shape", list(given), phrase("shape.array", shape=list(array.shape)))
    return layout


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
    order = spec.order_of_rank(rank, source.dims if spec.takes(source.dims) else None)
    if order is None:
        got = "a layout that gives no memory order for these dimensions"
        raise refusal("to", got, "layout.rank", rank=rank, dims=source.dims)
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
    alone = [axis for axis, size in enumerate(chosen) if size == 1]
    inside = (*alone, *(axis for axis in memory if chosen[axis] > 1))
    of_shards = _checked(shards, axes, fixed if physical else [None] * rank, "shards")
    if of_shards and any(a % b for a, b in zip(of_shards, chosen, strict=True)):
        raise LayoutError("shards", list(of_shards), phrase("chunk.multiples", chunk=list(chosen)))
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
        raise refusal("to", "a layout whose blocks are no chunks", "zarr.physical")
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
        raise LayoutError(field, list(sizes), phrase("chunk.sizes", n=len(axes)))
    if any(x is not None and n != x for n, x in zip(sizes, fixed, strict=True)):
        wanted = ", ".join("any" if x is None else str(x) for x in fixed)
        raise LayoutError(field, list(sizes), phrase("chunk.blocks", wanted=wanted))
    return tuple(sizes)
