"""A lesson stays while its trial is typed, and then says what there is to see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import Explorer

pytestmark = pytest.mark.browser


def test_the_first_lesson_answers_its_trial(page: Page) -> None:
    explorer = Explorer(page).open()
    see, trial = page.locator("lesson-note .see"), page.locator("lesson-note .try")
    expect(see).to_contain_text("blocks of four")
    expect(trial).to_have_text(
        "Try it: type NHWC as the layout and watch the blocks become pixels."
    )
    explorer.field("layout").fill("NH")
    expect(trial).to_contain_text("Try it")
    explorer.field("layout").fill("nhwc")
    expect(see).to_contain_text("the six channels of a pixel are neighbours")
    expect(trial).to_be_empty()
    explorer.field("layout").fill("NCHW32")
    expect(page.locator("lesson-note")).to_be_hidden()
    explorer.press(explorer.example("Six channels in blocks of four"))
    expect(trial).to_contain_text("Try it")


def test_try_it_leads_to_the_field(page: Page) -> None:
    Explorer(page).open()
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#a-layout")).to_be_focused()
    expect(page.locator("#a-layout")).to_be_in_viewport()
    page.keyboard.type("NHWC")  # the whole text was selected
    expect(page.locator("#a-layout")).to_have_value("NHWC")
    expect(page.locator("lesson-note .see")).to_contain_text("the six channels of a pixel")


def test_on_a_phone_the_first_trial_ends_at_a_memory_that_can_be_read(
    new_page: Callable[..., Page],
) -> None:
    opened = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page = opened
    explorer = Explorer(page).open()
    page.get_by_role("button", name="Try it").tap()
    for grid in ("logical", "a"):
        expect(explorer.canvas(grid)).to_be_in_viewport()
    expect(explorer.canvas("logical")).to_be_in_viewport(ratio=1)
    explorer.field("layout").fill("nhwc")
    expect(page.locator("lesson-note .see")).to_contain_text("the six channels of a pixel")
    expect(explorer.canvas("logical")).to_be_in_viewport(ratio=1)
    explorer.field("layout").press("Enter")
    expect(explorer.field("layout")).to_be_in_viewport()  # the fields stay, and the grids with them
    explorer.settle()
    expect(explorer.canvas("a")).to_have_attribute("data-columns", "12")  # two pixels
    at = explorer.memory_cell("a", 7)
    box = explorer.canvas("a").bounding_box()
    assert box is not None
    assert box["y"] + at[1] < 844
    assert float(explorer.canvas("a").get_attribute("data-cell_css") or 0) >= 20
