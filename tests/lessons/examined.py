"""Many seeds of one lesson and level, each compared with brute force.

``python -m tests.lessons.examined 10000`` does it for every lesson and prints a table; ids after
the number choose some of them.
"""

import re
import sys
from collections import Counter
from typing import Final

from app.lessons import LESSONS, find_lesson
from app.lessons.asking import check, question_of
from app.lessons.lesson import KINDS, LEVELS, Answer, Lesson, Question
from app.lessons.sums import ints, named

from .brute import BRUTE

# The codes of the wrong models that the questions of each lesson know.
_KNOWN: Final = """
address: same_row straight_down same_place same_plane column_major from_one
row-major: column_major size_for_stride from_one bytes_for_elements
strides: reversed size_for_stride row_major
bytes: elements_for_bytes bits_for_bytes bytes_for_elements mixed_units logical_size last_gap
nhwc: row_major pixel_for_element strides_swapped bytes_for_elements reversed swapped
nhwc: channels_innermost images_innermost
broadcast: row_major zero_as_one logical_size elements_for_bytes nothing_stored bytes_for_elements
transpose: moves_data unchanged inverse
flip: from_the_start size_not_last step_forgotten last_cell bytes_for_elements
reshape: always must_be_contiguous transposed
padding: padding_forgotten size_for_stride from_one logical_size rounded_down elements_for_bytes
padding: bytes_for_elements
nchw4: row_major all_channels block_exchanged pixel_for_element padding_forgotten
nchw4: bytes_for_elements
chwn4: block_forgotten all_channels n_outermost n_innermost no_block row_major block_exchanged
chwn4: from_one bytes_for_elements
windows: end_included step_forgotten end_for_count size_for_end from_the_start offset_alone
cache-lines: line_each side_by_side elements_for_bytes
reorders: stays backwards all_channels padding_forgotten read_alone written_alone
reorders: elements_for_bytes bytes_for_elements
channels-last: shape_decides pooling new_tensor every_reshape contiguous_wins lost_before
channels-last: one_format_each not_contiguous
"""
MISCONCEPTIONS: Final[dict[str, set[str]]] = {}
for lesson_id, codes in (line.split(":") for line in _KNOWN.strip().splitlines()):
    MISCONCEPTIONS.setdefault(lesson_id, set()).update(codes.split())


def examined(lesson: Lesson, level: int, seeds: range) -> Counter[str]:
    """How often each misconception was met. Errors: AssertionError with the seed."""
    met: Counter[str] = Counter()
    for seed in seeds:
        question = question_of.__wrapped__(lesson, seed, level)
        where = (lesson.id, level, seed)
        assert question.expected == BRUTE[lesson.id][level - 1](question), where
        assert question.kind in KINDS, where
        assert question.expected != (), where  # the page wants at least one mark
        assert len(question.hints) == 2, where
        assert all(shown.layout.buffer_elements <= 192 for shown in question.tensors), where
        answers = [question.expected, *(wrong.computed for wrong in question.wrong)]
        assert len(set(answers)) == len(answers) >= 3, where
        assert check(question, as_json(question.expected)).right, where
        for wrong in question.wrong:
            found = check(question, as_json(wrong.computed))
            assert (found.right, found.wrong) == (False, wrong), where
        # A cause is said to the first wrong answer, before the second try.
        for said in (" ".join(question.hints), *(wrong.text for wrong in question.wrong)):
            assert not told(question, said), (where, said)
        met.update(wrong.code for wrong in question.wrong)
    assert met.keys() <= MISCONCEPTIONS[lesson.id], lesson.id
    return met


def as_json(answer: Answer) -> object:
    """An answer as a request gives it."""
    return list(answer) if isinstance(answer, tuple) else answer


def told(question: Question, words: str) -> bool:
    """Whether hints have the answer; of a cell, with only its indices that are not 0."""
    if question.kind == "number":
        return str(question.expected) in re.findall(r"\d+", words)
    if question.kind == "cell":
        layout, cell = question.tensors[0].layout, ints(question.expected)
        parts = zip(named(layout, cell).split(", "), cell, strict=True)
        return all(re.search(rf"\b{part}\b", words) for part, index in parts if index)
    entries = question.expected if isinstance(question.expected, tuple) else (question.expected,)
    if question.kind == "cells" and len(entries) == 1:  # an address, where hints have indices
        return False
    return bool(entries) and ", ".join(map(str, entries)) in words


def main(count: int, ids: list[str]) -> None:
    """Lessons, by default all, at all levels; every misconception of a lesson is met."""
    for lesson in map(find_lesson, ids) if ids else LESSONS:
        met: Counter[str] = Counter()
        for level in range(1, LEVELS + 1):
            met += examined(lesson, level, range(count))
        assert met.keys() == MISCONCEPTIONS[lesson.id], lesson.id
        sys.stdout.write(f"{lesson.id:14}{LEVELS * count:8,} questions  {dict(met)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
