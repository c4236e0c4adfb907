"""From a layout to the named formats of the catalogue that it fits."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..model.dtypes import DEFAULT, ElementType
from ..model.layout import Layout
from ..notation import Request, read_spec
from ..notation.formats import FORMATS, NamedFormat
from ..notation.specs import Entries, Spec

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
    shape are no rivals. ``contiguous_format`` is for any rank. A format that its system has for
    other element types only is no name.
    """
    named = _candidates(layout.dims).fitting(layout, dtype)
    found = _with_rivals(tuple(f for f in named if dtype.name in (_spec(f).types or {dtype.name})))
    fitting: dict[str, list[Name]] = {}
    ones = tuple(dim for dim, n in zip(layout.dims, layout.shape, strict=True) if n == 1)
    larger = {}
    if ones:
        shape = tuple(2 if size == 1 else size for size in layout.shape)
        larger = _memories((f for f, rivals in found if rivals), shape)
    for f, rivals in found:
        only_by_ones = bool(ones) and larger.get(f) not in map(larger.get, rivals)
        name = _name(f, rivals, ones if only_by_ones else ())
        fitting.setdefault(f.system, []).append(name)
    return fitting


def _memories(formats: Iterable[NamedFormat], shape: tuple[int, ...]) -> dict[NamedFormat, int]:
    """A number for each format, equal for those that take the shape and are the same memory."""
    request = Request(shape)
    numbers: dict[object, int] = {}
    return {f: numbers.setdefault(_spec(f).memory(request) or f, len(numbers)) for f in formats}


@lru_cache(maxsize=512)
def _with_rivals(
    found: tuple[NamedFormat, ...],
) -> tuple[tuple[NamedFormat, tuple[NamedFormat, ...]], ...]:
    """Each format with those of its system that are not the same memory for every shape."""
    return tuple(
        (f, tuple(g for g in found if g.system == f.system and g is not f and not _synonyms(f, g)))
        for f in found
    )


@lru_cache(maxsize=1 << 10)
def _name(f: NamedFormat, rivals: tuple[NamedFormat, ...], ones: tuple[str, ...]) -> Name:
    """``ones``: the dimensions because of which the rivals fit, empty if they always do."""
    if not rivals:
        return Name(f.name, None, None, (), ())
    texts = tuple(g.name for g in rivals)
    others = " and ".join(texts)
    if ones:
        subject = "its stride does" if len(ones) == 1 else "their strides do"
        verb, fit = "has" if len(ones) == 1 else "have", "fits" if len(texts) == 1 else "fit"
        because = f"{', '.join(ones)} {verb} size 1 and {subject} not count"
        return Name(f.name, f"{because}, so {others} {fit} as well", "size_one", ones, texts)
    reason = f"with these sizes {others} {'is' if len(texts) == 1 else 'are'} the same memory"
    return Name(f.name, reason, "same_memory", (), texts)


@lru_cache(maxsize=512)
def _spec(f: NamedFormat) -> Spec:
    return read_spec(f"{f.system}:{f.name}")


@lru_cache(maxsize=4096)
def _synonyms(f: NamedFormat, g: NamedFormat) -> bool:
    numbers = _memories((f, g), tuple(128 * (d + 3) for d in range(f.rank)))
    return numbers[f] == numbers[g]


@lru_cache(maxsize=256)
def _candidates(dims: str) -> Entries[NamedFormat]:
    """The formats for dimensions with these letters. Cached."""
    contiguous = NamedFormat("pytorch", "contiguous_format", dims, len(dims), "")
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
