"""A tensor as a file stores it, and the layouts that its bytes can have."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..engine.model.dtypes import ElementType
from ..engine.model.errors import Described, LayoutError, phrase, refusal
from ..engine.model.layout import Digit, Layout, packed_strides
from ..engine.notation import Request, Written, check_request, read_layout, read_spec
from ..engine.notation.orders import DigitOrder

_MAX_RANK = 64  # NumPy's


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor as its file's header describes it.

    ``name``: None if the format has no names. ``shape``: the extents of the array's axes.
    ``begin``: index of the data's first byte in the file. ``size_bytes``: of the data.
    ``fortran_order``: whether the first axis lies innermost in memory, not the last one.
    ``byte_order``: of elements wider than a byte; a reorder keeps it.
    """

    name: str | None
    dtype: ElementType
    shape: tuple[int, ...]
    begin: int
    size_bytes: int
    fortran_order: bool = False
    byte_order: Literal["<", ">"] = "<"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A tensor of an element type that the engine does not support: its bytes stay unchanged."""

    name: str
    begin: int
    size_bytes: int


Part = Stored | Foreign


def stored_shape(written: Written) -> tuple[int, ...]:
    """Return the header's shape for the buffer of a layout.

    The physical shape if it describes the whole buffer, else the buffer's length.
    """
    physical, layout = written.physical_shape, written.layout
    whole = physical is not None and math.prod(physical) == layout.buffer_elements
    if physical is None or not whole or layout.offset or len(physical) > _MAX_RANK:
        return (layout.buffer_elements,)
    return physical


def source_layout(
    text: str, stored: Stored, shape: Sequence[int] | None, dims: str | None
) -> Layout:
    """Return the layout of a stored tensor in memory.

    A ``text`` that orders dimensions and blocks (NHWC, NCHW4, nChw16c) names the array's axes as
    NumPy shows them, and the file says which of them lies innermost. Any other text (strides, an
    expression) gives addresses in memory itself. ``shape``: the logical sizes. If None, they are
    computed from the extents, which needs a text of the first kind, and a file with one axis per
    extent. Errors: LayoutError naming shape, layout or dims.
    """
    sizes = logical_shape(text, stored, dims) if shape is None else tuple(shape)
    written = read_layout(text, Request(sizes, dims, stored.dtype))
    layout, extents = written.layout, stored.shape
    file = phrase("shape.extents", extents=str(extents))
    if stored.fortran_order and written.order is None:
        extents = extents[::-1]
        file = phrase("shape.fortran_extents", extents=str(extents))
    if len(extents) == 1:
        if extents[0] < layout.buffer_elements:
            got = f"{layout.buffer_elements} elements of memory"
            raise refusal("shape", got, "shape.file_elements", most=extents[0])
    elif extents != stored_shape(written):
        got = Described(f"a layout whose memory is {stored_shape(written)}")
        raise LayoutError("shape", got, file)
    elif stored.fortran_order and written.order is not None:
        return _first_innermost(layout, written.order, extents)
    return layout


def _first_innermost(layout: Layout, order: DigitOrder, extents: Sequence[int]) -> Layout:
    """Return the layout with the digits of ``order`` packed from the first to the last."""
    digits = [list(each) for each in layout.digits]
    for (d, k), stride in zip(order, reversed(packed_strides(extents[::-1])), strict=True):
        digits[d][k] = Digit(digits[d][k].extent, stride)
    return Layout(layout.shape, layout.dims, tuple(map(tuple, digits)))


def logical_shape(text: str, stored: Stored, dims: str | None) -> tuple[int, ...]:
    """Return the logical sizes of an array whose axes are the digits of ``text``, in its order.

    Errors: LayoutError naming shape if the text does not give the sizes.
    """
    extents = stored.shape
    spec = read_spec(text)
    if dims is not None:
        named = Request((1,) * len(dims), dims, stored.dtype)
        check_request(named)
        if not spec.takes(dims):
            spec.apply(named)  # raises an error that lists the names it takes
    for rank in range(len(extents), 0, -1):
        order = spec.order_of_rank(rank, dims)
        if order is not None and len(order) == len(extents):
            sizes = [1] * rank
            for (d, _), extent in zip(order, extents, strict=True):
                sizes[d] *= extent
            return tuple(sizes)
    raise refusal("shape", f"an array of rank {len(extents)} and no logical sizes", "shape.logical")
