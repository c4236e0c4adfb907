"""oneDNN's blocking descriptor, and the parts of a memory that it can describe."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..model.layout import Layout


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
