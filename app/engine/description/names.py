"""Reverse identification: which of the catalogued names a layout satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..dtypes import DEFAULT, ElementType
from ..errors import LayoutError
from ..layout import Layout
from ..notation import parse_layout
from ..notation.dialect import same_addresses
from .formats import FORMATS, Format


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a layout satisfies; ``reason`` says why, where sizes of 1 leave it open.

    ``cause`` is "size_one" where the dimensions ``ones`` of size 1 alone leave it open,
    "same_memory" where these sizes do, None without ``rivals``: names of the same system that
    fit as well.
    """

    name: str
    reason: str | None
    cause: str | None = None
    ones: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()


def names_of(layout: Layout, dtype: ElementType = DEFAULT) -> dict[str, list[Name]]:
    """Every catalogued format, by system, that puts each element where ``layout`` does.

    A dimension of size 1 is never stepped along, so its stride does not count: then several
    names fit, and each says so. Names that mean the same for every shape are no rivals.
    ``contiguous_format`` fits any rank.
    """
    contiguous = Format("pytorch", "contiguous_format", layout.dims, "")
    found = [f for f in (contiguous, *FORMATS) if _fits(layout, f, dtype)]
    fitting: dict[str, list[Name]] = {}
    for f in found:
        rivals = [g for g in found if g.system == f.system and g is not f]
        name = _name(layout, f, [g for g in rivals if not _synonyms(f, g)])
        fitting.setdefault(f.system, []).append(name)
    return fitting


def _name(layout: Layout, f: Format, rivals: list[Format]) -> Name:
    if not rivals:
        return Name(f.text, None)
    texts = tuple(g.text for g in rivals)
    others = " and ".join(g.text for g in rivals)
    fit = "fits" if len(rivals) == 1 else "fit"
    twos = tuple(2 if size == 1 else size for size in layout.shape)
    ones = [dim for dim, size in zip(layout.dims, layout.shape, strict=True) if size == 1]
    if ones and not any(_equal_at(twos, f, g) for g in rivals):
        subject = "its stride does" if len(ones) == 1 else "their strides do"
        verb = "has" if len(ones) == 1 else "have"
        reason = (
            f"{', '.join(ones)} {verb} size 1 and {subject} not count, so {others} {fit} as well"
        )
        return Name(f.text, reason, "size_one", tuple(ones), texts)
    reason = f"with these sizes {others} {'is' if len(rivals) == 1 else 'are'} the same memory"
    return Name(f.text, reason, "same_memory", (), texts)


@lru_cache(maxsize=4096)
def _synonyms(f: Format, g: Format) -> bool:
    return _equal_at(tuple(128 * (d + 3) for d in range(f.rank)), f, g)


def _equal_at(shape: tuple[int, ...], f: Format, g: Format) -> bool:
    try:
        a, b = (parse_layout(f"{x.system}:{x.text}", shape) for x in (f, g))
    except LayoutError:
        return False
    return same_addresses(a, b)


def _fits(layout: Layout, f: Format, dtype: ElementType) -> bool:
    if f.rank != layout.rank:
        return False
    # PyTorch and the tags of oneDNN count dimensions; letters name them.
    by_name = set(layout.dims) == set(f.dims)
    if f.system not in {"pytorch", "onednn"} and not by_name:
        return False
    dims = layout.dims if by_name or f.system == "pytorch" else None
    if by_name and f.system == "onednn" and layout.dims != f.dims:
        return False
    if not by_name and f.system == "onednn" and not set(layout.dims) <= set("abcdefghijkl"):
        return False
    try:
        candidate = parse_layout(f"{f.system}:{f.text}", layout.shape, dims, dtype)
    except LayoutError:
        return False
    return same_addresses(candidate, layout)
