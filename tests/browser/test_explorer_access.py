"""Everybody can use the page: axe, keyboard, small screens, system colours; nothing leaks."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.pages import Axe, NewPage, box_of, hear

BUSY = "?shape=2,6,3,3&layout=NCHW4&b-layout=NHWC&slice=0,1:&at=1,3,2,0"


# Each pair of a link, a size and a scheme; a whole run takes seconds.
@pytest.mark.parametrize(
    ("query", "viewport", "scheme"),
    [
        pytest.param("", PHONE, "light", id="first-phone-light"),
        pytest.param(BUSY, DESK, "dark", id="busy-desk-dark"),
    ],
)
def test_axe_finds_nothing_and_nothing_overflows_sideways(
    new_page: NewPage,
    axe: Axe,
    query: str,
    viewport: ViewportSize,
    scheme: Literal["light", "dark"],
) -> None:
    explorer = Explorer(new_page(viewport=viewport, color_scheme=scheme)).open(query)
    page = explorer.page
    page.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    assert axe(page) == []
    explorer.field("layout").fill("NC?W")
    expect(explorer.error("layout")).not_to_be_empty()
    assert axe(page, ".inputs") == []
    if query == BUSY:
        expect_to_fit(explorer.show(query))
        return  # what follows is alike under each link
    explorer.field("layout").fill("NCH")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#a-layout-names")).to_be_visible()
    assert axe(page, ".inputs") == []
    page.keyboard.press("Escape")  # the list lies over the column
    page.locator("details.more").evaluate("one => (one.open = false)")
    for tab in ("Notations", "Code"):
        page.get_by_role("tab", name=tab).click()
        assert axe(page, ".facts") == []
    expect_to_fit(explorer.show("?shape=1000,1000,1000,1000&layout=NCHW4&at=0,1,2,3"))


def expect_to_fit(explorer: Explorer) -> None:
    for width in (320, 390, 768, 1024):
        explorer.page.set_viewport_size({"width": width, "height": 844})
        explorer.page.locator("details").evaluate_all(
            "all => all.forEach((one) => (one.open = true))"
        )
        explorer.settle()
        assert explorer.page.evaluate("document.documentElement.scrollWidth") <= width


def in_view(page: Page, selector: str) -> float:
    """The part of an element's height that is on screen, 0 to 1."""
    share: float = page.locator(selector).evaluate(
        """one => {
            const {top, bottom, height} = one.getBoundingClientRect();
            return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) / height;
        }"""
    )
    return share


def test_on_a_phone_a_chosen_example_brings_its_grids_into_view(
    new_page: NewPage, axe: Axe
) -> None:
    page = Explorer(new_page(viewport=PHONE, has_touch=True)).open().page
    examples = [("An address is a sum of steps", False), ("Two orders of one tensor", True)]
    for name, compares in examples:
        page.get_by_text("Worked examples").click()
        # The group of the present example is open, and a group that was opened stays so.
        group = page.locator("preset-list details", has_text=name)
        if group.get_attribute("open") is None:
            group.locator("summary").click()
        page.get_by_role("button", name=name).click()
        expect(page.locator("preset-list")).to_be_hidden()
        expect(page.locator("main")).to_be_focused()
        assert in_view(page, "example-story .see") == 1
        # Two memories take the place of the tensor, which is one press away.
        upper = "memory-view[side=a]" if compares else "logical-view"
        lower = "memory-view[side=b]" if compares else "memory-view[side=a]"
        expect(page.locator(f"{lower} canvas")).to_be_visible()
        expect(page.locator(f"{upper} canvas")).to_be_in_viewport(ratio=1)
        assert in_view(page, f"{lower} canvas") > 0.4
    assert axe(page, "main") == []
    page.go_back()
    expect(page).to_have_title("DHW of 2×2×3 – Stridescope")


def test_the_grids_take_two_thirds_and_the_keyboard_reaches_all_in_order(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=DESK)).open()
    page = explorer.page
    box = box_of(page.locator("main"))
    assert box["width"] * box["height"] >= 2 / 3 * DESK["width"] * DESK["height"]
    boxes = [
        box_of(part) for part in (explorer.canvas("logical"), explorer.canvas("a"), explorer.sum)
    ]
    # The rest is the heads of the two and the legend.
    assert sum(b["width"] * b["height"] for b in boxes) >= 0.78 * box["width"] * box["height"]
    reached: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => {
                    const at = document.activeElement;
                    const frame = '.button, .field, tensor-field, layout-field';
                    const ring = getComputedStyle(at.closest(frame) ?? at);
                    const seen = at === document.body || at.matches('.skip')
                        || ring.outlineStyle !== 'none' && parseFloat(ring.outlineWidth) >= 2;
                    const name = at.id || at.getAttribute('aria-label') || at.textContent.trim();
                    return seen ? name : `no focus ring on ${name}`;
                }"""
            )
        )
        if reached.count("Skip to the grids") == 2:
            break
    assert [name for name in reached if name.startswith("no focus ring")] == []
    wanted = ["Skip to the grids", "a-shape", "a-layout", "a-dtype", "b-layout", "a-slice"]
    places = [reached.index(name) for name in wanted]
    assert places == sorted(places)
    grids = [at for at, name in enumerate(reached) if name.startswith("Logical tensor ")]
    grids.append(reached.index("grid-a"))  # of memory: where the skip link leads
    assert len(grids) >= 2
    assert min(grids) > max(places)
    page.keyboard.press("Enter")  # the skip link leads to the grid that arrows move in
    expect(page.locator('memory-view[side="a"] canvas')).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("at=1(,|%2C)1(,|%2C)3"))


def test_forced_colours_dark_and_light_follow_the_system_and_the_switch(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=DESK, color_scheme="dark")).open()
    page = explorer.page
    explorer.settle()
    assert sum(explorer.pixel("a", (2, 2))) < 150
    page.emulate_media(forced_colors="active")
    explorer.settle()
    assert explorer.pixel("a", (2, 2)) == (0, 0, 0)
    page.emulate_media(color_scheme="light", forced_colors="none")
    explorer.settle()
    assert sum(explorer.pixel("a", (2, 2))) > 600
    page.get_by_role("button", name="Theme: auto").click()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    explorer.settle()
    assert sum(explorer.pixel("a", (2, 2))) < 150
    page.reload()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()


def test_nothing_is_logged_and_no_request_leaves_the_host(page: Page, live_server: str) -> None:
    said: list[str] = []
    asked: list[str] = []
    hear(page, "console", lambda message: said.append(message.text))
    hear(page, "pageerror", lambda error: said.append(str(error)))
    hear(page, "request", lambda request: asked.append(request.url))
    explorer = Explorer(page).open(BUSY)
    explorer.press(page.get_by_role("button", name="Sample picture", include_hidden=True))
    expect(explorer.about("logical")).to_contain_text("96 × 128")
    page.get_by_role("tab", name="Code").click()
    page.get_by_role("button", name="Copy the REST code of A").click()
    explorer.hover("a", explorer.memory_cell("a", 3))
    explorer.rest()
    page.wait_for_load_state("networkidle")
    assert said == []
    assert 5 < len(asked) <= 20
    assert [url for url in asked if not url.startswith(live_server)] == []
    calls = {url.removeprefix(live_server).split("?")[0] for url in asked if "/api/v1/" in url}
    assert calls == {"/api/v1/describe", "/api/v1/slice"}, "maps are never asked for"
