"""The tensor of a request: its layout, element type and buffer, and the text it was read from."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.arrays import listed
from ..model.dtypes import DEFAULT, ElementType
from ..model.errors import LayoutError
from ..model.layout import Layout
from ..notation import LayoutSource, Request, Written, read_layout, read_spec, readings, system_of
from .description import Description, checked_buffer, describe


@dataclass(frozen=True, slots=True)
class Tensor:
    """A layout of elements of ``dtype`` in a buffer of ``buffer_elements``.

    ``written``: the layout and how it was written. ``source``: the notation it was read from.
    ``shape``: the given sizes; the layout has more if DirectML added leading dimensions of 1.
    """

    written: Written
    dtype: ElementType
    buffer_elements: int
    source: LayoutSource
    shape: tuple[int, ...]

    @property
    def layout(self) -> Layout:
        """The layout of ``written``."""
        return self.written.layout

    def describe(self) -> Description:
        """The description, with the ways to read the source."""
        written, dtype = self.written, self.dtype
        read = readings(self.source, written.layout, dtype, shape=self.shape)
        system = system_of(self.source)
        return describe(
            written, dtype, buffer_elements=self.buffer_elements, readings=read, system=system
        )

    def describe_view(self, view: Layout) -> Description:
        """The description of a view; shown as it was written where it is the whole tensor."""
        if view != self.layout:
            return describe(view, self.dtype, view_of=self.layout)
        return describe(self.written, self.dtype, system=system_of(self.source))


def parse_tensor(
    shape: Sequence[int],
    source: LayoutSource,
    dims: str | None = None,
    dtype: ElementType = DEFAULT,
    elements: int | None = None,
) -> Tensor:
    """The tensor of a shape and a layout in any notation; ``elements`` enlarges the buffer.

    Errors: LayoutError naming shape, layout, dims or elements.
    """
    sizes = listed(shape, "shape")
    written = read_layout(source, Request(sizes, dims, dtype))
    return Tensor(written, dtype, checked_buffer(written.layout, elements), source, sizes)


def parse_target(source: LayoutSource, tensor: Tensor) -> Written:
    """The layout to reorder ``tensor`` to. Letters match its dims by name, else by position.

    Errors: LayoutError naming ``target`` or a part of it.
    """
    layout = tensor.layout
    try:
        spec = read_spec(source)
        dims = layout.dims if spec.takes(layout.dims) else None
        return read_layout(source, Request(layout.shape, dims, tensor.dtype))
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise error.under("target" + below if below != error.field else "target") from None
