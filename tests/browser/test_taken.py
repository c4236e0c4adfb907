"""What one takes away from the explorer: pictures and codes of the menu Share and of Ctrl K."""

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.pages import Axe, saved

CLIP = """() => {
    window.copied = [];
    navigator.clipboard.writeText = async (text) => window.copied.push(text);
    navigator.clipboard.write = async ([item]) => {
        const file = await item.getType('image/png');
        window.copied.push(await file.slice(1, 4).text());
    };
}"""
LINK = "?shape=2,3,4,5&layout=NCHW4&at=1,2,3,4&colour=linear"


TAKEN = [
    *("Copy embed code", "Copy as Markdown", "Copy as SVG", "Copy as PNG", "Copy as TikZ"),
    *("Copy as curl", "Copy as Python", "Save the logical tensor as SVG"),
    *("Save the memory as SVG", "Save as LaTeX", "Save as PNG", "Save as SVG"),
]
BEGINS = {
    "html": '<iframe src="http',
    "markdown": "[![",
    "curl": "curl -o picture.svg 'http",
    "python": "import stridescope",
    "svg": "<svg ",
    "png": "PNG",
    "tex": "\\RequirePackage",
}


def test_the_menu_each_grid_and_the_palette_save_what_the_service_draws(page: Page) -> None:
    page.set_viewport_size(DESK)
    Explorer(page).open(LINK)
    for view in ("logical", "memory"):
        text = saved(page.locator(f"{view}-view button[data-save]:visible"))[1].decode()
        assert text.count(f'data-view="{view}"') == 1
        assert text.count("data-view=") == 1
    page.get_by_role("button", name="Share").click()
    for form in ("svg", "png", "tex"):
        name, file = saved(page.locator(f"#share button[data-save={form}]"))
        assert name == f"NCHW4.{form}"
        query = "shape=2,3,4,5&layout=NCHW4&dtype=float32&at=1,2,3,4&colour=linear"
        scale = "&scale=2" if form == "png" else ""
        drawn = page.request.get(f"/api/v1/picture.{form}?{query}{scale}")
        assert file == drawn.body()
        expect(page.locator("#share .said")).to_have_text(f"Saved as NCHW4.{form}.")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    for name in TAKEN:
        page.get_by_role("combobox", name=re.compile("^Search")).fill(name.lower())
        expect(page.get_by_role("option", name=name).first).to_be_visible()
    with page.expect_download() as saving:
        page.keyboard.press("Enter")
    assert saving.value.suggested_filename == "NCHW4.svg"


def test_codes_are_copied_by_an_accessible_menu(page: Page, axe: Axe) -> None:
    page.set_viewport_size(DESK)
    Explorer(page).open(LINK)
    page.evaluate(CLIP)
    page.get_by_role("button", name="Share").click()
    for kind, begins in BEGINS.items():
        page.locator(f"#share button[data-copy={kind}]").click()
        expect(page.locator("#share .said")).to_have_text("Copied.")
        page.wait_for_function("window.copied.length > 0")
        [text] = page.evaluate("window.copied.splice(0)")
        assert text.startswith(begins)
        page.locator("#share .said").evaluate("each => { each.textContent = ''; }")
    assert axe(page, "#share") == []
    page.set_viewport_size(PHONE)
    assert axe(page, "#share") == []


def test_the_values_of_a_file_are_in_its_picture(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size(DESK)
    Explorer(page).open("?shape=4&layout=W")
    np.save(tmp_path / "x.npy", np.array([[1.5, -2, 0.25], [3, 4e-7, 8]], np.float32))
    page.locator("value-source [type=file]").set_input_files(tmp_path / "x.npy")
    expect(page.locator("#a-shape")).to_have_value("2,3")
    expect(page.locator("grid-legend")).to_contain_text("by value, -2 to 8")
    page.get_by_role("button", name="Share").click()
    text = saved(page.locator("#share button[data-save=svg]"))[1].decode()
    assert text.count(">1.5</text>") == text.count(">4.0e-7</text>") == 2  # in both grids
    assert "by value, -2 to 8" in text
    page.evaluate(CLIP)
    page.locator("#share button[data-copy=html]").click()
    expect(page.locator("#share .said")).to_have_text("Copied.")
    assert "values=1.5,-2,0.25,3,4.0" in page.evaluate("window.copied[0]")
