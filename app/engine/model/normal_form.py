"""The normal form of a layout, by which two layouts are compared."""

from __future__ import annotations

from typing import NamedTuple

from .digits import Digit, Swizzle


class NormalForm(NamedTuple):
    """The memory of a layout: equal for two layouts that are the same memory, whatever their dims.

    The same memory: equal sizes, addresses of all elements, padded sizes and buffer. Two layouts
    of it differ here only where a swizzle moves nothing, or where a size is 0. ``reached``: per
    dimension the digits that indices below the size use, merged.
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
