"""POST /read: pastes and notations; what it says parses with /describe to the right strides."""

from typing import Any

import pytest
from starlette.testclient import TestClient

DICT = "{'shape': (2, 3), 'typestr': '<f8', 'strides': (8, 16), 'data': (1, False), 'version': 3}"
# The text, and the shape, type and strides that it says.
PASTES: list[tuple[str, list[int] | None, str | None, list[int] | None]] = [
    ("torch.Size([10, 3, 8, 8]) (192, 1, 24, 3)", [10, 3, 8, 8], None, [192, 1, 24, 3]),
    ("f32[2,3]{0,1}", [2, 3], "float32", [1, 2]),
    ("memref<2x3xf16, strided<[5, 1]>>", [2, 3], "float16", [5, 1]),
    ("(2,3):(3,1)", [2, 3], None, [3, 1]),
    (DICT, [2, 3], "float64", [1, 2]),
    ("float x[2][3];", [2, 3], "float32", [3, 1]),
    ("nhwc", None, None, None),
]


@pytest.mark.parametrize(("text", "shape", "dtype", "strides"), PASTES)
def test_a_paste_says_what_describe_confirms(
    client: TestClient,
    text: str,
    shape: list[int] | None,
    dtype: str | None,
    strides: list[int] | None,
) -> None:
    response = client.post("/api/v1/read", json={"text": text})
    assert response.status_code == 200, response.text
    read: dict[str, Any] = response.json()
    assert (read["shape"], read["dtype"]) == (shape, dtype)
    if shape is None:
        return
    tensor = {"shape": shape, "layout": read["layout"], "dtype": dtype or "float32"}
    described = client.post("/api/v1/describe", json=tensor)
    assert described.status_code == 200, described.text
    assert described.json()["strides"] == strides


LOG = """onednn_verbose,v1,primitive,exec,cpu,reorder,jit:blk,undef,src:f32::blocked:abcd::f0 \
dst:f32::blocked:aBcd16b::f0,,,2x16x7x7,0.01
onednn_verbose,v1,primitive,exec,cpu,matmul,brg,undef,src:bf16::blocked:ab:128x1:f0 \
wei:bf16::blocked:ba::f0 dst:bf16::blocked:ab::f0,,,41x34:34x12,0.3
"""


def test_every_tensor_of_a_log_parses_with_describe(client: TestClient) -> None:
    read: dict[str, Any] = client.post("/api/v1/read", json={"text": LOG}).json()
    assert (read["shape"], read["layout"], read["left_out"]) == ([2, 16, 7, 7], "onednn:abcd", 0)
    found = read["tensors"]
    assert [(t["source"], t["role"], t["line"], t["target"]) for t in found] == [
        ("reorder", "src", 1, 1),
        ("reorder", "dst", 1, None),
        ("matmul", "src", 2, None),
        ("matmul", "wei", 2, None),
        ("matmul", "dst", 2, None),
    ]
    strides = []
    for one in found:
        tensor = {name: one[name] for name in ("shape", "layout", "dtype")}
        described = client.post("/api/v1/describe", json=tensor)
        assert described.status_code == 200, described.text
        strides.append(described.json()["strides"])
    assert strides[0] == [784, 49, 7, 1]
    assert strides[2:] == [[128, 1], [1, 34], [12, 1]]


@pytest.mark.parametrize(
    ("text", "strides"),
    [
        ("strides=(3072, 1, 96, 3), dtype=float32", [3072, 1, 96, 3]),
        ("(5, 1)+3", [5, 1]),
        ("nhwc", None),
        ("dtype=float32", None),
    ],
)
def test_a_list_of_strides_is_said_as_numbers(
    client: TestClient, text: str, strides: list[int] | None
) -> None:
    read: dict[str, Any] = client.post("/api/v1/read", json={"text": text}).json()
    assert read["strides"] == strides
    assert [one["strides"] for one in read["tensors"]] in ([], [strides])


@pytest.mark.parametrize("text", ["", "hello world?", "x" * 5000, "{'shape': (2,", "\x00"])
def test_what_says_nothing_is_refused(client: TestClient, text: str) -> None:
    response = client.post("/api/v1/read", json={"text": text})
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "text"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LOG, "onednn-verbose"),
        ('[{"cat" : "Session"', "onnxruntime-profile"),
        ('{"format": "stridescope-trace", "version": 1', "stridescope-trace"),
        ("NCHW", None),
        ('{"nodes": []}', None),
    ],
)
def test_it_says_whether_a_text_is_that_of_a_run(
    client: TestClient, text: str, kind: str | None
) -> None:
    response = client.post("/api/v1/read", json={"text": text})
    if response.status_code == 200:
        assert response.json()["run"] == kind
    else:
        (error,) = response.json()["errors"]
        assert (error["code"] == "text.run") == (kind is not None)
        assert error["params"].get("kind") == kind


def test_texts_with_several_readings_list_them(client: TestClient) -> None:
    def systems(text: str, shape: list[int]) -> dict[str, bool]:
        tensor = {"shape": shape, "layout": text, "dtype": "int32"}
        found = client.post("/api/v1/describe", json=tensor).json()["readings"]
        assert found[0]["same"]
        return {r["system"]: r["same"] for r in found}

    assert systems("NCHW4", [2, 8, 3, 3])["megengine"]
    assert systems("(20, 4)", [2, 5])["numpy"] is False
    assert next(iter(systems("{1,0}", [2, 5]))) == "xla"
    assert systems("{1,0}", [2, 5])["strides"] is False
    assert systems("(2,3)", [2, 3])["cute"] is False
    assert list(systems("ab", [2, 5])) == ["onednn"]
    assert list(systems("(2,3):(3,1)", [2, 3])) == ["cute"]


def test_directml_s_helper_wraps_and_the_answer_warns(client: TestClient) -> None:
    tensor = {"shape": [64, 1024, 512, 512], "layout": "NHWC"}
    assert "32 bits" in client.post("/api/v1/describe", json=tensor).json()["warnings"][0]
    small = {"shape": [2, 3, 4, 5], "layout": "NHWC"}
    assert client.post("/api/v1/describe", json=small).json()["warnings"] == []
