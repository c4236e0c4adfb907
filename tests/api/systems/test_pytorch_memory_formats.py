"""PyTorch's memory formats as strides, density, and blocked formats as outer strides."""

import json
from dataclasses import dataclass

import httpx2
import numpy as np
import pytest

from tests.api.twin import Json, blocked, decoded, describe, labelled, post, strided

IMAGES = (10, 3, 32, 32)
NHWC_STRIDES = [3072, 1, 96, 3]

SHAPES = [IMAGES, (2, 64, 3, 3), (1, 3, 5, 7), (4, 1, 2, 3), (2, 5, 1, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nhwc_strides_follow_the_formula(
    client: httpx2.Client, shape: tuple[int, int, int, int]
) -> None:
    _, c, h, w = shape
    answer = describe(client, shape, "NHWC")
    assert answer["strides"] == [c * h * w, 1, w * c, c]
    assert answer["properties"]["channels_last"] is True
    assert answer["properties"]["dense"] is True


def test_channels_last_of_the_rfc_tensor(client: httpx2.Client) -> None:
    answer = describe(client, IMAGES, "NHWC")
    assert "".join(answer["dims"]) == "NCHW"
    assert answer["shape"] == list(IMAGES)
    assert answer["strides"] == NHWC_STRIDES
    assert answer["properties"]["contiguous"] is False
    assert describe(client, IMAGES, "NCHW")["strides"] == [3072, 1024, 32, 1]


def test_conversion_is_permute_contiguous_permute(client: httpx2.Client) -> None:
    shape = (2, 3, 4, 5)
    logical = np.arange(120).reshape(shape)
    memory = np.ascontiguousarray(logical.transpose(0, 2, 3, 1)).ravel().tolist()
    source: Json = {"shape": list(shape), "layout": "NCHW", "dtype": "float32"}
    answer = post(client, "/reorder", {"source": source, "target": "NHWC", "values": [*range(120)]})
    assert answer["values"] == memory


@dataclass(frozen=True, slots=True)
class Flags:
    id: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    contiguous: bool = False
    channels_last: bool = False
    channels_last_3d: bool = False
    dense: bool = False


FLAGS = [
    Flags("contiguous-4d", IMAGES, (3072, 1024, 32, 1), contiguous=True, dense=True),
    Flags("channels-last-4d", IMAGES, (3072, 1, 96, 3), channels_last=True, dense=True),
    Flags(
        "channels-last-3d", (2, 3, 4, 5, 6), (360, 1, 90, 18, 3), channels_last_3d=True, dense=True
    ),
    Flags("permuted-0231", (10, 32, 32, 3), (3072, 32, 1, 1024), dense=True),
    Flags("permuted-there-and-back", IMAGES, (3072, 1, 96, 3), channels_last=True, dense=True),
    Flags(
        "permuted-without-meaning-it",
        (10, 3, 16, 16),
        (768, 1, 48, 3),
        channels_last=True,
        dense=True,
    ),
    Flags("chunk-of-contiguous", (10, 2, 32, 32), (4096, 1024, 32, 1)),
    Flags("chunk-of-channels-last", (10, 2, 32, 32), (4096, 1, 128, 4)),
    Flags(
        "first-image-unsqueezed", (1, 3, 32, 32), (3072, 1, 96, 3), channels_last=True, dense=True
    ),
    Flags(
        "one-channel-is-both",
        (10, 1, 8, 8),
        (64, 64, 8, 1),
        contiguous=True,
        channels_last=True,
        dense=True,
    ),
    Flags(
        "one-pixel-is-both",
        (2, 3, 1, 1),
        (3, 1, 1, 1),
        contiguous=True,
        channels_last=True,
        dense=True,
    ),
    Flags("rank-3-is-never-channels-last", (3, 4, 5), (1, 15, 3), dense=True),
    Flags("padded-rows", (2, 3), (5, 1)),
    Flags("broadcast-rows", (2, 3), (0, 1)),
    Flags("size-1-strides-do-not-count", (1, 4, 1), (77, 1, 0), contiguous=True, dense=True),
]


@pytest.mark.parametrize("row", FLAGS, ids=lambda row: row.id)
def test_memory_format_flags(client: httpx2.Client, row: Flags) -> None:
    properties = describe(client, row.shape, {"strides": list(row.strides)})["properties"]
    assert properties["contiguous"] is row.contiguous
    assert properties["channels_last"] is row.channels_last
    assert properties["channels_last_3d"] is row.channels_last_3d
    assert properties["dense"] is row.dense


def test_ambiguous_tensor_carries_both_names_and_says_why(client: httpx2.Client) -> None:
    ambiguous = json.dumps(describe(client, (10, 1, 8, 8), "NCHW")["names"])
    assert "NCHW" in ambiguous
    assert "NHWC" in ambiguous
    plain = json.dumps(describe(client, (10, 3, 8, 8), "NCHW")["names"])
    assert "NCHW" in plain
    assert "NHWC" not in plain
    assert "size" in ambiguous.lower()


@dataclass(frozen=True, slots=True)
class Sliced:
    id: str
    tensor: Json
    index: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    channels_last: bool
    contiguous: bool


LAST: Json = {"shape": [4, 3, 8, 8], "layout": "NHWC"}
FIRST: Json = {"shape": [4, 3, 8, 8], "layout": "NCHW"}
EVEN: Json = {"shape": [2, 4, 8, 8], "layout": "NHWC"}
SLICED = [
    Sliced("x-0-unsqueeze", LAST, "1:2", (1, 3, 8, 8), (192, 1, 24, 3), 192, True, False),
    Sliced("batch-range", LAST, "1:3", (2, 3, 8, 8), (192, 1, 24, 3), 192, True, False),
    Sliced("contiguous-batch", FIRST, "2:", (2, 3, 8, 8), (192, 64, 8, 1), 384, False, True),
    Sliced("chunk-first", FIRST, ":, 0:2", (4, 2, 8, 8), (192, 64, 8, 1), 0, False, False),
    Sliced("chunk-last", EVEN, ":, 2:4", (2, 2, 8, 8), (256, 1, 32, 4), 2, False, False),
]


@pytest.mark.parametrize("row", SLICED, ids=lambda row: row.id)
def test_format_follows_from_the_strides_of_a_slice(client: httpx2.Client, row: Sliced) -> None:
    view = post(client, "/slice", {"tensor": row.tensor, "index": row.index})["view"]
    assert view["shape"] == list(row.shape)
    assert view["strides"] == list(row.strides)
    assert view["offset"] == row.offset
    assert view["properties"]["channels_last"] is row.channels_last
    assert view["properties"]["contiguous"] is row.contiguous


@pytest.mark.parametrize("index", ["None, 0", "0, None"])
def test_select_and_unsqueeze_stays_channels_last(client: httpx2.Client, index: str) -> None:
    answer = post(client, "/slice", {"tensor": LAST, "index": index})
    assert answer["view"]["shape"] == [1, 3, 8, 8]
    assert answer["view"]["properties"]["channels_last"] is True
    assert answer["offsets"] == strided((3, 8, 8), (1, 24, 3)).ravel().tolist()


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
    assert labels == in_memory.ravel().tolist()
    assert labels == labelled(blocked(shape, 16), n * c * h * w)
