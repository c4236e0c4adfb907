"""The page of networks as a test touches it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.pages import settle

# Two convolutions that want channels last, and a softmax between them that PyTorch writes plainly.
SMALL: dict[str, Any] = {
    "inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NHWC"}},
    "constants": {"w": {"shape": [16, 8, 3, 3]}, "v": {"shape": [8, 16, 1, 1]}},
    "nodes": [
        {"op": "conv2d", "inputs": ["x", "w"], "outputs": ["a"], "attributes": {"padding": 1}},
        {"op": "softmax", "inputs": ["a"], "outputs": ["b"], "attributes": {"dim": 1}},
        {"op": "conv2d", "inputs": ["b", "v"], "outputs": ["c"]},
    ],
}


@dataclass(frozen=True, slots=True)
class Networks:
    """One page with a network on it."""

    page: Page

    def open(self, query: str = "") -> Networks:
        """Load the page and wait until the network is drawn."""
        self.page.goto(f"/network{query}")
        return self.rest()

    def rest(self) -> Networks:
        """Wait until the last answer is shown."""
        expect(self.window).to_have_attribute("aria-busy", "false")
        expect(self.window).to_have_attribute("data-scale", re.compile(r"\d"))
        expect(self.boxes().first).to_be_attached()
        return self

    def paste(self, graph: dict[str, Any] = SMALL) -> Networks:
        """Paste a graph as JSON, and wait until the page has changed to it."""
        self.page.get_by_role("button", name="Paste JSON").click()
        self.page.locator("#pasted").fill(json.dumps(graph))
        self.page.locator("#paste-json button").click()
        expect(self.page.locator("#preset")).to_have_value("")
        count = f"{len(graph.get('graph', graph)['nodes']):_}".replace("_", "\u202f")
        expect(self.page.locator("network-graph .about")).to_have_text(f"{count} operators")
        return self.rest()

    @property
    def window(self) -> Locator:
        return self.page.locator("network-graph .window")

    def boxes(self, kind: str = "") -> Locator:
        return self.page.locator(f".scene .box{f'.{kind}' if kind else ''}")

    def lines(self, kind: str = "") -> Locator:
        return self.page.locator(f".scene a.line{f'.{kind}' if kind else ''}")

    @property
    def said(self) -> Locator:
        return self.page.locator("#network-now")

    @property
    def result(self) -> Locator:
        return self.page.locator(".result")

    @property
    def facts(self) -> Locator:
        return self.page.locator("network-node")

    def rows(self) -> Locator:
        """The rows of the table, which is opened: the drawing moves, in the frame after."""
        table = self.page.locator("details.table")
        if table.get_attribute("open") is None:
            table.locator("summary").click()
            settle(self.page)
        return table.locator("tbody tr")

    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.page.url).query)

    def expect_query(self, name: str, *values: str) -> None:
        """The address comes to have these values of a parameter."""
        self.page.wait_for_function(
            """([name, values]) =>
                `${new URLSearchParams(location.search).getAll(name)}` === `${values}`""",
            arg=[name, values],
        )

    def choose(self, name: str) -> None:
        """Choose a node by its row in the table."""
        self.rows().locator(f'button[data-node="{name}"]').click()
