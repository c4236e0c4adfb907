"""PyTorch: memory formats, strides with a storage offset, and what a session prints.

Strides and the storage offset count elements. ``preserve_format`` is an error: it keeps the
strides of an operation's input, and there is no input here.

Grammar:
    text    = ["torch."] ( "contiguous_format" | "channels_last" | "channels_last_3d" )
            | [ size ] strides [ "+" storage offset ]
    size    = "torch.Size([" [ integer { "," integer } ] "])" [","]
    strides = "(" { integer "," } ")"

Example: torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3) with shape (10, 3, 32, 32): channels_last.

Trap: channels_last changes the strides, not the order of the sizes, which is always N, C, H, W. It
exists only for rank 4, and channels_last_3d only for rank 5. With sizes of 1, a tensor can be both
contiguous and channels_last.

Source: c10/core/MemoryFormat.h, get_channels_last_strides_2d and _3d; torch.Tensor.stride.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, skip_blanks, skip_comma
from ..grammar.literals import read_literal
from ..orders import DigitOrder, Order
from ..specs import RankSpec, Request, Spec, Written, strided
from .strides import StridesSpec, parse_numbers, plain_strides, write_numbers

# Memory order of the logical dimensions, outermost first. None: logical order, any rank.
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


def read(text: str) -> Spec:
    """The spec of a memory format, or of strides in elements. Errors: LayoutError."""
    name = text.strip().removeprefix("torch.")
    if name == _PRESERVE:
        raise unreadable(
            text,
            text.index(_PRESERVE),
            "a format of its own: preserve_format keeps the strides of an operation's input, "
            "so give those strides",
        )
    if name in _MEMORY_ORDER:
        return MemoryFormat(name)
    if _SIZE.match(text):
        return _of_session(text)
    if name[:1].isalpha():
        raise LayoutError("layout", text, "one of " + ", ".join(_MEMORY_ORDER) + ", or strides")
    return StridesSpec.of_numbers(*parse_numbers(text))


@dataclass(frozen=True, slots=True)
class MemoryFormat(RankSpec):
    """contiguous_format of any rank, channels_last of rank 4, channels_last_3d of rank 5."""

    text: str

    def order_for(self, dims: str) -> Order | None:
        order = _MEMORY_ORDER[self.text] or tuple(range(len(dims)))
        return tuple((d, None) for d in order) if len(order) == len(dims) else None

    def wanted(self, shape: tuple[int, ...], dims: str) -> str | None:
        rank = len(_MEMORY_ORDER[self.text] or shape)
        return None if rank == len(shape) else f"{rank} sizes for {self.text}"

    def apply(self, request: Request) -> Written:
        made = RankSpec.apply(self, request)
        order = _MEMORY_ORDER[self.text]
        if 0 not in request.shape or order is None:
            return made
        # PyTorch multiplies by a size of 0 here; in contiguous_format it counts as 1.
        strides = [math.prod(request.shape[k] for k in order[i + 1 :]) for i in range(len(order))]
        strides = [strides[order.index(d)] for d in range(len(order))]
        return replace(made, layout=strided(request, strides, 0, "").layout)


def _of_session(text: str) -> StridesSpec:
    """The spec of ``torch.Size([2, 3]) (3, 1)``, which contains the sizes."""
    shape, end = read_size(text, 0)
    end = skip_comma(text, end)
    if end == len(text):
        raise unreadable(text, end, "the strides after the sizes, as in torch.Size([2, 3]) (3, 1)")
    try:
        strides, offset = parse_numbers(text[end:])
    except LayoutError as error:
        raise unreadable(text, end + (error.position or 0), error.expectation) from error
    if len(strides) != len(shape):
        raise unreadable(text, end, f"{len(shape)} strides, one per size")
    return StridesSpec.of_numbers(strides, offset, shape)


def read_size(text: str, at: int) -> tuple[tuple[int, ...], int]:
    """The sizes of the ``torch.Size([…])`` at ``at`` and the position after it. Errors: LayoutError
    with the position."""
    opened = _SIZE.match(text, at)
    assert opened is not None  # the caller has found it there
    literal, end = read_literal(text, opened.end())
    end = skip_blanks(text, end)
    if not text.startswith(")", end):
        raise unreadable(text, end, "a closing )")
    return literal.integers(text), end + 1


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    """Strides and storage offset, as from ``stride()`` and ``storage_offset()``. Errors:
    CannotSayError."""
    strides = plain_strides(layout)
    if any(s < 0 for s in strides):
        raise CannotSayError("PyTorch tensors have no negative strides.")
    return write_numbers(strides, layout.offset)


DIALECT = Dialect(
    "pytorch",
    "PyTorch",
    "Strides",
    recognises,
    read,
    write,
    words=(*_MEMORY_ORDER, *(f"torch.{name}" for name in _MEMORY_ORDER)),
)
