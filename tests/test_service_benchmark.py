"""The benchmark of the service asks every call, in a form that is answered."""

import pytest
from starlette.testclient import TestClient

from app.contract.operations import OPERATIONS
from benchmarks.service.questions import NEVER_SEEN, POSTS, Row, describe_question, rows


def answer(client: TestClient, asked: bytes) -> tuple[int, str]:
    """The status of the answer to a request in bytes, and its ETag."""
    head, _, body = asked.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    headers = dict(line.split(": ", 1) for line in lines)
    found = client.request(method, target, headers=headers, content=body)
    return found.status_code, found.headers.get("etag", "")


@pytest.fixture
def found(client: TestClient) -> dict[str, Row]:
    _, etag = answer(client, describe_question())
    return {row.name: row for row in rows(etag)}


def test_every_call_is_measured(client: TestClient, found: dict[str, Row]) -> None:
    assert set(POSTS) == {each.name for each in OPERATIONS}
    paths = client.get("/openapi.json").json()["paths"]
    calls = {(method.upper(), path) for path, item in paths.items() for method in item}
    assert calls <= {(row.method, row.path) for row in found.values()}


def test_every_question_is_small_and_answered(client: TestClient, found: dict[str, Row]) -> None:
    for row in found.values():
        asked = next(row.asked)
        assert len(asked) < 2048, row.name
        assert answer(client, asked)[0] == int(row.status), row.name


def test_what_is_never_seen_is_never_the_same(found: dict[str, Row]) -> None:
    cold = [row for row in found.values() if NEVER_SEEN in row.name]
    assert {row.method for row in cold} == {"GET", "POST"}
    for row in cold:
        assert len({next(row.asked) for _ in range(600)}) == 600
