"""Row-major: how many cells come before this one?"""

from ...engine import parse_layout
from ...engine.model.layout import default_dims
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question
from ..models import column_major, from_one, own_sizes
from ..sums import address_of, filled, named

_TEXT = (
    "The address of a cell is the number of cells stored before it. "
    "In a grid these are h whole rows and w cells of its own row: multiply h by the cells of a "
    "row and add w. Of several grids c, or images n made of grids, whole ones lie before it too."
)


def _ask(draw: Draw, level: int) -> Question:
    shape = draw.small(level + 1)
    layout = parse_layout(default_dims(level + 1), shape)
    at = (draw.between(int(level > 1), shape[0] - 1), *draw.at(shape[1:]))
    right = address_of(layout, at)
    row, plane = shape[-1], shape[-1] * shape[-2]
    what, holds, how = (
        ("row", f"{row} cells", "Multiply the rows before it by the cells of a row, then add w."),
        (
            "grid",
            f"{shape[-2]} rows of {row} cells",
            f"One grid has {plane} cells. Multiply c by that and h by {row}, then add w.",
        ),
        (
            "image",
            f"{shape[1]} grids of {plane} cells",
            f"One image has {shape[1] * plane} cells. "
            f"Multiply n by that, c by {plane} and h by {row}, then add w.",
        ),
    )[level - 1]
    before = f"How many whole {what}s lie before {layout.dims[0].lower()} {at[0]}?"
    return Question(
        unit="address",
        prompt=f"Which address does the cell {named(layout, at)} have?",
        expected=right,
        wrong=(column_major(layout, at), own_sizes(layout, at), from_one(right)),
        hints=(f"One {what} has {holds}. {before}", how),
        explanation=f"Each index times the cells that one step of it skips: {filled(layout, at)}.",
        tensors=(Exhibit(layout, default_dims(level + 1), shows="tensor"),),
        about={"at": at},
    )


LESSON = Lesson("row-major", "From cell to address", 3, _TEXT, _ask)
