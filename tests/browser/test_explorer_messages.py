"""Messages name what was meant, code is never cut, and the shape takes more than sizes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import CLIPBOARD, DESK, PHONE, Explorer

pytestmark = pytest.mark.browser

START = "?shape=2,6,3,3&layout=NCHW4"


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page(permissions=CLIPBOARD)


def test_a_near_miss_in_a_field_names_what_was_meant(page: Page) -> None:
    explorer = Explorer(page).open(START)
    explorer.field("layout").fill("chanels_last")
    expect(explorer.error("layout")).to_contain_text("did you mean channels_last?")
    expect(page.locator("layout-field[side=a] mark").first).to_have_text("e")
    explorer.field("layout").fill("NCHW 4")
    expect(explorer.error("layout")).to_be_empty()
    explorer.field("dtype").fill("flaot16")
    expect(explorer.error("dtype")).to_contain_text("did you mean float16?")
    explorer.field("dtype").fill("half")
    expect(explorer.error("dtype")).to_be_empty()
    explorer.field("shape").fill("2,6,3,3,3")
    expect(explorer.error("shape")).to_contain_text("got 2,6,3,3,3; expected 4 sizes")


def test_a_type_is_read_as_it_is_spelled(page: Page) -> None:
    explorer = Explorer(page).open(START)
    sizes = {"half": "float16288", "bf16": "bfloat16288", "np.int8": "int8144"}
    for spelled, size in sizes.items():
        explorer.field("dtype").fill(spelled)
        expect(page.locator("layout-facts")).to_contain_text(f"bytes, {size}")
        expect(explorer.error("dtype")).to_be_empty()


# NumPy's, and what a session prints; tests/engine/notation/paste reads all forms.
INTERFACES = (
    "{'data': (94, False), 'strides': (20, 4), 'typestr': '<i4', 'shape': (2, 3)}",
    ">>> x.__array_interface__\n{'data': (94, False), 'strides': (20, 4), "
    "'descr': [('', '<i4')], 'typestr': '<i4', 'shape': (2, 3), 'version': 3}",
)


@pytest.mark.parametrize("name", ["shape", "layout"])
def test_an_array_interface_is_understood_in_either_field(page: Page, name: str) -> None:
    explorer = Explorer(page).open(START)
    for text in INTERFACES:
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        explorer.field(name).focus()
        page.keyboard.press("Control+v")
        expect(explorer.field("shape")).to_have_value("2,3")
        expect(explorer.field("dtype")).to_have_value("int32")
        expect(page.locator("layout-facts")).to_contain_text("h2520w314")
        expect(page.locator("paste-note")).to_contain_text("Taken from the text: shape 2,3")
        page.keyboard.press("Control+z")
        expect(explorer.field("shape")).to_have_value("2,6,3,3")
        expect(explorer.field("layout")).to_have_value("NCHW4")


def test_sizes_and_single_words_are_pasted_as_text(page: Page) -> None:
    explorer = Explorer(page).open(START)
    for text in ("4", "[2, 6, 4, 4]", "torch.Size([2, 6, 4, 4])", "six"):
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        explorer.field("shape").press("Control+a")
        page.keyboard.press("Control+v")
        expect(explorer.field("shape")).to_have_value(text)
        expect(page.locator("paste-note")).to_be_empty()


def test_an_error_of_b_stands_at_b(page: Page) -> None:
    explorer = Explorer(page).open(f"{START}&b-layout=NHWC")
    explorer.field("layout", "b").fill("NHWX")
    expect(explorer.error("layout", "b")).to_contain_text("character 4")
    expect(explorer.error("layout")).to_be_empty()
    expect(explorer.error("shape")).to_be_empty()
    explorer.field("layout", "b").fill("NCDHW")
    explorer.field("layout", "b").blur()
    expect(explorer.error("layout", "b")).to_contain_text("got 2,6,3,3; expected 5 sizes")
    expect(explorer.error("shape")).to_be_empty()


SIZES = {"desktop": (1440, 900), "phone": (390, 844)}


@pytest.mark.parametrize(("width", "height"), SIZES.values(), ids=SIZES.keys())
def test_no_line_of_code_is_cut(
    page: Page, width: int, height: int, axe: Callable[..., list[object]]
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    Explorer(page).open("?shape=20,70,3,3&layout=onednn:ABcd64b4a&dtype=float8_e4m3fn")
    if width < 400:
        page.locator(".facts summary").first.click()
    page.get_by_role("tab", name="Code").click()
    shown = page.locator("layout-code pre")
    expect(shown.first).to_be_visible()
    for pre in shown.all():
        wide, inner = pre.evaluate("e => [e.clientWidth, e.scrollWidth]")
        assert inner <= wide
    titles = page.locator("layout-code h3").all_text_contents()
    onednn = ["oneDNN, C++", "oneDNN 3, C", "oneDNN 2, C"]
    assert titles == ["NumPy", "PyTorch", *onednn, "Plain C", "REST"]
    assert axe(page, ".facts") == []


def test_code_is_copied_as_it_is_written(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,70,3,3&layout=aBcd64b")
    page.get_by_role("tab", name="Code").click()
    section = page.locator("layout-code section", has=page.get_by_text("oneDNN, C++", exact=True))
    copied = explorer.copy_with(section.get_by_role("button"))
    assert copied == section.locator("pre").text_content()
    assert ".permute_axes({0, 1, 3, 2});" in copied


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_an_error_covers_nothing_and_no_offered_name_covers_it(
    new_page: Callable[..., Page], size: ViewportSize
) -> None:
    page = new_page(viewport=size)
    explorer = Explorer(page).open("?shape=4,6&layout=HW")
    explorer.field("layout").fill("HW2")
    names, error = page.get_by_role("listbox"), page.locator("#a-layout-error")
    expect(error).to_contain_text("no block")
    expect(names).to_be_visible()
    listed, said = names.bounding_box(), error.bounding_box()
    assert listed is not None
    assert said is not None
    assert said["y"] + said["height"] <= listed["y"]
    strip = page.locator(".strip").bounding_box()
    assert strip is not None
    assert strip["y"] < said["y"]
    assert said["y"] + said["height"] <= strip["y"] + strip["height"]
