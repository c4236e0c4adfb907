"""A second layout of the same tensor, and slices, light up with the first."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, Grid, forget, hold
from tests.browser.pages import NewPage, box_of


def test_b_stands_beside_a_follows_the_shape_and_goes_with_its_text(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&at=1,3,2,0")
    expect(explorer.canvas("b")).to_be_hidden()
    explorer.field("layout", "b").fill("NHWC")
    expect(explorer.canvas("b")).to_be_visible()
    expect(page).to_have_url(re.compile("b-layout=NHWC"))
    lines = explorer.sum.locator(".line")
    expect(lines.locator(".address")).to_have_text(["105", "123"])  # 72 + 27 + 6, 72 + 48 + 3
    rows = page.locator("layout-facts table.numbers tbody tr")
    page.get_by_label("A", exact=True).check()
    expect(rows.nth(1)).to_have_text(re.compile(r"c\s*8\s*9\s*36"))
    page.get_by_label("B", exact=True).check()
    expect(rows.nth(1)).to_have_text(re.compile(r"c\s*8\s*1\s*4"))
    expect(page.get_by_label("B", exact=True)).to_be_focused()
    explorer.field("layout", "b").fill("NCHW4")
    explorer.field("shape").fill("2,6,3,3")
    expect(explorer.about("a")).to_contain_text("108 addresses")
    expect(explorer.about("b")).to_contain_text("144 addresses")
    explorer.field("layout", "b").fill("")
    expect(explorer.canvas("b")).to_be_hidden()
    expect(lines).to_have_count(1)


def test_in_a_low_window_both_memories_can_be_read(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/?shape=1,64,56,56&layout=NCHW&b-layout=onednn:aBcd16b&at=0,63,55,55")
    explorer = Explorer(page)
    explorer.expect_drawn("b")
    # Its field is too narrow: it shows the end.
    field = explorer.field("layout", "b")
    end = "field => [field.scrollLeft + field.clientWidth, field.scrollWidth]"
    shown, whole = field.evaluate(end)
    assert shown == pytest.approx(whole, abs=1)
    expect(page.locator("layout-field[side=b]")).to_have_attribute("title", "onednn:aBcd16b")
    for _ in range(2):  # without the tensor, then with it
        explorer.expect_drawn("b")
        explorer.settle()
        for grid in ("#grid-a", "#grid-b"):
            assert page.locator(grid).evaluate("canvas => canvas.clientHeight") >= 150
        page.locator("compare-bar .tensor").click()
    expect(Explorer(page).sum).to_contain_text("150\u202f528")


def test_both_memories_open_with_several_rows_to_read(page: Page) -> None:
    page.set_viewport_size(DESK)
    page.goto("/?shape=1,30,14,14&layout=NCHW&b-layout=nChw16c&at=0,17,5,6")
    explorer = Explorer(page)
    sides: tuple[Grid, ...] = ("a", "b")
    for grid in sides:
        explorer.expect_drawn(grid)
    explorer.settle()
    for grid in sides:
        high = box_of(explorer.canvas(grid))["height"]
        assert high > 5 * explorer.number(grid, "cell_css"), grid
    assert explorer.number("a", "cell_css") == explorer.number("b", "cell_css")


def test_a_field_too_narrow_for_strides_shows_the_first_ones(page: Page) -> None:
    page.set_viewport_size(PHONE)
    explorer = Explorer(page).open("?shape=2,16,56,56&layout=(1605632,100352,1792,32)")
    field = explorer.field("layout")
    sizes = "field => [field.scrollLeft, field.scrollWidth > field.clientWidth]"
    assert field.evaluate(sizes) == [0, True]
    field.focus()
    page.keyboard.press("End")
    explorer.field("shape").focus()
    explorer.settle()
    assert field.evaluate(sizes) == [0, True]


def test_the_same_cell_lights_in_all_three_grids(page: Page) -> None:
    explorer = Explorer(page).open("?shape=6,7&layout=HW&b-layout=WH&at=0,0")
    explorer.settle()
    for grid in ("logical", "a", "b"):
        explorer.keep(grid)
    explorer.hover("b", explorer.memory_cell("b", 20))  # WH: w = 20 // 6 = 3, h = 2
    explorer.expect_lit("2,3", 17)
    explorer.expect_only_changed_at("b", explorer.memory_cell("b", 20))
    explorer.expect_only_changed_at("a", explorer.memory_cell("a", 17))
    explorer.expect_only_changed_at("logical", explorer.middle("logical", 3, 2))


def test_the_selected_cell_lights_in_b_whichever_answer_comes_first(page: Page) -> None:
    query = "?shape=2,8,3,3&layout=NCHW4&b-layout=NHWC&at=1,3,2,0"
    explorer = Explorer(page).open(query)
    explorer.expect_drawn("b")
    explorer.settle()
    in_turn = explorer.canvas("b").evaluate("canvas => canvas.toDataURL()")
    forget(page)
    held = hold(page, re.compile("describe.*layout=NCHW4"))
    page.goto(f"/{query}")
    explorer.expect_drawn("b")
    explorer.settle()
    held[0].continue_()
    explorer.expect_drawn("a")
    explorer.settle()
    explorer.show_tensor()
    explorer.settle()
    assert explorer.canvas("b").evaluate("canvas => canvas.toDataURL()") == in_turn


def test_a_slice_gives_its_offsets_and_fades_the_rest(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,1,4,4&layout=NCHW&row=4")
    explorer.settle()

    def colours() -> list[tuple[int, int, int]]:
        """Of addresses 0 and 1, beside digits and numbers: cells move where a slice has a grid."""
        sides_css = (explorer.canvas("a").get_attribute("data-side_css") or "").split(",")
        wide_css, high_css = map(float, sides_css)
        cells = explorer.memory_cells("a", (0, 1))
        return explorer.pixels(
            "a", [(x - wide_css / 2 + 4, y + high_css / 2 - 4) for x, y in cells]
        )

    before = colours()
    explorer.field("slice").fill("0,0,0,1; 1,1,4,3; 1,1,2,2")
    result = page.locator("slice-result")
    expect(result).to_contain_text("1, 3, 9, 11")
    expect(result).to_contain_text("from 1")
    explorer.settle()
    outside, inside = colours()
    assert outside != before[0], "what is outside the slice is faded"
    assert inside == before[1], "what is inside keeps its colour"
    explorer.field("shape").fill("1,8,2,2")
    explorer.field("layout").fill("NCHW4")
    explorer.field("slice").fill(":, ::3")
    expect(result).to_contain_text("gathered")


def test_on_a_phone_compare_is_found_and_both_memories_and_sums_are_on_the_first_screen(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open(BLOCKED)
    page.get_by_text("Compare & More").tap()
    explorer.field("layout", "b").fill("NHWC")
    explorer.field("layout", "b").press("Enter")
    explorer.expect_drawn("b")
    expect(explorer.field("layout", "b")).to_be_hidden()
    expect(explorer.canvas("a")).to_be_in_viewport()
    page.get_by_text("Compare & More").tap()
    page.locator("layout-field[side=b] .offer").tap()
    names, field = page.locator("#b-layout-names"), box_of(page.locator("layout-field[side=b]"))
    assert abs(box_of(names)["y"] - field["y"] - field["height"]) < 4, "the list is at its field"
    names.get_by_role("option", name="CHWN").first.tap()
    expect(explorer.field("layout", "b")).to_be_hidden()
    expect(explorer.about("b")).to_contain_text("CHWN")
    expect(explorer.canvas("b")).to_be_in_viewport()
    page.goto(f"/{BLOCKED}&b-layout=NHWC")
    explorer.expect_drawn("b")
    explorer.settle()
    last_cells: tuple[tuple[Grid, int], ...] = (("a", 159), ("b", 119))
    for side, last in last_cells:
        below_css = explorer.memory_cell(side, last)[1]
        assert box_of(explorer.canvas(side))["y"] + below_css < PHONE["height"]
    lines = explorer.sum.locator(".line")
    bytes_said = ["byte 120 (30 × 4 bytes)", "byte 176 (44 × 4 bytes)"]
    expect(lines.locator(".beside:visible")).to_have_text(bytes_said)
    assert [line.evaluate("line => line.clientHeight < 90") for line in lines.all()] == [True, True]
    explorer.field("shape").fill("1,3,96,128")
    assert explorer.field("shape").evaluate("field => field.scrollWidth <= field.clientWidth")


def test_memories_of_wide_rows_are_stacked_others_keep_their_names_and_a_difference_its_sign(
    page: Page,
) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open("?shape=4,60&layout=HW&b-layout=64,1&row=64")
    explorer.settle()
    a, b = box_of(explorer.canvas("a")), box_of(explorer.canvas("b"))
    assert b["y"] > a["y"] + a["height"]
    assert b["x"] < a["x"] + a["width"]
    explorer.show("?shape=2,64,12,12&layout=NCHW4&b-layout=NHWC")
    expect(page.locator(".memories")).not_to_have_class(re.compile("stacked"))
    for side in ("a", "b"):
        whole = "about => about.scrollWidth <= about.clientWidth && about.clientWidth > 150"
        assert explorer.about(side).evaluate(whole)
    rows = page.locator("compared-facts tr.differs")
    expect(rows.first).to_be_visible()
    # The other tabs, with what an access costs, are in view before a long table.
    assert box_of(page.get_by_role("tablist"))["y"] < box_of(rows.first)["y"]
    apart = """rows => rows.flatMap((row) => {
        const name = row.querySelector('th').textContent;
        const {bottom} = row.querySelector('.sign').getBoundingClientRect();
        const words = [...row.querySelectorAll('th .word')].at(-1) ?? row.querySelector('th');
        const torn = [...row.querySelectorAll('td')].filter(({firstChild}) =>
            firstChild.data.split('\\u200b').some((part, at, parts) => {
                const range = document.createRange();
                const start = parts.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0);
                range.setStart(firstChild, start);
                range.setEnd(firstChild, start + part.length);
                return new Set([...range.getClientRects()].map(({top}) => top)).size > 1;
            }));
        const away = bottom - words.getBoundingClientRect().bottom > 8;
        return away || torn.length > 0 ? [name] : [];
    })"""
    assert rows.evaluate_all(apart) == []
    page.set_viewport_size({"width": 1280, "height": 720})
    fits = "fields => fields.every(field => field.scrollWidth <= field.clientWidth)"
    explorer.field("layout", "b").fill("NCHW16c")
    explorer.field("shape").fill("1,64,56,56")
    assert page.locator("#a-shape, #a-layout, #b-layout").evaluate_all(fits)


def test_beside_code_the_bar_of_a_memory_is_one_line(page: Page) -> None:
    page.set_viewport_size(DESK)
    large = "?shape=64,48,3,3&layout=OIhw4i16o4i&b-layout=NHWC&at=17,5,1,2&tab=code"
    page.goto(f"/{large}")
    Explorer(page).expect_drawn("b")
    heads = page.locator("memory-view[side=a] .bar > :is(h2, go-to), memory-view[side=a] .zoom")
    heights = page.locator("memory-view .bar").evaluate_all(
        "bars => bars.map((bar) => bar.clientHeight)"
    )
    assert max(heights) <= 48, heights
    middles = heads.evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map(({y, height}) => y + height / 2)"
    )
    assert max(middles) - min(middles) < 6, middles


def test_how_both_layouts_are_read_covers_nothing(page: Page) -> None:
    for width, height in ((1024, 768), (1100, 800), (1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        Explorer(page).open("?shape=2,3,4&layout=CHW&b-layout=HWC&at=1,1,1")
        reading = page.locator("#b-layout-reading")
        expect(reading).to_contain_text("Read as letters")
        read, total = box_of(reading), box_of(page.locator(".sum[data-address]"))
        assert read["y"] + read["height"] <= total["y"], (width, read, total)


def test_how_both_layouts_of_a_reorder_are_read_covers_nothing(page: Page) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto("/reorder?shape=2,10,3,5&layout=NCHW4&b-layout=NHWC")
    reading = page.locator("#b-layout-reading")
    expect(reading).to_contain_text("the same as")
    read, below = box_of(reading), box_of(page.locator("reorder-memory[side=a]"))
    assert read["y"] + read["height"] <= below["y"], (read, below)


def test_in_a_narrow_window_the_tensor_leaves_both_memories_all_of_their_rows(page: Page) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    explorer = Explorer(page).open("?shape=1,3,4,5&layout=NCHW&b-layout=NHWC")
    explorer.settle()
    assert box_of(page.locator("compare-bar"))["height"] <= 44, "one line"
    sides: tuple[Grid, ...] = ("a", "b")
    for side in sides:
        last = explorer.memory_cell(side, 59)[1] + explorer.number(side, "cell_css") / 2
        assert last <= box_of(explorer.canvas(side))["height"]
        assert box_of(page.locator(f"memory-view[side={side}] .bar"))["height"] <= 60
    page.get_by_role("button", name="Hide the tensor").click()
    expect(explorer.canvas("logical")).to_be_hidden()
    expect(page.get_by_role("button", name="Show the tensor")).to_be_visible()
