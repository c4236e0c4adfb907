"""oneDNN's blocking descriptor, and the parts of a memory that it can describe."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from ..model.digits import places
from ..model.errors import LayoutError, integer_range, per_dimension
from ..model.layout import Digit, Layout
from ..model.views.reshape import NeedsCopy


@dataclass(frozen=True, slots=True)
class Blocking:
    """oneDNN's descriptor: per dimension the stride of blocks; inner blocks as (size, dim)."""

    outer_strides: tuple[int, ...]
    inner_blocks: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def blocking(layout: Layout) -> Blocking | None:
    """oneDNN's blocking descriptor of the layout, None if it has none. Cached.

    It has one if all digits except the outermost of each dimension are packed together, innermost
    in memory, and the blocks of one dimension keep their order there. No stride may be negative,
    the rank is at least 1, and there is no swizzle. Source: dnnl_memory_desc blocking_desc.
    """
    for digits in layout.digits:
        if any(a.stride < b.stride for a, b in pairwise(g for g in digits[1:] if g.extent != 1)):
            return None
    inner = [(g, d) for d, digits in enumerate(layout.digits) for g in digits[1:]]
    inner.sort(key=lambda pair: (-pair[0].stride, pair[0].extent == 1))
    expected = 1
    for g, _ in reversed(inner):
        if g.stride != expected:
            return None
        expected *= max(g.extent, 1)
    outer = tuple(digits[0].stride for digits in layout.digits)
    if any(s < 0 for s in outer) or not layout.rank or layout.swizzle:
        return None
    return Blocking(outer, tuple((g.extent, d) for g, d in inner))


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
            raise LayoutError(name, list(values), per_dimension(layout.rank))
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
    return replace(
        layout,
        shape=tuple(sizes),
        digits=tuple(parts),
        offset=layout.offset + added,
    )
