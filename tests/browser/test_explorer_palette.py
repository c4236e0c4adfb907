"""The palette: Ctrl K or its button, then a name, an address or a coordinate."""

import re

from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer, listen
from tests.browser.pages import Axe, NewPage, box_of

PADDED = "?shape=1,6,2,3&layout=NCHW4&at=0,1,0,0"


def test_the_keyboard_finds_layouts_cells_and_help(page: Page, axe: Axe) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open(PADDED)
    said = listen(page)
    dialog = page.get_by_role("dialog")
    field = page.get_by_role("combobox", name="Search examples")
    explorer.canvas("logical").focus()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(explorer.canvas("logical")).to_be_focused()

    page.keyboard.press("Control+k")
    page.keyboard.type("nhwc")
    expect(page.get_by_role("option").first).to_contain_text("layout")
    expect(field).to_have_attribute("aria-activedescendant", "command-option-0")
    expect(dialog).to_match_aria_snapshot("""
      - dialog "Search and commands":
        - combobox "Search examples, layouts, views, pages and help" [expanded] [active]: nhwc
        - button "Close"
        - listbox "What was found":
          - option /NHWC layout/ [selected]
    """)
    assert axe(page, "dialog") == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(explorer.field("layout")).to_have_value("NHWC")
    expect(page).to_have_title(re.compile("NHWC of"))

    page.keyboard.press("Control+k")
    page.keyboard.type("0,5,1,2")
    expect(page.get_by_role("option").first).to_contain_text("Go to address 35")
    page.keyboard.press("Enter")
    explorer.expect_lit("0,5,1,2", 35)
    expect(explorer.canvas("a")).to_be_focused()

    page.keyboard.press("Control+k")
    page.keyboard.type("padding")
    page.get_by_role("option", name="padding help").click()
    expect(dialog.get_by_role("status")).to_contain_text("Places that are wasted so")
    expect(dialog).to_be_visible()
    field.fill("0,5,9,2")
    expect(dialog.get_by_role("status")).to_have_text("h goes from 0 to 1, not 9.")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert axe(page, "dialog") == []
    page.keyboard.press("Control+k")
    expect(dialog).to_be_hidden()
    assert said == []


def test_a_question_finds_a_lesson_and_a_type_or_layout_is_read_before_a_place(page: Page) -> None:
    page.set_viewport_size(DESK)
    explorer = Explorer(page).open(PADDED)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search examples")
    options = page.get_by_role("option")
    for query, found in (
        ("what is a stride", ("Strides lesson", "stride help")),
        ("nchw4", ("NCHW4 layout", "Blocks: NCHW4 lesson")),
        ("amx", ("VNNI help",)),
    ):
        field.fill(query)
        for one in found:
            title, kind = one.rsplit(" ", 1)
            first = options.locator(":scope:nth-child(-n + 9)")
            expect(first.filter(has_text=f"{title}{kind}").first).to_be_visible()
    field.fill("bf16")
    page.keyboard.press("Enter")
    expect(explorer.field("dtype")).to_have_value("bfloat16")
    page.keyboard.press("Control+k")
    field.fill("BA16a64b2a")
    option = page.get_by_role("option", name="BA16a64b2a layout")
    expect(option).to_contain_text("expected 2 sizes (a, b)")
    expect(page.locator("#command-said")).to_be_empty()
    option.click()
    expect(explorer.field("layout")).to_have_value("BA16a64b2a")


def test_strides_out_of_a_debugger_are_taken_by_the_search(page: Page) -> None:
    explorer = Explorer(page).open(PADDED)
    first = page.get_by_role("option").first
    for text, title in (
        (
            "x.stride() = (50176, 1, 896, 16), shape (2, 16, 56, 56)",
            "Take (50176, 1, 896, 16) of 2,16,56,56",
        ),
        ("stride (12, 4, 1)", "Take (12, 4, 1), and type its sizes"),
    ):
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Search examples").fill(text)
        expect(first).to_contain_text(title)
        first.click()
    expect(explorer.field("layout")).to_have_value("(12, 4, 1)")
    expect(explorer.field("shape")).to_be_focused()


def test_what_is_taken_is_shown_as_its_link_shows_it(page: Page) -> None:
    explorer = Explorer(page).open(PADDED)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search examples").fill("2x16x56x56 NHWC")
    page.get_by_role("option").first.click()
    expect(page).to_have_url(re.compile("layout=NHWC&at=0,1,0,0"))
    explorer.settle()
    place = {}
    for part in ("cell_css", "left_cells", "top_cells"):
        place[part] = explorer.canvas("a").get_attribute(f"data-{part}") or ""
    assert float(place["cell_css"]) >= 24
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    for part, value in place.items():
        expect(explorer.canvas("a")).to_have_attribute(f"data-{part}", value)


def test_a_finger_finds_views_and_examples(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    explorer = Explorer(page).open(PADDED)
    button = page.get_by_role("button", name="Search and commands")
    box = box_of(button)
    assert min(box["width"], box["height"]) >= 24
    button.tap()
    dialog = page.get_by_role("dialog")
    field = page.get_by_role("combobox", name="Search examples")
    field.fill("colour bank")
    page.get_by_role("option", name="Colour by bank").tap()
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile("colour=%40bank|colour=@bank"))
    button.tap()
    field.fill("two orders")
    assert axe(page, "dialog") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("option", name="Two orders of one tensor").tap()
    expect(explorer.canvas("b")).to_be_visible()
    button.tap()
    field.fill("notat")
    page.get_by_role("option", name="Notations").first.tap()
    expect(page.get_by_role("tab", name="Notations")).to_be_focused()
    button.tap()
    page.get_by_role("button", name="Close", exact=True).tap()
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
