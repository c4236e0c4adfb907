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

# The call, the name of a rule, and what breaks it in a request that is else right; then the rule.
# Those of `describe` hold for every tensor, of `target` for each target, of `graph` for a node.
_TABLE: Final = """
describe unreadable {"layout": "NCHX"}
A layout is a text in one of some twenty grammars.
describe rank {"layout": {"strides": [12, 4, 1]}}
A layout has as many dimensions as the shape.
describe product {"shape": [4294967296, 2147483648]}
The product of the sizes, with padding, is at most 2^63-1.
describe below-zero {"layout": {"strides": [-3, 1]}}
Negative strides need an offset, so that no address is below 0.
describe beyond {"layout": {"strides": [9223372036854775807, 1]}}
No address is beyond 2^63-2.
describe decimal-point {"shape": [2, 3.0]}
An integer has no decimal point, although 3.0 is an integer to JSON Schema.
describe names {"dims": "HH"}
The names of the dimensions differ, and there are as many as sizes.
describe type {"dtype": "float33"}
An element type has a name of NumPy's or of another library's.
describe buffer {"elements": 5}
A buffer holds at least what the layout needs.
read no-tensor {"text": "no tensor"}
The text names sizes or strides.
run no-log {"log": "no log"}
The text has a line of oneDNN's verbose mode, or is a profile.
offsets coordinate {"coordinates": [[2, 0]]}
A coordinate lies within the shape.
offsets coordinate-rank {"coordinates": [[0]]}
A coordinate has as many integers as the shape.
slice window {"window": {"offsets": [1, 0], "sizes": [2, 3], "strides": [1, 1]}}
A window lies within the shape.
slice window-rank {"window": {"offsets": [0], "sizes": [1], "strides": [1]}}
Each list of a window has as many integers as the shape.
slice index {"index": "0 0"}
An index is a text in NumPy's grammar.
slice index-range {"index": "2"}
An index lies within its dimension.
slice values {"index": "0", "values": [1, 2, 3]}
The values are the whole buffer.
view step {"steps": [{"op": "permute", "dims": [0, 0]}]}
A step takes the dimensions that the steps before it left.
view step-range {"steps": [{"op": "narrow", "dim": 1, "start": 2, "length": 2}]}
A part lies within its dimension.
elementwise broadcast {"operands":[{"shape":[2,3],"layout":"HW"},{"shape":[2,4],"layout":"HW"}]}
The operands broadcast against each other.
target target-rank {"target": "NCHW"}
The target takes the source's shape.
target target-shared {"target": {"strides": [0, 1]}}
Each element of the target has an address of its own.
reorder values {"values": [1, 2, 3]}
The values are the source's whole buffer.
schedule first {"first": 1000}
The first step is one of the steps.
cost loops {"walk": {"order": "HH"}}
An order of loops names each dimension once.
cost cache {"walk": {"cache": {"bytes": 100, "ways": 8}}}
A cache holds a multiple of line_bytes times ways.
cost along {"warp": {"along": "C"}}
Lanes lie along dimensions of the tensor.
cost first-lane {"warp": {"at": [2, 0]}}
The first lane lies within the shape.
graph order {"inputs": ["z"]}
A node reads inputs, constants and the results of earlier nodes.
graph once {"outputs": ["x"]}
A name is given to one tensor.
graph operands {"op": "conv2d"}
A node has as many operands as its operator takes, of shapes that it takes.
graph attributes {"attributes": {"dim": 1}}
A node has only attributes that its operator takes.
propagate options {"options": {"block": 8}}
A rule set has its own options.
arrange reorder {"reorders": [{"tensor": "z"}]}
A reorder copies a tensor of the network.
offers node {"node": "z"}
A node is one of the network's.
plan choices {"choices": {"z": []}}
Choices are for nodes or operators of the network.
plan outputs {"outputs": {"z": null}}
Only results of the network are given back.
"""

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
    lines = _TABLE.strip().splitlines()
    for said, rule in zip(lines[::2], lines[1::2], strict=True):
        kind, name, text = said.split(" ", 2)
        wrong = json.loads(text)
        of_node = kind == "graph"
        calls = {"target": ("reorder", "schedule"), "graph": tuple(_GRAPHS)}.get(kind, (kind,))
        for call in calls:
            if call in _GRAPHS:
                node = {**_NODE, **wrong} if of_node else _NODE
                graph = {"inputs": {"x": _INPUT}, "nodes": [node]}
                body = {"graph": graph, **_GRAPHS[call], **({} if of_node else wrong)}
            else:
                body = {**_RIGHT.get(call, {"tensor": _TENSOR}), **wrong}
            found.setdefault(call, {})[name] = (rule, body)
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
