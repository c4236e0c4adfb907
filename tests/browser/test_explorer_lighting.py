"""The same cell lights up in every grid, by pointer, by keyboard and by touch."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import BLOCKED, PHONE, Explorer
from tests.browser.pages import NewPage, box_of, lasting

FIGURE = "?shape=2,64,3,3&layout=NCHW4"


def figure_address(n: int, c: int, h: int, w: int) -> int:
    """NCHW4 of (2, 64, 3, 3) by the formula of the source document."""
    return n * 576 + c // 4 * 36 + h * 12 + w * 4 + c % 4


def test_pointing_at_an_address_lights_its_element(shared: Explorer) -> None:
    explorer = shared.show(FIGURE)
    explorer.fit("a")
    explorer.keep("a")
    explorer.keep("logical")
    for address in (0, 37, 575, 714, 1151):
        at = explorer.memory_cell("a", address)
        explorer.hover("a", at)
        lit = explorer.sum.get_attribute("data-coords") or ""
        n, c, h, w = (int(part) for part in lit.split(","))
        assert figure_address(n, c, h, w) == address
        explorer.expect_lit(lit, address)
        explorer.expect_only_changed_at("a", at)
        assert explorer.changed("logical") is not None


def test_pointing_at_an_element_lights_its_address(shared: Explorer) -> None:
    for layout, offset, *strides in (("HW", 0, 5, 1), ("WH", 0, 1, 4), ("7,1%2B2", 2, 7, 1)):
        shared.show(f"?shape=4,5&layout={layout}")
        shared.keep("a")
        shared.keep("logical")
        for row, column in ((0, 0), (1, 2), (3, 4)):
            at = shared.middle("logical", column, row)
            shared.hover("logical", at)
            address = offset + row * strides[0] + column * strides[1]
            shared.expect_lit(f"{row},{column}", address)
            shared.expect_only_changed_at("logical", at)
            shared.expect_only_changed_at("a", shared.memory_cell("a", address))
            shared.page.mouse.move(1, 1)
            shared.settle()
            assert shared.changed("a") is None, "leaving the grid puts the light out"


def test_arrows_move_in_logical_coordinates_and_the_sum_has_the_readers_numbers(
    shared: Explorer,
) -> None:
    explorer, page = shared.show(f"{FIGURE}&at=1,14,2,1"), shared.page
    terms = explorer.sum.locator(".steps .term")
    expect(terms).to_have_text(["n·576", "⌊c/4⌋·36", "(c mod 4)·1", "h·12", "w·4"])
    expect(explorer.sum.locator(".steps b")).to_have_text(["576", "108", "2", "24", "4"])
    explorer.expect_lit("1,14,2,1", 714)
    page.keyboard.press("Escape")
    explorer.show(f"{FIGURE}&at=0,0,0,0")
    explorer.canvas("logical").focus()
    for key, coords in [
        ("ArrowRight", "0,0,0,1"),
        ("ArrowDown", "0,0,1,1"),
        ("PageDown", "0,1,1,1"),
        ("End", "0,1,1,2"),
        ("ArrowRight", "0,1,1,2"),
        ("ArrowUp", "0,1,0,2"),
        ("Home", "0,1,0,0"),
        ("PageUp", "0,0,0,0"),
        ("PageUp", "0,0,0,0"),
        ("Control+End", "1,63,2,2"),
        ("Control+Home", "0,0,0,0"),
    ]:
        page.keyboard.press(key)
        address = figure_address(*(int(part) for part in coords.split(",")))
        explorer.expect_lit(coords, address)
        expect(page.locator("#cell-now")).to_contain_text(
            f"address {address:,}".replace(",", "\u202f")
        )


def test_padding_is_named_and_passed_over_and_what_was_said_goes_with_its_layout(
    shared: Explorer,
) -> None:
    explorer, page = shared.show("?shape=1,6,2,2&layout=NCHW4&at=0,5,0,0"), shared.page
    explorer.canvas("a").focus()
    explorer.expect_lit("0,5,0,0", 17)
    page.keyboard.press("ArrowRight")
    explorer.expect_lit("", 18)
    expect(explorer.sum).to_contain_text("padding")
    expect(explorer.sum).to_contain_text("c 6")
    expect(page.locator("#cell-now")).to_contain_text("padding")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    explorer.expect_lit("0,4,0,1", 20)
    expect(page.locator("#cell-now")).to_contain_text("address 20")
    explorer.field("layout").fill("NHWC")
    explorer.expect_lit("0,4,0,1", 10)
    expect(page.locator("#cell-now")).to_be_empty()


def test_a_gap_and_a_shared_address_say_so_and_a_click_keeps_the_cell(shared: Explorer) -> None:
    explorer, page = shared.show("?shape=2,3&layout=5,1"), shared.page
    explorer.hover("a", explorer.memory_cell("a", 4))
    expect(explorer.sum).to_contain_text("gap")
    explorer.field("layout").fill("0,1")
    expect(explorer.about("a")).to_contain_text("3 addresses")
    explorer.settle()
    explorer.hover("a", explorer.memory_cell("a", 1))
    expect(explorer.sum).to_contain_text("shared by 2")
    explorer.field("layout").fill("WH")
    expect(explorer.about("a")).to_contain_text("6 addresses")
    explorer.settle()
    explorer.click("a", explorer.memory_cell("a", 3))
    page.mouse.move(1, 1)
    explorer.settle()
    explorer.expect_lit("1,1", 3)
    expect(page.locator("#cell-now")).to_contain_text("h 1, w 1: address 3")
    expect(page).to_have_url(re.compile(r"at=1,1"))


def test_the_wheel_zooms_about_the_pointer_and_a_drag_pans(shared: Explorer) -> None:
    explorer, page = shared.show("?shape=64,256&layout=HW&row=256&mv=8,30,10"), shared.page
    at = explorer.memory_cell("a", 20 * 256 + 60)
    explorer.hover("a", at)
    explorer.expect_lit("20,60", 5180)
    for _ in range(4):
        page.mouse.wheel(0, -200)
        explorer.settle()
    explorer.expect_lit("20,60", 5180)
    zoomed = explorer.memory_cell("a", 5180)
    cell_css = explorer.number("a", "cell_css")
    assert abs(zoomed[0] - at[0]) <= cell_css
    assert abs(zoomed[1] - at[1]) <= cell_css
    page.mouse.down()
    box = box_of(explorer.canvas("a"))
    page.mouse.move(box["x"] + at[0] - 40, box["y"] + at[1] - 30, steps=4)
    page.mouse.up()
    explorer.settle()
    moved = explorer.memory_cell("a", 5180)
    assert (moved[0] - zoomed[0], moved[1] - zoomed[1]) == pytest.approx((-40, -30), abs=5)


def test_a_tap_lights_a_cell_and_a_finger_scrolls_the_page_at_the_end_of_a_grid(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open(BLOCKED)
    expect(explorer.canvas("a")).not_to_have_class(re.compile("taller"))  # all its 20 rows show
    for coords, address in (("0,3,0,1", 7), ("", 82)):
        x, y = explorer.memory_cell("a", address)
        explorer.canvas("a").tap(position={"x": x, "y": y})
        explorer.settle()
        explorer.expect_lit(coords, address)
    expect(explorer.sum).to_contain_text("padding")
    explorer.open(FIGURE)
    canvas = explorer.canvas("a")
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    start = page.evaluate("scrollY")
    box = box_of(canvas)
    cdp = lasting(page).context.new_cdp_session(page)

    def swipe(down_css: int) -> tuple[float, float]:
        x, y = 150, box["y"] + box["height"] / 2
        for kind, at in [("Start", y), *(("Move", y + down_css * i / 5) for i in range(1, 6))]:
            points = [{"x": x, "y": at}]
            cdp.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        explorer.settle()
        return page.evaluate("scrollY"), float(canvas.get_attribute("data-top_cells") or 0)

    scrolled, top_cells = swipe(-60)
    assert (scrolled, top_cells > 1) == (start, True), "the grid moves, the page does not"
    assert swipe(60) == pytest.approx((start, 0), abs=0.01)
    assert swipe(40) == (start - 40, 0), "at its end the page moves as far as the finger"


def test_of_small_planes_the_nearest_cell_is_chosen_and_rings_are_whole(shared: Explorer) -> None:
    explorer, page = shared, shared.page
    explorer.show("?shape=64,48,3,3&layout=OIhw4i16o4i&at=17,5,1,2&lv=fit")
    data = explorer.canvas("logical").evaluate("c => ({...c.dataset})")
    left_css, top_css = map(float, data["inset_css"].split(","))
    column_css, row_css = map(float, data["side_css"].split(","))
    wide_css, high_css = int(data["columns"]) * column_css, int(data["rows"]) * row_css
    assert wide_css > 150  # a row for each o, whatever the window
    for step in range(8):
        at = (left_css + wide_css * (step + 0.5) / 8, top_css + high_css * (step + 0.5) / 8)
        explorer.click("logical", at)
        expect(explorer.sum).not_to_have_attribute("data-coords", "17,5,1,2")
        shown = explorer.sum.get_attribute("data-coords")
        assert shown
        expect(page).to_have_url(re.compile(f"at={shown}(&|$)"))
    # The ring around a small cell of the first row.
    explorer.show("?shape=64,48,3,3&layout=OIhw4i16o4i&at=0,0,0,0&mv=fit")
    page.mouse.move(1, 1)
    explorer.settle()
    left_css, top_css = explorer.memory_cell("a", 0)
    ring = explorer.pixels("a", [(left_css, top_css - up) for up in (8, 9, 10)])
    assert any(max(pixel) < 60 for pixel in ring), ring
