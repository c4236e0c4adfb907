"""Memory orders of digits, and whether dense memory in an order is a layout."""

from dataclasses import dataclass
from functools import lru_cache

from ..model.errors import LayoutError
from ..model.layout import Layout, NormalForm, default_dims

# (dimension, None) is the part of a dimension outside its blocks, (dimension, x) a block of x.
Order = tuple[tuple[int, int | None], ...]
# Digits as (dimension, index into its digits), outermost in memory first.
DigitOrder = tuple[tuple[int, int], ...]


def order_of_tag(tag: str, names: str) -> Order:
    """The order of a tag: a capital is the part outside the blocks, ``4c`` a block of 4 of C."""
    order: list[tuple[int, int | None]] = []
    digits = ""
    for c in tag:
        if c.isdigit():
            digits += c
        else:
            order.append((names.index(c.upper()), int(digits) if digits else None))
            digits = ""
    return tuple(order)


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Dense memory in an order, prepared to be compared with many layouts.

    ``order``: without blocks of one element, which change no address. ``blocks``: the dimensions
    that have blocks, each with the product of them.
    """

    order: Order
    blocks: tuple[tuple[int, int], ...]

    def is_layout(self, layout: Layout) -> bool:
        """Whether it has the addresses and the buffer size of ``layout``.

        Cheap checks come first, for speed: most orders fail there.
        """
        shape, padded = layout.shape, layout.padded_shape
        if layout.offset or layout.swizzle is not None:
            return False
        for d, whole in self.blocks:
            if -(-shape[d] // whole) * whole != padded[d]:
                return False
        blocks = dict(self.blocks) if self.blocks else {}
        stride, seen = 1, 0
        for d, block in reversed(self.order):
            if shape[d] > 1 and (d not in blocks if block is None else not seen >> d & 1):
                if layout.reachable_digits(d)[-1].stride != stride:  # its lowest digit
                    return False
                seen |= 1 << d
            stride *= padded[d] // blocks.get(d, 1) or 1 if block is None else block
        return packed_memory(self, shape) == layout.normal_form


@lru_cache(maxsize=1 << 10)
def packing(order: Order) -> Packing:
    """The dense memory of ``order``, which names each dimension at least once. Cached."""
    blocks: dict[int, int] = {}
    for d, block in order:
        if block is not None and block != 1:
            blocks[d] = blocks.get(d, 1) * block
    return Packing(tuple(entry for entry in order if entry[1] != 1), tuple(blocks.items()))


@lru_cache(maxsize=1 << 8)
def packed_memory(packed: Packing, shape: tuple[int, ...]) -> NormalForm | None:
    """The normal form of dense memory, None beyond int64. Cached."""
    try:
        return Layout.packed(shape, default_dims(len(shape)), packed.order).normal_form
    except LayoutError:
        return None


def order_is_layout(order: Order, layout: Layout) -> bool:
    """Whether dense memory in ``order`` has the addresses and the buffer size of ``layout``."""
    return packing(order).is_layout(layout)
