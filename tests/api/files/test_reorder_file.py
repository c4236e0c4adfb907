"""POST /reorder/file: each kind of file in and out, compared with NumPy's own reorders."""

from collections.abc import Callable, Iterator

import httpx2
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import deserialize
from starlette.testclient import TestClient

from app.files import npy
from app.main import app, create_app
from app.settings import Settings
from tests.api.files.calls import (
    Array,
    blocked,
    npy_bytes,
    npy_values,
    post,
    reordered,
    safe_bytes,
    safe_values,
)

SHAPE = (2, 6, 3, 5)
SIZES = "2,6,3,5"
NUMBERS = np.arange(np.prod(SHAPE)).reshape(SHAPE)
TARGETS = {
    "NHWC": NUMBERS.transpose(0, 2, 3, 1),
    "CHWN": NUMBERS.transpose(1, 2, 3, 0),
    "NCHW4": blocked(NUMBERS, 4),
    "NCHW32": blocked(NUMBERS, 32),
    "onednn:aBcd8b": blocked(NUMBERS, 8),
    "CHWN4": blocked(NUMBERS, 4).transpose(1, 2, 3, 0, 4),
}


@pytest.fixture(scope="module", params=["memory", "temporary files"])
def client(request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    """The program as it is, and one that has no memory to give."""
    program = app if request.param == "memory" else create_app(Settings(max_file_memory_bytes=0))
    with TestClient(program) as test_client:
        yield test_client


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "float16", "float32", ">i4", "float64"]
)
def test_npy(client: httpx2.Client, dtype: str) -> None:
    body = npy_bytes(NUMBERS.astype(dtype))
    for target, expected in TARGETS.items():
        values = npy_values(reordered(client, body, shape=SIZES, source="NCHW", target=target))
        np.testing.assert_array_equal(values, expected.astype(dtype), strict=True)


def test_sizes_are_read_off_the_file(client: httpx2.Client) -> None:
    body = npy_bytes(blocked(NUMBERS, 4))
    values = npy_values(reordered(client, body, source="NCHW4", target="NCHW"))
    np.testing.assert_array_equal(values, np.pad(NUMBERS, ((0, 0), (0, 2), (0, 0), (0, 0))))


@pytest.mark.parametrize("source", TARGETS)
def test_an_array_in_fortran_order_is_the_same_array(client: httpx2.Client, source: str) -> None:
    array = TARGETS[source].astype(np.int16)
    body = npy_bytes(np.asfortranarray(array))
    assert b"'fortran_order': True" in body[:128]
    for sizes in ({}, {"shape": SIZES}):
        query = {"source": source, "target": "NHWC", **sizes}
        made = npy_values(reordered(client, body, **query))
        plain = npy_values(reordered(client, npy_bytes(array), **query))
        np.testing.assert_array_equal(made, plain, strict=True)


def test_strides_and_a_buffer_longer_than_the_layout(client: httpx2.Client) -> None:
    body = npy_bytes(np.arange(10, dtype=np.int16))
    query = {"shape": "2,3", "source": "(5, 1)", "target": "(1, 4)"}
    values = npy_values(reordered(client, body, **query))
    np.testing.assert_array_equal(values, np.array([0, 5, 0, 0, 1, 6, 0, 0, 2, 7], np.int16))


@pytest.mark.parametrize("shape", [(), (0, 4, 2, 2), (1, 1, 1, 1)])
def test_one_element_and_none(client: httpx2.Client, shape: tuple[int, ...]) -> None:
    values = np.ones(shape, np.float32)
    layout = "NCHW" if shape else "()"
    query = {"shape": ",".join(map(str, shape)), "source": layout, "target": layout}
    made = npy_values(reordered(client, npy_bytes(values), **query))
    np.testing.assert_array_equal(made, values, strict=True)


