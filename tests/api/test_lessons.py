"""/lessons through the API: the list, questions that stay the same, answers and refusals."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from app.lessons import LESSONS
from tests.api.refusals.problems import assert_problem
from tests.lessons.brute import memory_of

Json = dict[str, Any]
LEVELS = (1, 2, 3)


def lesson(client: TestClient, name: str, seed: int, level: int) -> Json:
    response = client.get(f"/api/v1/lessons/{name}?seed={seed}&level={level}")
    assert response.status_code == 200, response.text
    found: Json = response.json()
    return found


def answer(client: TestClient, asked: Json, given: Any) -> Json:
    body = {"seed": asked["seed"], "level": asked["level"], "answer": given}
    response = client.post(f"/api/v1/lessons/{asked['id']}/answer", json=body)
    assert response.status_code == 200, response.text
    said: Json = response.json()
    return said


def test_the_list_names_sixteen_lessons_in_four_chapters(client: TestClient) -> None:
    listed = client.get("/api/v1/lessons").json()
    assert [each["id"] for each in listed["lessons"]] == [each.id for each in LESSONS]
    assert len({each["chapter"] for each in listed["lessons"]}) == 4
    assert set(listed["lessons"][0]) == {"id", "chapter", "title", "minutes"}
    assert listed["levels"] == 3
    # The first question is that of seed and level 1.
    assert client.get("/api/v1/lessons/flip").json() == lesson(client, "flip", 1, 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [each.id for each in LESSONS[::3]])
def test_a_question_is_given_up_and_then_answered(
    client: TestClient, name: str, level: int
) -> None:
    asked = lesson(client, name, 11, level)
    assert lesson(client, name, 11, level) == asked
    told = answer(client, asked, None)
    for tensor, hidden in zip(told["tensors"], asked["tensors"], strict=True):
        described = client.post("/api/v1/describe", json=tensor)
        assert described.status_code == 200, described.text
        assert hidden["layout"] in (tensor["layout"], None)
    assert (told["right"], told["misconception"], told["marks"]["given"]) == (False, None, [])
    said = answer(client, asked, told["expected"])
    assert said["right"]
    assert said["explanation"]
    assert said["marks"]["given"] in ([], said["marks"]["right"])
    for choice in asked["question"]["choices"] if asked["question"]["kind"] == "choice" else []:
        found = answer(client, asked, choice)
        assert found["right"] == (choice == told["expected"])
        assert found["right"] or found["misconception"] or name == "channels-last"


@pytest.mark.parametrize(("name", "level"), [("nhwc", 3), ("chwn4", 1)])
def test_a_picture_s_question_does_not_contain_its_answer(
    client: TestClient, name: str, level: int
) -> None:
    for seed in range(6):
        asked = lesson(client, name, seed, level)
        told = answer(client, asked, None)
        (tensor,), (secret,) = told["tensors"], asked["tensors"]
        assert (tensor["layout"], secret["layout"]) == (told["expected"], None)
        question = asked["question"]
        assert told["expected"] not in question["prompt"] + "".join(asked["hints"])
        memory = memory_of(told["expected"], tensor["shape"]).tolist()
        assert question == {**question, "memory": memory, "at": None, "dims": ""}
        assert asked == {**asked, "tensors": [{**tensor, "layout": None}]}
        for choice in {*question["choices"]} - {told["expected"]}:
            believed = answer(client, asked, choice)["misconception"]["believed"]
            assert believed == {**tensor, "layout": choice}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("seed=-1", "seed"),
        ("seed=9007199254740992", "seed"),
        ("level=4", "level"),
        ("seed=1&seed=2", "seed"),
        ("speed=1", "query"),
    ],
)
def test_a_wrong_query_is_refused(client: TestClient, query: str, field: str) -> None:
    assert_problem(client.get(f"/api/v1/lessons/flip?{query}"), 422, field)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"seed": 7, "level": 2, "answer": "36"}, ["answer"]),
        ({"seed": 7, "level": 2}, ["answer"]),
        ({"seed": True, "level": 4, "answer": 1}, ["seed", "level"]),
        ({"seed": 7, "answer": 1, "mark": 1}, ["?"]),
        ([], ["body"]),
    ],
)
def test_a_wrong_answer_s_form_is_refused(client: TestClient, body: Any, fields: list[str]) -> None:
    response = client.post("/api/v1/lessons/nchw4/answer", json=body)
    assert_problem(response, 422, *fields)


def test_an_unknown_lesson_is_not_found(client: TestClient) -> None:
    got = assert_problem(client.get("/api/v1/lessons/nchw5"), 404, "id")
    assert "did you mean nchw4?" in got["detail"]
    assert_problem(client.post("/api/v1/lessons/nchw5/answer", json={}), 404, "id")


def test_many_objects_are_refused_by_a_worker(client: TestClient) -> None:
    body: list[dict[str, int]] = [{}] * 3000  # more than a small call may hold
    assert_problem(client.post("/api/v1/lessons/windows/answer", json=body), 422, "body")


def test_a_long_answer_is_refused_before_it_is_read(client: TestClient) -> None:
    body = {"seed": 1, "answer": [1] * 40_000}
    assert_problem(client.post("/api/v1/lessons/windows/answer", json=body), 413, "body")
