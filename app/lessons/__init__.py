"""Lessons that check themselves: a lesson is one file, and one line of LESSONS.

The engine computes every answer. What is known of HTTP, pages and terminals is elsewhere.
"""

from typing import Final

from ..engine.model.errors import Described, LayoutError, one_of
from ..nearest import nearest
from .blocks import chwn4, nchw4, padding
from .lesson import Lesson
from .orders import broadcast, flip, nhwc, reshape, transpose
from .strides import address, row_major, size_bytes, strides
from .work import cache_lines, channels_last, reorders, windows

LESSONS: Final[tuple[Lesson, ...]] = (
    address.LESSON,
    row_major.LESSON,
    strides.LESSON,
    size_bytes.LESSON,
    nhwc.LESSON,
    broadcast.LESSON,
    transpose.LESSON,
    flip.LESSON,
    reshape.LESSON,
    padding.LESSON,
    nchw4.LESSON,
    chwn4.LESSON,
    windows.LESSON,
    cache_lines.LESSON,
    reorders.LESSON,
    channels_last.LESSON,
)

BY_ID: Final = {lesson.id: lesson for lesson in LESSONS}


def find_lesson(name: str) -> Lesson:
    """The lesson with that id. Errors: LayoutError naming ``id``."""
    found = BY_ID.get(name)
    if found is None:
        got = Described("an id that no lesson has")
        raise LayoutError("id", got, one_of(BY_ID), suggestion=nearest(name, tuple(BY_ID)))
    return found
