"""Every example of the explorer leads to a lesson that exists, on the first screen too."""

import re

from starlette.testclient import TestClient

from app.lessons import BY_ID
from tests.twins.node import ask_page

ASK = """async () => {
  const { PRESETS } = await import('/static/state/presets.js');
  return PRESETS.map(({ title, lesson }) => [title, lesson]);
}"""


def test_each_example_names_a_lesson(client: TestClient) -> None:
    named = ask_page(ASK, None)
    assert [title for title, lesson in named if lesson not in BY_ID] == []
    related = re.findall(r'class="[^"]*\brelated" href="/learn/([^"]+)"', client.get("/").text)
    assert related == [named[0][1]]
