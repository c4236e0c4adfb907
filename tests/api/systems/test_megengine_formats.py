"""MegEngine's byte strides and the formats of the figure tensor (2, 64, 3, 3)."""

import httpx2
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import IntArray, Json, blocked, decoded, describe, labelled, permuted, post

FIGURE = (2, 64, 3, 3)
SOURCE: Json = {"shape": list(FIGURE), "layout": "NCHW", "dtype": "int32"}


def test_byte_strides_of_int32_2x5(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [2, 5], "layout": "HW", "dtype": "int32"}
    answer = post(client, "/describe", tensor)
    assert (answer["byte_strides"], answer["strides"]) == ([20, 4], [5, 1])
    assert answer["buffer"]["bytes"] == 40
    for dtype, strides in (("int32", [5, 1]), ("int16", [10, 2])):
        assert describe(client, (2, 5), "numpy:(20, 4)", dtype=dtype)["strides"] == strides
    refused(client, "/describe", {**tensor, "layout": "numpy:(20, 6)"}, "layout")
    # Value 7 is at byte 28.
    answer = post(client, "/offsets", {"tensor": tensor, "coordinates": [[1, 2]]})
    assert answer == {"offsets": [7], "byte_offsets": [28]}
    read = post(client, "/slice", {"tensor": tensor, "index": "1, 2", "values": [*range(10)]})
    assert (read["values"], read["shape"]) == ([7], [])


Strides = tuple[int, ...] | None
# The map, the physical shape, how the printed memory begins, and strides where it has some.
FORMATS: dict[str, tuple[IntArray, tuple[int, ...], tuple[int, ...], Strides]] = {
    "NCHW": (permuted("NCHW", FIGURE), (2, 64, 3, 3), (0, 1, 2, 3), (576, 9, 3, 1)),
    "NHWC": (permuted("NHWC", FIGURE), (2, 3, 3, 64), (0, 9, 18, 27), (576, 1, 192, 64)),
    "CHWN": (permuted("CHWN", FIGURE), (64, 3, 3, 2), (0, 576, 1, 577), (1, 18, 6, 2)),
    "NCHW4": (blocked(FIGURE, 4), (2, 16, 3, 3, 4), (0, 9, 18, 27, 1, 10, 19, 28, 2, 11), None),
    "NCHW8": (blocked(FIGURE, 8), (2, 8, 3, 3, 8), (*range(0, 72, 9), 1, 10), None),
    "NCHW16": (blocked(FIGURE, 16), (2, 4, 3, 3, 16), (*range(0, 144, 9), 1, 10), None),
    "NCHW32": (blocked(FIGURE, 32), (2, 2, 3, 3, 32), (*range(0, 288, 9), 1, 10), None),
    "NCHW64": (
        blocked(FIGURE, 64),
        (2, 1, 3, 3, 64),
        (*range(0, 576, 9), 1, 10),
        (576, 1, 192, 64),
    ),
    "CHWN4": (
        blocked(FIGURE, 4, "CHWN"),
        (16, 3, 3, 2, 4),
        (0, 9, 18, 27, 576, 585, 594, 603, 1, 10, 19, 28, 577),
        None,
    ),
}


@pytest.mark.parametrize("layout", FORMATS)
def test_figure_tensor_is_described_as_printed_and_goes_there_and_back(
    client: httpx2.Client, layout: str
) -> None:
    where, physical_shape, begins, strides = FORMATS[layout]
    answer = describe(client, FIGURE, layout)
    assert "".join(answer["dims"]) == "NCHW"
    assert (decoded(answer) == where).all()
    assert answer["physical_shape"] == list(physical_shape)
    assert answer["padded_shape"] == list(FIGURE)
    assert answer["strides"] == (None if strides is None else list(strides))
    assert answer["buffer"]["elements"] == 1152
    assert answer["properties"]["packed"] is True
    assert answer["properties"]["padded"] is False
    labels = post(client, "/reorder", {"source": SOURCE, "target": layout})["values"]
    assert labels[: len(begins)] == list(begins)
    assert labels == labelled(where, where.size)
    numbered = [*range(1152)]
    there = post(client, "/reorder", {"source": SOURCE, "target": layout, "values": numbered})
    assert there["values"] == labels
    source = {**SOURCE, "layout": layout}
    back = post(client, "/reorder", {"source": source, "target": "NCHW", "values": labels})
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
