"""Two memories in step: one zoom and origin, until taken apart; each has rows of its own."""

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import Explorer, Grid, is_in_view
from tests.browser.pages import box_of

PAIR = "?shape=2,64,3,3&layout=NCHW&b-layout=NHWC"
ROWS = "&row=72"
PARTS = ("cell_css", "left_cells", "top_cells", "columns", "rows", "inset_css")
MEMORIES: tuple[Grid, Grid] = ("a", "b")


def views(explorer: Explorer) -> list[list[str | None]]:
    explorer.settle()
    return [
        [explorer.canvas(grid).get_attribute(f"data-{part}") for part in PARTS] for grid in MEMORIES
    ]


def expect_in_step(explorer: Explorer) -> list[str | None]:
    a, b = views(explorer)
    assert a == b
    return a


def drag(explorer: Explorer, grid: Grid, dx_css: float, dy_css: float) -> None:
    box, mouse = box_of(explorer.canvas(grid)), explorer.page.mouse
    mouse.move(box["x"] + 300, box["y"] + 100)
    mouse.down()
    mouse.move(box["x"] + 300 + dx_css, box["y"] + 100 + dy_css, steps=3)
    mouse.up()


def in_step(page: Page) -> Any:
    return page.get_by_label("Move A and B together")


def test_with_a_chosen_row_both_memories_have_one_zoom_and_origin(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    explorer = Explorer(page).open(PAIR + ROWS)
    seen = [expect_in_step(explorer)]
    explorer.canvas("b").hover(position={"x": 300, "y": 100})
    page.mouse.wheel(0, -300)
    seen.append(expect_in_step(explorer))
    drag(explorer, "b", -180, -40)
    seen.append(expect_in_step(explorer))
    explorer.canvas("a").focus()
    page.keyboard.press("-")
    seen.append(expect_in_step(explorer))
    page.locator("memory-view[side=b]").get_by_role("button", name="Fit").click()
    seen.append(expect_in_step(explorer))
    page.locator("row-length select").select_option("line")
    seen.append(expect_in_step(explorer))
    assert all(one != other for one, other in pairwise(seen)), seen
    page.set_viewport_size({"width": 1200, "height": 760})
    expect_in_step(explorer)
    # Where A does not show the chosen cell, B does not leave it to show its own.
    explorer.open(f"{PAIR}{ROWS}&at=0,0,0,1&mv=36,30,9")
    expect_in_step(explorer)
    explorer.canvas("a").focus()
    page.keyboard.press("-")
    assert float(expect_in_step(explorer)[2] or 0) > 0


def test_each_memory_has_rows_that_suit_its_layout(shared: Explorer) -> None:
    explorer, page = shared, shared.page

    def shown() -> list[tuple[float, float, float]]:
        """Columns, the size of a cell and the first address of each."""
        found = []
        for parts in views(explorer):
            cell_css, left, top, columns = (float(part or 0) for part in parts[:4])
            found.append((columns, cell_css, top * columns + left))
        return found

    alone = []
    for layout in ("NCHW", "NHWC"):
        explorer.show(f"?shape=2,64,3,3&layout={layout}")
        alone.append(explorer.number("a", "columns"))
    explorer.show(PAIR)
    assert [columns for columns, *_ in shown()] == alone == [72, 64]
    explorer.canvas("a").focus()
    for _ in range(4):
        page.keyboard.press("+")
    (_, cell_css, _), (_, other_css, _) = shown()
    assert cell_css == other_css > 20, "one zoom"
    page.keyboard.press("PageDown")
    for grid in MEMORIES:
        drag(explorer, grid, 0, -40)
    a, b = views(explorer)
    assert float(a[2] or 0) > 0
    assert a[0] == b[0]
    explorer.fit("b")
    expect(page).to_have_url(re.compile("mv=fit"))
    assert [first for *_, first in shown()] == [0, 0]
    for grid in MEMORIES:
        expect(explorer.canvas(grid)).not_to_have_class(re.compile("taller"))
    page.locator("row-length select").select_option("line")
    assert [columns for columns, *_ in shown()] == [16, 16]


def test_taken_apart_each_has_its_own_and_the_link_says_so(shared: Explorer) -> None:
    explorer, page = shared.show(PAIR + ROWS), shared.page
    expect(in_step(page)).to_be_checked()
    in_step(page).focus()
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("apart=1"))
    a, _ = views(explorer)
    explorer.canvas("b").focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("bv="))
    before = views(explorer)
    assert before[0] == a
    page.reload()
    explorer.expect_drawn("b")
    expect(in_step(page)).not_to_be_checked()
    for was, now in zip(before[1][:3], views(explorer)[1][:3], strict=True):
        assert float(now or 0) == pytest.approx(float(was or 0), rel=1e-3, abs=0.05)
    in_step(page).check()
    expect(page).not_to_have_url(re.compile("apart=|bv="))
    expect_in_step(explorer)


