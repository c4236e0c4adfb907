"""A tensor as a file stores it, and the layouts that its bytes can have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..engine.model.dtypes import ElementType
from ..engine.model.errors import Described, LayoutError
from ..engine.model.layout import Layout
from ..engine.notation import Request, Written, check_request, read_layout, read_spec

_MAX_RANK = 64  # NumPy's


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor as its file's header describes it.

    ``name``: None if the format has no names. ``shape``: the extents of memory, outermost first;
    for a file in Fortran order, the header's shape reversed. ``begin``: index of the data's first
    byte in the file. ``size_bytes``: of the data. ``byte_order``: of elements wider than a byte;
    a reorder keeps it.
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
    """Return the layout that ``text`` gives a stored tensor.

    ``shape``: the logical sizes. If None, they are computed from the header's extents. That needs
    a text that gives the memory order (NHWC, NCHW4, nChw16c), and a file with one axis per
    extent. Errors: LayoutError naming shape, layout or dims.
    """
    sizes = logical_shape(text, stored, dims) if shape is None else tuple(shape)
    written = read_layout(text, Request(sizes, dims, stored.dtype))
    layout, extents = written.layout, stored.shape
    if len(extents) == 1:
        if extents[0] < layout.buffer_elements:
            raise LayoutError(
                "shape",
                Described(f"{layout.buffer_elements} elements of memory"),
                f"at most the {extents[0]} in the file",
            )
    elif extents != stored_shape(written):
        raise LayoutError(
            "shape",
            Described(f"a layout whose memory is {stored_shape(written)}"),
            f"{extents}, the extents in the file, or a one-dimensional file",
        )
    return layout


def logical_shape(text: str, stored: Stored, dims: str | None) -> tuple[int, ...]:
    """Return the logical sizes for the extents of memory, by the memory order in ``text``.

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
    raise LayoutError("shape", None, "logical sizes, as neither the file nor the layout gives them")
