"""A misspelt field, op, parameter, type or layout is answered with what it is near to."""

import httpx2
import pytest

from tests.api.refusals.problems import HW, assert_problem, refused
from tests.api.twin import Json

INNER: Json = {"tensor": {**HW, "element": 9}, "coordinates": []}
STEPS: Json = {"tensor": HW, "steps": [{"op": "flip", "dim": 0, "dmi": 1}]}
OPERANDS: Json = {"operands": [HW, {**HW, "layout": "CollumnMajor"}]}
MISSES: list[tuple[str, Json, tuple[str, ...], str]] = [
    ("/describe", {**HW, "dtpye": "int8"}, ("?",), "dtype"),
    ("/describe", {"shpe": [2], "layout": "W"}, ("shape", "?"), "shape"),
    ("/offsets", INNER, ("tensor.?",), "elements"),
    ("/view", STEPS, ("steps[0].?",), "dim"),
    ("/reorder", {"source": HW, "target": "RowMajr"}, ("target",), "RowMajor"),
    ("/elementwise", OPERANDS, ("operands[1].layout",), "ColumnMajor"),
]


@pytest.mark.parametrize(("path", "body", "fields", "word"), MISSES)
def test_a_near_miss_names_the_word(
    client: httpx2.Client, path: str, body: Json, fields: tuple[str, ...], word: str
) -> None:
    problem = refused(client, path, body, *fields)
    assert f"(did you mean {word}?); expected " in problem["errors"][-1]["message"]


def test_a_parameter_is_suggested_too(client: httpx2.Client) -> None:
    answer = client.get("/api/v1/describe?shape=2,3&layuot=HW")
    problem = assert_problem(answer, 422, "query")
    assert "(did you mean layout?)" in problem["detail"]


def test_what_is_near_to_nothing_gets_no_suggestion(client: httpx2.Client) -> None:
    for body in ({**HW, "colour": 1}, {**HW, "dtype": "quaternion"}, {**HW, "layout": "zzzz"}):
        answer = client.post("/api/v1/describe", json=body)
        assert answer.status_code == 422
        assert "did you mean" not in answer.text


def test_short_numbers_and_lists_are_repeated(client: httpx2.Client) -> None:
    body: Json = {"source": {"shape": [1], "layout": "W", "dtype": "int8"}, "target": "W"}
    asked: list[tuple[str, Json, str, str]] = [
        ("/reorder", {**body, "values": [999]}, "values[0]", "got 999; "),
        ("/reorder", {**body, "values": [10**20]}, "values[0]", "got a positive integer of 21 "),
        ("/describe", {**HW, "shape": [2, 3, 4]}, "shape", "got [2, 3, 4]; expected 2 sizes (H"),
        ("/describe", {**HW, "shape": [1] * 9}, "shape", "got a list of 9 entries"),
    ]
    for path, sent, field, words in asked:
        [error] = refused(client, path, sent, field)["errors"]
        assert error["message"].startswith(words)
