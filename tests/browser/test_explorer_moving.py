"""Going to a cell, the steps of the zoom, and Fit: by pointer, keyboard and touch."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import DESK, PHONE, Explorer, Grid
from tests.browser.pages import Axe, NewPage, box_of

GRIDS: tuple[Grid, Grid] = ("logical", "a")
LARGE = "?shape=10,64,128,128&layout=NCHW4"
PADDED = "?shape=1,6,3,3&layout=NCHW4"


def is_in_the_middle(explorer: Explorer, grid: Grid, at: tuple[float, float]) -> bool:
    """Whether a point of a canvas is within one cell of the middle of its cells."""
    x_css, y_css = middle_of(explorer, grid)
    cell_css = explorer.number(grid, "cell_css")
    return abs(at[0] - x_css) <= cell_css and abs(at[1] - y_css) <= cell_css


def middle_of(explorer: Explorer, grid: Grid) -> tuple[float, float]:
    box = box_of(explorer.canvas(grid))
    inset = explorer.canvas(grid).get_attribute("data-inset_css") or ""
    left_css, top_css = (float(part) for part in inset.split(","))
    return (left_css + box["width"]) / 2, (top_css + box["height"]) / 2


def go_to(explorer: Explorer, typed: str) -> None:
    explorer.page.get_by_label("Go to").fill(typed)
    explorer.page.get_by_label("Go to").press("Enter")


def test_g_leads_to_the_field_that_goes_to_a_place_and_says_how_it_read(
    shared: Explorer,
) -> None:
    shared.show(PADDED)
    field, said = shared.page.get_by_label("Go to"), shared.page.locator("go-to .said")
    for typed, coords, address, words in (
        ("35", "0,3,2,2", 35, ""),
        ("0x2d", "0,5,0,2", 45, "0x2d is address 45, counted in elements"),
        ("[0][5][2][1]", "0,5,2,1", 65, ""),
        ("byte 182", "0,5,0,2", 45, "address 45, 2 bytes after its start"),
        ("c 4", "0,4,0,2", 44, ""),
    ):
        field.fill(typed)
        expect(said).to_be_hidden()
        field.press("Enter")
        shared.expect_lit(coords, address)
        expect(field).to_have_attribute("aria-invalid", "false")
        expect(shared.page.locator("#cell-now")).to_contain_text(f"address {address}")
        expect(said).to_contain_text(words)
        expect(said).not_to_have_class(re.compile("error"))
    field.press("Escape")  # who came by a click is led out, too
    expect(field).not_to_be_focused()
    shared.canvas("a").focus()
    shared.page.keyboard.press("g")
    expect(field).to_be_focused()
    shared.page.keyboard.press("Escape")
    expect(shared.canvas("a")).to_be_focused()
    go_to(shared, "38")
    shared.expect_lit("", 38)
    expect(shared.sum.locator(".line")).to_have_text(
        "Address 38 is padding: the layout keeps the place, but no element lies there "
        "(it would be n 0, c 6, h 0, w 0)."
    )
    expect(said).to_be_hidden()


def test_what_leads_nowhere_says_why_and_what_was_said_goes_with_its_layout(
    shared: Explorer, axe: Axe
) -> None:
    shared.show(PADDED)
    field, said = shared.page.get_by_label("Go to"), shared.page.locator("go-to .said")
    for typed, words in [
        ("72", "Address 72 is outside. This memory has 72 addresses, from 0 to 71."),
        ("over there", "not understood"),
        ("", "Type an address"),
    ]:
        go_to(shared, typed)
        expect(said).to_contain_text(words)
        expect(field).to_have_attribute("aria-invalid", "true")
    assert axe(shared.page, "main") == []
    field.fill("1")
    expect(said).to_be_hidden()
    expect(field).to_have_attribute("aria-invalid", "false")
    go_to(shared, "0x2d")
    expect(said).to_contain_text("0x2d is address 45")
    shared.page.evaluate(
        """() => {
            const layout = document.querySelector('#a-layout');
            layout.value = 'NHWC';
            layout.dispatchEvent(new Event('input', {bubbles: true}));
        }"""
    )
    expect(shared.about("a")).to_contain_text("NHWC")
    expect(said).to_be_hidden()


def test_going_to_a_cell_in_sight_moves_nothing_and_the_field_forgets_it_with_the_cell(
    shared: Explorer,
) -> None:
    shared.show("?shape=2,3,8,8&layout=NCHW")
    seen = {grid: shared.canvas(grid).evaluate("canvas => ({...canvas.dataset})") for grid in GRIDS}
    assert 12 < float(seen["a"]["cell_css"]) < 23, "without its text, which the next step shows"
    go_to(shared, "0,1,2,2")
    shared.expect_lit("0,1,2,2", 82)
    for grid, before in seen.items():
        assert shared.canvas(grid).evaluate("canvas => ({...canvas.dataset})") == before
    expect(shared.page.get_by_label("Go to")).to_have_value("0,1,2,2")
    shared.field("layout").fill("NHWC")
    shared.expect_lit("0,1,2,2", 55)
    expect(shared.page.get_by_label("Go to")).to_have_value("0,1,2,2")
    shared.field("shape").fill("2,3,8,9")
    expect(shared.page.get_by_label("Go to")).to_have_value("")
    shared.show("?shape=2,3,8,8&layout=NCHW")
    go_to(shared, "0,1,2,2")
    shared.expect_lit("0,1,2,2", 82)
    shared.click("a", shared.memory_cell("a", 3))
    shared.expect_lit("0,0,0,3", 3)
    expect(shared.page.get_by_label("Go to")).to_have_value("")
    shared.page.get_by_label("Go to").fill("0,2")
    shared.canvas("a").focus()
    shared.page.keyboard.press("ArrowRight")
    shared.expect_lit("0,0,0,4", 4)
    expect(shared.page.get_by_label("Go to")).to_have_value("0,2")


def test_a_finger_goes_to_a_cell_on_a_phone(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=PHONE, has_touch=True)).open(LARGE)
    field, bar = explorer.page.get_by_label("Go to"), explorer.page.locator("[side=a] .bar")
    heads = [bar.bounding_box()]
    narrow = field.evaluate("input => input.clientWidth")
    field.tap()
    assert field.evaluate("input => input.clientWidth") > 2 * narrow, "wide while it is typed into"
    assert heads == [bar.bounding_box()], "in the same line"
    explorer.page.keyboard.type("1,2,3,4")
    explorer.page.keyboard.press("Enter")
    explorer.expect_lit("1,2,3,4", 1048576 + 3 * 512 + 4 * 4 + 2)
    expect(explorer.page.locator("[side=a] .place")).to_be_visible()  # its keyboard has gone
    go_to(explorer, "99999999")
    said = box_of(explorer.page.locator("go-to .said"))
    assert said["x"] >= 0, "the message is on the screen"
    assert said["x"] + said["width"] <= PHONE["width"]


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_link_opens_with_its_cell_in_the_middle_large_enough_to_read(
    new_page: NewPage, viewport: ViewportSize
) -> None:
    explorer = Explorer(new_page(viewport=viewport)).open(f"{LARGE}&at=5,33,70,81")
    explorer.settle()
    address = 5 * 1048576 + 8 * 65536 + 70 * 512 + 81 * 4 + 1
    assert is_in_the_middle(explorer, "a", explorer.memory_cell("a", address))
    columns, rows = 32 * (128 + 5), 2 * (128 + 5)
    for grid in GRIDS:
        _expect_read(explorer, grid)
    assert explorer.number("logical", "columns") >= columns / 4
    assert explorer.number("logical", "rows") >= rows / 4
    explorer.hover("logical", middle_of(explorer, "logical"))
    near = [int(part) for part in (explorer.sum.get_attribute("data-coords") or "").split(",")]
    assert near[:2] == [5, 33]
    assert abs(near[2] - 70) <= 1
    assert abs(near[3] - 81) <= 1


def _expect_read(explorer: Explorer, grid: Grid) -> None:
    """The coordinates of the last element have 11 pixels in its cells."""
    sides = explorer.canvas(grid).get_attribute("data-side_css") or ""
    wide, high = (float(part) for part in sides.split(","))
    assert min(wide * 0.92 / (len("9,63,127,127") * 0.58), high * 0.56) >= 11


def test_a_reload_is_no_link(page: Page) -> None:
    explorer = Explorer(page).open(LARGE)
    explorer.settle()
    before = explorer.number("a", "cell_css")
    explorer.click("a", explorer.memory_cell("a", 5))
    expect(page).to_have_url(re.compile("at="))
    page.reload()
    explorer.expect_drawn("a")
    explorer.settle()
    assert explorer.number("a", "cell_css") == pytest.approx(before)


def test_the_zoom_has_steps_with_names_and_a_step_keeps_the_lit_cell_in_the_middle(
    page: Page,
) -> None:
    explorer = Explorer(page).open("?shape=4,64,56,56&layout=NCHW4")
    for grid in GRIDS:
        view = explorer.canvas(grid).locator("xpath=..")
        step = view.get_by_label("Zoom step")
        sizes: dict[str, float] = {}
        for name in ("text", "cells", "texture", "all"):
            step.select_option(name)
            explorer.settle()
            expect(step).to_have_value(name)
            sizes[name] = explorer.number(grid, "cell_css")
        assert sizes["text"] >= 40, "six digits of ten pixels"
        assert 5 <= sizes["cells"] < 13
        assert 1 <= sizes["texture"] <= 3.2
        assert sizes["all"] == min(sizes.values())
        explorer.canvas(grid).focus()
        while step.input_value() != "text":
            page.keyboard.press("+")
            explorer.settle()
        while step.input_value() != "all":
            view.get_by_role("button", name="Zoom out").click()
            explorer.settle()
        assert explorer.number(grid, "cell_css") == pytest.approx(sizes["all"])
    explorer.show("?shape=4,64,56,56&layout=NCHW&at=2,30,20,20&mv=fit&lv=fit")
    address = ((2 * 64 + 30) * 56 + 20) * 56 + 20
    for name in ("cells", "text"):
        page.locator("memory-view[side=a]").get_by_label("Zoom step").select_option(name)
        explorer.settle()
        assert is_in_the_middle(explorer, "a", explorer.memory_cell("a", address))


# Few and 10¹² elements, and wide; tests/js/core/grid/zoom.test.js has sizes at random.
FITTED = [
    "?shape=1000,1000,1000,1000&layout=NCHW",
    "?shape=2,1000000&layout=HW&row=1000000",
    "?shape=2,3&layout=5,1&elements=10&row=line",
]


def test_fit_shows_every_row_and_column_also_after_a_resize(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=DESK, has_touch=True)).open()
    for size in (DESK, PHONE):
        for query in FITTED:
            explorer.page.set_viewport_size(size)
            explorer.show(query)
            for grid in GRIDS:
                view = explorer.canvas(grid).locator("xpath=..")
                explorer.press(view.locator("[data-zoom=in]"))
                explorer.press(view.get_by_text("Fit", exact=True))
            explorer.settle()
            _expect_all_in_view(explorer, f"{query} at {size['width']} px")
            explorer.page.set_viewport_size({"width": size["height"], "height": size["width"]})
            explorer.settle()
            explorer.settle()
            _expect_all_in_view(explorer, f"{query} at {size['width']} px after a turn")
            expect(explorer.page).to_have_url(re.compile("lv=fit&mv=fit"))


def _expect_all_in_view(explorer: Explorer, when: str) -> None:
    for grid in GRIDS:
        canvas = explorer.canvas(grid)
        box = box_of(canvas)
        data = canvas.evaluate("c => ({...c.dataset})")
        sides_css = [float(part) for part in data["side_css"].split(",")]
        insets_css = [float(part) for part in data["inset_css"].split(",")]
        cells = [float(data["columns"]), float(data["rows"])]
        ends_css = [
            inset + count * side
            for inset, count, side in zip(insets_css, cells, sides_css, strict=True)
        ]
        where = f"{grid} {when}: {data}, {box}"
        assert (float(data["left_cells"]), float(data["top_cells"])) == (0, 0), where
        assert ends_css[0] <= box["width"] - 2, where
        assert ends_css[1] <= box["height"] - 2, where
        thinnest = min(end - inset for end, inset in zip(ends_css, insets_css, strict=True))
        assert thinnest >= 4.9, f"visible, not a hairline: {where}"
        expect(canvas.locator("xpath=..").get_by_label("Zoom step")).to_have_value("all")


def test_on_a_phone_going_to_a_cell_scrolls_by_whole_planes_and_not_where_it_is_in_view(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open("?shape=1,6,4,8&layout=NCHW4&at=0,1,1,2")
    explorer.settle()
    start = explorer.canvas("logical").get_attribute("data-side_css")
    places = {}
    for cell in ("0,5,3,4", "0,3,1,4"):
        go_to(explorer, cell)
        explorer.settle()
        assert explorer.canvas("logical").get_attribute("data-side_css") == start
        places[cell] = explorer.number("logical", "left_cells")
        assert explorer.number("a", "columns") == 8, "two pixels: each block begins a row"
        assert explorer.number("a", "left_cells") == 0, "its numbers could be read before"
    assert places == {"0,5,3,4": 0, "0,3,1,4": 18}, "c 2 is the first plane with c 3 whole"
    explorer.field("layout").fill("NHWC")
    expect(explorer.about("a")).to_contain_text("NHWC")
    explorer.settle()
    assert explorer.number("logical", "left_cells") == 0, "c 3 is in the second row now"
