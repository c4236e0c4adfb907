"""The walk: play, single steps, scrubber and orders, by pointer, by keyboard and by touch."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer, is_in_view, no_message
from tests.browser.pages import Axe, NewPage, box_of

# Addresses 0 to 79 hold channels 0 to 3, the next 80 channels 4, 5 and two places of padding.
BLOCKED = "?shape=1,6,4,5&layout=NCHW4"
HUGE = "?shape=1000,1000,1000,1000&layout=NCHW"


console = pytest.fixture(autouse=True)(no_message)


def player(page: Page) -> Locator:
    return page.locator("walk-player")


def step(page: Page) -> Locator:
    return player(page).locator(".at input")


def loops(page: Page) -> list[str]:
    return page.locator("loop-order .loop").all_inner_texts()


def drag(page: Page, chip: Locator, onto: Locator) -> None:
    start, end = box_of(chip), box_of(onto)
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] - 2, end["y"] + 8, steps=6)
    page.mouse.up()


def test_every_control_by_pointer(page: Page) -> None:
    explorer = Explorer(page).open(f"{BLOCKED}&at=0,2,1,2")
    expect(player(page)).to_be_hidden()
    page.get_by_role("button", name="Walk", exact=True).click()
    expect(step(page)).to_have_value("30")  # the address of the chosen cell
    page.get_by_role("button", name="One step forward").click()
    explorer.expect_lit("0,3,1,2", 31)
    page.get_by_role("button", name="One step back").click(click_count=2)
    explorer.expect_lit("0,1,1,2", 29)
    expect(explorer.sum.locator(".where")).to_have_text("⌊c/4⌋ 0 › h 1 › w 2 › (c mod 4) 1")
    expect(explorer.sum.locator(".where b")).to_have_text("(c mod 4) 1")

    page.get_by_role("button", name="Play").click()
    expect(explorer.sum).not_to_have_attribute("data-address", "29")
    page.get_by_role("button", name="Pause").click()
    step(page).fill("82")
    step(page).press("Enter")
    expect(explorer.sum).to_have_attribute("data-address", "82")
    expect(explorer.sum).to_contain_text("but no element lies there")
    explorer.hover("logical", explorer.middle("logical", 0, 1))
    page.mouse.move(2, 2)
    expect(explorer.sum).to_contain_text("padding")  # the pointer came and went

    page.locator("walk-player").get_by_label("Order").select_option("logical")
    explorer.click("logical", explorer.middle("logical", 2, 1))
    expect(step(page)).to_have_value("7")
    chips = page.locator("loop-order .loop")
    drag(page, chips.nth(1), chips.nth(3))
    assert loops(page) == ["N", "H", "W", "C"]
    explorer.expect_lit("0,0,1,2", 28)  # the cell stays, its step is another
    expect(step(page)).to_have_value("42")
    page.get_by_role("button", name="One step forward").click()
    explorer.expect_lit("0,1,1,2", 29)
    expect(explorer.sum.locator(".where")).to_have_text("n 0 › h 1 › w 2 › c 1")
    chips.nth(0).click()  # a press makes a loop the innermost
    assert loops(page) == ["H", "W", "C", "N"]
    expect(page.locator("loop-order input")).to_have_value("HWCN")

    scrubber = page.get_by_role("slider", name="Step of the walk")
    box = box_of(scrubber)
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    explorer.expect_lit("0,5,3,4", 157)
    expect(scrubber).to_have_attribute("aria-valuetext", "step 119, the last is 119")
    page.get_by_role("button", name="Close the walk").click()
    expect(player(page)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("walk="))


def test_keys_walk_and_fields_keep_theirs(page: Page) -> None:
    explorer = Explorer(page).open(f"{BLOCKED}&at=0,0,0,0")
    page.locator(".walk-toggle").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    explorer.canvas("a").focus()
    for key, address in ((".", 1), (".", 2), (",", 1), ("ArrowRight", 2), (".", 3)):
        page.keyboard.press(key)
        expect(explorer.sum).to_have_attribute("data-address", str(address))
    expect(page.locator("#cell-now")).to_contain_text("c 3, h 0, w 0: address 3")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    explorer.settle()  # what pauses ends the step that has begun

    before = explorer.sum.get_attribute("data-address")
    explorer.field("slice").focus()
    page.keyboard.type("., ")
    expect(explorer.field("slice")).to_have_value("., ")
    explorer.field("slice").fill("")
    assert explorer.sum.get_attribute("data-address") == before
    theme = page.locator("theme-switch button")
    theme.focus()
    page.keyboard.press("Space")
    expect(theme).not_to_have_accessible_name("Theme: auto")
    expect(page.get_by_role("button", name="Play")).to_be_visible()

    page.locator("walk-player").get_by_label("Order").select_option("NHWC")
    chip = page.locator("loop-order .loop", has_text="C")
    chip.focus()
    page.keyboard.press("ArrowLeft")
    assert loops(page) == ["N", "H", "C", "W"]
    expect(chip).to_be_focused()
    expect(chip).to_have_accessible_name("C, loop 3 of 4")
    page.locator("loop-order .loop", has_text="N").focus()
    page.keyboard.press("Enter")
    assert loops(page) == ["H", "C", "W", "N"]
    typed = page.locator("loop-order input")
    typed.fill("WH")
    expect(page.locator("#loop-error")).to_have_text("N is missing.")
    assert loops(page) == ["H", "C", "W", "N"]
    typed.fill("nhwc")
    expect(page.locator("#loop-error")).to_be_empty()
    assert loops(page) == ["N", "H", "W", "C"]
    typed.blur()
    expect(page).to_have_url(re.compile("walk=NHWC&t="))


def test_the_link_carries_order_and_step_and_history_the_orders(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3,4&layout=CHW&b-layout=WHC&walk=WHC&t=17")
    # Step 17 of w, h, c: w = 2, h = 2, c = 1; neighbours in B are a jump of 12 in A.
    explorer.expect_lit("1,2,2", 22)
    expect(explorer.sum.locator(".line").nth(1).locator(".address")).to_have_text("17")
    page.locator("walk-player").get_by_label("Order").select_option("memory b")
    expect(step(page)).to_have_value("17")
    page.get_by_role("button", name="One step forward").click()
    explorer.expect_lit("0,0,3", 3)
    expect(page).to_have_url(re.compile(r"walk=memory\+b&t=18"))
    page.go_back()
    expect(page.locator("walk-player").get_by_label("Order")).to_have_value("WHC")
    expect(step(page)).to_have_value("17")
    explorer.show("?shape=2,3,4&layout=CHW&walk=NHWC&t=5")
    expect(page.locator("#loop-error")).to_have_text("There is no dimension N: they are C, H, W.")
    expect(page.get_by_role("button", name="Play")).to_be_disabled()
    page.locator("loop-order input").fill("HWC")
    page.get_by_role("button", name="One step forward").click()
    expect(step(page)).to_have_value("1")


def test_any_step_of_a_million_million_is_shown_at_once_and_without_motion_steps_are_whole(
    page: Page,
) -> None:
    explorer = Explorer(page).open(f"{HUGE}&walk=NHWC&t=123456789012")
    explorer.expect_lit("123,12,456,789", 123_012_456_789)
    for typed, coords in (("999999999999", "999,999,999,999"), ("1000", "0,0,0,1")):
        step(page).fill(typed)
        step(page).press("Enter")
        expect(explorer.sum).to_have_attribute("data-coords", coords)
        explorer.settle()
        address = int("".join(part.zfill(3) for part in coords.split(",")))
        # The window follows the walk, also where the legend of a step takes a line of it.
        frames = 0
        while not is_in_view(explorer, "a", address):
            frames += 1
            assert frames < 10, typed
            explorer.settle()
    expect(page.locator("grid-legend [data-sign=leap]")).to_be_visible()
    page.locator("walk-player").get_by_label("Order").select_option("memory")
    expect(page.locator("grid-legend [data-sign=trail]")).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    explorer.show(f"{BLOCKED}&walk=memory&t=0").canvas("a").focus()
    page.keyboard.press("Space")
    expect(explorer.sum).not_to_have_attribute("data-address", "0")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    address = int(explorer.sum.get_attribute("data-address") or 0)
    page.keyboard.press(".")
    expect(explorer.sum).to_have_attribute("data-address", str(address + 1))


def test_the_planes_in_view_stay_when_one_comes_back_and_when_they_are_arranged_anew(
    new_page: NewPage,
) -> None:
    """A view is a place among planes: where their rows get another length, it is another place."""
    page = new_page(viewport=DESK)
    explorer = Explorer(page).open("?shape=2,10,3,4&layout=NCHW4")
    goes = page.locator("memory-view[side=a] go-to input")
    goes.fill("1,9,2,3")
    goes.press("Enter")
    explorer.canvas("logical").press("+")
    page.locator(".walk-toggle").click()
    explorer.expect_lit("1,9,2,3", 285)
    explorer.rest()  # the address is written after a pause
    names = ("left_cells", "top_cells", "columns", "rows")
    before = [explorer.number("logical", name) for name in names]
    page.locator("lesson-link .related").click()
    expect(page.locator(".prompt")).not_to_be_empty()
    page.get_by_role("link", name="Back to your example").click()
    explorer.expect_lit("1,9,2,3", 285)
    explorer.rest()
    now = [explorer.number("logical", name) for name in names]
    assert now == pytest.approx(before, abs=0.01)
    page.get_by_role("button", name="Close the walk").click()
    page.locator("details.views > summary").click()
    explorer.settle()
    explorer.settle()
    assert explorer.number("logical", "columns") != before[2]
    # All columns have room, so none is beyond the edge; and the chosen cell is seen.
    assert explorer.number("logical", "left_cells") == 0
    side_css, top_css = (
        explorer.number("logical", "cell_css"),
        explorer.number("logical", "top_cells"),
    )
    height_css = box_of(explorer.canvas("logical"))["height"]
    row = explorer.number("logical", "rows") - 1
    assert 34 + (row + 1 - top_css) * side_css <= height_css


def test_by_touch_on_a_phone(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    explorer = Explorer(page).open(BLOCKED)
    page.locator("memory-view[side=a] .view > summary").tap()
    page.locator(".walk-toggle").tap()
    page.get_by_role("button", name="One step forward").tap()
    explorer.expect_lit("0,1,0,0", 1)
    page.locator("walk-player").get_by_label("Order").select_option("logical")
    for letter in "NHWC":
        page.locator("loop-order .loop", has_text=letter).tap()
    assert loops(page) == ["N", "H", "W", "C"]
    assert axe(page, "main") == []
    page.emulate_media(color_scheme="light")
    assert axe(page, "walk-player") == []
    for control in player(page).locator("button, input, select").all():
        box = box_of(control)
        assert min(box["width"], box["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_play_brings_the_memory_that_is_walked_into_view(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open(f"{BLOCKED}&walk=memory")
    expect(explorer.canvas("a")).not_to_be_in_viewport(ratio=0.9)
    page.get_by_role("button", name="Play").tap()
    expect(explorer.canvas("a")).to_be_in_viewport(ratio=0.9)
    expect(player(page)).to_be_in_viewport(ratio=0.9)
