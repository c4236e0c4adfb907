"""Facts that the page takes as data: what a slice picks, and the element types."""

import math
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

Json = dict[str, Any]


def sliced(client: TestClient, **request: Any) -> Json:
    response = client.post("/api/v1/slice", json=request)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def applied(picks: list[Json], array: Any) -> Any:
    """The picks as their documentation has them, on an array."""
    ranges = [[p["start"] + p["step"] * i for i in range(p["count"])] for p in picks]
    taken = [at for at, p in zip(ranges, picks, strict=True) if p["dim"] is not None]
    members = [array[at] for at in product(*taken)]
    return np.array(members, dtype=np.int64).reshape([p["count"] for p in picks if p["kept"]])


@st.composite
def indices(draw: st.DrawFn, shape: list[int]) -> str:
    bound = st.none() | st.integers(-6, 6)
    least = min(shape, default=0)  # an ellipsis moves what follows to other dimensions
    items = []
    for _ in range(draw(st.integers(0, len(shape)))):
        if least and draw(st.booleans()):
            items.append(str(draw(st.integers(-least, least - 1))))
        else:
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            items.append(
                ":".join("" if n is None else str(n) for n in (draw(bound), draw(bound), step))
            )
    for extra in draw(st.sampled_from(([], ["None"], ["..."], ["...", "None"]))):
        items.insert(draw(st.integers(0, len(items))), extra)
    return ", ".join(items)


@given(data=st.data())
def test_picks_are_numpy_s_index(client: TestClient, data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 4), max_size=4))
    index = data.draw(indices(shape))
    array = np.arange(math.prod(shape)).reshape(shape)
    tensor = {"shape": shape, "layout": {"strides": [s // 8 for s in array.strides]}}
    picks = sliced(client, tensor=tensor, index=index)["picks"]
    assert [p["dim"] for p in picks if p["dim"] is not None] == list(range(len(shape)))
    expected = eval(f"array[{index or '...'}]", {"array": array})  # noqa: S307  # NumPy's own reading
    assert np.array_equal(applied(picks, array), expected)


def test_a_window_is_told_dimension_by_dimension(client: TestClient) -> None:
    window = {"offsets": [1, 0], "sizes": [3, 5], "strides": [-1, 2], "output_sizes": [2, 3]}
    assert sliced(client, tensor={"shape": [4, 5], "layout": "HW"}, window=window)["picks"] == [
        {"dim": 0, "start": 3, "step": -1, "count": 2, "kept": True},
        {"dim": 1, "start": 0, "step": 2, "count": 3, "kept": True},
    ]


def test_element_types_come_with_bits_of_numpy_and_ml_dtypes(client: TestClient) -> None:
    dtypes = client.get("/api/v1/formats").json()["dtypes"]
    assert dtypes[0] == {"name": "float64", "bits": 64, "kind": "float"}
    assert {"name": "uint4", "bits": 4, "kind": "uint"} in dtypes
    assert len({t["name"] for t in dtypes}) == len(dtypes)
    assert {"float", "int", "uint", "bool"} <= {t["kind"] for t in dtypes}
    for name, bits, kind in (t.values() for t in dtypes):
        tensor = {"shape": [5], "layout": "W", "dtype": name}
        bytes_ = client.post("/api/v1/describe", json=tensor).json()["buffer"]["bytes"]
        assert bytes_ == (5 * bits + 7) // 8, name
        asked = {"tensor": tensor, "coordinates": [[k] for k in range(5)]}
        offsets = client.post("/api/v1/offsets", json=asked).json()["byte_offsets"]
        assert offsets == [k * bits // 8 for k in range(5)], name
        if kind in {"float", "int", "uint"}:
            info = ml_dtypes.finfo if kind == "float" else ml_dtypes.iinfo
            assert info(getattr(ml_dtypes, name, None) or np.dtype(name)).bits == bits
