"""Requests that fit the schema and are refused all the same: the examples of 422.

JSON Schema cannot say these rules, so the document shows each with the problem that it gets.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import ValidationError

from ..contract.requests import Tensor
from ..engine.errors import LayoutError
from .problems import error_response

# By name: why, and a request of /describe.
REFUSED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "unreadable": (
        "A layout is a text in one of some twenty grammars.",
        {"shape": [2, 3], "layout": "NCHX"},
    ),
    "rank": (
        "A layout has as many dimensions as the shape.",
        {"shape": [2, 3], "layout": {"strides": [12, 4, 1]}},
    ),
    "product": (
        "The product of the sizes, with padding, is at most 2^63-1.",
        {"shape": [1 << 32, 1 << 31], "layout": "HW"},
    ),
    "below-zero": (
        "Negative strides need an offset, so that no address is below 0.",
        {"shape": [2, 3], "layout": {"strides": [-3, 1]}},
    ),
    "beyond": (
        "No address is beyond 2^63-2.",
        {"shape": [2, 3], "layout": {"strides": [(1 << 63) - 1, 1]}},
    ),
    "decimal-point": (
        "An integer has no decimal point, although 3.0 is an integer to JSON Schema.",
        {"shape": [2, 3.0], "layout": "HW"},
    ),
    "names": (
        "The names of the dimensions differ, and there are as many as sizes.",
        {"shape": [2, 3], "layout": "HW", "dims": "HH"},
    ),
    "type": (
        "An element type has a name of NumPy's or of another library's.",
        {"shape": [2, 3], "layout": "HW", "dtype": "float33"},
    ),
    "buffer": (
        "A buffer holds at least what the layout needs.",
        {"shape": [2, 3], "layout": "HW", "elements": 5},
    ),
}


def examples() -> dict[str, Any]:
    """The examples of 422, as OpenAPI lists them: the reason, the request, its problem."""
    return {
        name: {
            "summary": why,
            "description": f"For POST /describe with {json.dumps(body)}",
            "value": _problem(body),
        }
        for name, (why, body) in REFUSED.items()
    }


def _problem(body: dict[str, Any]) -> Any:
    try:
        Tensor.model_validate(body).parse()
    except (LayoutError, ValidationError) as error:
        return json.loads(bytes(error_response(error).body))
    raise AssertionError(body)
