"""Negative strides: a view that goes backwards starts at the end."""

from ...engine import index_expression, parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import address_of, filled, named

_TEXT = (
    "x[::-1] shows the rows of x from the last to the first, x[::-2] every second of them; "
    "after a comma stand the columns, and a single colon takes all. "
    "Such a view has a negative stride, and its offset is the address of its first cell: "
    "for x[::-1] the beginning of the last row. "
    "An address is the offset plus each index times its stride."
)


def _ask(draw: Draw, level: int) -> Question:
    shape = draw.sizes(2, 3, 7, most=42)
    layout = parse_layout("HW", shape)
    steps = {
        1: ((-1, 1), (1, -1)),
        2: ((-1, -1), (-1, 2), (2, -1)),
        3: ((-2, 2), (-2, -1), (2, -2), (-1, -2)),
    }[level]
    step = draw.pick(steps)
    text = ", ".join("::" + str(s) if s != 1 else ":" for s in step)
    view = index_expression(layout, text).view()
    assert view is not None
    at = draw.at(view.shape)
    right = address_of(view, at)
    strides = view.strides or ()
    forwards = sum(i * abs(s) for i, s in zip(at, strides, strict=True))
    beyond = sum(
        n * own for n, own, s in zip(shape, layout.strides or (), step, strict=True) if s < 0
    )
    far = beyond + sum(i * s for i, s in zip(at, strides, strict=True))
    steps_of_one = view.offset + sum(
        i * (s // abs(by)) for i, s, by in zip(at, strides, step, strict=True)
    )
    sizes, starts = zip(
        *((n, n - 1 if s < 0 else 0) for n, s in zip(shape, step, strict=True)), strict=True
    )
    back = " and ".join(d for d, s in zip("hw", step, strict=True) if s < 0)
    wrong = []
    if 2 in map(abs, step):
        said = "You went on one by one. A step of two takes every second, also backwards."
        wrong.append(Wrong("step_forgotten", steps_of_one, said))
    if max(step) > 0:
        said = f"You began at the last cell of x. Only along {back} does y begin at the end."
        wrong.append(Wrong("last_cell", right - view.offset + layout.elements - 1, said))
    return Question(
        unit="address",
        prompt=f"x is {sizes[0]} × {sizes[1]}, row by row. y = x[{text}]. "
        f"Which address does y's cell {named(view, at)} have?",
        expected=right,
        wrong=(
            *wrong,
            Wrong(
                "from_the_start",
                forwards,
                f"You went forwards from address 0. Along {back} the view begins at the other end.",
            ),
            Wrong(
                "size_not_last", far, "You began one too far. The last index is the size less one."
            ),
        ),
        hints=(
            f"Where in x is y's cell h 0, w 0? Along {back} it is at the end.",
            f"That cell of x is h {starts[0]}, w {starts[1]}. From there y goes by the strides "
            f"h {strides[0]}, w {strides[1]}.",
        ),
        explanation=f"y begins at address {view.offset}: {filled(view, at)}.",
        tensors=(Exhibit(layout, "HW", shows="tensor"), Exhibit(view, shows="after")),
        about={"index": text, "seen_at": at},
    )


LESSON = Lesson("flip", "Negative strides", 3, _TEXT, _ask)
