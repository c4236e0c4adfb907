"""DirectML's DML_SLICE1: windows with offsets, sizes and signed strides."""

import httpx2
import pytest

from tests.api.twin import Json, decoded, post

TENSOR: Json = {"shape": [1, 1, 4, 4], "layout": "NCHW", "dtype": "float32"}
OFFSETS, SIZES = [0, 0, 0, 1], [1, 1, 4, 3]
# Offsets, sizes and strides; what they take: the values 1 to 16, the shape, offset and strides.
Question = tuple[list[int], list[int], list[int]]
Answer = tuple[list[int], list[int], int, list[int]]
WORKED: dict[str, tuple[Question, Answer]] = {
    "positive-strides": (
        (OFFSETS, SIZES, [1, 1, 2, 2]),
        ([2, 4, 10, 12], [1, 1, 2, 2], 1, [16, 16, 8, 2]),
    ),
    "negative-strides": (
        (OFFSETS, SIZES, [1, 1, -2, 2]),
        ([14, 16, 6, 8], [1, 1, 2, 2], 13, [16, 16, -8, 2]),
    ),
    "fewer-than-reachable": (
        (OFFSETS, SIZES, [1, 1, -2, 2]),
        ([14], [1, 1, 1, 1], 13, [16, 16, -8, 2]),
    ),
}


@pytest.mark.parametrize("name", WORKED)
def test_worked_window(client: httpx2.Client, name: str) -> None:
    (offsets, sizes, steps), (values, shape, offset, strides) = WORKED[name]
    window: Json = {"offsets": offsets, "sizes": sizes, "strides": steps}
    if name == "fewer-than-reachable":
        window["output_sizes"] = shape
    asked = {"tensor": TENSOR, "window": window}
    assert post(client, "/slice", asked)["values"] is None
    answer = post(client, "/slice", {**asked, "values": [*range(1, 17)]})
    assert (answer["values"], answer["shape"]) == (values, shape)
    assert answer["offsets"] == [value - 1 for value in values]
    view = answer["view"]
    assert view["offset"] == offset
    for size, stride, expected in zip(shape, view["strides"], strides, strict=True):
        assert size == 1 or stride == expected
    assert decoded(view).ravel().tolist() == answer["offsets"]
