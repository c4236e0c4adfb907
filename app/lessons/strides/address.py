"""Memory is one row of places: which cell comes next?"""

from ...engine import parse_layout
from ...engine.model.layout import default_dims
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import address_of, cell_at, named

_TEXT = (
    "Memory is one long row of places, numbered 0, 1, 2 and so on; the number of a place is its "
    "address. A tensor is a grid of cells, in rows h and columns w. "
    "Here it is stored row after row; of several grids c, grid after grid."
)


def _ask(draw: Draw, level: int) -> Question:
    shape = draw.sizes(3 if level == 2 else 2, 2, 5, most=40)
    layout = parse_layout(default_dims(len(shape)), shape)
    shown = (Exhibit(layout, default_dims(len(shape)), shows="tensor"),)
    rows, columns = shape[-2:]
    if level == 3:
        right = draw.between(columns, layout.elements - 2)
        cell = cell_at(layout, right)
        columns_first = "You went down the columns. This grid is stored row after row."
        one_less = f"You counted from 1. Address 0 is the first cell, so {right} are before it."
        wrong = (
            Wrong("column_major", (right % rows, right // rows), columns_first),
            Wrong("from_one", cell_at(layout, right - 1), one_less),
        )
        return Question(
            kind="cell",
            prompt=f"Which cell lies at address {right}?",
            expected=cell,
            wrong=wrong,
            hints=(
                f"A row has {columns} cells. How many whole rows lie before address {right}?",
                f"Take away {columns} as often as you can. How often is h, what is left is w.",
            ),
            explanation=f"{right - cell[1]} cells lie before row h {cell[0]}: it begins at address "
            f"{right - cell[1]}. Its cell w {cell[1]} is at address {right}.",
            tensors=shown,
            about={"address": right},
        )
    outer = draw.below(shape[0] - 1) if level == 2 else 0
    last = rows - 1 if level == 2 else draw.below(rows - 1)
    here = (outer, last, columns - 1)[-len(shape) :]
    following = cell_at(layout, address_of(layout, here) + 1)
    same_row = "That is the beginning of the same row, which is stored already."
    next_grid = "That is the same place of the next grid. Each grid begins at h 0, w 0."
    again = "You began the same grid again. All of its rows are stored already."
    models = [Wrong("same_row", (*here[:-1], 0), same_row)]
    if level == 1:
        models.append(Wrong("straight_down", (last + 1, columns - 1), "You went down one row."))
    else:
        models.append(Wrong("same_place", (outer + 1, last, columns - 1), next_grid))
        models.append(Wrong("same_plane", (outer, 0, 0), again))
    return Question(
        kind="cell",
        prompt=f"The cell {named(layout, here)} is stored. Which cell comes next in memory?",
        expected=following,
        wrong=models,
        hints=(
            f"w goes from 0 to {columns - 1}. Is there a cell to the right of this one?",
            "Read the cells as you read a text: at the end of a line, where do your eyes go?"
            if level == 1
            else f"This is the last row of the grid c {outer}. What comes after the whole grid?",
        ),
        explanation=(
            f"The stored cell, {named(layout, here)}, is at address {address_of(layout, here)}, "
            f"the end of {'a row' if level == 1 else f'the grid c {outer}'}. The next cell, "
            f"{named(layout, following)}, is at address {address_of(layout, following)}."
        ),
        tensors=shown,
        about={"at": here},
    )


LESSON = Lesson("address", "What is an address?", 2, _TEXT, _ask)
