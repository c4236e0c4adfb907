"""Specs: what the text of a layout defines before any sizes are known.

A dialect reads a text once and returns a ``Spec``. The spec is cached per text and makes the
layout of any shape:

- ``OrderSpec`` is a memory order of digits (NHWC, OIhw4i16o4i). It needs no sizes.
- ``RankSpec`` is an order that depends on the rank (contiguous_format, kCHW32).
- Any other ``Spec`` needs the sizes, or contains them: strides, XLA tiles, CuTe layouts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..model.dtypes import DEFAULT, ElementType
from ..model.errors import LayoutError, Phrase, phrase
from ..model.layout import Layout, NormalForm, default_dims
from .orders import DigitOrder, Order, order_is_layout, order_memory, order_of_tag

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Request:
    """The input beside a layout's text: logical sizes, dimension names or None, element type."""

    shape: tuple[int, ...]
    dims: str | None = None
    dtype: ElementType = DEFAULT


@dataclass(frozen=True, slots=True)
class Written:
    """A layout and how it was written.

    ``spelling``: the text that reads back with the same sizes; empty if there was no text.
    ``order``: the memory order that the text gives, None if it gives only strides.
    """

    layout: Layout
    spelling: str = ""
    order: DigitOrder | None = None

    @property
    def physical_shape(self) -> tuple[int, ...] | None:
        """Extents in the written order, outermost first; None if the layout has none."""
        if self.order is None or self.layout.physical_shape is None:
            return self.layout.physical_shape
        return tuple(self.layout.digits[d][k].extent for d, k in self.order)


class Spec(ABC):
    """What a text defines. ``apply`` makes the layout of a shape."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The logical sizes that the text contains, None if it contains none."""
        return None

    @property
    def dtype(self) -> str | None:
        """The element type that the text names, None if it names none."""
        return None

    @property
    def types(self) -> tuple[str, ...] | None:
        """The element types that the system has such a layout for, None if any."""
        return None

    @property
    def unread(self) -> tuple[str, ...]:
        """The parts of the text that say more than the layout and the element type do."""
        return ()

    @property
    def itemsize(self) -> int | None:
        """The bytes of an element, where the text says them and no element type."""
        return None

    def takes(self, dims: str) -> bool:
        """Whether the dimensions may have these names."""
        return True

    def dims_for(self, request: Request) -> str:
        """The names of the dimensions. Errors: LayoutError naming shape or dims."""
        return names_for(request)

    def order_for(self, dims: str) -> Order | None:
        """The memory order for dimensions of these names; None if it needs sizes or none fits."""
        return None

    def order_of_rank(self, rank: int, dims: str | None) -> Order | None:
        """The memory order for ``rank`` dimensions with the names ``dims``, or default names."""
        return self.order_for(default_dims(rank) if dims is None else dims)

    def wanted(self, shape: tuple[int, ...], dims: str) -> Phrase | None:
        """The sizes that the text needs, in words, if it does not take these; else None."""
        return None

    @abstractmethod
    def apply(self, request: Request) -> Written:
        """The layout of ``request``'s shape. Errors: LayoutError naming shape, dims or layout."""

    def attempt(self, request: Request) -> Written | LayoutError:
        """The same as ``apply``, but the error is returned, not raised."""
        try:
            return self.apply(request)
        except LayoutError as error:
            return error

    def memory(self, request: Request) -> NormalForm | None:
        """The normal form of the layout that ``apply`` returns, None where it raises."""
        made = self.attempt(request)
        return made.layout.normal_form if isinstance(made, Written) else None

    def is_layout(self, layout: Layout, dtype: ElementType) -> bool:
        """Whether the text gives the addresses of ``layout``, for its names and its shape."""
        order = self.order_for(layout.dims)
        if order is not None and 0 not in layout.shape:
            return order_is_layout(order, layout) and not self.wanted(layout.shape, layout.dims)
        if not self.takes(layout.dims):
            return False
        return self.memory(Request(layout.shape, layout.dims, dtype)) == layout.normal_form


class RankSpec(Spec):
    """A memory order that depends on the number of dimensions, or on their names."""

    __slots__ = ()

    text: str

    def apply(self, request: Request) -> Written:
        dims = self.dims_for(request)
        match_wanted(self.wanted(request.shape, dims), request)
        return ordered(request.shape, dims, self.order_for(dims) or (), self.text)

    def memory(self, request: Request) -> NormalForm | None:
        try:
            dims = self.dims_for(request)
        except LayoutError:
            return None
        order = self.order_for(dims)
        if order is None or 0 in request.shape:  # which some libraries count as 0
            return Spec.memory(self, request)
        if self.wanted(request.shape, dims):
            return None
        return order_memory(order, request.shape)


