"""Wrong models of memory that several lessons know: each computes what it would answer."""

import math
from collections.abc import Sequence

from ..engine import Layout, parse_layout
from ..engine.model.layout import packed_strides
from .lesson import Exhibit, Wrong
from .sums import address_of, times


def believed(layout: Layout, order: str) -> Exhibit:
    """A tensor as it would lie in the layout ``order``."""
    return Exhibit(parse_layout(order, layout.shape, layout.dims), order)


def _dot(at: Sequence[int], strides: Sequence[int]) -> int:
    return sum(index * stride for index, stride in zip(at, strides, strict=True))


def row_major(layout: Layout, at: Sequence[int]) -> Wrong:
    """Counts the cells in the order in which one reads, whatever the layout says."""
    computed = _dot(at, packed_strides(layout.shape))
    text = (
        f"{computed} is the place of this cell when one reads row by row. "
        "Memory of this layout is in another order."
    )
    return Wrong("row_major", computed, text, believed(layout, layout.dims))


def column_major(layout: Layout, at: Sequence[int]) -> Wrong:
    """Takes the first dimension for the innermost."""
    strides = packed_strides(layout.shape[::-1])[::-1]
    computed, first, last = _dot(at, strides), layout.dims[0].lower(), layout.dims[-1].lower()
    text = f"{computed} would come out if neighbours along {first} touched; those along {last} do."
    return Wrong("column_major", computed, text, believed(layout, layout.dims[::-1]))


def from_one(right: int) -> Wrong:
    """Counts addresses from 1."""
    return Wrong("from_one", right + 1, "You counted from 1. The first address is 0.")


def own_sizes(layout: Layout, at: Sequence[int]) -> Wrong:
    """Takes the size of a dimension for its stride; the last one has stride 1."""
    first, last = layout.dims[0].lower(), layout.dims[-1].lower()
    text = (
        f"You multiplied each index but {last}'s by the size of its own dimension. "
        f"But one step along {first} skips all that lies inside it."
    )
    return Wrong("size_for_stride", _dot(at, [*layout.shape[:-1], 1]), text)


def pixel_for_element(layout: Layout, at: Sequence[int]) -> Wrong:
    """Lets each pixel of an image or a block take one place, whose channels are side by side."""
    *_, (h,), (w,) = layout.digits
    pixels, together = at[-2] * (h.stride // w.stride) + at[-1], w.stride
    part = "block" if len(layout.digits[1]) > 1 else "image"
    text = (
        f"You counted each pixel before it in its {part} as one place. Each takes {together}, for "
        f"{together} channels side by side."
    )
    computed = address_of(layout, at) - pixels * (together - 1)
    return Wrong("pixel_for_element", computed, text)


def swapped(layout: Layout, at: Sequence[int]) -> Wrong:
    """Exchanges the strides of h and w, the last two dimensions."""
    *outer, h, w = layout.strides or ()
    computed = layout.offset + _dot(at, [*outer, w, h])
    return Wrong("strides_swapped", computed, "You took h's stride for w, and w's for h.")


def bytes_for_elements(right: int, size: int) -> Wrong:
    """Gives the byte where an address is asked."""
    text = "You gave the byte at which the cell begins. An address counts elements, of any size."
    return Wrong("bytes_for_elements", right * size, text)


def elements_for_bytes(right_bytes: int, size: int) -> Wrong:
    """Counts elements where bytes are asked."""
    text = f"That counts elements. Each of them takes {size} bytes."
    return Wrong("elements_for_bytes", right_bytes // size, text)


def logical_size(layout: Layout, size_bytes: int, why: str) -> Wrong:
    """Takes the product of the sizes for the size of the buffer."""
    computed = math.prod(layout.shape) * size_bytes
    each = f" × {size_bytes} bytes" if size_bytes > 1 else ""
    return Wrong(
        "logical_size", computed, f"{times(layout.shape)}{each} counts the elements. {why}"
    )


def in_order(layout: Layout, at: Sequence[int], order: str, code: str, said: str) -> Wrong:
    """Takes another layout of the same shape, ``order``; ``said``: what its reader overlooked."""
    other = believed(layout, order)
    computed = address_of(other.layout, at)
    return Wrong(code, computed, f"{computed} is its address in {order}. {said}", other)


def block_exchanged(layout: Layout, at: Sequence[int]) -> Wrong:
    """Takes the index of c inside a block for the block's number, and the number for the index."""
    outer, inner = layout.digits[1]
    channel, size = at[1], inner.extent
    block, inside = divmod(channel, size)
    moved = (inside - block) * outer.stride + (block - inside) * inner.stride
    text = (
        f"You exchanged ⌊c/{size}⌋ and c mod {size}: c {channel} is in block {block}, and "
        f"{channel} mod {size} is {inside}."
    )
    return Wrong("block_exchanged", address_of(layout, at) + moved, text)


def padding_forgotten(layout: Layout, at: Sequence[int]) -> Wrong:
    """Lets whole blocks of channels take no more room than the elements in them."""
    stride, inside = layout.digits[0][0].stride, math.prod(layout.shape[1:])
    computed = address_of(layout, at) - at[0] * (stride - inside)
    size, padded = layout.shape[1], layout.padded_shape[1]
    text = f"You forgot the padding: c has {size} elements, but its blocks hold {padded}."
    return Wrong("padding_forgotten", computed, text)
