"""How lessons are drawn: what fits the first screen, sizes, numbers and names, and the focus."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.learning import Learning, expect_to_fit
from tests.browser.pages import NewPage, box_of


# Of 30 seeds of each lesson and level, the questions that take most room.
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


def test_cells_of_one_address_show_one_element(page: Page) -> None:
    """Not before the answer: where the last dimension is stored, the numbers are the addresses."""
    learning = Learning(page)
    question = learning.open("broadcast", 2, seed=0)
    # Where elements share places, their number would tell the answer.
    expect(page.locator(".covered td")).to_have_count(0)
    cells = page.locator("section.tensor td[data-at]")
    read = (
        "cells => cells.map((c) => [c.dataset.address, c.innerText.split(/\\s/)[0], c.style.color])"
    )
    assert {text for _, text, _ in cells.evaluate_all(read)} == {""}
    learning.answer(question, question.expected)
    shown = {tuple(each) for each in cells.evaluate_all(read)}
    assert len(shown) == question.tensors[0].layout.buffer_elements
    # A letter, which nobody takes for an address.
    assert all(text == "ABCDEF"[int(address)] for address, text, _ in shown)
    said = page.locator("section.tensor .numbering")
    expect(said).to_have_text("same letter: same address")
    cells = page.locator("section.memory td span")
    expect(cells).to_have_text([*"ABCDEF"[: len(shown)]])
    expect(page.locator("section.memory .numbering")).to_have_text("address above, letter below")


def test_on_a_phone_an_answer_makes_no_cell_smaller(new_page: NewPage) -> None:
    """Nor where a try to place the planes was wider than the screen."""
    learning = Learning(new_page(viewport=PHONE, has_touch=True, is_mobile=True))
    question = learning.open("broadcast", 2, seed=982)
    cell = learning.page.locator("section.tensor td[data-at]").last
    expect_to_fit(learning, PHONE)
    before = box_of(cell)
    learning.answer(question, question.expected)
    Explorer(learning.page).settle()
    assert box_of(cell) == before


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


def test_cells_are_as_large_as_the_first_screen_has_room_for(page: Page) -> None:
    learning = Learning(page)
    cell = page.locator("section.tensor td[data-at]").first

    def widths_css() -> list[float]:
        found = []
        for size in (PHONE, DESK):
            expect_to_fit(learning, size)
            Explorer(page).settle()  # the cells grow into the room that is left
            found.append(box_of(cell)["width"])
        return found

    learning.open("address")
    few = widths_css()
    question = learning.open("nchw4", 3, seed=5)
    for large, small in zip(few, widths_css(), strict=True):
        assert large > small >= 24
    learning.answer(question, question.expected)
    page.wait_for_function(
        """() => {
            const stage = document.querySelector('.stage');
            return stage.scrollHeight <= stage.clientHeight;
        }"""
    )


def test_memory_is_covered_until_the_answer(page: Page) -> None:
    learning = Learning(page)
    covered = page.locator(".covered td")
    for seed, sizes in ((5, (DESK, PHONE)), (22, (PHONE,))):
        question = learning.open("nchw4", 3, seed=seed)
        for size in sizes:
            page.set_viewport_size(size)
            expect(covered.first).to_be_visible()
            expect(covered).to_have_text(
                [str(a) for a in range(question.tensors[0].layout.buffer_elements)]
            )
            expect(page.locator(".covered td[data-kind]")).to_have_count(0)
        expect(page.locator(".covered .numbering")).to_have_text("filled in after your answer")
        learning.answer(question, question.expected)
        expect(covered).to_have_count(0)
        expect(page.locator("section.memory td.right").first).to_have_css("outline-width", "0px")
        expect(page.locator("section.tensor .numbering")).to_have_text("numbered row by row")


def test_gaps_and_padding_have_the_signs_of_the_explorer(page: Page) -> None:
    """Those that its first picture has, which the server draws: a dot, and hatching."""
    learning = Learning(page)
    signs = {}
    for kind, level in (("gap", 1), ("padding", 2)):
        question = learning.open("padding", level)
        learning.answer(question, question.expected)
        read = "([cell]) => getComputedStyle(cell, '::before').backgroundImage.split('(')[0]"
        signs[kind] = page.locator(f".memory td[data-kind={kind}]").evaluate_all(read)
        drawn = page.evaluate(
            """kind => {
                const cell = document.createElement('i');
                cell.className = kind;
                const first = document.createElement('div');
                first.className = 'first';
                first.append(cell);
                document.body.append(first);
                const { backgroundImage } = getComputedStyle(cell);
                first.remove();
                return backgroundImage.split('(')[0];
            }""",
            kind,
        )
        assert signs[kind] == drawn
    assert signs == {"gap": "radial-gradient", "padding": "repeating-linear-gradient"}


def test_the_sum_of_a_byte_ends_with_the_byte(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("bytes", 1)
    learning.answer(question, question.expected)
    expect(page.locator("lesson-answer .sum .at")).to_have_text(f"byte {question.expected}")
    question = learning.open("bytes", 2)
    learning.answer(question, question.expected)
    expect(page.locator("lesson-answer .sum .piece").first).to_be_visible()
    expect(page.locator("lesson-answer .sum .at")).to_have_count(0)


@pytest.mark.parametrize(("lesson", "kind"), [("bytes", "number"), ("nchw4", "cell")])
def test_who_goes_on_by_key_answers_at_once_and_a_finger_opens_no_keyboard(
    new_page: NewPage, lesson: str, kind: str
) -> None:
    for fingers in (False, True):
        learning = Learning(new_page(viewport=DESK, has_touch=fingers, is_mobile=fingers))
        page = learning.page
        question = learning.open(lesson, 1, f"&lessons={lesson}")
        expect(page.locator("input[name=number]:focus")).to_have_count(0)
        learning.answer(question, question.wrong[0].computed)
        expect(page.locator(".another")).to_be_focused()
        page.keyboard.press("Enter")
        question = learning.asked(lesson, 1)
        assert question.kind == kind
        if fingers:
            expect(page.locator("lesson-question :focus")).to_have_count(0)
        else:
            expect(page.locator(f"input[name={kind}]").first).to_be_focused()
        page.close()


def test_who_went_elsewhere_while_the_question_comes_stays_there(new_page: NewPage) -> None:
    learning = Learning(new_page(viewport=DESK))
    page = learning.page
    question = learning.open("bytes", 1, "&lessons=bytes")
    learning.answer(question, question.wrong[0].computed)
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/api/v1/lessons/bytes?*", hold)
    page.get_by_role("button", name="Same question again").click()
    expect(page.locator("lesson-question .prompt")).to_be_empty()
    elsewhere = page.locator("command-palette button").first
    elsewhere.focus()
    for each in waiting:
        each.continue_()
    learning.asked("bytes", 1)
    expect(elsewhere).to_be_focused()
    page.unroute("**/api/v1/lessons/bytes?*")