def test_keys_in_b_keep_its_own_cell_in_view_and_go_to_takes_its_address(page: Page) -> None:
    images = "?shape=4,64,28,28&layout=NCHW&b-layout=NHWC"
    explorer = Explorer(page).open(f"{images}&mv=30,0,0&row=784")
    explorer.canvas("b").focus()
    for key in ("Home", "ArrowRight", "PageDown", "PageDown", "End", "PageDown"):
        page.keyboard.press(key)
        a, b = views(explorer)
        assert a[0] == b[0], "one zoom"
        n, c, h, w = (
            int(part) for part in (explorer.sum.get_attribute("data-coords") or "").split(",")
        )
        assert is_in_view(explorer, "b", ((n * 28 + h) * 28 + w) * 64 + c)
        # Where one window cannot show both cells, each shows its own.
        assert is_in_view(explorer, "a", ((n * 64 + c) * 28 + h) * 28 + w)
    apart = views(explorer)
    assert apart[0][1:3] != apart[1][1:3]
    explorer.canvas("a").hover(position={"x": 300, "y": 60})
    page.keyboard.down("Shift")
    page.mouse.wheel(0, 60)  # both move together
    page.keyboard.up("Shift")
    panned = views(explorer)
    moves = [
        float(now[2] or 0) - float(was[2] or 0) for now, was in zip(panned, apart, strict=True)
    ]
    assert moves[0] == pytest.approx(moves[1])
    assert moves[0] > 0
    explorer.fit("a")
    expect_in_step(explorer)
    explorer.show(images)
    page.get_by_label("Go to").fill("B: 100001")
    page.keyboard.press("Enter")
    # 100001 = ((1 * 28 + 27) * 28 + 22) * 64 + 33
    explorer.expect_lit("1,33,27,22", ((64 + 33) * 28 + 27) * 28 + 22)
    explorer.settle()
    assert is_in_view(explorer, "b", 100_001)
    assert is_in_view(explorer, "a", ((64 + 33) * 28 + 27) * 28 + 22)


def test_elements_that_keep_their_address_are_counted_and_marked(shared: Explorer) -> None:
    page = shared.page
    explorer = shared.show("?shape=1,6,4,5&layout=NCHW4&b-layout=NCHW8&row=20")
    line = page.locator("compare-bar .kept")
    expect(line).to_have_text("6 of 120 elements keep their address.")
    explorer.settle()
    kept = [0, 1, 2, 3, 156, 157]  # the first pixel of the first block, the last of the second
    sides_css = (explorer.canvas("b").get_attribute("data-side_css") or "").split(",")
    wide_css, high_css = map(float, sides_css)
    # In the lower left corner, right of a gap, lies the tile of the mark: background.
    corners = [
        (x_css - wide_css / 2 + 4, y_css + high_css / 2 - 4.5)
        for x_css, y_css in explorer.memory_cells("b", range(160))
    ]
    drawn = explorer.pixels("b", corners)
    assert [address for address, at in enumerate(drawn) if at == (255, 255, 255)] == kept
    explorer.field("layout", "b").fill("NCHW4")
    expect(line).to_have_text("All 120 elements keep their address.")
    explorer.field("layout", "b").fill("160,80,20,4,1")
    expect(explorer.error("layout", "b")).not_to_be_empty()
    explorer.field("layout", "b").fill("")
    expect(line).to_be_hidden()
