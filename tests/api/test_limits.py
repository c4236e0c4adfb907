"""Sizes 0, rank 0, sizes near 2^63, and a million values."""

from functools import partial

import httpx2
import pytest

from tests.api.twin import Json, decoded, describe, post
from tests.cost import assert_costs_like

MAX = 2**63 - 1


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((0, 3), "HW"),
        ((2, 0), "WH"),
        ((2, 0, 3, 3), "NHWC"),
        ((2, 0, 3, 3), "NCHW4"),
        ((0, 5, 3, 3), "CHWN4"),
        ((0,), {"strides": [7]}),
        ((0, 0), {"strides": [0, -1], "offset": 3}),
    ],
    ids=str,
)
def test_a_size_of_0_needs_no_memory(
    client: httpx2.Client, shape: tuple[int, ...], layout: str | Json
) -> None:
    answer = describe(client, shape, layout)
    assert answer["buffer"]["elements"] == 0
    assert answer["buffer"]["bytes"] == 0
    tensor: Json = {"shape": list(shape), "layout": layout}
    assert post(client, "/coordinates", {"tensor": tensor, "offsets": [0]})["owners"] == [
        {"offset": 0, "kind": "outside", "count": 0, "coordinates": []}
    ]
    assert post(client, "/offsets", {"tensor": tensor, "coordinates": []})["offsets"] == []
    body: Json = {"source": tensor, "target": "HW", "values": []}
    assert len(shape) != 2 or post(client, "/reorder", body)["values"] == []


@pytest.mark.parametrize("index", ["...", "::-1, 1:", ":, ::2"])
def test_empty_tensor_with_a_huge_dimension_costs_nothing(
    client: httpx2.Client, index: str
) -> None:
    def ask(size: int) -> None:
        tensor: Json = {"shape": [0, size], "layout": "HW", "dtype": "int8"}
        sliced = post(client, "/slice", {"tensor": tensor, "index": index})
        assert (sliced["offsets"], sliced["shape"][0]) == ([], 0)
        assert post(client, "/reorder", {"source": tensor, "target": "WH"})["values"] == []
        assert post(client, "/offsets", {"tensor": tensor, "coordinates": []})["offsets"] == []
        [owner] = post(client, "/coordinates", {"tensor": tensor, "offsets": [5]})["owners"]
        assert owner["kind"] == "outside"
        row = {"shape": [1, size], "layout": "HW", "dtype": "int8"}
        empty = post(client, "/slice", {"tensor": row, "index": "1:"})
        assert (empty["offsets"], empty["shape"]) == ([], [0, size])

    assert_costs_like(partial(ask, 3), partial(ask, 2**62))


def test_rank_0_is_one_element(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [], "layout": {"strides": []}, "dtype": "float64"}
    answer = post(client, "/describe", tensor)
    assert answer["shape"] == []
    assert answer["strides"] == []
    assert answer["buffer"]["elements"] == 1
    assert answer["buffer"]["bytes"] == 8
    assert decoded(answer).tolist() == 0
    offsets = post(client, "/offsets", {"tensor": tensor, "coordinates": [[]]})
    assert offsets == {"offsets": [0], "byte_offsets": [0]}
    [owner] = post(client, "/coordinates", {"tensor": tensor, "offsets": [0]})["owners"]
    assert (owner["kind"], owner["coordinates"]) == ("element", [[]])
    body = {"source": tensor, "target": {"strides": []}, "values": [2.5]}
    assert post(client, "/reorder", body)["values"] == [2.5]


def test_the_largest_dimension_is_exact(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [MAX], "layout": "W", "dtype": "int8"}
    answer = post(client, "/describe", tensor)
    assert answer["buffer"]["elements"] == MAX
    assert answer["shape"] == [MAX]
    offsets = post(client, "/offsets", {"tensor": tensor, "coordinates": [[MAX - 1], [2**53 + 1]]})
    assert offsets["offsets"] == [MAX - 1, 2**53 + 1]
    asked = {"tensor": tensor, "offsets": [MAX - 1, MAX, -(2**63)]}
    inside, *outside = post(client, "/coordinates", asked)["owners"]
    assert (inside["kind"], inside["coordinates"]) == ("element", [[MAX - 1]])
    assert [owner["kind"] for owner in outside] == ["outside", "outside"]


def test_large_sizes_keep_every_digit(client: httpx2.Client) -> None:
    a, b = 3_037_000_499, 3_037_000_500
    assert a * b <= MAX
    tensor: Json = {"shape": [a, b], "layout": "WH", "dtype": "int8"}
    assert post(client, "/describe", tensor)["strides"] == [1, a]
    corner = {"tensor": tensor, "coordinates": [[a - 1, b - 1], [1, b - 1]]}
    assert post(client, "/offsets", corner)["offsets"] == [a * b - 1, a * (b - 1) + 1]
    [owner] = post(client, "/coordinates", {"tensor": tensor, "offsets": [a * b - 2]})["owners"]
    assert owner["coordinates"] == [[a - 2, b - 1]]


def test_a_million_values_pass_one_call(client: httpx2.Client) -> None:
    count = 2**20
    tensor: Json = {"shape": [1024, 1024], "layout": "HW", "dtype": "int32"}
    answer = post(client, "/reorder", {"source": tensor, "target": "WH", "values": [*range(count)]})
    assert answer["values"][:3] == [0, 1024, 2048]
    assert answer["values"][-1] == count - 1
