"""What a screen reader says, by a virtual one that runs in the page itself.

It speaks what takes the focus and what live regions say. It does not follow the
active cell of a grid by itself, as real ones do: the tests look at that beside what it said.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import DESK, Explorer
from tests.places import ROOT

READER = ROOT / "node_modules/@guidepup/virtual-screen-reader/lib/esm/index.browser.js"
PADDED = "?shape=1,6,2,3&layout=NCHW4&at=0,1,0,0"


class Reader:
    """A screen reader in a page, from ``start`` on."""

    def __init__(self, page: Page) -> None:
        self._page = page
        if not READER.is_file():
            pytest.fail("the virtual screen reader is missing: run npm ci", pytrace=False)
        page.route(
            "**/virtual-screen-reader.js",
            lambda route: route.fulfill(path=READER, content_type="text/javascript"),
        )

    def start(self, selector: str) -> None:
        """Begin to listen to an element and what lies in it."""
        self._page.evaluate(
            """async (selector) => {
                const {virtual} = await import('/virtual-screen-reader.js');
                window.reader = virtual;
                await virtual.start({container: document.querySelector(selector)});
            }""",
            selector,
        )
        self.said()

    def said(self, until: str = "") -> list[str]:
        """What was said since the last call, without what is blank; spaces are single ones.

        ``until``: what must be in one of the phrases; it is waited for. Either way the timers have
        run that were set by then, so that what is said once too often is heard too.
        """
        if until:
            self._page.wait_for_function(
                "async (until) => (await reader.spokenPhraseLog()).some((x) => x.includes(until))",
                arg=until,
            )
        Explorer(self._page).rest()
        heard: list[str] = self._page.evaluate(
            """async () => {
                const heard = [...await reader.spokenPhraseLog()];
                await reader.clearSpokenPhraseLog();
                return heard;
            }"""
        )
        plain = [re.sub(r"\s+", " ", phrase).strip() for phrase in heard]
        return [phrase for phrase in plain if phrase not in {"polite:", "assertive:", ""}]


@pytest.fixture
def reader(page: Page) -> Reader:
    page.set_viewport_size(DESK)
    return Reader(page)


def active(grid: Locator) -> str:
    """The words of the cell that a grid tells as the active one."""
    words: str = grid.evaluate(
        "grid => document.getElementById(grid.getAttribute('aria-activedescendant'))?.textContent"
    )
    return re.sub(r"\s+", " ", words or "")


def test_a_cell_that_is_chosen_is_heard_once(page: Page, reader: Reader) -> None:
    explorer = Explorer(page).open(f"{PADDED}&b-layout=NHWC")
    rows = page.locator("memory-view[side=a] [role=row]")
    expect(rows).to_have_count(4)
    assert rows.evaluate_all("all => all.map((row) => row.ariaRowIndex)") == ["1", "2", "3", "4"]
    cells = rows.locator("[role=gridcell]")
    read = "all => all.map((cell) => [cell.textContent.split(':')[0], cell.ariaColIndex])"
    assert cells.evaluate_all(read) == [[f"address {n}", str(n % 12 + 1)] for n in range(48)]
    reader.start("body")
    memory = explorer.canvas("a")
    memory.focus()
    (heard,) = [phrase for phrase in reader.said("grid,") if phrase.startswith("grid,")]
    assert "active descendant address 1:" in heard
    for key, words in [
        ("ArrowRight", "address 2: n 0, c 2, h 0, w 0, in B address 2, element 12"),
        ("ArrowDown", "address 14: n 0, c 2, h 1, w 0, in B address 20, element 15"),
        ("End", "address 23: n 0, c 3, h 1, w 2, in B address 33, element 23"),
        ("ArrowDown", "address 35: padding: it would be n 0, c 7, h 0, w 2"),
    ]:
        page.keyboard.press(key)
        # The grid tells its active cell; nothing else says it too.
        assert reader.said() == []
        assert active(memory) == words
    explorer.canvas("logical").focus()
    reader.said()
    page.keyboard.press("Home")
    assert reader.said() == []
    assert active(explorer.canvas("logical")).startswith("n 0, c 3, h 1, w 0: address 15")
    # From elsewhere the line of the sum speaks, once.
    go_to = page.locator("#go-to")
    go_to.fill("7")
    reader.said()
    go_to.press("Enter")
    said = [phrase for phrase in reader.said("address") if "address" in phrase]
    assert said == ["polite: n 0, c 3, h 0, w 1: address 7, in B address 9, element 19"]


def test_a_step_of_the_player_is_heard_once(page: Page, reader: Reader) -> None:
    Explorer(page).open(f"{PADDED}&walk=memory&t=4")
    reader.start("body")
    forward = page.locator("walk-player").get_by_role("button", name="One step forward")
    forward.focus()
    assert any("button, One step forward" in phrase for phrase in reader.said("button, One"))
    page.keyboard.press("Enter")
    told = [phrase for phrase in reader.said("address 5") if "address 5" in phrase]
    assert told == ["polite: n 0, c 1, h 0, w 1: address 5, element 7"]
    slider = page.locator("walk-player input[type=range]")
    slider.focus()
    (heard,) = [phrase for phrase in reader.said("slider,") if phrase.startswith("slider,")]
    assert "step 5" in heard
