"""The layout of an array of zarr v3 in its chunks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.model.dtypes import ElementType, parse_dtype
from ...engine.model.errors import Described, LayoutError, Phrase
from ...engine.model.layout import Layout, default_dims
from ...engine.notation import Request, read_spec
from ...engine.notation.orders import Order
from ...engine.notation.specs import Spec
from .boxes import Sizes


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
        """The array's shape."""
        return tuple(-(-self.shape[d] // self.block(d)) if x is None else x for d, x in self.axes)

    @property
    def element(self) -> ElementType:
        """The element type."""
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


@dataclass(frozen=True, slots=True)
class ArrayMetadata:
    """What zarr says about an array. ``names``: of its axes, empty if it has none."""

    shape: Sizes
    dtype: str
    chunks: Sizes
    shards: Sizes | None
    inside: Sizes
    names: tuple[str, ...]
    compressed: bool


def found(
    metadata: ArrayMetadata, text: str | None, dims: str | None, shape: Sequence[int] | None = None
) -> ArrayLayout:
    """Return the layout of an array that exists, for a layout's text that names its dimensions.

    An array whose dimension names are the layout's dimensions, in any order, has one axis for each.
    Without such names the axes are those of the layout, outermost first, as in an .npy file.
    ``text`` None: one dimension per axis. ``shape``: the logical sizes, if blocks hold padding.
    Errors: LayoutError naming from, dims or the array.
    """
    rank = len(metadata.shape)
    names = "".join(metadata.names) if all(len(name) == 1 for name in metadata.names) else ""
    if text is None:
        named = names if len(set(names)) == rank else None
        dims = dims or named or default_dims(rank)
        return _of_axes(metadata, dims, tuple((d, None) for d in range(rank)), shape)
    spec = spec_of(text, "from")
    for logical in range(rank, 0, -1):
        order = spec.order_of_rank(logical, dims)
        if order is None:
            continue
        letters = spec.apply(Request((1,) * logical, dims)).layout.dims
        if logical == rank and sorted(names.upper()) == sorted(letters.upper()):
            axes: Order = tuple((letters.upper().index(name), None) for name in names.upper())
            return _of_axes(metadata, letters, axes, shape)
        if len(order) == rank:
            return _of_axes(metadata, letters, order, shape)
        if logical == rank:
            return _of_axes(metadata, letters, tuple((d, None) for d in range(rank)), shape)
    raise LayoutError(
        "from",
        Described(f"a layout for another number of dimensions than {rank}"),
        Phrase(
            "layout.array_shape",
            "one for the array's shape {shape}, such as {dims}",
            shape=list(metadata.shape),
            dims=default_dims(rank),
        ),
    )


def spec_of(text: str, field: str) -> Spec:
    """How a text is written as a layout. Errors: LayoutError naming ``field``."""
    try:
        return read_spec(text)
    except LayoutError as error:
        raise error.under(field) from None


def _of_axes(
    metadata: ArrayMetadata, dims: str, axes: Order, shape: Sequence[int] | None
) -> ArrayLayout:
    sizes = [1] * len(dims)
    for (d, x), extent in zip(axes, metadata.shape, strict=True):
        sizes[d] *= extent
        if x is not None and x != extent:
            said = "blocks of {extent}, an extent of the array's shape {shape}"
            expected = Phrase("layout.blocks", said, extent=extent, shape=list(metadata.shape))
            raise LayoutError("from", Described(f"a layout with blocks of {x}"), expected)
    given = tuple(sizes) if shape is None else tuple(shape)
    stored = (metadata.chunks, metadata.shards, metadata.inside, metadata.compressed)
    layout = ArrayLayout(given, dims, axes, metadata.dtype, *stored)
    if len(given) != len(dims) or layout.extents != metadata.shape:
        said = "logical sizes of an array of {shape}"
        expected = Phrase("shape.array", said, shape=list(metadata.shape))
        raise LayoutError("shape", list(given), expected)
    return layout
