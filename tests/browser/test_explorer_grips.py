"""A slice by its grips: pointer, touch and keyboard move them; they and the field are one."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import PHONE, Explorer, listen
from tests.browser.pages import lasting

pytestmark = pytest.mark.browser

Axe = Callable[..., list[dict[str, Any]]]
CELL_CSS = 18
CUBE = f"?shape=4,6,8&layout=CHW&lv={CELL_CSS},0,0"


@pytest.fixture(autouse=True)
def console(page: Page) -> Iterator[None]:
    """A message in the console fails the test."""
    said = listen(page)
    yield
    assert said == []


def grip(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


def toggle(page: Page) -> Locator:
    """The button of the tensor's grid; the heading of the slice's grid explains its word."""
    return page.locator("logical-view").get_by_role("button", name="Slice", exact=True)


def drag(page: Page, held: Locator, dx_css: float, dy_css: float = 0) -> None:
    box = held.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx_css, y + dy_css, steps=4)
    page.mouse.up()


def fill_of(explorer: Explorer, address: int) -> tuple[int, int, int]:
    """The colour of a cell of the memory, beside its text."""
    x_css, y_css = explorer.memory_cell("a", address)
    beside_css = 0.3 * float(explorer.canvas("a").get_attribute("data-cell_css") or 0)
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
    end.focus()
    page.keyboard.press("ArrowLeft")
    expect(field).to_have_value("..., :7")
    expect(end).to_have_attribute("aria-valuetext", "to before 7")
    stride.focus()
    page.keyboard.press("ArrowLeft")
    expect(field).to_have_value("..., 6::-1")
    expect(stride).to_have_attribute("aria-valuetext", "each index, backwards")
    page.keyboard.press("ArrowLeft")
    expect(field).to_have_value("..., 6::-2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(field).to_have_value("..., :7")
    height = grip(page, "h start")
    height.focus()
    page.keyboard.press("ArrowDown")  # down the edge, as the indices grow
    expect(field).to_have_value(":, 1:, :7")
    expect(height).to_have_attribute("aria-orientation", "vertical")

    field.fill("2, None, ::2")
    expect(grip(page, "c start")).to_have_attribute("aria-valuetext", "index 2")
    expect(grip(page, "c stride")).to_have_count(0)
    grip(page, "c start").focus()
    page.keyboard.press("ArrowRight")
    expect(field).to_have_value("3, None, ::2")
    grip(page, "c end").focus()
    expect(grip(page, "c end")).to_have_attribute("aria-valuenow", "4")
    field.fill("1 2 3")
    expect(page.locator("slice-grips .note")).to_have_text("No grips for the slice as it is typed.")
    expect(page.locator("slice-grips .grip").first).to_be_hidden()


def test_a_window_stays_a_window(page: Page) -> None:
    explorer = opened(page, "?shape=1,1,4,4&layout=NCHW&slice=0,0,0,1;1,1,4,3;1,1,2,2&lv=30,0,0")
    field = explorer.field("slice")
    stride = grip(page, "h stride")
    expect(stride).to_have_attribute("aria-valuenow", "2")
    stride.focus()
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    expect(field).to_have_value("0,0,0,1; 1,1,4,3; 1,1,-1,2")
    grip(page, "w start").focus()
    page.keyboard.press("Home")
    expect(field).to_have_value("0,0,0,0; 1,1,4,4; 1,1,-1,2")
    expect(page.locator("slice-result")).to_contain_text("1 × 1 × 4 × 2")
    toggle(page).click()
    expect(page.locator("slice-grips")).to_be_hidden()
    expect(field).to_have_value("0,0,0,0; 1,1,4,4; 1,1,-1,2")


def test_by_touch_on_a_phone(new_page: Callable[..., Page], axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    explorer = Explorer(page).open(CUBE)
    page.locator("logical-view .view > summary").tap()
    toggle(page).tap()
    start = grip(page, "w start")
    start.scroll_into_view_if_needed()
    boxes = [grip(page, name).bounding_box() for name in ("c stride", "w start")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    named = "bars => bars.map((bar) => getComputedStyle(bar, '::before').content)"
    edges = page.locator("slice-grips .over .reach")
    assert edges.evaluate_all(named) == ['"w"', '"h"'], "each edge says its dimension"
    explorer.settle()
    box = start.bounding_box()
    assert box is not None
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
        size = slider.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
