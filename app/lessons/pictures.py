"""The question which layout made a picture of memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import Layout, offset_map, parse_layout
from .lesson import Exhibit, Question, Wrong

_LISTED = 14  # numbers of the beginning of memory, more than a block and a row


def numbers_in(layout: Layout) -> list[int | None]:
    """For each address the number of its element in row-major order, None where there is none."""
    found: list[int | None] = [None] * layout.buffer_elements
    for number, address in enumerate(offset_map(layout).ravel().tolist()):
        found[address] = number
    return found


def picture_question(
    text: str, shape: Sequence[int], wrong: Sequence[Wrong], hints: Sequence[str], said: str
) -> Question:
    """Ask for the layout ``text`` of a picture; the choices are it and what ``wrong`` computes."""
    layout = parse_layout(text, shape, "NCHW")
    begin = numbers_in(layout)[:_LISTED]
    listed = ", ".join("padding" if n is None else str(n) for n in begin)
    choices = sorted({text, *(str(each.computed) for each in wrong)})
    sizes = " × ".join(map(str, shape))
    return Question(
        kind="choice",
        prompt=f"The elements of n, c, h, w = {sizes} are numbered row by row. Memory holds "
        f"{listed}, … Which layout is this?",
        expected=text,
        wrong=wrong,
        hints=hints,
        explanation=said,
        tensors=(Exhibit(layout, text, shows="memory"),),
        choices=choices,
        about={"memory": begin},
    )
