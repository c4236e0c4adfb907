"""/schedule through the API: an answer, its digits, limits and refusals."""

import httpx2
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem, refused
from tests.api.twin import Json, post

SOURCE: Json = {"shape": [2, 6, 3, 3], "layout": "NCHW"}
_PLACES = ("source_address", "target_address")
STEP = ("step", "move", "indices", *_PLACES, "units", "unit_bits", "fill")


def test_the_steps_of_an_answer(client: httpx2.Client) -> None:
    source: Json = {"shape": [1, 6, 1, 2], "layout": "NCHW", "dtype": "int8"}
    answer = post(client, "/schedule", {"source": source, "target": "NCHW4", "first": 9})
    plan = answer["plan"]
    assert (answer["steps"], plan["kernel"], plan["copy_needed"]) == (14, "strided", True)
    assert (plan["elements"], plan["element_bits"], plan["tables"]) == (12, 8, None)
    assert (plan["bytes_read"], plan["bytes_written"]) == (12, 16)
    first, second = plan["moves"]
    assert first["loops"] == [
        {"extent": 2, "source_stride": 1, "target_stride": 4, "fill": 0},
        {"extent": 4, "source_stride": 2, "target_stride": 1, "fill": 0},
    ]
    assert first["registers"] == {"way": "separate", "along": 0, "chain": [1], "rows": 4}
    assert (second["source"], second["target"], second["fill_run"]) == (8, 8, 1)
    assert (second["registers"]["way"], second["first"], second["steps"]) == ("interleave", 8, 6)
    assert [tuple(step.values()) for step in answer["window"]] == [
        (9, 1, [0, 1], 10, 9, 1, 8, False),
        (10, 1, [0, 2], None, 10, 2, 8, True),
        (11, 1, [1, 0], 9, 12, 1, 8, False),
        (12, 1, [1, 1], 11, 13, 1, 8, False),
        (13, 1, [1, 2], None, 14, 2, 8, True),
    ]
    assert tuple(answer["window"][0]) == STEP


def test_a_shape_beyond_2_to_the_53_keeps_every_digit(client: httpx2.Client) -> None:
    source: Json = {"shape": [2**40 + 1, 2**20 + 1], "layout": "HW", "dtype": "int8"}
    first = 2**60 + 3
    answer = post(client, "/schedule", {"source": source, "target": "WH", "first": first})
    step = answer["window"][0]
    assert step["step"] == first
    w, h = divmod(first, 2**40 + 1)
    assert step["source_address"] == h * (2**20 + 1) + w


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"first": -1}, "first"),
        ({"first": 127}, "first"),
        ({"count": -1}, "count"),
        ({"count": 2**18 + 1}, "count"),
        ({"target": {"strides": [0, 9, 3, 1]}}, "target"),
        ({"source": {**SOURCE, "layout": "NCHW?"}}, "source.layout"),
    ],
)
def test_errors_name_the_field(client: httpx2.Client, change: Json, field: str) -> None:
    refused(client, "/schedule", {"source": SOURCE, "target": "NCHW4", **change}, field)


def test_the_limit_of_values_bounds_the_steps() -> None:
    with TestClient(create_app(Settings(max_values=2**20))) as client:
        body = {"source": SOURCE, "target": "NCHW4", "count": 2**16}
        assert len(post(client, "/schedule", body)["window"]) == 126
        assert post(client, "/schedule", {**body, "first": 126})["window"] == []
        refusal = client.post("/api/v1/schedule", json={**body, "count": 2**16 + 1})
        problem = assert_problem(refusal, 422, "count")
        assert "at most 65536 steps" in problem["detail"]
