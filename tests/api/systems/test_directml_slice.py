"""DirectML's DML_SLICE1: windows with offsets, sizes and signed strides."""

from dataclasses import dataclass

import httpx2
import pytest

from tests.api.twin import Json, decoded, post


@dataclass(frozen=True, slots=True)
class Window:
    id: str
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    values: tuple[int, ...]
    shape: tuple[int, ...]
    view_offset: int
    view_strides: tuple[int, ...]
    output_sizes: tuple[int, ...] | None = None

    @property
    def window(self) -> Json:
        window: Json = {
            "offsets": list(self.offsets),
            "sizes": list(self.sizes),
            "strides": list(self.strides),
        }
        if self.output_sizes is not None:
            window["output_sizes"] = list(self.output_sizes)
        return window


WORKED = [
    Window(
        "positive-strides",
        (0, 0, 0, 1),
        (1, 1, 4, 3),
        (1, 1, 2, 2),
        (2, 4, 10, 12),
        (1, 1, 2, 2),
        1,
        (16, 16, 8, 2),
    ),
    Window(
        "negative-strides",
        (0, 0, 0, 1),
        (1, 1, 4, 3),
        (1, 1, -2, 2),
        (14, 16, 6, 8),
        (1, 1, 2, 2),
        13,
        (16, 16, -8, 2),
    ),
    Window(
        "fewer-than-reachable",
        (0, 0, 0, 1),
        (1, 1, 4, 3),
        (1, 1, -2, 2),
        (14,),
        (1, 1, 1, 1),
        13,
        (16, 16, -8, 2),
        (1, 1, 1, 1),
    ),
    Window(
        "stride-beyond-the-window-takes-one",
        (0, 0, 1, 1),
        (1, 1, 2, 3),
        (1, 1, 100, -7),
        (8,),
        (1, 1, 1, 1),
        7,
        (16, 16, 400, -7),
    ),
    Window(
        "whole-tensor-reversed",
        (0, 0, 0, 0),
        (1, 1, 4, 4),
        (-1, -1, -1, -1),
        tuple(range(16, 0, -1)),
        (1, 1, 4, 4),
        15,
        (-16, -16, -4, -1),
    ),
]
TENSOR: Json = {"shape": [1, 1, 4, 4], "layout": "NCHW", "dtype": "float32"}


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row.id)
def test_worked_window(client: httpx2.Client, row: Window) -> None:
    body = {"tensor": TENSOR, "window": row.window, "values": [*range(1, 17)]}
    answer = post(client, "/slice", body)
    assert answer["values"] == list(row.values)
    assert answer["shape"] == list(row.shape)
    assert answer["offsets"] == [value - 1 for value in row.values]
    view = answer["view"]
    assert view["offset"] == row.view_offset
    for size, stride, expected in zip(row.shape, view["strides"], row.view_strides, strict=True):
        assert size == 1 or stride == expected
    assert decoded(view).ravel().tolist() == answer["offsets"]


def test_without_values_the_answer_has_offsets_alone(client: httpx2.Client) -> None:
    answer = post(client, "/slice", {"tensor": TENSOR, "window": WORKED[0].window})
    assert answer["values"] is None
    assert answer["offsets"] == [1, 3, 9, 11]
