"""What one takes away from the explorer: pictures and codes of the menu Share and of Ctrl K."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer

CLIP = """() => {
    window.copied = [];
    navigator.clipboard.writeText = async (text) => window.copied.push(text);
    navigator.clipboard.write = async ([item]) => {
        const file = await item.getType('image/png');
        window.copied.push(await file.slice(1, 4).text());
    };
}"""
LINK = "?shape=2,3,4,5&layout=NCHW4&at=1,2,3,4&colour=linear"


@pytest.fixture
def explorer(new_page: Callable[..., Page]) -> Explorer:
    return Explorer(new_page(viewport=DESK)).open(LINK)


@pytest.mark.parametrize("form", ["svg", "png", "tex"])
def test_the_menu_saves_what_the_service_draws(
    explorer: Explorer, tmp_path: Path, form: str
) -> None:
    page = explorer.page
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as saving:
        page.locator(f"#share button[data-save={form}]").click()
    assert saving.value.suggested_filename == f"NCHW4.{form}"
    saving.value.save_as(tmp_path / "file")
    query = "shape=2,3,4,5&layout=NCHW4&dtype=float32&at=1,2,3,4&colour=linear"
    scale = "&scale=2" if form == "png" else ""
    drawn = page.request.get(f"/api/v1/picture.{form}?{query}{scale}")
    assert (tmp_path / "file").read_bytes() == drawn.body()
    expect(page.locator("#share .said")).to_have_text(f"Saved as NCHW4.{form}.")


@pytest.mark.parametrize("view", ["logical", "memory"])
def test_each_grid_saves_itself(explorer: Explorer, tmp_path: Path, view: str) -> None:
    page = explorer.page
    with page.expect_download() as saving:
        page.locator(f"{view}-view button[data-save]:visible").click()
    saving.value.save_as(tmp_path / "file")
    text = (tmp_path / "file").read_text(encoding="utf-8")
    assert text.count(f'data-view="{view}"') == 1
    assert text.count("data-view=") == 1


def test_the_values_of_a_file_are_in_its_picture(
    new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = Explorer(new_page(viewport=DESK)).open("?shape=4&layout=W").page
    np.save(tmp_path / "x.npy", np.array([[1.5, -2, 0.25], [3, 4e-7, 8]], np.float32))
    page.locator("value-source [type=file]").set_input_files(tmp_path / "x.npy")
    expect(page.locator("#a-shape")).to_have_value("2,3")
    expect(page.locator("grid-legend")).to_contain_text("by value, -2 to 8")
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as saving:
        page.locator("#share button[data-save=svg]").click()
    saving.value.save_as(tmp_path / "file")
    text = (tmp_path / "file").read_text(encoding="utf-8")
    assert text.count(">1.5</text>") == text.count(">4.0e-7</text>") == 2  # in both grids
    assert "by value, -2 to 8" in text
    page.evaluate(CLIP)
    page.locator("#share button[data-copy=html]").click()
    expect(page.locator("#share .said")).to_have_text("Copied.")
    assert "values=1.5,-2,0.25,3,4.0" in page.evaluate("window.copied[0]")


def test_codes_are_copied(explorer: Explorer) -> None:
    page = explorer.page
    page.evaluate(CLIP)
    page.get_by_role("button", name="Share").click()
    for kind in ("html", "markdown", "curl", "python", "svg", "png", "tex"):
        page.locator(f"#share button[data-copy={kind}]").click()
        expect(page.locator("#share .said")).to_have_text("Copied.")
        page.wait_for_function("(kind) => window.copied.length > 0", arg=kind)
        [text] = page.evaluate("window.copied.splice(0)")
        begins = {
            "html": '<iframe src="http',
            "markdown": "[![",
            "curl": "curl -o picture.svg 'http",
            "python": "import stridescope",
            "svg": "<svg ",
            "png": "PNG",
            "tex": "\\RequirePackage",
        }
        assert text.startswith(begins[kind])
        page.locator("#share .said").evaluate("each => { each.textContent = ''; }")


TAKEN = [
    *("Copy embed code", "Copy as Markdown", "Copy as SVG", "Copy as PNG", "Copy as TikZ"),
    *("Copy as curl", "Copy as Python", "Save the logical tensor as SVG"),
    *("Save the memory as SVG", "Save as LaTeX", "Save as PNG", "Save as SVG"),
]


def test_the_palette_takes_pictures(explorer: Explorer) -> None:
    page = explorer.page
    page.keyboard.press("Control+k")
    for name in TAKEN:
        page.keyboard.press("Control+a")
        page.keyboard.type(name.lower())
        expect(page.get_by_role("option", name=name).first).to_be_visible()
    with page.expect_download() as saving:
        page.keyboard.press("Enter")
    assert saving.value.suggested_filename == "NCHW4.svg"


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_open_menu_is_accessible(
    new_page: Callable[..., Page], axe: Callable[..., list[dict[str, Any]]], size: Any
) -> None:
    page = Explorer(new_page(viewport=size)).open(LINK).page
    page.get_by_role("button", name="Share").click()
    assert axe(page, "#share") == []
