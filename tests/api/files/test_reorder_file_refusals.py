"""What POST /reorder/file refuses: 4xx in the one shape of errors, without memory."""

import tracemalloc
from collections.abc import Iterator

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from app.api.files import routes
from app.engine import KERNELS
from app.files import npy
from app.main import create_app
from app.settings import Settings
from tests.api.files.calls import PATH, npy_bytes, post, safe_bytes
from tests.api.refusals.problems import MARKER, assert_problem

SMALL = npy_bytes(np.zeros((2, 3), np.float32))
TO = {"source": "HW", "target": "WH"}
RAW = {**TO, "shape": "2,3", "dtype": "float32"}


def npy_header(descr: str = "'<f4'", shape: str = "(2, 3)", longer: int = 0) -> bytes:
    """A .npy header with these texts, and perhaps declared longer than it is."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return npy.MAGIC + b"\x02\x00" + (len(text) + longer).to_bytes(4, "little") + text


def safe_header(text: bytes, length: int | None = None) -> bytes:
    """A safetensors header with this text and perhaps another length than it has."""
    return (len(text) if length is None else length).to_bytes(8, "little") + text


def entry(dtype: str, shape: str, begin: int, end: int) -> bytes:
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}'.encode()


HUGE = npy_header(shape="(4294967296, 2147483647)")
TWO = safe_bytes({"a": np.zeros((2, 3), np.int8), "b": np.zeros((2, 3), np.int8)})

EMPTY = np.zeros((0, 1), np.int8)
SAFE_HUGE = safe_header(b'{"a":%b}' % entry("U8", f"[{2**40}]", 0, 2**40))
REFUSED: dict[str, tuple[bytes, dict[str, str], str]] = {
    # the query
    "no source": (SMALL, {"target": "WH"}, "source"),
    "unknown parameter": (SMALL, {**TO, MARKER: "1"}, "query"),
    "unknown format": (SMALL, {**TO, "format": MARKER}, "format"),
    "unknown type": (SMALL, {**RAW, "dtype": MARKER}, "dtype"),
    "unknown source": (SMALL, {**TO, "source": MARKER}, "source"),
    "shape in words": (SMALL, {**TO, "shape": MARKER}, "shape[0]"),
    "other shape": (SMALL, {**TO, "shape": "3,2"}, "shape"),
    "shared target": (SMALL, {**TO, "target": "(0, 1)"}, "target"),
    "other type than the file": (SMALL, {**TO, "dtype": "int32"}, "dtype"),
    "a name for .npy": (SMALL, {**TO, "tensor": MARKER}, "tensor"),
    # raw bytes
    "raw without type": (bytes(24), {**TO, "shape": "2,3", "format": "raw"}, "dtype"),
    "raw without shape": (bytes(24), {**TO, "dtype": "float32"}, "shape"),
    "raw a byte short": (bytes(23), RAW, "body"),
    "raw a byte long": (bytes(25), RAW, "body"),
    "nothing at all": (b"", TO, "format"),
    # .npy
    "npy a byte short": (SMALL[:-1], TO, "body"),
    "npy trailing bytes": (SMALL + b"\0", TO, "body"),
    "npy header cut": (SMALL[:60], TO, "header"),
    "npy length lies": (npy_header(longer=2**31), TO, "header"),
    "npy pickled": (npy_header("'|O'") + b"\x80\x04N.", TO, "header.descr"),
    "npy huge": (HUGE, TO, "body"),
    "npy deeper": (npy_header(shape="(" * 100_000), TO, "header"),
    "npy of nothing, huge": (npy_header(shape=f"(0, {2**62})"), {**TO, "shape": "0,9"}, "shape"),
    # safetensors
    "safe a byte short": (TWO[:-1], {**TO, "tensor": "a"}, "body"),
    "safe trailing bytes": (TWO + b"\0", {**TO, "tensor": "a"}, "body"),
    "safe no name": (TWO, {**TO, "shape": "2,3"}, "shape"),
    "safe no such rank": (TWO, {"source": "CHW", "target": "HWC"}, "tensor"),
    "safe unknown name": (TWO, {**TO, "tensor": MARKER}, "tensor"),
    "safe length 2^63": (safe_header(b"{}", 2**63), TO, "header"),
    "safe cut": (safe_header(b'{"a', 500), TO, "header"),
    "safe many": (safe_bytes(dict.fromkeys(map(str, range(1025)), EMPTY)), TO, "tensor"),
    "safe huge": (SAFE_HUGE, TO, "body"),
    "safe foreign": (safe_header(b'{"a":%b}' % entry("F6_E2M3", "[0]", 0, 0)), TO, "tensor"),
}


@pytest.mark.parametrize(("body", "query", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_it_is_refused_without_memory(
    client: httpx2.Client, body: bytes, query: dict[str, str], field: str
) -> None:
    for each in KERNELS:
        each.load()  # else they are loaded meanwhile, in the background
    tracemalloc.start()
    responses = [post(client, sent, **query) for sent in (body, iter([body]))]
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 16 << 20
    for response in responses:
        assert_problem(response, 413 if body in {HUGE, SAFE_HUGE} else 422, field)


@pytest.mark.parametrize(
    "media", ["application/json", "multipart/form-data; boundary=x", "text/plain", "TEXT/csv"]
)
def test_other_media_are_refused(client: httpx2.Client, media: str) -> None:
    assert_problem(post(client, SMALL, media, **TO), 415, "Content-Type")


def test_other_codings_parameters_and_methods_are_refused(client: httpx2.Client) -> None:
    for coding, status in (("gzip", 415), ("identity", 200)):
        headers = {"content-encoding": coding}
        answer = client.post(PATH, params=TO, content=SMALL, headers=headers)
        assert answer.status_code == status
    response = client.post(f"{PATH}?source=HW&source=WH&target=WH", content=SMALL)
    assert_problem(response, 422, "source")
    response = client.put(PATH, content=SMALL)
    assert_problem(response, 405)
    assert response.headers["allow"] == "POST"


@pytest.fixture(scope="module")
def limited() -> Iterator[httpx2.Client]:
    """A program that takes and makes files of at most 4 KiB."""
    with TestClient(create_app(Settings(max_file_bytes=4096))) as test_client:
        yield test_client


def test_a_file_over_the_limit_is_refused_before_it_is_read(limited: httpx2.Client) -> None:
    read = 0

    def body(whole: bytes) -> Iterator[bytes]:
        nonlocal read
        for at in range(0, len(whole), 64):
            read += 64
            yield whole[at : at + 64]

    large = npy_bytes(np.zeros((32, 32), np.float32))
    assert_problem(post(limited, large, **TO), 413, "body")
    assert_problem(post(limited, body(large), **TO), 413, "body")
    fits = npy_bytes(np.zeros((31, 32), np.float32))
    assert post(limited, fits, **TO).status_code == 200
    lengths = {"content-length": "9" * 5000}
    response = limited.post(PATH, params=TO, content=iter([large]), headers=lengths)
    assert_problem(response, 413, "body")


@pytest.mark.parametrize(
    ("memory", "files", "target", "status"),
    [
        (8192, 0, "WH", 200),
        (8191, 0, "WH", 413),
        (4096, 4096, "WH", 200),
        (4095, 4096, "WH", 413),
        (0, 8192, "WH", 200),
        (0, 8191, "WH", 413),
        (4096, 8064, "(64, 1)", 200),
        (4096, 8063, "(64, 1)", 413),
    ],
)
def test_a_file_that_can_never_fit_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, memory: int, files: int, target: str, status: int
) -> None:
    limits = {"max_file_memory_bytes": memory, "max_temporary_bytes": files}
    large = npy_bytes(np.zeros((32, 32), np.float32))
    if status == 413:
        monkeypatch.setattr(routes, "_receive", None)  # what reads the rest
    with TestClient(create_app(Settings.model_validate(limits))) as client:
        response = post(client, large, source="HW", target=target)
        assert response.status_code == status, response.text
        assert "retry-after" not in response.headers
        if status == 413:
            [error] = assert_problem(response, 413, "body")["errors"]
            assert error["params"]["memory"] == memory


def test_the_target_has_the_same_limit(limited: httpx2.Client) -> None:
    huge = "(1000000000000, 1, 4, 1)"
    for width, target, status in ((4, "NCHW16", 200), (5, "NCHW16", 422), (4, huge, 422)):
        body = npy_bytes(np.zeros((4, 1, 4, width), np.float32))
        response = post(limited, body, source="NCHW", target=target)
        assert response.status_code == status, response.text
        assert status == 200 or assert_problem(response, 422, "target")
    # A broadcast source is bounded by its target.
    query = {"source": "(0, 0)", "target": "HW", "dtype": "int8"}
    assert_problem(post(limited, b"1", shape="1000000,1000000", **query), 422, "target")
    assert post(limited, b"1", shape="30,40", **query).content == b"1" * 1200
