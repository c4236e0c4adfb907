"""What the grids draw: what is stored, in which colours, with the sum and a legend."""

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, Grid

pytestmark = pytest.mark.browser

Axe = Callable[..., list[dict[str, Any]]]
FIGURE = "?shape=2,64,3,3&layout=NCHW4&at=1,14,2,1"
WEIGHTS = "?shape=8,8,2,2&layout=OIhw2i8o4i&at=3,5,0,0&row=32"

# The texts that a grid writes, in reading order, as the canvas is told to write them.
RECORD = """() => {
    const fill = CanvasRenderingContext2D.prototype.fillText;
    window.written = new Map();
    const {fillRect} = CanvasRenderingContext2D.prototype;
    // A frame begins with its whole ground: what was written before is gone.
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, wide, high) {
        if (x === 0 && y === 0 && wide >= this.canvas.clientWidth) {
            window.written.delete(this.canvas);
        }
        return fillRect.call(this, x, y, wide, high);
    };
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const list = window.written.get(this.canvas) ?? [];
        window.written.set(this.canvas, list);
        if (/^(?:[A-Z]|\\d+)$/.test(text) && this.font.startsWith('20px')) list.push([y, x, text]);
        return fill.call(this, text, x, y);
    };
}"""
WRITTEN = """canvas => {
    const written = window.written.get(canvas) ?? [];
    const last = new Map(written.map(([y, x, text]) => [`${y} ${x}`, [y, x, text]]));
    const inOrder = [...last.values()].sort(([a, b], [c, d]) => a - c || b - d);
    return inOrder.map((one) => one[2]).join('');
}"""


@pytest.fixture
def open_as(new_page: Callable[..., Page]) -> Callable[..., Explorer]:
    """Open a query with options of a page: viewport, color_scheme, …"""
    return lambda query, **options: Explorer(new_page(**options)).open(query)


def texts(explorer: Explorer, grid: Grid) -> str:
    """The texts of a grid's cells, in reading order."""
    written: str = explorer.canvas(grid).evaluate(WRITTEN)
    return written


def test_a_size_of_0_opens_and_gives_way_to_another(page: Page) -> None:
    notice = page.locator("logical-view .notice")
    canvas = page.locator("memory-view[side=a] canvas")
    for shape, opened in (
        ("0", ""),
        ("0,5", None),
        ("5,0", None),
        ("0,0", None),
        ("3,0,2", None),
        ("0,1000,1000", None),
        ("2,3,0,5", None),
        ("0,3,4,5", None),
        ("1,0,1,0,1", "&elements=10"),
    ):
        layout = ",".join("1" for _ in shape.split(","))
        if opened is not None:
            page.goto(f"/?shape={shape}&layout={layout}{opened}")
        else:
            page.locator("#a-layout").fill(layout)
            page.locator("#a-shape").fill(shape)
        expect(notice).to_contain_text("no elements")
        expect(page.locator("grid-legend")).to_be_hidden()
        page.locator("#a-shape").fill(",".join("2" if n == "0" else n for n in shape.split(",")))
        expect(canvas).to_have_attribute("data-cell_css", re.compile(r"\d"))
        expect(notice).to_be_hidden()


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ("1000000,1000000,1,1", "1,1,1,1"),
        ("1000000000000,1", "1,1"),
        ("999999999989,1,1", "1,1,1"),
    ],
)
def test_a_grid_of_10_to_the_12_planes_or_rows_is_drawn_at_any_zoom(
    page: Page, shape: str, strides: str
) -> None:
    explorer = Explorer(page).open(f"?shape={shape}&layout={strides}")
    for grid in ("logical", "a"):
        explorer.fit(grid)
        explorer.canvas(grid).focus()
        page.keyboard.press("+")
        explorer.settle()
        assert float(explorer.canvas(grid).get_attribute("data-cell_css") or 0) > 0


@pytest.mark.parametrize(
    ("query", "logical", "memory"),
    [
        ("?shape=2,3&layout=0,1", "ABCABC", "ABC"),
        ("?shape=2,3&layout=1,0", "AAABBB", "AB"),
        ("?shape=2,3&layout=1,1", "ABCBCD", "ABCD"),
        ("?shape=2,3&layout=HW", "ABCDEF", "ABCDEF"),
        ("?shape=2,3&layout=WH", "ABCDEF", "ADBECF"),
        ("?shape=2,3&layout=0,1&text=linear", "012012", "012"),
        ("?shape=2,3&layout=1,1&text=address", "012123", "0123"),
    ],
)
def test_a_cell_shows_what_is_stored_at_its_address(
    open_as: Callable[..., Explorer], query: str, logical: str, memory: str
) -> None:
    explorer = open_as(query, script=f"({RECORD})()")
    explorer.settle()
    assert texts(explorer, "logical") == logical
    assert texts(explorer, "a") == memory


