"""The layout field takes any notation, and the panels write every one."""

import re
from collections.abc import Iterator
from typing import get_args

import pytest
from playwright.sync_api import Page, Route, expect

from app.engine.notation import DIALECTS
from app.engine.notation.dialect import Family
from tests.browser.explorer import Explorer, one_page
from tests.browser.pages import Pages

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shared(pages: Pages) -> Iterator[Explorer]:
    """One page: each test fills the fields it needs, and a script error fails the test at hand."""
    with one_page(pages) as explorer:
        yield explorer


def ask(explorer: Explorer, shape: str, layout: str, *, typed: bool = False) -> None:
    explorer.field("shape").fill(shape)
    explorer.field("layout").fill("")
    if typed:
        explorer.field("layout").press_sequentially(layout)
    else:
        explorer.field("layout").fill(layout)
        explorer.page.keyboard.press("Escape")


def reading(explorer: Explorer) -> str:
    return " ".join((explorer.page.locator("#a-layout-reading").text_content() or "").split())


# How it is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "layout", "says"),
    [
        ("2,3", "ab", "Read as oneDNN"),
        ("2,3", "(2,3):(3,1)", "Read as CuTe"),
        ("2,8,3,3", "NCHW4c", "Read as TVM"),
        ("2,8,3,3", "kCHW4", "Read as TensorRT"),
        ("2,3", "f32[2,3]{1,0}", "Read as XLA"),
        ("2,3", "memref<2x3xf32, strided<[5, 1]>>", "Read as MLIR"),
        ("2,8,3,3", "tvm:NCHW4c", "Read as TVM, as its prefix asks"),
    ],
)
def test_the_field_says_how_it_reads(shared: Explorer, shape: str, layout: str, says: str) -> None:
    ask(shared, shape, layout)
    expect(shared.page.locator("#a-layout-reading")).to_have_text(
        re.compile(rf"^{re.escape(says)}")
    )
    expect(shared.error("layout")).to_be_empty()


def test_other_readings_are_named_and_one_press_chooses_them(shared: Explorer) -> None:
    ask(shared, "2,3", "5,1", typed=True)
    expect(shared.page.locator("#a-layout-reading")).to_contain_text("Read as strides")
    said = reading(shared)
    assert "the same as PyTorch" in said
    assert "the same memory, as 1×1×2×3, in DirectML" in said
    assert "other memory" not in said
    shared.page.locator("#a-layout-reading").get_by_role("button", name="PyTorch").click()
    expect(shared.field("layout")).to_have_value("pytorch:5,1")
    expect(shared.page.locator("#a-layout-reading")).to_have_text(
        "Read as PyTorch, as its prefix asks"
    )


def test_a_reading_of_other_memory_is_still_called_so(shared: Explorer) -> None:
    ask(shared, "2,5", "(20, 4)", typed=True)
    expect(shared.page.locator("#a-layout-reading")).to_contain_text(
        "; the same memory, as 1×1×2×5, in DirectML; other memory as MegEngine, NumPy"
    )


def test_the_second_layout_says_how_it_is_read_too(shared: Explorer) -> None:
    ask(shared, "2,8,3,3", "NCHW")
    shared.field("layout", "b").fill("NCHW4c")
    expect(shared.page.locator("#b-layout-reading")).to_have_text("Read as TVM")
    shared.field("layout", "b").fill("")
    expect(shared.page.locator("#b-layout-reading")).to_be_empty()


