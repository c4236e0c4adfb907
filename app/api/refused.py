"""Requests that fit the schema and are refused all the same: the examples of 422.

JSON Schema cannot say these rules, so the document shows each with the problem that it gets.
``refused.json`` lists them: the call, the name of a rule, the rule, and what breaks it in a request
that is else right. Those of `describe` hold for every tensor, of `target` for each target, of
`graph` for a node.
"""

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from ..contract.lessons import LessonAnswer, answer_answer
from ..contract.operations import OPERATIONS
from ..engine.model.errors import LayoutError
from .problems import error_response

# By name: the rule, and a request that breaks it.
Rules = dict[str, tuple[str, dict[str, Any]]]

_TENSOR: Final = {"shape": [2, 3], "layout": "HW"}
_OF_NO_TENSOR: Final = {"read", "run", "lessons/nchw4/answer"}
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
    "lessons/nchw4/answer": {},
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
# Of each call, the model of its request and its function.
_CALLS: Final[dict[str, tuple[type[BaseModel], Callable[[Any], Any]]]] = {
    **{each.name: (each.request, each.answer) for each in OPERATIONS},
    "lessons/nchw4/answer": (LessonAnswer, partial(answer_answer, lesson="nchw4")),
}


@cache
def examples(name: str) -> dict[str, Any]:
    """The examples of 422 of a call, as OpenAPI lists them: the rule, the request, its problem.

    Those of its tensors are among them, unless ``name`` takes none.
    """
    of_tensors = {} if name in _OF_NO_TENSOR else {"describe": TENSOR}
    found = {}
    for call, rules in {name: RULES.get(name, {}), **of_tensors}.items():
        for rule, (said, body) in rules.items():
            request = f"For POST /{call} with {json.dumps(body)}"
            found[rule] = {"summary": said, "description": request, "value": _problem(call, body)}
    return found


def _problem(call: str, body: dict[str, Any]) -> Any:
    request, answer = _CALLS[call]
    try:
        answer(request.model_validate(body))
    except (LayoutError, ValidationError) as error:
        return json.loads(bytes(error_response(error).body))
    raise AssertionError(body)
