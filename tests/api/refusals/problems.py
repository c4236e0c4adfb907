"""What every refusal must look like: RFC 9457, a field, no echo, no delay."""

from time import perf_counter

import httpx2

from tests.api.twin import Json

MARKER = "zqxMARKERxqz"
DIGITS = "918273645"


def assert_problem(response: httpx2.Response, status: int | tuple[int, ...]) -> Json:
    """The problem document of a refused call, checked member by member."""
    allowed = (status,) if isinstance(status, int) else status
    assert response.status_code in allowed, response.text[:500]
    media_type = response.headers["content-type"].partition(";")[0].strip()
    assert media_type == "application/problem+json"
    problem: Json = response.json()
    assert problem["status"] == response.status_code
    for member in ("type", "title", "detail"):
        assert isinstance(problem[member], str), member
        assert problem[member], member
    assert isinstance(problem["errors"], list)
    for error in problem["errors"]:
        assert set(error) <= {"field", "message", "position"}
        assert isinstance(error["field"], str)
        assert isinstance(error["message"], str)
        assert error["message"]
    assert MARKER not in response.text
    assert DIGITS not in response.text
    assert "Traceback" not in response.text
    assert len(response.text) < 4000, "a refusal describes the value, it does not repeat it"
    return problem


def refused(
    client: httpx2.Client,
    path: str,
    body: bytes | Json,
    status: int | tuple[int, ...] = 422,
    field: str = "",
) -> Json:
    """Problem of a POST that must be refused within a second and name the field."""
    started = perf_counter()
    if isinstance(body, bytes):
        headers = {"content-type": "application/json"}
        response = client.post(f"/api/v1{path}", content=body, headers=headers)
    else:
        response = client.post(f"/api/v1{path}", json=body)
    elapsed_s = perf_counter() - started
    problem = assert_problem(response, status)
    assert elapsed_s < 1.0
    if field:
        fields = [error["field"] for error in problem["errors"]]
        assert any(field in named for named in fields), f"{field} is not named in {fields}"
    return problem