# Where a mistake is -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "layout", "at"),
    [
        ("2,64,3,3", "NC?W", 2),
        ("2,64,3,3", "  NC?W", 4),
        ("2,64,3,3", "nChw16", 6),
        ("2,3", "cute:(2,3):(3,q)", 14),
        ("4,8", "affine_map<(d0, d1) -> (d0 * 8 + q1)>", 33),
    ],
)
def test_the_character_at_fault_is_underlined_in_place(
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


def test_a_mark_goes_with_its_mistake(shared: Explorer) -> None:
    ask(shared, "2,64,3,3", "NC?W")
    expect(shared.page.locator("layout-field[side=a] .mirror")).to_be_visible()
    ask(shared, "2,64,3,3", "NCHW")
    expect(shared.page.locator("layout-field[side=a] .mirror")).to_be_hidden()


# Completion -------------------------------------------------------------------------------------


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


def test_the_usual_layouts_are_offered_with_a_word_each(shared: Explorer) -> None:
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


def test_arrows_wrap_through_the_text_and_escape_closes(shared: Explorer) -> None:
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


def test_a_complete_name_closes_the_list_and_an_arrow_opens_it(shared: Explorer) -> None:
    page, names = shared.page, shared.page.locator("#a-layout-names")
    ask(shared, "2,64,3,3", "NCH", typed=True)
    expect(names).to_be_visible()
    page.keyboard.type("W")
    expect(shared.about("a")).to_contain_text("NCHW")
    expect(names).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(names.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")


@pytest.mark.parametrize("key", ["Escape", "Enter"])
def test_names_that_come_after_the_end_of_typing_stay_away(page: Page, key: str) -> None:
    explorer = Explorer(page).open("?shape=2,48,3,3&layout=NCHW")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/formats*", hold)
    with page.expect_request("**/formats*"):
        explorer.field("layout").fill("NHWC")
    page.keyboard.press(key)
    with page.expect_response("**/formats*"):
        held[0].continue_()
    explorer.rest()
    expect(page.locator("#a-layout-names")).to_be_hidden()


@pytest.mark.parametrize(
    ("shape", "first"), [("2,3,4,5", "NHWC"), ("2,3,4,5,6", "NDHWC")], ids=["rank 4", "rank 5"]
)
def test_names_of_the_tensors_rank_are_offered(shared: Explorer, shape: str, first: str) -> None:
    ask(shared, shape, ",".join("1" for _ in shape.split(",")))
    expect(shared.error("layout")).to_be_empty()
    shown = shared.page.locator("logical-view .about")  # the answer for this rank has come
    expect(shown).to_contain_text(" × ".join(shape.split(",")))
    shared.field("layout").fill("HWC")
    names = shared.page.locator("#a-layout-names code")
    expect(names.first).to_be_visible()
    found = names.all_text_contents()
    assert {"NHWC", "NDHWC"} & set(found) == {first}


def test_a_system_completes_to_its_names_and_a_pointer_chooses(shared: Explorer) -> None:
    options = shared.page.locator("#a-layout-names").get_by_role("option")
    ask(shared, "2,64,3,3", "tensorr", typed=True)
    options.filter(has_text="tensorrt:").click()
    expect(shared.field("layout")).to_have_value("tensorrt:")
    options.filter(has_text="tensorrt:kCHW16").click()
    expect(shared.field("layout")).to_have_value("tensorrt:kCHW16")
    expect(shared.page.locator("#a-layout-names")).to_be_hidden()
    expect(shared.error("layout")).to_be_empty()


def test_enter_takes_the_name_that_small_letters_spell(shared: Explorer) -> None:
    ask(shared, "2,3,4", "CHW")
    shared.field("layout").fill("hwc")
    options = shared.page.locator("#a-layout-names").get_by_role("option")
    expect(options.filter(has_text="HWC").first).to_be_visible()
    shared.field("layout").press("Enter")
    expect(shared.field("layout")).to_have_value("HWC")
    expect(shared.error("layout")).to_be_empty()


# Every dialect ----------------------------------------------------------------------------------


def test_every_dialect_has_a_text_or_a_reason(shared: Explorer) -> None:
    page = shared.page
    ask(shared, "2,64,3,3", "NCHW4")
    page.get_by_role("tab", name="Notations").click()
    said = page.locator("layout-notations .notations li")
    answer = page.request.get("/api/v1/describe?shape=2,64,3,3&layout=NCHW4").json()["notations"]
    texts = {system: words["text"] for system, words in answer.items() if "text" in words}
    reasons = [words["reason"] for words in answer.values() if "text" not in words]
    assert len(texts) >= 8
    assert len(reasons) >= 2
    expect(said).to_have_count(len(texts))
    for system, text in texts.items():
        expect(page.locator(f"li[data-system={system}] code")).to_have_text(text)
    unsaid = page.locator("layout-notations .unsaid")
    expect(unsaid.locator("summary")).to_have_text(f"{len(reasons)} cannot say it")
    expect(unsaid.locator("li").first).to_be_hidden()
    unsaid.locator("summary").click()
    for reason in reasons:
        expect(unsaid).to_contain_text(reason)
    assert unsaid.locator("li").count() == len(set(reasons)), "each reason once"


def test_systems_are_named_and_grouped_as_their_dialects_say(shared: Explorer) -> None:
    page = shared.page
    ask(shared, "2,64,3,3", "cutlass::layout::TensorNCxHWx<32>")
    expect(page.locator("#a-layout-reading")).to_contain_text("Read as CUTLASS")
    page.get_by_role("tab", name="Notations").click()
    titles = {d.system: (d.title, d.family) for d in DIALECTS}
    rows = page.locator("layout-notations section li").all()
    assert len(rows) >= 8
    for at, row in enumerate(rows):
        title, family = titles[row.get_attribute("data-system") or ""]
        expect(row.locator(".name")).to_have_text(title)
        heading = row.locator("xpath=ancestor::section/h3")
        expect(heading).to_have_text("As you wrote it" if at == 0 else family)
    headings = page.locator("layout-notations h3").all_text_contents()[1:]
    assert headings == [family for family in get_args(Family) if family in headings]
    formats = page.locator("layout-notations section").nth(1).locator("li .name")
    assert formats.all_text_contents()[:3] == ["letters", "cuDNN", "CUTLASS"]


def test_each_text_is_copied_by_its_button(shared: Explorer) -> None:
    page = shared.page
    ask(shared, "2,64,3,3", "NCHW32")
    page.get_by_role("tab", name="Notations").click()
    expect(page.locator("li[data-system=tensorrt] code")).to_have_text("kCHW32")
    for row in page.locator("layout-notations .notations li").all():
        copied = shared.copy_with(row.get_by_role("button"))
        assert copied == row.locator("code").text_content()
    page.get_by_role("tab", name="Code").click()
    numpy = page.locator("layout-code section").first
    copied = shared.copy_with(numpy.get_by_role("button", name="Copy the NumPy code"))
    assert copied.startswith("import numpy as np\n")
    names: dict[str, object] = {}
    exec(copied, names)  # noqa: S102 - the program's own code, which must run
    assert getattr(names["y"], "shape", None) == (2, 64, 3, 3)


def test_arrows_move_between_the_tabs(shared: Explorer) -> None:
    page = shared.page
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


def test_no_panel_is_wider_than_its_column(page: Page) -> None:
    explorer = Explorer(page).open("?shape=32,32,3,3&layout=OIhw4i16o4i")
    for tab in ("Facts", "Notations", "Code"):
        explorer.page.get_by_role("tab", name=tab).click()
        facts = explorer.page.locator(".facts")
        width, inner = facts.evaluate("e => [e.clientWidth, e.scrollWidth]")
        assert inner <= width, tab
        if tab == "Notations":
            own = explorer.page.locator("layout-notations section").first
            expect(own).to_contain_text("As you wrote it")
            expect(own.locator("code")).to_have_text("OIhw4i16o4i")


# Names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strides", ["20,20,5,1", "20,1,5,1"])
def test_what_is_contiguous_and_channels_last_says_why_once(shared: Explorer, strides: str) -> None:
    ask(shared, "2,1,4,5", strides)
    why = shared.page.locator("layout-facts .why")
    expect(why).to_have_count(1)
    expect(why).to_contain_text("C has size 1 and its stride does not count")
    expect(why).to_contain_text("contiguous_format and channels_last are the same memory")


def test_a_permuted_tensor_is_channels_last_whether_or_not_anyone_asked(shared: Explorer) -> None:
    why = shared.page.locator("layout-facts .why")
    ask(shared, "10,3,16,16", "768,1,48,3")
    expect(why).to_contain_text("whether or not anyone asked for it")
    expect(why).to_contain_text("C 1 < W 3 < H 48 < N 768")
    ask(shared, "10,3,16,16", "channels_last")
    expect(why).to_have_count(0)


def test_where_a_real_library_goes_wrong_the_facts_warn(shared: Explorer) -> None:
    ask(shared, "3,3", "4000000000,1")
    facts = shared.page.locator("layout-facts")
    expect(facts).to_contain_text("Beware")
    expect(facts).to_contain_text("DMLCalcBufferTensorSize")
    ask(shared, "3,3", "3,1")
    expect(facts).not_to_contain_text("Beware")
