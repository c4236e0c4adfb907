"""What the hints and the named causes of every lesson may not do, for many seeds."""

import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from app.engine import parse_dtype
from app.lessons import LESSONS, find_lesson
from app.lessons.asking import check, question_of
from app.lessons.lesson import LEVELS, Question
from app.lessons.sums import ints, named

from .claims import is_true
from .examined import told

SEEDS = range(2000, 2060)


def asked(name: str, level: int) -> Iterator[tuple[int, Question]]:
    """Questions of a lesson, each with its seed."""
    lesson = find_lesson(name)
    return ((seed, question_of.__wrapped__(lesson, seed, level)) for seed in SEEDS)


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
@pytest.mark.parametrize("name", [lesson.id for lesson in LESSONS])
def test_bytes_are_known_as_such_and_a_hint_asks_about_an_index_that_counts(
    name: str, level: int
) -> None:
    for seed, question in asked(name, level):
        if question.unit == "address":
            right, size = ints(question.expected)[0], parse_dtype(question.tensors[0].dtype).bits
            said = check(question, right * size // 8).wrong
            others = {each.computed for each in question.wrong if each.code != "bytes_for_elements"}
            assert said or right == 0, seed
            if said and right * size // 8 not in others:
                assert (said.code, "byte" in said.text) == ("bytes_for_elements", True), seed
        if question.kind == "number" and "at" in question.about:
            # What lies before index 0 is nothing: the truthful reply would lead nowhere.
            letters = question.tensors[0].layout.dims.lower()
            for text in re.findall(r"[^.?]*\?", " ".join(question.hints)):
                for letter, index in re.findall(rf"\b([{letters}]) (\d+)", text):
                    at = question.about["at"][letters.index(letter)]
                    assert int(index) == at > 0, (seed, text)


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
@pytest.mark.parametrize("name", ["strides", "transpose"])
def test_strides_that_no_model_gives_are_told_the_step_to_the_first_wrong_one(
    name: str, level: int
) -> None:
    for seed, question in asked(name, level):
        right, known = ints(question.expected), {wrong.computed for wrong in question.wrong}
        for d, dim in enumerate(question.dims.lower()):
            given = [*right[:d], *(stride + 1 for stride in right[d:])]
            said = check(question, given)
            assert tuple(given) in known or said.landing == question.each[d], seed
            assert re.search(rf"\b{dim}\b", question.each[d]), (dim, question.each[d])
        assert not told(question, " ".join(question.each)), (seed, question.each)
        assert all(check(question, [*ints(each)]).landing == "" for each in {right, *known}), seed


@pytest.mark.parametrize(("name", "level"), [("address", 1), ("address", 2), ("nchw4", 1)])
def test_the_stored_cell_and_the_next_one_are_told_apart(name: str, level: int) -> None:
    """The sum below the explanation is that of the next cell."""
    for seed, question in asked(name, level):
        stored, following = question.explanation.split("The next cell, ")
        expected = named(question.tensors[0].layout, ints(question.expected))
        assert stored.startswith("The stored cell"), seed
        assert following.startswith(expected), seed


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
def test_the_first_hint_of_row_major_is_about_the_outermost_index(level: int) -> None:
    for seed, question in asked("row-major", level):
        letters, at = question.tensors[0].layout.dims.lower(), question.about["at"]
        outermost = next(f"{d} {index}" for d, index in zip(letters, at, strict=True) if index)
        assert outermost in question.hints[0], seed


@pytest.mark.parametrize("name", ["padding", "bytes"])
def test_a_hint_asks_for_no_row_that_it_names_and_counts_none_that_is_not_there(name: str) -> None:
    for _, question in asked(name, 1):
        said = " ".join(question.hints)
        assert len(re.findall(rf"row h {question.about['at'][0]}\b", said)) <= 1, said
        assert question.about["at"][0] or "One row" not in said, said


@pytest.mark.parametrize("level", [1, 3])
def test_who_counted_elements_is_led_on_from_there(level: int) -> None:
    """The first hint after a wrong answer does not ask for what the answer was."""
    for seed, question in asked("bytes", level):
        said = check(question, next(w for w in question.wrong if "elements" in w.code).computed)
        assert said.wrong is not None
        assert "address" not in question.hints[0].split("times")[-1], seed
        size = parse_dtype(question.tensors[0].dtype).bits // 8
        assert re.search(rf"(times|multiply by) {size}\b", question.hints[0]), seed


def test_shapes_that_need_a_copy_for_one_reason_are_told_it_once_with_its_numbers() -> None:
    said = question_of(find_lesson("reshape"), 6, 3).explanation
    assert said == (
        "Views: (15, 2).\n(5, 6), (30,), (2, 3, 5): h and w cannot join in one new dimension: "
        "the 2 elements of w lie 15 apart, so h would need stride 2·15 = 30, but it has 1."
    )
    for level in range(1, LEVELS + 1):
        for seed, question in asked("reshape", level):
            reasons = [line.split(": ", 1)[1] for line in question.explanation.split("\n")[1:]]
            assert len(reasons) == len({*reasons}), seed


def test_the_lines_of_a_program_follow_each_other_and_the_first_operand_decides() -> None:
    question = question_of(find_lesson("channels-last"), 8, 2)
    assert "from top to bottom" in question.prompt
    assert question.expected == "x = y + x"
    assert "the first operand's order of strides" in question.explanation


def test_who_went_down_is_not_told_where_the_next_row_begins() -> None:
    question = question_of.__wrapped__(find_lesson("address"), 3, 1)
    said = {wrong.code: wrong.text for wrong in question.wrong}
    assert said["straight_down"] == "You went down one row."


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
@pytest.mark.parametrize("name", [lesson.id for lesson in LESSONS])
def test_what_a_wrong_answer_is_told_gives_exactly_this_answer(name: str, level: int) -> None:
    for seed, question in asked(name, level):
        for wrong in question.wrong:
            assert is_true(question, wrong.text, wrong.computed), (seed, wrong, question.prompt)


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
@pytest.mark.parametrize("name", [lesson.id for lesson in LESSONS])
def test_each_wrong_answer_has_a_reason(name: str, level: int) -> None:
    for seed, question in islice(asked(name, level), 12):
        layout, choices = question.tensors[0].layout, [*question.choices]
        given = {
            "number": range(-1, 4 * layout.buffer_elements, 3),
            "cell": [list(at) for at in np.ndindex(layout.shape)],
            "cells": ([], [0], [*range(layout.elements)]),
            "choice": choices,
            "several": ([], choices[:1], choices[1:], choices),
        }
        for answer in given.get(question.kind, ()):
            said = check(question, answer)
            assert said.right or said.landing or said.wrong, (seed, answer)


def test_who_chooses_the_framed_cell_is_told_that_it_is_stored() -> None:
    question = question_of.__wrapped__(find_lesson("address"), 3, 1)
    assert check(question, [*question.about["at"]]).landing.startswith("This is the cell in the ")
    assert check(question, [3, 0]).landing == "h 3, w 0 is at address 6, the framed cell at 3."
