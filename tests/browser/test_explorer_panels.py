"""What shares the explorer's window: panels with edges, two memories, a printed page."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, Explorer
from tests.browser.pages import box_of, lasting

COMPARED = "?shape=1,6,4,5&layout=NCHW4&b-layout=NHWC&at=0,2,1,2"


@pytest.mark.parametrize(
    ("edge", "panel", "along", "keys"),
    [
        ("Width of the column", ".column", "width", ("ArrowRight", "ArrowLeft")),
        ("Height of the tensor", ".uppers", "height", ("ArrowDown", "ArrowUp")),
    ],
)
def test_an_edge_moves_by_keys_and_pointer_stays_and_stops_at_its_ends(
    page: Page, edge: str, panel: str, along: str, keys: tuple[str, str]
) -> None:
    page.set_viewport_size(DESK)
    Explorer(page).open().settle()
    grip, sized = page.get_by_role("separator", name=edge), page.locator(panel)

    def extent() -> float:
        rect: Any = box_of(sized)
        return float(rect[along])

    usual = extent()
    share = int(grip.get_attribute("aria-valuenow") or 0)
    grip.press(keys[0])
    expect(grip).to_have_attribute("aria-valuenow", str(share + 2))
    assert extent() > usual
    grip.press(keys[1])
    assert abs(extent() - usual) < usual * 0.02
    at = box_of(grip)
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 60)
    page.mouse.up()
    moved = extent()
    assert abs(moved - usual - 60) < 8
    page.reload()
    Explorer(page).settle()
    assert abs(extent() - moved) < 2
    grip.dblclick()
    assert abs(extent() - usual) < 2
    if along == "height":
        return
    for end, key in zip(("max", "min"), keys, strict=True):
        for _ in range(30):
            grip.press(key)
        limit = grip.get_attribute(f"aria-value{end}") or ""
        expect(grip).to_have_attribute("aria-valuenow", limit)


def test_code_of_two_layouts_leaves_room_for_the_grids_and_marks_what_differs(page: Page) -> None:
    page.set_viewport_size(DESK)
    Explorer(page).open(f"{COMPARED}&tab=code")
    numpy = page.locator("layout-code section", has_text="NumPy").first
    columns = numpy.locator(".codes > div")
    expect(columns).to_have_count(2)
    a, b = box_of(columns.nth(0)), box_of(columns.nth(1))
    assert a["y"] + a["height"] <= b["y"]
    about = page.locator("memory-view[side=a] .about")
    assert about.evaluate("about => about.clientWidth") > 100
    page.set_viewport_size({"width": 1920, "height": 1080})
    a, b = box_of(columns.nth(0)), box_of(columns.nth(1))
    assert a["y"] == b["y"]
    assert a["x"] + a["width"] <= b["x"]
    expect(columns.nth(0).locator(".differs").first).to_contain_text("zeros(160")
    expect(columns.nth(1).locator(".differs").first).to_contain_text("zeros(120")
    expect(columns.nth(0).locator(".line").first).not_to_have_class("line differs")
    expect(page.locator("facts-side")).to_be_hidden()


@pytest.mark.parametrize(
    "query",
    [
        f"{COMPARED}&tab=code",
        "?shape=1,64,14,14&layout=NCHW32&slice=0,::2",
        "?shape=2,3,4,5,6,7&layout=(2520,840,210,42,7,1)",
    ],
)
def test_grids_facts_and_link_are_printed_on_one_page(page: Page, query: str) -> None:
    # A page that was printed draws no further frame.
    lasting(page).set_viewport_size(DESK)
    explorer = Explorer(page).open(query)
    explorer.settle()
    page.emulate_media(media="print")
    facts = "compared-facts" if "b-layout" in query else "layout-facts"
    expect(page.locator(facts)).to_be_visible()
    expect(explorer.canvas("a")).to_be_visible()
    page.emulate_media(media=None)
    for form in ("A4", "Letter"):
        paper = page.pdf(format=form, prefer_css_page_size=False)
        assert paper.count(b"/Type /Page\n") == 1, form
    assert page.locator(".page").get_attribute("data-link") == page.url
