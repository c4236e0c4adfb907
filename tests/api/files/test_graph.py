"""/graph: networks of .onnx files through the API."""

import json
import sys

import pytest
from starlette.testclient import TestClient

from app.api.problems import error_response
from app.api.work.worker import CALLS, GRAPH
from app.files.onnx import MissingLibraryError
from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem
from tests.files.onnx.models import small

DATA = small().SerializeToString()


def test_a_file_becomes_a_graph_that_the_other_calls_take(client: TestClient) -> None:
    answer = client.post("/api/v1/graph?batch=3", content=DATA).json()
    assert answer["assumed"] == {"batch": 3}
    assert answer["unknown"] == answer["decisions"] == []
    body = {"graph": answer["graph"], "rules": "pytorch-eager"}
    propagated = client.post("/api/v1/propagate", json=body).json()
    assert propagated["tensors"]["c"]["shape"] == [3, 512]
    planned = client.post("/api/v1/plan", json={"graph": answer["graph"]}).json()
    assert planned["optimal"]


@pytest.mark.parametrize(
    ("data", "query", "field"),
    [
        (b"", "", "body"),
        (b"{}", "", "body"),
        (DATA[:-40], "", "graph"),
        (DATA[:80], "", "graph.node[2]"),
        (DATA, "?length=3", "sizes.length"),
        (DATA, "?batch=three", "sizes"),
        (DATA, "?batch=-3", "sizes.batch"),
        (small(opset=6).SerializeToString(), "", "opset_import[0].version"),
    ],
    ids=range(8),
)
def test_errors_name_the_place_in_the_file(
    client: TestClient, data: bytes, query: str, field: str
) -> None:
    response = client.post(f"/api/v1/graph{query}", content=data)
    found = assert_problem(response, 422, *[e["field"] for e in response.json()["errors"]])
    assert found["errors"][0]["field"].startswith(field)


def test_a_large_file_is_refused() -> None:
    with TestClient(create_app(Settings(max_model_bytes=1024))) as client:
        refused = client.post("/api/v1/graph", content=DATA + bytes(2048))
        assert_problem(refused, 413, "body")
        assert client.post("/api/v1/graph", content=DATA[:1000]).status_code == 422


def test_without_the_library_the_call_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingLibraryError) as missing:
        CALLS[GRAPH](bytearray(DATA), {"sizes": {}})[0]()  # as a worker calls it
    answer = error_response(missing.value)
    assert answer.status_code == 501
    found = json.loads(bytes(answer.body))
    assert found["code"] == "library.onnx"
    assert 'pip install "stridescope[onnx]"' in found["detail"]
