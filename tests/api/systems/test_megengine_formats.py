"""MegEngine's byte strides and the formats of the figure tensor (2, 64, 3, 3)."""

from dataclasses import dataclass

import httpx2
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


@pytest.mark.parametrize("layout", ["NCHW4", "CHWN4"])
def test_channel_padding_is_zero_with_values_and_null_without(
    client: httpx2.Client, layout: str
) -> None:
    source: Json = {"shape": [1, 3, 1, 2], "layout": "NCHW", "dtype": "int8"}
    labels = post(client, "/reorder", {"source": source, "target": layout})
    assert labels["values"] == [0, 2, 4, None, 1, 3, 5, None]
    body = {"source": source, "target": layout, "values": [11, 12, 21, 22, 31, 32]}
    assert post(client, "/reorder", body)["values"] == [11, 21, 31, 0, 12, 22, 32, 0]
