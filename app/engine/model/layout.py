"""Layout: the frozen value that every notation is read into.

    address(c) = swizzle( offset + Σ_d Σ_k digit_k(c_d) · stride_k )

Each logical dimension is a mixed-radix number: its digits, outermost first, each with an
extent (radix) and a stride in elements. A plain strided dimension has one digit, the C of
NCHW4 has two, the I of OIhw4i16o4i three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .arrays import INT64_MAX, Int64Array, listed, plain
from .digits import SWIZZLE_BITS, Digit, Swizzle, digit_offsets, outer_sum, reachable
from .errors import LayoutError, integer_range, phrase, refusal
from .sizes import MAX_RANK, check_shape, checked_product, default_dims, packed_strides, unused_dim

__all__ = [
    "INT64_MAX",
    "MAX_RANK",
    "Digit",
    "Int64Array",
    "Layout",
    "NormalForm",
    "Swizzle",
    "check_shape",
    "checked_product",
    "default_dims",
    "packed_strides",
    "unused_dim",
]

_SWIZZLED_ELEMENTS = 1 << 22  # to find its greatest address, all are computed
_DIGITS = phrase("digits.one")


class NormalForm(NamedTuple):
    """The memory of a layout: equal for two layouts that are the same memory, whatever their dims.

    The same memory: equal sizes, addresses of all elements, padded sizes and buffer. There are two
    exceptions: a swizzle that moves no address, and a size of 0. The forms of two layouts may then
    differ, though the memory is the same. ``reached``: per dimension the digits that indices below
    the size use, merged.
    """

    offset: int
    shape: tuple[int, ...]
    swizzle: Swizzle | None
    padded_shape: tuple[int, ...]
    reached: tuple[tuple[Digit, ...], ...]
    buffer_elements: int

    @property
    def places(self) -> tuple[object, ...]:
        """Where the elements lie, whatever the padding and the buffer."""
        return self.offset, self.shape, self.swizzle, self.reached

    def after_ones(self, rank: int) -> NormalForm:
        """The same memory without leading sizes of 1, down to ``rank`` dimensions at the least.

        Sizes that are padded stay.
        """
        ones = len(self.shape) - rank
        if ones <= 0 or self.padded_shape[:ones] != (1,) * ones:
            return self
        parts = self.shape[ones:], self.padded_shape[ones:], self.reached[ones:]
        return self._replace(shape=parts[0], padded_shape=parts[1], reached=parts[2])


@dataclass(frozen=True)
class Layout:
    """How a tensor of ``shape`` lies in memory. A Layout is always valid: creating it checks it.

    ``shape``: logical sizes. ``dims``: one letter per dimension. ``digits``: per dimension,
    outermost first; their extents multiply to at least the size (more is padding).
    ``offset``: address of coordinate 0 before the ``swizzle``, in elements. The text that a layout
    was read from is not part of it, so equal layouts are interchangeable.

    ``padded_shape``: sizes with padding, the product of each dimension's extents. ``bounds``: the
    least and greatest address of the padded tensor before the swizzle, as Python ints.

    Errors: LayoutError for values of other types, negative sizes, digits whose extents do not reach
    the size, a product or address beyond int64, a least address below 0, repeated names.

    >>> from stridescope import Digit, Layout
    >>> layout = Layout((2, 6), "NC", ((Digit(2, 8),), (Digit(2, 4), Digit(4, 1))))
    >>> layout.padded_shape, layout.buffer_elements
    ((2, 8), 16)
    >>> Layout.strided((2, 3), (5, 1), offset=4).bounds
    (4, 11)
    """

    shape: tuple[int, ...]
    dims: str
    digits: tuple[tuple[Digit, ...], ...]
    offset: int = 0
    swizzle: Swizzle | None = None
    padded_shape: tuple[int, ...] = field(init=False, repr=False, compare=False)
    bounds: tuple[int, int] = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Kept, because one request uses a layout as the key of several caches. Of integers only:
        # unlike a string's, their hash is the same in another process, which may unpickle it.
        return hash((self.shape, self.digits, self.offset, self.swizzle or 0))

    def __post_init__(self) -> None:
        if type(self.shape) is not tuple:
            raise LayoutError("shape", self.shape, phrase("shape.tuple"))
        object.__setattr__(self, "shape", listed(self.shape, "shape"))
        object.__setattr__(self, "offset", plain(self.offset))
        check_shape(self.shape)
        self._check_types()
        padded = []
        least = greatest = self.offset
        for d, (size, digits) in enumerate(zip(self.shape, self.digits, strict=True)):
            if type(digits) is not tuple or not digits:
                raise LayoutError(f"digits[{d}]", digits, _DIGITS)
            extents = 1
            for g in digits:
                if type(g) is not Digit:
                    raise LayoutError(f"digits[{d}]", digits, _DIGITS)
                extents *= g.extent
                reach = g.reach
                least, greatest = least + min(reach, 0), greatest + max(reach, 0)
            if extents < size:
                raise refusal(f"digits[{d}]", "smaller extents", "digits.least", size=size)
            padded.append(extents)
        object.__setattr__(self, "padded_shape", tuple(padded))
        object.__setattr__(self, "bounds", (least, greatest))
        self._check_bounds()

    def _check_types(self) -> None:
        dims, rank = self.dims, len(self.shape)
        named = type(dims) is str and len(set(dims)) == len(dims) == rank
        if not named or (rank and not (dims.isalpha() and dims.isascii())):
            raise LayoutError("dims", dims, phrase("dims.letters", rank=rank))
        if type(self.digits) is not tuple or len(self.digits) != rank:
            raise LayoutError("digits", self.digits, phrase("digits", rank=rank))
        if type(self.offset) is not int or not 0 <= self.offset <= INT64_MAX:
            raise LayoutError("layout.offset", self.offset, integer_range(0, "2^63-1"))
        if self.swizzle is not None and type(self.swizzle) is not Swizzle:
            raise LayoutError("swizzle", self.swizzle, phrase("swizzle.type"))

    def _check_bounds(self) -> None:
        for digits in self.digits:
            for g in digits:
                if not -INT64_MAX <= g.stride <= INT64_MAX:
                    raise refusal("layout", "a stride beyond int64", "strides.int64")
        elements = checked_product("shape", self.padded_shape)
        least, greatest = self.bounds
        if least < 0:
            got = "strides that reach addresses below 0"
            raise refusal("layout.offset", got, "offset.least", least=self.offset - least)
        if self.swizzle is not None:
            greatest |= (1 << SWIZZLE_BITS) - 1
            if elements > _SWIZZLED_ELEMENTS and 0 not in self.padded_shape:
                expected = phrase("swizzle.elements", most=_SWIZZLED_ELEMENTS)
                raise LayoutError("shape", self.shape, expected)
        if greatest >= INT64_MAX:
            got = "strides or a swizzle that reach addresses beyond 2^63-2"
            raise refusal("layout", got, "buffer.int64")

    @classmethod
    def strided(
        cls,
        shape: Sequence[int],
        strides: Sequence[int],
        offset: int = 0,
        *,
        dims: str | None = None,
    ) -> Layout:
        """A layout of one digit per dimension; ``strides`` and ``offset`` in elements."""
        shape, strides = listed(shape, "shape"), listed(strides, "layout.strides")
        check_shape(shape)
        if len(strides) != len(shape):
            said = phrase("strides.count", n=len(shape))
            raise LayoutError("layout.strides", list(strides), said)
        for d, stride in enumerate(strides):
            if type(stride) is not int or abs(stride) > INT64_MAX:
                raise LayoutError(f"layout.strides[{d}]", stride, phrase("stride.int64"))
        names = default_dims(len(shape)) if dims is None else dims
        digits = tuple((Digit(n, s),) for n, s in zip(shape, strides, strict=True))
        return cls(shape, names, digits, offset)

    @classmethod
    def packed(
        cls, shape: Sequence[int], dims: str, order: Sequence[tuple[int, int | None]]
    ) -> Layout:
        """Memory without gaps in an ``order`` of digits, outermost first.

        An entry (d, x) is a block of x elements of dimension d; the blocks of one dimension nest
        in the given order. (d, None) is the rest of dimension d, outside all its blocks, wherever
        the entry stands. Sizes that the blocks do not divide are padded.
        Source: oneDNN's blocked formats, MegEngine's NCHWX, TVM's NCHW4n4c.
        """
        shape = listed(shape, "shape")
        check_shape(shape)
        return cls(shape, dims, packed_digits(shape, order))

    @property
    def rank(self) -> int:
        """Number of logical dimensions."""
        return len(self.shape)

    @property
    def elements(self) -> int:
        """Number of logical elements."""
        return math.prod(self.shape)

    @cached_property
    def buffer_elements(self) -> int:
        """Number of addresses from 0 to the greatest, padding included; 0 if a size is 0."""
        if 0 in self.shape:
            return 0
        if self.swizzle is None:
            return self.bounds[1] + 1
        return self.swizzle.greatest(chain.from_iterable(self.digits), self.bounds[0]) + 1

    @property
    def span_elements(self) -> int:
        """1 + Σ (extent-1)·|stride|: addresses from least to greatest, unswizzled; 0 if empty."""
        least, greatest = self.bounds
        return 0 if 0 in self.shape else greatest - least + 1

    def reachable_digits(self, d: int) -> tuple[Digit, ...]:
        """Digits of dimension ``d`` that its indices use, merged; see ``reachable``. Cached.

        Empty if the size is 0 or 1.
        """
        return self.reached[d]

    @cached_property
    def reached(self) -> tuple[tuple[Digit, ...], ...]:
        """``reachable_digits`` of every dimension. Cached."""
        return tuple(map(reachable, self.digits, self.shape))

    @cached_property
    def normal_form(self) -> NormalForm:
        """The memory of the layout, to compare with another's. Cached."""
        padded, buffer = self.padded_shape, self.buffer_elements
        return NormalForm(self.offset, self.shape, self.swizzle, padded, self.reached, buffer)

    @cached_property
    def strides(self) -> tuple[int, ...] | None:
        """One stride per dimension, in elements, None if a dimension's digits do not merge.

        Also None with a swizzle. For a size of 1 any stride is right; that of its digits is kept.
        """
        if self.swizzle is not None:
            return None
        merged = []
        for digits, reached in zip(self.digits, self.reached, strict=True):
            if len(reached) > 1:
                return None
            if reached:
                merged.append(reached[0].stride)
            else:
                merged.append(next((g.stride for g in digits if g.extent > 1), digits[0].stride))
        return tuple(merged)

    @property
    def physical_shape(self) -> tuple[int, ...] | None:
        """Extents from outermost to innermost in memory, None if there is no such order.

        There is one if each stride is at least extent·stride of every digit inside it. None with a
        swizzle.
        """
        if self.swizzle is not None:
            return None
        digits = [g for gs in self.digits for g in gs]
        digits.sort(key=lambda g: (-abs(g.stride), g.extent <= 1))
        inside = 1
        for g in reversed(digits):
            if g.extent > 1 and abs(g.stride) < inside:
                return None
            inside = max(inside, abs(g.stride) * max(g.extent, 1))
        return tuple(g.extent for g in digits)

    def dim_offsets(self, d: int, index: Int64Array) -> Int64Array:
        """Σ_k digit_k(i)·stride_k for each i of ``index``: what dimension d adds, in elements.

        ``index``: int64 of any shape and array namespace; the result has the same.
        """
        return digit_offsets(self.digits[d], index)

    def table(self, d: int) -> Int64Array:
        """What dimension ``d`` adds to the address, per index: shape (shape[d],), elements."""
        return self.dim_offsets(d, np.arange(self.shape[d], dtype=np.int64))

    def offsets_at(self, indices: Sequence[Int64Array], *, xp: Any = np) -> Int64Array:
        """Addresses of all combinations of one index per dimension, in elements.

        ``indices``: per dimension int64 of shape (n_d,), within the padded shape; the result's
        shape is (n_0, n_1, …). ``xp``: the array namespace of both. Computed as one table per
        dimension and one outer sum, T_0[:, None, …] + T_1[None, :, …] + … + offset, then the
        swizzle.
        """
        tables = [digit_offsets(gs, i) for gs, i in zip(self.digits, indices, strict=True)]
        nothing = xp.zeros((), dtype=xp.int64)
        unswizzled = outer_sum(tables or [nothing], start=self.offset)
        addresses = self.swizzle(unswizzled) if self.swizzle else unswizzled
        found: Int64Array = xp.asarray(addresses)
        return found

    def __str__(self) -> str:
        """The strides, as ``(5, 1)+3``, if they are enough; else (extent, stride) per digit."""
        strides = self.strides
        if strides is not None and self.padded_shape == self.shape:
            text = str(strides)
        else:
            text = str([[(g.extent, g.stride) for g in digits] for digits in self.digits])
        if self.swizzle is not None:
            s = self.swizzle
            text = f"Swizzle<{s.bits},{s.base},{s.shift}> of {text}"
        return f"{text}+{self.offset}" if self.offset else text


def packed_digits(
    shape: tuple[int, ...], order: Sequence[tuple[int, int | None]]
) -> tuple[tuple[Digit, ...], ...]:
    """The digits of ``Layout.packed``. Errors: LayoutError for the order or its product."""
    blocks = [1] * len(shape)
    try:
        for d, x in order:
            blocks[d] *= x or 1
    except (TypeError, ValueError, IndexError):
        raise LayoutError("order", order, phrase("order")) from None
    extents = [-(-shape[d] // blocks[d]) if x is None else x for d, x in order]
    checked_product("shape", extents)
    digits: list[list[Digit]] = [[] for _ in shape]
    for (d, block), extent, stride in zip(order, extents, packed_strides(extents), strict=True):
        digits[d].insert(0 if block is None else len(digits[d]), Digit(extent, stride))
    return tuple(map(tuple, digits))
