"""A tensor as texts by the names of the contract: of a query, a link, or a directive."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ..engine.model.errors import LayoutError, Phrase
from .requests import TensorJson

_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]{1,400})\s*")


def tensor_of_texts(values: Mapping[str, str]) -> TensorJson:
    """Return the tensor of texts.

    Errors: LayoutError for what is missing or not an integer; ValidationError as for the same
    Tensor in JSON.
    """
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
