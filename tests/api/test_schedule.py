"""/schedule through the API, against /reorder of the same call."""

import httpx2
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem, refused
from tests.api.twin import Json, any_laid, post
from tests.engine.strategies import Seeded

SOURCE: Json = {"shape": [2, 6, 3, 3], "layout": "NCHW"}
_PLACES = ("source_address", "target_address")
STEP = ("step", "move", "indices", *_PLACES, "units", "unit_bits", "fill")


def test_an_answer_in_full(client: httpx2.Client) -> None:
    source: Json = {"shape": [1, 6, 1, 2], "layout": "NCHW", "dtype": "int8"}
    answer = post(client, "/schedule", {"source": source, "target": "NCHW4", "first": 9})
    assert answer == {
        "steps": 14,
        "plan": {
            "kernel": "strided",
            "copy_needed": True,
            "elements": 12,
            "element_bits": 8,
            "bytes_read": 12,
            "bytes_written": 16,
            "moves": [
                {
                    "kernel": "transpose",
                    "unit_bits": 8,
                    "source": 0,
                    "target": 0,
                    "loops": [
                        {"extent": 2, "source_stride": 1, "target_stride": 4, "fill": 0},
                        {"extent": 4, "source_stride": 2, "target_stride": 1, "fill": 0},
                    ],
                    "run": None,
                    "fill_run": None,
                    "origin": None,
                    "addresses": None,
                    "registers": {"way": "separate", "along": 0, "chain": [1], "rows": 4},
                    "first": 0,
                    "steps": 8,
                },
                {
                    "kernel": "transpose",
                    "unit_bits": 8,
                    "source": 8,
                    "target": 8,
                    "loops": [
                        {"extent": 2, "source_stride": 1, "target_stride": 4, "fill": 0},
                        {"extent": 2, "source_stride": 2, "target_stride": 1, "fill": 2},
                    ],
                    "run": None,
                    "fill_run": 1,
                    "origin": None,
                    "addresses": None,
                    "registers": {"way": "interleave", "along": 0, "chain": [1], "rows": 4},
                    "first": 8,
                    "steps": 6,
                },
            ],
            "tables": None,
        },
        "window": [
            dict(zip(STEP, row, strict=True))
            for row in (
                (9, 1, [0, 1], 10, 9, 1, 8, False),
                (10, 1, [0, 2], None, 10, 2, 8, True),
                (11, 1, [1, 0], 9, 12, 1, 8, False),
                (12, 1, [1, 1], 11, 13, 1, 8, False),
                (13, 1, [1, 2], None, 14, 2, 8, True),
            )
        ],
    }


@pytest.mark.parametrize("dtype", ["float32", "int8", "int4"])
def test_all_steps_write_what_reorder_writes(client: httpx2.Client, dtype: str) -> None:
    choice = Seeded(7)
    for _ in range(12):
        shape = [choice.of((1, 2, 3, 5, 6)) for _ in range(4)]
        source, target = any_laid(choice, shape), any_laid(choice, shape)
        body = {"source": {**source.tensor, "dtype": dtype}, "target": target.layout}
        values = [k % 7 + 1 for k in range(source.buffer_elems)]
        expected = post(client, "/reorder", {**body, "values": values})["values"]
        answer = post(client, "/schedule", {**body, "count": 4096})
        bits = answer["plan"]["element_bits"]
        out: list[int | None] = [None] * len(expected)
        for step in answer["window"]:
            for k in range(step["units"] * step["unit_bits"] // bits):
                assert out[step["target_address"] + k] is None
                read = 0 if step["fill"] else values[step["source_address"] + k]
                out[step["target_address"] + k] = read
        assert answer["steps"] == len(answer["window"])
        # What nobody writes are gaps, which /reorder shows as zeros.
        assert [x or 0 for x in out] == expected


def test_step_10_to_the_12_is_at_hand(client: httpx2.Client) -> None:
    source: Json = {"shape": [1000] * 4, "layout": "NCHW"}
    last = {"source": source, "target": "NHWC", "first": 10**12 - 1}
    answer = post(client, "/schedule", last)
    assert answer["steps"] == 10**12
    assert [step["target_address"] for step in answer["window"]] == [10**12 - 1]


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
        ({"first": True}, "first"),
        ({"first": 1.5}, "first"),
        ({"count": -1}, "count"),
        ({"count": "3"}, "count"),
        ({"count": 2**18 + 1}, "count"),
        ({"target": {"strides": [0, 9, 3, 1]}}, "target"),
        ({"target": "NCQ?"}, "target"),
        ({"source": {**SOURCE, "layout": "NCHW?"}}, "source.layout"),
    ],
)
def test_errors_name_the_field(client: httpx2.Client, change: Json, field: str) -> None:
    refused(client, "/schedule", {"source": SOURCE, "target": "NCHW4", **change}, field)


def test_the_window_after_the_last_step_is_empty(client: httpx2.Client) -> None:
    answer = post(client, "/schedule", {"source": SOURCE, "target": "NCHW4", "first": 126})
    assert answer["window"] == []


def test_the_limit_of_values_bounds_the_steps() -> None:
    with TestClient(create_app(Settings(max_values=2**20))) as client:
        body = {"source": SOURCE, "target": "NCHW4", "count": 2**16}
        assert len(post(client, "/schedule", body)["window"]) == 126
        refusal = client.post("/api/v1/schedule", json={**body, "count": 2**16 + 1})
        problem = assert_problem(refusal, 422, "count")
        assert "at most 65536 steps" in problem["detail"]
