"""The results of each step of a view, where a step breaks, and slices after steps."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.engine import Layout, offset_map
from tests.api.test_views import NCHW16C, Json, X, layout_of, strided, view
from tests.places import golden_rows


def test_each_step_has_its_result(client: TestClient) -> None:
    steps: list[Json] = [
        {"op": "permute", "dims": [0, 2, 3, 1]},
        {"op": "select", "dim": 0, "index": 1},
        {"op": "flip", "dim": -1},
    ]
    answer = view(client, X, *steps)
    lines = [(r["dims"], r["shape"], r["strides"], r["offset"]) for r in answer["results"]]
    assert lines == [
        ("NHWC", [10, 32, 32, 3], [3072, 32, 1, 1024], 0),
        ("HWC", [32, 32, 3], [32, 1, 1024], 3072),
        ("HWC", [32, 32, 3], [32, 1, -1024], 5120),
    ]
    last = answer["results"][-1]
    assert [answer["tensor"][name] for name in last] == list(last.values())
    assert answer["breaks"] is None
    assert view(client, X)["results"] == []


def test_every_golden_reshape_is_a_view_or_says_where_it_needs_a_copy(client: TestClient) -> None:
    """In reading order, the last element before the break and the first one after it."""
    stops = 0
    for row in golden_rows("torch_views"):
        step = {"op": "reshape", "shape": row["new_shape"]}
        answer = view(client, strided(row["shape"], row["strides"]), step)
        breaks, tensor = answer["breaks"], answer["tensor"]
        assert (tensor and tensor["strides"]) == row["new_strides"]
        assert answer["is_view"] == (answer["reason"] is None) == (breaks is None)
        if breaks is None:
            assert tensor
            continue
        stops += 1
        jump, shape = breaks["jump"], row["shape"]
        offsets = offset_map(layout_of(breaks["before"]))
        merged = range(jump["inner"], jump["last"] + 1)
        at = tuple(n - 1 if d in merged else 0 for d, n in enumerate(shape))
        then = tuple(int(d == jump["outer"]) for d in range(len(shape)))
        assert offsets[then] - offsets[at] == jump["stride"] - jump["needed"] + jump["step"]
        assert jump["stride"] != jump["needed"]
        linear = np.arange(offsets.size).reshape(shape)
        new = linear.reshape(row["new_shape"])
        old_at, old_then = (np.argwhere(new == linear[c])[0] for c in (at, then))
        assert jump["into"] == np.flatnonzero(old_at != old_then)[0]
    assert stops > 100


SWIZZLED: Json = {"shape": [8, 8], "layout": "cute:Sw<3,0,3> o 0 o (8,8):(8,1)"}


def nchw4(*shape: int) -> Json:
    return {"shape": list(shape), "layout": "NCHW4"}


@pytest.mark.parametrize(
    ("tensor", "step", "dim", "reason"),
    [
        (nchw4(2, 6, 3, 3), {"op": "reshape", "shape": [2, 54]}, 1, "padded from 6 to 8"),
        (nchw4(1, 12, 2, 1), {"op": "reshape", "shape": [2, 6, 2]}, 1, "unequal parts"),
        (nchw4(2, 8, 3, 3), {"op": "narrow", "dim": 1, "start": 2, "length": 4}, 1, ""),
        (nchw4(2, 6, 3, 3), {"op": "flip", "dim": 1}, 1, ""),
        (NCHW16C, {"op": "submemory", "offsets": [0, 8, 0, 0], "sizes": [2, 16, 4, 4]}, 1, ""),
        (SWIZZLED, {"op": "reshape", "shape": [64]}, None, ""),
    ],
    ids=["padding", "uneven", "narrow", "flip", "submemory", "swizzle"],
)
def test_a_stop_names_its_dimension(
    client: TestClient, tensor: Json, step: Json, dim: int | None, reason: str
) -> None:
    answer = view(client, tensor, step)
    breaks = answer["breaks"]
    assert [breaks["step"], breaks["dim"], breaks["jump"]] == [0, dim, None]
    assert reason in answer["reason"]


def test_a_slice_is_taken_after_the_steps(client: TestClient) -> None:
    steps = [{"op": "permute", "dims": [0, 2, 1]}, {"op": "flip", "dim": 2}]
    body = {"tensor": {"shape": [2, 3, 4], "layout": "CHW"}, "steps": steps, "index": "1, ::2"}
    answer = client.post("/api/v1/slice", json=body | {"values": list(range(24))}).json()
    taken = np.arange(24).reshape(2, 3, 4).transpose(0, 2, 1)[..., ::-1][1, ::2]
    assert answer["shape"] == list(taken.shape)
    assert answer["offsets"] == answer["values"] == taken.ravel().tolist()
    assert answer["view"]["strides"] == [2, -4]
    stopped = client.post(
        "/api/v1/slice", json=body | {"steps": [*steps, {"op": "reshape", "shape": [24]}]}
    )
    assert stopped.status_code == 422
    assert stopped.json()["errors"][0]["field"] == "steps[2]"


def test_the_first_offsets_of_a_slice_of_any_size(client: TestClient) -> None:
    shape = [1000, 1000, 1000, 1000]
    tensor: Json = {"shape": shape, "layout": "NHWC"}
    body = {"tensor": tensor, "index": "..., None, ::-1, 5:", "first": 7}
    answer = client.post("/api/v1/slice", json=body).json()
    assert answer["shape"] == [1000, 1000, 1, 1000, 995]
    layout = Layout.packed(tuple(shape), "NCHW", [(0, None), (2, None), (3, None), (1, None)])
    expected = [
        layout.offsets_at([np.array([k]) for k in (0, 0, 999, 5 + i)]).item() for i in range(7)
    ]
    assert answer["offsets"] == expected
    refused = client.post("/api/v1/slice", json={k: v for k, v in body.items() if k != "first"})
    assert refused.json()["errors"][0]["field"] == "index"
    tensor = {"shape": [3, 4], "layout": "HW"}
    small = {"tensor": tensor, "index": ":, ::-2", "values": list(range(12))}
    for first in range(8):
        part = client.post("/api/v1/slice", json=small | {"first": first}).json()
        assert part["offsets"] == part["values"] == [3, 1, 7, 5, 11, 9][:first]
