"""Requests that fit the schema and are refused all the same: the examples of 422.

JSON Schema cannot say these rules, so the document shows each with the problem that it gets.
``refused.json`` lists them: the call, the name of a rule, the rule, and what breaks it in a request
that is else right. Those of `describe` hold for every tensor, of `target` for each target, of
`graph` for a node.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ..contract.operations import OPERATIONS, Operation
from ..engine.model.errors import LayoutError
from .problems import error_response

# By name: the rule, and a request that breaks it.
Rules = dict[str, tuple[str, dict[str, Any]]]

_TENSOR: Final = {"shape": [2, 3], "layout": "HW"}
_COPY: Final = {"source": _TENSOR, "target": "WH"}
_NODE: Final = {"op": "relu", "inputs": ["x"], "outputs": ["y"]}
_INPUT: Final = {"shape": [1, 8, 6, 6], "layout": "NHWC"}
_GRAPHS: Final[dict[str, dict[str, Any]]] = {
    "propagate": {"rules": "pytorch-eager"},
    "arrange": {},
    "offers": {"node": "y"},
    "plan": {},
}
_RIGHT: Final[dict[str, dict[str, Any]]] = {
    "describe": _TENSOR,
    "read": {},
    "run": {},
    "elementwise": {},
    "reorder": _COPY,
    "schedule": _COPY,
}


def _rules() -> dict[str, Rules]:
    found: dict[str, Rules] = {}
    for row in json.loads(Path(__file__).with_suffix(".json").read_bytes()):
        kind, wrong = row["call"], row["wrong"]
        of_node = kind == "graph"
        calls = {"target": ("reorder", "schedule"), "graph": tuple(_GRAPHS)}.get(kind, (kind,))
        for call in calls:
            if call in _GRAPHS:
                node = {**_NODE, **wrong} if of_node else _NODE
                graph = {"inputs": {"x": _INPUT}, "nodes": [node]}
                body = {"graph": graph, **_GRAPHS[call], **({} if of_node else wrong)}
            else:
                body = {**_RIGHT.get(call, {"tensor": _TENSOR}), **wrong}
            found.setdefault(call, {})[row["name"]] = (row["rule"], body)
    return found


RULES: Final = _rules()
# Of a tensor, wherever one is given; the requests are of /describe.
TENSOR: Final = RULES.pop("describe")
_BY_NAME: Final = {operation.name: operation for operation in OPERATIONS}


@cache
def examples(name: str) -> dict[str, Any]:
    """The examples of 422 of a call, as OpenAPI lists them: the rule, the request, its problem.

    Those of its tensors are among them, unless ``name`` takes a text.
    """
    of_tensors = {} if name in {"read", "run"} else {"describe": TENSOR}
    found = {}
    for call, rules in {name: RULES.get(name, {}), **of_tensors}.items():
        for rule, (said, body) in rules.items():
            request = f"For POST /{call} with {json.dumps(body)}"
            problem = _problem(_BY_NAME[call], body)
            found[rule] = {"summary": said, "description": request, "value": problem}
    return found


def _problem(operation: Operation, body: dict[str, Any]) -> Any:
    try:
        operation.answer(operation.request.model_validate(body))
    except (LayoutError, ValidationError) as error:
        return json.loads(bytes(error_response(error).body))
    raise AssertionError(body)
