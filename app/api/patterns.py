"""The parameters of queries, as the schema says them."""

from __future__ import annotations

from typing import Any, Final

from ..engine.model.layout import MAX_RANK
from ..engine.notation.dialect import MAX_TEXT

_SIZE: Final = r"\s*(\+?[0-9]{1,400}|-0{1,400})\s*"
_INTEGER: Final = r"\s*[+-]?[0-9]{1,400}\s*"
_MORE: Final = f"{{0,{MAX_RANK - 1}}}"

SIZES: Final[dict[str, Any]] = {"pattern": rf"^(\s*|{_SIZE}(,{_SIZE}){_MORE})$"}
INTEGERS: Final[dict[str, Any]] = {"pattern": rf"^(\s*|{_INTEGER}(,{_INTEGER}){_MORE})$"}
SIZE: Final[dict[str, Any]] = {"pattern": f"^{_SIZE}$"}
DIMS: Final[dict[str, Any]] = {"pattern": f"^[A-Za-z]{{0,{MAX_RANK}}}$"}
LAYOUT: Final[dict[str, Any]] = {"minLength": 1, "maxLength": MAX_TEXT, "pattern": r"\S"}
NAME: Final[dict[str, Any]] = {"minLength": 1, "pattern": r"\S"}


def parameter(
    name: str, example: str, text: str, form: dict[str, Any], *, required: bool = False
) -> dict[str, Any]:
    """Return the documentation of a parameter; ``form``: what its schema says beside that."""
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": text,
        "schema": {"type": "string", "example": example, **form},
    }
