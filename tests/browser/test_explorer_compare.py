"""A second layout of the same tensor, and slices, light up with the first."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, Grid, forget

pytestmark = pytest.mark.browser


def test_b_stands_beside_a_and_goes_when_its_field_is_emptied(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&at=1,3,2,0")
    expect(explorer.canvas("b")).to_be_hidden()
    explorer.field("layout", "b").fill("NHWC")
    expect(explorer.canvas("b")).to_be_visible()
    expect(page).to_have_url(re.compile("b-layout=NHWC"))
    lines = explorer.sum.locator(".line")
    expect(lines).to_have_count(2)
    expect(lines.nth(0).locator(".address")).to_have_text("105")  # 72 + 27 + 6
    expect(lines.nth(1).locator(".address")).to_have_text("123")  # 72 + 48 + 3
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
        page.get_by_role("button", name="Show the tensor").click()
    expect(Explorer(page).sum).to_contain_text("150\u202f528")


def test_a_comparison_begins_with_a_cell_and_offers_the_tensor(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,6,4,5&layout=NCHW4&b-layout=row-major")
    story = page.locator("example-story")
    expect(story.locator(".title")).to_have_text("Six channels in blocks of four")
    expect(story.locator(".seen")).to_have_text("n 0, c 0, h 0, w 1: address 4 in A, 1 in B.")
    lines = explorer.sum.locator(".line")
    expect(lines).to_have_count(2)
    expect(lines.nth(0).locator(".address")).to_have_text("4")
    expect(lines.nth(1).locator(".address")).to_have_text("1")
    show = page.get_by_role("button", name="Show the tensor")
    expect(show).to_have_attribute("aria-pressed", "true")  # by the helper that opens the page
    show.click()
    expect(explorer.canvas("logical")).to_be_hidden()
    show.click()
    expect(explorer.canvas("logical")).to_be_visible()
    explorer.field("dtype").fill("complex64")
    kept = "field => field.scrollWidth <= field.clientWidth"
    assert explorer.field("dtype").evaluate(kept)


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
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    forget(page)
    page.route(re.compile("describe.*layout=NCHW4"), hold)
    page.goto(f"/{query}")
    explorer.expect_drawn("b")
    explorer.settle()
    held[0].continue_()
    explorer.expect_drawn("a")
    explorer.settle()
    explorer.show_tensor()
    explorer.settle()
    assert explorer.canvas("b").evaluate("canvas => canvas.toDataURL()") == in_turn


def test_a_change_of_shape_reaches_b(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&b-layout=NCHW4")
    explorer.field("shape").fill("2,6,3,3")
    expect(explorer.about("a")).to_contain_text("108 addresses")
    expect(explorer.about("b")).to_contain_text("144 addresses")


def test_an_error_in_b_stands_beside_b_alone(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&b-layout=NHWC")
    explorer.field("layout", "b").fill("NQ")
    expect(explorer.error("layout", "b")).not_to_be_empty()
    expect(explorer.error("layout")).to_be_empty()
    expect(explorer.about("b")).to_contain_text("NHWC")


def test_the_facts_are_those_of_the_chosen_side(page: Page) -> None:
    Explorer(page).open("?shape=10,3,32,32&layout=NCHW&b-layout=NHWC")
    rows = page.locator("layout-facts table.numbers tbody tr")
    page.get_by_label("A", exact=True).check()
    expect(rows.nth(1)).to_have_text(re.compile(r"c\s*3\s*1\s024\s*4\s096"))
    page.get_by_label("B", exact=True).check()
    expect(rows.nth(1)).to_have_text(re.compile(r"c\s*3\s*1\s*4"))
    expect(page.get_by_label("B", exact=True)).to_be_focused()


def test_strides_under_a_swizzle_say_that_the_xor_comes_after(page: Page) -> None:
    explorer = Explorer(page).open("?shape=8,8&layout=cute:Swizzle<3,0,3> o 0 o (8,8):(8,1)")
    facts = page.locator("layout-facts")
    expect(facts.get_by_role("heading", name="Strides before the XOR")).to_be_visible()
    expect(facts).to_contain_text("address of the sum s: s ^ ((s & 0b111000) >> 3)")
    explorer.field("layout").fill("HW")
    expect(facts.get_by_role("heading", name="Strides", exact=True)).to_be_visible()
    expect(facts).not_to_contain_text("XOR")


@pytest.mark.parametrize(
    ("query", "offsets"),
    [("0,0,0,1; 1,1,4,3; 1,1,2,2", "1, 3, 9, 11"), ("..., ::-2, 1:4:2", "13, 15, 5, 7")],
)
def test_a_slice_gives_its_offsets_and_fades_the_rest(page: Page, query: str, offsets: str) -> None:
    explorer = Explorer(page).open("?shape=1,1,4,4&layout=NCHW&row=4")
    explorer.settle()
    outside, inside = 0, int(offsets.split(",", maxsplit=1)[0])

    def colour(address: int) -> tuple[int, int, int]:
        """Beside digits and numbers. The cells move where a slice opens its grid."""
        sides_css = (explorer.canvas("a").get_attribute("data-side_css") or "").split(",")
        wide_css, high_css = map(float, sides_css)
        x_css, y_css = explorer.memory_cell("a", address)
        return explorer.pixel("a", (x_css - wide_css / 2 + 4, y_css + high_css / 2 - 4))

    before = colour(outside), colour(inside)
    explorer.field("slice").fill(query)
    result = page.locator("slice-result")
    expect(result).to_contain_text(offsets)
    expect(result).to_contain_text(f"from {inside}")
    explorer.settle()
    assert colour(outside) != before[0], "what is outside the slice is faded"
    assert colour(inside) == before[1], "what is inside keeps its colour"


def test_a_slice_that_no_view_expresses_is_gathered(page: Page) -> None:
    explorer = Explorer(page).open("?shape=1,8,2,2&layout=NCHW4")
    explorer.field("slice").fill(":, ::3")
    expect(page.locator("slice-result")).to_contain_text("gathered")
    expect(explorer.error("slice")).to_be_empty()


def test_the_rest_call_gives_the_same_answer(page: Page) -> None:
    Explorer(page).open("?shape=2,3&layout=6,1%2B8&dims=MN&elements=24&dtype=int16")
    call = page.locator("layout-code pre").last.text_content() or ""
    found = re.fullmatch(r"curl '(\S+)'", call)
    assert found is not None
    answer = page.request.get(found.group(1)).json()
    assert answer["strides"] == [6, 1]
    assert answer["offset"] == 8
    assert answer["buffer"]["elements"] == 24
    assert answer["dims"] == "MN"
    assert answer["dtype"] == "int16"


@pytest.mark.parametrize(
    ("query", "arrangement"),
    [
        ("?shape=4,60&layout=HW&b-layout=64,1&row=64", "stacked"),
        ("?shape=60,8&layout=HW&b-layout=9,1&row=9", "beside"),
    ],
    ids=["wide", "tall"],
)
def test_memories_stand_where_their_cells_are_larger(
    page: Page, query: str, arrangement: str
) -> None:
    explorer = Explorer(page).open(query)
    expect(explorer.canvas("b")).to_be_visible()
    explorer.settle()
    a, b = explorer.canvas("a").bounding_box(), explorer.canvas("b").bounding_box()
    assert a is not None
    assert b is not None
    assert (b["y"] > a["y"] + a["height"]) == (arrangement == "stacked")
    assert (b["x"] >= a["x"] + a["width"]) == (arrangement == "beside")


def test_on_a_phone_compare_is_found_and_what_it_shows_is_seen(
    new_page: Callable[..., Page],
) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto("/?shape=1,3,96,128&layout=NCHW4")
    fits = "field => field.scrollWidth <= field.clientWidth"
    assert page.locator("#a-shape").evaluate(fits)
    page.get_by_text("Compare & More").tap()
    page.locator("#b-layout").fill("NHWC")
    page.locator("#b-layout").press("Enter")
    expect(page.locator("memory-view[side=b] canvas")).to_be_visible()
    expect(page.locator("memory-view[side=a] canvas")).to_be_in_viewport()
    expect(page.locator("#b-layout")).to_be_hidden()


def test_beside_each_other_both_memories_keep_their_names_and_addresses(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    explorer = Explorer(page).open("?shape=2,64,12,12&layout=NCHW4&b-layout=NHWC")
    explorer.settle()
    expect(page.locator(".memories")).not_to_have_class(re.compile("stacked"))
    for side in ("a", "b"):
        whole = "about => about.scrollWidth <= about.clientWidth && about.clientWidth > 150"
        assert explorer.about(side).evaluate(whole)
    page.set_viewport_size({"width": 1280, "height": 720})
    fits = "fields => fields.every(field => field.scrollWidth <= field.clientWidth)"
    explorer.field("layout", "b").fill("NCHW16c")
    explorer.field("shape").fill("1,64,56,56")
    assert page.locator("#a-shape, #a-layout, #b-layout").evaluate_all(fits)


def test_on_a_phone_both_memories_and_both_sums_are_on_the_first_screen(
    new_page: Callable[..., Page],
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page)
    page.goto(f"/{BLOCKED}&b-layout=NHWC")
    expect(explorer.canvas("b")).to_have_attribute("data-cell_css", re.compile(r"\d"))
    explorer.settle()
    last_cells: tuple[tuple[Grid, int], ...] = (("a", 159), ("b", 119))
    for side, last in last_cells:
        box = explorer.canvas(side).bounding_box()
        assert box is not None
        assert box["y"] + explorer.memory_cell(side, last)[1] < PHONE["height"]
    lines = explorer.sum.locator(".line")
    bytes_said = ["byte 120 (30 × 4 bytes)", "byte 176 (44 × 4 bytes)"]
    expect(lines.locator(".beside:visible")).to_have_text(bytes_said)
    assert [line.evaluate("line => line.clientHeight < 90") for line in lines.all()] == [True, True]


def test_a_sign_of_a_difference_stands_beside_its_name_and_sizes_break_between_numbers(
    page: Page,
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    Explorer(page).open("?shape=2,64,12,12&layout=NCHW4&b-layout=NHWC")
    rows = page.locator("compared-facts tr.differs")
    expect(rows.first).to_be_visible()
    # The other tabs, with what an access costs, are in view before a long table.
    tabs, table = page.get_by_role("tablist").bounding_box(), rows.first.bounding_box()
    assert tabs
    assert table
    assert tabs["y"] < table["y"]
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
