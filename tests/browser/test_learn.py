"""All lessons in a browser: right and wrong answers, hints, giving up, on a phone and a desk."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from app.contract.lessons import answer_lesson
from app.engine import offset_map
from app.lessons import LESSONS
from app.lessons.asking import check
from app.lessons.lesson import LEVELS, Exhibit
from app.lessons.pictures import numbers_in
from app.lessons.sums import ints
from app.lessons.sums import named as named_cell
from tests.browser.explorer import DESK, PHONE, listen
from tests.browser.learning import SEED, Learning, expect_to_fit

pytestmark = pytest.mark.browser
NewPage = Callable[..., Page]
Axe = Callable[..., list[dict[str, Any]]]
NAMES = [each.id for each in LESSONS]


def named(shown: Exhibit) -> str:
    """A layout in a heading."""
    return shown.text or f"strides {', '.join(map(str, shown.layout.strides or ()))}"


# Each lesson on one of them: what differs between them is where things stand.
@pytest.mark.parametrize(("lesson", "size"), [*zip(NAMES, cycle((PHONE, DESK)))], ids=NAMES)
def test_a_lesson_is_answered_wrongly_rightly_and_given_up(
    new_page: NewPage, axe: Axe, lesson: str, size: ViewportSize
) -> None:
    learning = Learning(new_page(viewport=size, has_touch=size is PHONE))
    heard = listen(learning.page)
    other = DESK if size is PHONE else PHONE
    # A teacher's link, which asks the same question again.
    question = learning.open(lesson, query=f"&lessons={lesson}")
    expect_to_fit(learning, size)
    for wrong in question.wrong:
        learning.answer(question, wrong.computed)
        expect(learning.said).to_contain_text(wrong.text)
        computed = wrong.computed
        told = check(question, list(computed) if isinstance(computed, tuple) else computed)
        if told.landing:
            expect(learning.said).to_contain_text(told.landing)
        right, given = map(set, told.marks)
        assert learning.marked("right") == right
        seen = learning.page.locator("section.believed h2")
        if wrong.believed:
            expect(seen).to_have_text(
                f"Memory in {named(wrong.believed)}, where your answer is right"
            )
        else:
            expect(seen).to_have_count(0)
        held = question.tensors[0].layout.buffer_elements
        assert learning.marked("given") == {a for a in given - right if a < held}
        learning.page.get_by_role("button", name="Same question again").click()
        expect(learning.said).to_be_empty()
    expect_to_fit(learning, other)
    question = learning.open(lesson, 2)
    expect_to_fit(learning, other, size)
    learning.type(question, question.expected)
    expect(learning.said).to_have_text(f"✓ Right. {question.explanation}")
    assert axe(learning.page, "main") == []
    question = learning.open(lesson, 3)
    expect_to_fit(learning, size, other)
    for _ in question.hints:
        learning.page.get_by_role("button", name="Hint").click()
    expect(learning.page.locator(".hints p")).to_have_text([*question.hints])
    learning.page.get_by_role("button", name="Show me").click()
    expect(learning.said).to_contain_text(question.explanation)
    if question.kind == "strides":
        filled = learning.page.locator(".prediction select").evaluate_all(
            "all => all.map((s) => s.value)"
        )
        assert filled == [*map(str, ints(question.expected))]
    assert heard == []


def test_memory_has_the_gaps_of_the_explorer_and_one_sum_by_block_and_place(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("nchw4", 3, seed=5)
    learning.answer(question, question.expected)
    last = page.locator("section.memory td.apart").evaluate_all(
        "cells => cells.map(({dataset}) => Number(dataset.address))"
    )
    size = question.tensors[0].layout.buffer_elements
    assert last == [a for a in range(size) if a % 4 == 3]
    expect(learning.said).to_contain_text(
        "A block takes 4·H·W = 4·3·2 = 24 places: n·48 + ⌊c/4⌋·24"
    )


@pytest.mark.parametrize("lesson", ["nhwc", "nchw4"])
def test_a_lesson_has_the_sum_of_the_explorer(page: Page, lesson: str) -> None:
    learning = Learning(page)
    question = learning.open(lesson, 2, seed=5)
    learning.answer(question, question.expected)
    said = page.locator("lesson-answer .sum .piece").all_inner_texts()
    letters = ["n", "c", "h", "w"] if lesson == "nhwc" else ["n", "⌊c/4⌋", "(c mod 4)", "h", "w"]
    strides = [digit.stride for digits in question.tensors[0].layout.digits for digit in digits]
    terms = [f"{letter}·{stride}" for letter, stride in zip(letters, strides, strict=True)]
    assert [text.split(maxsplit=2)[-1] for text in said[1:]] == terms
    shape, at = (
        ",".join(map(str, each))
        for each in (question.tensors[0].layout.shape, question.about["at"])
    )
    page.goto(f"/?shape={shape}&layout={question.tensors[0].text}&at={at}")
    expect(page.locator("address-sum .sum .piece")).to_have_text(said)


def test_the_sum_of_a_view_is_that_of_the_view(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("flip", 2)
    learning.answer(question, question.expected)
    view = question.tensors[1].layout
    pieces = page.locator("lesson-answer .sum .piece")
    expect(pieces.first).to_contain_text(str(question.expected))
    expect(pieces.nth(1)).to_contain_text(str(view.offset))
    learning.answer(learning.open("windows"), (0,))
    expect(pieces).to_have_count(0)


def test_a_wrong_answer_has_a_hint_and_a_second_try_before_the_solution(page: Page) -> None:
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
    page.evaluate("localStorage.clear()")


def test_cells_are_checked_below_them_and_a_wrong_one_is_crossed(page: Page) -> None:
    page.set_viewport_size(PHONE)
    learning = Learning(page)
    question = learning.open("address")
    expect(page.locator("section.tensor .numbering")).to_have_text(
        f"framed: {named_cell(question.tensors[0].layout, question.about['at'])}"
    )
    learning.fill(question, question.wrong[0].computed)
    learning.check.click()
    wrong = page.locator("section.tensor td.given")
    expect(wrong).to_have_attribute("data-at", ",".join(map(str, ints(question.wrong[0].computed))))
    expect(wrong).to_have_text("✗")
    boxes = [
        page.locator(selector).bounding_box()
        for selector in ("section.tensor", ".checks .main", ".covered .memory", "main")
    ]
    tops = [box["y"] for box in boxes[:3] if box]
    assert tops == sorted(tops)
    assert boxes[2]
    assert boxes[3]
    assert boxes[2]["width"] > 0.8 * boxes[3]["width"]


def test_what_the_numbers_of_a_grid_are_is_true_of_it(page: Page) -> None:
    learning = Learning(page)
    said = page.locator("section.tensor .numbering")
    for level in (2, 3):
        question = learning.open("broadcast", level)
        learning.answer(question, question.expected)
        expect(said).to_have_text("same number: same place in memory")
    question = learning.open("nhwc")
    learning.answer(question, question.expected)
    expect(said).to_have_text("numbered row by row")
    learning.open("nhwc")
    expect(page.locator(".covered .numbering")).to_have_text("filled in after your answer")


@pytest.mark.parametrize("lesson", ["address", "strides", "reshape", "chwn4", "windows"])
def test_the_keyboard_alone_does_a_lesson(page: Page, lesson: str) -> None:
    """From the list to a wrong answer, other numbers, and each step answered rightly."""
    learning = Learning(page)
    page.goto("/learn")
    expect(page.locator(f".all [data-lesson={lesson}]")).to_be_visible()
    learning.tab_to(f".all [data-lesson={lesson}]")
    page.keyboard.press("Enter")
    expect(learning.check).to_be_visible()
    question = learning.open(lesson)
    learning.type(question, question.wrong[0].computed)
    expect(learning.again).to_be_visible()
    page.keyboard.press("Enter")  # what has the focus keeps it
    expect(learning.said).to_contain_text(question.wrong[0].text)
    question = learning.open(lesson)
    for level in range(1, LEVELS + 1):
        learning.type(question, question.expected)
        expect(learning.said).to_contain_text("Right.")
        if level < LEVELS:
            page.keyboard.press("Enter")  # the way on has the focus
            present = page.locator(".levels [aria-current=step]")
            expect(present).to_have_text(f"Question {level + 1}")
            question = learning.open(lesson, level + 1)
    expect(learning.said).to_contain_text("Lesson done.")
    if lesson == "address":  # the next lesson teaches the sum
        expect(page.locator("lesson-answer .sum .piece")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".levels [aria-current=step]")).to_have_text("Question 1")
    expect(page.locator("h1:visible")).to_have_text(LESSONS[NAMES.index(lesson) + 1].title)


@pytest.mark.parametrize(("lesson", "level"), [("transpose", 2), ("flip", 3)])
def test_a_view_is_drawn_with_the_elements_where_they_are(
    page: Page, lesson: str, level: int
) -> None:
    learning = Learning(page)
    question = learning.open(lesson, level)
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


def test_choices_are_marked_right_and_wrong(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("reshape", 2)
    learning.answer(question, tuple(question.choices))
    signs = page.locator(".choice").all_inner_texts()
    for text, sign in zip(question.choices, signs, strict=True):
        assert ("✓" if text in np.atleast_1d(question.expected) else "✗") in sign


@pytest.mark.parametrize("seed", [SEED, 5, 8])
def test_a_row_of_memory_is_a_cache_line(page: Page, seed: int) -> None:
    page.goto(f"/learn/cache-lines?seed={seed}")
    line = answer_lesson("cache-lines", seed, 1)["question"]["line"]
    rows = page.locator(".memory tr")
    said = {8: "a row is two cache lines", 16: "a row is one cache line"}
    told = said.get(line or 0, "two rows are one cache line")
    expect(page.locator(".memory .numbering")).to_have_text(told)
    expect(rows.nth(1).locator("small").first).to_have_text("16")
    between = page.locator(".memory td.apart:not(:last-child)").count()
    assert between == (rows.count() if line == 8 else 0)


def test_what_is_missing_is_said(page: Page) -> None:
    learning = Learning(page)
    said = page.locator(".error")
    for lesson, level, missing in (
        ("row-major", 1, "Type a whole number."),
        ("address", 1, "Choose a cell first."),
        ("windows", 1, "Mark at least one cell."),
        ("nhwc", 3, "Choose one of them."),
        ("strides", 1, "Choose a stride for each dimension."),
    ):
        learning.open(lesson, level)
        learning.check.click()
        expect(said).to_have_text(missing)


def test_what_was_done_is_kept_and_goes_to_another_device(new_page: NewPage) -> None:
    learning = Learning(new_page())
    page = learning.page
    question = learning.open("padding")
    learning.answer(question, question.expected)
    page.get_by_role("button", name="Next question").click()
    expect(page.locator(".levels [aria-current=step]")).to_have_text("Question 2")
    expect(page.locator(".levels a").first).to_have_text("✓ Question 1")
    page.goto("/learn")
    row = page.locator(".all li", has_text="Padding")
    expect(row).to_contain_text("✓ 1 of 3")
    lead = page.locator(".begin")
    expect(lead).to_have_text("Go on: What is an address?")
    page.goto("/learn?done=address.3,padding.6,flip.7,nothing.1,broken")
    expect(lead).to_have_attribute("href", "/learn/address?level=3")
    expect(row).to_contain_text("✓ done")
    expect(page.locator(".all li", has_text="Negative strides")).to_contain_text("✓ done")
    expect(page).to_have_url("/learn")
    page.evaluate("localStorage.clear()")


def test_a_teacher_s_link_fixes_lessons_order_and_numbers(page: Page) -> None:
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
    page.locator("[name=lessons]").fill("flip,address")
    page.get_by_role("button", name="Go to the link").click()
    expect(page.locator(".all lesson-list a")).to_have_text(
        ["Negative strides", "What is an address?"]
    )
    expect(page).to_have_url("/learn?lessons=flip,address&seed=7")


@pytest.mark.parametrize(
    ("lesson", "form"),
    [("address", "A4"), ("nhwc", "Letter"), ("chwn4", "A4"), ("cache-lines", "Letter")],
)
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_list_and_in_wrong_answers(
    new_page: NewPage, axe: Axe, scheme: Any
) -> None:
    learning = Learning(new_page(viewport=PHONE, color_scheme=scheme))
    learning.page.goto("/learn")
    expect(learning.page.locator(".all lesson-list a").first).to_be_visible()
    assert axe(learning.page) == []
    for lesson in ("nchw4", "windows"):
        question = learning.open(lesson)
        learning.answer(question, question.wrong[0].computed)
        assert axe(learning.page) == []


def test_the_last_lesson_leads_to_the_learner_s_own_tensor(page: Page) -> None:
    learning = Learning(page)
    question = learning.open("channels-last", 3)
    learning.answer(question, question.expected)
    page.get_by_role("button", name="To all lessons").click()
    page.get_by_label("Shape").fill("1,6,2,3")
    page.get_by_role("button", name="Open in the explorer").click()
    expect(page.get_by_role("textbox", name="Shape")).to_have_value("1,6,2,3")
    expect(page).to_have_url("/?shape=1%2C6%2C2%2C3&layout=NCHW4")
