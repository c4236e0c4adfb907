"""Sizes 0 and 1, rank 0, sizes near 2^63, element types and their bits, value ranges."""

from functools import partial

import httpx2
import pytest

from tests.api.refusals.problems import refused
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


def test_empty_tensor_reorders_into_an_empty_buffer(client: httpx2.Client) -> None:
    source: Json = {"shape": [2, 0, 3, 3], "layout": "NCHW"}
    assert post(client, "/reorder", {"source": source, "target": "NHWC"})["values"] == []
    body = {"source": source, "target": "NHWC", "values": []}
    assert post(client, "/reorder", body)["values"] == []


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

    assert_costs_like(partial(ask, 3), partial(ask, 2**62))


def test_empty_slice_of_a_huge_tensor_costs_nothing(client: httpx2.Client) -> None:
    def ask(size: int) -> None:
        tensor: Json = {"shape": [1, size], "layout": "HW", "dtype": "int8"}
        answer = post(client, "/slice", {"tensor": tensor, "index": "1:"})
        assert (answer["offsets"], answer["shape"]) == ([], [0, size])

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


def test_sizes_of_1_satisfy_every_order(client: httpx2.Client) -> None:
    for layout in ("NCHW", "NHWC", "WHCN"):
        answer = describe(client, (1, 1, 1, 1), layout)
        assert answer["buffer"]["elements"] == 1
        assert answer["properties"]["packed"] is True
        assert answer["properties"]["contiguous"] is True
        assert answer["properties"]["channels_last"] is True


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


def test_a_tensor_of_10_to_the_12_opens(client: httpx2.Client) -> None:
    answer = describe(client, (1000, 1000, 1000, 1000), "NCHW4", dtype="float32")
    assert answer["buffer"]["bytes"] == 4 * 10**12
    tensor: Json = {"shape": [1000] * 4, "layout": "NCHW4"}
    asked = post(client, "/offsets", {"tensor": tensor, "coordinates": [[999, 999, 999, 999]]})
    assert asked["offsets"] == [10**12 - 1]


OVERFLOWS = [
    ([2**62, 2], "HW", "shape"),
    ([2**32, 2**32], "WH", "shape"),
    ([0, 2**40, 2**40], "DHW", "shape"),
    ([1, 2**61, 2, 2], "NCHW4", "shape"),
    ([3, 2], {"strides": [2**62, 2]}, "layout"),
    ([2], {"strides": [MAX], "offset": 1}, "layout"),
]


@pytest.mark.parametrize(("shape", "layout", "field"), OVERFLOWS, ids=str)
def test_products_and_spans_beyond_int64_are_refused(
    client: httpx2.Client, shape: list[int], layout: str | Json, field: str
) -> None:
    tensor: Json = {"shape": shape, "layout": layout, "dtype": "int8"}
    refused(client, "/describe", tensor, field)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int4"])
def test_bytes_beyond_int64_are_exact_or_refused(client: httpx2.Client, dtype: str) -> None:
    bits = {"float64": 64, "float32": 32, "int4": 4}[dtype]
    body: Json = {"shape": [MAX], "layout": "W", "dtype": dtype}
    response = client.post("/api/v1/describe", json=body)
    assert response.status_code in (200, 422)
    if response.status_code == 200:
        assert response.json()["buffer"]["bytes"] == -(-MAX * bits // 8)


BITS = {
    "float64": 64,
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
    "int64": 64,
    "int32": 32,
    "int16": 16,
    "int8": 8,
    "int4": 4,
    "uint64": 64,
    "uint32": 32,
    "uint16": 16,
    "uint8": 8,
    "uint4": 4,
    "bool": 8,
}


@pytest.mark.parametrize(("dtype", "bits"), BITS.items(), ids=BITS.keys())
def test_bytes_of_five_elements(client: httpx2.Client, dtype: str, bits: int) -> None:
    answer = describe(client, (5,), "W", dtype=dtype)
    assert answer["dtype"] == dtype
    assert answer["buffer"]["bytes"] == (5 * bits + 7) // 8
    tensor: Json = {"shape": [5], "layout": "W", "dtype": dtype}
    offsets = post(client, "/offsets", {"tensor": tensor, "coordinates": [[k] for k in range(5)]})
    assert offsets["byte_offsets"] == [k * bits // 8 for k in range(5)]


def test_int4_byte_strides_are_null_where_fractional(client: httpx2.Client) -> None:
    assert describe(client, (3, 5), "HW", dtype="int4")["byte_strides"] is None
    assert describe(client, (1, 64, 3, 3), "NCHW64", dtype="int4")["buffer"]["bytes"] == 288


def test_a_million_values_pass_one_call(client: httpx2.Client) -> None:
    count = 2**20
    tensor: Json = {"shape": [1024, 1024], "layout": "HW", "dtype": "int32"}
    answer = post(client, "/reorder", {"source": tensor, "target": "WH", "values": [*range(count)]})
    assert answer["values"][:3] == [0, 1024, 2048]
    assert answer["values"][-1] == count - 1
    coordinates = [[k] for k in range(count)]
    row: Json = {"shape": [count], "layout": "W", "dtype": "int32"}
    offsets = post(client, "/offsets", {"tensor": row, "coordinates": coordinates})["offsets"]
    assert offsets == [*range(count)]
