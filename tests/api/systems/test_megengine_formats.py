"""MegEngine's byte strides and the formats of the figure tensor (2, 64, 3, 3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
import numpy as np
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import (
    IntArray,
    Json,
    blocked,
    blocked_chwn,
    decoded,
    describe,
    labelled,
    permuted,
    post,
)

FIGURE = (2, 64, 3, 3)
SOURCE: Json = {"shape": list(FIGURE), "layout": "NCHW", "dtype": "int32"}


def test_int32_2x5_has_byte_strides_20_and_4(client: httpx2.Client) -> None:
    answer = describe(client, (2, 5), "HW", dtype="int32")
    assert answer["byte_strides"] == [20, 4]
    assert answer["strides"] == [5, 1]
    assert answer["buffer"]["bytes"] == 40


def test_byte_strides_are_read_as_elements_of_the_type(client: httpx2.Client) -> None:
    answer = describe(client, (2, 5), "numpy:(20, 4)", dtype="int32")
    assert answer["strides"] == [5, 1]
    assert describe(client, (2, 5), "numpy:(20, 4)", dtype="int16")["strides"] == [10, 2]
    uneven: Json = {"shape": [2, 5], "layout": "numpy:(20, 6)", "dtype": "int32"}
    refused(client, "/describe", uneven, "layout")


def test_value_7_of_the_2x5_tensor_is_at_byte_28(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [2, 5], "layout": "HW", "dtype": "int32"}
    answer = post(client, "/offsets", {"tensor": tensor, "coordinates": [[1, 2]]})
    assert answer == {"offsets": [7], "byte_offsets": [28]}
    read = post(client, "/slice", {"tensor": tensor, "index": "1, 2", "values": [*range(10)]})
    assert read["values"] == [7]
    assert read["shape"] == []


def test_row_major_table_runs_from_a00_to_a22(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [3, 3], "layout": "HW"}
    access = [[row, column] for row in range(3) for column in range(3)]
    answer = post(client, "/offsets", {"tensor": tensor, "coordinates": access})
    assert answer["offsets"] == [*range(9)]


BYTE_STRIDES = [
    ("float64", (24, 8)),
    ("float16", (6, 2)),
    ("bfloat16", (6, 2)),
    ("uint8", (3, 1)),
    ("bool", (3, 1)),
    ("float8_e4m3fn", (3, 1)),
    ("float8_e5m2", (3, 1)),
]


@pytest.mark.parametrize(("dtype", "expected"), BYTE_STRIDES, ids=[row[0] for row in BYTE_STRIDES])
def test_byte_stride_is_item_bytes_times_the_lower_sizes(
    client: httpx2.Client, dtype: str, expected: tuple[int, ...]
) -> None:
    assert describe(client, (2, 3), "HW", dtype=dtype)["byte_strides"] == list(expected)


@dataclass(frozen=True, slots=True)
class Format:
    layout: str
    map: IntArray
    physical_shape: tuple[int, ...]
    begins: tuple[int, ...]
    strides: tuple[int, ...] | None


FORMATS = [
    Format("NCHW", permuted("NCHW", FIGURE), (2, 64, 3, 3), (0, 1, 2, 3), (576, 9, 3, 1)),
    Format("NHWC", permuted("NHWC", FIGURE), (2, 3, 3, 64), (0, 9, 18, 27), (576, 1, 192, 64)),
    Format("CHWN", permuted("CHWN", FIGURE), (64, 3, 3, 2), (0, 576, 1, 577), (1, 18, 6, 2)),
    Format(
        "NCHW4", blocked(FIGURE, 4), (2, 16, 3, 3, 4), (0, 9, 18, 27, 1, 10, 19, 28, 2, 11), None
    ),
    Format("NCHW8", blocked(FIGURE, 8), (2, 8, 3, 3, 8), (*range(0, 72, 9), 1, 10), None),
    Format("NCHW16", blocked(FIGURE, 16), (2, 4, 3, 3, 16), (*range(0, 144, 9), 1, 10), None),
    Format("NCHW32", blocked(FIGURE, 32), (2, 2, 3, 3, 32), (*range(0, 288, 9), 1, 10), None),
    Format(
        "NCHW64",
        blocked(FIGURE, 64),
        (2, 1, 3, 3, 64),
        (*range(0, 576, 9), 1, 10),
        (576, 1, 192, 64),
    ),
    Format(
        "CHWN4",
        blocked_chwn(FIGURE, 4),
        (16, 3, 3, 2, 4),
        (0, 9, 18, 27, 576, 585, 594, 603, 1, 10, 19, 28, 577),
        None,
    ),
]


def in_memory_order(row: Format) -> list[object]:
    return labelled(row.map, row.map.size)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.layout)
def test_figure_tensor_is_described(client: httpx2.Client, row: Format) -> None:
    answer = describe(client, FIGURE, row.layout)
    assert "".join(answer["dims"]) == "NCHW"
    assert (decoded(answer) == row.map).all()
    assert answer["physical_shape"] == list(row.physical_shape)
    assert answer["padded_shape"] == list(FIGURE)
    assert answer["strides"] == (None if row.strides is None else list(row.strides))
    assert answer["buffer"]["elements"] == 1152
    assert answer["properties"]["packed"] is True
    assert answer["properties"]["padded"] is False


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.layout)
def test_figure_memory_begins_as_printed(client: httpx2.Client, row: Format) -> None:
    answer = post(client, "/reorder", {"source": SOURCE, "target": row.layout})
    assert answer["values"][: len(row.begins)] == list(row.begins)
    assert answer["values"] == in_memory_order(row)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.layout)
def test_figure_values_go_there_and_back(client: httpx2.Client, row: Format) -> None:
    numbered = [*range(1152)]
    there = post(client, "/reorder", {"source": SOURCE, "target": row.layout, "values": numbered})
    assert there["values"] == in_memory_order(row)
    source = {**SOURCE, "layout": row.layout}
    back = post(client, "/reorder", {"source": source, "target": "NCHW", "values": there["values"]})
    assert back["values"] == numbered


def test_nhwc_first_image_ends_at_567(client: httpx2.Client) -> None:
    values = post(client, "/reorder", {"source": SOURCE, "target": "NHWC"})["values"]
    assert values[63] == 63 * 9 == 567
    assert values[64] == 1
    assert values[576] == 576


def test_nchw64_at_64_channels_is_nhwc(client: httpx2.Client) -> None:
    names = describe(client, FIGURE, "NCHW64")["names"]
    assert "NHWC" in str(names)
    assert "CHWN" not in str(names)


PADDED_CHANNELS = [(1, 3, 2, 2), (2, 3, 3, 3), (2, 5, 1, 4), (3, 65, 2, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize("shape", PADDED_CHANNELS, ids=str)
@pytest.mark.parametrize("block", [4, 8, 32, 64, 7])
@pytest.mark.parametrize("family", ["NCHW", "CHWN"])
def test_channels_that_the_block_does_not_divide(
    client: httpx2.Client, family: str, block: int, shape: Sequence[int]
) -> None:
    n, c, h, w = shape
    outer = -(-c // block)
    elems = n * outer * block * h * w
    where = blocked(shape, block) if family == "NCHW" else blocked_chwn(shape, block)
    physical = [n, outer, h, w, block] if family == "NCHW" else [outer, h, w, n, block]

    answer = describe(client, shape, f"{family}{block}")
    assert (decoded(answer) == where).all()
    assert answer["padded_shape"] == [n, outer * block, h, w]
    assert answer["physical_shape"] == physical
    assert answer["buffer"]["elements"] == elems
    assert answer["buffer"]["bytes"] == 4 * elems
    assert answer["buffer"]["per_system"]["onednn"] == 4 * elems
    assert answer["properties"]["padded"] is (elems > where.size)
    assert answer["properties"]["packed"] is (elems == where.size)


@pytest.mark.parametrize("layout", ["NCHW4", "CHWN4"])
def test_channel_padding_is_zero_with_values_and_null_without(
    client: httpx2.Client, layout: str
) -> None:
    source: Json = {"shape": [1, 3, 1, 2], "layout": "NCHW", "dtype": "int8"}
    labels = post(client, "/reorder", {"source": source, "target": layout})
    assert labels["values"] == [0, 2, 4, None, 1, 3, 5, None]
    body = {"source": source, "target": layout, "values": [11, 12, 21, 22, 31, 32]}
    assert post(client, "/reorder", body)["values"] == [11, 21, 31, 0, 12, 22, 32, 0]


@pytest.mark.parametrize("block", [4, 8, 7])
@pytest.mark.parametrize("family", ["NCHW", "CHWN"])
def test_owner_of_a_padding_address_is_the_padded_coordinate(
    client: httpx2.Client, family: str, block: int
) -> None:
    shape = (2, 5, 2, 3)
    n, c, h, w = shape
    padded = (n, -(-c // block) * block, h, w)
    where = blocked(padded, block) if family == "NCHW" else blocked_chwn(padded, block)
    owner_at = {int(where[at]): list(at) for at in np.ndindex(padded)}
    asked = [*range(where.size + 2)]
    tensor: Json = {"shape": list(shape), "layout": f"{family}{block}"}
    owners = post(client, "/coordinates", {"tensor": tensor, "offsets": asked})["owners"]
    for owner in owners[: where.size]:
        coordinate = owner_at[owner["offset"]]
        assert owner["coordinates"] == [coordinate]
        assert owner["kind"] == ("element" if coordinate[1] < c else "padding")
    assert [owner["kind"] for owner in owners[where.size :]] == ["outside", "outside"]
