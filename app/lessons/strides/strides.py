"""Strides: how far apart in memory are neighbours along each dimension?"""

from math import prod

from ...engine import parse_layout
from ...engine.model.layout import packed_strides
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import believed
from ..sums import ints, times

_TEXT = (
    "The stride of a dimension is the distance in memory from one cell to its neighbour along it. "
    "The letters of a layout go from the outermost dimension to the innermost: the last one has "
    "stride 1. Any other stride is the product of the sizes of the letters after it."
)
_NAMES = ("CHW", "HWC WHC CWH WCH", "NHWC CHWN NCWH HWCN")


def _ask(draw: Draw, level: int) -> Question:
    text = draw.pick(_NAMES[level - 1].split())
    shape = draw.small(len(text))
    layout = parse_layout(text, shape)
    dims, right = layout.dims, layout.strides or ()
    written = [shape[dims.index(letter)] for letter in text]
    first = packed_strides(written[::-1])[::-1]
    wrong = [
        Wrong(
            "reversed",
            tuple(first[text.index(letter)] for letter in dims),
            f"You gave stride 1 to {text[0].lower()}, the first letter. It belongs to the last.",
            believed(layout, text[::-1]),
        ),
        Wrong(
            "size_for_stride",
            shape,
            "These are the sizes. A stride is the product of the sizes inside the dimension.",
        ),
    ]
    if level > 1:
        said = f"These are the strides of {dims}. The layout is {text}: read its letters."
        wrong.append(Wrong("row_major", packed_strides(shape), said, believed(layout, dims)))
    strides = sorted(
        {n for each in (right, *(model.computed for model in wrong)) for n in ints(each)}
    )
    inner, beside, size = text[-1].lower(), text[-2].lower(), written[-1]
    products = [f"{inner} = 1", f"{beside} = {size} (size of {inner})"]
    steps = {
        inner: f"The last letter of {text} is {inner}: its neighbours touch.",
        beside: f"One step along {beside} skips all of {inner}, and {inner} has size {size}.",
    }
    for d in range(len(text) - 3, -1, -1):
        letter, inside = text[d].lower(), written[d + 1 :]
        products.append(f"{letter} = {'·'.join(map(str, inside))} = {prod(inside)}")
        skipped = ", ".join(text[d + 1 :].lower())
        steps[letter] = f"One step along {letter} skips all of {skipped}: multiply their sizes."
    return Question(
        kind="strides",
        prompt=f"A tensor has {', '.join(dims.lower())} = {times(shape)}. "
        f"Which strides does it have in {text}?",
        expected=right,
        wrong=wrong,
        hints=(steps[inner], steps[beside]),
        each=[steps[letter] for letter in dims.lower()],
        explanation=f"From the last letter of {text} to the first: {'; '.join(products)}. "
        "Along each, the neighbour of the first cell is marked.",
        tensors=(Exhibit(layout, text, shows="tensor"),),
        choices=tuple(map(str, strides)),
        dims=dims,
        about={"layout": text},
    )


LESSON = Lesson("strides", "Strides", 3, _TEXT, _ask)
