"""The layout field takes any notation, and the panels write every one."""

import re
from typing import get_args

import pytest
from playwright.sync_api import Page, expect

from app.engine.notation import DIALECTS
from app.engine.notation.dialect import Family
from tests.browser.explorer import Explorer, hold


def ask(explorer: Explorer, shape: str, layout: str, *, typed: bool = False) -> None:
    explorer.field("shape").fill(shape)
    explorer.field("layout").fill("")
    if typed:
        explorer.field("layout").press_sequentially(layout)
    else:
        explorer.field("layout").fill(layout)
        explorer.page.keyboard.press("Escape")


def test_the_field_says_how_it_reads_and_the_second_one_too(shared: Explorer) -> None:
    said = shared.page.locator("#a-layout-reading")
    for shape, layout, says in (
        ("2,3", "ab", "Read as oneDNN"),
        ("2,3", "memref<2x3xf32, strided<[5, 1]>>", "Read as MLIR"),
        ("2,8,3,3", "tvm:NCHW4c", "Read as TVM, as its prefix asks"),
    ):
        ask(shared, shape, layout)
        expect(said).to_have_text(re.compile(rf"^{re.escape(says)}"))
        expect(shared.error("layout")).to_be_empty()
    shared.field("layout", "b").fill("NCHW4c")
    expect(shared.page.locator("#b-layout-reading")).to_have_text("Read as TVM")
    shared.field("layout", "b").fill("")
    expect(shared.page.locator("#b-layout-reading")).to_be_empty()


def test_other_readings_are_named_by_their_memory_and_one_press_chooses_them(
    shared: Explorer,
) -> None:
    said = shared.page.locator("#a-layout-reading")
    ask(shared, "2,3", "5,1", typed=True)
    expect(said).to_contain_text("Read as strides")
    expect(said).to_contain_text("the same as PyTorch")
    expect(said).to_contain_text("the same memory, as 1×1×2×3, in DirectML")
    expect(said).not_to_contain_text("other memory")
    said.get_by_role("button", name="PyTorch").click()
    expect(shared.field("layout")).to_have_value("pytorch:5,1")
    expect(said).to_have_text("Read as PyTorch, as its prefix asks")
    ask(shared, "2,5", "(20, 4)", typed=True)
    expect(said).to_contain_text(
        "; the same memory, as 1×1×2×5, in DirectML; other memory as MegEngine, NumPy"
    )


@pytest.mark.parametrize(
    ("shape", "layout", "at"),
    [
        ("2,64,3,3", "  NC?W", 4),
        ("2,64,3,3", "nChw16", 6),
        ("4,8", "affine_map<(d0, d1) -> (d0 * 8 + q1)>", 33),
    ],
)
def test_the_character_at_fault_is_underlined_in_place_until_it_is_mended(
    shared: Explorer, shape: str, layout: str, at: int
) -> None:
    ask(shared, shape, layout)
    field = shared.page.locator("layout-field[side=a]")
    mark = field.locator(".mirror mark")
    character = layout[at : at + 1]
    expect(mark).to_have_text(character or " ")
    words = f"Character {at + 1} is {character}" if character else "The text ends there"
    expect(shared.error("layout")).to_contain_text(words)
    # The mark stands where the field draws that character: `at` advances from its first.
    offset_css, advance_css, scrolled_css = field.evaluate(
        """field => {
            const [input, mirror] = [field.querySelector('input'), field.querySelector('.mirror')];
            const pen = document.createElement('canvas').getContext('2d');
            const style = getComputedStyle(input);
            pen.font = `${style.fontSize} ${style.fontFamily}`;
            const left = mirror.querySelector('mark').getBoundingClientRect().left;
            const inner = input.getBoundingClientRect().left + input.clientLeft
                + parseFloat(style.paddingLeft);
            return [left - inner, pen.measureText('0').width, input.scrollLeft];
        }"""
    )
    assert offset_css == pytest.approx(at * advance_css - scrolled_css, abs=1.5)
    expect(field.locator(".mirror")).to_be_visible()
    ask(shared, "2,64,3,3", "NCHW")
    expect(field.locator(".mirror")).to_be_hidden()


