"""Going to a cell, the steps of the zoom, and Fit: by pointer, keyboard and touch."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import DESK, PHONE, Explorer, Grid, one_page
from tests.browser.pages import Pages

pytestmark = pytest.mark.browser

Axe = Callable[..., list[dict[str, Any]]]
GRIDS: tuple[Grid, Grid] = ("logical", "a")
LARGE = "?shape=10,64,128,128&layout=NCHW4"
PADDED = "?shape=1,6,3,3&layout=NCHW4"


def number(explorer: Explorer, grid: Grid, name: str) -> float:
    return float(explorer.canvas(grid).get_attribute(f"data-{name}") or -1)


def is_in_the_middle(explorer: Explorer, grid: Grid, at: tuple[float, float]) -> bool:
    """Whether a point of a canvas is within one cell of the middle of its cells."""
    box = explorer.canvas(grid).bounding_box()
    inset = explorer.canvas(grid).get_attribute("data-inset_css") or ""
    assert box is not None
    left_css, top_css = (float(part) for part in inset.split(","))
    cell_css = number(explorer, grid, "cell_css")
    return (
        abs(at[0] - (left_css + box["width"]) / 2) <= cell_css
        and abs(at[1] - (top_css + box["height"]) / 2) <= cell_css
    )


@pytest.fixture(scope="module")
def padded(pages: Pages) -> Iterator[Explorer]:
    """One page whose memory has padding at addresses 38 and 39."""
    with one_page(pages, PADDED) as explorer:
        yield explorer


@pytest.mark.parametrize(
    ("typed", "coords", "address"),
    [
        ("35", "0,3,2,2", 35),
        ("0x2d", "0,5,0,2", 45),
        ("byte 180", "0,5,0,2", 45),
        ("0,5,2,1", "0,5,2,1", 65),
        ("[0][5][2][1]", "0,5,2,1", 65),
        ("n=0 c=5 h=2 w=1", "0,5,2,1", 65),
        ("c 4", "0,4,2,1", 64),
    ],
)
def test_the_field_goes_to_an_address_or_a_coordinate(
    padded: Explorer, typed: str, coords: str, address: int
) -> None:
    field = padded.page.get_by_label("Go to")
    field.fill("0,5,2,1")
    field.press("Enter")
    padded.expect_lit("0,5,2,1", 65)
    field.fill(typed)
    field.press("Enter")
    padded.expect_lit(coords, address)
    expect(field).to_have_attribute("aria-invalid", "false")
    expect(padded.page.locator("#cell-now")).to_contain_text(f"address {address}")


def test_it_says_how_an_address_was_read_and_what_has_no_element(padded: Explorer) -> None:
    field, said = padded.page.get_by_label("Go to"), padded.page.locator("go-to .said")
    for typed, words in [
        ("0x2d", "0x2d is address 45, counted in elements"),
        ("byte 182", "address 45, 2 bytes after its start"),
    ]:
        field.fill(typed)
        expect(said).to_be_hidden()
        field.press("Enter")
        expect(said).to_contain_text(words)
        expect(said).not_to_have_class(re.compile("error"))
    field.fill("38")
    field.press("Enter")
    padded.expect_lit("", 38)
    expect(padded.sum.locator(".line")).to_have_text(
        "Address 38 is padding: the layout keeps the place, but no element lies there "
        "(it would be n 0, c 6, h 0, w 0)."
    )
    expect(said).to_be_hidden()


def test_what_leads_nowhere_says_why_at_the_field(padded: Explorer, axe: Axe) -> None:
    field, said = padded.page.get_by_label("Go to"), padded.page.locator("go-to .said")
    for typed, words in [
        ("72", "Address 72 is outside. This memory has 72 addresses, from 0 to 71."),
        ("1,2", "A coordinate of this tensor has 4 indices (n, c, h, w), not 2."),
        ("0,6,0,0", "c goes from 0 to 5, not 6."),
        ("over there", "not understood"),
        ("", "Type an address"),
    ]:
        field.fill(typed)
        field.press("Enter")
        expect(said).to_contain_text(words)
        expect(field).to_have_attribute("aria-invalid", "true")
    assert axe(padded.page, "main") == []
    field.fill("1")
    expect(said).to_be_hidden()
    expect(field).to_have_attribute("aria-invalid", "false")


def test_g_brings_the_keyboard_to_the_field_and_escape_back(page: Page) -> None:
    explorer = Explorer(page).open(LARGE)
    explorer.canvas("a").focus()
    page.keyboard.press("g")
    expect(page.get_by_label("Go to")).to_be_focused()
    page.keyboard.type("5,33,70,81")
    page.keyboard.press("Enter")
    address = 5 * 1048576 + 8 * 65536 + 70 * 512 + 81 * 4 + 1
    explorer.expect_lit("5,33,70,81", address)
    explorer.settle()
    assert is_in_the_middle(explorer, "a", explorer.memory_cell("a", address))
    for grid in GRIDS:
        _expect_read(explorer, grid)
    page.keyboard.press("Escape")
    expect(explorer.canvas("a")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(explorer.sum).to_have_attribute("data-address", str(address + 1))


def test_what_was_said_of_a_place_goes_with_its_layout(page: Page) -> None:
    explorer = Explorer(page).open(PADDED)
    field, said = page.get_by_label("Go to"), page.locator("go-to .said")
    field.fill("0x2d")
    field.press("Enter")
    expect(said).to_contain_text("0x2d is address 45")
    page.evaluate(
        """() => {
            const layout = document.querySelector('#a-layout');
            layout.value = 'NHWC';
            layout.dispatchEvent(new Event('input', {bubbles: true}));
        }"""
    )
    expect(explorer.about("a")).to_contain_text("NHWC")
    expect(said).to_be_hidden()


def test_a_finger_goes_to_a_cell_on_a_phone(new_page: Callable[..., Page]) -> None:
    explorer = Explorer(new_page(viewport=PHONE, has_touch=True)).open(LARGE)
    go_to, bar = explorer.page.get_by_label("Go to"), explorer.page.locator("[side=a] .bar")
    heads = [bar.bounding_box()]
    narrow = go_to.evaluate("input => input.clientWidth")
    go_to.tap()
    assert go_to.evaluate("input => input.clientWidth") > 2 * narrow, "wide while it is typed into"
    assert heads == [bar.bounding_box()], "in the same line"
    explorer.page.keyboard.type("1,2,3,4")
    explorer.page.keyboard.press("Enter")
    explorer.expect_lit("1,2,3,4", 1048576 + 3 * 512 + 4 * 4 + 2)
    expect(explorer.page.locator("[side=a] .place")).to_be_visible()  # its keyboard has gone
    explorer.page.get_by_label("Go to").fill("99999999")
    explorer.page.keyboard.press("Enter")
    said = explorer.page.locator("go-to .said").bounding_box()
    assert said is not None
    assert said["x"] >= 0, "the message is on the screen"
    assert said["x"] + said["width"] <= PHONE["width"]


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_link_opens_with_its_cell_in_the_middle_large_enough_to_read(
    new_page: Callable[..., Page], viewport: ViewportSize
) -> None:
    explorer = Explorer(new_page(viewport=viewport)).open(f"{LARGE}&at=5,33,70,81")
    explorer.settle()
    address = 5 * 1048576 + 8 * 65536 + 70 * 512 + 81 * 4 + 1
    assert is_in_the_middle(explorer, "a", explorer.memory_cell("a", address))
    columns, rows = 32 * (128 + 5), 2 * (128 + 5)
    for grid in GRIDS:
        _expect_read(explorer, grid)
    assert number(explorer, "logical", "columns") >= columns / 4
    assert number(explorer, "logical", "rows") >= rows / 4
    explorer.hover("logical", _middle_of(explorer, "logical"))
    near = [int(part) for part in (explorer.sum.get_attribute("data-coords") or "").split(",")]
    assert near[:2] == [5, 33]
    assert abs(near[2] - 70) <= 1
    assert abs(near[3] - 81) <= 1


def _expect_read(explorer: Explorer, grid: Grid) -> None:
    """The coordinates of the last element have 11 pixels in its cells."""
    sides = explorer.canvas(grid).get_attribute("data-side_css") or ""
    wide, high = (float(part) for part in sides.split(","))
    assert min(wide * 0.92 / (len("9,63,127,127") * 0.58), high * 0.56) >= 11


def _middle_of(explorer: Explorer, grid: Grid) -> tuple[float, float]:
    box = explorer.canvas(grid).bounding_box()
    inset = explorer.canvas(grid).get_attribute("data-inset_css") or ""
    assert box is not None
    left_css, top_css = (float(part) for part in inset.split(","))
    return (left_css + box["width"]) / 2, (top_css + box["height"]) / 2


def test_a_link_with_a_view_opens_with_that_view(page: Page) -> None:
    explorer = Explorer(page).open(f"{LARGE}&at=5,33,70,81&lv=fit&mv=2,100,2000")
    explorer.settle()
    assert number(explorer, "a", "cell_css") == 2
    assert number(explorer, "a", "left_cells") == 100
    assert number(explorer, "logical", "cell_css") < 1
    explorer.page.goto(f"/{PADDED}&at=0,5,2,1")
    expect(explorer.about("a")).to_contain_text("72 addresses")
    for grid in GRIDS:
        explorer.expect_drawn(grid)
    explorer.settle()
    for grid in GRIDS:
        assert number(explorer, grid, "left_cells") == 0, "all of it is in view and readable"


def test_a_reload_is_no_link(page: Page) -> None:
    explorer = Explorer(page).open(LARGE)
    explorer.settle()
    before = number(explorer, "a", "cell_css")
    explorer.click("a", explorer.memory_cell("a", 5))
    expect(page).to_have_url(re.compile("at="))
    page.reload()
    explorer.expect_drawn("a")
    explorer.settle()
    assert number(explorer, "a", "cell_css") == pytest.approx(before)


@pytest.mark.parametrize("grid", GRIDS)
def test_the_zoom_has_steps_with_names(page: Page, grid: Grid) -> None:
    explorer = Explorer(page).open("?shape=4,64,56,56&layout=NCHW4")
    view = explorer.canvas(grid).locator("xpath=..")
    step = view.get_by_label("Zoom step")
    sizes: dict[str, float] = {}
    for name in ("text", "cells", "texture", "all"):
        step.select_option(name)
        explorer.settle()
        expect(step).to_have_value(name)
        sizes[name] = number(explorer, grid, "cell_css")
    assert sizes["text"] >= 40, "six digits of ten pixels"
    assert 5 <= sizes["cells"] < 13
    assert 1 <= sizes["texture"] <= 3.2
    assert sizes["all"] == min(sizes.values())
    explorer.canvas(grid).focus()
    passed = [step.input_value()]
    for _ in range(30):
        page.keyboard.press("+")
        explorer.settle()
        passed.append(step.input_value())
    assert list(dict.fromkeys(passed)) == ["all", "texture", "cells", "text"]
    for _ in range(30):
        view.get_by_role("button", name="Zoom out").click()
    explorer.settle()
    expect(step).to_have_value("all")
    assert number(explorer, grid, "cell_css") == pytest.approx(sizes["all"])


def test_a_step_keeps_the_lit_cell_in_the_middle(page: Page) -> None:
    explorer = Explorer(page).open("?shape=4,64,56,56&layout=NCHW&at=2,30,20,20&mv=fit&lv=fit")
    address = ((2 * 64 + 30) * 56 + 20) * 56 + 20
    for name in ("cells", "text"):
        page.locator("memory-view[side=a]").get_by_label("Zoom step").select_option(name)
        explorer.settle()
        assert is_in_the_middle(explorer, "a", explorer.memory_cell("a", address))


# Few and 10¹² elements, wide and tall; tests/js/core/grid/zoom.test.js has sizes at random.
FITTED = [
    "?shape=1,6,4,5&layout=NCHW4",
    "?shape=1000,1000,1000,1000&layout=NCHW",
    "?shape=3,4096&layout=HW&row=4096",
    "?shape=4096,3&layout=HW&row=3",
    "?shape=2,1000000&layout=HW&row=1000000",
    "?shape=()&layout=()",
    "?shape=2,3&layout=5,1&elements=10&row=line",
]


@pytest.mark.parametrize("query", FITTED)
def test_fit_shows_every_row_and_column_also_after_a_resize(
    new_page: Callable[..., Page], query: str
) -> None:
    explorer = Explorer(new_page(viewport=DESK, has_touch=True)).open(query)
    for size in (DESK, PHONE):
        explorer.page.set_viewport_size(size)
        for grid in GRIDS:
            view = explorer.canvas(grid).locator("xpath=..")
            if size is PHONE:
                view.locator(".view > summary").tap()
            view.get_by_role("button", name="Zoom in").click()
            fit = view.get_by_role("button", name="Fit")
            fit.tap() if size is PHONE else fit.click()
        explorer.settle()
        _expect_all_in_view(explorer, f"at {size['width']} px")
        explorer.page.set_viewport_size({"width": size["height"], "height": size["width"]})
        explorer.settle()
        explorer.settle()
        _expect_all_in_view(explorer, f"at {size['width']} px after a turn")
    expect(explorer.page).to_have_url(re.compile("lv=fit&mv=fit"))


def _expect_all_in_view(explorer: Explorer, when: str) -> None:
    for grid in GRIDS:
        canvas = explorer.canvas(grid)
        box = canvas.bounding_box()
        assert box is not None
        data = canvas.evaluate("c => ({...c.dataset})")
        sides_css = [float(part) for part in data["side_css"].split(",")]
        insets_css = [float(part) for part in data["inset_css"].split(",")]
        cells = [float(data["columns"]), float(data["rows"])]
        ends_css = [
            inset + count * side
            for inset, count, side in zip(insets_css, cells, sides_css, strict=True)
        ]
        where = f"{grid} {when}: {data}, {box}"
        assert (float(data["left_cells"]), float(data["top_cells"])) == (0, 0), where
        assert ends_css[0] <= box["width"] - 2, where
        assert ends_css[1] <= box["height"] - 2, where
        thinnest = min(end - inset for end, inset in zip(ends_css, insets_css, strict=True))
        assert thinnest >= 4.9, f"visible, not a hairline: {where}"
        expect(canvas.locator("xpath=..").get_by_label("Zoom step")).to_have_value("all")


def test_a_long_thin_tensor_is_a_band_whose_cells_light_up(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,1000000&layout=HW&row=1000000&lv=fit&mv=fit")
    explorer.settle()
    for grid in GRIDS:
        at = explorer.middle(grid, 500_000, 1)
        assert explorer.pixel(grid, at) != (255, 255, 255)
        explorer.hover(grid, at)
        lit = [int(part) for part in (explorer.sum.get_attribute("data-coords") or "").split(",")]
        assert lit[0] == 1
        assert abs(lit[1] - 500_000) < 1500, "within a pixel"


def test_on_a_phone_going_to_a_cell_scrolls_by_whole_planes_and_not_where_it_is_in_view(
    new_page: Callable[..., Page],
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open("?shape=1,6,4,8&layout=NCHW4&at=0,1,1,2")
    explorer.settle()
    start = explorer.canvas("logical").get_attribute("data-side_css")
    places = {}
    for cell in ("0,5,3,4", "0,3,1,4"):
        page.get_by_label("Go to").fill(cell)
        page.keyboard.press("Enter")
        explorer.settle()
        assert explorer.canvas("logical").get_attribute("data-side_css") == start
        places[cell] = number(explorer, "logical", "left_cells")
        assert number(explorer, "a", "columns") == 8, "two pixels: each block begins a row"
        assert number(explorer, "a", "left_cells") == 0, "its numbers could be read before"
    assert places == {"0,5,3,4": 0, "0,3,1,4": 18}, "c 2 is the first plane with c 3 whole"
    explorer.field("layout").fill("NHWC")
    expect(explorer.about("a")).to_contain_text("NHWC")
    explorer.settle()
    assert number(explorer, "logical", "left_cells") == 0, "c 3 is in the second row now"
