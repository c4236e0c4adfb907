"""The types that the fields of a request have."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ..engine.layout import INT64_MAX

Size = Annotated[int, Field(ge=0, le=INT64_MAX)]
Int64 = Annotated[int, Field(ge=-INT64_MAX - 1, le=INT64_MAX)]
# JSON has no other sequence than the list; callers in Python may give a tuple.
Sizes = Annotated[list[Size], Field(fail_fast=True, strict=False)]
Integers = Annotated[list[Int64], Field(fail_fast=True, strict=False)]
Text = Annotated[str, Field(max_length=4096)]


class Strict(BaseModel):
    """No coercion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
