"""PyTorch: memory formats, strides with a storage offset, and what a session prints.

Strides and the storage offset count elements. ``preserve_format`` is an error: it keeps the
strides of an operation's input, and there is no input here.

Grammar:
    text    = ["torch."] ( "contiguous_format" | "channels_last" | "channels_last_3d" )
            | "contiguous" | [ size ] strides [ "+" storage offset ]
            | type "[" sizes "]" [ "[" strides "]" ] [ device ]
    size    = "torch.Size([" [ integer { "," integer } ] "])" [","]
    strides = "(" { integer "," } ")"

Example: torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3) with shape (10, 3, 32, 32): channels_last.

Trap: channels_last changes the strides, not the order of the sizes, which is always N, C, H, W. It
exists only for rank 4, and channels_last_3d only for rank 5. With sizes of 1, a tensor can be both
contiguous and channels_last. In a graph that is printed without strides, f32[2, 8]cpu has sizes
only. i8 is PyTorch's int8 there and b8 its bool.

Source: c10/core/MemoryFormat.h, get_channels_last_strides_2d and _3d; torch.Tensor.stride;
torch/fx/graph.py, print_readable(include_stride=True, include_device=True).
"""

import math
import re
from dataclasses import dataclass, replace

from ...model.dtypes import ELEMENT_TYPES, ElementType
from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.facts import CONTIGUOUS, MEMORY_ORDER
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, per_size, skip_blanks, skip_comma
from ..grammar.cursor import read_literal
from ..orders import DigitOrder, Order
from ..specs import RankSpec, Request, Spec, Written, strided
from .strides import StridesSpec, parse_numbers, plain_strides, write_numbers

_SHORT = "contiguous"
_PRESERVE = "preserve_format"
# f32[2, 3][3, 1]cuda:0: the strides or the device tell it from a shape of XLA's.
ANNOTATION = re.compile(
    r"(?P<type>[a-z]{1,2}[0-9][0-9a-z]{0,12})(?P<sizes>\[[^\[\]()]{0,800}\])"
    r"(?P<strides>\[[^\[\]()]{0,800}\]|\([^\[\]()]{0,800}\))?"
    r"(?P<device>(?:cpu|cuda|xpu|mps|meta|hpu|mtia|privateuseone)(?::[0-9]{1,3})?)?(?![\w\[({])",
    re.ASCII,
)
_KINDS = {"int": "i", "uint": "u", "float": "f", "complex": "c", "bool": "b"}
# torch.utils._dtype_abbrs
ABBREVIATIONS = {
    **{f"{_KINDS[t.kind]}{t.bits}": t.name for t in ELEMENT_TYPES.values() if not t.extended},
    **{t.xla: t.name for t in ELEMENT_TYPES.values() if t.extended and t.kind == "float"},
}
_SIZE = re.compile(r"(?:torch\.)?Size\s*\(")


def recognises(text: str) -> bool:
    """Whether ``text`` is one of the memory formats or begins with a ``torch.Size``."""
    name = text.strip().removeprefix("torch.")
    if name in MEMORY_ORDER or name in {_SHORT, _PRESERVE} or _SIZE.match(text):
        return True
    annotated = ANNOTATION.fullmatch(text)
    return annotated is not None and (annotated["strides"] or annotated["device"]) is not None


def read(text: str) -> Spec:
    name = text.strip().removeprefix("torch.")
    if name == _PRESERVE:
        raise unreadable(text, text.index(_PRESERVE), phrase("pytorch.preserve"))
    if name == _SHORT:
        return MemoryFormat(CONTIGUOUS)
    if name in MEMORY_ORDER:
        return MemoryFormat(name)
    if _SIZE.match(text):
        return _of_session(text)
    if annotated := ANNOTATION.fullmatch(text):
        shape, strides, dtype = of_annotation(text, annotated)
        if strides is None:
            raise unreadable(text, annotated.end("sizes"), phrase("pytorch.annotation"))
        return StridesSpec.of_numbers(strides, 0, shape, dtype)
    if name[:1].isalpha():
        names = tuple(MEMORY_ORDER)
        raise LayoutError("layout", text, phrase("pytorch.format", names=names))
    return StridesSpec.of_numbers(*parse_numbers(text))


