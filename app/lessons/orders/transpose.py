"""Transposed views: strides change places, elements stay."""

from ...engine import parse_layout
from ...engine.model.layout import default_dims, packed_strides
from ...engine.notation.view_steps import permute
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import ints, strides_text

_TEXT = (
    "A view reads the same memory in another way: transposing, x.T, moves nothing, and each "
    "dimension takes its stride along to its new position. "
    "permute(2, 0, 1) puts the old dimension 2 first, then 0, then 1. "
    "In reading order such a view jumps in memory: it is not contiguous."
)


def _ask(draw: Draw, level: int) -> Question:
    rank = level + 1
    text = "NHWC" if level == 3 and draw.below(2) else default_dims(rank)
    shape = draw.small(rank)
    layout = parse_layout(text, shape, default_dims(rank))
    order = draw.shuffled(range(rank))
    seen = permute(layout, order)
    old, right = layout.strides or (), seen.strides or ()
    wrong = [
        Wrong(
            "moves_data",
            packed_strides(seen.shape),
            f"Those are the strides of a copy of shape {seen.shape}. A view moves no element.",
        ),
        Wrong(
            "unchanged",
            old,
            "Those are the strides before. Each stride goes along with its dimension.",
        ),
    ]
    if level > 1:
        back = tuple(old[order.index(d)] for d in range(rank))
        said = (
            "You permuted the other way round: the first entry says what comes first in the view."
        )
        wrong.append(Wrong("inverse", back, said))
    numbers = {n for strides in (right, *(each.computed for each in wrong)) for n in ints(strides)}
    how = "x.T" if level == 1 else f"x.permute{order}"
    first = seen.dims[0].lower()
    return Question(
        kind="strides",
        prompt=f"x has shape {shape} and strides {old}. Which strides does y = {how} have?",
        expected=right,
        wrong=wrong,
        hints=(
            f"The first dimension of y is {first}, and its shape is {seen.shape}.",
            f"How far apart in memory are neighbours along {first}? The memory is still that of x.",
        ),
        each=[
            f"Dimension {d} of y is {dim} of x, and keeps its stride."
            for d, dim in enumerate(seen.dims.lower())
        ],
        explanation=f"Each dimension keeps its stride: {strides_text(seen)}.",
        tensors=(
            Exhibit(layout, text, shows="both" if level == 1 else "tensor"),
            Exhibit(seen, shows="after"),
        ),
        choices=tuple(map(str, sorted(numbers))),
        dims="0123"[:rank],
        about={"order": order},
    )


LESSON = Lesson("transpose", "Views: transpose and permute", 3, _TEXT, _ask)
