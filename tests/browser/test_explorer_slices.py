"""The result of a slice as a grid of its own, numbered by the order in memory."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import PHONE, Explorer, Grid, no_message, one_page
from tests.browser.pages import NewPage, Pages, box_of

SLICED = "?shape=2,3,4&layout=CHW&slice=0,%20::-1,%201:3"
# c=0, rows backwards, columns 1 and 2: address of each element of the result.
TAKEN = [9, 10, 5, 6, 1, 2]
TEXT = (21, 23, 26)  # --text of the light scheme, which the tile of a number has
LEAST_NUMBERED_CSS = 35


console = pytest.fixture(autouse=True)(no_message)


@pytest.fixture(scope="module")
def page(pages: Pages) -> Iterator[Page]:
    """One page: each test begins with a link of its own."""
    with one_page(pages) as explorer:
        yield explorer.page


def shown(page: Page, query: str) -> Explorer:
    """The link with the result of its slice drawn."""
    explorer = Explorer(page).show(query)
    explorer.expect_drawn("slice")
    explorer.settle()
    return explorer


def fill_of(explorer: Explorer, grid: Grid, at: tuple[float, float]) -> tuple[int, int, int]:
    cell_css = explorer.number(grid, "cell_css")
    return explorer.pixel(grid, (at[0] + cell_css * 0.3, at[1] + cell_css * 0.3))


def numbered(explorer: Explorer, grid: Grid, cells: list[tuple[float, float]]) -> list[bool]:
    """Whether each cell has a number: its upper left is of the text's colour."""
    sides_css = (explorer.canvas(grid).get_attribute("data-side_css") or "").split(",")
    wide_css, high_css = map(float, sides_css)
    # Between the edge, whose pixels may be mixed, and the digits.
    inside = [(x - wide_css / 2, y - high_css / 2) for x in (2, 3, 4) for y in (1, 2, 3)]
    found = explorer.pixels(grid, [(x + dx, y + dy) for x, y in cells for dx, dy in inside])
    side = len(inside)
    return [TEXT in found[k * side : (k + 1) * side] for k in range(len(cells))]


