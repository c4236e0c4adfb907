"""Reads a Tensor from a query string, and documents it: ``shape=2,3&strides=5,1&offset=0``."""

import re
from collections.abc import Sequence
from typing import Any, Final

from starlette.datastructures import QueryParams

from ..contract.pictures import OPTIONS, picture_of
from ..contract.requests import TensorJson, tensor_of_texts
from ..engine.model.errors import LayoutError, phrase
from ..engine.model.layout import MAX_RANK
from ..engine.notation.dialect import MAX_TEXT
from ..nearest import nearest
from ..picture.composed import Picture

_SIZE: Final = r"\s*(\+?[0-9]{1,400}|-0{1,400})\s*"
_ONE: Final = r"\s*[+-]?[0-9]{1,400}\s*"
_MORE: Final = f"{{0,{MAX_RANK - 1}}}"

SIZES: Final[dict[str, Any]] = {"pattern": rf"^(\s*|{_SIZE}(,{_SIZE}){_MORE})$"}
INTEGERS: Final[dict[str, Any]] = {"pattern": rf"^(\s*|{_ONE}(,{_ONE}){_MORE})$"}
SIZE: Final[dict[str, Any]] = {"pattern": f"^{_SIZE}$"}
DIMS: Final[dict[str, Any]] = {"pattern": f"^[A-Za-z]{{0,{MAX_RANK}}}$"}
LAYOUT: Final[dict[str, Any]] = {"minLength": 1, "maxLength": MAX_TEXT, "pattern": r"\S"}
NAME: Final[dict[str, Any]] = {"minLength": 1, "pattern": r"\S"}


def parameter(
    name: str,
    example: str,
    text: str,
    form: dict[str, Any],
    *,
    required: bool = False,
    within: str = "query",
) -> dict[str, Any]:
    """Return the documentation of a parameter; ``form``: what its schema says beside that."""
    return {
        "name": name,
        "in": within,
        "required": required or within == "path",
        "description": text,
        "schema": {"type": "string", "example": example, **form},
    }


PARAMETERS: Final = [
    parameter("shape", "2,64,3,3", "Sizes; empty for a tensor of rank 0.", SIZES, required=True),
    parameter("layout", "NCHW4", "Any supported notation. Give either layout or strides.", LAYOUT),
    parameter("strides", "576,9,3,1", "Strides in elements.", INTEGERS),
    parameter("offset", "0", "Address of coordinate 0; only together with strides.", SIZE),
    parameter("dtype", "float32", "Element type.", NAME),
    parameter("dims", "NCHW", "One letter per dimension.", DIMS),
    parameter("elements", "1152", "Elements in the buffer, if more than the layout needs.", SIZE),
]
PICTURE_PARAMETERS: Final = [
    *PARAMETERS,
    *(parameter(name, example, text, {}) for name, (example, text) in OPTIONS.items()),
    parameter("v", "1", "The version of the link.", {"enum": ["1"]}),
]
SCALE: Final = parameter("scale", "2", "Pixels of the PNG to one of the SVG.", {})
_SCALE: Final = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?")
_NAMES: Final = [each["name"] for each in PARAMETERS]


def tensor_of_query(query: QueryParams) -> TensorJson:
    """Return the tensor of a query.

    Errors: LayoutError for a parameter that is unknown or repeated, and as for its texts.
    """
    return tensor_of_texts(values_of_query(query, _NAMES))


def picture_of_query(query: QueryParams, *, scaled: bool) -> tuple[Picture, float]:
    """Return a picture, and the scale of its PNG.

    Errors: as for the tensor; LayoutError naming ``scale`` or an option.
    """
    values = values_of_query(query, [*_NAMES, "v", *OPTIONS, *(["scale"] if scaled else [])])
    if values.get("v", "1") != "1":
        raise LayoutError("v", values["v"], phrase("link.version"))
    scale = values.get("scale", "1")
    if not _SCALE.fullmatch(scale):
        raise LayoutError("scale", scale, phrase("number.scale"))
    tensor = tensor_of_texts({name: values[name] for name in _NAMES if name in values})
    given = {name: values[name] for name in OPTIONS if name in values}
    return picture_of(tensor, given), float(scale)


def values_of_query(query: QueryParams, names: Sequence[str]) -> dict[str, str]:
    """Return the values of a query by name.

    Errors: LayoutError for a name that is not in ``names`` or is repeated.
    """
    values: dict[str, str] = {}
    for name, value in query.multi_items():
        if name not in names:
            expected = phrase("query.parameters", names=tuple(names))
            raise LayoutError("query", name, expected, suggestion=nearest(name, names))
        if name in values:
            raise LayoutError(name, list(query.getlist(name)), phrase("value.one"))
        values[name] = value
    return values
