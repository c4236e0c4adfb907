"""The answers, and the documented shape of each.

An answer is a dataclass of the engine or a TypedDict whose name ends in Json. Its documentation is
made from its fields and its docstring; OpenAPI shows the name without Json.

Beside what JSON has, an answer holds arrays, long lists, and the engine's dataclasses. orjson
encodes dataclasses and arrays itself, several times faster than dicts that are made of them. Only
dataclasses with slots: of others it would encode what they keep beside their fields too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from inspect import getdoc
from operator import or_
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np
from pydantic import BaseModel, Field, create_model

from ..engine.description import description
from ..engine.model import dtypes
from ..engine.model.layout import Digit, Int64Array
from ..engine.model.views import Jump
from ..engine.notation.formats import NamedFormat
from ..engine.notation.slices import Pick
from ..engine.reorder.moves import Move

Answer = dict[str, Any]
Told = TypeVar("Told")

# Where OpenAPI has another name than the engine.
_NAMES: Final = {
    "Access": "SharedAccess",
    "Base": "ReadBase",
    "Edge": "DrawnEdge",
    "FoundTensor": "ReadTensor",
    "LayoutLabel": "Label",
    "LoggedEvent": "RunEvent",
    "LeftOut": "LeftOutBaseline",
    "Offer": "ChosenWay",
    "Vertex": "DrawnVertex",
    "WarpLane": "Lane",
}
_AT_ONCE: Final = 1 << 12  # entries of a long list
_FIELDS: Final = re.compile(r"(?:^|(?<=[.;] ))((?:``\w+``(?:, | and )?)+): ")


def plain(value: Any) -> Any:
    """A dataclass as a dict, an array or a long list as a list; the ``default`` of json.dumps."""
    if is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value.tolist()


class Listed(Sequence[Any]):
    """``count`` entries, made a part at a time: all of them as Python objects are too much.

    ``make``: returns those from one index up to another.
    """

    def __init__(self, count: int, make: Callable[[int, int], list[Any]]) -> None:
        self._count = count
        self._make = make

    def parts(self) -> Iterator[list[Any]]:
        """All entries, a few thousand at a time."""
        for start in range(0, self._count, _AT_ONCE):
            yield self._make(start, min(start + _AT_ONCE, self._count))

    def tolist(self) -> list[Any]:
        """All entries at once, as an array gives its own."""
        return list(self)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts():
            yield from part

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]


def shape_of(kind: Any) -> Any:
    """The documented shape of an annotation: each dataclass and TypedDict in it as a model.

    ``Annotated[dict, A, B]`` is a model A with the fields of B and its own, which come first.
    """
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind) or is_typeddict(kind):
        return _model((cast("type", kind),))
    if origin is Annotated:
        return _model(args[1:])
    if origin is np.ndarray:
        return list[int]
    if origin is Literal or not args:
        return kind
    inner = [shape_of(each) for each in args]
    if origin in {list, dict, tuple}:
        return origin[tuple(inner)]
    return list[inner[0]] if origin is Sequence else reduce(or_, inner)  # type: ignore[valid-type]  # made here


def told(kind: type[Told], of: object, /, **given: object) -> Told:
    """An answer of a TypedDict: the fields that are not given as ``of`` has them."""
    names = kind.__annotations__
    return cast("Told", {n: given[n] if n in given else getattr(of, n) for n in names})


@cache
def _model(kinds: tuple[type, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    said: dict[str, str] = {}
    summary = ""
    for kind in reversed(kinds):
        summary, words = _said(kind)
        said |= words
        hints = get_type_hints(kind, include_extras=True)
        if unknown := words.keys() - hints.keys():
            raise TypeError(f"{kind.__name__} has no {unknown}")
        for name, hint in hints.items():
            needed = getattr(kind, "__total__", True) and get_origin(hint) is not NotRequired
            shape = shape_of(get_args(hint)[0] if get_origin(hint) is NotRequired else hint)
            fields[name] = shape, Field(... if needed else None, description=said.get(name))
    name = kinds[0].__name__
    made = _NAMES.get(name, name.removesuffix("Json"))
    return create_model(made, __module__=kinds[0].__module__, __doc__=summary, **fields)


def _said(kind: type) -> tuple[str, dict[str, str]]:
    """The docstring: its beginning, and what it says of each field as "``field``: words"."""
    text = " ".join((getdoc(kind) or "").partition(">>>")[0].split())
    first, *parts = _FIELDS.split(text)
    return _sentence(first), {
        name: _sentence(said)
        for names, said in zip(parts[::2], parts[1::2], strict=True)
        for name in re.findall(r"\w+", names.replace(" and ", ""))
    }


def _sentence(text: str) -> str:
    """A sentence of a docstring as JSON's readers know its words."""
    plain = re.sub(r"\bNone\b", "null", text).replace("``", "`").strip(" ;")
    return plain[:1].upper() + plain[1:]


