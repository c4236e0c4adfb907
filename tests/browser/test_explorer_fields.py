"""Inputs take text, show at once, keep what was typed and say beside themselves what is wrong."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.explorer import BLOCKED, Explorer, grouped

pytestmark = pytest.mark.browser


def test_a_shape_is_taken_as_people_write_it(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    for text in (
        "2,64,3,3", "2x64x3x3", "2 × 64 × 3 × 3", "(2, 64, 3, 3)", "[2,64,3,3]", "2 64 3 3",
    ):  # fmt: skip  # spellings of one shape, read side by side
        explorer.field("shape").fill("1,2,3,4")
        expect(explorer.about("logical")).to_contain_text("1 × 2 × 3 × 4")
        explorer.field("shape").fill(text)
        expect(explorer.about("logical")).to_contain_text("2 × 64 × 3 × 3")
        expect(explorer.field("shape")).to_have_value(text)


def test_an_edit_of_the_layout_shows_without_a_button(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,64,3,3&layout=WHCN&at=0,14,0,1")
    addresses = {"NCHW": 127, "NHWC": 78, "NCHW4": 114, "CHWN4": 226, "576,9,3,1+5": 132}
    for layout, address in addresses.items():
        explorer.field("layout").fill(layout)
        explorer.expect_lit("0,14,0,1", address)


def test_an_error_stands_beside_its_field_and_the_drawing_stays(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    page.locator("details.more > summary").click()
    explorer.settle()
    explorer.keep("a")
    explorer.keep("logical")
    for name, text, says in (
        ("shape", "2,-3", "expected"),
        ("shape", "2,x", "integer"),
        ("shape", "2.5,3", "integer"),
        ("layout", "NCQW", "expected letters"),
        ("shape", "2,3", "expected 4 sizes"),
        ("dtype", "float31", "expected one of float64"),
        ("dims", "HH", "dim|letter|twice|distinct"),
        ("slice", "9, 9, 9, 9", "slice|index|bounds|range|size"),
        ("slice", "0; 0", "index|slice|integer|expected"),
        ("elements", "3", "elements|integer|least"),
    ):
        field = explorer.field(name)
        right = field.input_value()
        field.fill(text)
        page.keyboard.press("Enter")
        expect(explorer.error(name)).to_have_text(re.compile(says, re.IGNORECASE))
        expect(field).to_have_value(text)
        expect(field).to_have_attribute("aria-invalid", "true")
        explorer.settle()
        assert explorer.changed("a") is None, (name, text)
        assert explorer.changed("logical") is None, (name, text)
        field.fill(right)
        page.keyboard.press("Enter")
        expect(explorer.error(name)).to_be_empty()
        expect(field).to_have_attribute("aria-invalid", "false")


def test_a_negative_least_address_names_the_offset_that_mends_it(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3&layout=HW")
    explorer.field("layout").fill("-3,1")
    expect(explorer.error("layout")).to_contain_text("3")
    explorer.field("layout").fill("-3,1+3")
    expect(explorer.error("layout")).to_be_empty()
    expect(page.locator("layout-facts")).to_contain_text("from offset 3")


def test_a_late_answer_does_not_overwrite_a_newer_one(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&at=0,1,0,0")

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/describe?*layout=NHWC*", hold)
    with page.expect_request("**/describe?*layout=NHWC*"):
        explorer.field("layout").fill("NHWC")
    with page.expect_event("requestfailed") as given_up:
        explorer.field("layout").fill("NCHW4")
    assert "layout=NHWC" in given_up.value.url
    explorer.expect_lit("0,1,0,0", 1)
    expect(explorer.about("a")).to_contain_text("NCHW4")
    held[0].continue_()
    explorer.rest()
    expect(explorer.about("a")).to_contain_text("NCHW4")


def test_when_the_server_is_away_the_last_drawing_stays(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    page.route("**/api/**", lambda route: route.abort())
    explorer.field("layout").fill("NCHW")
    expect(page.locator("tensor-problem")).to_contain_text("does not answer")
    expect(explorer.about("a")).to_contain_text("NCHW4")
    page.unroute_all()
    explorer.field("layout").fill("NHWC")
    expect(page.locator("tensor-problem")).to_be_empty()
    expect(explorer.about("a")).to_contain_text("NHWC")


def test_numbers_beyond_2_to_the_53_are_shown_exactly(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    explorer.field("shape").fill("2,3")
    explorer.field("layout").fill("9007199254740993,1")
    facts = page.locator("layout-facts table.numbers")
    expect(facts).to_contain_text(grouped("9007199254740993"))
    expect(page.locator("memory-view[side=a] .notice")).to_contain_text("2^53")


def test_the_row_length_is_the_readers(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,64,3,3&layout=NCHW&dtype=int8")
    select = page.locator("row-length select")
    select.select_option("line")
    expect(explorer.canvas("a")).to_have_attribute("data-columns", "64")
    select.select_option("number")
    page.locator("row-length input").fill("7")
    expect(explorer.canvas("a")).to_have_attribute("data-columns", "7")
    page.locator("row-length input").fill("")
    explorer.settle()
    expect(explorer.canvas("a")).to_have_attribute("data-columns", "7")
    select.select_option("auto")
    expect(explorer.canvas("a")).not_to_have_attribute("data-columns", "7")


def test_rank_0_and_empty_tensors_open(page: Page) -> None:
    explorer = Explorer(page).open("?shape=()&layout=()")
    expect(explorer.about("logical")).to_contain_text("one element")
    explorer.click("logical", explorer.middle("logical", 0, 0))
    explorer.expect_lit("", 0)
    explorer.field("shape").fill("2,0,3")
    explorer.field("layout").fill("CHW")
    expect(page.locator("logical-view .notice")).to_contain_text("no elements")


def served_with_a_new_type(page: Page, *, in_the_page: bool) -> None:
    """Let the server's answers name a type of 4 bits, ``float4_new``, that no script knows."""

    def renamed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"dtype": "float4_new"})

    def extended(route: Route) -> None:
        answer = route.fetch()
        option = '<option value="float4_new" data-bits="4"></option>' if in_the_page else ""
        text = answer.text().replace("</datalist>", f"{option}</datalist>")
        # The page carries the first answer.
        known = text.replace('"dtype":"int8","layout"', '"dtype":"float4_new","layout"')
        assert known != text
        route.fulfill(response=answer, body=known)

    page.route("**/api/v1/describe*", renamed)
    page.route(re.compile(r"/\?shape="), extended)


def test_a_new_element_type_needs_the_server_alone(page: Page) -> None:
    served_with_a_new_type(page, in_the_page=True)
    explorer = Explorer(page).open("?shape=2,3&layout=HW&dtype=int8&at=1,0")
    expect(explorer.sum).to_contain_text("byte 1, upper half")
    strides = page.locator("layout-facts table.numbers td:last-child")
    expect(strides).to_have_text(["–", "–"])  # the strides 3 and 1 are no whole bytes
    explorer.field("shape").fill("2,8")
    expect(strides).to_have_text(["4", "–"])


def test_a_page_older_than_its_server_says_so(page: Page) -> None:
    served_with_a_new_type(page, in_the_page=False)
    page.goto("/?shape=2,3&layout=HW&dtype=int8")
    expect(Explorer(page).error("dtype")).to_contain_text("does not know float4_new")
