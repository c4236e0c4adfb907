"""What no longer belongs to the fields looks stale and says so; the page asks again by itself."""

import re

from playwright.sync_api import Page, expect

from tests.browser.explorer import BLOCKED, PHONE, Explorer, Grid, forget
from tests.browser.pages import Axe, NewPage, hear, lasting

STILL = "still shows NCHW4 of 1×6×4×5"


def notes(page: Page) -> list[str]:
    """What the stale places say, in the page's order: the grids, then the facts."""
    texts = page.locator("stale-note:visible").all_text_contents()
    return [text for text in texts if text]


def test_with_a_mistake_the_grids_and_facts_look_stale(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark")
    explorer = Explorer(page).open(BLOCKED)
    page.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    coloured = explorer.pixel("a", explorer.memory_cell("a", 4))
    assert max(coloured) - min(coloured) > 30
    explorer.field("layout").fill("NC?W")
    page.keyboard.press("Enter")
    expect(page.locator(".facts stale-note")).to_have_text(STILL)
    assert notes(page) == [STILL] * 3
    page.locator(".bar .view").evaluate_all("all => all.forEach((one) => (one.open = false))")
    for head in page.locator(".grid:visible > .bar").all():
        tops = head.evaluate(
            "bar => [bar, bar.querySelector('summary')].map((one) => one.getBoundingClientRect().y)"
        )
        assert tops[1] - tops[0] < 10, "View stays in its line"
    grids: tuple[Grid, Grid] = ("logical", "a")
    for grid in grids:
        drawn = explorer.canvas(grid).evaluate("canvas => getComputedStyle(canvas).filter")
        assert drawn.startswith("grayscale(1)")
    for tab in ("Facts", "Notations", "Code"):
        page.get_by_role("tab", name=tab).click()
        panel = page.get_by_role("tabpanel")
        colours = panel.evaluate(
            "panel => [...panel.querySelectorAll('*')].map((one) => getComputedStyle(one).color)"
        )
        assert len(set(colours)) == 1, "no colour of a living fact"
        assert axe(page, ".facts") == []
    assert axe(page, "main") == []
    explorer.field("layout").fill("NHWC")
    expect(page.locator(".facts stale-note")).to_be_empty()
    assert notes(page) == []
    assert page.locator(".stale").count() == 0


def logged(page: Page) -> list[str]:
    said: list[str] = []
    hear(page, "console", lambda message: said.append(message.text))
    hear(page, "pageerror", lambda error: said.append(str(error)))
    return said


def only_the_network_s(said: list[str]) -> bool:
    return all(text.startswith("Failed to load resource: net::") for text in said)


def test_when_the_server_is_back_the_page_asks_by_itself(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,6,4,5&layout=NCHW4&slice=0")
    said = logged(page)
    page.route("**/api/v1/**", lambda route: route.abort())
    explorer.field("layout").fill("NHWC")
    away = f"{STILL}: the server does not answer"
    expect(page.locator(".facts stale-note")).to_have_text(away)
    expect(page.locator("tensor-problem")).to_contain_text("does not answer")
    assert notes(page) == [away] * 3
    expect(page.locator("#a-layout")).to_have_attribute("aria-invalid", "false")
    page.unroute_all()
    expect(page.locator("tensor-problem")).to_be_empty()
    expect(explorer.about("a")).to_contain_text("NHWC")
    expect(page.locator("slice-result")).to_contain_text("6 × 4 × 5")
    assert notes(page) == []
    assert said != []
    assert only_the_network_s(said), said


def test_a_page_that_opens_without_the_api_says_so_and_draws_later(page: Page) -> None:
    forget(page)
    page.route("**/api/v1/**", lambda route: route.abort())
    page.goto("/")
    notice = page.locator("logical-view .notice")
    expect(notice).to_have_text("Nothing to draw yet: the server does not answer.")
    page.unroute_all()
    expect(notice).to_be_hidden()
    expect(page).to_have_title(re.compile("^CHW of"))


def test_a_sign_of_life_makes_it_ask_at_once(page: Page) -> None:
    lasting(page).clock.install()  # no timer runs, so that the page cannot ask by itself
    explorer = Explorer(page).open(BLOCKED)
    said = logged(page)
    signs = {
        "NHWC": "",  # what the browser itself tells: that it is online
        "NCHW": "dispatchEvent(new Event('focus'))",
        "CHWN4": "document.dispatchEvent(new Event('visibilitychange'))",
    }
    for layout, sign in signs.items():
        page.context.set_offline(True)
        explorer.field("layout").fill(layout)
        page.keyboard.press("Enter")
        expect(page.locator("tensor-problem")).to_contain_text("does not answer")
        if sign:
            page.evaluate(
                "addEventListener('online', (event) => event.stopImmediatePropagation(), true)"
            )
        page.context.set_offline(False)
        if sign:
            page.evaluate(f"() => {sign}")
        expect(page.locator("tensor-problem")).to_be_empty()
        expect(explorer.about("a")).to_contain_text(layout)
    assert only_the_network_s(said), said
