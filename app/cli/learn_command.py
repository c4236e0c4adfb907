"""The command ``learn``: a lesson's question in the terminal."""

import math
import re
from secrets import randbelow
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from ..contract.lessons import (
    MOST_SEED,
    CheckedJson,
    LessonAnswer,
    LessonJson,
    LessonTensorJson,
    answer_answer,
    answer_lesson,
    answer_lessons,
)
from ..contract.requests import TensorJson
from ..engine.description.text import LETTERS
from ..engine.model.errors import LayoutError, phrase
from ..engine.model.layout import packed_strides
from ..lessons.lesson import LEVELS, Shows
from ..lessons.sums import times
from . import tables
from .arguments import AsJson, beside, emit, integers, refuse, show
from .pictures import pictures

_MOST_SUM = 2**53 - 1  # as on the page, where every integer up to it is exact
_FACTOR = re.compile(r"\s*-?[0-9]{1,15}\s*")
_ROWS = 24
_SEEDS = 10_000  # that are drawn here: short to type again
_HOW = {
    "number": "a number, or a sum such as 2*4+1",
    "cell": "indices with commas, such as 0,1,2",
    "cells": "addresses with commas",
    "choice": "the number of a choice",
    "several": "numbers of choices with commas, or none",
    "strides": "strides with commas, in the order of the dimensions",
}


def learn(
    lesson: Annotated[
        str | None, Argument(help="A lesson's id; by default all are listed.")
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, max=MOST_SEED, help="Chooses the numbers; default: drawn.")
    ] = None,
    level: Annotated[
        int | None, Option(min=1, max=LEVELS, help="1 is the easiest, and the default.")
    ] = None,
    answer: Annotated[
        str | None, Option(help="Check this answer and ask nothing; 'show' gives up.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict addresses, strides and bytes; a wrong answer is told its cause.

    While it asks, `hint` gives a step of the way and `show` the answer.
    """
    if lesson is None:
        refuse({"seed": seed, "level": level, "answer": answer}, beside("LESSON"))
        listed = answer_lessons()
        show(listed, lambda: [_list(listed["lessons"])], as_json=as_json)
        return
    if seed is None and (as_json or answer is not None):
        raise LayoutError("--seed", None, phrase("seed.given"))
    number = randbelow(_SEEDS) if seed is None else seed
    asked = answer_lesson(lesson, number, level or 1)
    if answer is not None:
        checked = _checked(asked, answer)
        show(checked, lambda: _said(checked), as_json=as_json)
    elif as_json:
        emit(asked)
    else:
        _ask(asked)


def _list(lessons: Any) -> Table:
    rows = ((each["id"], each["title"], str(each["minutes"]), each["chapter"]) for each in lessons)
    return tables.columns("lesson", "title", "minutes", "chapter", right=(2,), rows=rows)


def _ask(asked: LessonJson) -> None:
    screen = tables.console()
    question, hints = asked["question"], list(asked["hints"])
    screen.print(Text(asked["title"], style="bold"))
    screen.print(asked["text"])
    if asked["question"]["memory"] is None:
        _draw(screen, asked["tensors"], asked["shows"], hidden=True)
    screen.print(Text(f"\n{question['prompt']}", style="bold"))
    for i, choice in enumerate(question["choices"] if question["kind"] != "strides" else [], 1):
        screen.print(f"  {i}  {choice}")
    tried = False
    while True:
        text = typer.prompt(f"{_HOW[question['kind']]} (hint, show)").strip()
        if text == "hint":
            no_more = "There are no more hints; show tells the answer."
            screen.print(hints.pop(0) if hints else no_more)
            continue
        try:
            checked = _checked(asked, text)
        except LayoutError as error:
            screen.print(error.message)
            continue
        if checked["right"] or text == "show" or tried:
            break
        tried = True
        wrong = checked["misconception"]
        cause = wrong["text"] if wrong else checked["landing"]
        screen.print(Text(f"Not right yet. {cause} Try once more."))
        if hints and (wrong or question["kind"] != "strides"):
            screen.print(hints.pop(0))
    for part in _said(checked):
        screen.print(part)
    _draw(screen, checked["tensors"], asked["shows"], hidden=False)
    again = f"stridescope learn {asked['id']} --seed {asked['seed']} --level {asked['level']}"
    screen.print(f"\nThe same question again: {again}")


def _draw(
    screen: Console, tensors: list[LessonTensorJson], shown: list[Shows], *, hidden: bool
) -> None:
    """Both grids of each tensor; where ``hidden``, those alone that do not tell the answer."""
    for tensor, shows in zip(tensors, shown, strict=True):
        if shows == "after" or (hidden and shows == "memory_after"):
            continue
        found = TensorJson.model_validate(tensor).parse()
        layout = found.layout
        # In row-major order the number of an element is its address, which may be asked for.
        tells = hidden and shows == "tensor" and layout.strides == packed_strides(layout.shape)
        shared = layout.buffer_elements < layout.elements  # of such elements only one has a number
        if hidden and (shared or (tells and layout.elements > len(LETTERS))):
            screen.print(f"\n{times(layout.shape)}", style="bold")
            continue
        seen = shows if hidden else "both"
        lines = pictures(found, screen, row_elems=None, rows=_ROWS, letters=tells, shows=seen)
        for line in lines:
            screen.print(line, no_wrap=True)


def _checked(asked: LessonJson, text: str) -> CheckedJson:
    request = LessonAnswer(seed=asked["seed"], level=asked["level"], answer=_answer(asked, text))
    return answer_answer(request, asked["id"])


def _answer(asked: LessonJson, text: str) -> Any:
    """What was typed, as the API takes it. Errors: LayoutError naming ``answer``."""
    question = asked["question"]
    if text == "show":
        return None
    if question["kind"] == "number":
        found = _sum(text)
        return _one(integers(text, "answer")) if found is None else found
    if question["kind"] not in {"choice", "several"}:
        return integers(text, "answer")
    choices = question["choices"]
    if text in choices:
        chosen = [text]
    else:
        numbers = [] if text == "none" else integers(text, "answer")
        for i, number in enumerate(numbers):
            if not 1 <= number <= len(choices):
                said = phrase("answer.choice", most=len(choices))
                raise LayoutError(f"answer[{i}]", number, said)
        chosen = [choices[number - 1] for number in numbers]
    return chosen if question["kind"] == "several" else _one(chosen)


def _sum(text: str) -> int | None:
    """The value of a sum of products, by the rule of the page; None for any other text."""
    terms = [re.split("[*·×]", term) for term in text.split("+")]
    if not all(_FACTOR.fullmatch(factor) for term in terms for factor in term):
        return None
    found = sum(math.prod(map(int, term)) for term in terms)
    return found if abs(found) <= _MOST_SUM else None


def _one(entries: list[Any]) -> Any:
    if len(entries) != 1:
        raise LayoutError("answer", entries, phrase("answer.one"))
    return entries[0]


def _said(checked: CheckedJson) -> list[Text]:
    """What a person reads about an answer."""
    wrong, expected = checked["misconception"], checked["expected"]
    shown = str(expected) if isinstance(expected, int | str) else ", ".join(map(str, expected))
    lines = [Text("Right.", style="bold green")] if checked["right"] else []
    if not checked["right"]:
        parts = (checked["landing"], wrong and wrong["text"])
        lines += [Text(part) for part in parts if part]
        lines.append(Text(f"The answer is {shown or 'none'}.", style="bold"))
    return [*lines, Text(checked["explanation"])]
