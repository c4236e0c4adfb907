"""Text from a session, a debugger or a log fills the fields that it speaks of."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.explorer import Explorer

# Whether nothing lies over an element, at its corners and in its middle.
FREE = """(element) => {
    const {left, right, top, bottom} = element.getBoundingClientRect();
    const across = [left + 4, (left + right) / 2, right - 4];
    const down = [top + 4, (top + bottom) / 2, bottom - 4];
    const at = (x, y) => element.contains(document.elementFromPoint(x, y));
    return across.every((x) => down.every((y) => at(x, y)));
}"""


def reset(explorer: Explorer) -> None:
    for name, text in (("shape", "1,6,4,5"), ("layout", "NCHW4"), ("dtype", "int8")):
        explorer.field(name).fill(text)
    explorer.page.keyboard.press("Escape")
    expect(explorer.about("a")).to_have_text(re.compile("^NCHW4   160 "))


# tests/engine/notation/paste reads all forms.
PASTES = [
    ("torch.Size([2, 1, 4, 5])\n(20, 1, 5, 1)", "2,1,4,5", "int8", "20 1 5 1"),
    ("memref<2x3xf32, strided<[5, 1], offset: 3>>", "2,3", "float32", "5 1"),
    (
        "onednn_verbose,primitive,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd::f0 "
        "dst_f32::blocked:aBcd8b::f0,,,2x16x7x7,0.01",
        "2,16,7,7",
        "float32",
        "784 49 7 1",
    ),
]


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "strides"), PASTES, ids=["torch", "mlir", "onednn"]
)
def test_a_paste_fills_shape_type_and_layout_and_can_be_undone(
    shared: Explorer, text: str, shape: str, dtype: str, strides: str
) -> None:
    page = shared.page
    reset(shared)
    shared.paste(text)
    note = page.locator("paste-note")
    expect(note).to_contain_text(f"Taken from the text: shape {shape}")
    expect(shared.field("shape")).to_have_value(shape)
    expect(shared.field("dtype")).to_have_value(dtype)
    expect(shared.error("layout")).to_be_empty()
    expect(page.get_by_role("button", name=re.compile("^Back to:"))).to_have_count(0)
    expect(page.get_by_role("link", name="New here? Learn it by predicting")).to_have_count(0)
    column = page.locator("layout-facts tbody tr td:nth-child(3)")
    expect(column).to_have_text(strides.split(" "))
    note.get_by_role("button", name="Undo").click()
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    expect(shared.field("layout")).to_have_value("NCHW4")
    expect(shared.field("dtype")).to_have_value("int8")
    expect(note).to_be_empty()


def test_control_z_and_the_browsers_back_undo_a_paste_and_an_edit_ends_its_note(
    shared: Explorer,
) -> None:
    page = shared.page
    reset(shared)
    shared.paste("f16[2,3]{0,1}")
    expect(shared.field("shape")).to_have_value("2,3")
    page.keyboard.press("Control+z")
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    expect(shared.field("layout")).to_have_value("NCHW4")
    shared.paste("f16[2,3]{0,1}")
    expect(shared.field("shape")).to_have_value("2,3")
    page.go_back()
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    expect(shared.field("dtype")).to_have_value("int8")
    shared.paste("f16[2,3]{0,1}")
    expect(page.locator("paste-note")).not_to_be_empty()
    shared.field("dtype").fill("int8")
    expect(page.locator("paste-note")).to_be_empty()


def test_strides_that_may_count_bytes_are_taken_so_by_one_press(shared: Explorer) -> None:
    reset(shared)
    page = shared.page
    for name, text in (("dtype", "float64"), ("layout", "HW"), ("shape", "4,3")):
        shared.field(name).fill(text)
    expect(shared.about("a")).to_contain_text("12 addresses")
    note = page.locator("paste-note")
    expect(note).to_be_hidden()
    shared.field("layout").select_text()
    shared.paste("(24, 8)")
    expect(note).to_contain_text("read as elements")
    expect(shared.about("a")).to_contain_text("89 addresses")
    note.get_by_role("button", name="They count bytes, as in NumPy").click()
    expect(shared.about("a")).to_contain_text("12 addresses")
    expect(shared.field("layout")).to_have_value("numpy:(24, 8)")
    expect(note).to_be_hidden()
    # A gap of one element is no distance in bytes of float64.
    shared.field("layout").fill("4,1")
    expect(shared.about("a")).to_contain_text("15 addresses")
    expect(note).to_be_hidden()


def test_a_broken_paste_shows_where_it_breaks_and_a_part_goes_to_the_caret(
    shared: Explorer,
) -> None:
    reset(shared)
    shared.paste("f32[2,3]{1,x}")
    expect(shared.field("layout")).to_have_value("f32[2,3]{1,x}")
    expect(shared.field("layout")).to_have_attribute("aria-invalid", "true")
    expect(shared.page.locator("layout-field[side=a] .mirror mark")).to_have_text("x")
    expect(shared.error("layout")).to_contain_text("Character 12 is x")
    shared.field("layout").fill("5,1")
    shared.page.keyboard.press("Home")
    shared.paste("1, ")
    expect(shared.field("layout")).to_have_value("1, 5,1")
    expect(shared.page.locator("paste-note")).to_be_empty()


def test_a_typed_text_with_another_shape_or_with_other_words_offers_its_part(
    shared: Explorer,
) -> None:
    page = shared.page
    reset(shared)
    shared.field("layout").fill("(4,3):(3,1)")
    # The layout was typed, so its field says that the shape does not fit.
    expect(shared.error("layout")).to_contain_text("Shape: ")
    expect(shared.error("shape")).to_be_empty()
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    offer = page.get_by_role("button", name="Take shape 4,3 from this text")
    expect(offer).to_be_visible()
    assert offer.evaluate(FREE), "what is said of the field covers it"
    offer.click()
    expect(shared.field("shape")).to_have_value("4,3")
    expect(shared.error("layout")).to_be_empty()
    expect(page.locator("#a-layout-reading")).to_have_text("Read as CuTe")
    reset(shared)
    shared.field("layout").fill("src_f32::blocked:aBcd4b::f0")
    expect(shared.error("layout")).not_to_be_empty()
    shared.field("layout").fill("x.stride() = (48, 1, 12, 3), shape (2, 3, 4, 4)")
    both = page.get_by_role("button", name="Take shape 2,3,4,4 and layout (48, 1, 12, 3) from")
    expect(both).to_be_visible()
    reset(shared)
    shared.field("shape").fill("x.stride() = (48, 1, 12, 3), shape (2, 3, 4, 4)")
    both.click()
    expect(shared.field("shape")).to_have_value("2,3,4,4")
    expect(shared.field("layout")).to_have_value("(48, 1, 12, 3)")
    reset(shared)
    shared.field("layout").fill("src_f32::blocked:aBcd4b::f0")
    page.get_by_role("button", name="Take layout onednn:aBcd4b from this text").click()
    expect(shared.field("layout")).to_have_value("onednn:aBcd4b")
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    expect(shared.error("layout")).to_be_empty()


def test_what_a_tensor_is_said_to_be_goes_where_another_is_typed(shared: Explorer) -> None:
    reset(shared)
    seen = shared.page.locator("example-story .seen")
    expect(seen).to_contain_text("The buffer has 160 addresses")
    shared.field("layout").fill("NH?W")
    expect(shared.error("layout")).not_to_be_empty()
    expect(seen).to_be_empty()
    shared.field("layout").fill("NHWC")
    expect(seen).to_contain_text("The buffer has 120 addresses")


def paste_outside(explorer: Explorer, text: str) -> Locator:
    """Paste where no field is; the dialog with the reading."""
    page = explorer.page
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    explorer.canvas("a").focus()
    page.keyboard.press("Control+v")
    dialog = page.get_by_role("dialog", name="Take what was pasted?")
    expect(dialog).to_be_visible()
    return dialog


def test_two_layouts_with_an_arrow_are_compared_or_opened_as_a_reorder(shared: Explorer) -> None:
    paste_outside(shared, "2x8x3x4 NCHW -> NHWC")
    link = shared.page.get_by_role("link", name="or watch the reorder")
    expect(link).to_have_attribute("href", re.compile("^/reorder.*=NCHW.*b-layout=NHWC"))
    shared.page.keyboard.press("Enter")
    expect(shared.field("shape")).to_have_value("2,8,3,4")
    expect(shared.field("layout", "b")).to_have_value("NHWC")
    shared.field("layout", "b").fill("")


def test_a_paste_outside_every_field_is_shown_before_it_is_taken(shared: Explorer) -> None:
    page = shared.page
    reset(shared)
    expect(page.get_by_label("Paste or drop")).to_have_attribute(
        "placeholder", re.compile("^Paste anywhere")
    )
    dialog = paste_outside(shared, "torch.Size([2, 3])")
    expect(dialog.locator("dd").first).to_have_text("text of a session or a log")
    page.keyboard.press("Escape")
    dialog = paste_outside(shared, "f16[4,3]{0,1}")
    expect(dialog.locator("dd").last).to_have_text("f16[4,3]{0,1}")
    # Another text in its place, before it is taken.
    page.evaluate("text => navigator.clipboard.writeText(text)", "f16[2,3]{0,1}")
    page.keyboard.press("Control+v")
    expect(dialog.locator("dd")).to_have_text(["XLA", "2 × 3", "float16", "f16[2,3]{0,1}"])
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(shared.field("shape")).to_have_value("1,6,4,5")
    paste_outside(shared, "f16[2,3]{0,1}")
    page.keyboard.press("Enter")
    expect(shared.field("shape")).to_have_value("2,3")
    page.get_by_role("button", name="Undo").click()
    dialog = paste_outside(shared, "NHWC")
    expect(dialog.locator("dd")).to_have_text(
        ["letters", "not said: 1,6,4,5 stays", "not said: int8 stays", "NHWC"]
    )
    dialog.get_by_role("button", name="Take").click()
    expect(shared.field("layout")).to_have_value("NHWC")
    expect(page.locator("paste-note .taken p")).to_have_text("Taken from the text: NHWC")
    dialog = paste_outside(shared, "$1 = {96, 1, 3}")
    expect(dialog.locator("dd").nth(1)).to_have_text("not said: 3 sizes, to be typed next")
    page.keyboard.press("Enter")
    expect(shared.field("shape")).to_be_focused()
    page.keyboard.type("2,3,4")
    expect(shared.field("layout")).to_have_value("{96, 1, 3}")
    expect(page.locator("layout-facts tbody tr")).to_have_count(3)
    dialog = paste_outside(shared, "nothing of the kind")
    expect(dialog.locator("dt")).to_have_text(["Pasted", "Not read"])
    expect(dialog.get_by_role("button", name="Take")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(shared.field("layout")).to_have_value("{96, 1, 3}")
    reset(shared)
    dialog = paste_outside(shared, "f32[2, 3][1, 2]cpu and more")
    expect(dialog.locator("dt").last).to_have_text("Not read")
    expect(dialog.locator("dd").last).to_have_text("and more")
    page.keyboard.press("Escape")
    dialog = paste_outside(shared, "[:, ::2]")
    expect(dialog.locator("dd")).to_have_text(["steps of a view", "[:, ::2]"])
    page.keyboard.press("Enter")
    expect(shared.field("steps")).to_have_value("[:, ::2]")
    paste_outside(shared, "rearrange(x, 'n c h w -> n h w c')")
    page.keyboard.press("Enter")
    expect(shared.field("steps")).to_have_value("[:, ::2].permute(0,2,3,1)")
    expect(page.locator("layout-facts tbody tr")).to_have_count(4)


def test_a_view_in_one_expression_is_its_base_with_steps(shared: Explorer) -> None:
    reset(shared)
    dialog = paste_outside(shared, "np.arange(60).reshape(3,4,5).transpose(2,0,1)")
    expect(dialog.locator("dd")).to_have_text(
        [
            re.compile("^NumPy"),
            "3 × 4 × 5",
            "int64",
            "(20, 5, 1)",
            "permute(2,0,1)",
            "5 × 3 × 4, strides (1, 20, 5)",
        ]
    )
    shared.page.keyboard.press("Enter")
    expect(shared.field("steps")).to_have_value("permute(2,0,1)")
    expect(shared.page.locator("layout-facts tbody tr th")).to_have_text(["w", "c", "h"])
    expect(shared.about("a")).to_have_text(re.compile(r"^\(20, 5, 1\)   60 "))


def test_each_tensor_of_a_line_is_one_press_away(shared: Explorer) -> None:
    page = shared.page
    reset(shared)
    line = "onednn_verbose,v1,primitive,exec,cpu,eltwise,jit,undef,src:f32::blocked:abcd::f0 "
    dialog = paste_outside(shared, f"{line}dst:f32::blocked:aBcd8b::f0,,,2x16x7x7,0.01")
    others = dialog.locator("dd button")
    expect(others).to_have_text(["dst 2 × 16 × 7 × 7 aBcd8b"])
    others.click()
    expect(dialog).to_be_hidden()
    expect(shared.field("layout")).to_have_value("onednn:aBcd8b")
    expect(page.locator("paste-note .found")).to_contain_text("2 tensors in this text.")
    page.get_by_role("button", name="Close the list").click()
