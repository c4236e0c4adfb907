"""Reads a Tensor from a query string: ``shape=2,3&strides=5,1&offset=0``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import QueryParams

from ..contract.requests import TensorJson
from ..engine import LayoutError
from ..engine.model.errors import Phrase
from ..engine.nearest import nearest

_NAMES = ("shape", "layout", "strides", "offset", "dtype", "dims", "elements")
_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,400})\s*")


def tensor_of_query(query: QueryParams) -> TensorJson:
    """Return the tensor of a query.

    Errors: LayoutError for a parameter that is unknown, repeated, missing or not an integer;
    ValidationError as for the same Tensor in JSON.
    """
    values = values_of_query(query, _NAMES)
    if "shape" not in values:
        expected = Phrase("sizes.text", "sizes separated by commas, as in 2,64,3,3")
        raise LayoutError("shape", None, expected)
    if ("layout" in values) == ("strides" in values):
        expected = Phrase("layout.or_strides", "either layout or strides")
        raise LayoutError("layout", values.get("layout"), expected)
    if "offset" in values and "strides" not in values:
        expected = Phrase("strides.with_offset", "strides together with it")
        raise LayoutError("offset", values["offset"], expected)
    tensor: dict[str, Any] = {"shape": integers("shape", values["shape"])}
    if "layout" in values:
        tensor["layout"] = values["layout"]
    else:
        tensor["layout"] = {
            "strides": integers("strides", values["strides"]),
            "offset": integer("offset", values.get("offset", "0")),
        }
    tensor |= {name: values[name] for name in ("dtype", "dims") if name in values}
    if "elements" in values:
        tensor["elements"] = integer("elements", values["elements"])
    return TensorJson.model_validate(tensor)


def values_of_query(query: QueryParams, names: Sequence[str]) -> dict[str, str]:
    """Return the values of a query by name.

    Errors: LayoutError for a name that is not in ``names`` or is repeated.
    """
    values: dict[str, str] = {}
    for name, value in query.multi_items():
        if name not in names:
            expected = Phrase("query.parameters", "only the parameters {names}", names=tuple(names))
            raise LayoutError("query", name, expected, suggestion=nearest(name, names))
        if name in values:
            raise LayoutError(name, list(query.getlist(name)), Phrase("value.one", "one value"))
        values[name] = value
    return values


def integers(field: str, text: str) -> list[int]:
    """Parse integers separated by commas; an empty text gives none.

    Errors: LayoutError naming ``field`` and the index.
    """
    if not text.strip():
        return []
    return [integer(f"{field}[{i}]", part) for i, part in enumerate(text.split(","))]


def integer(field: str, text: str) -> int:
    """Parse one integer. Errors: LayoutError naming ``field``."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        raise LayoutError(field, text, Phrase("integer", "an integer"))
    return int(found[1])  # int() accepts other spaces than a regular expression
