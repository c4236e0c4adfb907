"""Windows and index expressions that reach outside the tensor or mean nothing."""

from dataclasses import dataclass

import httpx2
import pytest

from tests.api.refusals.problems import MARKER, refused
from tests.api.twin import Json

TENSOR: Json = {"shape": [4, 5], "layout": "HW"}


@dataclass(frozen=True, slots=True)
class BadWindow:
    id: str
    change: Json
    field: str


GOOD: Json = {"offsets": [0, 0], "sizes": [4, 5], "strides": [1, 2], "output_sizes": [4, 3]}
WINDOWS = [
    BadWindow("stride-0", {"strides": [1, 0]}, "strides[1]"),
    BadWindow("beyond-the-end", {"offsets": [1, 0]}, "sizes[0]"),
    BadWindow("size-beyond", {"sizes": [5, 5]}, "sizes[0]"),
    BadWindow("offset-beyond", {"offsets": [4, 0], "sizes": [1, 5]}, "offsets[0]"),
    BadWindow("sum-beyond-int64", {"offsets": [2**63 - 1, 0]}, "offsets[0]"),
    BadWindow("negative-offset", {"offsets": [-1, 0]}, "offsets[0]"),
    BadWindow("empty-window", {"sizes": [0, 5]}, "sizes[0]"),
    BadWindow("negative-size", {"sizes": [-4, 5]}, "sizes[0]"),
    BadWindow("output-0", {"output_sizes": [0, 3]}, "output_sizes[0]"),
    BadWindow("output-negative", {"output_sizes": [-1, 3]}, "output_sizes[0]"),
    BadWindow("output-too-large", {"output_sizes": [4, 4]}, "output_sizes[1]"),
    BadWindow("output-huge", {"output_sizes": [2**63 - 1, 3]}, "output_sizes[0]"),
    BadWindow("offsets-rank", {"offsets": [0]}, "offsets"),
    BadWindow("sizes-rank", {"sizes": [4, 5, 1]}, "sizes"),
    BadWindow("strides-rank", {"strides": []}, "strides"),
    BadWindow("output-rank", {"output_sizes": [4]}, "output_sizes"),
    BadWindow("fraction", {"sizes": [4.0, 5]}, "sizes[0]"),
    BadWindow("boolean", {"strides": [1, True]}, "strides[1]"),
    BadWindow("string", {"offsets": [0, MARKER]}, "offsets[1]"),
    BadWindow("null", {"sizes": None}, "sizes"),
    BadWindow("unknown-member", {"steps": [1, 1]}, "?"),
]


@pytest.mark.parametrize("row", WINDOWS, ids=lambda row: row.id)
def test_window_is_refused(client: httpx2.Client, row: BadWindow) -> None:
    body: Json = {"tensor": TENSOR, "window": {**GOOD, **row.change}}
    refused(client, "/slice", body, f"window.{row.field}")


def test_the_unchanged_window_is_accepted(client: httpx2.Client) -> None:
    response = client.post("/api/v1/slice", json={"tensor": TENSOR, "window": GOOD})
    assert response.status_code == 200
    assert response.json()["shape"] == [4, 3]


def test_window_has_1_to_8_dimensions(client: httpx2.Client) -> None:
    def windowed(rank: int) -> Json:
        ones = [1] * rank
        window: Json = {"offsets": [0] * rank, "sizes": ones, "strides": ones}
        return {"tensor": {"shape": ones, "layout": {"strides": ones}}, "window": window}

    assert client.post("/api/v1/slice", json=windowed(8)).status_code == 200
    refused(client, "/slice", windowed(9), "window")
    refused(client, "/slice", windowed(0), "window")


def test_least_int64_stride_is_a_stride(client: httpx2.Client) -> None:
    window = {**GOOD, "strides": [1, -(2**63)], "output_sizes": [4, 1]}
    response = client.post("/api/v1/slice", json={"tensor": TENSOR, "window": window})
    assert response.status_code == 200
    assert response.json()["offsets"] == [4, 9, 14, 19]


INDEXES = {
    "beyond-the-end": "4",
    "before-the-start": "0, -6",
    "too-many": "0, 0, 0",
    "stride-0": "::0",
    "two-ellipses": "..., ...",
    "word": MARKER,
    "call": "__import__('os').getcwd()",
    "fraction": "1.0",
    "exponent": "1e0",
    "unfinished": "0,,1",
    "four-colons": "1:2:3:4",
    "operator": "1+1",
    "list": "[0, 1]",
    "string": "'0'",
    "null-byte": "0\0",
    "fullwidth-digit": "\uff11",
    "superscript": "\u00b2",
    "underscore": "0_1",
    "beyond-int64": "918273645918273645918273645",
    "10000-digits": "9" * 10_000,
    "parentheses": "(" * 100_000,
    "commas": "," * 100_000,
    "many-new-axes": "None, " * 100_000 + "0",
    "rank-beyond-every-array": "None, " * 200 + "...",
    "many-minus-signs": "-" * 100_000 + "1",
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_index_is_refused(client: httpx2.Client, index: str) -> None:
    refused(client, "/slice", {"tensor": TENSOR, "index": index}, "index")


QUESTIONS: dict[str, tuple[Json, tuple[str, ...]]] = {
    "neither": ({}, ("body",)),
    "both": ({"index": "0", "window": GOOD}, ("body",)),
    "index-number": ({"index": 0}, ("index",)),
    "index-list": ({"index": [0]}, ("index",)),
    "window-list": ({"window": [0]}, ("window",)),
    "window-empty": ({"window": {}}, ("window.offsets", "window.sizes", "window.strides")),
    "values-too-few": ({"index": "0", "values": [1, 2]}, ("values",)),
    "values-text": ({"index": "0", "values": MARKER}, ("values",)),
}


@pytest.mark.parametrize(("asked", "fields"), QUESTIONS.values(), ids=QUESTIONS.keys())
def test_question_is_refused(client: httpx2.Client, asked: Json, fields: tuple[str, ...]) -> None:
    refused(client, "/slice", {"tensor": TENSOR, **asked}, *fields)
