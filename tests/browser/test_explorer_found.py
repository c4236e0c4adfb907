"""A pasted text with several tensors: a list to choose from, and the size of an element."""

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.pages import Axe, box_of
from tests.places import golden_rows

REORDER = (
    "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:blk,undef,src:f32::blocked:abcd::f0 "
    "dst:f32::blocked:aBcd8b::f0,,,2x16x7x7,0.01"
)
CONVOLUTION = next(
    row["line"]
    for row in golden_rows("onednn_verbose")
    if ",convolution," in row["line"] and "kh5" in row["line"]
)
BROKEN = REORDER.replace("src:f32::blocked:abcd", "src:f32:a:any:any").replace("reorder", "eltwise")


@pytest.fixture
def explorer(shared: Explorer) -> Explorer:
    """The page of all tests, without what the last one has pasted."""
    closing = shared.page.get_by_role("button", name="Close the list")
    if closing.is_visible():
        closing.click()
    shared.page.set_viewport_size(DESK)
    return shared.show("?shape=1,6,4,5&layout=NCHW4&dtype=int8")


def test_a_reorder_fills_both_fields_and_is_undone_in_one_step(explorer: Explorer) -> None:
    explorer.paste(REORDER)
    expect(explorer.field("layout")).to_have_value("onednn:abcd")
    expect(explorer.field("layout", "b")).to_have_value("onednn:aBcd8b")
    expect(explorer.about("b")).to_contain_text("aBcd8b")
    explorer.page.locator("paste-note").get_by_role("button", name="Undo").click()
    expect(explorer.field("layout")).to_have_value("NCHW4")
    expect(explorer.field("layout", "b")).to_have_value("")
    expect(explorer.field("layout")).to_be_focused()
    expect(explorer.page.locator("paste-note")).to_be_hidden()


def test_every_tensor_of_a_log_can_be_chosen_also_on_a_phone_and_the_list_survives_edits(
    explorer: Explorer, axe: Axe
) -> None:
    page = explorer.page
    explorer.paste(f"{REORDER}\n{CONVOLUTION}\n{BROKEN}\n{REORDER}")
    found = page.locator("paste-note .found")
    summary = found.get_by_text("8 tensors in this text.")
    expect(summary).to_be_visible()
    assert box_of(page.locator("paste-note"))["height"] <= 60, (
        "two lines at most, the list behind a press"
    )
    summary.click()
    expect(found.locator(".line")).to_have_text(
        ["Line 1: reorder, 2 times", "Line 2: convolution", "Line 3: eltwise"]
    )
    expect(found).to_contain_text("src cannot be read: got a format that was left open")
    weights = found.get_by_role("button", name="wei")
    weights.focus()
    page.keyboard.press("Enter")
    expect(weights).to_be_focused()
    expect(weights).to_have_attribute("aria-pressed", "true")
    expect(explorer.field("shape")).to_have_value("16,16,5,5")
    expect(explorer.field("layout")).to_have_value("onednn:ABcd16b16a")
    expect(explorer.field("layout", "b")).to_have_value("")
    expect(explorer.about("logical")).to_contain_text("O I H W")
    assert axe(page, ".inputs") == []
    page.set_viewport_size(PHONE)
    assert box_of(weights)["height"] >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert axe(page, ".inputs") == []
    page.set_viewport_size(DESK)
    explorer.field("dtype").fill("int8")
    expect(weights).to_have_attribute("aria-pressed", "false")
    bias = found.get_by_role("button", name="bia")
    bias.click()
    expect(explorer.field("shape")).to_have_value("16")
    page.locator("paste-note").get_by_role("button", name="Undo").click()
    expect(explorer.field("dtype")).to_have_value("int8")
    expect(bias).to_be_visible()
    found.get_by_role("button", name="Close the list").click()
    expect(found).to_be_hidden()
    expect(explorer.field("layout")).to_be_focused()


def test_another_paste_takes_the_place_of_the_list(explorer: Explorer) -> None:
    found = explorer.page.locator("paste-note .found")
    explorer.paste(CONVOLUTION)
    expect(found).to_contain_text("4 tensors")
    explorer.paste("torch.Size([2, 3]) (3, 1)\ntorch.Size([4]) (2,) torch.int8")
    expect(found).to_contain_text("2 tensors")
    expect(explorer.field("shape")).to_have_value("2,3")
    explorer.paste("f16[2,3]{0,1}")
    expect(found).to_be_hidden()
    expect(explorer.field("dtype")).to_have_value("float16")


def test_a_long_log_says_what_is_left_out(explorer: Explorer) -> None:
    lines = [REORDER.replace("2x16x7x7", f"{n + 1}x16x7x7") for n in range(70)]
    filler = ["no tensor here, only a very long line " + "x" * 900] * 300
    explorer.paste("\n".join(lines + filler))
    found = explorer.page.locator("paste-note .found")
    expect(found).to_contain_text("100 tensors in this text; 40 more are not listed; the last ")
    expect(found).to_contain_text("lines were not read.")


def test_strides_in_bytes_ask_for_the_size_of_an_element(explorer: Explorer, axe: Axe) -> None:
    page = explorer.page
    explorer.paste(">>> x.shape, x.strides\n((3, 4), (8, 24))")
    asking = page.get_by_role("group", name="How large is one element?")
    expect(asking.get_by_role("button")).to_have_text(
        ["8 bytes, as float64", "4 bytes, as float32", "2 bytes, as float16", "1 byte, as uint8"]
    )
    expect(explorer.field("shape")).to_have_value("1,6,4,5")
    assert axe(page, ".inputs") == []
    asking.get_by_role("button", name="4 bytes").click()
    expect(explorer.field("shape")).to_have_value("3,4")
    expect(explorer.field("dtype")).to_have_value("float32")
    expect(page.locator("layout-facts tbody tr td:nth-child(3)")).to_have_text(["2", "6"])
    expect(asking).to_be_hidden()
    expect(page.locator("paste-note .undo")).to_be_focused()
    explorer.paste("shape=(3, 4) strides=(8, 24)")
    asking = page.get_by_role("group", name="How large is one element, if they count bytes?")
    asking.get_by_role("button", name="Strides in elements").click()
    expect(page.locator("layout-facts tbody tr td:nth-child(3)")).to_have_text(["8", "24"])
    expect(asking).to_be_hidden()
    explorer.paste(">>> x.shape, x.strides, x.dtype\n((3, 4), (8, 24), dtype('int16'))")
    expect(explorer.field("dtype")).to_have_value("int16")
    expect(asking).to_be_hidden()
