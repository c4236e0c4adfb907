"""``--json`` says what the HTTP contract says: one answer, two surfaces."""

import json
import shlex
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.engine import KERNELS
from tests.cli.conftest import Run

FIGURE = {"shape": [2, 64, 3, 3], "layout": "NCHW4"}
SMALL = {"shape": [2, 6, 3, 3], "layout": "NCHW4"}
SLICED = {"shape": [1, 1, 4, 4], "layout": "NCHW"}
TILE = {"shape": [32, 32], "layout": "HW", "dtype": "float32"}
WALK = {"order": "NHWC", "cache": {"bytes": 1024, "ways": 4}, "orders": True}
WARP = {"along": ["H", "W"], "at": [3, 0], "space": "shared", "suggest": True}
WINDOW = {"offsets": [0, 0, 0, 1], "sizes": [1, 1, 4, 3], "strides": [1, 1, -2, 2]}
GAPS = {"shape": [2, 3], "layout": "(5,1)", "elements": 10}
INDEX = "0, ..., ::-1, None, 1:3"
PASTED = "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"
HUGE = [2**31, 2**32 - 1]
VIEW = [{"op": "permute", "dims": [0, 2, 3, 1]}]
VIEW += [{"op": "submemory", "offsets": [0, 0, 0, 4], "sizes": [1, 3, 3, 2]}, {"op": "squeeze"}]
COPY = [{"op": "flip", "dim": 1}, {"op": "chunk", "dim": 1, "chunks": 3, "index": 0}]
COPY += [{"op": "reshape", "shape": [-1]}, {"op": "index", "index": "0"}]
# What is typed, and the request that has to give the same answer.
CALLS: dict[str, dict[str, Any]] = {
    "describe 2x5x3x3 NCHW4 -t int4": SMALL | {"shape": [2, 5, 3, 3], "dtype": "int4"},
    "describe 2,3 '(5, 1)+2'": {"shape": [2, 3], "layout": "(5, 1)+2"},
    f"describe '{HUGE}' HW -t float64": {"shape": HUGE, "layout": "HW", "dtype": "float64"},
    "cost 2,64,3,3 NCHW4 --order NHWC --cache 1024,4 --orders": {"tensor": FIGURE, "walk": WALK},
    "cost 32,32 HW --warp HW --at 3,0 --shared --suggest": {"tensor": TILE, "warp": WARP},
    "offsets 32,32 HW --owners ()": {"tensor": TILE, "offsets": []},
    "offsets 2,64,3,3 NCHW4 0,5,0,2 1,63,2,2 --dtype float16": {
        "tensor": FIGURE | {"dtype": "float16"},
        "coordinates": [[0, 5, 0, 2], [1, 63, 2, 2]],
    },
    "offsets 2,3 (5,1) --owners '0 3 7,9,10,-1' --elements 10": {
        "tensor": GAPS,
        "offsets": [0, 3, 7, 9, 10, -1],
    },
    "slice 1,1,4,4 NCHW --offsets=0,0,0,1 --sizes=1,1,4,3 --strides=1,1,-2,2": {
        "tensor": SLICED,
        "window": WINDOW,
    },
    f"slice 1,1,4,4 NCHW '{INDEX}'": {"tensor": SLICED, "index": INDEX},
    f"read '{PASTED}'": {"text": PASTED},
    "view 2,6,3,3 NCHW4 'permute(0, 2,3,1)' 'submemory=0,0,0,4;1,3,3,2' squeeze": {
        "tensor": SMALL,
        "steps": VIEW,
    },
    "view 2,6 WH flip:1 'chunk 1 3 0' 'view(-1)' [0] -t int4": {
        "tensor": {"shape": [2, 6], "layout": "WH", "dtype": "int4"},
        "steps": COPY,
    },
    "elementwise 2,3 HW 2,1 (1,2)": {
        "operands": [{"shape": [2, n], "layout": at} for n, at in ((3, "HW"), (1, "(1,2)"))]
    },
    "schedule 2,6,3,3 NCHW NCHW4 --first 72 --count 3": {
        "source": SMALL | {"layout": "NCHW"},
        "target": "NCHW4",
        "first": 72,
        "count": 3,
    },
}


@pytest.mark.parametrize("typed", CALLS)
def test_calls(run: Run, client: TestClient, typed: str) -> None:
    result = run(*shlex.split(typed), "--json")
    assert result.exit_code == 0, result.stderr
    path = "coordinates" if "--owners" in typed else typed.partition(" ")[0]
    answer = client.post(f"/api/v1/{path}", json=CALLS[typed])
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
    assert (said["plan"], said["target"]) == (answer["plan"], answer["target"])
