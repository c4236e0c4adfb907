"""Requests that the strict parser reads but the model refuses: 422 with the field."""

from itertools import chain

import httpx2
import pytest

from tests.api.refusals.problems import DIGITS, HW, MARKER, refused
from tests.api.twin import Json

NCHW: Json = {"shape": [1, 8, 2, 2], "layout": "NCHW"}
NOT_INTEGERS = [2.5, 2.0, 1e2, True, False, "2", MARKER, None, [2], {MARKER: 2}]


@pytest.mark.parametrize("value", [-1, -(2**63), *NOT_INTEGERS])
def test_what_is_no_size_and_what_is_no_integer(client: httpx2.Client, value: object) -> None:
    refused(client, "/describe", {"shape": [2, value], "layout": "HW"}, "shape[1]")
    if type(value) is int:
        return
    strides: Json = {"strides": [3, value]}
    refused(client, "/describe", {"shape": [2, 3], "layout": strides}, "layout.strides[1]")
    if value is not None:
        offset: Json = {"strides": [3, 1], "offset": value}
        refused(client, "/describe", {"shape": [2, 3], "layout": offset}, "layout.offset")
    refused(client, "/offsets", {"tensor": HW, "coordinates": [[0, value]]}, "coordinates[0][1]")
    refused(client, "/coordinates", {"tensor": HW, "offsets": [0, value]}, "offsets[1]")


ONES = [1] * 100_000
# Changes of a tensor of two dimensions.
TENSORS: list[tuple[Json, str]] = [
    ({"shape": 6, "layout": "W"}, "shape"),
    ({"shape": "2,3"}, "shape"),
    ({"shape": [[2, 3]]}, "shape[0]"),
    ({"layout": "NCHW"}, "shape"),
    ({"shape": [1, 2, 3]}, "shape"),
    ({"shape": [], "layout": "W"}, "shape"),
    ({"shape": [8, 2, 2], "layout": "NCHW4"}, "shape"),
    ({"layout": {"strides": [1]}}, "layout.strides"),
    ({"shape": ONES}, "shape"),
    ({"shape": ONES, "layout": {"strides": ONES}}, "shape"),
    ({"layout": None}, "layout"),
    ({"layout": [3, 1]}, "layout"),
    ({"layout": {}}, "layout"),
    ({"layout": {"strides": [3, 1], "colour": 1}}, "layout"),
    # Products and spans beyond int64.
    ({"shape": [2**62, 2]}, "shape"),
    ({"shape": [0, 2**40, 2**40], "layout": "DHW"}, "shape"),
    ({"shape": [1, 2**61, 2, 2], "layout": "NCHW4"}, "shape"),
    ({"layout": {"strides": [2**62, 2]}, "shape": [3, 2]}, "layout"),
    ({"shape": [2], "layout": {"strides": [2**63 - 1], "offset": 1}}, "layout"),
    ({"dtype": MARKER}, "dtype"),
    ({"dtype": 32}, "dtype"),
    ({"dtype": "float32\0"}, "dtype"),
    ({"dims": "NCH"}, "dims"),
    ({"dims": "HH"}, "dims"),
    ({"dims": 4}, "dims"),
    ({"dims": MARKER * 10_000}, "dims"),
    ({"elements": 5}, "elements"),
    ({"elements": 6.0}, "elements"),
    ({"colour": "red"}, "?"),
    ({f"<script>{MARKER}": 1}, "?"),
    ({MARKER * 10_000: 1}, "?"),
]


@pytest.mark.parametrize(("change", "field"), TENSORS, ids=range(len(TENSORS)))
def test_tensor_is_refused(client: httpx2.Client, change: Json, field: str) -> None:
    refused(client, "/describe", HW | change, field)


LAYOUTS = {
    "empty": "",
    "unknown-letters": "QXYZ",
    "block-0": "NCHW0",
    "block-underscore": "NCHW1_6",
    "block-beyond-int64": "NCHW" + DIGITS * 4,
    "block-10000-digits": "NCHW" + "9" * 10_000,
    "block-fullwidth-digit": "NCHW\uff14",
    "cyrillic-letters": "N\u0421HW",
    "null-byte": "NC\0HW",
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


VAST: Json = {"shape": [2**31, 2**31], "layout": "HW", "dtype": "int8"}
SHARED: Json = {"shape": [2] * 20 + [64], "layout": {"strides": [0] * 21}}
# By call, what is asked of a tensor HW unless there is another one, and the field.
CALLS: dict[str, list[tuple[Json, str]]] = {
    "offsets": [
        ({}, "coordinates"),
        ({"coordinates": [], "x": 1}, "?"),
        ({"coordinates": [[0, 3]]}, "coordinates[0][1]"),
        ({"coordinates": [[-1, 0]]}, "coordinates[0][0]"),
        ({"coordinates": [[0]]}, "coordinates[0]"),
        ({"coordinates": [[0, 0, 0]]}, "coordinates[0]"),
        ({"coordinates": [[0, 0], [0]]}, "coordinates[1]"),
        ({"coordinates": [0, 0]}, "coordinates[0]"),
        ({"coordinates": [[[0, 0]]]}, "coordinates[0][0]"),
        ({"coordinates": MARKER}, "coordinates"),
        ({"tensor": MARKER, "coordinates": []}, "tensor"),
    ],
    "coordinates": [
        ({"offsets": [[0]]}, "offsets[0]"),
        ({"offsets": 0}, "offsets"),
        ({"tensor": {"shape": [-2], "layout": "W"}, "offsets": []}, "tensor.shape[0]"),
        # Shared addresses cannot blow an answer up.
        ({"tensor": SHARED, "offsets": [0] * 2**16}, "offsets"),
    ],
    "slice": [({"tensor": VAST, "index": "..."}, "index")],
    "reorder": [
        ({}, "target"),
        ({"target": "NCHW"}, "target"),
        ({"target": {"strides": [1]}}, "target.strides"),
        ({"target": {"strides": [0, 1]}}, "target"),
        ({"target": {"strides": [-3, 1]}}, "target.offset"),
        # Too much memory.
        ({"source": VAST, "target": "WH"}, "target"),
        ({"target": {"strides": [2**61, 1]}}, "target"),
        ({"target": {"strides": [3, 1], "offset": 2**62}}, "target"),
        ({"source": NCHW, "target": "NCHW4000000000"}, "target"),
        ({"target": "WH", "values": [1]}, "values"),
        ({"target": "WH", "values": MARKER}, "values"),
        ({"target": "WH", "values": [True] * 6}, "values[0]"),
        ({"target": "WH", "values": ["1"] * 6}, "values[0]"),
    ],
}
ROWS = list(chain(*([(call, *row) for row in rows] for call, rows in CALLS.items())))


@pytest.mark.parametrize(("call", "asked", "field"), ROWS, ids=range(len(ROWS)))
def test_call_is_refused(client: httpx2.Client, call: str, asked: Json, field: str) -> None:
    refused(client, f"/{call}", {"source" if call == "reorder" else "tensor": HW} | asked, field)
