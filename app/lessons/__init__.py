"""Lessons that check themselves: a lesson is one file, and one name in CHAPTERS.

The engine computes every answer. What is known of HTTP, pages and terminals is elsewhere.
"""

from dataclasses import replace
from typing import Final

from ..engine.model.errors import Described, LayoutError, one_of
from ..nearest import nearest
from .blocks import chwn4, nchw4, padding
from .lesson import Lesson
from .orders import broadcast, flip, nhwc, reshape, transpose
from .strides import address, row_major, size_bytes, strides
from .work import cache_lines, channels_last, reorders, windows

CHAPTERS: Final = {
    "Addresses and strides": (address, row_major, strides, size_bytes),
    "Orders and views": (nhwc, broadcast, transpose, flip, reshape),
    "Blocks and padding": (padding, nchw4, chwn4),
    "Memory at work": (windows, cache_lines, reorders, channels_last),
}
LESSONS: Final[tuple[Lesson, ...]] = tuple(
    replace(each.LESSON, chapter=name) for name, modules in CHAPTERS.items() for each in modules
)

BY_ID: Final = {lesson.id: lesson for lesson in LESSONS}


def find_lesson(name: str) -> Lesson:
    """The lesson with that id. Errors: LayoutError naming ``id``."""
    found = BY_ID.get(name)
    if found is None:
        got = Described("an id that no lesson has")
        raise LayoutError("id", got, one_of(BY_ID), suggestion=nearest(name, tuple(BY_ID)))
    return found
