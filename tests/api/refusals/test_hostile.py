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


ONES = strided([1] * 52, [1] * 52)
BLOCKED = blocked_everywhere(20)
SMALLER = blocked_everywhere(10)
EMPTY: Json = {"shape": [0, 8, 3, 3], "layout": "NCHW4"}
UNSQUEEZE: Json = {"op": "unsqueeze", "dim": 0}
VIEWS: list[tuple[Json, list[Json], int]] = [
    (ONES, [UNSQUEEZE], 422),
    (ONES, [{"op": "broadcast", "shape": [1] * 53}], 422),
    (EMPTY, [{"op": "reshape", "shape": [0, 144]}], 200),
    (strided([3], [-1], 2), [{"op": "narrow", "dim": 0, "start": 3, "length": 0}], 200),
    (strided([2**62], [2]), [UNSQUEEZE, {"op": "select", "dim": 0, "index": 0}], 200),
]
CALLS: list[tuple[str, Json, int]] = [
    ("describe", strided([2, 4], [2**61, 2**61 - 1]), 200),
    ("describe", strided([2**62 - 10, 2], [2, 3]), 200),
    ("describe", strided([1], [10**400]), 422),
    *(("view", {"tensor": tensor, "steps": steps}, status) for tensor, steps, status in VIEWS),
    # Corners without number, and many.
    ("reorder", {"source": BLOCKED, "target": BLOCKED["layout"]}, 422),
    ("reorder", {"source": SMALLER, "target": SMALLER["layout"]}, 200),
]


@pytest.mark.parametrize(("path", "body", "status"), CALLS, ids=range(len(CALLS)))
def test_it_costs_little(client: TestClient, path: str, body: Json, status: int) -> None:
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
