"""Windows and index expressions that reach outside the tensor or mean nothing."""

import httpx2
import pytest

from tests.api.refusals.problems import MARKER, refused
from tests.api.twin import Json, post

TENSOR: Json = {"shape": [4, 5], "layout": "HW"}


GOOD: Json = {"offsets": [0, 0], "sizes": [4, 5], "strides": [1, 2], "output_sizes": [4, 3]}
WINDOWS: list[tuple[Json, str]] = [
    ({"strides": [1, 0]}, "strides[1]"),
    ({"offsets": [1, 0]}, "sizes[0]"),
    ({"sizes": [5, 5]}, "sizes[0]"),
    ({"offsets": [4, 0], "sizes": [1, 5]}, "offsets[0]"),
    ({"offsets": [2**63 - 1, 0]}, "offsets[0]"),
    ({"sizes": [0, 5]}, "sizes[0]"),
    ({"output_sizes": [0, 3]}, "output_sizes[0]"),
    ({"output_sizes": [4, 4]}, "output_sizes[1]"),
    ({"output_sizes": [2**63 - 1, 3]}, "output_sizes[0]"),
    ({"offsets": [0]}, "offsets"),
    ({"sizes": [4, 5, 1]}, "sizes"),
    ({"sizes": [4.0, 5]}, "sizes[0]"),
    ({"strides": [1, True]}, "strides[1]"),
    ({"offsets": [0, MARKER]}, "offsets[1]"),
    ({"sizes": None}, "sizes"),
    ({"steps": [1, 1]}, "?"),
]


@pytest.mark.parametrize(("change", "field"), WINDOWS, ids=range(len(WINDOWS)))
def test_window_is_refused(client: httpx2.Client, change: Json, field: str) -> None:
    refused(client, "/slice", {"tensor": TENSOR, "window": GOOD | change}, f"window.{field}")


def test_what_a_window_may_be(client: httpx2.Client) -> None:
    answer = post(client, "/slice", {"tensor": TENSOR, "window": GOOD})
    assert answer["shape"] == [4, 3]
    # The least stride of int64 is one.
    least = GOOD | {"strides": [1, -(2**63)], "output_sizes": [4, 1]}
    answer = post(client, "/slice", {"tensor": TENSOR, "window": least})
    assert answer["offsets"] == [4, 9, 14, 19]
    for rank in (0, 8, 9):
        ones = [1] * rank
        window: Json = {"offsets": [0] * rank, "sizes": ones, "strides": ones}
        body: Json = {"tensor": {"shape": ones, "layout": {"strides": ones}}, "window": window}
        if rank == 8:
            post(client, "/slice", body)
        else:
            refused(client, "/slice", body, "window")


INDEXES = {
    "beyond-the-end": "4",
    "before-the-start": "0, -6",
    "too-many": "0, 0, 0",
    "stride-0": "::0",
    "two-ellipses": "..., ...",
    "word": MARKER,
    "call": "__import__('os').getcwd()",
    "fraction": "1.0",
    "list": "[0, 1]",
    "fullwidth-digit": "\uff11",
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


QUESTIONS: list[tuple[Json, tuple[str, ...]]] = [
    ({}, ("body",)),
    ({"index": "0", "window": GOOD}, ("body",)),
    ({"index": 0}, ("index",)),
    ({"index": [0]}, ("index",)),
    ({"window": [0]}, ("window",)),
    ({"window": {}}, ("window.offsets", "window.sizes", "window.strides")),
    ({"index": "0", "values": [1, 2]}, ("values",)),
    ({"index": "0", "values": MARKER}, ("values",)),
]


@pytest.mark.parametrize(("asked", "fields"), QUESTIONS)
def test_question_is_refused(client: httpx2.Client, asked: Json, fields: tuple[str, ...]) -> None:
    refused(client, "/slice", {"tensor": TENSOR, **asked}, *fields)
