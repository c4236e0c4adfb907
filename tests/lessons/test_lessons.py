"""Every lesson against brute force, for some seeds; ``make lessons`` takes 10,000 each."""

import itertools
import math
import re
from collections import Counter
from itertools import count

import numpy as np
import pytest

from app.engine import LayoutError
from app.engine.description.properties import properties
from app.lessons import LESSONS
from app.lessons.asking import check, question_of
from app.lessons.draw import Draw
from app.lessons.lesson import LEVELS, Lesson
from tests.examples import fewer

from .examined import MISCONCEPTIONS, examined

BY_ID = {lesson.id: lesson for lesson in LESSONS}
LEVELS_OF_ALL = [(each, level) for each in LESSONS for level in range(1, LEVELS + 1)]


def _named(value: object) -> str:
    return value.id if isinstance(value, Lesson) else str(value)


@pytest.mark.parametrize("lesson", LESSONS, ids=_named)
def test_answers_are_brute_force_s_and_every_misconception_is_met(lesson: Lesson) -> None:
    met: Counter[str] = Counter()
    for level in range(1, LEVELS + 1):
        met += examined(lesson, level, range(1000, 1060))
    assert met.keys() == MISCONCEPTIONS[lesson.id]


@pytest.mark.parametrize(("lesson", "level"), LEVELS_OF_ALL, ids=_named)
def test_a_seed_always_asks_the_same_and_seeds_differ(lesson: Lesson, level: int) -> None:
    asked = [question_of.__wrapped__(lesson, seed, level) for seed in (7, 7, *range(8, 20))]
    assert asked[0] == asked[1]
    assert len({(each.prompt, each.tensors[0].layout, *each.choices) for each in asked}) > 4


def test_draws_stay_what_they_were_when_links_were_shared() -> None:
    draw = Draw("nchw4/2/7/0")
    assert [draw.below(100) for _ in range(5)] == [93, 61, 95, 54, 53]
    assert question_of(BY_ID["nchw4"], 7, 2).prompt == (
        "Which address does n 0, c 3, h 1, w 1 have in NCHW4?"
    )


@pytest.mark.parametrize(("lesson", "level"), LEVELS_OF_ALL, ids=_named)
def test_each_choice_is_right_for_some_seed(lesson: Lesson, level: int) -> None:
    """A line of a program is known by its place, a layout by its name."""
    offered: set[object] = set()
    right: set[object] = set()
    for seed in range(250):
        question = question_of.__wrapped__(lesson, seed, level)
        if question.kind not in {"choice", "several"}:
            assert not offered
            return
        choices = question.choices
        named = dict(zip(choices, choices if question.tensors[0].secret else count(), strict=False))
        offered |= {*named.values()}
        right |= {named[str(each)] for each in np.atleast_1d(question.expected)}
    assert right == offered


def test_what_lies_at_a_wrong_address_is_said_and_cells_are_marked_in_any_order() -> None:
    question = question_of(BY_ID["padding"], 3, 1)
    layout = question.tensors[0].layout
    said = {check(question, a).landing for a in range(layout.buffer_elements + 1)}
    assert {"", f"Address {layout.buffer_elements} is beyond the memory of this tensor."} < said
    assert any("is a gap" in each for each in said)
    assert any("holds h 0, w 1" in each for each in said)
    question = question_of(BY_ID["windows"], 5, 1)
    assert isinstance(question.expected, tuple)
    assert check(question, [*question.expected[::-1], question.expected[0]]).right


@pytest.mark.parametrize(
    ("lesson", "level", "answer", "field", "code"),
    [
        ("row-major", 1, True, "answer", "answer.integer"),
        ("row-major", 1, 2**63, "answer", "answer.integer"),
        ("address", 1, 7, "answer", "answer.list"),
        ("address", 1, [0], "answer", "answer.per_dimension"),
        ("address", 1, [0, 99], "answer[1]", "answer.index"),
        ("address", 1, [0, "1"], "answer[1]", "answer.integer"),
        ("strides", 3, [1, 2], "answer", "answer.per_dimension"),
        ("nhwc", 3, "NHWX", "answer", "one_of"),
        ("reshape", 1, ["(0,)"], "answer[0]", "one_of"),
        ("windows", 1, [0] * 5000, "answer", "answer.list"),
    ],
)
def test_an_answer_of_another_kind_is_refused(
    lesson: str, level: int, answer: object, field: str, code: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        check(question_of(BY_ID[lesson], 1, level), answer)
    assert (caught.value.field, caught.value.code) == (field, code)


def test_one_thing_has_one_word_in_all_lessons() -> None:
    """A block takes 4·H·W: h and w are indices."""
    for lesson in LESSONS:
        said = [lesson.title, lesson.text]
        for level, seed in itertools.product(range(1, LEVELS + 1), range(fewer(20))):
            question = question_of(lesson, seed, level)
            said += [question.prompt, question.explanation, *question.hints]
            said += [wrong.text for wrong in question.wrong]
        text = "\n".join(said)
        found = re.findall(
            r"\btables?\b|4·h·w|written after|\bat place \d|place \d+·|\bblock \d+·"
            r"|fastest|need not be contiguous"
            r"|\b(?:One|whole|same) [nc]\b|\b[nc] after [nc]\b|\bwhole of [nc]\b",
            text,
        )
        assert found == [], lesson.id


@pytest.mark.parametrize("name", ["nhwc", "chwn4", "nchw4"])
def test_a_sum_has_the_order_and_the_words_of_the_explorer(name: str) -> None:
    for seed in range(fewer(20)):
        question = question_of(BY_ID[name], seed, 2)
        said = question.explanation.removesuffix(".").split(" = ")
        letters, numbers, right = said[-3].split(": ")[-1], said[-2], int(said[-1])
        channel = ["c"] if name == "nhwc" else ["⌊c/4⌋", "(c mod 4)"]
        terms, products = letters.split(" + "), numbers.split(" + ")
        assert [term.split("·")[0] for term in terms] == ["n", *channel, "h", "w"]
        strides = [term.split("·")[1] for term in terms]
        assert strides == [product.split("·")[1] for product in products]
        values = [math.prod(map(int, product.split("·"))) for product in products]
        assert sum(values) == right == question.expected


def test_the_memory_after_a_program_is_channels_last_where_nothing_loses_it() -> None:
    for level, seed in itertools.product((1, 2), range(fewer(40))):
        question = question_of(BY_ID["channels-last"], seed, level)
        before, after = question.tensors
        assert (before.shows, after.shows) == ("tensor", "memory_after")
        stays = question.expected == question.choices[-1]
        assert (properties(after.layout).channels_last, after.text) == (
            stays,
            "NHWC" if stays else "NCHW",
        )


def test_the_tensor_drawn_is_a_right_choice_and_where_one_is_the_surprising_one() -> None:
    for seed in range(fewer(40)):
        question = question_of(BY_ID["channels-last"], seed, 3)
        (drawn,) = question.tensors
        right = [
            choice for choice in question.choices if choice in np.atleast_1d(question.expected)
        ]
        assert f"{drawn.layout.shape}, strides {drawn.layout.strides}" in right
        assert (1 in drawn.layout.shape) == (len(right) > 1)
        assert drawn.text == ""  # its strides are its name, as in the choices
