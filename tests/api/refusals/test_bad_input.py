"""Requests that the strict parser reads but the model refuses: 422 with the field."""

from dataclasses import dataclass

import httpx2
import pytest

from tests.api.refusals.problems import DIGITS, MARKER, refused
from tests.api.twin import Json

HW: Json = {"shape": [2, 3], "layout": "HW"}
NCHW: Json = {"shape": [1, 8, 2, 2], "layout": "NCHW"}


@dataclass(frozen=True, slots=True)
class Refused:
    id: str
    path: str
    body: Json
    field: str


NOT_SIZES: dict[str, object] = {
    "negative": -1,
    "least-int64": -(2**63),
    "fraction": 2.5,
    "whole-float": 2.0,
    "exponent": 1e2,
    "true": True,
    "false": False,
    "string": "2",
    "marked-string": MARKER,
    "null": None,
    "list": [2],
    "object": {MARKER: 2},
}


@pytest.mark.parametrize("value", NOT_SIZES.values(), ids=NOT_SIZES.keys())
def test_size_that_is_no_size(client: httpx2.Client, value: object) -> None:
    refused(client, "/describe", {"shape": [2, value], "layout": "HW"}, "shape[1]")


NOT_INTEGERS = {
    key: value for key, value in NOT_SIZES.items() if key not in ("negative", "least-int64")
}


@pytest.mark.parametrize("value", NOT_INTEGERS.values(), ids=NOT_INTEGERS.keys())
def test_number_that_is_no_integer(client: httpx2.Client, value: object) -> None:
    strides: Json = {"strides": [3, value]}
    refused(client, "/describe", {"shape": [2, 3], "layout": strides}, "layout.strides[1]")
    if value is not None:
        offset: Json = {"strides": [3, 1], "offset": value}
        refused(client, "/describe", {"shape": [2, 3], "layout": offset}, "layout.offset")
    refused(client, "/offsets", {"tensor": HW, "coordinates": [[0, value]]}, "coordinates[0][1]")
    refused(client, "/coordinates", {"tensor": HW, "offsets": [0, value]}, "offsets[1]")


TENSORS = [
    Refused("shape-missing", "/describe", {"layout": "HW"}, "shape"),
    Refused("shape-a-number", "/describe", {"shape": 6, "layout": "W"}, "shape"),
    Refused("shape-a-string", "/describe", {"shape": "2,3", "layout": "HW"}, "shape"),
    Refused("shape-nested", "/describe", {"shape": [[2, 3]], "layout": "HW"}, "shape[0]"),
    Refused("shape-an-object", "/describe", {"shape": {"0": 2}, "layout": "W"}, "shape"),
    Refused("rank-too-low", "/describe", {"shape": [2, 3], "layout": "NCHW"}, "shape"),
    Refused("rank-too-high", "/describe", {"shape": [1, 2, 3], "layout": "HW"}, "shape"),
    Refused("rank-0-of-a-name", "/describe", {"shape": [], "layout": "W"}, "shape"),
    Refused("block-rank", "/describe", {"shape": [8, 2, 2], "layout": "NCHW4"}, "shape"),
    Refused(
        "strides-rank", "/describe", {"shape": [2, 3], "layout": {"strides": [1]}}, "layout.strides"
    ),
    Refused("huge-rank", "/describe", {"shape": [1] * 100_000, "layout": "HW"}, "shape"),
    Refused(
        "huge-rank-strides",
        "/describe",
        {"shape": [1] * 100_000, "layout": {"strides": [1] * 100_000}},
        "shape",
    ),
    Refused("layout-null", "/describe", {"shape": [2, 3], "layout": None}, "layout"),
    Refused("layout-number", "/describe", {"shape": [2, 3], "layout": 7}, "layout"),
    Refused("layout-list", "/describe", {"shape": [2, 3], "layout": [3, 1]}, "layout"),
    Refused("layout-empty-object", "/describe", {"shape": [2, 3], "layout": {}}, "layout"),
    Refused(
        "layout-unknown-member",
        "/describe",
        {"shape": [2, 3], "layout": {"strides": [3, 1], "colour": 1}},
        "layout",
    ),
    Refused("dtype-unknown", "/describe", {**HW, "dtype": MARKER}, "dtype"),
    Refused("dtype-number", "/describe", {**HW, "dtype": 32}, "dtype"),
    Refused("dtype-empty", "/describe", {**HW, "dtype": ""}, "dtype"),
    Refused("dtype-null-byte", "/describe", {**HW, "dtype": "float32\0"}, "dtype"),
    Refused("dtype-object", "/describe", {**HW, "dtype": "object"}, "dtype"),
    Refused("dims-rank", "/describe", {**NCHW, "dims": "NCH"}, "dims"),
    Refused("dims-repeated", "/describe", {**NCHW, "dims": "NCHH"}, "dims"),
    Refused("dims-number", "/describe", {**NCHW, "dims": 4}, "dims"),
    Refused("dims-long", "/describe", {**NCHW, "dims": MARKER * 10_000}, "dims"),
    Refused("elements-too-few", "/describe", {**HW, "elements": 5}, "elements"),
    Refused("elements-negative", "/describe", {**HW, "elements": -1}, "elements"),
    Refused("elements-fraction", "/describe", {**HW, "elements": 6.0}, "elements"),
    Refused("unknown-field", "/describe", {**HW, "colour": "red"}, "?"),
    Refused("unknown-hostile-field", "/describe", {**HW, f"<script>{MARKER}": 1}, "?"),
    Refused("unknown-long-field", "/describe", {**HW, MARKER * 10_000: 1}, "?"),
    Refused(
        "unknown-field-beside-tensor", "/offsets", {"tensor": HW, "coordinates": [], "x": 1}, "?"
    ),
]


