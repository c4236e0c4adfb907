"""Pages draw from the bundles of a release, and from the single modules of a checkout."""

import pytest
from playwright.sync_api import Page

from tests.browser.explorer import listen
from tests.browser.pages import hear

pytestmark = pytest.mark.browser

DRAWN = {
    "/": "memory-view .about:not(:empty)",
    "/reorder": "reorder-memory .about:not(:empty)",
    "/network": "network-graph svg > *",
    "/learn": ".all lesson-list a",
}


def test_pages_draw_from_few_files_and_from_many(
    page: Page, live_server: str, plain_server: str
) -> None:
    said = listen(page)
    asked: list[str] = []
    hear(page, "request", lambda request: asked.append(request.url))
    for path, drawn in DRAWN.items():
        counts = []
        for server in (live_server, plain_server):
            asked.clear()
            page.goto(f"{server}{path}")
            page.wait_for_selector(drawn)
            page.wait_for_load_state("networkidle")
            counts.append(sum("/static/" in url and url.endswith(".js") for url in asked))
            assert len(asked) <= 20 or server == plain_server, asked
        assert counts[0] < counts[1], path
    assert said == []
