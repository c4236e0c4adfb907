"""What a drawing of a network says of a layout, and the letters of a tensor's dimensions.

Convolution, pooling and the other operators on images say that a tensor has a batch, channels and
space: N, C, D, H, W; a convolution's weight has O, I, D, H, W, a transposed one's I, O, D, H, W.
Operators that keep all dimensions carry a meaning on, forwards and backwards. Nothing else has
letters: after a reshape or a transpose they are not known, until an operator says them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from operator import attrgetter
from typing import Final, Literal

from ..model.dtypes import ElementType
from ..model.errors import LayoutError
from ..model.layout import Layout, default_dims, packed_strides
from ..notation import DIALECTS, parse_layout, reader_of, split_system
from ..notation.dialect import CannotSayError
from ..notation.specs import OrderSpec
from .graph import Graph
from .nodes import Node
from .operators.convolution import spatial_dims

Kind = Literal["plain", "last", "blocked", "other", "absent", "unknown"]

_memory = attrgetter("strides", "offset", "swizzle")
_BY_SYSTEM: Final = {dialect.system: dialect for dialect in DIALECTS}
_MOST_SHORT: Final = 10  # characters
ABSTRACT: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # as oneDNN's tags
DEFAULT_BLOCK: Final = 16  # channels, where nothing names a machine: a vector of AVX-512
SPACE: Final = {3: "W", 4: "HW", 5: "DHW"}  # the letters of an image's space, by its rank


@dataclass(frozen=True, slots=True)
class LayoutLabel:
    """A layout as it is drawn.

    ``layout``: a text that reads back with the same shape, None where there is none. ``kind``:
    plain is row-major; last has the channels innermost; blocked has dimensions in
    blocks; other is all else; absent is never in memory; unknown is not known. ``short``: a name
    of at most 13 characters.
    """

    layout: str | None
    kind: Kind
    short: str


UNKNOWN: Final = LayoutLabel(None, "unknown", "not known")
FUSED: Final = LayoutLabel(None, "absent", "fused")


def reads_as(dims: str) -> str:
    """The letters that a layout's text can have for the dimensions ``dims``; empty for none.

    A text reads O before I, so a transposed convolution's weight, I before O, has none.
    """
    return "" if dims.startswith("IO") else dims


def plain_name(rank: int) -> str:
    """The letters of row-major memory: those of a tensor alone, but N comes before C at rank 3."""
    return "NCW" if rank == 3 else default_dims(rank) or "()"


def block_of(name: str) -> int:
    """How many channels a name blocks, 1 if none: 16 for nChw16c, 4 for CHWN4."""
    reader = reader_of(name)
    spec = reader and reader.attempt(name)
    return prod(block or 1 for _, block in spec.order) if isinstance(spec, OrderSpec) else 1


@lru_cache(maxsize=65536)
def layout_of(text: str, shape: tuple[int, ...]) -> Layout:
    """The layout of that text for these sizes. Errors: LayoutError, as ``parse_layout``."""
    return parse_layout(text, shape)


@lru_cache(maxsize=65536)
def row_major(shape: tuple[int, ...]) -> Layout:
    """Row-major memory of these sizes."""
    return Layout.strided(shape, packed_strides(shape))


def relettered(text: str, rank: int, dims: str) -> str:
    """A layout's text with the letters ``dims``, where it has the usual ones of that rank alone.

    Empty ``dims``: with a, b, c…, as no meaning is known. The text reads back alike. Empty where
    the system has no such letters.
    """
    dims = reads_as(dims)
    system, word = split_system(text)
    usual = plain_name(rank).upper()
    if dims.startswith(("N", "C")) or rank < 1 or sorted(word.upper()) != sorted(usual):
        return text
    if system == "megengine":  # which names weights as images, and nothing else by letters
        return text if dims else ""
    made = word.upper().translate(str.maketrans(usual, dims or ABSTRACT[:rank]))
    if system == "tvm":
        return f"tvm:{made.upper()}"
    made = made.lower() if word.islower() or not dims else made
    return f"onednn:{made}" if system == "onednn" else made


@lru_cache(maxsize=4096)
def label_of(
    layout: Layout, dtype: ElementType, notation: str = "letters", word: str = "", dims: str = ""
) -> LayoutLabel:
    """The label of a layout, with a text in ``notation`` if that says it exactly.

    ``word``: the rule set's name of the layout, which one with blocks is called by, also where the
    sizes make it the same memory as one without. ``dims``: the letters of its dimensions; empty
    where they have no known meaning and are a, b, c….
    """
    names = dims or ABSTRACT[: layout.rank]
    named = replace(layout, dims=names)
    order = _said(named, dtype, "letters" if reads_as(dims) else "onednn") or ""
    order = order.removeprefix("onednn:")
    others = (_said(named, dtype, each) for each in ("strides", *_BY_SYSTEM))
    text = _said(named, dtype, notation) or order or next(filter(None, others), None)
    channels = None if not dims else dims.find("C") if "C" in dims else 1
    in_blocks = word and any(len(digits) > 1 for digits in layout.digits)
    kind = "blocked" if in_blocks else _kind(layout, channels)
    few = layout.rank < 6
    if kind == "blocked":
        short = (word or split_system(text or "")[1])[:_MOST_SHORT] or "blocked"
    elif kind == "plain":
        short = (names or "()") if few else "row-major"
    elif kind == "last":
        assert channels is not None
        moved = names[:channels] + names[channels + 1 :] + names[channels]
        short = moved if few else "channels last"
    else:
        short = order or ("strided" if layout.swizzle is None else "swizzled")
    return LayoutLabel(text, kind, short)


def _said(layout: Layout, dtype: ElementType, system: str) -> str | None:
    """The text of a notation, if it has one that reads back as this layout."""
    try:
        text = _BY_SYSTEM[system].write(layout, dtype, None)
        text = text if system in {"letters", "strides"} else f"{system}:{text}"
        again = parse_layout(text, layout.shape)
    except (CannotSayError, LayoutError):
        return None
    same = _memory(again) == _memory(layout)
    return text if same and (layout.strides is not None or again.digits == layout.digits) else None


def _kind(layout: Layout, channels: int | None) -> Kind:
    """``channels``: their dimension. Where sizes of 1 allow both, strides of size 1 decide."""
    strides, rank = layout.strides, layout.rank
    if layout.swizzle is not None:
        return "other"
    if strides is None or layout.padded_shape != layout.shape:
        return "blocked"
    rows = tuple(range(rank))
    orders: dict[Kind, Sequence[int]] = {"plain": rows}
    if rank > 2 and channels is not None:
        orders["last"] = (*rows[:channels], *rows[channels + 1 :], channels)
    for ones_count in (True, False):
        for kind, order in orders.items():
            packed = packed_strides([layout.shape[d] for d in order])
            if all(
                strides[d] == step or (layout.shape[d] == 1 and not ones_count)
                for d, step in zip(order, packed, strict=True)
            ):
                return kind
    return "other"


_KEEPING = {"slice", "narrow", "flip", "roll"}


def dims_of(graph: Graph) -> Mapping[str, str]:
    """A letter for each dimension, by tensor, where an operator or the input's text gives them."""
    alike = {name: {name} for name in graph.types}  # tensors whose dimensions are the same ones
    said: dict[str, set[str]] = {}
    for node in graph.nodes:
        for name, dims in _letters(graph, node).items():
            said.setdefault(name, set()).add(dims)
        operator = node.operator
        if operator.agnostic or operator.pointwise or operator.name in _KEEPING:
            rank = graph.rank(node.outputs[0])
            names = [x for x in (*node.inputs, *node.outputs) if graph.rank(x) == rank >= 0]
            whole = max((alike[name] for name in names), key=len, default=set())
            for few in (alike[name] for name in names):
                if few is not whole:
                    whole |= few
                    alike.update(dict.fromkeys(few, whole))
    tensors = {**graph.inputs, **graph.constants}
    given = {name: {each.dims} for name, each in tensors.items() if each.dims}
    found: dict[str, str] = {}
    for members in {id(each): each for each in alike.values()}.values():
        by_operators, by_inputs = (
            {dims for name in members for dims in side.get(name, ())} for side in (said, given)
        )
        meanings = by_operators or by_inputs
        if len(meanings) == 1:  # of two meanings none is sure
            found |= dict.fromkeys(members, *meanings)
    return found


def spelled(
    graph: Graph, dims: Mapping[str, str], names: Sequence[str], texts: Sequence[str | None]
) -> list[str | None]:
    """The plan's texts of layouts, each with its tensor's own letters; ``dims``: of ``dims_of``."""
    return [
        text and relettered(text, graph.rank(name), dims.get(name, ""))
        for name, text in zip(names, texts, strict=True)
    ]


def _letters(graph: Graph, node: Node) -> dict[str, str]:
    """What an operator on images says of its operands and results."""
    if not node.operator.images or not node.inputs:
        return {}
    data = graph.rank(node.inputs[0])
    spatial = spatial_dims(node.op, node.origin, data)
    lead = {spatial + 1: "C", spatial + 2: "NC"}.get(data)
    space = SPACE.get(spatial + 2)
    if lead is None or space is None:
        return {}
    names = [node.inputs[0], *node.outputs]
    found = {name: lead + space for name in names if graph.rank(name) == data}
    if node.operator.family == "convolution" and (weight := node.input("weight")):
        found[weight] = ("IO" if node.operator.name == "conv_transpose" else "OI") + space
    return found
