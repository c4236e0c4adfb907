"""How lessons are drawn: what fits the first screen, and the sizes, numbers and names of cells."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from app.lessons import LESSONS
from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.learning import Learning, expect_to_fit

pytestmark = pytest.mark.browser
NewPage = Callable[..., Page]
Axe = Callable[..., list[dict[str, Any]]]
NAMES = [each.id for each in LESSONS]


@pytest.mark.parametrize(
    ("lesson", "level", "seed"),
    [
        ("reshape", 1, 26),
        ("cache-lines", 3, 14),
        ("cache-lines", 3, 27),
        ("chwn4", 2, 24),
        ("channels-last", 2, 17),
        ("reorders", 2, 58),
    ],
)
def test_the_largest_questions_fit_one_screen(
    page: Page, lesson: str, level: int, seed: int
) -> None:
    learning = Learning(page)
    learning.open(lesson, level, seed=seed)
    expect_to_fit(learning, PHONE, DESK)


@pytest.mark.parametrize("seed", range(3))
def test_cells_of_one_address_show_one_element(page: Page, seed: int) -> None:
    """Not before the answer: where the last dimension is stored, the numbers are the addresses."""
    learning = Learning(page)
    question = learning.open("broadcast", 2, seed=seed)
    cells = page.locator("section.tensor td[data-at]")
    read = (
        "cells => cells.map((c) => [c.dataset.address, c.innerText.split(/\\s/)[0], c.style.color])"
    )
    assert {text for _, text, _ in cells.evaluate_all(read)} == {""}
    learning.answer(question, question.expected)
    shown = {tuple(each) for each in cells.evaluate_all(read)}
    assert len(shown) == question.tensors[0].layout.buffer_elements


def test_on_a_phone_rows_of_planes_are_of_one_image_and_stay_so(page: Page) -> None:
    """Columns are named on the first row."""
    learning = Learning(page)
    page.set_viewport_size(PHONE)
    for level, seed, image in ((1, 3, 8), (3, 22, 7)):
        question = learning.open("nchw4", level, seed=seed)
        expect(page.locator(".plane.below")).not_to_have_count(0)
        read = (
            "planes => planes.map((p) => [p.getBoundingClientRect().top, "
            "p.querySelector('th').getBoundingClientRect().width > 2])"
        )
        planes = page.locator("section.tensor .plane")
        seen = planes.evaluate_all(read)
        tops = [top for top, _ in seen]
        assert [named for _, named in seen] == [top == tops[0] for top in tops]
        blocks = [(at // image, at % image // 4) for at in range(len(seen))]
        assert [tops.index(top) for top in tops] == [blocks.index(block) for block in blocks]
        learning.answer(question, question.wrong[0].computed)
        after = [top for top, _ in planes.evaluate_all(read)]
        assert [after.index(top) for top in after] == [tops.index(top) for top in tops]


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_cells_are_as_large_as_the_first_screen_has_room_for(
    page: Page, size: ViewportSize
) -> None:
    learning = Learning(page)
    page.set_viewport_size(size)
    cell = page.locator("section.tensor td[data-at]").first
    learning.open("address")
    expect_to_fit(learning, size)
    Explorer(page).settle()  # the cells grow into the room that is left
    few = cell.bounding_box()
    question = learning.open("nchw4", 3, seed=5)
    expect_to_fit(learning, size)
    Explorer(page).settle()
    many = cell.bounding_box()
    assert few
    assert many
    assert few["width"] > many["width"] >= 24
    learning.answer(question, question.expected)
    page.wait_for_function(
        """() => {
            const stage = document.querySelector('.stage');
            return stage.scrollHeight <= stage.clientHeight;
        }"""
    )


@pytest.mark.parametrize(
    ("width", "lesson", "level", "seed"),
    [(1440, "nchw4", 3, 5), (390, "address", 1, 5), (390, "nchw4", 3, 5), (390, "nchw4", 3, 22)],
)
def test_memory_is_covered_until_the_answer(
    page: Page, width: int, lesson: str, level: int, seed: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    learning = Learning(page)
    question = learning.open(lesson, level, seed=seed)
    covered = page.locator(".covered td")
    expect(covered.first).to_be_visible()
    expect(covered).to_have_text(
        [str(a) for a in range(question.tensors[0].layout.buffer_elements)]
    )
    expect(page.locator(".covered td[data-kind]")).to_have_count(0)
    learning.answer(question, question.expected)
    expect(covered).to_have_count(0)
    expect(page.locator("section.memory td.right").first).to_have_css("outline-width", "0px")
    # Where elements share places, their number would tell the answer.
    learning.open("broadcast")
    expect(covered).to_have_count(0)


def test_a_tensor_has_its_numbers_beside_a_memory_that_shows_them(page: Page) -> None:
    learning = Learning(page)
    for seed in range(4):
        question = learning.open("reorders", seed=seed)
        elements = question.tensors[0].layout.elements
        cells = page.locator("section.tensor td[data-at]")
        expect(cells).to_have_text([str(at) for at in range(elements)])


# All kinds of questions; above, one of each lesson is answered by keys.


@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize(
    ("lesson", "level", "seed"),
    [("address", 1, 3), ("nchw4", 1, 5), ("strides", 1, 3), ("windows", 1, 3), ("chwn4", 1, 3)],
)
def test_an_answer_moves_no_grid_that_was_there(
    page: Page, size: ViewportSize, lesson: str, level: int, seed: int
) -> None:
    """The eye stays where it was: what is said stands beside the grids, or below them."""
    page.set_viewport_size(size)
    learning = Learning(page)
    question = learning.open(lesson, level, seed=seed)
    expect_to_fit(learning, size)
    Explorer(page).settle()
    read = (
        "all => all.map((each) => each.getBoundingClientRect())"
        ".map(({x, y, width, height}) => [x, y + scrollY, width, height].map(Math.round))"
    )
    grids = page.locator("lesson-grids[part=given] :is(.plane, .memory)")
    before = grids.evaluate_all(read)
    learning.answer(question, question.wrong[0].computed)
    Explorer(page).settle()
    assert grids.evaluate_all(read) == before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
