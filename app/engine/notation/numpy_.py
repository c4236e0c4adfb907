"""NumPy: strides in bytes, ``(20, 4)``, with ``+offset`` in bytes; or the orders ``C``, ``F``.

    text = "C" | "F" | strides in bytes [ "+" offset in bytes ]

Read only under ``numpy:``, since a bare tuple means elements here. MegEngine counts alike.
Source: numpy.ndarray.strides.
"""

from __future__ import annotations

from app.engine.dtypes import ElementType
from app.engine.errors import LayoutError
from app.engine.layout import Layout, default_dims
from app.engine.notation.base import CannotSayError, Dialect, TensorText, match_rank
from app.engine.notation.strides import parse_numbers, plain_strides, strided, write_numbers


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of byte strides; they must be whole multiples of the item size."""
    stripped = text.strip()
    if stripped in {"C", "F"}:
        rank = len(tensor.shape)
        dims = default_dims(rank) if tensor.dims is None else tensor.dims
        match_rank(tensor, dims)
        axes = range(rank) if stripped == "C" else reversed(range(rank))
        return Layout.packed(
            tensor.shape, dims, [(d, None) for d in axes], spelling=f"numpy:{stripped}"
        )
    strides, offset = parse_numbers(text)
    return from_bytes(strides, offset, tensor, field="layout")


def from_bytes(strides: list[int], offset: int, tensor: TensorText, *, field: str) -> Layout:
    """Layout of ``strides`` and ``offset`` in bytes."""
    itemsize = tensor.dtype.itemsize
    if itemsize is None:
        raise LayoutError(
            field, strides, f"strides in elements: {tensor.dtype.name} is no whole byte"
        )
    for value in (*strides, offset):
        if value % itemsize:
            raise LayoutError(
                field, value, f"multiples of the {itemsize} bytes of {tensor.dtype.name}"
            )
    layout = strided([s // itemsize for s in strides], offset // itemsize, tensor)
    return layout.spelled(write_numbers([s // itemsize for s in strides], layout.offset))


def write(layout: Layout, dtype: ElementType) -> str:
    """Byte strides and offset."""
    strides = plain_strides(layout)
    if dtype.itemsize is None:
        raise CannotSayError(f"NumPy strides are whole bytes and {dtype.name} is half a byte.")
    n = dtype.itemsize
    return write_numbers([s * n for s in strides], layout.offset * n)


DIALECT = Dialect("numpy", lambda text: False, parse, write)
