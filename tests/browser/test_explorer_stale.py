"""What no longer belongs to the fields looks stale and says so; the page asks again by itself."""

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.explorer import BLOCKED, Explorer, forget
from tests.browser.pages import hear, lasting

pytestmark = pytest.mark.browser

Axe = Callable[..., list[dict[str, Any]]]
STILL = "still shows NCHW4 of 1×6×4×5"


def notes(page: Page) -> list[str]:
    """What the stale places say, in the page's order: the grids, then the facts."""
    texts = page.locator("stale-note:visible").all_text_contents()
    return [text for text in texts if text]


# Colours follow the scheme and places the width: each of both once.
@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [((1440, 900), "light"), ((390, 844), "dark")],
    ids=["desk-light", "phone-dark"],
)
def test_with_a_mistake_the_grids_and_facts_look_stale(
    new_page: Callable[..., Page],
    axe: Axe,
    viewport: tuple[int, int],
    scheme: Literal["light", "dark"],
) -> None:
    width, height = viewport
    page = new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
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
        assert width > 390 or tops[1] - tops[0] < 10, "View stays in its line"
    for grid in ("logical", "a"):
        filtered = page.locator(
            f"{'logical-view' if grid == 'logical' else 'memory-view[side=a]'} canvas"
        )
        assert filtered.evaluate("canvas => getComputedStyle(canvas).filter").startswith(
            "grayscale(1)"
        )
    for tab in ("Facts", "Notations", "Code"):
        page.get_by_role("tab", name=tab).click()
        panel = page.get_by_role("tabpanel")
        colours = panel.evaluate(
            "panel => [...panel.querySelectorAll('*')].map((one) => getComputedStyle(one).color)"
        )
        assert len(set(colours)) == 1, "no colour of a living fact"
        # A tab changes nothing outside the facts.
        assert axe(page, "html" if tab == "Facts" else ".facts") == []
    explorer.field("layout").fill("NHWC")
    expect(page.locator(".facts stale-note")).to_be_empty()
    assert notes(page) == []
    assert page.locator(".stale").count() == 0


def test_b_alone_looks_stale_where_b_alone_is_wrong(page: Page) -> None:
    Explorer(page).open("?shape=1,6,4,5&layout=NCHW4&b-layout=NHWC")
    expect(page.locator("memory-view[side=b] .about")).to_contain_text("NHWC")
    page.locator("#b-layout").fill("N?")
    page.keyboard.press("Enter")
    expect(page.locator("memory-view[side=b]")).to_have_class(re.compile("stale"))
    assert notes(page) == ["still shows NHWC of 1×6×4×5"]
    page.locator("facts-side input[value=b]").check()
    expect(page.locator(".facts stale-note")).to_have_text("still shows NHWC of 1×6×4×5")
    page.locator("facts-side input[value=a]").check()
    expect(page.locator(".facts stale-note")).to_be_empty()


def test_a_late_answer_lets_the_old_one_look_old(page: Page) -> None:
    held: list[Route] = []
    explorer = Explorer(page).open(BLOCKED)

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/describe*layout=NHWC*", hold)
    explorer.field("layout").fill("NHWC")
    expect(page.locator(".facts stale-note")).to_have_text(STILL)
    held[0].continue_()
    expect(page.locator(".facts stale-note")).to_be_empty()
    expect(explorer.about("a")).to_contain_text("NHWC")


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


@pytest.mark.parametrize("sign", ["online", "focus", "visible"])
def test_a_sign_of_life_makes_it_ask_at_once(page: Page, sign: str) -> None:
    lasting(page).clock.install()  # no timer runs, so that the page cannot ask by itself
    explorer = Explorer(page).open(BLOCKED)
    said = logged(page)
    page.context.set_offline(True)
    explorer.field("layout").fill("NHWC")
    page.keyboard.press("Enter")
    expect(page.locator("tensor-problem")).to_contain_text("does not answer")
    if sign == "online":
        page.context.set_offline(False)
    else:
        page.evaluate(
            "addEventListener('online', (event) => event.stopImmediatePropagation(), true)"
        )
        page.context.set_offline(False)
        page.evaluate(
            "sign => sign === 'focus' ? dispatchEvent(new Event('focus'))"
            " : document.dispatchEvent(new Event('visibilitychange'))",
            sign,
        )
    expect(page.locator("tensor-problem")).to_be_empty()
    expect(explorer.about("a")).to_contain_text("NHWC")
    assert only_the_network_s(said), said
