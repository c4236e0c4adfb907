"""``--json`` says what the HTTP contract says: one answer, two surfaces."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.engine import KERNELS
from tests.cli.conftest import Run

TENSORS = (
    ((2, 64, 3, 3), "NCHW4", "float32"),
    ((2, 5, 3, 3), "NCHW4", "int4"),
    ((2, 3), "(5, 1)+2", "bfloat16"),
    ((2, 3), "(0, 1)", "int8"),
    ((), "()", "float64"),
    ((0, 3), "HW", "float32"),
    ((2**31, 2**32 - 1), "HW", "float64"),
    ((32, 32, 3, 3), "onednn:OIhw4i16o4i", "int8"),
)


@dataclass(frozen=True)
class Call:
    """A command line and the request that has to give the same answer."""

    arguments: tuple[str, ...]
    path: str
    body: dict[str, Any]
    id: str


FIGURE = {"shape": [2, 64, 3, 3], "layout": "NCHW4"}
SLICED = {"shape": [1, 1, 4, 4], "layout": "NCHW"}
TILE = {"shape": [32, 32], "layout": "HW", "dtype": "float32"}
CALLS = (
    Call(
        ("cost", "2,64,3,3", "NCHW4", "--order", "NHWC", "--cache", "1024,4", "--orders"),
        "cost",
        {
            "tensor": FIGURE,
            "walk": {"order": "NHWC", "cache": {"bytes": 1024, "ways": 4}, "orders": True},
        },
        "cost-walk",
    ),
    Call(
        ("cost", "32,32", "HW", "--warp", "HW", "--at", "3,0", "--shared", "--suggest"),
        "cost",
        {
            "tensor": TILE,
            "warp": {"along": ["H", "W"], "at": [3, 0], "space": "shared", "suggest": True},
        },
        "cost-warp",
    ),
    Call(
        ("offsets", "32,32", "HW", "--dtype", "float32", "--owners", "()"),
        "coordinates",
        {"tensor": TILE, "offsets": []},
        "no-owners",
    ),
    Call(
        ("offsets", "2,64,3,3", "NCHW4", "0,5,0,2", "1,63,2,2", "--dtype", "float16"),
        "offsets",
        {"tensor": {**FIGURE, "dtype": "float16"}, "coordinates": [[0, 5, 0, 2], [1, 63, 2, 2]]},
        "offsets",
    ),
    Call(
        ("offsets", "2,3", "(5,1)", "--owners", "0,3,7,9,10,-1", "--elements", "10"),
        "coordinates",
        {
            "tensor": {"shape": [2, 3], "layout": "(5,1)", "elements": 10},
            "offsets": [0, 3, 7, 9, 10, -1],
        },
        "owners-of-gaps",
    ),
    Call(
        ("offsets", "100,3", "(0,1)", "--owners", "2"),
        "coordinates",
        {"tensor": {"shape": [100, 3], "layout": "(0,1)"}, "offsets": [2]},
        "owners-of-a-shared-address",
    ),
    Call(
        ("offsets", "2,5,3,3", "NCHW4", "--owners", "36 37 38"),
        "coordinates",
        {"tensor": {"shape": [2, 5, 3, 3], "layout": "NCHW4"}, "offsets": [36, 37, 38]},
        "owners-of-padding",
    ),
    Call(
        ("slice", "1,1,4,4", "NCHW", "--offsets=0,0,0,1", "--sizes=1,1,4,3", "--strides=1,1,-2,2"),
        "slice",
        {
            "tensor": SLICED,
            "window": {"offsets": [0, 0, 0, 1], "sizes": [1, 1, 4, 3], "strides": [1, 1, -2, 2]},
        },
        "window",
    ),
    Call(
        ("slice", "1,1,4,4", "NCHW", "0, ..., ::-1, None, 1:3"),
        "slice",
        {"tensor": SLICED, "index": "0, ..., ::-1, None, 1:3"},
        "index",
    ),
    Call(
        ("slice", "2,6,3,3", "NCHW4", ":, 1:6"),
        "slice",
        {"tensor": {"shape": [2, 6, 3, 3], "layout": "NCHW4"}, "index": ":, 1:6"},
        "slice-without-a-view",
    ),
    Call(
        ("read", "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"),
        "read",
        {"text": "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"},
        "read",
    ),
    Call(
        ("view", "2,6,3,3", "NCHW4", "permute(0, 2,3,1)", "submemory=0,0,0,4;1,3,3,2", "squeeze"),
        "view",
        {
            "tensor": {"shape": [2, 6, 3, 3], "layout": "NCHW4"},
            "steps": [
                {"op": "permute", "dims": [0, 2, 3, 1]},
                {"op": "submemory", "offsets": [0, 0, 0, 4], "sizes": [1, 3, 3, 2]},
                {"op": "squeeze"},
            ],
        },
        "view",
    ),
    Call(
        ("view", "2,6", "WH", "flip:1", "chunk 1 3 0", "view(-1)", "[0]", "-t", "int4"),
        "view",
        {
            "tensor": {"shape": [2, 6], "layout": "WH", "dtype": "int4"},
            "steps": [
                {"op": "flip", "dim": 1},
                {"op": "chunk", "dim": 1, "chunks": 3, "index": 0},
                {"op": "reshape", "shape": [-1]},
                {"op": "index", "index": "0"},
            ],
        },
        "view-that-needs-a-copy",
    ),
    Call(
        ("elementwise", "2,3", "HW", "2,1", "(1,2)", "--dtype", "int8"),
        "elementwise",
        {
            "operands": [
                {"shape": [2, 3], "layout": "HW", "dtype": "int8"},
                {"shape": [2, 1], "layout": "(1,2)", "dtype": "int8"},
            ]
        },
        "elementwise",
    ),
    Call(
        ("schedule", "2,6,3,3", "NCHW", "NCHW4", "--first", "72", "--count", "3"),
        "schedule",
        {"source": {**FIGURE, "shape": [2, 6, 3, 3], "layout": "NCHW"}, "target": "NCHW4"}
        | {"first": 72, "count": 3},
        "schedule",
    ),
)


@pytest.mark.parametrize(("shape", "layout", "dtype"), TENSORS)
def test_describe(
    run: Run, client: TestClient, shape: tuple[int, ...], layout: str, dtype: str
) -> None:
    result = run("describe", str(shape), layout, "--dtype", dtype, "--json")
    assert result.exit_code == 0, result.stderr
    answer = client.post(
        "/api/v1/describe", json={"shape": shape, "layout": layout, "dtype": dtype}
    )
    assert answer.status_code == 200
    assert json.loads(result.stdout) == answer.json()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.id)
def test_calls(run: Run, client: TestClient, call: Call) -> None:
    result = run(*call.arguments, "--json")
    assert result.exit_code == 0, result.stderr
    answer = client.post(f"/api/v1/{call.path}", json=call.body)
    assert answer.status_code == 200, answer.text
    assert json.loads(result.stdout) == answer.json()


def test_formats(run: Run, client: TestClient) -> None:
    result = run("formats", "--json")
    assert json.loads(result.stdout) == client.get("/api/v1/formats").json()


def test_reorder_plans_alike(run: Run, client: TestClient, tmp_path: Any) -> None:
    for each in KERNELS:
        each.load()  # they are ready sooner or later, and the plan names the backend
    np.save(tmp_path / "in.npy", np.arange(2 * 6 * 3 * 3, dtype=np.int16).reshape(2, 6, 3, 3))
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    result = run("reorder", *files, "--from", "NCHW", "--to", "NCHW4", "--json")
    assert result.exit_code == 0, result.stderr
    source = {"shape": [2, 6, 3, 3], "layout": "NCHW", "dtype": "int16"}
    # With values, so that both move bytes and say what did.
    asked = {"source": source, "target": "NCHW4", "values": list(range(2 * 6 * 3 * 3))}
    answer = client.post("/api/v1/reorder", json=asked).json()
    said = json.loads(result.stdout)
    assert said["plan"] == answer["plan"]
    assert said["target"] == answer["target"]


def test_integers_beyond_64_bits_stay_exact(run: Run) -> None:
    said = json.loads(run("describe", f"{2**62}", "W", "--dtype", "float64", "--json").stdout)
    assert (said["buffer"]["elements"], said["buffer"]["bytes"]) == (2**62, 2**65)
    assert set(said["buffer"]["per_system"].values()) == {None}
