"""Inputs take text, show at once, keep what was typed and say beside themselves what is wrong.

A message names what was meant and covers nothing; code is never cut.
"""

import re

from playwright.sync_api import Page, Position, Route, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, grouped, hold
from tests.browser.pages import Axe, NewPage, box_of

# Two taps within this time are one gesture.
DOUBLE_TAP_MS = 500


def test_what_is_typed_stays_as_written_and_shows_without_a_button(shared: Explorer) -> None:
    shared.show("?shape=1,2,3,4&layout=WHCN&at=0,1,0,1")
    for text in ("2 × 64 × 3 × 3", "(2, 64, 3, 3)"):
        shared.field("shape").fill("1,2,3,4")
        expect(shared.about("logical")).to_contain_text("1 × 2 × 3 × 4")
        shared.field("shape").fill(text)
        expect(shared.about("logical")).to_contain_text("2 × 64 × 3 × 3")
        expect(shared.field("shape")).to_have_value(text)
    shared.expect_lit("0,1,0,1", 386)
    for layout, address in {"NCHW": 10, "NCHW4": 5, "576,9,3,1+5": 15}.items():
        shared.field("layout").fill(layout)
        shared.expect_lit("0,1,0,1", address)
    shared.field("layout").fill("9007199254740993,1")  # beyond 2^53, and still exact
    shared.field("shape").fill("2,3")
    facts = shared.page.locator("layout-facts table.numbers")
    expect(facts).to_contain_text(grouped("9007199254740993"))
    expect(shared.page.locator("memory-view[side=a] .notice")).to_contain_text("2^53")
    shared.show("?shape=()&layout=()")
    expect(shared.about("logical")).to_contain_text("one element")
    shared.click("logical", shared.middle("logical", 0, 0))
    shared.expect_lit("", 0)


TEXT = """input => {
    const pen = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(input);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    return {
        wide: input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
        font: parseFloat(style.fontSize),
        advance: pen.measureText('0').width,
        scrolled: input.scrollLeft,
    };
}"""


def test_a_slice_is_whole_and_a_layout_to_compare_shows_its_names_beginning(
    shared: Explorer,
) -> None:
    page = shared.page
    shared.show("?shape=3,4,5&layout=CHW&slice=1:,%20::2,%201:")
    for width, font in ((1440, 16), (1280, 14)):
        page.set_viewport_size({"width": width, "height": 900})
        drawn = shared.field("slice").evaluate(TEXT)
        assert drawn["advance"] * len("1:, ::2, 1:") <= drawn["wide"]
        assert drawn["font"] >= font
    page.set_viewport_size({"width": 1024, "height": 768})
    for layout, cut in (("OIhw4i16o4i", 0), ("onednn:OIhw4i16o4i", len("onednn:"))):
        shared.show(f"?shape=32,32,3,3&layout=OIHW&b-layout={layout}")
        drawn = shared.field("layout", "b").evaluate(TEXT)
        assert drawn["scrolled"] <= cut * drawn["advance"] + 8
        seen = drawn["scrolled"] + drawn["wide"] + 8
        assert seen >= len(layout) * drawn["advance"]
    page.set_viewport_size(DESK)


def test_an_error_stands_beside_its_field_and_the_drawing_stays(shared: Explorer) -> None:
    explorer, page = shared.show(BLOCKED), shared.page
    page.locator("details.more > summary").click()
    explorer.settle()
    explorer.keep("a")
    explorer.keep("logical")
    for name, text, says in (
        ("shape", "2,-3", "expected"),
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


def test_a_late_answer_does_not_overwrite_a_newer_one(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,8,3,3&layout=NCHW&at=0,1,0,0")
    held = hold(page, "**/describe?*layout=NHWC*")
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


def test_a_pasted_shape_is_understood_as_more_than_sizes_and_else_is_text(shared: Explorer) -> None:
    explorer, page = shared.show("?shape=2,6,3,3&layout=NCHW4"), shared.page
    for text in ("[2, 6, 4, 4]", "torch.Size([2, 6, 4, 4])", "six"):
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        explorer.field("shape").press("Control+a")
        page.keyboard.press("Control+v")
        expect(explorer.field("shape")).to_have_value(text)
        expect(page.locator("paste-note")).to_be_empty()
    explorer.field("shape").fill("2,6,3,3")
    interface = "{'data': (94, False), 'strides': (20, 4), 'typestr': '<i4', 'shape': (2, 3)}"
    page.evaluate("text => navigator.clipboard.writeText(text)", interface)
    explorer.field("shape").focus()
    page.keyboard.press("Control+v")
    expect(explorer.field("shape")).to_have_value("2,3")
    expect(explorer.field("dtype")).to_have_value("int32")
    expect(page.locator("layout-facts")).to_contain_text("h2520w314")
    expect(page.locator("paste-note")).to_contain_text("Taken from the text: shape 2,3")
    page.keyboard.press("Control+z")
    expect(explorer.field("shape")).to_have_value("2,6,3,3")
    expect(explorer.field("layout")).to_have_value("NCHW4")


def test_no_line_of_code_is_cut(shared: Explorer, axe: Axe) -> None:
    page = shared.page
    shared.show("?shape=20,70,3,3&layout=onednn:ABcd64b4a&dtype=float8_e4m3fn&tab=code")
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        if size == PHONE:
            page.locator(".facts summary").first.click()
        shown = page.locator("layout-code pre")
        expect(shown.first).to_be_visible()
        for pre in shown.all():
            wide, inner = pre.evaluate("e => [e.clientWidth, e.scrollWidth]")
            assert inner <= wide
        assert axe(page, ".facts") == []
    titles = page.locator("layout-code h3").all_text_contents()
    onednn = ["oneDNN, C++", "oneDNN 3, C", "oneDNN 2, C"]
    assert titles == ["NumPy", "PyTorch", *onednn, "Plain C", "REST"]


def test_an_error_covers_nothing_and_no_offered_name_covers_it(shared: Explorer) -> None:
    page = shared.page
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        shared.show("?shape=4,6&layout=HW")
        shared.field("layout").fill("HW2")
        names, error = page.get_by_role("listbox"), shared.error("layout")
        expect(error).to_contain_text("no block")
        expect(names).to_be_visible()
        said, strip = box_of(error), box_of(page.locator(".strip"))
        assert said["y"] + said["height"] <= box_of(names)["y"]
        assert strip["y"] < said["y"]
        assert said["y"] + said["height"] <= strip["y"] + strip["height"]


def test_a_finger_types_over_a_field_and_places_the_caret_by_a_second_tap(
    new_page: NewPage,
) -> None:
    """Never amid the text at once, where what is typed would stand between what was there."""
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open(f"{BLOCKED}&b-layout=NHWC&slice=0,:,:,:")
    page.locator("details.more > summary").tap()
    fields = [*(("a", name) for name in ("shape", "layout", "dtype", "slice")), ("b", "layout")]
    selected = "({selectionStart, selectionEnd}) => [selectionStart, selectionEnd]"
    for side, name in fields:
        field = explorer.field(name, side)
        whole = len(field.input_value())
        at: Position = {"x": 30, "y": box_of(field)["height"] / 2}
        field.tap(position=at)
        assert field.evaluate(selected) == [0, whole], name
        page.wait_for_timeout(DOUBLE_TAP_MS)  # sooner it would be a double tap, on a word
        field.tap(position=at)
        start, end = field.evaluate(selected)
        assert 0 < start == end < whole, name
