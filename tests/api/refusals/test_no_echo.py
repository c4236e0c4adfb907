"""No refusal repeats what the caller wrote: not a name, not a text, not a parameter."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.contract.operations import OPERATIONS, Operation
from app.main import app
from tests.api.refusals.problems import MARKER

SHORT = MARKER.lower()  # as plain as a name can be
MORE: dict[str, dict[str, Any]] = {
    "describe": {"dtype": "int8", "dims": "NC"},
    "propagate": {"options": {}},
    "run": {"nodes": [{"op": "Transpose"}]},
}
SCHEMAS = app.openapi()["components"]["schemas"]
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


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_a_refused_body_is_not_repeated(client: TestClient, operation: Operation) -> None:
    refused = 0
    sample = SCHEMAS[operation.request.__name__]["examples"][-1]
    for body in spoilt(sample | MORE.get(operation.name, {})):
        if operation.name in {"offers", "plan"} and body.get("graph") != sample["graph"]:
            continue  # as in /propagate
        answer = client.post(f"/api/v1/{operation.name}", json=body)
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
