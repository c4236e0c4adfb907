"""Typing is no error: a beginning waits; a message comes after a pause, at its own field."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import BLOCKED, Explorer
from tests.browser.pages import NewPage, box_of

# The page's timer of a rest in the typing runs when the test says so, after all answers: a slow
# machine makes no pause between two keys, and a pause takes no time.
REST_MS = 900
PAUSES = """(() => {
    const {setTimeout: later, clearTimeout: never, fetch: ask} = window;
    window.asked = 0;
    window.fetch = async (...given) => {
        window.asked += 1;
        try {
            const answer = await ask(...given);
            await answer.clone().arrayBuffer();
            return answer;
        } finally {
            window.asked -= 1;
        }
    };
    const held = new Map();
    let last = 0;
    window.setTimeout = (call, ms, ...given) => {
        if (ms !== %d) return later(call, ms, ...given);
        held.set(last -= 1, call);
        return last;
    };
    window.clearTimeout = (id) => void (held.delete(id) || never(id));
    window.pause = () => {
        const calls = [...held.values()];
        held.clear();
        for (const call of calls) call();
        return calls.length;
    };
})()"""

WATCH = """() => {
    window.red = [];
    window.spoken = [];
    const look = () => {
        for (const one of document.querySelectorAll('[aria-invalid=true]')) window.red.push(one.id);
        for (const error of document.querySelectorAll('form .error, tensor-problem')) {
            if (error.textContent.trim() !== '') window.red.push(error.id || error.localName);
        }
    };
    new MutationObserver(look).observe(document.querySelector('.inputs'),
        {subtree: true, childList: true, characterData: true, attributes: true});
    for (const live of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
        new MutationObserver(() => window.spoken.push(live.textContent.trim()))
            .observe(live, {subtree: true, childList: true, characterData: true});
    }
}"""


@pytest.fixture
def watched(new_page: NewPage) -> Callable[..., Explorer]:
    """An explorer that records whatever turns red, and whatever a screen reader is told.

    Its pauses are the test's to make.
    """

    def run(query: str = "") -> Explorer:
        page = new_page(script=PAUSES % REST_MS)
        explorer = Explorer(page).open(query)
        expect(page.locator("#a-layout-reading")).to_contain_text("Read as")
        page.evaluate(WATCH)
        return explorer

    return run


def pause(page: Page) -> None:
    """Look for the next key for longer than the page takes for typing."""
    page.wait_for_function("() => asked === 0")
    Explorer(page).rest()
    assert page.evaluate("pause()") == 1
    Explorer(page).rest()


def turned_red(page: Page) -> list[str]:
    return sorted(set(page.evaluate("window.red")))


def spoken(page: Page) -> list[str]:
    said: list[str] = page.evaluate("window.spoken")
    return [text for text in said if text]


def stale(page: Page) -> Any:
    return page.locator("logical-view stale-note")


def test_a_trial_is_typed_key_by_key_and_nothing_turns_red(
    watched: Callable[..., Explorer],
) -> None:
    explorer = watched(BLOCKED)
    page = explorer.page
    field = explorer.field("layout")
    field.select_text()
    for key, hint in [("N", "NCHW"), ("H", "NHWC"), ("W", "NHWC")]:
        page.keyboard.press(key)
        pause(page)
        expect(page.locator("#a-layout-wait")).to_contain_text(f"Go on typing: {hint}")
        expect(page.locator("example-story .see")).to_contain_text("blocks of four")
        expect(page.locator("example-story .try")).to_contain_text("Try it: type NHWC")
        expect(explorer.about("a")).to_contain_text("NCHW4")
        assert page.locator(".stale").count() == 0, "the last layout keeps its colours"
    page.keyboard.press("C")
    expect(explorer.about("a")).to_contain_text("NHWC")
    pause(page)
    expect(page.locator("example-story .see")).to_contain_text("channels of a pixel are neighbours")
    expect(page.locator("example-story .try")).to_be_hidden()
    expect(page.locator("#a-layout-wait")).to_be_empty()
    expect(stale(page)).to_be_empty()
    expect(page.locator("field-voice")).to_contain_text("Read as letters")
    assert turned_red(page) == []
    said = spoken(page)
    assert len(said) == 1, said
    assert "channels of a pixel are neighbours" in said[0]
    page.get_by_role("button", name="Back to NCHW4").click()
    expect(field).to_have_value("NCHW4")
    expect(page.locator("example-story .try")).to_be_focused()
    expect(page.locator("example-story .back")).to_be_hidden()


def test_a_mistake_is_told_after_a_pause_and_once(watched: Callable[..., Explorer]) -> None:
    explorer = watched(BLOCKED)
    page = explorer.page
    field = explorer.field("layout")
    field.fill("")
    field.press_sequentially("NH?")
    with page.expect_response("**/describe*layout=NH%3FW*"):
        page.keyboard.press("W")
    assert turned_red(page) == [], "it comes after a pause"
    pause(page)
    expect(explorer.error("layout")).to_contain_text("Character 3 is ?")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("field-voice")).to_contain_text("Character 3 is ?")
    assert turned_red(page) == ["a-layout", "a-layout-error"]
    said, below = box_of(explorer.error("layout")), box_of(page.locator("aside.column"))
    assert said["y"] + said["height"] <= below["y"], "it covers no sentence of the column"
    assert len(spoken(page)) == 1
    expect(page.locator("example-story .try")).to_contain_text("Try it")
    page.keyboard.press("Backspace")
    expect(explorer.error("layout")).to_be_empty()
    expect(field).to_have_attribute("aria-invalid", "false")


def test_a_message_stands_at_the_field_that_was_typed_into_and_what_is_wrong_with_b_at_b(
    watched: Callable[..., Explorer],
) -> None:
    explorer = watched("?shape=1,6,4,5&layout=NHWC&b-layout=NCHW")
    page = explorer.page
    explorer.field("layout").fill("HW")
    page.keyboard.press("Tab")
    said = "Layout: this one is for 2 sizes, but the shape 1,6,4,5 has 4"
    expect(explorer.error("layout")).to_have_text(said)
    assert turned_red(page) == ["a-layout", "a-layout-error"]
    # The other way round, it is the shape that was changed.
    explorer.field("layout").fill("NHWC")
    expect(explorer.error("layout")).to_be_empty()
    explorer.field("shape").fill("6,4")
    page.keyboard.press("Tab")
    expect(explorer.error("shape")).to_contain_text("expected 4 sizes")
    expect(explorer.error("layout")).to_be_empty()
    explorer.field("layout").fill("CHW")
    page.keyboard.press("Tab")
    expect(explorer.error("layout")).to_contain_text("for 3 sizes, but the shape 6,4 has 2")
    expect(explorer.error("shape")).to_be_empty()
    explorer.field("shape").fill("2,3,4")
    expect(explorer.about("logical")).to_contain_text("2 × 3 × 4")
    pause(page)
    said = "Compare: this one is for 4 sizes, but the shape 2,3,4 has 3"
    expect(explorer.error("layout", "b")).to_have_text(said)
    expect(explorer.error("shape")).to_be_empty()
    note = page.locator("memory-view[side=b] stale-note")
    expect(note).to_have_text("still shows NCHW of 1×6×4×5")
    expect(stale(page)).to_be_empty()


def test_a_link_with_a_mistake_says_so_at_once_and_in_its_field(page: Page) -> None:
    page.goto("/?shape=2,3&layout=NCHW")
    explorer = Explorer(page)
    expect(explorer.error("shape")).to_contain_text("expected 4 sizes")
    expect(explorer.error("layout")).to_be_empty()
    expect(page.locator("field-voice")).to_contain_text("expected 4 sizes")


def test_fewer_sizes_may_take_the_layout_without_its_first_letter(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,6,4,5&layout=NCHW4")
    offer = page.get_by_role("button", name="or take the layout CHW4")
    explorer.field("shape").fill("2,3,4")
    expect(page.locator("#a-shape-wait")).to_have_text("Go on typing: 3 of 4 sizes")
    expect(offer).to_have_count(0)
    explorer.field("shape").fill("2 × 3 × 4")
    page.keyboard.press("Enter")
    expect(explorer.error("shape")).to_contain_text("sizes")
    offer.click()
    expect(explorer.field("layout")).to_have_value("CHW4")
    expect(explorer.about("a")).to_have_text(re.compile(r"CHW4\s+48 addresses"))
    expect(explorer.field("shape")).to_have_attribute("aria-invalid", "false")


def test_enter_takes_the_shape_that_is_offered_for_a_layout(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3,4&layout=CHW")
    explorer.field("layout").fill("NHWC")
    expect(page.get_by_role("button", name="or take the shape 1,2,3,4")).to_be_visible()
    expect(page.locator("#a-layout-names")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(explorer.field("shape")).to_have_value("1,2,3,4")
    expect(explorer.canvas("a")).to_have_attribute("aria-label", re.compile("NHWC"))
    expect(explorer.error("layout")).to_be_empty()


def test_small_letters_that_spell_a_name_become_it_when_the_field_is_left(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3,4&layout=CHW")
    explorer.field("layout").fill("hwc")
    expect(page.locator("#a-layout-names").get_by_role("option")).to_have_text(re.compile("^HWC"))
    explorer.field("shape").click()
    expect(explorer.field("layout")).to_have_value("HWC")
    expect(explorer.canvas("a")).to_have_attribute("aria-label", re.compile("HWC"))