def test_the_result_has_its_values_and_its_numbers(page: Page) -> None:
    explorer = shown(page, f"{SLICED}&row=12")
    expect(explorer.about("slice")).to_have_text("3 × 2")
    expect(page.locator("slice-grid .order")).to_contain_text("the order in memory")
    for place, address in enumerate(TAKEN):
        cell = explorer.middle("slice", place % 2, place // 2)
        there = explorer.memory_cell("a", address)
        assert fill_of(explorer, "slice", cell) == fill_of(explorer, "a", there)
        assert numbered(explorer, "slice", [cell]) == [True]
    taken = [address in TAKEN for address in range(24)]
    assert numbered(explorer, "a", explorer.memory_cells("a", range(24))) == taken
    logical = [explorer.middle("logical", k // 12 * 5 + k % 4, k % 12 // 4) for k in range(24)]
    assert numbered(explorer, "logical", logical) == taken


def test_the_numbers_are_the_orders(page: Page) -> None:
    """What is drawn, read as texts: the numbers of each grid from its upper left on."""
    explorer = shown(page, f"{SLICED}&row=12")
    page.evaluate(
        """() => {
        const {fillText} = CanvasRenderingContext2D.prototype;
        window.texts = {};
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const grid = this.canvas.parentElement?.localName;
            // White as the ground, and never larger: coordinates have the text's colour.
            const small = parseFloat(this.font) <= 12 && this.fillStyle === '#ffffff';
            if (small) (window.texts[grid] ??= []).push(text);
            return fillText.call(this, text, x, y);
        }; }"""
    )
    explorer.hover("slice", explorer.middle("slice", 0, 0))
    texts = page.evaluate("window.texts")
    assert texts["slice-grid"] == ["5", "6", "3", "4", "1", "2"]
    assert texts["logical-view"] == ["5", "6", "3", "4", "1", "2"]
    assert texts["memory-view"] == ["5", "6", "3", "4", "1", "2"]


def test_a_cell_of_the_result_is_lit_in_all_grids(page: Page) -> None:
    explorer = shown(page, f"{SLICED}&row=12")
    for grid in ("logical", "a", "slice"):
        explorer.keep(grid)
    explorer.hover("slice", explorer.middle("slice", 1, 0))
    explorer.expect_lit("0,2,2", 10)
    explorer.expect_only_changed_at("a", explorer.memory_cell("a", 10))
    explorer.expect_only_changed_at("logical", explorer.middle("logical", 2, 2))
    explorer.hover("a", explorer.memory_cell("a", 1))
    explorer.expect_only_changed_at("slice", explorer.middle("slice", 0, 2))
    explorer.hover("a", explorer.memory_cell("a", 0))
    assert explorer.changed("slice") is None, "an element outside the slice lights nothing in it"
    explorer.click("slice", explorer.middle("slice", 1, 2))
    explorer.expect_lit("0,0,2", 2)


def test_a_cell_of_the_result_has_a_sum_by_the_slices_offset_and_strides(page: Page) -> None:
    explorer = shown(page, f"{SLICED}&row=12")
    explorer.click("slice", explorer.middle("slice", 1, 2))
    explorer.expect_lit("0,0,2", 2)
    expect(explorer.sum).to_contain_text("2 = 9 − 2·4 + 1·1")
    expect(explorer.sum).to_contain_text("in the slice, h 2, w 1")
    height = box_of(page.locator("address-sum"))["height"]
    explorer.hover("a", explorer.memory_cell("a", 0))
    explorer.expect_lit("0,0,0", 0)
    expect(explorer.sum).not_to_contain_text("in the slice")
    assert box_of(page.locator("address-sum"))["height"] == height
    explorer.show(f"{SLICED}&b-layout=HWC&at=0,0,2")
    expect(explorer.sum).to_contain_text("B")
    expect(explorer.sum).not_to_contain_text("in the slice")


def test_arrows_move_in_the_result(page: Page) -> None:
    explorer = shown(page, SLICED)
    explorer.canvas("slice").focus()
    for key, coords, address in [
        ("ArrowRight", "0,2,1", 9),
        ("ArrowRight", "0,2,2", 10),
        ("ArrowDown", "0,1,2", 6),
        ("ArrowRight", "0,1,2", 6),
        ("Control+End", "0,0,2", 2),
        ("Home", "0,0,1", 1),
    ]:
        page.keyboard.press(key)
        explorer.expect_lit(coords, address)
    expect(page.locator("#cell-now")).to_contain_text("address 1")


def test_every_kind_of_slice_has_a_grid(page: Page) -> None:
    for query, sizes in (
        ("shape=2,3,4&layout=CHW&slice=1,2,-1", "one element"),
        ("shape=1,1,4,4&layout=NCHW&slice=0,0,0,1;1,1,4,3;1,1,-2,2", "1 × 1 × 2 × 2"),
        ("shape=1,6,4,5&layout=NCHW4&slice=0,1:6:2", "3 × 4 × 5"),
        ("shape=2,3,4&layout=CHW&steps=permute(2,0,1)&slice=::2,1", "2 × 3"),
        ("shape=2,3&layout=0,1&slice=1:,::-1", "1 × 3"),
    ):
        explorer = shown(page, f"?{query}")
        expect(explorer.about("slice")).to_have_text(sizes)
        explorer.settle()
        cell = explorer.middle("slice", 0, 0)
        explorer.hover("slice", cell)
        address = int(explorer.sum.get_attribute("data-address") or -1)
        first = page.locator("slice-result .mono").nth(2).inner_text().split(",")[0]
        assert address == int(first)
        if explorer.number("slice", "cell_css") < LEAST_NUMBERED_CSS:
            # In a third of the stage many columns or rows open whole: their numbers are a turn
            # away. The pointed cell stays where it was, so its corner leaves the window.
            page.mouse.wheel(0, -300)
            explorer.settle()
            cell = explorer.middle("slice", 2, 1)
        assert numbered(explorer, "slice", [cell]) == [True]
        page.mouse.move(1, 1)


def test_an_empty_result_says_so_and_a_large_one_is_drawn_without_its_offsets(page: Page) -> None:
    Explorer(page).show("?shape=2,3,4&layout=CHW&slice=0,2:2")
    expect(page.locator("slice-grid .notice")).to_have_text(
        "The slice takes no element: a size of the result is 0."
    )
    expect(page.locator("#a-slice-error")).to_be_empty()
    explorer = shown(page, "?shape=1000,1000,1000,1000&layout=NHWC&slice=...,::2")
    expect(page.locator("slice-grid .order")).to_contain_text("their order in memory is not")
    explorer.hover("slice", explorer.middle("slice", 3, 0))
    explorer.expect_lit("0,0,0,6", 6000)


def test_the_result_has_a_name_and_goes_with_the_slice(page: Page) -> None:
    explorer = shown(page, f"{SLICED}&at=0,1,1")
    heads = page.locator(".uppers > .grid > .bar")
    assert [box_of(head)["height"] for head in heads.all()] == [44, 44], (
        "one line, beside each other"
    )
    expect(explorer.canvas("slice")).to_have_accessible_name("Result of the slice, 3 × 2")
    explorer.field("slice").fill("1")
    expect(explorer.about("slice")).to_have_text("3 × 4")
    explorer.field("slice").fill("")
    expect(page.locator("slice-grid")).to_be_hidden()


def test_on_a_phone_the_result_of_a_slice_is_one_line_that_scrolls(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Explorer(page).open("?shape=1,6,4,5&layout=NCHW4&slice=0,:,::2,1:3").expect_drawn("slice")
    result = page.locator("slice-result")
    expect(result).to_contain_text("96 used of 504 spanned")
    assert box_of(page.locator(".strip"))["height"] <= 100
    last = result.locator("p").last
    expect(last).not_to_be_in_viewport()
    last.evaluate("one => one.scrollIntoView()")
    expect(last).to_be_in_viewport(ratio=0.9)
