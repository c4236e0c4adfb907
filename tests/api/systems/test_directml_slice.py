"""DirectML's DML_SLICE1: windows with offsets, sizes and signed strides."""

from dataclasses import dataclass

import httpx2
import numpy as np
import pytest

from tests.api.twin import IntArray, Json, channel_blocked, decoded, named, post, spread, strided
from tests.engine.strategies import Seeded


def windowed(
    logical: IntArray, offsets: list[int], sizes: list[int], strides: list[int], output: list[int]
) -> IntArray:
    """Output[o] = Input[start + stride * o], the rule of the source spelt with index lists."""
    picks = [
        [offset + (size - 1 if stride < 0 else 0) + stride * step for step in range(count)]
        for offset, size, stride, count in zip(offsets, sizes, strides, output, strict=True)
    ]
    return logical[np.ix_(*picks)]


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


@pytest.mark.parametrize("layout", ["NHWC", "WHCN", "NCHW4", "CHWN4"])
def test_worked_window_through_another_layout(client: httpx2.Client, layout: str) -> None:
    source: Json = {"shape": [1, 1, 4, 4], "layout": "NCHW"}
    numbered = [*range(1, 17)]
    laid = post(client, "/reorder", {"source": source, "target": layout, "values": numbered})
    body = {
        "tensor": {**source, "layout": layout},
        "window": WORKED[1].window,
        "values": laid["values"],
    }
    assert post(client, "/slice", body)["values"] == [14, 16, 6, 8]


@pytest.mark.parametrize("seed", range(30))
def test_random_windows_over_random_layouts(client: httpx2.Client, seed: int) -> None:
    choice, rng = Seeded(seed), np.random.default_rng(seed)
    shape = [choice.of(range(1, 6)) for _ in range(4)]
    laid = [named(shape, "WCNH"), channel_blocked(shape, 3), spread(choice, shape)][seed % 3]
    sizes = [int(rng.integers(1, size + 1)) for size in shape]
    offsets = [int(rng.integers(0, a - b + 1)) for a, b in zip(shape, sizes, strict=True)]
    strides = [int(rng.choice([-3, -2, -1, 1, 2, 3])) for _ in shape]
    reach = [1 + (size - 1) // abs(stride) for size, stride in zip(sizes, strides, strict=True)]
    output = [int(rng.integers(1, most + 1)) for most in reach]
    window = {"offsets": offsets, "sizes": sizes, "strides": strides, "output_sizes": output}
    expected = windowed(laid.map, offsets, sizes, strides, output)

    values = rng.permutation(laid.buffer_elems).tolist()
    body = {"tensor": {**laid.tensor, "dtype": "int32"}, "window": window, "values": values}
    answer = post(client, "/slice", body)
    assert answer["shape"] == output
    assert answer["offsets"] == expected.ravel().tolist()
    assert answer["values"] == [values[address] for address in expected.ravel()]
    if answer["view"] is None:
        assert laid.id.startswith("NCHW"), "strided tensors always have a view"
    else:
        assert (decoded(answer["view"]) == expected).all()


INDEX = [
    "0, ::-1, 1:3",
    "...",
    "..., None",
    "None, ..., -1",
    "-1, :, ::2, ::-2",
    "1:1",
    "::-1, ::-1, ::-1, ::-1",
    ":, 1, None, 0",
    "5:100, -100:2",
    "-3:-1",
    "..., 3::-1",
    "0,0,0,0",
]


@pytest.mark.parametrize("index", INDEX)
def test_numpy_index_expression(client: httpx2.Client, index: str) -> None:
    shape = (2, 3, 4, 5)
    where = strided(shape, (60, 1, 15, 3))
    # The expressions are the frozen table above, so eval sees no foreign text.
    expected = eval(f"where[{index}]", {"where": where})  # noqa: S307  # the test's own text
    tensor: Json = {"shape": list(shape), "layout": "NHWC", "dtype": "int16"}
    answer = post(client, "/slice", {"tensor": tensor, "index": index, "values": [*range(120)]})
    assert answer["shape"] == list(np.shape(expected))
    assert answer["offsets"] == np.ravel(expected).tolist()
    assert answer["values"] == answer["offsets"]
    assert (decoded(answer["view"]) == expected).all()
