"""A slice by its grips: pointer, touch and keyboard move them; they and the field are one."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer, no_message
from tests.browser.pages import Axe, NewPage, box_of, lasting

CELL_CSS = 18
CUBE = f"?shape=4,6,8&layout=CHW&lv={CELL_CSS},0,0"


console = pytest.fixture(autouse=True)(no_message)


def grip(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


def toggle(page: Page) -> Locator:
    """The button of the tensor's grid; the heading of the slice's grid explains its word."""
    return page.locator("logical-view").get_by_role("button", name="Slice", exact=True)


def drag(page: Page, held: Locator, dx_css: float, dy_css: float = 0) -> None:
    box = box_of(held)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx_css, y + dy_css, steps=4)
    page.mouse.up()


def fill_of(explorer: Explorer, address: int) -> tuple[int, int, int]:
    """The colour of a cell of the memory, beside its text."""
    x_css, y_css = explorer.memory_cell("a", address)
    beside_css = 0.3 * explorer.number("a", "cell_css")
    return explorer.pixel("a", (x_css + beside_css, y_css + beside_css))


def opened(page: Page, query: str) -> Explorer:
    explorer = Explorer(page).open(query)
    expect(page.locator("slice-grips")).to_be_hidden()
    toggle(page).click()
    expect(page.locator("slice-grips .grip").first).to_be_visible()
    explorer.settle()
    return explorer


def test_grips_are_dragged_and_the_touched_addresses_light_up(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&row=48")
    field = explorer.field("slice")
    explorer.fit("a")
    before = [fill_of(explorer, address) for address in (53, 54)]
    drag(page, grip(page, "w start"), 2 * CELL_CSS)
    expect(field).to_have_value("..., 2:")
    # The slice has come beside the tensor, which is narrower now: its grips have moved.
    explorer.expect_drawn("slice")
    explorer.settle()
    drag(page, grip(page, "w end"), -CELL_CSS)
    expect(field).to_have_value("..., 2:7")
    drag(page, grip(page, "w stride"), CELL_CSS)
    expect(field).to_have_value("..., 2:7:2")
    drag(page, grip(page, "w stride"), -5 * CELL_CSS)  # beyond the start: backwards
    expect(field).to_have_value(re.compile(r"^\.\.\., 6:1:-\d$"))
    drag(page, grip(page, "h start"), 0, 2 * CELL_CSS)
    expect(field).to_have_value(re.compile(r"^:, 2:, 6:1:-\d$"))
    page_width = 132 / 4
    drag(page, grip(page, "c start"), page_width)
    expect(field).to_have_value(re.compile(r"^1:, 2:, 6:1:-\d$"))
    field.fill("1:, :4, 6:1:-2")
    expect(grip(page, "w stride")).to_have_attribute("aria-valuenow", "-2")
    expect(page.locator("slice-result")).to_contain_text("3 × 4 × 3")
    expect(page.locator("slice-result")).to_contain_text("strides 48, 8, -2 from 54")
    # 36 elements; from 48 + 2 to 3 * 48 + 3 * 8 + 6.
    expect(page.locator("slice-result")).to_contain_text("144 used of 500 spanned")
    explorer.settle()
    explorer.fit("a")
    after = [fill_of(explorer, address) for address in (53, 54)]
    assert after[1] == before[1], "c 1, h 0, w 6 is taken"
    assert after[0] != before[0], "w 5 is not"
    page.go_back()
    expect(field).not_to_have_value("1:, :4, 6:1:-2")


def test_grips_are_moved_by_keys_and_stop_at_each_other(page: Page) -> None:
    explorer = opened(page, CUBE)
    field = explorer.field("slice")
    start, end, stride = (grip(page, f"w {part}") for part in ("start", "end", "stride"))
    height = grip(page, "h start")
    start.focus()
    for key, text, said in (
        ("ArrowRight", "..., 1:", "from 1"),
        ("PageUp", "..., 3:", "from 3"),
        ("End", "..., 7:", "from 7"),
        ("ArrowRight", "..., 7:", "from 7"),
        ("Home", "", "from 0"),
    ):
        page.keyboard.press(key)
        expect(field).to_have_value(text)
        expect(start).to_have_attribute("aria-valuetext", said)
    for held, key, text, said in (
        (end, "ArrowLeft", "..., :7", "to before 7"),
        (stride, "ArrowLeft", "..., 6::-1", "each index, backwards"),
        (stride, "ArrowLeft", "..., 6::-2", "one of 2 indices, backwards"),
        (height, "ArrowDown", ":, 1:, 6::-2", "from 1"),  # down the edge, as the indices grow
    ):
        held.press(key)
        expect(field).to_have_value(text)
        expect(held).to_have_attribute("aria-valuetext", said)
    expect(height).to_have_attribute("aria-orientation", "vertical")
    field.fill("2, None, ::2")
    expect(grip(page, "c start")).to_have_attribute("aria-valuetext", "index 2")
    expect(grip(page, "c stride")).to_have_count(0)
    grip(page, "c start").focus()
    page.keyboard.press("ArrowRight")
    expect(field).to_have_value("3, None, ::2")
    field.fill("1 2 3")
    expect(page.locator("slice-grips .note")).to_have_text("No grips for the slice as it is typed.")
    expect(page.locator("slice-grips .grip").first).to_be_hidden()
    toggle(page).click()
    expect(page.locator("slice-grips")).to_be_hidden()


def test_by_touch_on_a_phone(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    explorer = Explorer(page).open(CUBE)
    page.locator("logical-view .view > summary").tap()
    toggle(page).tap()
    start = grip(page, "w start")
    start.scroll_into_view_if_needed()
    above, below = (box_of(grip(page, name)) for name in ("c stride", "w start"))
    assert above["y"] + above["height"] <= below["y"]
    named = "bars => bars.map((bar) => getComputedStyle(bar, '::before').content)"
    edges = page.locator("slice-grips .over .reach")
    assert edges.evaluate_all(named) == ['"w"', '"h"'], "each edge says its dimension"
    for _ in range(2):  # They stay at their cells while View is closed and opened.
        page.locator("logical-view .view > summary").tap()
        explorer.settle()
        tops = [box_of(page.locator(f"logical-view {name}"))["y"] for name in ("canvas", ".over")]
        assert tops[0] == tops[1]
    box = box_of(start)
    cdp = lasting(page).context.new_cdp_session(page)
    x, y = box["x"] + 12, box["y"] + 12
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 40, "y": y}]),
        ("touchMove", [{"x": x + 60, "y": y}]),
        ("touchEnd", []),
    ):
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(start).to_have_attribute("aria-valuenow", "3")
    assert axe(page, "main") == []
    page.emulate_media(color_scheme="light")
    assert axe(page, "slice-grips") == []
    for slider in page.locator("slice-grips .grip").all():
        size = box_of(slider)
        assert min(size["width"], size["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_a_slice_is_cleared_below_its_grid(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Explorer(page).open("?shape=1,6,8,8&layout=NHWC&slice=:,:,2:4,1:3")
    page.get_by_role("button", name="Clear the slice").tap()
    expect(page.locator("slice-grid")).to_be_hidden()
    expect(page).to_have_url(re.compile("layout=NHWC$"))
    page.set_viewport_size(DESK)
    page.go_back()
    expect(page.locator("slice-grid")).to_be_visible()
    expect(page.get_by_role("button", name="Clear the slice")).to_be_hidden()