@pytest.mark.parametrize("layout", ["0,1", "1,1"])
def test_elements_that_share_an_address_share_its_colour(page: Page, layout: str) -> None:
    explorer = Explorer(page).open(f"?shape=2,3&layout={layout}")
    explorer.settle()
    row_step = int(layout[0])
    corner = (-12.0, 12.0)  # beside the letter and the corner of a shared address

    def colour(grid: Grid, at: tuple[float, float]) -> tuple[int, int, int]:
        return explorer.pixel(grid, (at[0] + corner[0], at[1] + corner[1]))

    for row in (0, 1):
        for column in (0, 1, 2):
            drawn = colour("logical", explorer.middle("logical", column, row))
            stored = colour("a", explorer.memory_cell("a", row * row_step + column))
            assert drawn == stored, (row, column)


@pytest.mark.parametrize(
    ("named", "lettered"), [("nChw4c", "aBcd4b"), ("nchw", "abcd"), ("OIhw4i4o", "ABcd4b4a")]
)
def test_the_same_memory_has_the_same_colours_under_every_name(
    page: Page, named: str, lettered: str
) -> None:
    drawn = []
    for layout in (named, lettered):
        explorer = Explorer(page).open(f"?shape=4,8,3,3&layout={layout}")
        explorer.settle()
        expect(page.locator("grid-legend [data-sign=colour]")).to_be_visible()
        drawn.append(explorer.pixels("a", explorer.memory_cells("a", range(0, 288, 7))))
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 8


@pytest.mark.parametrize(
    ("query", "viewport"), [(FIGURE, PHONE), (WEIGHTS, DESK)], ids=["figure-phone", "weights-desk"]
)
def test_the_sum_has_each_value_above_its_term(
    open_as: Callable[..., Explorer], viewport: ViewportSize, query: str
) -> None:
    explorer = open_as(query, viewport=viewport)
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


def test_the_sum_has_one_height_for_all_cells_of_a_layout(open_as: Callable[..., Explorer]) -> None:
    explorer = open_as(WEIGHTS, viewport=DESK)

    def height() -> float:
        found: float = explorer.sum.evaluate("(one) => one.getBoundingClientRect().height")
        return found

    first = height()
    for address in (0, 200, 255):
        explorer.hover("a", explorer.memory_cell("a", address))
        assert height() == first
    explorer.page.mouse.move(1, 1)
    explorer.field("layout").fill("OIHW")
    expect(explorer.about("a")).to_contain_text("OIHW")
    explorer.settle()
    assert height() <= first


def legend(explorer: Explorer) -> list[str]:
    """The signs and texts of the legend, after the frames that a change takes."""
    explorer.settle()
    explorer.settle()
    items: list[str] = explorer.page.locator("grid-legend li").evaluate_all(
        "all => all.map((one) => one.dataset.sign ?? one.textContent)"
    )
    return items