def test_names_are_completed_by_the_keyboard_alone(shared: Explorer) -> None:
    page, field = shared.page, shared.field("layout")
    ask(shared, "2,64,3,3", "nChw1", typed=True)
    expect(field).to_have_attribute("aria-expanded", "true")
    options = page.locator("#a-layout-names").get_by_role("option")
    expect(options.first).to_contain_text("nChw16c")
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile("."))
    page.keyboard.press("ArrowDown")
    active = page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    expect(active).to_have_attribute("aria-selected", "true")
    expect(active).to_contain_text("nChw16c")
    page.keyboard.press("Enter")
    expect(field).to_have_value("nChw16c")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(shared.about("a")).to_contain_text("nChw16c")
    page.keyboard.press("Control+z")
    expect(field).to_have_value(re.compile(r"^nChw1?$|^$"))


def test_the_usual_layouts_are_offered_with_a_word_each_and_small_letters_are_enough(
    shared: Explorer,
) -> None:
    page, field = shared.page, shared.field("layout")
    ask(shared, "2,3,4", "CHW")
    page.keyboard.press("Escape")
    options = page.locator("#a-layout-names").get_by_role("option")
    offer = page.get_by_role("button", name="Usual layouts for Layout")
    offer.click()
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(options.first).to_contain_text("One plane per channel.")
    offer.click()
    expect(options.first).to_be_hidden()
    field.press("ArrowDown")
    expect(options.nth(1)).to_contain_text("HWC")
    options.nth(1).click()
    expect(field).to_have_value("HWC")
    expect(options.first).to_be_hidden()
    expect(shared.about("a")).to_contain_text("HWC")
    field.fill("chw")  # Enter takes the name that small letters spell
    expect(options.filter(has_text="CHW").first).to_be_visible()
    field.press("Enter")
    expect(field).to_have_value("CHW")
    expect(shared.error("layout")).to_be_empty()


def test_arrows_wrap_through_the_text_and_escape_or_a_complete_name_closes(
    shared: Explorer,
) -> None:
    page, field = shared.page, shared.field("layout")
    ask(shared, "2,64,3,3", "kC", typed=True)
    page.keyboard.press("ArrowUp")
    last = page.locator("#a-layout-names").get_by_role("option").last
    expect(last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile("."))
    page.keyboard.press("Escape")
    expect(page.locator("#a-layout-names")).to_be_hidden()
    expect(field).to_have_value("kC")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#a-layout-names")).to_be_visible()
    ask(shared, "2,64,3,3", "NCH", typed=True)
    expect(page.locator("#a-layout-names")).to_be_visible()
    page.keyboard.type("W")
    expect(shared.about("a")).to_contain_text("NCHW")
    expect(page.locator("#a-layout-names")).to_be_hidden()


@pytest.mark.parametrize("key", ["Escape", "Enter"])
def test_names_that_come_after_the_end_of_typing_stay_away(page: Page, key: str) -> None:
    explorer = Explorer(page).open("?shape=2,48,3,3&layout=NCHW")
    held = hold(page, "**/formats*")
    with page.expect_request("**/formats*"):
        explorer.field("layout").fill("NHWC")
    page.keyboard.press(key)
    with page.expect_response("**/formats*"):
        held[0].continue_()
    explorer.rest()
    expect(page.locator("#a-layout-names")).to_be_hidden()


def test_every_dialect_has_a_text_or_a_reason_under_its_family(shared: Explorer) -> None:
    page, layout = shared.page, "cutlass::layout::TensorNCxHWx<32>"
    ask(shared, "2,64,3,3", layout)
    expect(page.locator("#a-layout-reading")).to_contain_text("Read as CUTLASS")
    page.get_by_role("tab", name="Notations").click()
    answer = page.request.get(f"/api/v1/describe?shape=2,64,3,3&layout={layout}").json()
    texts = {name: each["text"] for name, each in answer["notations"].items() if "text" in each}
    reasons = [each["reason"] for each in answer["notations"].values() if "text" not in each]
    assert len(texts) >= 8
    assert len(reasons) >= 2
    rows = page.locator("layout-notations section li")
    expect(rows).to_have_count(1 + len(texts))  # first as it is written
    titles = {d.system: (d.title, d.family) for d in DIALECTS}
    for at, row in enumerate(rows.all()):
        system = row.get_attribute("data-system") or ""
        title, family = titles[system]
        expect(row.locator(".name")).to_have_text(title)
        expect(row.locator("code")).to_have_text(layout if at == 0 else texts[system])
        heading = row.locator("xpath=ancestor::section/h3")
        expect(heading).to_have_text("As you wrote it" if at == 0 else family)
    headings = page.locator("layout-notations h3").all_text_contents()[1:]
    assert headings == [family for family in get_args(Family) if family in headings]
    unsaid = page.locator("layout-notations .unsaid")
    expect(unsaid.locator("summary")).to_have_text(f"{len(reasons)} cannot say it")
    expect(unsaid.locator("li").first).to_be_hidden()
    unsaid.locator("summary").click()
    for reason in reasons:
        expect(unsaid).to_contain_text(reason)
    assert unsaid.locator("li").count() == len(set(reasons)), "each reason once"


