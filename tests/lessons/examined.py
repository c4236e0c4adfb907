"""Many seeds of one lesson and level, each compared with brute force.

``python -m tests.lessons.examined 10000`` does it for every lesson and prints a table; ids after
the number choose some of them.
"""

import re
import sys
from collections import Counter

from app.lessons import LESSONS, find_lesson
from app.lessons.asking import check, question_of
from app.lessons.lesson import KINDS, LEVELS, Answer, Lesson, Question

from .brute import BRUTE


def examined(lesson: Lesson, level: int, seeds: range) -> Counter[str]:
    """How often each misconception was met. Errors: AssertionError with the seed."""
    met: Counter[str] = Counter()
    for seed in seeds:
        question = question_of.__wrapped__(lesson, seed, level)
        where = (lesson.id, level, seed)
        assert question.expected == BRUTE[lesson.id][level - 1](question), where
        assert question.kind in KINDS, where
        assert len(question.hints) == 2, where
        answers = [question.expected, *(wrong.computed for wrong in question.wrong)]
        assert len(set(answers)) == len(answers) >= 3, where
        assert check(question, as_json(question.expected)).right, where
        for wrong in question.wrong:
            said = check(question, as_json(wrong.computed))
            assert (said.right, said.wrong) == (False, wrong), where
        assert not given_away(question), where
        met.update(wrong.code for wrong in question.wrong)
    assert met.keys() <= set(lesson.misconceptions.split()), lesson.id
    return met


def as_json(answer: Answer) -> object:
    """An answer as a request gives it."""
    return list(answer) if isinstance(answer, tuple) else answer


def given_away(question: Question) -> bool:
    """Whether a hint names the number, or the choice, that is asked for."""
    hints = " ".join(question.hints)
    if question.kind == "number":
        return str(question.expected) in re.findall(r"\d+", hints)
    return question.kind == "choice" and str(question.expected) in re.findall(r"\w+", hints)


def main(count: int, ids: list[str]) -> None:
    """Lessons, by default all, at all levels; every misconception of a lesson is met."""
    for lesson in map(find_lesson, ids) if ids else LESSONS:
        met: Counter[str] = Counter()
        for level in range(1, LEVELS + 1):
            met += examined(lesson, level, range(count))
        assert met.keys() == set(lesson.misconceptions.split()), lesson.id
        sys.stdout.write(f"{lesson.id:14}{LEVELS * count:8,} questions  {dict(met)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
