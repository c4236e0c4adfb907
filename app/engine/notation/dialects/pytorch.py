"""PyTorch: memory formats, strides with a storage offset, and what a session prints.

Strides and the storage offset count elements. ``preserve_format`` is refused: it keeps the
strides of an operation's input, and a layout has none.

Grammar:
    text    = ["torch."] ( "contiguous_format" | "channels_last" | "channels_last_3d" )
            | [ size ] strides [ "+" storage offset ]
    size    = "torch.Size([" [ integer { "," integer } ] "])" [","]
    strides = "(" { integer "," } ")"

Example: torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3) with shape (10, 3, 32, 32): channels_last.

Trap: channels_last is about strides, never about the order of the sizes, which stays N, C, H, W.
It is for rank 4 alone and channels_last_3d for rank 5 alone; sizes of 1 satisfy both tests.

Source: c10/core/MemoryFormat.h, get_channels_last_strides_2d and _3d; torch.Tensor.stride.
"""

from __future__ import annotations

import math
import re

from ...dtypes import ElementType
from ...errors import LayoutError
from ...layout import Layout, default_dims
from ..dialect import CannotSayError, Dialect, TensorText, match_rank, skip_blanks, unreadable
from ..grammar.literals import read_literal
from .strides import parse_numbers, plain_strides, strided, write_numbers

# Memory order of the logical dimensions, outermost first; None: as they come, any rank.
_MEMORY_ORDER: dict[str, tuple[int, ...] | None] = {
    "contiguous_format": None,
    "channels_last": (0, 2, 3, 1),
    "channels_last_3d": (0, 2, 3, 4, 1),
}
_PRESERVE = "preserve_format"
_SIZE = re.compile(r"(?:torch\.)?Size\s*\(")


def recognises(text: str) -> bool:
    """Whether ``text`` is one of the memory formats or begins with a ``torch.Size``."""
    name = text.strip().removeprefix("torch.")
    return name in _MEMORY_ORDER or name == _PRESERVE or _SIZE.match(text) is not None


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a memory format or of strides in elements."""
    name = text.strip().removeprefix("torch.")
    if name == _PRESERVE:
        raise unreadable(
            text,
            text.index(_PRESERVE),
            "a format of its own: preserve_format keeps the strides of an operation's input, "
            "so give those strides",
        )
    if name in _MEMORY_ORDER:
        return _of_format(name, tensor)
    if _SIZE.match(text):
        return _of_session(text, tensor)
    if name[:1].isalpha():
        raise LayoutError("layout", text, "one of " + ", ".join(_MEMORY_ORDER) + ", or strides")
    strides, offset = parse_numbers(text)
    return strided(strides, offset, tensor, spelling=write_numbers(strides, offset))


def _of_format(name: str, tensor: TensorText) -> Layout:
    order = _MEMORY_ORDER[name] or tuple(range(len(tensor.shape)))
    if len(order) != len(tensor.shape):
        raise LayoutError("shape", tensor.shape, f"{len(order)} sizes for {name}")
    dims = default_dims(len(order)) if tensor.dims is None else tensor.dims
    match_rank(tensor, dims)
    if 0 in tensor.shape and name != "contiguous_format":
        # These two count a size of 0 as 0 where contiguous_format counts it as 1.
        strides = [0] * len(order)
        for i, d in enumerate(order):
            strides[d] = math.prod(tensor.shape[k] for k in order[i + 1 :])
        return Layout.strided(tensor.shape, strides, dims=dims, spelling=name)
    return Layout.packed(tensor.shape, dims, [(d, None) for d in order], spelling=name)


def _of_session(text: str, tensor: TensorText) -> Layout:
    """Layout of ``torch.Size([2, 3]) (3, 1)``; the sizes must be the tensor's."""
    shape, end = read_size(text, 0)
    if shape != tensor.shape:
        raise LayoutError("shape", tensor.shape, f"the sizes of the text, {shape}")
    end = skip_blanks(text, end)
    end = skip_blanks(text, end + 1) if text.startswith(",", end) else end
    if end == len(text):
        raise unreadable(text, end, "the strides after the sizes, as in torch.Size([2, 3]) (3, 1)")
    try:
        strides, offset = parse_numbers(text[end:])
    except LayoutError as error:
        raise unreadable(text, end + (error.position or 0), error.expectation) from error
    if len(strides) != len(shape):
        raise unreadable(text, end, f"{len(shape)} strides, one per size")
    return strided(strides, offset, tensor, spelling=write_numbers(strides, offset))


def read_size(text: str, at: int) -> tuple[tuple[int, ...], int]:
    """The sizes of the ``torch.Size([…])`` at ``at`` and the position after it."""
    opened = _SIZE.match(text, at)
    if opened is None:
        raise unreadable(text, at, "torch.Size([…])")
    literal, end = read_literal(text, opened.end())
    end = skip_blanks(text, end)
    if not text.startswith(")", end):
        raise unreadable(text, end, "a closing )")
    return literal.integers(text), end + 1


def own_shape(text: str) -> tuple[int, ...] | None:
    """The sizes that a ``torch.Size`` carries."""
    try:
        return read_size(text, 0)[0] if _SIZE.match(text) else None
    except LayoutError:
        return None


def write(layout: Layout, dtype: ElementType) -> str:
    """Strides and storage offset as ``stride()`` and ``storage_offset()`` give them."""
    del dtype
    strides = plain_strides(layout)
    if any(s < 0 for s in strides):
        raise CannotSayError("PyTorch tensors have no negative strides.")
    return write_numbers(strides, layout.offset)


DIALECT = Dialect("pytorch", recognises, parse, write, own_shape=own_shape)
