"""Small requests that once cost minutes, memory or a 500 cost little and are answered rightly."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.cost import assert_costs_like

Json = dict[str, Any]


def strided(shape: list[int], strides: list[int], offset: int = 0) -> Json:
    return {"shape": shape, "layout": {"strides": strides, "offset": offset}}


def blocked_everywhere(rank: int) -> Json:
    """``rank`` dimensions of size 3 in blocks of 2: 2^rank corners."""
    names = "abcdefghijklmnopqrstuvwxyz"[:rank]
    terms = [f"{n}/2*{2 * 4**i}+{n}%2*{4**i}" for i, n in enumerate(names)]
    return {"shape": [3] * rank, "layout": "c:" + "+".join(terms), "dims": names}


CALLS = {
    "overlap-beyond-int64": ("describe", strided([2, 4], [2**61, 2**61 - 1]), 200),
    "overlap-of-long-strides": ("describe", strided([2**62 - 10, 2], [2, 3]), 200),
    "stride-beyond-int64": ("describe", strided([1], [10**400]), 422),
    "rank-53-by-unsqueeze": (
        "view",
        {"tensor": strided([1] * 52, [1] * 52), "steps": [{"op": "unsqueeze", "dim": 0}]},
        422,
    ),
    "rank-53-by-broadcast": (
        "view",
        {"tensor": strided([1] * 52, [1] * 52), "steps": [{"op": "broadcast", "shape": [1] * 53}]},
        422,
    ),
    "empty-blocked-reshape": (
        "view",
        {
            "tensor": {"shape": [0, 8, 3, 3], "layout": "NCHW4"},
            "steps": [{"op": "reshape", "shape": [0, 144]}],
        },
        200,
    ),
    "empty-end-of-a-flip": (
        "view",
        {
            "tensor": strided([3], [-1], 2),
            "steps": [{"op": "narrow", "dim": 0, "start": 3, "length": 0}],
        },
        200,
    ),
    "unsqueeze-of-long-strides": (
        "view",
        {
            "tensor": strided([2**62], [2]),
            "steps": [{"op": "unsqueeze", "dim": 0}, {"op": "select", "dim": 0, "index": 0}],
        },
        200,
    ),
    "corners-without-number": (
        "reorder",
        {"source": blocked_everywhere(20), "target": blocked_everywhere(20)["layout"]},
        422,
    ),
    "many-corners": (
        "reorder",
        {"source": blocked_everywhere(10), "target": blocked_everywhere(10)["layout"]},
        200,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_costs_little(client: TestClient, name: str) -> None:
    path, body, status = CALLS[name]

    def plainly() -> None:
        asked = {"tensor": strided([2, 3], [3, 1]), "coordinates": [[0, 0]] * 10_000}
        assert client.post("/api/v1/offsets", json=asked).status_code == 200

    def call() -> None:
        response = client.post(f"/api/v1/{path}", json=body)
        assert response.status_code == status, response.text[:300]

    assert_costs_like(plainly, call, times=100)


def test_an_answer_does_not_depend_on_the_request_before_it(client: TestClient) -> None:
    source = {"shape": [1, 2, 2, 2], "layout": "NCHW"}
    targets: list[Any] = [{"strides": [8, 1, 4, 2]}, "NHWC"]
    said = [
        client.post("/api/v1/reorder", json={"source": source, "target": t}).json()["target"]
        for t in targets
    ]
    assert [s["layout"] for s in said] == ["(8, 1, 4, 2)", "NHWC"]


@pytest.mark.parametrize(
    ("dtype", "value", "nearest"),
    [
        ("bfloat16", 1 + 2**-8 + 2**-30, 1 + 2**-7),
        ("bfloat16", 1 + 2**-8, 1.0),
        ("float8_e5m2", 1 + 2**-3 + 2**-40, 1.25),
        ("float8_e4m3fn", 1 + 2**-4 + 2**-40, 1.125),
        ("float8_e4m3fn", -1 - 2**-4 - 2**-40, -1.125),
    ],
)
def test_values_are_rounded_once(
    client: TestClient, dtype: str, value: float, nearest: float
) -> None:
    tensor = {"shape": [1], "layout": "W", "dtype": dtype}
    body = {"source": tensor, "target": "W", "values": [value]}
    assert client.post("/api/v1/reorder", json=body).json()["values"] == [nearest]


@pytest.mark.parametrize(
    ("tensor", "step", "strides"),
    [
        (strided([2], [1]), {"op": "broadcast", "shape": [1, 2]}, [2, 1]),
        (strided([3], [1]), {"op": "broadcast", "shape": [0, 1, 3]}, [0, 3, 1]),
        (strided([0, 8], [8, 1]), {"op": "unsqueeze", "dim": 0}, [0, 8, 1]),
        (strided([], []), {"op": "transpose", "dim0": 0, "dim1": -1}, []),
        (strided([], []), {"op": "squeeze", "dim": 0}, []),
    ],
)
def test_strides_that_pytorch_shows_live(
    client: TestClient, tensor: Json, step: Json, strides: list[int]
) -> None:
    answer = client.post("/api/v1/view", json={"tensor": tensor, "steps": [step]}).json()
    assert answer["tensor"]["strides"] == strides
