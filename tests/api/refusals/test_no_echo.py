"""No refusal repeats what the caller wrote: not a name, not a text, not a parameter."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.contract.operations import OPERATIONS
from tests.api.refusals.problems import MARKER

SHORT = MARKER.lower()  # as plain as a name can be
TENSOR: dict[str, Any] = {"shape": [1, 8, 6, 6], "layout": "NHWC", "dtype": "int8", "dims": "NCHW"}
GRAPH: dict[str, Any] = {
    "inputs": {"x": TENSOR},
    "nodes": [
        {"op": "relu", "inputs": ["x"], "outputs": ["a"]},
        {"op": "softmax", "inputs": ["a"], "outputs": ["b"], "attributes": {"dim": 1}},
    ],
}
BODIES: dict[str, dict[str, Any]] = {
    "describe": TENSOR,
    "read": {"text": "(5, 1)"},
    "run": {"log": "onednn_verbose,info,oneDNN v3.2", "nodes": [{"op": "Transpose"}]},
    "offsets": {"tensor": TENSOR, "coordinates": [[0, 0, 0, 0]]},
    "coordinates": {"tensor": TENSOR, "offsets": [0]},
    "slice": {"tensor": TENSOR, "index": "0"},
    "view": {"tensor": TENSOR, "steps": [{"op": "flip", "dim": 0}]},
    "elementwise": {"operands": [TENSOR]},
    "propagate": {"graph": GRAPH, "rules": "pytorch-eager", "options": {}},
    "arrange": {"graph": GRAPH},
    "offers": {"graph": GRAPH, "node": "a"},
    "plan": {"graph": GRAPH, "choices": {"relu": [{"inputs": ["NHWC"], "outputs": ["NHWC"]}]}},
    "reorder": {"source": TENSOR, "target": "NCHW4"},
    "cost": {"tensor": TENSOR, "walk": {"order": "NCHW"}},
    "schedule": {"source": TENSOR, "target": "NCHW4", "first": 0, "count": 1},
}
# The names of a network's own parts, and of what is asked of them, say which part is meant.
OWN = {"inputs", "constants", "choices"}


def spoilt(value: Any, within: str = "") -> Iterator[Any]:
    """The value with one text replaced, or one name added or changed, in every place."""
    match value:
        case dict():
            if within not in OWN:
                yield {**value, SHORT: 1}
                for name in value:
                    yield {(SHORT if key == name else key): v for key, v in value.items()}
            for name, part in value.items():
                for changed in spoilt(part, name):
                    yield {**value, name: changed}
        case list():
            for at, part in enumerate(value):
                for changed in spoilt(part, within):
                    yield [*value[:at], changed, *value[at + 1 :]]
        case str():
            yield SHORT
            yield f"onednn:{SHORT}"


def test_every_call_is_spoilt() -> None:
    assert BODIES.keys() == {operation.name for operation in OPERATIONS}


@pytest.mark.parametrize("name", BODIES)
def test_a_refused_body_is_not_repeated(client: TestClient, name: str) -> None:
    refused = 0
    for body in spoilt(BODIES[name]):
        answer = client.post(f"/api/v1/{name}", json=body)
        if answer.status_code >= 400:
            refused += 1
            assert SHORT not in answer.text.lower(), (body, answer.text)
    assert refused > 2


@pytest.mark.parametrize(
    "url",
    [
        f"/api/v1/describe?shape=2,3&layout=HW&{SHORT}=1",
        f"/api/v1/describe?shape=2,3&layout={SHORT}",
        f"/api/v1/describe?shape=2,3&layout=HW&dtype={SHORT}",
        f"/api/v1/describe?shape={SHORT}&layout=HW",
        f"/api/v1/networks/{SHORT}",
        f"/{SHORT}",
        f"/static/{SHORT}.js",
    ],
)
def test_a_refused_url_is_not_repeated(client: TestClient, url: str) -> None:
    answer = client.get(url)
    assert answer.status_code >= 400
    assert SHORT not in answer.text.lower()


def test_refused_files_are_not_repeated(client: TestClient) -> None:
    for path in (
        f"graph?{SHORT}=x",
        f"reorder/file?source={SHORT}&target=NHWC",
        f"reorder/file?source=NCHW&target=NHWC&{SHORT}=1",
        f"reorder/file?source=NCHW&target=NHWC&tensor={SHORT}",
        f"reorder/file?source=NCHW&target=NHWC&format={SHORT}",
    ):
        answer = client.post(f"/api/v1/{path}", content=SHORT.encode())
        assert answer.status_code >= 400, path
        assert SHORT not in answer.text.lower(), path
