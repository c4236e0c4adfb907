"""PyTorch: memory formats and strides with a storage offset, in elements.

    text = ["torch."] ("contiguous_format" | "channels_last" | "channels_last_3d")
         | strides [ "+" storage offset ]

channels_last is for rank 4 alone, channels_last_3d for rank 5 alone.
Source: c10/core/MemoryFormat.h, get_channels_last_strides_2d and _3d.
"""

from __future__ import annotations

from app.engine.dtypes import ElementType
from app.engine.errors import LayoutError
from app.engine.layout import Layout, default_dims
from app.engine.notation.base import CannotSayError, Dialect, TensorText, match_rank
from app.engine.notation.strides import parse_numbers, plain_strides, strided, write_numbers

# Memory order of the logical dimensions, outermost first; None: as they come, any rank.
_MEMORY_ORDER: dict[str, tuple[int, ...] | None] = {
    "contiguous_format": None,
    "channels_last": (0, 2, 3, 1),
    "channels_last_3d": (0, 2, 3, 4, 1),
}


def recognises(text: str) -> bool:
    """Whether ``text`` is one of the memory formats."""
    return text.strip().removeprefix("torch.") in _MEMORY_ORDER


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a memory format or of strides in elements."""
    name = text.strip().removeprefix("torch.")
    if name not in _MEMORY_ORDER:
        if name[:1].isalpha():
            raise LayoutError("layout", text, "one of " + ", ".join(_MEMORY_ORDER) + ", or strides")
        strides, offset = parse_numbers(text)
        return strided(strides, offset, tensor, spelling=write_numbers(strides, offset))
    order = _MEMORY_ORDER[name] or tuple(range(len(tensor.shape)))
    if len(order) != len(tensor.shape):
        raise LayoutError("shape", tensor.shape, f"{len(order)} sizes for {name}")
    dims = default_dims(len(order)) if tensor.dims is None else tensor.dims
    match_rank(tensor, dims)
    return Layout.packed(tensor.shape, dims, [(d, None) for d in order], spelling=name)


def write(layout: Layout, dtype: ElementType) -> str:
    """Strides and storage offset as ``stride()`` and ``storage_offset()`` give them."""
    del dtype
    strides = plain_strides(layout)
    if any(s < 0 for s in strides):
        raise CannotSayError("PyTorch tensors have no negative strides.")
    return write_numbers(strides, layout.offset)


DIALECT = Dialect("pytorch", recognises, parse, write)
