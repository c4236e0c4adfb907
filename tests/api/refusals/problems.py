"""What every refusal must look like: RFC 9457, the fields at fault, no echo, little time."""

import re
from functools import partial
from typing import Any

import httpx2

from tests.api.twin import API, Json
from tests.cost import assert_costs_like

MARKER = "zqxMARKERxqz"
DIGITS = "918273645"
HW: Json = {"shape": [2, 3], "layout": "HW"}


def assert_problem(response: httpx2.Response, status: int, *fields: str) -> Json:
    """The problem document of a refused call, checked member by member.

    ``fields`` are the fields that its errors name, all of them and in their order.
    """
    assert response.status_code == status, response.text[:500]
    media_type = response.headers["content-type"].partition(";")[0].strip()
    assert media_type == "application/problem+json"
    assert "etag" not in response.headers
    assert "max-age" not in response.headers.get("cache-control", "").replace("max-age=0", "")
    problem: Json = response.json()
    assert problem["status"] == status
    for member in ("type", "title", "detail"):
        assert isinstance(problem[member], str), member
        assert problem[member], member
    assert [error["field"] for error in problem["errors"]] == list(fields)
    for error in (problem, *problem["errors"]):
        assert re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", error["code"])
        assert isinstance(error["params"], dict)
    for error in problem["errors"]:
        assert {"field", "message", "code", "params"} <= set(error)
        assert set(error) <= {"field", "message", "code", "params", "position"}
        assert isinstance(error["message"], str)
        assert error["message"]
    assert MARKER not in response.text
    assert DIGITS not in response.text
    assert "Traceback" not in response.text
    assert len(response.text) < max(4000, 300 * len(fields)), (
        "a refusal describes the value, it does not repeat it"
    )
    return problem


def refused(
    client: httpx2.Client, path: str, body: bytes | Json, *fields: str, status: int = 422
) -> Json:
    """The problem document of a POST that must be refused and name these fields.

    It costs what the refusal of a plain text of that length does, which names no type.
    """
    headers = {"content-type": "application/json"}
    sent: dict[str, Any] = {"json": body}
    if isinstance(body, bytes):
        sent = {"content": body, "headers": headers}
    found: list[Json] = []

    def ask() -> None:
        found.append(assert_problem(client.post(f"{API}{path}", **sent), status, *fields))

    plain = {**HW, "dtype": "x" * len(body if isinstance(body, bytes) else str(body))}
    assert_costs_like(partial(client.post, f"{API}/describe", json=plain), ask)
    return found[-1]
