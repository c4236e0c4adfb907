"""/view and /elementwise: PyTorch's golden rows, NumPy's views, oneDNN's submemory."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.api.problems import MEDIA_TYPE
from app.engine import Layout, offset_map
from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Digit
from app.engine.network.rules.pytorch_eager.memory import iterate
from app.engine.notation.dialects import onednn
from tests.engine.strategies import packed_layouts, shapes
from tests.examples import examples
from tests.places import golden_rows

Json = dict[str, Any]


def view(client: TestClient, tensor: Json, *steps: Json) -> Json:
    response = client.post("/api/v1/view", json={"tensor": tensor, "steps": list(steps)})
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def strided(shape: list[int], strides: list[int]) -> Json:
    return {"shape": shape, "layout": {"strides": strides}}


def test_every_golden_elementwise_result() -> None:
    for row in golden_rows("torch_elementwise"):
        operands = [Layout.strided(o["shape"], o["strides"]) for o in row["operands"]]
        result = iterate(operands)
        found = [*result.shape], [*(result.strides or ())]
        assert found == (row["result_shape"], row["result_strides"]), row


X = {"shape": [10, 3, 32, 32], "layout": "NCHW"}
LAST = {"shape": [10, 3, 32, 32], "layout": "channels_last"}


PIXELS = {"shape": [10, 16, 16, 3], "layout": "(768,48,3,1)"}
SCALAR: Json = {"shape": [], "layout": "()"}
THERE: Json = {"op": "permute", "dims": [0, 2, 3, 1]}
BACK: Json = {"op": "permute", "dims": [0, 3, 1, 2]}
FIRST: Json = {"op": "select", "dim": 0, "index": 0}
CHUNK: Json = {"op": "narrow", "dim": 1, "start": 0, "length": 2}
# Steps of the memory format document: the strides that are left, and the format.
FORMATS: list[tuple[Json, list[Json], list[int], list[str]]] = [
    (X, [THERE], [3072, 32, 1, 1024], []),
    (LAST, [THERE, BACK], [3072, 1, 96, 3], ["channels_last"]),
    (LAST, [FIRST, {"op": "unsqueeze", "dim": 0}], [3, 1, 96, 3], ["channels_last"]),
    (X, [CHUNK], [3072, 1024, 32, 1], []),
    (LAST, [CHUNK], [3072, 1, 96, 3], []),
    (PIXELS, [BACK], [768, 1, 48, 3], ["channels_last"]),
    (X, [{"op": "flatten", "start_dim": 1, "end_dim": 1}], [3072, 1024, 32, 1], ["contiguous"]),
    (SCALAR, [{"op": "mT"}, {"op": "flatten"}], [1], ["contiguous"]),
    (SCALAR, [{"op": "unfold", "dim": 0, "size": 1, "step": 1}], [1], ["contiguous"]),
]


@pytest.mark.parametrize(("tensor", "steps", "strides", "flags"), FORMATS)
def test_the_format_of_a_view(
    client: TestClient, tensor: Json, steps: list[Json], strides: list[int], flags: list[str]
) -> None:
    found = view(client, tensor, *steps)["tensor"]
    assert found["strides"] == strides
    names = ("contiguous", "channels_last")
    assert [name for name in names if found["properties"][name]] == flags


@pytest.mark.parametrize(
    ("shape", "layout"),
    [([7, 3, 64, 1], "AcdB4a4b"), ([5, 8, 4], "cute:(5, 8, 4)"), ([3, 2], "c:h + w*4 + 1")],
)
def test_a_view_of_the_whole_tensor_is_shown_as_it_was_written(
    client: TestClient, shape: list[int], layout: str
) -> None:
    tensor = {"shape": shape, "layout": layout}
    whole = client.post("/api/v1/describe", json=tensor).json() | {"readings": []}
    sliced = client.post("/api/v1/slice", json={"tensor": tensor, "index": ":"}).json()["view"]
    chunked = view(client, tensor, {"op": "chunk", "dim": 0, "chunks": 1, "index": 0})["tensor"]
    assert whole == sliced == chunked == view(client, tensor)["tensor"]
    part = client.post("/api/v1/slice", json={"tensor": tensor, "index": "..., 0"}).json()["view"]
    assert part["layout"] != whole["layout"]
    assert part["system"] is None


@st.composite
def numpy_steps(draw: st.DrawFn, array: Any) -> tuple[Json, Any]:
    """One step that NumPy can express as a view too, and what NumPy makes of it."""
    rank = array.ndim
    kinds = ["unsqueeze", "broadcast", "squeeze_all"]
    if rank:
        kinds += ["permute", "transpose", "narrow", "flip", "squeeze"]
        if all(array.shape):
            kinds += ["select", "chunk"]
    kind = draw(st.sampled_from(kinds))
    d = draw(st.integers(-rank, rank - 1)) if rank else 0
    size = array.shape[d] if rank else 0
    if kind == "permute":
        dims = draw(st.permutations(range(rank)))
        return {"op": kind, "dims": dims}, array.transpose(dims)
    if kind == "transpose":
        other = draw(st.integers(0, rank - 1))
        return {"op": kind, "dim0": d, "dim1": other}, array.swapaxes(d, other)
    if kind == "narrow":
        start = draw(st.integers(0, size))
        length = draw(st.integers(0, size - start))
        taken = np.moveaxis(np.moveaxis(array, d, 0)[start : start + length], 0, d)
        return {"op": kind, "dim": d, "start": start, "length": length}, taken
    if kind == "flip":
        return {"op": kind, "dim": d}, np.flip(array, d)
    if kind == "select":
        index = draw(st.integers(-size, size - 1))
        return {"op": kind, "dim": d, "index": index}, np.moveaxis(array, d, 0)[index]
    if kind == "chunk":
        chunks = draw(st.integers(1, size + 1))
        part = -(-size // chunks)
        index = draw(st.integers(0, -(-size // part) - 1))
        moved = np.moveaxis(array, d, 0)[index * part : (index + 1) * part]
        return {"op": kind, "dim": d, "chunks": chunks, "index": index}, np.moveaxis(moved, 0, d)
    if kind == "unsqueeze":
        at = draw(st.integers(-rank - 1, rank))
        return {"op": kind, "dim": at}, np.expand_dims(array, at)
    if kind == "squeeze":
        gone = array.squeeze(d) if size == 1 else array
        return {"op": kind, "dim": d}, gone
    if kind == "squeeze_all":
        return {"op": "squeeze"}, array.squeeze()
    wanted = [draw(st.sampled_from([2, 3])) if n == 1 else n for n in array.shape]
    lead = draw(st.lists(st.integers(1, 2), max_size=1))
    return {"op": "broadcast", "shape": lead + wanted}, np.broadcast_to(array, lead + wanted)


def layout_of(tensor: Json) -> Layout:
    digits = tuple(tuple(Digit(**g) for g in gs) for gs in tensor["digits"])
    return Layout(tuple(tensor["shape"]), tensor["dims"], digits, tensor["offset"])


@examples(400)
@given(data=st.data())
def test_steps_are_numpy_s_on_the_offset_map(client: TestClient, data: st.DataObject) -> None:
    layout = data.draw(shapes(max_rank=3).flatmap(packed_layouts))
    array = offset_map(layout)
    steps = []
    for _ in range(data.draw(st.integers(1, 3))):
        step, array = data.draw(numpy_steps(array))
        steps.append(step)
    tensor = {"shape": layout.shape, "layout": written(layout), "dims": layout.dims}
    answer = view(client, tensor, *steps)
    if answer["is_view"]:
        assert np.array_equal(offset_map(layout_of(answer["tensor"])), array)
    else:
        assert layout.strides is None, "a strided layout's step is always a view"
        assert answer["reason"].startswith("Step ")


def written(layout: Layout) -> str:
    """The layout as a oneDNN tag, which says every packed order."""
    return "onednn:" + onednn.DIALECT.write(layout, DEFAULT) if layout.rank else "()"


@pytest.mark.parametrize(
    ("shape", "digits"),
    [([2, 64, 9], 2), ([2, 8, 8, 9], 2), ([2, 2, 32, 9], 2), ([2, 576], 4), ([1152], 5)],
)
def test_blocked_layouts_regroup_by_digits(
    client: TestClient, shape: list[int], digits: int
) -> None:
    tensor = {"shape": [2, 64, 3, 3], "layout": "NCHW4"}
    answer = view(client, tensor, {"op": "reshape", "shape": shape})
    assert answer["is_view"]
    array = np.arange(1152).reshape(2, 16, 3, 3, 4).transpose(0, 1, 4, 2, 3)
    assert np.array_equal(offset_map(layout_of(answer["tensor"])), array.reshape(shape))
    assert len(answer["tensor"]["digits"][-1]) == digits


NCHW16C = {"shape": [2, 64, 4, 4], "layout": "nChw16c"}


@pytest.mark.parametrize(
    ("offsets", "sizes", "reason"),
    [
        ([0, 16, 0, 0], [2, 32, 4, 4], None),
        ([1, 48, 1, 0], [1, 16, 2, 4], None),
        ([0, 32, 0, 0], [2, 8, 4, 4], None),
        ([0, 8, 0, 0], [2, 16, 4, 4], "begins at 8, not at a multiple of its block 16"),
        ([0, 0, 0, 0], [2, 24, 4, 4], "neither whole blocks of 16 nor less than one"),
    ],
)
def test_submemory_by_onednn_s_conditions(
    client: TestClient, offsets: list[int], sizes: list[int], reason: str | None
) -> None:
    answer = view(client, NCHW16C, {"op": "submemory", "offsets": offsets, "sizes": sizes})
    if reason:
        assert reason in answer["reason"]
        return
    whole = offset_map(
        Layout.packed((2, 64, 4, 4), "NCHW", [(0, None), (1, None), (2, None), (3, None), (1, 16)])
    )
    part = whole[tuple(slice(o, o + n) for o, n in zip(offsets, sizes, strict=True))]
    assert np.array_equal(offset_map(layout_of(answer["tensor"])), part)


def test_submemory_keeps_the_padding_behind_it(client: TestClient) -> None:
    """Facts of oneDNN 3.2, read live."""
    tensor = {"shape": [3, 14, 17, 16, 8], "layout": "onednn:aBCde8c16b2c"}
    step: Json = {"op": "submemory", "offsets": [0, 0, 16, 11, 0], "sizes": [3, 14, 1, 1, 2]}
    assert view(client, tensor, step)["tensor"]["padded_shape"] == [3, 16, 16, 1, 2]
    tensor = {"shape": [17, 17, 1, 8, 2], "layout": "onednn:adeCb4c"}
    step = {"op": "submemory", "offsets": [11, 0, 0, 7, 0], "sizes": [6, 17, 1, 0, 2]}
    assert view(client, tensor, step)["tensor"]["offset"] == 12920
    # An empty part keeps its place.
    step = {"op": "narrow", "dim": 0, "start": 2, "length": 0}
    assert view(client, strided([5, 3], [3, 1]), step)["tensor"]["offset"] == 6


PART: Json = {"op": "submemory", "offsets": [0, 0, 0, 0], "sizes": [0, 3, 32, 32]}


@pytest.mark.parametrize(
    ("step", "field"),
    [
        ({"op": "permute", "dims": [0, 1, 2]}, "steps[0].dims"),
        ({"op": "permute", "dims": [0, 1, 2, 2]}, "steps[0].dims"),
        ({"op": "permute", "dims": [0, 1, 2, 4]}, "steps[0].dims[3]"),
        ({"op": "transpose", "dim0": 0, "dim1": -5}, "steps[0].dim1"),
        ({"op": "chunk", "dim": 1, "chunks": 0, "index": 0}, "steps[0].chunks"),
        ({"op": "chunk", "dim": 1, "chunks": 2, "index": 2}, "steps[0].index"),
        ({"op": "reshape", "shape": [7, -1]}, "steps[0].shape[1]"),
        ({"op": "reshape", "shape": [-1, -1]}, "steps[0].shape[1]"),
        ({"op": "reshape", "shape": [-2]}, "steps[0].shape[0]"),
        ({"op": "reshape", "shape": [5]}, "steps[0].shape"),
        ({"op": "reshape", "shape": [2**62, 2**62]}, "steps[0].shape"),
        ({"op": "broadcast", "shape": [3, 32, 32]}, "steps[0].shape"),
        ({"op": "broadcast", "shape": [10, 6, 32, 32]}, "steps[0].shape[1]"),
        ({"op": "broadcast", "shape": [-1, 10, 3, 32, 32]}, "steps[0].shape[0]"),
        ({"op": "narrow", "dim": 1, "start": 1, "length": 3}, "steps[0].length"),
        ({"op": "narrow", "dim": 1, "start": 4, "length": 0}, "steps[0].start"),
        ({"op": "select", "dim": 1, "index": 3}, "steps[0].index"),
        ({"op": "unsqueeze", "dim": 5}, "steps[0].dim"),
        ({"op": "submemory", "offsets": [0], "sizes": [1]}, "steps[0].offsets"),
        (PART | {"sizes": [11, 3, 32, 32]}, "steps[0].sizes[0]"),
        (PART | {"offsets": [11, 0, 0, 0]}, "steps[0].offsets[0]"),
    ],
)
def test_bad_steps_are_named(client: TestClient, step: Json, field: str) -> None:
    response = client.post("/api/v1/view", json={"tensor": X, "steps": [step]})
    assert response.status_code == 422
    assert response.headers["content-type"] == MEDIA_TYPE
    assert response.json()["errors"][0]["field"] == field


@pytest.mark.parametrize(
    ("operands", "field"),
    [
        ([], "operands"),
        ([X, {"shape": [4, 3, 32, 32], "layout": "NCHW"}], "operands[1].shape[0]"),
        ([{"shape": [2, 8, 3, 3], "layout": "NCHW4"}], "operands[0]"),
        ([X, {**X, "dtype": "int8"}], "operands[1].dtype"),
        ([X, {**X, "layout": "NCHX"}], "operands[1].layout"),
    ],
)
def test_bad_operands_are_named(client: TestClient, operands: list[Json], field: str) -> None:
    response = client.post("/api/v1/elementwise", json={"operands": operands})
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == field


def test_a_binary_operation_follows_its_first_operand(client: TestClient) -> None:
    for operands, expected in (([LAST, X], [3072, 1, 96, 3]), ([X, LAST], [3072, 1024, 32, 1])):
        answer = client.post("/api/v1/elementwise", json={"operands": operands}).json()
        assert answer["tensor"]["strides"] == expected
