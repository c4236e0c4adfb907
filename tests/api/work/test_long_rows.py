"""Long rows of integers are read as arrays, and what is read is what the parser would read."""

import json
import random
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.api import json_body
from app.api.json_body import parse_rows
from app.files.strict_json import parse_json
from tests.api.refusals.problems import assert_problem

MILLION = 1 << 20
JSON = {"content-type": "application/json"}
NAMES = "ABCDEFGHIJKL"


def read(text: bytes) -> Any:
    """The value with its rows, or None where all of the text is left to the parser."""
    found = parse_rows(text, "coordinates")
    return None if found is None else found[0] | {"coordinates": found[1].tolist()}


def test_random_texts_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_body, "_PIECE", 30)
    choose = random.Random(7)  # noqa: S311  # no secret
    read_here = 0
    for _ in range(2000):
        rank, count = choose.randint(1, 4), choose.randint(1, 30)
        most = choose.choice([9, 127, 128, 70_000, 2**31, 2**63 - 1])
        rows = [[choose.randint(-most, most) for _ in range(rank)] for _ in range(count)]
        value = {"tensor": {"shape": [1]}, "coordinates": rows, "other": [[1]]}
        space = choose.choice(["", " ", "\n\t"])
        text = json.dumps(value, separators=("," + space, ":" + space)).encode()
        changed = choose.random() < 0.7
        if changed:
            at = choose.randrange(len(text))
            byte = choose.choice(list(b'[]{},:"0-19 \\ex'))
            text = text[:at] + bytes([byte]) + text[at + choose.randint(0, 1) :]
        found = read(text)
        read_here += found is not None
        assert changed or found is not None, text
        assert found is None or found == parse_json(text), text
    assert read_here > 600  # with changes that leave a number a number


@pytest.mark.parametrize(
    "text",
    [
        b'{"coordinates": [[1], [2, 3]]}',
        b'{"coordinates": [[1], [2],]}',
        b'{"coordinates": [[1],, [2]]}',
        b'{"coordinates": [[[1]], [[2]]]}',
        b'{"coordinates": [1, 2]}',
        b'{"coordinates": [[], []]}',
        b'{"coordinates": [[1.0], [2]]}',
        b'{"coordinates": [[01], [2]]}',
        b'{"coordinates": [[9223372036854775808]]}',
        b'{"coordinates": [[1], [true]]}',
        b'{"coordinates": [[1]], "coordinates": [[2]]}',
        b'{"tensor": {"coordinates": [[1]]}}',
        b'{"x": "\\"coordinates\\": [[1]]"}',
        b'[{"coordinates": [[1]]}]',
        b'{"coordinates": [[1], [2]',
    ],
)
def test_what_is_not_of_the_form_is_left_to_the_parser(text: bytes) -> None:
    assert read(text) is None


def test_a_row_that_is_longer_than_a_piece_is_left_to_the_parser() -> None:
    numbers = b"999," * MILLION
    assert read(b'{"coordinates": [[%b1]]}' % numbers) is None
    assert read(b'{"coordinates": [[1], [%b1]]}' % numbers) is None


def test_a_call_takes_a_million_coordinates_of_any_rank(client: TestClient) -> None:
    rank = len(NAMES)
    shape = [2] * (rank - 1) + [40]
    row = [0] * (rank - 1) + [39]
    rows = json.dumps([row] * 4).encode()[1:-1]
    body = b'{"tensor":{"shape":%b,"layout":{"strides":%b},"dims":"%b"},"coordinates":[%b]}' % (
        json.dumps(shape).encode(),
        json.dumps([1] * rank).encode(),
        NAMES.encode(),
        b",".join([rows] * (MILLION // 4)),
    )
    answer = client.post("/api/v1/offsets", content=body, headers=JSON)
    assert answer.status_code == 200, answer.text[:300]
    found = answer.json()
    assert found["offsets"] == [39] * MILLION
    assert found["byte_offsets"] == [156] * MILLION


def test_the_row_that_is_wrong_is_named(client: TestClient) -> None:
    rows = [[0, 1]] * 200_000
    tensor = {"shape": [2, 3], "layout": "HW"}
    for at, row, field in (
        (150_000, [0, 3], "coordinates[150000][1]"),
        (199_999, [0, -1], "coordinates[199999][1]"),
        (170_001, [0], "coordinates[170001]"),
    ):
        wrong = [*rows[:at], row, *rows[at + 1 :]]
        answer = client.post("/api/v1/offsets", json={"tensor": tensor, "coordinates": wrong})
        assert_problem(answer, 422, field)
    flat = [[1]] * 600_000
    answer = client.post("/api/v1/offsets", json={"tensor": tensor, "coordinates": flat})
    assert_problem(answer, 422, "coordinates[0]")
