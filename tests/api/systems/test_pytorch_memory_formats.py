"""PyTorch's memory formats as strides, density, and blocked formats as outer strides."""

import json

import httpx2
import numpy as np
import pytest

from tests.api.twin import Json, blocked, decoded, describe, labelled, post

IMAGES = (10, 3, 32, 32)


@pytest.mark.parametrize(
    "shape", [IMAGES, (2, 64, 3, 3), (1, 3, 5, 7), (4, 1, 2, 3), (2, 5, 1, 1), (1, 1, 1, 1)]
)
def test_nhwc_strides_follow_the_formula(
    client: httpx2.Client, shape: tuple[int, int, int, int]
) -> None:
    _, c, h, w = shape
    answer = describe(client, shape, "NHWC")
    assert ("".join(answer["dims"]), answer["shape"]) == ("NCHW", list(shape))
    assert answer["strides"] == [c * h * w, 1, w * c, c]
    assert answer["properties"]["channels_last"] is True
    assert answer["properties"]["dense"] is True
    assert describe(client, shape, "NCHW")["strides"] == [c * h * w, h * w, w, 1]


def test_conversion_is_permute_contiguous_permute(client: httpx2.Client) -> None:
    shape = (2, 3, 4, 5)
    logical = np.arange(120).reshape(shape)
    memory = np.ascontiguousarray(logical.transpose(0, 2, 3, 1)).ravel().tolist()
    source: Json = {"shape": list(shape), "layout": "NCHW", "dtype": "float32"}
    answer = post(client, "/reorder", {"source": source, "target": "NHWC", "values": [*range(120)]})
    assert answer["values"] == memory


LAST = "channels_last dense"
FLAGS = {
    "channels-last-3d": ((2, 3, 4, 5, 6), (360, 1, 90, 18, 3), "channels_last_3d dense"),
    "one-channel-is-both": ((10, 1, 8, 8), (64, 64, 8, 1), f"contiguous {LAST}"),
    "one-pixel-is-both": ((2, 3, 1, 1), (3, 1, 1, 1), f"contiguous {LAST}"),
    "rank-3-is-never-channels-last": ((3, 4, 5), (1, 15, 3), "dense"),
    "padded-rows": ((2, 3), (5, 1), ""),
    "broadcast-rows": ((2, 3), (0, 1), ""),
    "size-1-strides-do-not-count": ((1, 4, 1), (77, 1, 0), "contiguous dense"),
}


@pytest.mark.parametrize(("shape", "strides", "flags"), FLAGS.values(), ids=FLAGS.keys())
def test_memory_format_flags(
    client: httpx2.Client, shape: tuple[int, ...], strides: tuple[int, ...], flags: str
) -> None:
    properties = describe(client, shape, {"strides": list(strides)})["properties"]
    names = ("contiguous", "channels_last", "channels_last_3d", "dense")
    assert [name for name in names if properties[name]] == flags.split()


def test_ambiguous_tensor_carries_both_names_and_says_why(client: httpx2.Client) -> None:
    ambiguous = json.dumps(describe(client, (10, 1, 8, 8), "NCHW")["names"])
    assert "NCHW" in ambiguous
    assert "NHWC" in ambiguous
    plain = json.dumps(describe(client, (10, 3, 8, 8), "NCHW")["names"])
    assert "NCHW" in plain
    assert "NHWC" not in plain
    assert "size" in ambiguous.lower()


BATCH: Json = {"shape": [4, 3, 8, 8], "layout": "NHWC"}
FIRST: Json = {"shape": [4, 3, 8, 8], "layout": "NCHW"}
EVEN: Json = {"shape": [2, 4, 8, 8], "layout": "NHWC"}
SLICED: list[tuple[Json, str, list[int], list[int], int, list[str]]] = [
    (BATCH, "1:2", [1, 3, 8, 8], [192, 1, 24, 3], 192, ["channels_last"]),
    (BATCH, "1:3", [2, 3, 8, 8], [192, 1, 24, 3], 192, ["channels_last"]),
    (FIRST, "2:", [2, 3, 8, 8], [192, 64, 8, 1], 384, ["contiguous"]),
    (FIRST, ":, 0:2", [4, 2, 8, 8], [192, 64, 8, 1], 0, []),
    (EVEN, ":, 2:4", [2, 2, 8, 8], [256, 1, 32, 4], 2, []),
]


@pytest.mark.parametrize(("tensor", "index", "shape", "strides", "offset", "flags"), SLICED)
def test_format_follows_from_the_strides_of_a_slice(
    client: httpx2.Client,
    tensor: Json,
    index: str,
    shape: list[int],
    strides: list[int],
    offset: int,
    flags: list[str],
) -> None:
    view = post(client, "/slice", {"tensor": tensor, "index": index})["view"]
    assert (view["shape"], view["strides"], view["offset"]) == (shape, strides, offset)
    names = ("channels_last", "contiguous")
    assert [name for name in names if view["properties"][name]] == flags


def test_blocked_format_as_outer_strides_and_inner_block(client: httpx2.Client) -> None:
    n, c, h, w = shape = (2, 48, 5, 7)
    answer = describe(client, shape, "NCHW16")
    assert answer["physical_shape"] == [n, c // 16, h, w, 16]
    assert answer["blocking"]["inner_blocks"] == [[16, 1]]
    assert answer["blocking"]["outer_strides"] == [c * h * w, h * w * 16, w * 16, 16]
    assert answer["strides"] is None
    assert answer["properties"]["dense"] is False
    assert answer["properties"]["channels_last"] is False
    assert (decoded(answer) == blocked(shape, 16)).all()
    in_memory = np.arange(n * c * h * w).reshape(n, c // 16, 16, h, w).transpose(0, 1, 3, 4, 2)
    source: Json = {"shape": list(shape), "layout": "NCHW"}
    labels = post(client, "/reorder", {"source": source, "target": "NCHW16"})["values"]
    assert labels == in_memory.ravel().tolist() == labelled(blocked(shape, 16), n * c * h * w)