@pytest.mark.parametrize("row", TENSORS, ids=lambda row: row.id)
def test_tensor_is_refused(client: httpx2.Client, row: Refused) -> None:
    refused(client, row.path, row.body, row.field)


LAYOUTS = {
    "empty": "",
    "blank": " ",
    "unknown-letters": "QXYZ",
    "marked": MARKER,
    "repeated-letter": "NCHH",
    "block-0": "NCHW0",
    "block-negative": "NCHW-4",
    "block-fraction": "NCHW4.5",
    "block-exponent": "NCHW1e3",
    "block-underscore": "NCHW1_6",
    "block-plus": "NCHW+4",
    "block-beyond-int64": "NCHW" + DIGITS * 4,
    "block-400-digits": "NCHW" + "9" * 400,
    "block-10000-digits": "NCHW" + "9" * 10_000,
    "block-fullwidth-digit": "NCHW\uff14",
    "block-superscript": "NCHW\u00b2",
    "block-arabic-digit": "NCHW\u0664",
    "cyrillic-letters": "N\u0421HW",
    "null-byte": "NC\0HW",
    "null-byte-at-the-end": "NCHW\0",
    "emoji": "\U0001f642",
    "markup": f"<script>{MARKER}</script>",
    "format-directive": "NCHW%s%n{0}",
    "long": "NCHW" * 250_000,
    "long-marked": MARKER * 20_000,
    "long-digits": "1" * 1_000_000,
    "deep-parentheses": "(" * 100_000,
    "deep-cute": "cute:" + "(" * 100_000 + ")" * 100_000,
    "deep-tvm": "tvm:" + "lambda i: " * 20_000,
    "unknown-system": f"{MARKER}:abcd",
    "system-alone": "onednn:",
    "colon-alone": ":",
    "many-colons": ":" * 100_000,
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_unknown_layout(client: httpx2.Client, layout: str) -> None:
    refused(client, "/describe", {"shape": [1, 8, 2, 2], "layout": layout}, "layout")
    refused(client, "/reorder", {"source": NCHW, "target": layout}, "target")


def test_negative_least_address_names_the_mending_offset(client: httpx2.Client) -> None:
    layout: Json = {"strides": [-7, -2], "offset": 3}
    problem = refused(client, "/describe", {"shape": [4, 3], "layout": layout}, "layout.offset")
    assert "25" in problem["errors"][0]["message"]
    mended = {"shape": [4, 3], "layout": {**layout, "offset": 25}}
    assert client.post("/api/v1/describe", json=mended).status_code == 200


CALLS = [
    Refused("tensor-missing", "/offsets", {"coordinates": []}, "tensor"),
    Refused("coordinates-missing", "/offsets", {"tensor": HW}, "coordinates"),
    Refused(
        "beyond-the-size", "/offsets", {"tensor": HW, "coordinates": [[0, 3]]}, "coordinates[0][1]"
    ),
    Refused("negative", "/offsets", {"tensor": HW, "coordinates": [[-1, 0]]}, "coordinates[0][0]"),
    Refused("rank-low", "/offsets", {"tensor": HW, "coordinates": [[0]]}, "coordinates[0]"),
    Refused("rank-high", "/offsets", {"tensor": HW, "coordinates": [[0, 0, 0]]}, "coordinates[0]"),
    Refused("ragged", "/offsets", {"tensor": HW, "coordinates": [[0, 0], [0]]}, "coordinates[1]"),
    Refused("flat", "/offsets", {"tensor": HW, "coordinates": [0, 0]}, "coordinates[0]"),
    Refused("nested", "/offsets", {"tensor": HW, "coordinates": [[[0, 0]]]}, "coordinates[0][0]"),
    Refused("text", "/offsets", {"tensor": HW, "coordinates": MARKER}, "coordinates"),
    Refused("offsets-missing", "/coordinates", {"tensor": HW}, "offsets"),
    Refused("offsets-nested", "/coordinates", {"tensor": HW, "offsets": [[0]]}, "offsets[0]"),
    Refused("offsets-a-number", "/coordinates", {"tensor": HW, "offsets": 0}, "offsets"),
    Refused(
        "bad-tensor",
        "/coordinates",
        {"tensor": {"shape": [-2], "layout": "W"}, "offsets": []},
        "tensor.shape[0]",
    ),
    Refused("tensor-a-string", "/offsets", {"tensor": MARKER, "coordinates": []}, "tensor"),
    Refused("target-missing", "/reorder", {"source": HW}, "target"),
    Refused("source-missing", "/reorder", {"target": "HW"}, "source"),
    Refused("target-rank", "/reorder", {"source": HW, "target": "NCHW"}, "target"),
    Refused(
        "target-strides-rank",
        "/reorder",
        {"source": HW, "target": {"strides": [1]}},
        "target.strides",
    ),
    Refused("target-shares", "/reorder", {"source": HW, "target": {"strides": [0, 1]}}, "target"),
    Refused(
        "target-negative",
        "/reorder",
        {"source": HW, "target": {"strides": [-3, 1]}},
        "target.offset",
    ),
]


@pytest.mark.parametrize("row", CALLS, ids=lambda row: f"{row.path[1:]}-{row.id}")
def test_call_is_refused(client: httpx2.Client, row: Refused) -> None:
    refused(client, row.path, row.body, row.field)


NOT_VALUES: dict[str, tuple[object, str]] = {
    "too-few": ([1], "values"),
    "text": (MARKER, "values"),
    "nested": ([[1] * 6], "values"),
    "boolean": ([True] * 6, "values[0]"),
    "null": ([None] * 6, "values[0]"),
    "strings": (["1"] * 6, "values[0]"),
    "object": ({MARKER: 1}, "values"),
}


@pytest.mark.parametrize(("values", "field"), NOT_VALUES.values(), ids=NOT_VALUES.keys())
def test_values_that_are_no_buffer(client: httpx2.Client, values: object, field: str) -> None:
    refused(client, "/reorder", {"source": HW, "target": "WH", "values": values}, field)


VAST: list[tuple[Json, str | Json]] = [
    ({"shape": [2**31, 2**31], "layout": "HW", "dtype": "int8"}, "WH"),
    (HW, {"strides": [2**61, 1]}),
    (HW, {"strides": [3, 1], "offset": 2**62}),
    (NCHW, "NCHW4000000000"),
]


@pytest.mark.parametrize(("source", "target"), VAST, ids=["both", "strides", "offset", "block"])
def test_reorder_whose_target_needs_too_much_memory(
    client: httpx2.Client, source: Json, target: str | Json
) -> None:
    refused(client, "/reorder", {"source": source, "target": target}, "target")


def test_slice_whose_result_needs_too_much_memory(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [2**31, 2**31], "layout": "HW", "dtype": "int8"}
    refused(client, "/slice", {"tensor": tensor, "index": "..."}, "index")


def test_shared_addresses_cannot_blow_an_answer_up(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [2] * 20 + [64], "layout": {"strides": [0] * 21}}
    body: Json = {"tensor": tensor, "offsets": [0] * 2**16}
    refused(client, "/coordinates", body, "offsets")
