"""The types of the fields of a request; rows of integers are arrays where they are many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Annotated, Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidatorFunctionWrapHandler, model_validator

from ..engine.model.errors import LayoutError, per_dimension, phrase
from ..engine.model.layout import INT64_MAX, MAX_RANK, Int64Array

MOST_ERRORS: Final = 20  # listed for one request
_AT_ONCE: Final = 1 << 16

Size = Annotated[int, Field(ge=0, le=INT64_MAX)]
Int64 = Annotated[int, Field(ge=-INT64_MAX - 1, le=INT64_MAX)]
# JSON has only lists; callers in Python may give a tuple.
Sizes = Annotated[
    list[Size], Field(fail_fast=True, strict=False, json_schema_extra={"maxItems": MAX_RANK})
]
Integers = Annotated[list[Int64], Field(fail_fast=True, strict=False)]
Text = Annotated[str, Field(max_length=4096)]
# What the engine checks, said in the schema too.
TypeName = Annotated[Text, Field(json_schema_extra={"pattern": r"\S", "minLength": 1})]
Dims = Annotated[
    Text, Field(json_schema_extra={"pattern": f"^[A-Za-z]{{0,{MAX_RANK}}}$", "maxLength": MAX_RANK})
]
# One integer per dimension, none below a least one: the engine checks them by the shape.
_PER_DIMENSION: Final[dict[str, Any]] = {"type": "array", "maxItems": MAX_RANK}


def bounded(least: int, **more: Any) -> Any:
    """What the schema says of integers per dimension, from ``least`` on."""
    items = {"type": "integer", "minimum": least, "maximum": INT64_MAX}
    return {**_PER_DIMENSION, "items": items, **more}


def one_of_two(first: str, second: str) -> dict[str, Any]:
    """The schema of an object that has one of two fields, and null or nothing for the other."""
    return {
        "oneOf": [
            {
                "required": [one],
                "properties": {one: {"not": {"type": "null"}}, other: {"type": "null"}},
            }
            for one, other in ((first, second), (second, first))
        ]
    }


def check_one_of_two(request: BaseModel, first: str, second: str) -> None:
    """Check that a request has one of two fields. Errors: ValueError with a phrase."""
    if (getattr(request, first) is None) == (getattr(request, second) is None):
        raise ValueError(phrase("exactly_one", first=first, second=second))


@dataclass(frozen=True, slots=True)
class UnknownFields:
    """The value of an unknown field: the names that are ``known`` in its place.

    ``fields``: how many unknown fields it stands for, itself included.
    """

    known: tuple[str, ...]
    fields: int = 1


class Strict(BaseModel):
    """No coercion, no unknown fields. OpenAPI shows the name without a Json at its end."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Take the name of OpenAPI, before pydantic reads it."""
        super().__init_subclass__(**options)
        cls.__name__ = cls.__qualname__ = cls.__name__.removesuffix("Json")

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _few_unknown_fields(cls, value: Any) -> Any:
        """Return ``value`` with at most MOST_ERRORS unknown fields, and one for all others.

        An unknown field makes an error many times its size, so millions of them must not reach
        the model.
        """
        known = cls.model_fields
        if not isinstance(value, dict) or value.keys() <= known.keys():
            return value
        kept = {name: value[name] for name in known if name in value}
        more = len(value) - len(kept) - MOST_ERRORS
        unknown = (name for name in value if name not in known)
        kept |= dict.fromkeys(islice(unknown, MOST_ERRORS), UnknownFields(tuple(known)))
        if more > 0:
            kept[next(unknown)] = UnknownFields(tuple(known), more)
        return kept


class Rows:
    """Rows of the same length, from parts of shape (n, length).

    A million lists of Python's take more memory than a call may have.
    """

    __slots__ = ("length", "parts")

    def __init__(self, parts: Sequence[Int64Array]) -> None:
        self.parts = parts
        self.length: int = parts[0].shape[1]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def tolist(self) -> list[list[int]]:
        """All rows as lists."""
        return [row for part in self.parts for row in part.tolist()]


def rows_or_lists(value: Any, lists: ValidatorFunctionWrapHandler) -> Any:
    """Take ``Rows`` as they are; everything else is for the validator of ``lists``."""
    return value if isinstance(value, Rows) else lists(value)


def in_parts(rows: Rows | list[list[int]], length: int, field: str) -> Iterator[Int64Array]:
    """Arrays of shape (n, ``length``), together all rows, each of some ten thousand.

    Errors: LayoutError naming the first row of another length, as an entry of ``field``.
    """
    if isinstance(rows, Rows):
        if rows.length != length:
            raise _wrong(field, 0, rows.parts[0][0].tolist(), length)
        yield from rows.parts
        return
    if not set(map(len, rows)) <= {length}:
        at = next(i for i, row in enumerate(rows) if len(row) != length)
        raise _wrong(field, at, rows[at], length)
    for start in range(0, len(rows), _AT_ONCE):
        lists = rows[start : start + _AT_ONCE]
        flat = np.fromiter(chain.from_iterable(lists), np.int64, len(lists) * length)
        yield flat.reshape(len(lists), length)


def _wrong(field: str, at: int, row: list[int], length: int) -> LayoutError:
    return LayoutError(f"{field}[{at}]", row, per_dimension(length))
