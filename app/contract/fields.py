"""The types of the fields of a request."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..engine.model.errors import Phrase
from ..engine.model.layout import INT64_MAX, MAX_RANK

MOST_ERRORS: Final = 20  # listed for one request

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
        said = "exactly one of {first} and {second}"
        raise ValueError(Phrase("exactly_one", said, first=first, second=second))


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
