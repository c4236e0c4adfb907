"""Lessons in a browser: each kind of question by mouse, by keyboard and on a phone, and hints."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from app.contract.lessons import answer_lesson
from app.engine import offset_map
from app.lessons import LESSONS
from app.lessons.asking import check
from app.lessons.lesson import LEVELS, Answer, Exhibit, Question
from app.lessons.pictures import numbers_in
from app.lessons.sums import ints
from app.lessons.sums import named as named_cell
from tests.browser.explorer import DESK, PHONE, Explorer, listen
from tests.browser.learning import SEED, Learning, expect_to_fit
from tests.browser.pages import Axe, NewPage, box_of

SIZES = (PHONE, DESK)
# One lesson and level of each kind of question, with what is said where its answer is missing.
KINDS = {
    "cell": ("nchw4", 1, "Choose a cell first."),
    "cells": ("windows", 1, "Mark at least one cell."),
    "choice": ("chwn4", 1, "Choose one of them."),
    "number": ("reorders", 2, "Type a whole number."),
    "several": ("channels-last", 3, "Mark at least one of them."),
    "strides": ("strides", 2, "Choose a stride for each dimension."),
}


def named(shown: Exhibit) -> str:
    """A layout in a heading."""
    return shown.text or f"strides {', '.join(map(str, shown.layout.strides or ()))}"


def grids_of(learning: Learning) -> Any:
    """Where the grids stand that a question has before its answer."""
    Explorer(learning.page).settle()
    return learning.page.locator("lesson-grids[part=given] :is(.plane, .memory)").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect())"
        ".map(({x, y, width, height}) => [x, y + scrollY, width, height].map(Math.round))"
    )


def expect_marks(learning: Learning, question: Question, answer: Answer) -> None:
    """Cells and choices are marked as the check of the answer says, and a landing is told."""
    told = check(question, list(answer) if isinstance(answer, tuple) else answer)
    expect(learning.said).to_contain_text(told.landing or "")
    right, given = map(set, told.marks)
    assert learning.marked("right") == right
    held = question.tensors[0].layout.buffer_elements
    assert learning.marked("given") == {a for a in given - right if a < held}
    for text, shown in zip(
        question.choices, learning.page.locator(".choice").all_inner_texts(), strict=False
    ):
        sign = "✗" if text in np.atleast_1d(answer) else ""
        sign = "✓" if text in np.atleast_1d(question.expected) else sign
        assert [each for each in "✓✗" if each in shown] == [*sign], text


@pytest.mark.parametrize(("kind", "scheme"), [*zip(KINDS, cycle(("dark", "light")))], ids=KINDS)
def test_a_kind_of_question_is_answered_wrongly_given_up_and_answered_by_keys(
    new_page: NewPage, axe: Axe, kind: str, scheme: str
) -> None:
    """The eye stays where it was: what is said stands beside the grids, or below them."""
    lesson, level, missing = KINDS[kind]
    learning = Learning(new_page(viewport=PHONE, color_scheme=scheme))
    page, heard = learning.page, listen(learning.page)
    # A teacher's link, which asks the same question again.
    question = learning.open(lesson, level, f"&lessons={lesson}")
    assert question.kind == kind
    again = page.get_by_role("button", name="Same question again")
    for size, wrong in zip(SIZES, question.wrong[:2], strict=True):
        expect_to_fit(learning, size)
        before = grids_of(learning)
        learning.answer(question, wrong.computed)
        expect(learning.said).to_contain_text(wrong.text)
        expect_marks(learning, question, wrong.computed)
        expect(page.locator(".prediction > .hint")).to_have_count(0)
        assert grids_of(learning) == before
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if size is PHONE:
            assert axe(page) == []
            for part in (".prompt", ".prediction", ".following"):
                expect(page.locator(part)).to_be_in_viewport(ratio=1)
        seen = page.locator("section.believed h2")
        layout = wrong.believed and named(wrong.believed)
        expect(seen).to_have_text(
            [f"Memory in {layout}, where your answer is right"] if layout else []
        )
        again.click()
        learning.asked(lesson, level)
    learning.check.click()
    expect(page.locator(".error")).to_have_text(missing)
    for _ in question.hints:
        page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hints p")).to_have_text([*question.hints])
    page.get_by_role("button", name="Show me").click()
    expect(learning.said).to_contain_text(question.explanation)
    if kind == "strides":
        filled = page.locator(".prediction select").evaluate_all("all => all.map((s) => s.value)")
        assert filled == [*map(str, ints(question.expected))]
    again.click()
    expect(learning.said).to_be_empty()
    learning.asked(lesson, level)
    learning.type(question, question.expected)
    expect(learning.said).to_contain_text(f"✓ Right. {question.explanation}")
    assert heard == []


def test_every_lesson_is_drawn_and_fits_the_first_screen(page: Page) -> None:
    learning = Learning(page)
    heard = listen(page)
    ids = [each.id for each in LESSONS]
    learning.open(ids[0], query=f"&lessons={','.join(ids)}")
    for lesson, following, size in zip(ids, [*ids[1:], None], cycle(SIZES), strict=False):
        question = learning.asked(lesson, 1)
        expect_to_fit(learning, size)
        if lesson == "reorders":  # beside a memory that shows them, numbers are no secret
            cells = page.locator("section.tensor td[data-at]")
            expect(cells).to_have_text([str(n) for n in range(question.tensors[0].layout.elements)])
        if following:
            page.locator("lesson-idea .next").click()
    assert heard == []


def test_memory_has_the_gaps_and_the_sum_of_the_explorer(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("nchw4", 3, seed=5)
    learning.answer(question, question.expected)
    last = page.locator("section.memory td.apart").evaluate_all(
        "cells => cells.map(({dataset}) => Number(dataset.address))"
    )
    layout = question.tensors[0].layout
    assert last == [a for a in range(layout.buffer_elements) if a % 4 == 3]
    expect(learning.said).to_contain_text(
        "A block takes 4·H·W = 4·3·2 = 24 places: n·48 + ⌊c/4⌋·24"
    )
    said = page.locator("lesson-answer .sum .piece").all_inner_texts()
    letters = ["n", "⌊c/4⌋", "(c mod 4)", "h", "w"]
    strides = [digit.stride for digits in layout.digits for digit in digits]
    terms = [f"{letter}·{stride}" for letter, stride in zip(letters, strides, strict=True)]
    assert [text.split(maxsplit=2)[-1] for text in said[1:]] == terms
    shape, at = (",".join(map(str, each)) for each in (layout.shape, question.about["at"]))
    page.goto(f"/?shape={shape}&layout={question.tensors[0].text}&at={at}")
    expect(page.locator("address-sum .sum:first-child .piece")).to_have_text(said)


def test_a_view_is_drawn_with_the_elements_where_they_are_and_has_a_sum_of_its_own(
    page: Page,
) -> None:
    learning = Learning(page)
    question = learning.open("flip", 3)
    assert page.locator("section.tensor").count() == 1
    learning.answer(question, question.expected)
    cells = page.locator("section.tensor").nth(1).locator("td[data-address]")
    drawn = cells.evaluate_all("all => all.map((cell) => [cell.dataset.address, cell.innerText])")
    x, y = (each.layout for each in question.tensors)
    numbers = numbers_in(x)
    assert [int(address) for address, _ in drawn] == offset_map(y).ravel().tolist()
    assert [int(text.split()[0]) for _, text in drawn] == [numbers[int(a)] for a, _ in drawn]
    cells.last.hover()
    lit = page.locator("td.lit").evaluate_all("all => all.map((cell) => cell.dataset.address)")
    assert lit == [drawn[-1][0]] * 3
    pieces = page.locator("lesson-answer .sum .piece")
    expect(pieces.first).to_contain_text(str(question.expected))
    expect(pieces.nth(1)).to_contain_text(str(y.offset))
    learning.answer(learning.open("windows"), (0,))
    expect(pieces).to_have_count(0)


def test_the_memory_that_a_program_leaves_is_drawn_after_the_answer(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("channels-last", seed=7)
    memories = page.locator("section:has(> .memory)")
    expect(memories).to_have_count(0)
    learning.answer(question, question.expected)
    expect(memories.locator("h2")).to_have_text(["Memory in NHWC", "Memory afterwards, in NCHW"])
    numbers = [str(n) for n in range(question.tensors[0].layout.elements)]
    expect(memories.nth(1).locator("td > span")).to_have_text(numbers)


def test_a_memory_that_has_no_name_has_its_strides(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("channels-last", 3, seed=7)
    learning.answer(question, question.expected)
    expect(page.locator("section.memory h2")).to_have_text("Memory with strides 2, 1, 1, 1")


def test_a_wrong_answer_has_a_hint_and_a_second_try_and_what_was_done_is_kept(page: Page) -> None:
    """Here, and by a link on another device."""
    learning = Learning(page)
    question = learning.open("padding")
    first, _ = question.hints
    hints = page.locator(".hints p:not(.again)")
    learning.fill(question, question.wrong[0].computed)
    learning.check.click()
    cause = question.wrong[0].text
    expect(learning.again).to_have_text(f"✗ Not right yet. {cause} Try once more:")
    expect(hints).to_have_text([first])
    expect(learning.said).to_be_empty()
    expect(page.locator("lesson-grids[part=revealed] section:not(.covered)")).to_have_count(0)
    learning.fill(question, question.wrong[1].computed)
    learning.check.click()
    expect(learning.said).to_contain_text(question.wrong[1].text)
    expect(learning.said).to_contain_text(question.explanation)
    expect(page.locator(".hints")).to_be_empty()
    question = learning.open("padding", 2)
    expect(learning.again).to_have_count(0)
    learning.fill(question, question.wrong[0].computed)
    learning.check.click()
    expect(learning.again).to_be_visible()
    learning.fill(question, question.expected)
    learning.check.click()
    expect(learning.said).to_have_text(f"✓ Right. {question.explanation}")
    expect(page.locator(".levels a").nth(1)).to_have_text("✓ Question 2")
    page.get_by_role("button", name="Next question").click()
    expect(page.locator(".levels [aria-current=step]")).to_have_text("Question 3")
    page.goto("/learn")
    row = page.locator(".all li", has_text="Padding")
    expect(row).to_contain_text("✓ 1 of 3")
    lead = page.locator(".begin")
    expect(lead).to_have_text("Go on: What is an address?")
    page.goto("/learn?done=address.3,padding.5,flip.7,nothing.1,broken")
    expect(lead).to_have_attribute("href", "/learn/address?level=3")
    expect(row).to_contain_text("✓ done")
    expect(page.locator(".all li", has_text="Negative strides")).to_contain_text("✓ done")
    expect(page).to_have_url("/learn")
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("level", [1, 3])
def test_a_reply_after_which_nothing_comes_ends_with_a_full_stop(page: Page, level: int) -> None:
    """What no model gives is told the step to the first wrong stride, and has no hint."""
    learning = Learning(page)
    question = learning.open("strides", level)
    *others, last = ints(question.expected)
    answers = ((*others, int(each)) for each in question.choices if int(each) != last)
    known = [wrong.computed for wrong in question.wrong]
    learning.fill(question, next(each for each in answers if each not in known))
    learning.check.click()
    expect(learning.again).to_have_text(
        f"✗ Not right yet. {question.each[-1]} Try once more.".replace(" mod ", "\u00a0mod\u00a0")
    )
    page.get_by_role("button", name="Hint").click()
    expect(learning.again).to_contain_text("Try once more:")


def test_a_lesson_chosen_far_down_its_list_is_seen_from_its_beginning(page: Page) -> None:
    page.set_viewport_size(DESK)
    learning = Learning(page)
    learning.open("address")
    page.locator(".others > summary").click()
    page.locator(".others [data-lesson=channels-last]").click()
    expect(page.locator("lesson-idea h1")).to_have_text("Where channels_last is lost")
    expect(page.locator("lesson-idea h1")).to_be_in_viewport(ratio=1)


def test_cells_are_checked_below_them_and_a_wrong_one_is_crossed(page: Page) -> None:
    page.set_viewport_size(PHONE)
    learning = Learning(page)
    question = learning.open("address")
    expect(page.locator("section.tensor .numbering")).to_have_text(
        f"framed: {named_cell(question.tensors[0].layout, question.about['at'])}"
    )
    learning.fill(question, question.wrong[0].computed)
    chosen = page.locator("section.tensor td", has=page.locator(":checked"))
    expect(chosen).to_have_css("outline-style", "dashed")
    learning.check.click()
    wrong = page.locator("section.tensor td.given")
    expect(wrong).to_have_attribute("data-at", ",".join(map(str, ints(question.wrong[0].computed))))
    expect(wrong).to_have_text("✗")
    tensor, button, memory, main = (
        box_of(page.locator(selector))
        for selector in ("section.tensor", ".checks .main", ".covered .memory", "main")
    )
    assert tensor["y"] < button["y"] < memory["y"]
    assert memory["width"] > 0.8 * main["width"]


def test_the_keyboard_alone_does_a_lesson(page: Page, axe: Axe) -> None:
    """From the list to a wrong answer, the same numbers, and each step answered rightly."""
    learning = Learning(page)
    lesson = "chwn4"
    page.goto(f"/learn?lessons={lesson}&seed={SEED}")
    expect(page.locator(f".all [data-lesson={lesson}]")).to_be_visible()
    learning.tab_to(f".all [data-lesson={lesson}]")
    page.keyboard.press("Enter")
    question = learning.asked(lesson, 1)
    learning.type(question, question.wrong[0].computed)
    expect(learning.again).to_be_visible()
    page.keyboard.press("Enter")  # what has the focus keeps it
    expect(learning.said).to_contain_text(question.wrong[0].text)
    page.keyboard.press("Enter")
    expect(learning.said).to_be_empty()
    for level in range(1, LEVELS + 1):
        expect(page.locator(".levels [aria-current=step]")).to_have_text(f"Question {level}")
        question = learning.asked(lesson, level)
        learning.type(question, question.expected)
        expect(learning.said).to_contain_text("Right.")
        assert level == 1 or axe(page, "main") == []
        if level == LEVELS:
            expect(learning.said).to_contain_text("Lesson done.")
        page.keyboard.press("Enter")  # the way on has the focus
    expect(page).to_have_url(f"/learn?lessons={lesson}&seed={SEED}")


def test_the_answer_after_a_wrong_number_takes_its_place(new_page: NewPage) -> None:
    """Whether the field kept the focus, or is pressed again."""
    learning = Learning(new_page(viewport=PHONE, has_touch=True))
    page = learning.page
    field = page.locator("[name=number]")
    presses: tuple[Callable[[], None], ...] = (field.tap, field.click, lambda: None)
    for press in presses:
        learning.open("reorders", 2)
        field.fill("24")
        field.press("Enter")
        expect(learning.again).to_be_visible()
        press()
        page.keyboard.type("40")
        expect(field).to_have_value("40")
    learning.open("reorders", 2)
    field.fill("24")
    learning.check.tap()
    expect(learning.again).to_be_visible()
    field.tap()
    page.keyboard.type("40")
    field.tap()  # what is not checked yet keeps its caret
    page.keyboard.type("5")
    assert sorted(field.input_value()) == [*"045"]


def test_a_row_of_memory_is_a_cache_line(page: Page) -> None:
    said = {8: "each row: two cache lines", 16: "each row: one cache line"}
    rows = page.locator(".memory tr")
    for seed in (SEED, 5, 8):
        page.goto(f"/learn/cache-lines?seed={seed}")
        line = answer_lesson("cache-lines", seed, 1)["question"]["line"]
        told = said.get(line or 0, "two rows: one cache line")
        expect(page.locator(".memory .numbering")).to_have_text(told)
        expect(rows.nth(1).locator("small").first).to_have_text("16")
        between = page.locator(".memory td.apart:not(:last-child)").count()
        assert between == (rows.count() if line == 8 else 0)


def test_a_teacher_s_link_fixes_lessons_order_and_numbers(page: Page, axe: Axe) -> None:
    learning = Learning(page)
    question = learning.open("nchw4", query="&lessons=nchw4,padding")
    expect(page.locator(".kicker span").first).to_have_text("Lesson 1 of 2")
    learning.answer(question, question.expected)
    page.get_by_role("link", name="Next lesson: Padding").click()
    learning.asked("padding", 1)
    expect(page).to_have_url(f"/learn/padding?lessons=nchw4,padding&seed={SEED}")
    page.go_back()
    learning.asked("nchw4", 1)
    page.goto(f"/learn?lessons=nchw4,padding&seed={SEED}")
    expect(page.locator(".all lesson-list a")).to_have_text(["Blocks: NCHW4", "Padding and gaps"])
    page.get_by_text("For teachers").click()
    assert axe(page) == []
    page.locator("[name=lessons]").fill("flip,address")
    page.get_by_role("button", name="Go to the link").click()
    expect(page.locator(".all lesson-list a")).to_have_text(
        ["Negative strides", "What is an address?"]
    )
    expect(page).to_have_url("/learn?lessons=flip,address&seed=7")


@pytest.mark.parametrize(("lesson", "form"), [("chwn4", "A4"), ("cache-lines", "Letter")])
def test_a_sheet_has_questions_and_solutions_on_pages_of_their_own(
    page: Page, lesson: str, form: str
) -> None:
    learning = Learning(page)
    question = learning.open(lesson)
    page.evaluate("() => { window.print = () => (document.body.dataset.printed = 'yes'); }")
    page.get_by_role("button", name="Print this lesson").click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    asked, solved = page.locator(".questions"), page.locator(".solutions")
    expect(asked).to_contain_text(question.prompt)
    expect(solved).to_contain_text(question.explanation)
    expect(asked).not_to_contain_text(question.explanation)
    paper = page.pdf(format=form, prefer_css_page_size=False)
    assert paper.count(b"/Type /Page\n") == 2


def test_the_last_lesson_leads_to_the_learner_s_own_tensor(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("channels-last", 3)
    learning.answer(question, question.expected)
    page.get_by_role("button", name="To all lessons").click()
    page.get_by_label("Shape").fill("1,6,2,3")
    page.get_by_role("button", name="Open in the explorer").click()
    expect(page.get_by_role("textbox", name="Shape")).to_have_value("1,6,2,3")
    expect(page).to_have_url("/?shape=1%2C6%2C2%2C3&layout=NCHW4")