@pytest.mark.parametrize(
    "dtype", ["float32", "int8", "uint64", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
)
def test_raw(client: httpx2.Client, dtype: str) -> None:
    element = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    values = (NUMBERS % 251).astype(element)
    query = {"shape": SIZES, "source": "NCHW", "target": "NCHW4", "dtype": dtype}
    made = reordered(client, values.tobytes(), "application/octet-stream", **query)
    assert made == blocked(values.view(f"u{element.itemsize}"), 4).tobytes()


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_raw_nibbles(client: httpx2.Client, dtype: str) -> None:
    values = (np.arange(3 * 5) % 16).astype(np.uint8)
    query = {"shape": "3,5", "source": "HW", "target": "WH", "dtype": dtype}
    made = reordered(client, nibbles(values), **query)
    assert made == nibbles(values.reshape(3, 5).T.ravel())


def nibbles(values: Array) -> bytes:
    """Two to a byte, the even address in the low half."""
    padded = np.append(values, np.zeros(len(values) % 2, np.uint8))
    return bytes((padded[0::2] | padded[1::2] << 4).astype(np.uint8))


TENSORS: dict[str, Array] = {
    "first": np.arange(3, dtype=np.int8),
    "weight": NUMBERS.astype(ml_dtypes.bfloat16),
    "last/ä\n": NUMBERS.astype(np.float64),
}


@pytest.mark.parametrize(("name", "target"), [("weight", "NCHW4"), ("last/ä\n", "NHWC")])
def test_one_tensor_of_a_safetensors_file(client: httpx2.Client, name: str, target: str) -> None:
    body = safe_bytes(TENSORS, {"format": "pt", "ü": '"'})
    query = {"shape": SIZES, "source": "NCHW", "target": target, "tensor": name}
    made = safe_values(reordered(client, body, **query))
    assert made.keys() == {name}
    holder = TENSORS[name].dtype
    assert made[name].dtype == holder
    np.testing.assert_array_equal(
        made[name].astype(np.float64), TARGETS[target].astype(holder).astype(np.float64)
    )


def test_a_whole_safetensors_file(client: httpx2.Client) -> None:
    """Each tensor of four dimensions is reordered; the others and the metadata stay."""
    foreign = np.arange(8, dtype=np.complex64)  # perhaps of a type that the engine does not know
    body = safe_bytes({**TENSORS, "other": foreign}, {"format": "pt"})
    response = post(client, body, source="NCHW", target="NCHW4")
    assert response.status_code == 200, response.text
    assert response.headers["content-length"] == str(len(response.content))
    assert "elements=" + str(2 * NUMBERS.size) in response.headers["x-stridescope-plan"]
    assert b'"__metadata__":{"format":"pt"}' in response.content
    made = {name: bytes(info["data"]) for name, info in deserialize(response.content)}  # type: ignore[no-untyped-call]  # as in calls
    assert made.keys() == {*TENSORS, "other"}
    for name in ("first", "other"):
        assert made[name] == {**TENSORS, "other": foreign}[name].tobytes()
    for name in ("weight", "last/ä\n"):
        assert made[name] == TARGETS["NCHW4"].astype(TENSORS[name].dtype).tobytes()


@pytest.mark.parametrize(
    ("media", "form"),
    [
        (None, None),
        ("application/octet-stream", None),
        ("application/x-www-form-urlencoded", None),  # what curl --data-binary says
        ("application/x-npy", None),
        ("application/x-npy; charset=binary", "npy"),
        ("application/vnd.safetensors", "npy"),
    ],
)
def test_the_kind_is_said_or_recognised(
    client: httpx2.Client, media: str | None, form: str | None
) -> None:
    query = {"source": "NCHW", "target": "NHWC"} | ({"format": form} if form else {})
    response = post(client, npy_bytes(NUMBERS), media, **query)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-npy"
    assert response.headers["content-disposition"] == 'attachment; filename="reordered.npy"'
    assert response.headers["x-content-type-options"] == "nosniff"
    said = response.headers["x-stridescope-plan"]
    assert said.startswith("strided; elements=180; backend=")


def test_raw_bytes_may_look_like_a_header(client: httpx2.Client) -> None:
    looks = npy.MAGIC + bytes(9)
    query = {"shape": "3,5", "source": "HW", "target": "WH", "dtype": "uint8", "format": "raw"}
    made = np.frombuffer(reordered(client, looks, **query), np.uint8)
    np.testing.assert_array_equal(made.reshape(5, 3).T.ravel(), np.frombuffer(looks, np.uint8))
    brace = np.array([123, 0, 0, 0, 123], np.int64)
    query = {"shape": "5", "source": "W", "target": "W", "dtype": "int64"}
    assert reordered(client, brace.tobytes(), **query) == brace.tobytes()


def test_a_body_in_chunks_of_any_size(client: httpx2.Client) -> None:
    body = npy_bytes(NUMBERS)

    def chunks(size: int) -> Iterator[bytes]:
        for at in range(0, len(body), size):
            yield body[at : at + size]

    for size in (1, 7, 129, len(body)):
        values = npy_values(reordered(client, chunks(size), source="NCHW", target="NHWC"))
        np.testing.assert_array_equal(values, TARGETS["NHWC"], strict=True)


FILES: dict[str, Callable[[Array], bytes]] = {
    "npy": npy_bytes,
    "safetensors": lambda values: safe_bytes({"x": values}),
    "raw": bytes,
}


@given(
    st.tuples(*[st.integers(1, 5)] * 4),
    st.sampled_from(["int8", "float16", "int32", "float64"]),
    st.sampled_from(["NCHW4", "NHWC", "CHWN4", "onednn:aBcd2b", "onednn:ABcd4b2a"]),
    st.sampled_from(sorted(FILES)),
)
def test_there_and_back(
    client: httpx2.Client, shape: tuple[int, ...], dtype: str, layout: str, kind: str
) -> None:
    values = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    sizes = ",".join(map(str, shape))
    raw = {"dtype": dtype} if kind == "raw" else {}
    body = FILES[kind](values)
    there = reordered(client, body, shape=sizes, source="NCHW", target=layout, **raw)
    back = reordered(client, there, shape=sizes, source=layout, target="NCHW", **raw)
    assert back == body
