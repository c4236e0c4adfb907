"""The whole state is in the address: reload, share, back and forward."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import Explorer
from tests.browser.pages import hear


def test_a_newcomer_gets_one_thing_to_try_and_everything_comes_back_from_the_address(
    page: Page,
) -> None:
    explorer = Explorer(page).open()
    assert "?" not in page.url
    expect(page.locator("example-story .see")).to_contain_text("Two grids")
    expect(page.locator("example-story .try")).to_contain_text("Try it")
    explorer.expect_lit("1,1,2", 18)
    place = page.locator("memory-view[side=a] .place")
    expect(place).to_have_text("S is at address 18")
    # Where cells show addresses, an address is not taken for the element's number.
    explorer.open("?shape=2,3,5&layout=HWC&at=1,2,1&text=address")
    expect(place).to_have_text("element 26 is at address 23")
    explorer.open()
    page.locator("details.more > summary").click()
    typed = {
        "shape": "(2, 3)",
        "layout": "6,1+8",
        "dtype": "int16",
        "dims": "MN",
        "slice": "::-1, 1:",
        "elements": "24",
    }
    for name, text in typed.items():
        explorer.field(name).fill(text)
    explorer.field("layout", "b").fill("WH")
    page.locator("state-select[name=text] select").select_option("coords")
    page.locator("state-select[name=colour] select").select_option("linear")
    page.locator("row-length select").select_option("number")
    page.locator("row-length input").fill("6")
    expect(explorer.error("layout")).to_be_empty()
    explorer.click("a", explorer.memory_cell("a", 15))
    page.mouse.move(1, 1)
    explorer.canvas("a").focus()
    page.keyboard.press("-")
    explorer.settle()
    lit = explorer.sum.inner_text()
    cell_css = explorer.canvas("a").get_attribute("data-cell_css")
    expect(page).to_have_url(re.compile("mv="))
    link = page.url

    page.goto("about:blank")
    page.goto(link)
    for name, text in typed.items():
        expect(explorer.field(name)).to_have_value(text)
    expect(explorer.field("layout", "b")).to_have_value("WH")
    expect(page.locator("state-select[name=text] select")).to_have_value("coords")
    expect(page.locator("state-select[name=colour] select")).to_have_value("linear")
    expect(page.locator("row-length input")).to_have_value("6")
    expect(explorer.sum).to_have_attribute("data-address", "15")
    explorer.expect_drawn("a")
    explorer.settle()
    assert explorer.sum.inner_text() == lit
    assert explorer.number("a", "cell_css") == pytest.approx(float(cell_css or 0), rel=1e-4)
    call = page.locator("layout-code pre").last.text_content() or ""
    found = re.fullmatch(r"curl '(\S+)'", call)
    assert found is not None
    answer = page.request.get(found[1]).json()
    assert (answer["strides"], answer["offset"], answer["buffer"]["elements"]) == ([6, 1], 8, 24)
    assert (answer["dims"], answer["dtype"]) == ("MN", "int16")


def test_what_was_typed_wrong_is_in_the_address_too(page: Page) -> None:
    explorer = Explorer(page).open()
    explorer.field("layout").fill("NC?W &x=1#")
    explorer.rest()
    expect(page).to_have_url(re.compile("layout=NC"))
    page.reload()
    expect(explorer.field("layout")).to_have_value("NC?W &x=1#")
    expect(explorer.error("layout")).not_to_be_empty()
    expect(page.locator("logical-view .notice")).to_contain_text("Nothing to draw yet")
    explorer.field("layout").fill("NCHW")
    expect(page.locator("logical-view .notice")).to_be_hidden()


def test_back_and_forward_walk_the_edits_and_titles_stay_with_them(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&at=0,1,0,0")
    expect(page).to_have_title("NCHW of 2×8×3×3 – Stridescope")
    explorer.expect_lit("0,1,0,0", 9)
    explorer.field("layout").press("End")
    explorer.field("layout").press_sequentially("4")
    explorer.field("layout").blur()
    explorer.expect_lit("0,1,0,0", 1)
    explorer.field("layout").fill("NH?")
    page.keyboard.press("Enter")
    expect(explorer.error("layout")).not_to_be_empty()
    explorer.press(explorer.example("An address is a sum of steps"))
    expect(page).to_have_title("DHW of 2×2×3 – Stridescope")
    page.go_back()
    expect(explorer.field("layout")).to_have_value("NH?")
    expect(page).to_have_title("DHW of 2×2×3 – Stridescope")  # it is what is still shown
    page.go_back()
    expect(explorer.field("layout")).to_have_value("NCHW4")
    expect(page).to_have_title("NCHW4 of 2×8×3×3 – Stridescope")
    explorer.expect_lit("0,1,0,0", 1)
    page.go_back()
    explorer.expect_lit("0,1,0,0", 9)
    page.go_forward()
    explorer.expect_lit("0,1,0,0", 1)


def test_the_tab_and_the_side_of_the_facts_are_in_the_link(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3&layout=HW&b-layout=WH")
    page.get_by_role("tab", name="Notations").click()
    page.locator("facts-side input[value=b]").check()
    expect(page).to_have_url(re.compile(r"tab=notations&side=b"))
    page.reload()
    expect(page.get_by_role("tab", name="Notations")).to_have_attribute("aria-selected", "true")
    expect(page.locator("facts-side input[value=b]")).to_be_checked()
    expect(page.locator("layout-notations")).to_contain_text("WH")
    expect(page.locator("layout-facts")).to_be_hidden()
    page.get_by_role("tab", name="Facts").click()
    page.locator("facts-side input[value=a]").check()
    expect(page).not_to_have_url(re.compile(r"tab=|side="))
    page.get_by_role("tab", name="Notations").click()
    explorer.press(explorer.example("An address is a sum of steps"))
    expect(page).to_have_url(re.compile("tab=notations"))
    expect(page.locator("layout-notations")).to_be_visible()
    explorer.open("?shape=2,3&layout=HW&tab=%00code&side=bb")
    expect(page.get_by_role("tab", name="Facts")).to_have_attribute("aria-selected", "true")


HOSTILE = [
    "?shape=%FF%00%E2%80%A8&layout=%3Cscript%3Ealert(1)%3C/script%3E",
    "?shape=2,3&layout=HW&at=99999999999999999999,-1&lv=NaN,Infinity,1e999&row=0",
    "?shape=2,3&layout=HW&at=7,7,7&mv=1e-300,1e15,1e15&colour=%F0%9F%92%A5&text=zzz&sample=none",
    f"?shape={'9' * 3000}&layout={'N' * 3000}",
]


def test_a_hostile_address_does_no_harm(page: Page) -> None:
    harm: list[str] = []
    hear(page, "pageerror", lambda error: harm.append(str(error)))
    hear(page, "dialog", lambda dialog: harm.append(dialog.message))
    explorer = Explorer(page)
    for query in HOSTILE:
        page.goto(f"/{query}")
        expect(page.locator("preset-list button").first).to_be_attached()
        explorer.rest()
        explorer.field("shape").fill("2,3")
        explorer.field("layout").fill("WH")
        expect(explorer.about("a")).to_contain_text("6 addresses")
        assert harm == [], query