def test_the_legend_says_what_is_on_screen_and_only_that(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    row = "row of 20, a step of h"
    numbers = "numbers count elements row by row"
    apart = "space after each pixel, between blocks"
    assert legend(explorer) == ["colour", numbers, row, apart, "padding", "line", "selected"]
    expect(page.locator("[data-sign=colour]")).to_have_text("by c, darker along h, w")
    explorer.hover("a", explorer.memory_cell("a", 20))
    assert legend(explorer)[-1] == "hovered"
    explorer.hover("a", explorer.memory_cell("a", 82))
    assert "cursor" in legend(explorer)
    page.mouse.move(1, 1)
    # The first rows of memory have no padding, and cells without a border have no marks.
    explorer.open("?shape=1,6,8,5&layout=NCHW4&mv=96,0,0&lv=96,0,0")
    assert legend(explorer) == [
        "colour",
        numbers,
        "row of 40, 2 steps of h",
        "space after each pixel",
        "line",
    ]
    explorer.fit("a")
    assert "padding" in legend(explorer)
    explorer.open("?shape=1,6,40,50&layout=NCHW4&mv=3,0,0&lv=3,0,0")
    between = "space between blocks"
    assert legend(explorer) == ["colour", "row of 200, a step of h", between, "padding"]


def test_the_legend_leaves_out_what_only_a_hidden_tensor_shows(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,32,2,3&layout=NCHW&lv=24,0,0")
    numbers = "numbers count elements row by row"
    assert numbers in legend(explorer)
    explorer.field("shape").fill("1,32,200,200")
    explorer.field("layout", "b").fill("NHWC")
    explorer.expect_drawn("b")
    expect(page.locator("logical-view")).to_be_hidden()
    mean = "a pixel is the mean of its elements"
    shown = legend(explorer)
    assert mean in shown
    assert numbers not in shown


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?shape=2,3&layout=5,1&elements=10&row=5", ["letters count elements row by row", "gap"]),
        ("?shape=2,3&layout=0,1&at=1,1", ["letters, each address once", "shared", "related"]),
        ("?shape=1,1,4,4&layout=NCHW&slice=0,0,::2", ["faded", "numbered"]),
        ("?shape=9,8&layout=HW&text=coords", ["coordinates"]),
        (
            "?shape=2,8,3,3&layout=NCHW&b-layout=NHWC",
            ["row A of 18, 2 steps of c", "kept"],
        ),
        ("?shape=1000,1000,1000,1000&layout=NCHW", ["colour"]),
    ],
)
def test_the_legend_explains_each_sign(page: Page, query: str, expected: list[str]) -> None:
    explorer = Explorer(page).open(query)
    if "b-layout" in query:
        explorer.expect_drawn("b")
    expect(page.locator("grid-legend li").first).to_be_visible()
    if "slice" in query:
        expect(page.locator("slice-result")).not_to_be_empty()
    shown = legend(explorer)
    assert [one for one in expected if one not in shown] == [], shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_sign_of_the_legend_is_drawn_as_in_the_grid(
    open_as: Callable[..., Explorer], scheme: Literal["light", "dark"]
) -> None:
    explorer = open_as("?shape=1,6,4,5&layout=NCHW4", viewport=DESK, color_scheme=scheme)
    legend(explorer)
    counts = explorer.page.evaluate(
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
    assert counts[0] > 2
    assert counts[0] == counts[1]


# Colours follow the scheme and places the width.
@pytest.mark.parametrize(
    ("viewport", "options"),
    [
        (DESK, {"color_scheme": "light"}),
        (PHONE, {"color_scheme": "dark"}),
        (PHONE, {"forced_colors": "active"}),
    ],
    ids=["desk-light", "phone-dark", "phone-forced"],
)
def test_the_legend_is_for_everybody(
    open_as: Callable[..., Explorer], axe: Axe, viewport: ViewportSize, options: dict[str, Any]
) -> None:
    explorer = open_as(
        "?shape=2,6,3,3&layout=NCHW4&slice=0&at=0,3,2,0", viewport=viewport, **options
    )
    page = explorer.page
    line = page.get_by_role("list", name="Legend")
    if viewport == PHONE:
        expect(line).to_be_hidden()
        page.locator("grid-legend summary").click()
    expect(line).to_be_visible()
    legend(explorer)
    assert axe(page, "grid-legend") == []
    box = line.bounding_box()
    assert box is not None
    assert box["width"] <= viewport["width"]
    if viewport == DESK:
        assert box["height"] <= 48, "two lines beside a slice, and nothing of them is cut"
        assert line.evaluate("list => list.scrollWidth <= list.clientWidth")


def test_the_frame_leaves_the_number_whole_on_a_phone(open_as: Callable[..., Explorer]) -> None:
    for scale in (1, 3):
        explorer = open_as(
            "?shape=1,6,4,5&layout=NCHW4&text=linear", viewport=PHONE, device_scale_factor=scale
        )
        explorer.settle()
        inner = """(canvas, [x, y, width, height]) => {
            const ratio = canvas.width / canvas.clientWidth;
            const box = [x - width / 2, y - height / 2, width, height];
            const at = box.map((part) => Math.round(part * ratio));
            return [...canvas.getContext('2d').getImageData(...at).data].join();
        }"""
        for grid, cell in (
            ("logical", explorer.middle("logical", 2, 2)),
            ("a", explorer.memory_cell("a", 30)),
        ):
            canvas = explorer.page.locator(
                "logical-view canvas" if grid == "logical" else "memory-view[side=a] canvas"
            )
            cell_css = float(canvas.get_attribute("data-cell_css") or 0)
            # Three digits take 0.86 of the cell with the space around them, 0.79 without.
            area = [cell[0] - 0.5, cell[1] - 0.5, cell_css * 0.79, cell_css * 0.5]
            before = canvas.evaluate(inner, area)
            canvas.click(position={"x": cell[0], "y": cell[1]})
            explorer.page.mouse.move(1, 1)
            explorer.settle()
            assert canvas.evaluate(inner, area) == before, (grid, scale)
