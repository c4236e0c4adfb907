"""The question which layout made a picture of memory."""

from collections.abc import Mapping, Sequence

from ..engine import Layout, offset_map, parse_layout
from .lesson import Exhibit, Question, Wrong
from .models import believed
from .sums import times

_LISTED = 14  # numbers of the beginning of memory, more than a block and a row


def numbers_in(layout: Layout) -> list[int | None]:
    """For each address the number of its element in row-major order, None where there is none."""
    found: list[int | None] = [None] * layout.buffer_elements
    for number, address in enumerate(offset_map(layout).ravel().tolist()):
        found[address] = number
    return found


def picture_question(
    text: str,
    shape: Sequence[int],
    mistaken: Mapping[str, tuple[str, str]],
    hints: Sequence[str],
    said: str,
) -> Question:
    """Ask for the layout ``text`` of a picture.

    ``mistaken``: the other layouts to choose from, each with its misconception's code and text.
    """
    layout = parse_layout(text, shape, "NCHW")
    wrong = [
        Wrong(code, order, why, believed(layout, order)) for order, (code, why) in mistaken.items()
    ]
    begin = numbers_in(layout)[:_LISTED]
    listed = ", ".join("padding" if n is None else str(n) for n in begin)
    return Question(
        kind="choice",
        prompt=f"The elements of n, c, h, w = {times(shape)} are numbered row by row. Memory holds "
        f"{listed}, … Which layout is this?",
        expected=text,
        wrong=wrong,
        hints=hints,
        explanation=said,
        tensors=(Exhibit(layout, text, shows="memory", secret=True),),
        choices=sorted({text, *mistaken}),
        about={"memory": begin},
    )
