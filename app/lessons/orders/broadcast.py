"""Broadcasting: a stride of 0 repeats what is stored once."""

from dataclasses import replace

from ...engine import Layout, parse_dtype
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import elements_for_bytes, logical_size, row_major
from ..sums import address_of, filled, named, strides_text, times

_TEXT = (
    "A stride of 0 means: one step along this dimension stays at the same address. "
    "So a row that is stored once can serve as every row of a grid. "
    "The grid then has more cells than memory has elements."
)


def _ask(draw: Draw, level: int) -> Question:
    if level == 3:
        return _buffer(draw)
    shape = draw.sizes(level + 1, 2, 6, most=48)
    kept = draw.below(level + 1)
    layout = Layout.strided(shape, [int(d == kept) for d in range(level + 1)])
    at = draw.at(shape)
    letter = layout.dims[kept].lower()
    every = f"That would be its place if every cell were stored. Only those along {letter} are."
    others = " and ".join(d for d in layout.dims.lower() if d != letter)
    return Question(
        unit="address",
        prompt=f"The strides are {strides_text(layout)}. Which address does {named(layout, at)} "
        "have?",
        expected=address_of(layout, at),
        wrong=(
            replace(row_major(layout, at), text=every),
            Wrong(
                "zero_as_one",
                sum(index for d, index in enumerate(at) if d != kept) + at[kept],
                f"You moved along {others} too. A stride of 0 adds nothing, however far you go.",
            ),
        ),
        hints=(
            "Multiply each index by its stride and add.",
            f"Whatever {others} is, 0 times it is 0. Only {letter} moves.",
        ),
        explanation=f"Only {letter} moves: {filled(layout, at)}.",
        tensors=(Exhibit(layout, shows="tensor"),),
        about={"at": at, "strides": layout.strides},
    )


def _buffer(draw: Draw) -> Question:
    dtype = draw.pick(("float16", "float32", "float64"))
    size = parse_dtype(dtype).bits // 8
    shape = (2, *draw.sizes(3, 2, 5, most=40))
    kept = draw.between(1, 3)
    layout = Layout.strided(shape, [int(d == kept) for d in range(4)])
    letter, stored = layout.dims[kept].lower(), shape[kept]
    right = layout.buffer_elements * size
    return Question(
        unit="bytes",
        prompt=f"A {dtype} tensor of {times(shape)} has the strides {strides_text(layout)}. "
        "How many bytes of memory does it need?",
        expected=right,
        wrong=(
            logical_size(layout, size, "Everything else has stride 0 and is stored once."),
            elements_for_bytes(right, size),
            Wrong("nothing_stored", size, f"You kept one element. {letter} has {stored} of them."),
        ),
        hints=(
            "Which is the greatest address that any element has?",
            f"Along {letter} the addresses go from 0 to {stored - 1}. "
            f"One {dtype} takes {size} bytes.",
        ),
        explanation=f"Memory holds {stored} elements, one for each {letter}: {stored} × {size} = "
        f"{right} bytes, for {layout.elements} cells.",
        tensors=(Exhibit(layout, dtype=dtype, shows="tensor"),),
        about={"strides": layout.strides, "dtype": dtype},
    )


LESSON = Lesson("broadcast", "Stride 0: broadcasting", 3, _TEXT, _ask)
