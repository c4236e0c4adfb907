"""What the grids draw: what is stored, in which colours, with the sum and a legend."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, Grid
from tests.browser.pages import NewPage

GRIDS: tuple[Grid, Grid] = ("logical", "a")
FIGURE = "?shape=2,64,3,3&layout=NCHW4&at=1,14,2,1"
WEIGHTS = "?shape=8,8,2,2&layout=OIhw2i8o4i&at=3,5,0,0&row=32"


def test_a_size_of_0_opens_and_gives_way_to_another(page: Page) -> None:
    explorer, notice = Explorer(page), page.locator("logical-view .notice")
    page.goto("/?shape=0&layout=1")
    expect(notice).to_contain_text("no elements")
    for shape, layout in (
        ("0", "1"),
        ("3,0,2", "1,1,1"),
        ("0,1000,1000", "1,1,1"),
        ("1,0,1,0,1", "1,1,1,1,1&elements=10"),
    ):
        explorer.show(f"?shape={shape}&layout={layout}")
        expect(notice).to_contain_text("no elements")
        expect(page.locator("grid-legend")).to_be_hidden()
        explorer.field("shape").fill(re.sub(r"\b0\b", "2", shape))
        explorer.expect_drawn("a")
        expect(notice).to_be_hidden()


def test_a_grid_of_10_to_the_12_planes_or_rows_is_drawn_at_any_zoom(page: Page) -> None:
    explorer = Explorer(page).open()
    for shape in ("1000000000000,1", "999999999989,1,1"):
        explorer.show(f"?shape={shape}&layout={re.sub(r'[0-9]+', '1', shape)}")
        for grid in GRIDS:
            explorer.fit(grid)
            page.keyboard.press("+")
            explorer.settle()
            assert explorer.number(grid, "cell_css") > 0


@pytest.mark.parametrize(
    ("query", "viewport"), [(FIGURE, PHONE), (WEIGHTS, DESK)], ids=["figure-phone", "weights-desk"]
)
def test_the_sum_has_each_value_above_its_term_and_one_height(
    new_page: NewPage, viewport: ViewportSize, query: str
) -> None:
    explorer = Explorer(new_page(viewport=viewport)).open(query)
    pieces = explorer.sum.locator(".steps .piece").evaluate_all(
        """all => all.map((one) => ['b', '.term'].map((part) => {
            const found = one.querySelector(part);
            const {x, y, right, bottom} = found.getBoundingClientRect();
            return {text: found.textContent, x, y, right, bottom};
        }))"""
    )
    assert len(pieces) == (5 if query == FIGURE else 7)
    total = 0
    for value, term in pieces:
        assert value["bottom"] <= term["y"] + 1
        middle = (value["x"] + value["right"]) / 2
        assert term["x"] - 1 <= middle <= term["right"] + 1
        assert term["right"] <= viewport["width"], "inside the line"
        total += int(value["text"].replace("\u202f", ""))
    assert explorer.sum.get_attribute("data-address") == str(total)
    if viewport == PHONE:
        return
    # On a desk it has one height for all cells of a layout.
    height = "(one) => one.getBoundingClientRect().height"
    first = explorer.sum.evaluate(height)
    for address in (0, 200, 255):
        explorer.hover("a", explorer.memory_cell("a", address))
        assert explorer.sum.evaluate(height) == first
    explorer.page.mouse.move(1, 1)
    explorer.field("layout").fill("OIHW")
    expect(explorer.about("a")).to_contain_text("OIHW")
    explorer.settle()
    assert explorer.sum.evaluate(height) <= first


def legend(explorer: Explorer) -> list[str]:
    """The signs and texts of the legend, after the frames that a change takes."""
    explorer.settle()
    explorer.settle()
    items: list[str] = explorer.page.locator("grid-legend li").evaluate_all(
        "all => all.map((one) => one.dataset.sign ?? one.textContent)"
    )
    return items


def test_the_legend_has_a_colour_for_each_row_after_the_shape_changed(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3&layout=HW")
    colours = page.locator("[data-sign=colour] canvas")
    # Cells of 15, and 3 around them.
    for rows, wide in ((2, 36), (5, 81), (3, 51)):
        explorer.field("shape").fill(f"{rows},3")
        expect(colours).to_have_css("width", f"{wide}px")


def test_the_legend_says_what_is_on_screen_and_only_that(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    row = "row of 20, a step of h"
    numbers = "numbers count elements row by row"
    apart = "space after each pixel, between blocks"
    assert legend(explorer) == ["colour", numbers, row, apart, "padding", "line", "selected"]
    expect(page.locator("[data-sign=colour]")).to_have_text("by c, darker along h, w")
    explorer.hover("a", explorer.memory_cell("a", 20))
    assert legend(explorer)[-1] == "hovered"
    # Below a place without an element, which the sum explains, the chosen cell is still explained.
    explorer.hover("a", explorer.memory_cell("a", 82))
    assert legend(explorer)[-1] == "selected"
    wide = "list => [list.scrollWidth, list.clientWidth]"
    scrolled, seen = page.locator("grid-legend ul").evaluate(wide)
    assert scrolled <= seen
    page.mouse.move(1, 1)
    # The first rows of memory have no padding, and cells without a border have no marks.
    explorer.show("?shape=1,6,8,5&layout=NCHW4&mv=96,0,0&lv=96,0,0")
    assert legend(explorer) == [
        "colour",
        numbers,
        "row of 40, 2 steps of h",
        "space after each pixel",
        "line",
    ]
    explorer.fit("a")
    assert "padding" in legend(explorer)
    explorer.show("?shape=1,6,40,50&layout=NCHW4&mv=3,0,0&lv=3,0,0")
    between = "space between blocks"
    assert legend(explorer) == ["colour", "row of 200, a step of h", between, "padding"]
    # What only a hidden tensor shows is left out.
    explorer.show("?shape=1,32,2,3&layout=NCHW&lv=24,0,0")
    assert numbers in legend(explorer)
    explorer.field("shape").fill("1,32,200,200")
    explorer.field("layout", "b").fill("NHWC")
    explorer.expect_drawn("b")
    expect(page.locator("logical-view")).to_be_hidden()
    shown = legend(explorer)
    assert "a pixel is the mean of its elements" in shown
    assert numbers not in shown


def test_the_terms_of_the_sum_say_what_they_are_and_pale_cells_are_not_in_the_view(
    page: Page,
) -> None:
    explorer = Explorer(page).open("?shape=4,6&layout=HW&steps=narrow(0,1,2)&at=1,2")
    terms = explorer.sum.locator(".term")
    expect(terms).to_have_text(["address", "offset", "h·6", "w·1"])
    titles = terms.evaluate_all("all => all.map(({title}) => title)")
    assert titles == ["", "", "6: stride of h", "1: stride of w"]
    expect(page.locator("[data-sign=unviewed]")).to_have_text("not in the view")
    for query in ("steps=flip(0)", "steps=flip(0)&slice=::2"):
        explorer.show(f"?shape=4,6&layout=HW&{query}")
        assert "unviewed" not in legend(explorer)


def test_the_legend_explains_each_sign(page: Page) -> None:
    explorer = Explorer(page).open()
    for query, expected in (
        ("2,3&layout=5,1&elements=10&row=5", {"letters count elements row by row", "gap"}),
        ("2,3&layout=0,1&at=1,1", {"letters, each address once", "shared", "related"}),
        ("9,8&layout=HW&text=coords", {"coordinates"}),
        ("2,8,3,3&layout=NCHW&b-layout=NHWC", {"row A of 18, 2 steps of c", "kept"}),
        ("1000,1000,1000,1000&layout=NCHW", {"colour"}),
        ("1,1,4,4&layout=NCHW&slice=0,0,::2", {"faded", "numbered"}),
        ("4,6&layout=HW&steps=narrow(0,1,2)", {"unviewed"}),
    ):
        explorer.show(f"?shape={query}")
        if "slice" in query:
            explorer.expect_drawn("slice")
        assert expected <= set(legend(explorer)), query


def test_a_sign_of_the_legend_is_drawn_as_in_the_grid(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=DESK)).open("?shape=1,6,4,5&layout=NCHW4")
    for scheme in ("light", "dark"):
        explorer.page.emulate_media(color_scheme=scheme)
        legend(explorer)
        drawn, also_in_the_grid = explorer.page.evaluate(
            """() => {
                const colours = (canvas, x, y, width, height) => {
                    const { data } = canvas.getContext('2d').getImageData(x, y, width, height);
                    return new Set(new Uint32Array(data.buffer));
                };
                const sign = document.querySelector('[data-sign=padding] canvas');
                const grid = document.querySelector('memory-view canvas');
                const swatch = colours(sign, 5, 5, 10, 10);
                const { width, height } = grid;
                const drawn = colours(grid, width / 2, height / 2, width / 2, height / 2);
                return [swatch.size, [...swatch].filter((word) => drawn.has(word)).length];
            }"""
        )
        assert drawn == also_in_the_grid > 2


def test_the_frame_leaves_the_number_whole_on_a_phone(new_page: NewPage) -> None:
    link = "?shape=1,6,4,5&layout=NCHW4&text=linear"
    explorer = Explorer(new_page(viewport=PHONE, device_scale_factor=3)).open(link)
    explorer.settle()
    inner = """(canvas, [x, y, width, height]) => {
        const ratio = canvas.width / canvas.clientWidth;
        const box = [x - width / 2, y - height / 2, width, height];
        const at = box.map((part) => Math.round(part * ratio));
        return [...canvas.getContext('2d').getImageData(...at).data].join();
    }"""
    cells = (explorer.middle("logical", 2, 2), explorer.memory_cell("a", 30))
    for grid, cell in zip(GRIDS, cells, strict=True):
        canvas = explorer.canvas(grid)
        cell_css = float(canvas.get_attribute("data-cell_css") or 0)
        # Three digits take 0.86 of the cell with the space around them, 0.79 without.
        area = [cell[0] - 0.5, cell[1] - 0.5, cell_css * 0.79, cell_css * 0.5]
        before = canvas.evaluate(inner, area)
        explorer.click(grid, cell)
        explorer.page.mouse.move(1, 1)
        explorer.settle()
        assert canvas.evaluate(inner, area) == before, grid
