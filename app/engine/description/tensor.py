"""A tensor as it was asked for: the layout, the element type, the buffer, the text it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..dtypes import DEFAULT, ElementType
from ..errors import LayoutError
from ..layout import Layout
from ..notation import LayoutSource, parse_layout, readings
from .description import Description, checked_buffer, describe


@dataclass(frozen=True, slots=True)
class Tensor:
    """A layout of elements of ``dtype`` in a buffer of ``buffer_elements``.

    ``source``: the notation that was parsed; ``shape`` the sizes that were given with it, which
    DirectML may have filled.
    """

    layout: Layout
    dtype: ElementType
    buffer_elements: int
    source: LayoutSource
    shape: tuple[int, ...]

    def describe(self) -> Description:
        """The description, with the ways to read the source."""
        read = readings(self.source, self.layout, self.dtype, shape=self.shape)
        return describe(
            self.layout, self.dtype, buffer_elements=self.buffer_elements, readings=read
        )


def parse_tensor(
    shape: Sequence[int],
    source: LayoutSource,
    dims: str | None = None,
    dtype: ElementType = DEFAULT,
    elements: int | None = None,
) -> Tensor:
    """The tensor of a shape and any notation; ``elements`` enlarges the buffer.

    Errors: LayoutError naming shape, layout, dims or elements.
    """
    layout = parse_layout(source, shape, dims, dtype)
    return Tensor(layout, dtype, checked_buffer(layout, elements), source, tuple(shape))


def parse_target(source: LayoutSource, tensor: Tensor) -> Layout:
    """A layout to reorder ``tensor`` to: its letters match the dims by name, else by position.

    Errors: LayoutError naming ``target`` or a part of it.
    """
    layout = tensor.layout
    try:
        try:
            return parse_layout(source, layout.shape, layout.dims, tensor.dtype)
        except LayoutError as by_name:
            try:
                return parse_layout(source, layout.shape, None, tensor.dtype)
            except LayoutError as by_position:
                raise (by_position if by_name.field == "dims" else by_name) from None
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise error.under("target" + below if below != error.field else "target") from None
