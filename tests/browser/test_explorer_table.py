"""The grids as tables: for screen readers always, for everybody at the press of a button."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import COLOURED, DESK, Explorer, listen
from tests.browser.pages import Axe, NewPage, lasting

PADDED = "?shape=1,6,2,3&layout=NCHW4&at=0,1,0,0"


def read_tree(page: Page, name: str) -> dict[str, Any]:
    """What the browser tells screen readers of a grid: its cells and the active one.

    Playwright's snapshots leave out what lies inside a canvas; the browser's own tree has it.
    """
    client = lasting(page).context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    client.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    (grid,) = (
        node
        for node in nodes
        if node["role"]["value"] == "grid" and node["name"]["value"].startswith(name)
    )

    def below(node: dict[str, Any]) -> list[dict[str, Any]]:
        children = [by_id[child] for child in node["childIds"]]
        return [*children, *(one for child in children for one in below(child))]

    inside = [node for node in below(grid) if not node["ignored"]]
    active = [
        related["idref"]
        for entry in grid["properties"]
        if entry["name"] == "activedescendant"
        for related in entry["value"]["relatedNodes"]
    ]
    return {
        "rows": sum(node["role"]["value"] == "row" for node in inside),
        "cells": [node["name"]["value"] for node in inside if node["role"]["value"] == "gridcell"],
        "active": active,
    }


def test_a_screen_reader_finds_rows_cells_and_the_active_one(page: Page) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open(PADDED)
    memory = explorer.canvas("a")
    expect(memory).to_have_attribute("aria-activedescendant", "memory-a-0-1")
    expect(memory).to_have_attribute("aria-rowcount", "4")
    expect(memory).to_have_attribute("aria-colcount", "12")
    memory.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(memory).to_have_attribute("aria-activedescendant", "memory-a-2-1")
    expect(page.locator("#cell-now")).to_contain_text("address 25")
    tree = read_tree(page, "Memory")
    assert tree["rows"] == 4
    assert tree["cells"][25] == "address 25: n 0, c 5, h 0, w 0, element 30"
    assert tree["cells"][26] == "address 26: padding: it would be n 0, c 6, h 0, w 0"
    assert tree["active"] == ["memory-a-2-1"]
    page.keyboard.press("ArrowRight")
    expect(memory).to_have_attribute("aria-activedescendant", "memory-a-2-2")
    expect(explorer.canvas("logical")).to_have_attribute("aria-rowcount", re.compile(r"\d"))
    logical = read_tree(page, "Logical tensor")
    assert len(logical["cells"]) == 36
    assert logical["cells"][0] == "n 0, c 0, h 0, w 0: address 0, element 0"


def test_of_a_large_tensor_only_the_window_is_a_table(page: Page) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open("?shape=1,1000,1000,1000&layout=NCHW4&at=0,1,2,3")
    memory = explorer.canvas("a")
    memory.focus()
    page.keyboard.press("0")
    page.keyboard.press("Control+End")
    expect(explorer.sum).to_have_attribute("data-coords", "0,999,999,999")
    cell = memory.locator("[aria-selected=true]")
    expect(cell).to_have_text(re.compile(r"address 999\s999\s999:\s+n 0, c 999, h 999, w 999,"))
    assert memory.get_attribute("aria-activedescendant") == cell.get_attribute("id")
    assert 1 < memory.locator("td").count() <= 240
    rows = int(memory.get_attribute("aria-rowcount") or 0)
    assert memory.locator("tr").last.get_attribute("aria-rowindex") == str(rows)


@pytest.mark.parametrize(("viewport", "scheme"), COLOURED, ids=["desk", "phone"])
def test_everybody_can_read_the_table(
    new_page: NewPage, axe: Axe, viewport: Any, scheme: str
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    explorer = Explorer(page).open(PADDED)
    said = listen(page)
    view = page.locator("memory-view[side=a]")
    button = view.get_by_role("button", name="Show as table")
    button.focus()
    page.keyboard.press("Enter")
    grid = view.get_by_role("grid")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(grid).to_match_aria_snapshot("""
      - grid "Memory, NCHW4 48 addresses":
        - row:
          - 'gridcell "address 0: n 0, c 0, h 0, w 0, element 0"'
          - 'gridcell "address 1: n 0, c 1, h 0, w 0, element 6" [selected]'
    """)
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(grid).to_have_attribute("aria-activedescendant", "memory-a-0-2")
    explorer.expect_lit("0,2,0,0", 2)
    view.locator("#memory-a-2-2").click()
    expect(grid).to_be_focused()
    expect(page.locator("#cell-now")).to_contain_text("padding")
    page.keyboard.press("g")
    expect(page.locator("#go-to")).to_be_focused()
    page.keyboard.press("Escape")
    expect(grid).to_be_focused()
    assert axe(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    button.click()
    # The pointer has left the padding: the chosen element is the active one again.
    expect(view.locator("canvas")).to_have_attribute("aria-activedescendant", "memory-a-0-2")
    expect(view.locator(".as-table")).to_be_hidden()
    assert said == []
