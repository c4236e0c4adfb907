"""Requests that fit the schema and are refused all the same: the examples of 422.

JSON Schema cannot say these rules, so the document shows each with the problem that it gets.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from pydantic import ValidationError

from ..contract.operations import OPERATIONS, Operation
from ..engine.model.errors import LayoutError
from .problems import error_response

# By name: the rule, and a request that breaks it.
Rules = dict[str, tuple[str, dict[str, Any]]]

# Of a tensor, wherever one is given; the requests are of /describe.
TENSOR: Final[Rules] = {
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


_TENSOR: Final = {"shape": [2, 3], "layout": "HW"}


def _network(**wrong: Any) -> dict[str, Any]:
    """A network of one node, in which something is wrong."""
    node = {"op": "relu", "inputs": ["x"], "outputs": ["y"], **wrong}
    return {"inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NHWC"}}, "nodes": [node]}


def _graph(**more: Any) -> Rules:
    """The rules of a network; ``more``: what else a request of the call has."""
    return {
        "order": (
            "A node reads inputs, constants and the results of earlier nodes.",
            {"graph": _network(inputs=["z"]), **more},
        ),
        "once": (
            "A name is given to one tensor.",
            {"graph": _network(outputs=["x"]), **more},
        ),
        "operands": (
            "A node has as many operands as its operator takes, of shapes that it takes.",
            {"graph": _network(op="conv2d"), **more},
        ),
        "attributes": (
            "A node has only attributes that its operator takes.",
            {"graph": _network(attributes={"dim": 1}), **more},
        ),
    }


_TARGET: Final[Rules] = {
    "target-rank": (
        "The target takes the source's shape.",
        {"source": _TENSOR, "target": "NCHW"},
    ),
    "target-shared": (
        "Each element of the target has an address of its own.",
        {"source": _TENSOR, "target": {"strides": [0, 1]}},
    ),
}

# Those that a call has beside the rules of its tensors.
RULES: Final[dict[str, Rules]] = {
    "read": {
        "no-tensor": ("The text names sizes or strides.", {"text": "no tensor"}),
    },
    "offsets": {
        "coordinate": (
            "A coordinate lies within the shape.",
            {"tensor": _TENSOR, "coordinates": [[2, 0]]},
        ),
        "coordinate-rank": (
            "A coordinate has as many integers as the shape.",
            {"tensor": _TENSOR, "coordinates": [[0]]},
        ),
    },
    "slice": {
        "window": (
            "A window lies within the shape.",
            {"tensor": _TENSOR, "window": {"offsets": [1, 0], "sizes": [2, 3], "strides": [1, 1]}},
        ),
        "window-rank": (
            "Each list of a window has as many integers as the shape.",
            {"tensor": _TENSOR, "window": {"offsets": [0], "sizes": [1], "strides": [1]}},
        ),
        "index": (
            "An index is a text in NumPy's grammar.",
            {"tensor": _TENSOR, "index": "0 0"},
        ),
        "index-range": (
            "An index lies within its dimension.",
            {"tensor": _TENSOR, "index": "2"},
        ),
        "values": (
            "The values are the whole buffer.",
            {"tensor": _TENSOR, "index": "0", "values": [1, 2, 3]},
        ),
    },
    "view": {
        "step": (
            "A step takes the dimensions that the steps before it left.",
            {"tensor": _TENSOR, "steps": [{"op": "permute", "dims": [0, 0]}]},
        ),
        "step-range": (
            "A part lies within its dimension.",
            {"tensor": _TENSOR, "steps": [{"op": "narrow", "dim": 1, "start": 2, "length": 2}]},
        ),
    },
    "elementwise": {
        "broadcast": (
            "The operands broadcast against each other.",
            {"operands": [_TENSOR, {"shape": [2, 4], "layout": "HW"}]},
        ),
    },
    "reorder": {
        **_TARGET,
        "values": (
            "The values are the source's whole buffer.",
            {"source": _TENSOR, "target": "WH", "values": [1, 2, 3]},
        ),
    },
    "schedule": {
        **_TARGET,
        "first": (
            "The first step is one of the steps.",
            {"source": _TENSOR, "target": "WH", "first": 1000},
        ),
    },
    "cost": {
        "loops": (
            "An order of loops names each dimension once.",
            {"tensor": _TENSOR, "walk": {"order": "HH"}},
        ),
        "cache": (
            "A cache holds a multiple of line_bytes times ways.",
            {"tensor": _TENSOR, "walk": {"cache": {"bytes": 100, "ways": 8}}},
        ),
        "along": (
            "Lanes lie along dimensions of the tensor.",
            {"tensor": _TENSOR, "warp": {"along": "C"}},
        ),
        "first-lane": (
            "The first lane lies within the shape.",
            {"tensor": _TENSOR, "warp": {"at": [2, 0]}},
        ),
    },
    "propagate": {
        **_graph(rules="pytorch-eager"),
        "options": (
            "A rule set has its own options.",
            {"graph": _network(), "rules": "pytorch-eager", "options": {"block": 8}},
        ),
    },
    "arrange": {
        **_graph(),
        "reorder": (
            "A reorder copies a tensor of the network.",
            {"graph": _network(), "reorders": [{"tensor": "z"}]},
        ),
    },
    "offers": {
        **_graph(node="y"),
        "node": ("A node is one of the network's.", {"graph": _network(), "node": "z"}),
    },
    "plan": {
        **_graph(),
        "choices": (
            "Choices are for nodes or operators of the network.",
            {"graph": _network(), "choices": {"z": []}},
        ),
        "outputs": (
            "Only results of the network are given back.",
            {"graph": _network(), "outputs": {"z": None}},
        ),
    },
}

_BY_NAME: Final = {operation.name: operation for operation in OPERATIONS}


@cache
def examples(name: str) -> dict[str, Any]:
    """The examples of 422 of a call, as OpenAPI lists them: the rule, the request, its problem.

    Those of its tensors are among them, unless ``name`` is ``read``.
    """
    own = _listed(_BY_NAME[name], RULES[name]) if name in RULES else {}
    return own if name == "read" else {**own, **_listed(_BY_NAME["describe"], TENSOR)}


def _listed(operation: Operation, rules: Rules) -> dict[str, Any]:
    return {
        name: {
            "summary": rule,
            "description": f"For POST /{operation.name} with {json.dumps(body)}",
            "value": _problem(operation, body),
        }
        for name, (rule, body) in rules.items()
    }


def _problem(operation: Operation, body: dict[str, Any]) -> Any:
    try:
        operation.answer(operation.request.model_validate(body))
    except (LayoutError, ValidationError) as error:
        return json.loads(bytes(error_response(error).body))
    raise AssertionError(body)