class OffsetsJson(TypedDict):
    """Addresses of the coordinates, in elements and in whole bytes."""

    offsets: Int64Array
    byte_offsets: Int64Array | list[int]


class OwnerJson(TypedDict):
    """The owner of one address.

    ``count``: logical elements at the address. ``coordinates``: one if element or padding (the
    padded one), the first 64 if shared, else none.
    """

    offset: int
    kind: Literal["element", "shared", "padding", "gap", "outside", "undetermined"]
    count: int
    coordinates: list[list[int]]


class OwnersJson(TypedDict):
    """The owners, in the order of the request."""

    owners: Sequence[OwnerJson]


class SliceJson(TypedDict):
    """A slice, row-major.

    ``picks``: every source dimension in order, with the new axes where the index has them.
    """

    shape: tuple[int, ...]
    offsets: Int64Array
    values: list[Any] | None
    view: description.Description | None
    picks: tuple[Pick, ...]


class StepResultJson(TypedDict):
    """The layout after one step, in short."""

    shape: tuple[int, ...]
    dims: str
    offset: int
    strides: tuple[int, ...] | None
    digits: tuple[tuple[Digit, ...], ...]


class BreaksJson(TypedDict):
    """The step that needs a copy, and why.

    ``step``: index from 0. ``dim``: dimension at fault, of the layout before the step. ``before``:
    the tensor before the step.
    """

    step: int
    op: str
    reason: str
    dim: int | None
    jump: Jump | None
    before: description.Description


class ViewJson(TypedDict):
    """The view, or the reason why there is none.

    ``results``: the layout after each step, up to the first step that needs a copy. ``breaks``: the
    step that needs a copy; None for a view.
    """

    tensor: description.Description | None
    is_view: bool
    reason: str | None
    results: list[StepResultJson]
    breaks: BreaksJson | None


class ElementwiseJson(TypedDict):
    """The result of an element-wise operation."""

    tensor: description.Description


class PlanJson(TypedDict):
    """How the copy is made.

    ``backend``: the one that copied the values; None without values. ``copy_needed``: False if
    every element is already at its address. ``moves``: for the gather kernel the padding only.
    ``bytes_read``: the addresses of elements, each once.
    """

    kernel: Literal["strided", "gather"]
    backend: str | None
    copy_needed: bool
    elements: int
    bytes_read: int
    bytes_written: int
    moves: Sequence[Move]


class ReorderJson(TypedDict):
    """The target buffer in address order, the target and the plan."""

    values: list[Any]
    target: description.Description
    plan: PlanJson


class DtypeJson(TypedDict):
    """One element type.

    ``bits``: of one element in memory; 4 bits: two elements in a byte.
    """

    name: str
    bits: int
    kind: dtypes.Kind


class FormatsJson(TypedDict):
    """The catalogue of formats, element types and notations."""

    formats: Sequence[NamedFormat]
    dtypes: list[DtypeJson]
    systems: list[str]