def test_each_text_is_copied_by_its_button(shared: Explorer) -> None:
    page = shared.page
    page.get_by_role("tab", name="Notations").click()
    # The page is shared: the list must not be that of a test before.
    for layout, name in (("NCHW", "kLINEAR"), ("NCHW32", "kCHW32")):
        ask(shared, "2,64,3,3", layout)
        expect(page.locator("li[data-system=tensorrt] code")).to_have_text(name)
    for row in page.locator("layout-notations .notations li").all():
        copied = shared.copy_with(row.get_by_role("button", name="Copy"))
        assert copied == row.locator("code").text_content()
    page.get_by_role("tab", name="Code").click()
    numpy = page.locator("layout-code section").first
    copied = shared.copy_with(numpy.get_by_role("button", name="Copy the NumPy code"))
    assert copied.startswith("import numpy as np\n")
    names: dict[str, object] = {}
    exec(copied, names)  # noqa: S102 - the program's own code, which must run
    assert getattr(names["y"], "shape", None) == (2, 64, 3, 3)


def test_arrows_move_between_the_tabs_and_no_panel_is_wider_than_its_column(
    shared: Explorer,
) -> None:
    page = shared.page
    ask(shared, "32,32,3,3", "OIhw4i16o4i")
    expect(shared.about("a")).to_contain_text("OIhw4i16o4i")
    page.get_by_role("tab", name="Facts").click()
    expect(page.locator("layout-facts")).to_be_visible()
    for name, panel in (
        ("Notations", "layout-notations"),
        ("Code", "layout-code"),
        ("Cost", "cost-lens"),
        ("Facts", "layout-facts"),
    ):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name=name)).to_be_focused()
        expect(page.get_by_role("tabpanel")).to_have_count(1)
        expect(page.locator(panel)).to_be_visible()
        width, inner = page.locator(".facts").evaluate("e => [e.clientWidth, e.scrollWidth]")
        assert inner <= width, name
    ask(shared, "8,64", "Sw<3,4,3> o 0 o (8,64):(64,1)")
    expect(shared.about("a")).to_contain_text("Sw<3,4,3>")
    bar = page.locator("memory-view[side=a] .bar")
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")


def test_the_facts_say_why_a_name_fits_and_warn_of_a_library_and_of_an_xor(
    shared: Explorer,
) -> None:
    facts = shared.page.locator("layout-facts")
    shared.page.get_by_role("tab", name="Facts").click()
    ask(shared, "2,1,4,5", "20,1,5,1")
    expect(facts.locator(".why")).to_have_count(1)
    expect(facts.locator(".why")).to_contain_text("C has size 1 and its stride does not count")
    expect(facts).to_contain_text("contiguous_format and channels_last are the same memory")
    ask(shared, "10,3,16,16", "768,1,48,3")
    expect(facts).to_contain_text("whether or not anyone asked for it")
    expect(facts.locator(".why")).to_contain_text("C 1 < W 3 < H 48 < N 768")
    ask(shared, "10,3,16,16", "channels_last")
    expect(facts.locator(".why")).to_have_count(0)
    ask(shared, "3,3", "4000000000,1")
    expect(facts).to_contain_text("Beware")
    expect(facts).to_contain_text("DMLCalcBufferTensorSize")
    ask(shared, "8,8", "cute:Swizzle<3,0,3> o 0 o (8,8):(8,1)")
    expect(facts.get_by_role("heading", name="Strides before the XOR")).to_be_visible()
    expect(facts).to_contain_text("address of the sum s: s ^ ((s & 0b111000) >> 3)")
    expect(facts).not_to_contain_text("Beware")
    ask(shared, "8,8", "HW")
    expect(facts.get_by_role("heading", name="Strides", exact=True)).to_be_visible()