@dataclass(frozen=True, slots=True)
class MemoryFormat(RankSpec):
    """contiguous_format of any rank, channels_last of rank 4, channels_last_3d of rank 5."""

    text: str

    def order_for(self, dims: str) -> Order | None:
        order = MEMORY_ORDER[self.text] or tuple(range(len(dims)))
        return tuple((d, None) for d in order) if len(order) == len(dims) else None

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        rank = len(MEMORY_ORDER[self.text] or shape)
        return None if rank == len(shape) else phrase("pytorch.rank", n=rank, name=self.text)

    def apply(self, request: Request) -> Written:
        made = RankSpec.apply(self, request)
        order = MEMORY_ORDER[self.text]
        if 0 not in request.shape or order is None:
            return made
        # PyTorch multiplies by a size of 0 here; in contiguous_format it counts as 1.
        strides = [math.prod(request.shape[k] for k in order[i + 1 :]) for i in range(len(order))]
        strides = [strides[order.index(d)] for d in range(len(order))]
        return replace(made, layout=strided(request, strides, 0, "").layout)


def suggests(layout: Layout, memory_format: str) -> bool:
    """PyTorch's ``suggest_memory_format``: by the order of strides, dense or not.

    ``layout``: strided. Source: c10/core/MemoryFormat.h, is_channels_last_strides_2d_s4, _3d_s5.
    """
    orders = {name: o for name, o in MEMORY_ORDER.items() if o and len(o) == layout.rank}
    found = (name for name, order in orders.items() if _is_ordered(layout, order))
    return next(found, CONTIGUOUS) == memory_format


def _is_ordered(layout: Layout, order: tuple[int, ...]) -> bool:
    shape, strides = layout.shape, layout.strides or (0,) * layout.rank
    if strides[1] == 0:
        return False
    least = 0
    for d in reversed(order):
        if shape[d] == 0 or strides[d] < least:
            return False
        # Sizes of 1 leave two formats possible: PyTorch takes NCHW then.
        if d == 0 and least == strides[1]:
            return False
        least = strides[d] * max(shape[d], 1)
    return True


def _of_session(text: str) -> StridesSpec:
    """The spec of ``torch.Size([2, 3]) (3, 1)``, which contains the sizes."""
    shape, end = read_size(text, 0)
    end = skip_comma(text, end)
    if end == len(text):
        raise unreadable(text, end, phrase("pytorch.strides"))
    try:
        strides, offset = parse_numbers(text[end:])
    except LayoutError as error:
        raise unreadable(text, end + (error.position or 0), error.expectation) from error
    if len(strides) != len(shape):
        raise unreadable(text, end, per_size(shape))
    return StridesSpec.of_numbers(strides, offset, shape)


def of_annotation(
    text: str, found: re.Match[str]
) -> tuple[tuple[int, ...], tuple[int, ...] | None, str | None]:
    """The sizes, strides and type in ``f32[2, 3][3, 1]cpu``; None for missing strides and for a
    type that has no row here. Errors: LayoutError with the position in ``text``."""
    numbers: dict[str, tuple[int, ...] | None] = {"strides": None}
    for name in ("sizes", "strides"):
        if found[name] is not None:
            symbol = re.search(r"[A-Za-z_]\w{0,40}", found[name], re.ASCII)
            if symbol is not None:
                expected = phrase("pytorch.symbol", size=symbol[0])
                raise unreadable(text, found.start(name) + symbol.start(), expected)
            literal, _ = read_literal(text, found.start(name))
            numbers[name] = literal.integers(text)
    shape, strides = numbers["sizes"] or (), numbers["strides"]
    if strides is not None and len(strides) != len(shape):
        raise unreadable(text, found.start("strides"), per_size(shape))
    return shape, strides, ABBREVIATIONS.get(found["type"])


def read_size(text: str, at: int) -> tuple[tuple[int, ...], int]:
    """The sizes of the ``torch.Size([…])`` at ``at`` and the position after it."""
    opened = _SIZE.match(text, at)
    assert opened is not None  # the caller has found it there
    literal, end = read_literal(text, opened.end())
    end = skip_blanks(text, end)
    if not text.startswith(")", end):
        raise unreadable(text, end, phrase("parenthesis"))
    return literal.integers(text), end + 1


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    """Strides and storage offset, as from ``stride()`` and ``storage_offset()``."""
    strides = plain_strides(layout)
    if any(s < 0 for s in strides):
        raise CannotSayError("pytorch.negative")
    return write_numbers(strides, layout.offset)


_WORDS = (*MEMORY_ORDER, _SHORT, *(f"torch.{name}" for name in MEMORY_ORDER))
DIALECT = Dialect("pytorch", "PyTorch", "Strides", recognises, read, write, words=_WORDS)