@dataclass(frozen=True, slots=True)
class OrderSpec(RankSpec):
    """Memory without gaps in an order of digits, outermost first.

    ``names``: the logical dimensions in canonical order; ``order`` uses their indices.
    ``by_name``: a request may list these names in another order. ``any_case``: it may use upper or
    lower case. ``any_names``: it may use other names, which then replace ``names`` by position.
    """

    text: str
    names: str
    order: Order
    by_name: bool = True
    any_names: bool = False
    any_case: bool = False

    @classmethod
    def of_tag(cls, text: str, tag: str, names: str) -> OrderSpec:
        """The spec of a ``tag`` such as ``OHWI4o4i``. Its letters are dimensions of ``names``."""
        return cls(text, names, order_of_tag(tag, names))

    def takes(self, dims: str) -> bool:
        return self.order_for(dims) is not None

    @property
    def letters(self) -> str:
        """The letters that a request may use, in words."""
        return ", ".join(self.names)

    def order_for(self, dims: str) -> Order | None:
        if dims == self.names:
            return self.order
        cased = dims.upper() if self.any_case else dims
        if self.by_name and sorted(cased) == sorted(self.names):
            return tuple((cased.index(self.names[d]), block) for d, block in self.order)
        return self.order if self.any_names and len(dims) == len(self.names) else None

    def order_of_rank(self, rank: int, dims: str | None) -> Order | None:
        if rank != len(self.names):
            return None
        return self.order_for(self.names if dims is None else dims)

    def dims_for(self, request: Request) -> str:
        match_rank(request, self.names)
        dims = self.names if request.dims is None else request.dims
        if not self.takes(dims):
            if self.any_names:
                match_rank(request, dims)
            raise LayoutError("dims", dims, phrase("dims.letters_of", letters=self.letters))
        return dims


def ordered(shape: tuple[int, ...], dims: str, order: Order, spelling: str) -> Written:
    """Memory without gaps, of ``shape`` in ``order``. Errors: LayoutError naming shape or dims."""
    places: list[tuple[int, int]] = []
    blocks = [0] * len(shape)
    for d, block in order:
        blocks[d] += block is not None
        places.append((d, 0 if block is None else blocks[d]))
    return Written(Layout.packed(shape, dims, order), spelling, tuple(places))


@dataclass(frozen=True, slots=True)
class Entries(Generic[Key]):
    """Specs for dimensions of some names, each with its key.

    ``ordered``: indices of the rows that mean a memory order, by the order; many mean the same.
    ``others``: of those that need the sizes.
    """

    rows: tuple[tuple[Key, Spec], ...]
    ordered: dict[Order, list[int]]
    others: list[int]

    @classmethod
    def of(cls, specs: Iterable[tuple[Key, Spec]], dims: str) -> Entries[Key]:
        """Those of the specs that take dimensions of these names."""
        found = cls(tuple(row for row in specs if row[1].takes(dims)), {}, [])
        for at, (_, spec) in enumerate(found.rows):
            order = spec.order_for(dims)
            (found.ordered.setdefault(order, []) if order else found.others).append(at)
        return found

    def fitting(self, layout: Layout, dtype: ElementType) -> Iterator[Key]:
        """The keys of those that give the addresses of ``layout``; see ``Spec.is_layout``."""
        fit: list[int] = []
        others: Sequence[int] = range(len(self.rows))
        if 0 not in layout.shape:
            orders = (same for o, same in self.ordered.items() if order_is_layout(o, layout))
            fit, others = [at for same in orders for at in same], self.others
        for at in sorted((*fit, *others)):
            key, spec = self.rows[at]
            fits = at not in fit and spec.is_layout(layout, dtype)
            if fits or (at in fit and not spec.wanted(layout.shape, layout.dims)):
                yield key


def strided(
    request: Request, strides: Sequence[int], offset: int, spelling: str, names: str | None = None
) -> Written:
    """The layout of strides in elements; ``names``: the default names, None for the rank's."""
    dims = names_for(request, names)
    return Written(Layout.strided(request.shape, strides, offset, dims=dims), spelling)


def match_rank(request: Request, names: str) -> None:
    """Raise LayoutError if the shape does not have one size for each of ``names``."""
    if len(request.shape) != len(names):
        listed = ", ".join(names) if names else "none"
        expected = phrase("layout.sizes", n=len(names), names=listed)
        raise LayoutError("shape", request.shape, expected)


def match_wanted(wanted: Phrase | None, request: Request) -> None:
    """Raise LayoutError if other sizes are ``wanted``; None: the text takes these."""
    if wanted is not None:
        raise LayoutError("shape", request.shape, wanted)


def match_count(request: Request, count: int | None) -> None:
    """Raise LayoutError if the shape has not ``count`` sizes; None: there may be any number."""
    if count not in {None, len(request.shape)}:
        raise LayoutError("shape", request.shape, phrase("sizes.for_layout", n=count))


def match_shape(own: tuple[int, ...] | None, request: Request) -> None:
    """Raise LayoutError if the shape is not ``own``, the shape in the text; None: there is none."""
    if own is not None and own != request.shape:
        listed = ", ".join(map(str, own)) if len(own) <= 12 else f"{len(own)} sizes"
        raise LayoutError("shape", request.shape, phrase("layout.own_sizes", sizes=listed))


def names_for(request: Request, names: str | None = None) -> str:
    """The dimension names of the request, else ``names``, else the default names of its rank."""
    dims = request.dims
    if dims is None:
        dims = default_dims(len(request.shape)) if names is None else names
    match_rank(request, dims)
    return dims
