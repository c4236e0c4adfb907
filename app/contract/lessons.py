"""Lessons as JSON: the list, a lesson with its question, and what is said to an answer."""

from typing import Annotated, Any, Final, TypedDict

from pydantic import ConfigDict, Field, WithJsonSchema

from ..engine.model.layout import INT64_MAX
from ..lessons import LESSONS, find_lesson
from ..lessons.asking import check, question_of
from ..lessons.lesson import LEVELS, Exhibit, Kind, Shows, Unit
from ..lessons.pictures import numbers_in
from .fields import Strict
from .shapes import told

MOST_SEED: Final = 2**53 - 1  # what every reader of JSON keeps exactly
_EXAMPLES: Final[list[Any]] = [
    {"seed": 7, "level": 2, "answer": 30},
    {"seed": 7, "level": 2, "answer": None},
]
_INTEGER: Final = {"type": "integer", "minimum": -INT64_MAX, "maximum": INT64_MAX}
_ANSWER: Final[dict[str, Any]] = {
    "title": "Answer",
    "description": "An integer, text or a list of them, as the kind of the question has it; "
    "null gives up and is told the answer.",
    "anyOf": [
        _INTEGER,
        {"type": "string"},
        {"type": "array", "items": {"anyOf": [_INTEGER, {"type": "string"}]}},
        {"type": "null"},
    ],
}


class LessonAnswer(Strict):
    """An answer to the question of a lesson for a seed and a level."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})

    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    level: Annotated[int, Field(ge=1, le=LEVELS)] = 1
    answer: Annotated[Any, WithJsonSchema(_ANSWER)]


class LessonSummaryJson(TypedDict):
    """One lesson of the list. ``minutes``: about how long it takes."""

    id: str
    chapter: str
    title: str
    minutes: int


class LessonsJson(TypedDict):
    """The lessons in their order. ``levels``: of each lesson, 1 the easiest."""

    lessons: list[LessonSummaryJson]
    levels: int


class LessonTensorJson(TypedDict):
    """A tensor that a question is about, as /describe takes it.

    ``layout``: null where it would tell the answer, until there is one.
    """

    shape: tuple[int, ...]
    layout: Any
    dtype: str
    dims: str


class QuestionJson(TypedDict):
    """A question.

    ``kind``: what the answer is. number, an integer; cell, a coordinate of the first tensor; cells,
    a list of its addresses; choice, one of choices; several, a list of some of them; strides, a
    list with one of them, as an integer, for each of dims. ``choices``: empty where there are none.
    ``unit``: of a number. ``line``: elements of a cache line, where lines are asked for. ``at``:
    the cell of the first tensor that is asked about, if one is. ``memory``: where its layout is
    asked for, for each address the number of the element there, in row-major order; null where
    there is none.
    """

    kind: Kind
    prompt: str
    choices: list[str]
    dims: str
    unit: Unit | None
    line: int | None
    at: list[int] | None
    memory: list[int | None] | None


class LessonJson(LessonSummaryJson):
    """A lesson with the question of a seed and a level: the same one whenever it is asked.

    ``text``: the idea, in at most three sentences. ``shows``: the grids of each tensor that a page
    draws before the answer; after: none, and then the first tensor or a view of its memory;
    memory_after: none, and then its memory.
    ``hints``: the steps of the formula, without the answer.
    """

    seed: int
    level: int
    text: str
    tensors: list[LessonTensorJson]
    shows: list[Shows]
    question: QuestionJson
    hints: list[str]


class MisconceptionJson(TypedDict):
    """The wrong model of memory that leads to an answer. ``computed``: what it computes.

    ``believed``: the first tensor as the model has it, where it takes another layout for its own.
    """

    code: str
    text: str
    computed: Any
    believed: LessonTensorJson | None


class MarksJson(TypedDict):
    """Addresses of the first tensor; of strides, where the first step along each dimension leads.

    ``right``: those of the right answer. ``given``: those of the one that was given.
    """

    right: list[int]
    given: list[int]


class CheckedJson(TypedDict):
    """What is said to an answer.

    ``misconception``: null for a right answer, and where no known model leads to a wrong one.
    ``explanation``: the way to the right answer, with the numbers of the question. ``landing``:
    what lies at the address that was answered wrongly, or where the cell lies; of another answer
    that no model gives, a hint on what is wrong. ``tensors``: those of the question, with layouts.
    """

    right: bool
    expected: Any
    misconception: MisconceptionJson | None
    explanation: str
    landing: str | None
    marks: MarksJson
    tensors: list[LessonTensorJson]


def answer_lessons() -> LessonsJson:
    """The lessons in their order, with their chapters."""
    return {"lessons": [told(LessonSummaryJson, each) for each in LESSONS], "levels": LEVELS}


def answer_lesson(name: str, seed: int, level: int) -> LessonJson:
    """A lesson with its question for a seed and a level. Errors: LayoutError naming ``id``."""
    lesson = find_lesson(name)
    question = question_of(lesson, seed, level)
    first = question.tensors[0]
    memory = numbers_in(first.layout) if first.secret else None
    return told(
        LessonJson,
        lesson,
        seed=seed,
        level=level,
        tensors=[_asked(each) for each in question.tensors],
        shows=[each.shows for each in question.tensors],
        question=told(QuestionJson, question, at=question.about.get("at"), memory=memory),
        hints=question.hints,
    )


def answer_answer(request: LessonAnswer, lesson: str) -> CheckedJson:
    """Check an answer with the engine. A wrong one is told its cause, where it is a known one."""
    found = check(question_of(find_lesson(lesson), request.seed, request.level), request.answer)
    wrong, (right, given) = found.wrong, found.marks
    return {
        "right": found.right,
        "expected": found.question.expected,
        "misconception": None
        if wrong is None
        else told(MisconceptionJson, wrong, believed=wrong.believed and _tensor(wrong.believed)),
        "explanation": found.question.explanation,
        "landing": found.landing or None,
        "marks": {"right": list(right), "given": list(given)},
        "tensors": [_tensor(each) for each in found.question.tensors],
    }


def _tensor(shown: Exhibit) -> LessonTensorJson:
    layout = shown.layout
    strided = {"strides": layout.strides, "offset": layout.offset}
    return told(LessonTensorJson, layout, layout=shown.text or strided, dtype=shown.dtype)


def _asked(shown: Exhibit) -> LessonTensorJson:
    """A tensor before the answer."""
    told = _tensor(shown)
    return {**told, "layout": None} if shown.secret or "after" in shown.shows else told
