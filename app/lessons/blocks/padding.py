"""Padding and gaps: places in memory that belong to no element."""

from dataclasses import replace

from ...engine import Layout, parse_dtype, parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import elements_for_bytes, from_one, logical_size, own_sizes, row_major
from ..sums import address_of, filled, named, times

_TEXT = (
    "Memory may hold more places than the tensor has elements. "
    "A gap can follow each row, so that the next one begins where the processor loads it fast, at "
    "a multiple of 16 for example; real systems also say row padding. "
    "Padding makes the last block whole, where a dimension is stored in blocks."
)


def _ask(draw: Draw, level: int) -> Question:
    if level > 1:
        return _blocks(draw, level)
    shape = draw.sizes(2, 3, 6)
    row = shape[1] + draw.between(1, 3)
    layout = Layout.strided(shape, (row, 1))
    at = draw.at(shape)
    right = address_of(layout, at)
    said = f"You skipped only the {shape[1]} elements of each row. Rows lie {row} apart."
    return Question(
        unit="address",
        prompt=f"Rows of {shape[1]} begin {row} places apart, with gaps between. "
        f"Which address does {named(layout, at)} have?",
        expected=right,
        wrong=(
            replace(row_major(layout, at), code="padding_forgotten", text=said),
            own_sizes(layout, at),
            from_one(right),
        ),
        hints=(
            f"Rows lie {row} places apart. Where does row h {at[0]} begin?",
            "From the beginning of its row it is w places further.",
        ),
        explanation=f"h times {row}, a row with its gap, plus w: {filled(layout, at)}.",
        tensors=(Exhibit(layout, shows="tensor"),),
        about={"at": at},
    )


def _blocks(draw: Draw, level: int) -> Question:
    block = draw.pick((4, 8)) if level == 3 else 4
    full = draw.between(1, 2) if block == 4 else 0
    channels = block * full + draw.between(1 if full else 2, block - 1)
    shape = (draw.between(1, 2) if channels < 7 else 1, channels, *draw.sizes(2, 2, 3))
    text = f"NCHW{block}"
    layout = parse_layout(text, shape)
    dtype = draw.pick(("float16", "float32")) if level == 3 else "float32"
    size = parse_dtype(dtype).bits // 8 if level == 3 else 1
    blocks, whole = layout.padded_shape[1] // block, channels // block
    pixels = shape[0] * shape[2] * shape[3]
    right = layout.buffer_elements * size
    places = f"{blocks * block} places"
    partly = f"The last block is not full, but it is stored whole: each pixel takes {places}."
    wrong = [logical_size(layout, size, partly)]
    if whole:
        said = f"You counted full blocks alone, {whole} of them. {partly}"
        wrong.append(Wrong("rounded_down", pixels * whole * block * size, said))
    unit = f" × {size} bytes" if size > 1 else ""
    if size > 1:
        wrong.append(elements_for_bytes(right, size))
    return Question(
        unit="bytes" if size > 1 else "elements",
        prompt=f"How many {'bytes' if size > 1 else 'places'} of memory does {times(shape)} take "
        f"in {text}{f', as {dtype}' if size > 1 else ''}? C lies in blocks of {block}.",
        expected=right,
        wrong=wrong,
        hints=(
            f"How many blocks of {block} do {channels} channels need?",
            f"Each of the {pixels} pixels takes all places of its blocks"
            + (f", each place {size} bytes." if size > 1 else "."),
        ),
        explanation=f"{channels} channels are rounded up to blocks of {block}: {places}. "
        f"{pixels} pixels × {blocks * block}{unit} = {right}.",
        tensors=(Exhibit(layout, text, dtype, "tensor"),),
        about={"dtype": dtype},
    )


LESSON = Lesson("padding", "Padding and gaps", 3, _TEXT, _ask)
