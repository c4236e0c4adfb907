"""From a layout to the named formats of the catalogue that it fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..dtypes import DEFAULT, ElementType
from ..layout import Layout
from ..notation import Request, read_spec
from ..notation.formats import FORMATS, NamedFormat
from ..notation.orders import addresses_of
from ..notation.specs import Entries, Spec, Written

Cause = Literal["size_one", "same_memory"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a layout fits, and why other names of the same system fit as well.

    ``reason``: one sentence, None if no other name fits. ``cause``: "size_one" if they all fit only
    because of sizes of 1 (those of the dimensions ``ones``), "same_memory" if they are the same
    memory with these sizes. ``rivals``: the other names.
    """

    name: str
    reason: str | None
    cause: Cause | None
    ones: tuple[str, ...]
    rivals: tuple[str, ...]


def names_of(layout: Layout, dtype: ElementType = DEFAULT) -> dict[str, list[Name]]:
    """The named formats that put each element at the same address as ``layout``, by system.

    The stride of a dimension of size 1 does not count, because its index is always 0. So several
    names may fit, and each lists the others as rivals. Names that are the same memory for every
    shape are no rivals. ``contiguous_format`` is for any rank.
    """
    found = tuple(_candidates(layout.dims).fitting(layout, dtype))
    fitting: dict[str, list[Name]] = {}
    ones = tuple(dim for dim, n in zip(layout.dims, layout.shape, strict=True) if n == 1)
    larger = _Memories(tuple(2 if size == 1 else size for size in layout.shape))
    for f, rivals in _with_rivals(found):
        only_by_ones = bool(ones) and not any(larger.are_equal(f, g) for g in rivals)
        name = _name(f, rivals, ones if only_by_ones else ())
        fitting.setdefault(f.system, []).append(name)
    return fitting


class _Memories:
    """The memory of formats for one shape, each made once."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._request = Request(shape)
        self._known: dict[NamedFormat, tuple[object, ...] | None] = {}

    def are_equal(self, f: NamedFormat, g: NamedFormat) -> bool:
        """Whether both take the shape and are the same memory."""
        mine = self._memory(f)
        return mine is not None and mine == self._memory(g)

    def _memory(self, f: NamedFormat) -> tuple[object, ...] | None:
        if f not in self._known:
            made = _spec(f).attempt(self._request)
            self._known[f] = addresses_of(made.layout) if isinstance(made, Written) else None
        return self._known[f]


@lru_cache(maxsize=512)
def _with_rivals(
    found: tuple[NamedFormat, ...],
) -> tuple[tuple[NamedFormat, tuple[NamedFormat, ...]], ...]:
    """Each format with those of its system that are not the same memory for every shape."""
    return tuple(
        (f, tuple(g for g in found if g.system == f.system and g is not f and not _synonyms(f, g)))
        for f in found
    )


def _name(f: NamedFormat, rivals: tuple[NamedFormat, ...], ones: tuple[str, ...]) -> Name:
    """``ones``: the dimensions because of which the rivals fit, empty if they always do."""
    if not rivals:
        return Name(f.text, None, None, (), ())
    texts = tuple(g.text for g in rivals)
    others = " and ".join(texts)
    if ones:
        subject = "its stride does" if len(ones) == 1 else "their strides do"
        verb, fit = "has" if len(ones) == 1 else "have", "fits" if len(texts) == 1 else "fit"
        because = f"{', '.join(ones)} {verb} size 1 and {subject} not count"
        return Name(f.text, f"{because}, so {others} {fit} as well", "size_one", ones, texts)
    reason = f"with these sizes {others} {'is' if len(texts) == 1 else 'are'} the same memory"
    return Name(f.text, reason, "same_memory", (), texts)


def _spec(f: NamedFormat) -> Spec:
    return read_spec(f"{f.system}:{f.text}")


@lru_cache(maxsize=4096)
def _synonyms(f: NamedFormat, g: NamedFormat) -> bool:
    return _Memories(tuple(128 * (d + 3) for d in range(f.rank))).are_equal(f, g)


@lru_cache(maxsize=256)
def _candidates(dims: str) -> Entries[NamedFormat]:
    """The formats for dimensions with these letters. Cached."""
    contiguous = NamedFormat("pytorch", "contiguous_format", dims, "")
    named = [f for f in (contiguous, *FORMATS) if _names_fit(dims, f)]
    return Entries.of(((f, _spec(f)) for f in named), dims)


def _names_fit(dims: str, f: NamedFormat) -> bool:
    if f.rank != len(dims):
        return False
    # PyTorch and oneDNN's tags number the dimensions; the other systems name them by letter.
    by_name = set(dims) == set(f.dims)
    if f.system == "onednn":
        return dims == f.dims or (not by_name and set(dims) <= set("abcdefghijkl"))
    return f.system == "pytorch" or by_name
