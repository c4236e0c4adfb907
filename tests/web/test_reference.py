"""The pages of the API: each operation is there, with an example that runs, without a script."""

import html
import json
import re
import shlex
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.engine.notation.paste.reading import MAX_TENSORS, MAX_TEXT
from app.main import app
from app.web.reference import DocumentedCall, calls_of, pretty
from tests.places import ROOT

CALLS = calls_of(app.openapi())


def answered(page: str) -> tuple[str, str]:
    """The status of the answer on a page, and its text."""
    status = re.search(r'id="answer">Answer: (\d+)', page)
    text = re.search(r'aria-labelledby="answer">(.*?)</pre>', page, re.DOTALL)
    assert status is not None
    return status[1], html.unescape(text[1]) if text else ""


def test_every_operation_has_a_page_and_is_listed(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "<code>pip install .</code>" in page, "how the Python package comes"
    listed = set(re.findall(r'href="/docs/([^"]+)"', page))
    assert listed == {call.id for call in CALLS}
    assert len(listed) == len(CALLS)
    heads = re.findall(r"<h2>(\w+)</h2>", page.split("</nav>", 2)[1])
    assert (heads[0], heads[-1]) == ("Layouts", "Health")


def test_the_first_screen_has_a_command_that_runs(client: TestClient) -> None:
    answer = client.get("/api")
    assert answer.url.path == "/docs"
    page = html.unescape(answer.text)
    base = str(client.base_url).rstrip("/")
    assert f"<code>{base}/api/v1</code>" in page
    command = re.search(r'aria-label="A first call">(.*?)</pre>', page)
    assert command is not None
    program, link = shlex.split(command[1])
    assert program == "curl"
    assert link.startswith(f"{base}/api/v1/describe?")
    assert client.get(link).json()["padded_shape"] == [1, 8, 4, 5]


@pytest.mark.parametrize("call", CALLS, ids=[call.id for call in CALLS])
def test_the_example_of_each_operation_runs_and_shows_its_answer(
    client: TestClient, call: DocumentedCall
) -> None:
    page = client.get(f"/docs/{call.id}").text
    status, text = answered(page)
    assert status == "200", text
    if call.id == "view":  # a tensor in an answer leads to the explorer
        assert 'href="/?shape=2%2C3%2C3%2C6&amp;layout=' in page
    assert call.operation["summary"] in html.unescape(page)
    for field in call.request + call.answer:
        assert f"<code>{field.name}</code>" in page
    said = page.partition("<h2>Status</h2>")[2].count("<code>Prefer: refusal=answer</code>")
    assert said == ("422" in call.operation["responses"])
    if call.method == "GET" and text.startswith("{") and not call.parameters:
        assert json.loads(text) == client.get(call.path).json()


@pytest.mark.parametrize("call", CALLS, ids=[call.id for call in CALLS])
def test_each_field_of_an_example_is_listed_and_every_field_has_a_meaning(
    call: DocumentedCall,
) -> None:
    json_body = call.bodies.get("application/json", {})
    fields = {field.name: field for field in call.request if field.depth == 0}
    assert set(json_body.get("example", {})) <= set(fields)
    listed = [*call.request, *call.answer, *(field for field, _, _ in call.parameters)]
    for field in listed:
        assert field.type != "null", field
        assert field.text.strip(), field
        # A reader of the API knows no name of the program.
        assert not re.search(r"[A-Z]+_[A-Z]+\b|parse_", field.text.replace("DML_SLICE", "")), field
    if call.id == "cost":
        assert list(fields) == ["tensor", "walk", "warp"]
        assert fields["warp"].type == "object or null"


def test_meanings_are_used_and_say_the_limits() -> None:
    said = json.dumps(app.openapi(), ensure_ascii=False)
    meanings = json.loads((ROOT / "app" / "api" / "meanings.json").read_bytes())
    for name, text in meanings.items():
        assert json.dumps(text, ensure_ascii=False) in said, name
    assert f"at most the first {MAX_TENSORS};" in said
    assert f"of up to {MAX_TEXT} characters" in said


def test_what_is_typed_is_sent_and_an_error_is_shown(client: TestClient) -> None:
    body = '{"shape": [2, 3], "layout": "</textarea><b>"}'
    page = client.get("/docs/describe", params={"body": body}).text
    status, text = answered(page)
    assert status == "422"
    headers = {"Content-Type": "application/json"}
    sent = client.post("/api/v1/describe", content=body, headers=headers)
    assert json.loads(text) == sent.json()
    assert "<b>" not in page
    found = client.get("/docs/get-networks-name", params={"name": "../x y?"}).text
    assert answered(found)[0] == "404"
    unreadable = client.get("/docs/get-describe", params={"shape": "2,x", "layout": "HW"}).text
    assert answered(unreadable)[0] == "422"
    assert client.get("/docs/nothing").status_code == 404


@pytest.mark.parametrize(
    "value", [[], {}, 1, "é", [[1] * 60, {"a": [None] * 40, "b": {}}], {"long": "x" * 200}]
)
def test_an_answer_in_lines_is_the_same_answer(value: Any) -> None:
    assert json.loads(pretty(value)) == value
    assert all(len(line) <= 84 or '"x' in line for line in pretty(value).split("\n"))
