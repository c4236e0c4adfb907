"""A lesson's question for a seed, and what is said to an answer."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any, Final

from ..engine import KINDS, LayoutError, owners_of, parse_dtype
from ..engine.model.errors import one_of, phrase
from ..engine.model.layout import INT64_MAX
from .draw import Draw
from .lesson import Answer, Lesson, Question, Wrong
from .models import bytes_for_elements
from .sums import address_of, ints, named

_NUMBERS: Final = re.compile(r"\d+")
_MANY: Final = 4096  # entries that an answer may list
_NOTHING: Final = {
    "padding": "Address {address} is padding: no element lies there.",
    "gap": "Address {address} is a gap: no element lies there.",
    "outside": "Address {address} is beyond the memory of this tensor.",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """What is said to an answer.

    ``wrong``: the model that gives the same wrong answer. ``landing``: where a wrong answer leads;
    of one that leads nowhere and that no model gives, how it differs from the right one. ``marks``:
    addresses of the first tensor to draw, right and answered.
    """

    right: bool
    question: Question
    wrong: Wrong | None
    landing: str
    marks: tuple[tuple[int, ...], tuple[int, ...]]


@lru_cache(maxsize=256)
def question_of(lesson: Lesson, seed: int, level: int) -> Question:
    """The question of a lesson for a seed and a level; always the same one.

    Numbers are drawn again where two models agree, because then a right answer would not show the
    right model, nor a wrong one its cause.
    """
    draws = (Draw(f"{lesson.id}/{level}/{seed}/{attempt}") for attempt in count())
    return _with_bytes(next(filter(_tells_apart, (lesson.ask(draw, level) for draw in draws))))


def _with_bytes(question: Question) -> Question:
    """A question for an address also knows the byte, where nothing else computes that."""
    first, right = question.tensors[0], question.expected
    if question.unit != "address" or not isinstance(right, int):
        return question
    byte = bytes_for_elements(right, parse_dtype(first.dtype).bits // 8)
    known = (right, *(wrong.computed for wrong in question.wrong))
    return question if byte.computed in known else replace(question, wrong=(*question.wrong, byte))


def _tells_apart(question: Question) -> bool:
    answers = [question.expected, *(wrong.computed for wrong in question.wrong)]
    if len(set(answers)) < len(answers):
        return False
    if question.kind == "cell" and () in answers:  # a model that names no cell
        return False
    said = {number for hint in question.hints for number in _NUMBERS.findall(hint)}
    return question.kind != "number" or str(question.expected) not in said


def check(question: Question, given: Any) -> Checked:
    """What is said to an answer as JSON has it; None gives up. Errors: LayoutError naming answer.

    The answer of a question of several may be given in any order.
    """
    answer = None if given is None else _read(question, given)
    right = answer == question.expected
    wrong = next((each for each in question.wrong if each.computed == answer), None)
    named_there = _addresses(question, question.expected) or tuple(question.drawn)
    marks = named_there, _addresses(question, answer)
    landing = "" if right or answer is None else _leads(question, answer, marks[1], wrong)
    return Checked(right, question, wrong, landing, marks)


def _read(question: Question, given: Any) -> Answer:
    kind, rank = question.kind, question.tensors[0].layout.rank
    if kind == "number":
        return _integer(given, "answer")
    if kind == "choice":
        return _choice(question, given, "answer")
    if not isinstance(given, list) or len(given) > _MANY:
        raise LayoutError("answer", given, phrase("answer.list", most=_MANY))
    if kind == "several":
        chosen = {_choice(question, each, f"answer[{i}]") for i, each in enumerate(given)}
        return tuple(each for each in question.choices if each in chosen)
    numbers = tuple(_integer(each, f"answer[{i}]") for i, each in enumerate(given))
    if kind == "cells":
        return tuple(sorted(set(numbers)))
    length = len(question.dims) if kind == "strides" else rank
    if len(numbers) != length:
        raise LayoutError("answer", given, phrase("answer.per_dimension", n=length))
    if kind == "cell":
        shape = question.tensors[0].layout.shape
        for d, (index, size) in enumerate(zip(numbers, shape, strict=True)):
            if not 0 <= index < size:
                raise LayoutError(f"answer[{d}]", index, phrase("answer.index", high=size - 1))
    return numbers


def _integer(given: Any, field: str) -> int:
    if type(given) is not int or abs(given) > INT64_MAX:
        raise LayoutError(field, given, phrase("answer.integer"))
    return given


def _choice(question: Question, given: Any, field: str) -> str:
    if not isinstance(given, str) or given not in question.choices:
        raise LayoutError(field, given, one_of(question.choices))
    return given


def _addresses(question: Question, answer: Answer | None) -> tuple[int, ...]:
    """The addresses of the first tensor that an answer names.

    Strides: where the first step along each dimension leads. A byte: the element that it is in.
    """
    if answer is None:
        return ()
    if question.unit == "byte" and isinstance(answer, int):
        return (answer * 8 // parse_dtype(question.tensors[0].dtype).bits,)
    if question.kind == "cell":
        return (address_of(question.tensors[0].layout, ints(answer)),)
    named_there = question.kind in {"cells", "strides"} or question.unit == "address"
    return ints(answer) if named_there else ()


def _leads(question: Question, answer: Answer, at: tuple[int, ...], known: Wrong | None) -> str:
    """What lies at the address that was answered, or the address of the cell."""
    layout, stored = question.tensors[0].layout, question.about.get("at")
    if question.kind == "cell" and answer == stored:
        return "This is the cell in the frame: it is stored already."
    if question.kind == "cell":
        beside = f", the framed cell at {address_of(layout, stored)}" if stored else ""
        return f"{named(layout, ints(answer))} is at address {at[0]}{beside}."
    if question.unit not in {"address", "byte"}:
        return "" if known else _differs(question, answer)
    begin = f"Byte {answer} is in address {at[0]}. " if question.unit == "byte" else ""
    found = owners_of(layout, at)
    kind = KINDS[found.kinds[0]]
    if kind in _NOTHING:
        return begin + _NOTHING[kind].format(address=at[0])
    return f"{begin}Address {at[0]} holds {named(layout, found.coordinates[0].tolist())}."


def _differs(question: Question, answer: Answer) -> str:
    """The step to the first wrong stride; how many marks are wrong; if a number is too large."""
    right = question.expected
    if question.kind == "strides":
        both = zip(question.each, ints(answer), ints(right), strict=True)
        return next(step for step, one, other in both if one != other)
    if isinstance(answer, tuple) and isinstance(right, tuple):
        wrongly, missing = {*answer} - {*right}, {*right} - {*answer}
        return f"Wrongly marked: {len(wrongly)}. Missing: {len(missing)}."
    return f"That is too {'many' if ints(answer) > ints(right) else 'few'}."
