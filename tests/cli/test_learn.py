"""``stridescope learn``: the list, a question with hints, answers in each form, refusals."""

import json

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.contract.lessons import answer_lesson
from app.lessons import LESSONS
from tests.cli.conftest import Run, refused


def said(*typed: str, lesson: str, level: int = 1, seed: int = 7) -> str:
    """What the program prints while these lines are typed."""
    arguments = ["learn", lesson, "--seed", str(seed), "--level", str(level)]
    done = CliRunner().invoke(app, arguments, input="\n".join(typed) + "\n")
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_the_lessons_are_listed(run: Run) -> None:
    assert all(each.id in run("learn").stdout for each in LESSONS)
    assert len(json.loads(run("learn", "--json").stdout)["lessons"]) == 16


def test_a_question_with_hints_and_a_wrong_answer() -> None:
    output = said("hint", "hint", "hint", "what", "22", "22", lesson="nchw4", level=2)
    before, after = output.split("The answer is 19")
    for words in (
        "What are ⌊c/4⌋, the block of c 3, and c mod 4?",
        "There are no more hints",
        "expected integers",
    ):
        assert words in before
    assert "22 is its address in NCHW" in output
    assert ("memory," in before, "memory," in after) == (False, True)
    assert "stridescope learn nchw4 --seed 7 --level 2" in after


def test_the_first_wrong_answer_has_a_hint_and_a_second_try() -> None:
    asked = answer_lesson("nchw4", 7, 2)
    first, second = asked["hints"]
    output = said("22", "19", lesson="nchw4", level=2)
    cause = "22 is its address in NCHW. In NCHW4 the neighbours in memory are four channels"
    assert f"Not right yet. {cause} of one pixel. Try once more. {first}" in output
    assert second not in output
    assert "Right." in output
    assert "The answer is" not in output
    output = said("hint", "22", "20", lesson="nchw4", level=2)
    assert output.index(first) < output.index("Not right yet.") < output.index(second)
    assert output.index(second) < output.index("The answer is 19")
    assert output.index("22 is its address in NCHW") < output.index("Try once more.")


@pytest.mark.parametrize(
    ("lesson", "level"),
    [("nchw4", 2), ("address", 1), ("strides", 2), ("nhwc", 3), ("reshape", 1), ("windows", 1)],
)
def test_show_tells_what_is_then_right(run: Run, lesson: str, level: int) -> None:
    """An answer of each kind: number, cell, list, choice, several, cells."""
    fixed = ("learn", lesson, "--seed", "5", "--level", str(level))
    told = json.loads(run(*fixed, "--answer", "show", "--json").stdout)["expected"]
    shown = ", ".join(map(str, told)) if isinstance(told, list) else str(told)
    given_up = " ".join(run(*fixed, "--answer", "show").stdout.split())
    assert f"The answer is {shown or 'none'}." in given_up
    kind = answer_lesson(lesson, 5, level)["question"]["kind"]
    typed = str(told)
    if isinstance(told, list):
        choices = answer_lesson(lesson, 5, level)["question"]["choices"]
        numbers = [choices.index(each) + 1 for each in told] if kind == "several" else told
        typed = ",".join(map(str, numbers))
    assert "Right." in run(*fixed, "--answer", typed).stdout


@pytest.mark.parametrize("typed", ["19", " 19 ", "3+2*8", "2 · 8 + 3×1", "-1*5+24"])
def test_a_number_may_be_a_sum_of_products_as_on_the_page(run: Run, typed: str) -> None:
    fixed = ("learn", "nchw4", "--seed", "7", "--level", "2", "--answer")
    assert "Right." in run(*fixed, typed).stdout


@pytest.mark.parametrize("typed", ["19+", "2**3", "(1+2)*3", "1e3", "19.0", "999999999*999999999"])
def test_other_texts_are_refused_as_before(run: Run, typed: str) -> None:
    fixed = ("learn", "nchw4", "--seed", "7", "--level", "2", "--answer")
    assert refused(run(*fixed, typed)).startswith("stridescope: answer:")


def test_a_choice_is_its_number_or_its_text() -> None:
    assert "Right." in said("NWHC", lesson="nhwc", level=3)
    assert "Right." in said("4", lesson="nhwc", level=3)
    assert "from 1 to 4" in said("9", "4", lesson="nhwc", level=3)
    assert "expected one answer" in said("1,2", "4", lesson="nhwc", level=3)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("nchw5", "id"),
        ("--seed 3", "--seed"),
        ("nchw4 --json", "--seed"),
        ("nchw4 --answer 3", "--seed"),
        ("nchw4 --seed 1 --answer 1,2", "answer"),
    ],
)
def test_refusals_name_the_field(run: Run, typed: str, field: str) -> None:
    message = refused(run("learn", *typed.split()))
    assert message.startswith(f"stridescope: {field}:")


def test_no_number_that_helps_is_drawn_before_the_answer() -> None:
    before, after = said("show", lesson="row-major").split("a number")
    assert " A B" in before
    assert "00 01" not in before
    assert "00 01" in after
    assert "00 01" not in said("show", lesson="row-major", level=3).split("a number")[0]
    before, after = said("show", lesson="broadcast").split("The answer is")
    assert "logical" not in before  # elements share a place
    assert "logical" in after
