"""What a drawing of a network says of a layout: its text, its kind, a short name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from ..model.dtypes import ElementType
from ..model.errors import LayoutError
from ..model.layout import Layout, default_dims, packed_strides
from ..notation import DIALECTS, parse_layout
from ..notation.dialect import CannotSayError

Kind = Literal["plain", "last", "blocked", "other", "absent", "unknown"]

_BY_SYSTEM: Final = {dialect.system: dialect for dialect in DIALECTS}
_MOST_SHORT: Final = 10  # characters


@dataclass(frozen=True, slots=True)
class LayoutLabel:
    """A layout as it is drawn.

    ``layout``: a text that reads back with the same shape, None where there is none. ``kind``:
    plain is row-major; last has dimension 1, the channels, innermost; blocked has dimensions in
    blocks; other is all else; absent is never in memory; unknown is not known. ``short``: a name
    of at most 13 characters.
    """

    layout: str | None
    kind: Kind
    short: str


UNKNOWN: Final = LayoutLabel(None, "unknown", "not known")
FUSED: Final = LayoutLabel(None, "absent", "fused")


def plain_name(rank: int) -> str:
    """The letters of row-major memory: those of a tensor alone, but N comes before C at rank 3."""
    return "NCW" if rank == 3 else default_dims(rank) or "()"


@lru_cache(maxsize=4096)
def label_of(
    layout: Layout, dtype: ElementType, notation: str = "letters", word: str = ""
) -> LayoutLabel:
    """The label of a layout, with a text in ``notation`` if that says it exactly.

    ``word``: the rule set's name of the layout, which a blocked one is called by.
    """
    systems = (notation, "letters", "strides", *_BY_SYSTEM)
    text = next(filter(None, (_said(layout, dtype, each) for each in systems)), "")
    kind, name = _kind(layout), plain_name(layout.rank)
    if kind == "plain":
        short = name if layout.rank < 6 else "row-major"
    elif kind == "last":
        short = name[0] + name[2:] + name[1] if layout.rank < 6 else "channels last"
    elif kind == "blocked":
        short = (word or text.rpartition(":")[2])[:_MOST_SHORT] or "blocked"
    else:
        strided = "strided" if layout.swizzle is None else "swizzled"
        short = _said(layout, dtype, "letters") or strided
    return LayoutLabel(text or None, kind, short)


def _said(layout: Layout, dtype: ElementType, system: str) -> str | None:
    """The text of a notation, if it has one that reads back as this layout."""
    try:
        text = _BY_SYSTEM[system].write(layout, dtype, None)
        text = text if system in {"letters", "strides"} else f"{system}:{text}"
        again = parse_layout(text, layout.shape)
    except (CannotSayError, LayoutError):
        return None
    same = (again.strides, again.offset, again.swizzle) == (
        layout.strides,
        layout.offset,
        layout.swizzle,
    )
    return text if same and (layout.strides is not None or again.digits == layout.digits) else None


def _kind(layout: Layout) -> Kind:
    """Where sizes of 1 allow both, the strides of dimensions of size 1 decide."""
    strides, rank = layout.strides, layout.rank
    if layout.swizzle is not None:
        return "other"
    if strides is None or layout.padded_shape != layout.shape:
        return "blocked"
    rows = tuple(range(rank))
    orders: dict[Kind, Sequence[int]] = {"plain": rows}
    if rank > 2:
        orders["last"] = (0, *rows[2:], 1)
    for ones_count in (True, False):
        for kind, order in orders.items():
            packed = packed_strides([layout.shape[d] for d in order])
            if all(
                strides[d] == step or (layout.shape[d] == 1 and not ones_count)
                for d, step in zip(order, packed, strict=True)
            ):
                return kind
    return "other"
