"""Views by hand: steps under the shape, what each gives, where a reshape breaks."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import PHONE, Explorer, Grid, no_message, one_page
from tests.browser.pages import NewPage, Pages, box_of

CUBE = "?shape=2,3,4&layout=CHW"
COPY = f"{CUBE}&steps=permute(0,2,1).reshape(2,12)"


console = pytest.fixture(autouse=True)(no_message)


@pytest.fixture(scope="module")
def page(pages: Pages) -> Iterator[Page]:
    """One page: each test begins with a link of its own."""
    with one_page(pages) as explorer:
        explorer.page.set_viewport_size({"width": 1280, "height": 720})
        yield explorer.page


def opened(page: Page, query: str) -> Explorer:
    """The link, with its steps unfolded."""
    explorer = Explorer(page).show(query)
    page.locator("details.views").evaluate("details => { details.open = true; }")
    return explorer


def row(page: Page, number: int) -> Locator:
    return page.locator("view-steps li").nth(number - 1)


def corners(
    explorer: Explorer, grid: Grid, cells: list[tuple[float, float]]
) -> list[tuple[int, int, int]]:
    """The colours of cells beside their text and their frame."""
    cell_css = explorer.number(grid, "cell_css")
    return explorer.pixels(grid, [(x + cell_css * 0.3, y + cell_css * 0.3) for x, y in cells])


def logical_cell(explorer: Explorer, coords: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The middle of an element of a tensor of rank 3, whose planes stand in rows of planes."""
    down, across = (size + max(1, round(size * 0.04)) for size in shape[1:])
    columns = int(explorer.canvas("logical").get_attribute("data-columns") or 0)
    line, place = divmod(coords[0], -(-columns // across))
    return explorer.middle("logical", place * across + coords[2], line * down + coords[1])


def test_a_permute_by_hand_moves_nothing_in_memory(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&at=1,1,2")
    explorer.expect_lit("1,1,2", 18)
    before = corners(explorer, "a", explorer.memory_cells("a", range(24)))
    page.get_by_label("Next step").select_option("permute")
    page.get_by_role("button", name="Add", exact=True).click()
    dims = row(page, 1).get_by_label("dims of step 1, permute")
    expect(dims).to_be_focused()
    expect(dims).to_have_value("2,1,0")
    dims.fill("0,2,1")
    expect(row(page, 1).locator(".result")).to_have_text("→ (2,4,3):(12,1,4)")
    expect(page.locator("view-steps .stored")).to_have_text("x (2,3,4):(12,4,1)")
    expect(explorer.about("logical")).to_have_text("C W H   2 × 4 × 3   after 1 view step")
    expect(explorer.about("a")).to_have_text("CHW   24 addresses")
    # The selected cell is where it was in memory, under its new coordinates.
    explorer.expect_lit("1,2,1", 18)
    explorer.settle()
    after = corners(explorer, "a", explorer.memory_cells("a", range(24)))
    assert after == before
    page.locator("details.views > summary").click()  # folded, it leaves room for all planes
    explorer.fit("logical")
    all_coords = list(itertools.product(range(2), range(4), range(3)))
    cells = [logical_cell(explorer, coords, (2, 4, 3)) for coords in all_coords]
    drawn = corners(explorer, "logical", cells)
    for (plane, row_, column), colour in zip(all_coords, drawn, strict=True):
        assert colour == after[plane * 12 + row_ + column * 4], (plane, row_, column)
    explorer.hover("logical", logical_cell(explorer, (0, 3, 2), (2, 4, 3)))
    explorer.expect_lit("0,3,2", 11)
    explorer.hover("a", explorer.memory_cell("a", 5))
    explorer.expect_lit("0,1,1", 5)
    expect(page).to_have_url(re.compile(r"steps=permute\(0,2,1\)"))
    expect(page.locator("#a-steps")).to_have_value("permute(0,2,1)")
    page.go_back()
    page.go_back()
    expect(page.locator("view-steps li")).to_have_count(0)
    expect(explorer.about("logical")).to_have_text("C H W   2 × 3 × 4")
    explorer.expect_lit("1,1,2", 18)


def test_a_reshape_that_needs_a_copy_shows_where_it_breaks(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&steps=permute(0,2,1)")
    expect(row(page, 1).locator(".result")).to_be_visible()
    explorer.settle()
    for grid in ("logical", "a"):
        explorer.keep(grid)
    page.get_by_label("Next step").select_option("reshape")
    page.get_by_role("button", name="Add", exact=True).click()
    row(page, 2).get_by_label("shape of step 2, reshape").fill("2,12")
    expect(row(page, 2).locator(".error")).to_contain_text("needs a copy: W and H cannot join")
    expect(row(page, 2).locator(".result")).to_be_empty()
    expect(page.locator("details.views .count")).to_have_text("copy at step 2")
    image = row(page, 2).get_by_role("img")
    expect(image).to_have_accessible_name("Neighbours lie 4 apart, but after address 8 comes 1.")
    expect(image.locator("text.address")).to_have_text(["4", "8", "1", "5"])
    expect(image.locator("text.step")).to_have_text(["+4", "−7 ✗", "+4"])
    expect(row(page, 2).locator("tr.wrong")).to_have_text("W41≠ 3·4 = 12")
    # The tensor before the step stays, with the jump marked between the last of a row and the next.
    expect(explorer.about("logical")).to_contain_text("2 × 4 × 3   after 1 view step")
    explorer.settle()
    box = explorer.changed("logical")
    assert box is not None
    end = logical_cell(explorer, (0, 0, 2), (2, 4, 3))
    begin = logical_cell(explorer, (0, 1, 0), (2, 4, 3))
    half = explorer.number("logical", "cell_css") / 2 + 6
    assert abs(box[0] - (begin[0] - half)) < 12
    assert abs(box[2] - (end[0] + half)) < 12
    assert explorer.changed("a") is not None
    row(page, 2).get_by_label("shape of step 2, reshape").fill("8,3")
    expect(row(page, 2).locator(".error")).to_contain_text("C and W cannot join")
    row(page, 2).get_by_label("shape of step 2, reshape").fill("2,2,2,3")
    expect(row(page, 2).locator(".result")).to_have_text("→ (2,2,2,3):(12,2,1,4)")
    expect(row(page, 2).locator("view-break > *")).to_have_count(0)
    explorer.show("?shape=1,6,4,5&layout=NCHW4&steps=permute(0,2,3,1).reshape(20,6)")
    expect(row(page, 1).locator(".result")).to_have_text("→ (1,4,5,(2,4)):(160,20,4,(80,1))")
    expect(row(page, 2).locator(".error")).to_contain_text("C is padded from 6 to 8")
    expect(row(page, 2).locator("tr.wrong")).to_have_text("C6 of 82:80 4:1← here")


def test_an_error_stands_at_the_step_that_caused_it(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&steps=flip(2).narrow(2,3,9).squeeze()")
    length = row(page, 2).get_by_label("length of step 2, narrow")
    expect(row(page, 2).locator(".error")).to_contain_text("expected an integer from 0 to 1")
    expect(length).to_have_attribute("aria-invalid", "true")
    expect(row(page, 2).get_by_label("start of step 2")).to_have_attribute("aria-invalid", "false")
    expect(length).to_have_accessible_description(re.compile("expected an integer from 0 to 1"))
    expect(page.locator("details.views .count.error")).to_have_text("error in step 2")
    expect(row(page, 1).locator(".result")).to_have_text("→ (2,3,4):(12,4,-1) + 3")
    expect(explorer.about("logical")).to_contain_text("after 1 view step")
    length.fill("")
    expect(row(page, 2).locator(".error")).to_have_text("length is empty; expected an integer")
    length.fill("1")
    expect(row(page, 3).locator(".result")).to_have_text("→ (2,3):(12,4)")
    expect(row(page, 2).locator(".error")).to_be_empty()


def test_a_mistake_in_the_code_is_underlined_there(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&steps=flip(2)")
    field = page.locator("#a-steps")
    field.fill("flip(2).rotate(1)")
    field.blur()
    expect(explorer.error("steps")).to_contain_text("expected one of permute")
    expect(page.locator("tensor-field[name=steps] .mirror mark")).to_have_text("r")
    expect(explorer.about("logical")).to_contain_text("after 1 view step")
    field.fill("flip(2).transpose(0, 1)[0]")
    expect(page.locator("view-steps li")).to_have_count(3)
    expect(explorer.error("steps")).to_be_empty()
    expect(explorer.about("logical")).to_have_text("C W   2 × 4   after 3 view steps")


def test_steps_by_keyboard(page: Page) -> None:
    explorer = opened(page, CUBE)
    page.locator("details.views").evaluate("details => { details.open = false; }")
    page.locator("details.views summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Next step")).to_be_focused()
    page.keyboard.type("flip")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(row(page, 1).get_by_label("dim of step 1, flip")).to_be_focused()
    expect(row(page, 1).locator(".result")).to_have_text("→ (2,3,4):(12,4,-1) + 3")
    page.locator("#a-steps").fill("flip(2).select(0,1)")
    expect(row(page, 2).locator(".result")).to_have_text("→ (3,4):(4,-1) + 15")
    page.get_by_role("button", name="Move step 2, select, up").press("Enter")
    expect(row(page, 1).locator("select")).to_have_value("select")
    expect(row(page, 1).get_by_role("button", name="Move step 1, select, up")).to_be_disabled()
    expect(row(page, 1).locator("select")).to_be_focused()
    expect(row(page, 2).locator(".error")).to_contain_text("expected a dimension from -2 to 1")
    page.get_by_role("button", name="Remove step 2, flip").press("Space")
    expect(row(page, 1).locator("select")).to_be_focused()
    page.get_by_role("button", name="Remove step 1, select").press("Enter")
    expect(page.get_by_label("Next step")).to_be_focused()
    expect(page.locator("#a-steps")).to_have_value("")
    expect(explorer.about("logical")).to_have_text("C H W   2 × 3 × 4")
    page.go_back()
    expect(page.locator("#a-steps")).to_have_value("select(0,1)")
    expect(explorer.about("logical")).to_have_text("H W   3 × 4   after 1 view step")


def test_the_same_steps_are_taken_in_b_and_a_value_stays_with_its_element(page: Page) -> None:
    explorer = opened(page, f"{CUBE}&b-layout=HWC&steps=reshape(2,12)")
    expect(row(page, 1).locator(".result")).to_have_text("→ (2,12):(12,1)")
    expect(explorer.about("b")).to_have_text("HWC   24 addresses")
    explorer.settle()
    explorer.hover("logical", explorer.middle("logical", 5, 1))
    explorer.expect_lit("1,5", 17)
    expect(explorer.sum.locator(".line").nth(1)).to_contain_text("11")
    page.locator("#a-steps").fill("reshape(6,4)")
    expect(explorer.error("layout", "b")).to_contain_text("Views: step 1 (reshape) needs a copy")
    explorer.show("?shape=2,3&layout=HW&sample=count&steps=transpose(0,1)&at=2,1&tab=code")
    explorer.expect_lit("2,1", 5)
    expect(explorer.sum).to_contain_text("value 6")
    expect(page.locator("layout-code")).to_contain_text('"op": "transpose", "dim0": 0, "dim1": 1')


@pytest.mark.parametrize("width", [1024, 1280, 1440, 1920])
def test_what_the_folded_steps_give_stands_beside_all_fields(page: Page, width: int) -> None:
    explorer = opened(page, COPY)
    page.set_viewport_size({"width": width, "height": 720})
    said = page.locator("details.views .count")
    expect(said).to_have_text("copy at step 2")
    page.locator("details.views > summary").click()
    explorer.settle()
    fields = page.locator(".strip :is(tensor-field, layout-field, .paste, .button):visible")
    boxes = [box_of(field) for field in fields.all()]
    views = box_of(page.locator("details.views > summary"))
    assert len(boxes) == 7
    assert all(box["x"] + box["width"] <= views["x"] for box in boxes)
    assert views["x"] + views["width"] <= box_of(page.locator("details.more > summary"))["x"] + 1
    # From 1280 on they are one row.
    assert len({box["y"] for box in boxes}) == (2 if width < 1280 else 1)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_more_on_a_phone_opens_all_fields_offers_no_keys_and_leaves_its_summary_free(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    explorer = Explorer(page).open()
    expect(explorer.field("slice")).to_be_hidden()
    page.locator("details.more > summary").tap()
    expect(page.get_by_placeholder("Paste anywhere")).to_be_visible()
    expect(page.locator(".paste kbd")).to_be_hidden()
    expect(page.locator("paste-anywhere kbd").first).to_have_css("display", "none")
    summary = box_of(page.locator("details.more > summary"))
    for field in page.locator(".strip tensor-field:visible").all():
        box = box_of(field)
        beside = box["x"] + box["width"] <= summary["x"]
        assert beside or box["y"] >= summary["y"] + summary["height"]
    # A press that waits until the field itself is at that point, and not the grid over it.
    for name in ("shape", "dtype", "slice", "dims"):
        explorer.field(name).click()
        expect(explorer.field(name)).to_be_focused()
