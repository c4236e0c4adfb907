"""The whole of a memory as a line under its grid: where the window lies, and a way to move it."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer, listen
from tests.browser.pages import Axe, NewPage, box_of

IMAGES = "?shape=8,64,56,56&layout=NCHW4"
ELEMENTS = 8 * 64 * 56 * 56
NARROW = "\u202f"


# The images, as parts of eight, in which a slice is marked.
MARKED = """canvas => { const {width, height} = canvas;
    const row = canvas.getContext('2d').getImageData(0, 24 * height / 38, width, 1).data;
    return [...Array(width).keys()].filter(x => row[4 * x + 2] > row[4 * x] + 90)
        .map(x => 8 * (x + 1) / width); }"""


def strip_of(page: Page, side: str = "a", owner: str = "memory") -> Locator:
    return page.locator(f"{owner}-strip[side={side}] canvas")


def first_of(strip: Locator) -> int:
    """The first address that the window shows, as the strip tells it."""
    return int(strip.get_attribute("aria-valuenow") or -1)


def seen(strip: Locator) -> tuple[int, int]:
    """The first and last address that the strip says are in view."""
    text = (strip.get_attribute("aria-valuetext") or "").replace(NARROW, "")
    found = re.match(r"addresses (\d+) to (\d+) of", text)
    assert found, text
    return int(found[1]), int(found[2])


def expect_rows(strip: Locator, canvas: Locator) -> None:
    """What the strip tells is what the canvas draws: the addresses of its first visible row on."""
    data = canvas.evaluate("c => ({...c.dataset})")
    columns = int(data["columns"])
    left, top = int(float(data["left_cells"])), int(float(data["top_cells"]))
    expect(strip).to_have_attribute("aria-valuenow", str(top * columns + left))


def middle_colour(strip: Locator, share: float) -> list[int]:
    colour: list[int] = strip.evaluate(
        """(canvas, share) => [...canvas.getContext('2d').getImageData(
            Math.floor(canvas.width * share), 15 * canvas.height / 38, 1, 1).data].slice(0, 3)""",
        share,
    )
    return colour


def test_the_strip_shows_and_moves_the_window(page: Page, axe: Axe) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open(f"{IMAGES}&mv=fit")
    said = listen(page)
    strip, canvas = strip_of(page), explorer.canvas("a")
    # The whole memory fits: there is nothing to say.
    expect(strip).to_be_hidden()
    canvas.focus()
    page.keyboard.press("Home")
    for _ in range(6):
        page.keyboard.press("+")
    expect(strip).to_be_visible()
    expect(strip).to_have_attribute("data-done", "true")
    expect(strip).to_have_attribute("aria-label", "Window in memory")
    expect(strip).to_have_attribute("aria-valuetext", re.compile(r"^addresses 0 to .*, n 0"))
    box = box_of(strip)
    assert box["height"] >= 24

    # A press brings the window there, at the same zoom; it can be dragged on from there.
    cell_css = canvas.get_attribute("data-cell_css")
    strip.click(position={"x": box["width"] * 0.7, "y": 15})
    explorer.settle()
    first, last = seen(strip)
    assert first < ELEMENTS * 0.7 < last
    assert canvas.get_attribute("data-cell_css") == cell_css
    expect(strip).to_have_attribute("aria-valuetext", re.compile("n 5$"))
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + 60, steps=4)
    page.mouse.up()
    explorer.settle()
    first, last = seen(strip)
    assert abs((first + last) / 2 - ELEMENTS * 0.45) < ELEMENTS * 0.01

    # Each key, and its answer in the grid.
    expect(strip).to_be_focused()
    page.keyboard.press("Home")
    expect(strip).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("PageUp")
    explorer.settle()
    after_page = first_of(strip)
    assert after_page > 0
    expect_rows(strip, canvas)
    page.keyboard.press("ArrowDown")
    explorer.settle()
    assert first_of(strip) > after_page
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowUp")
    expect(strip).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("End")
    expect(strip).to_have_attribute("aria-valuetext", re.compile("n 7$"))
    assert strip.get_attribute("aria-valuenow") == strip.get_attribute("aria-valuemax")
    assert seen(strip)[1] == ELEMENTS - 1

    # A slice of one image: its places are marked, those of the others are not.
    explorer.field("slice").fill("2,:,3,:")
    expect(page.locator("slice-result")).to_contain_text("64")
    expect(strip).to_have_attribute("data-done", "true")
    # The answer is drawn some frames after its words are there.
    page.wait_for_function(f"canvas => ({MARKED})(canvas).length > 0", arg=strip.element_handle())
    assert all(2 <= place <= 3.01 for place in strip.evaluate(MARKED))
    assert axe(page, "main") == []
    assert said == []


def test_the_strip_has_the_colours_of_the_channels(page: Page) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open("?shape=1,8,56,56&layout=NCHW&at=0,5,5,5")
    strip = strip_of(page)
    expect(strip).to_have_attribute("data-done", "true")
    explorer.settle()
    orange = middle_colour(strip, 5.9 / 8)
    for part, expected in zip(orange, (0xD5, 0x5E, 0x00), strict=True):
        assert abs(part - expected) < 24
    # One cell chosen, one triangle over its place: 5 * 3136 + 5 * 56 + 5 of 25 088 addresses.
    dark = strip.evaluate(
        """canvas => { const {width, height} = canvas;
            const row = canvas.getContext('2d').getImageData(0, 3 * height / 38, width, 1).data;
            const xs = [...Array(width).keys()].filter(x => row[4 * x] < 90);
            return xs.reduce((sum, x) => sum + x + 0.5, 0) / xs.length / width; }"""
    )
    assert abs(dark - 15965 / 25088) < 0.003


def test_a_million_million_elements_by_finger(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    page.emulate_media(forced_colors="active")
    explorer = Explorer(page).open("?shape=1000,1000,1000,1000&layout=NHWC&at=333,20,5,5")
    strip = strip_of(page)
    expect(strip).to_have_attribute("data-done", "true")
    expect(strip).to_have_attribute("aria-valuetext", re.compile("n 333$"))
    strip.scroll_into_view_if_needed()
    box = box_of(strip)
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 15)
    explorer.settle()
    first, last = seen(strip)
    assert first < 500_000_000_000 + 2_000_000_000
    assert last > 500_000_000_000 - 2_000_000_000
    # Fine steps: a window that cuts rows moves along them, too.
    strip.focus()
    before = first_of(strip)
    page.keyboard.press("ArrowRight")
    explorer.settle()
    assert 0 < first_of(strip) - before < 1000
    page.keyboard.press("ArrowDown")
    explorer.settle()
    assert first_of(strip) - before >= 1000
    assert axe(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_two_memories_in_step_move_together(page: Page) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open(f"{IMAGES}&b-layout=NHWC&at=3,20,5,5")
    a, b = strip_of(page, "a"), strip_of(page, "b")
    expect(b).to_have_attribute("aria-label", "Window in memory B")
    expect(a).to_have_attribute("data-done", "true")
    explorer.settle()  # the memories stand one over the other until both are answered
    expect(b).to_have_attribute("data-done", "true")
    b.focus()
    page.keyboard.press("End")
    expect(b).to_have_attribute("aria-valuetext", re.compile("to 1.?605.?631 of"))
    assert seen(b)[1] == ELEMENTS - 1
    explorer.settle()
    assert seen(a)[1] > ELEMENTS * 0.9


def test_a_reorder_fills_the_strip_of_b(page: Page) -> None:
    page.set_viewport_size(DESK)
    page.goto("/reorder?shape=8,64,56,56&layout=NCHW&b-layout=NHWC&step=802815")
    a, b = strip_of(page, "a", "reorder"), strip_of(page, "b", "reorder")
    expect(b).to_have_attribute("data-done", "true")
    expect(a).to_have_attribute("data-done", "true")
    assert seen(b)[0] <= 802_815 <= seen(b)[1]
    # Half of the images are written; the rest of B is empty.
    empty = middle_colour(b, 0.8)
    assert empty == middle_colour(b, 0.97)
    assert middle_colour(b, 0.2) != empty
    assert middle_colour(a, 0.8) != middle_colour(a, 0.2)
    b.focus()
    page.keyboard.press("Home")
    expect(b).to_have_attribute("aria-valuenow", "0")
