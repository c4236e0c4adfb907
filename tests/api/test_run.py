"""POST /run: long and hostile logs are answered, counted and cut with a word."""

import pytest
from starlette.testclient import TestClient

from app.contract.runs import MAX_EVENTS
from tests.engine.runs.logs import reorder

LINE = reorder("ab", "ba", "2x3", "0.25")


@pytest.mark.parametrize(
    ("log", "events", "skipped"),
    [
        pytest.param(LINE * (MAX_EVENTS + 5), MAX_EVENTS + 5, 0, id="more than are listed"),
        pytest.param("loss\n" * 1_000_000 + LINE, 1, 1_000_000, id="other lines"),
        pytest.param("x" * 10_000_000 + "\n" + LINE, 1, 1, id="a line of 10 MB"),
        pytest.param("\n" * 5_000_000 + LINE, 1, 0, id="empty lines"),
    ],
)
def test_long_logs_are_summarised(client: TestClient, log: str, events: int, skipped: int) -> None:
    answer = client.post("/api/v1/run", json={"log": log})
    assert answer.status_code == 200
    said = answer.json()
    assert said["totals"]["events"] == events == len(said["events"]) + said["left_out"]
    assert said["totals"]["ms"] == events / 4
    assert said["skipped"]["lines"] == skipped
    assert all(len(each["text"]) <= 200 for each in said["skipped"]["first"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"log": "no log"}, "log"),
        ({"log": ""}, "log"),
        ({"log": 5}, "log"),
        ({"log": LINE, "kind": "nvprof"}, "kind"),
        ({"log": LINE, "nodes": [{"op": 1}]}, "nodes[0].op"),
    ],
)
def test_bad_requests_name_the_field(client: TestClient, body: object, field: str) -> None:
    answer = client.post("/api/v1/run", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field
