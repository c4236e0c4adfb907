"""Elements and bytes: the same place, counted in two units."""

from ...engine import Layout, parse_dtype, parse_layout
from ...engine.model.layout import packed_strides
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import bytes_for_elements, elements_for_bytes, logical_size
from ..sums import address_of, filled, named

_TEXT = (
    "An element takes one or more bytes: a float64 eight, a float32 four, a float16 two. "
    "PyTorch counts addresses and strides in elements, NumPy counts strides in bytes. "
    "Multiply elements by the size of one to get bytes."
)


def _ask(draw: Draw, level: int) -> Question:
    dtype = draw.pick(("float16", "float32", "float64"))
    size = parse_dtype(dtype).bits // 8
    shape = draw.sizes(2, 3, 7, most=35)
    at = draw.at(shape)
    each = f"One {dtype} takes {size} bytes."
    if level == 1:
        layout = parse_layout("HW", shape)
        element = address_of(layout, at)
        how = f"One row has {shape[1]} of them." if at[0] else "No row lies before it: it is w."
        bits = f"That counts bits. {each} Each has eight bits."
        return Question(
            unit="byte",
            prompt=f"At which byte does {named(layout, at)} begin? The elements are {dtype}.",
            expected=element * size,
            wrong=(
                elements_for_bytes(element * size, size),
                Wrong("bits_for_bytes", element * size * 8, bits),
            ),
            hints=(
                f"The byte is the address in elements times {size}, the bytes of one {dtype}.",
                f"The address in elements counts those before it. {how}",
            ),
            explanation=f"In elements {filled(layout, at)}. {each} {element} × {size} = "
            f"{element * size}.",
            tensors=(Exhibit(layout, "HW", dtype, "tensor"),),
            about={"at": at, "dtype": dtype},
        )
    row = shape[1] + draw.between(1, 3)
    strides = (row, 1) if level == 3 else packed_strides(shape)
    layout = Layout.strided(shape, strides)
    if level == 2:
        element = address_of(layout, at)
        told = tuple(size * stride for stride in strides)
        return Question(
            unit="address",
            prompt=f"NumPy says strides {told} for this {dtype} array. Which address, counted in "
            f"elements, does {named(layout, at)} have?",
            expected=element,
            wrong=(
                bytes_for_elements(element, size),
                Wrong(
                    "mixed_units",
                    at[0] * told[0] + at[1],
                    f"You took {told[0]} bytes for the row, but 1 element for w.",
                ),
            ),
            hints=(
                f"{each} How many elements are {told[0]} bytes?",
                "Divide both strides by the bytes of an element, then multiply by h and w and add.",
            ),
            explanation=f"{told[0]} bytes are {strides[0]} elements, {told[1]} bytes are 1: "
            f"{filled(layout, at)}.",
            tensors=(Exhibit(layout, "", dtype, "tensor"),),
            about={"at": at, "byte_strides": told, "dtype": dtype},
        )
    height, width = shape
    right = layout.buffer_elements * size
    unused = f"{row - width} unused place{'s' if row - width > 1 else ''}"
    gaps = f"Each row of {width} is followed by {unused}, except the last."
    return Question(
        unit="bytes",
        prompt=f"Each row of {width} {dtype} begins {row} elements after the one before. How many "
        "bytes lie from the first element to the end of the last one?",
        expected=right,
        wrong=(
            logical_size(layout, size, gaps),
            Wrong("last_gap", height * row * size, f"You counted the last row's gap too. {gaps}"),
            elements_for_bytes(right, size),
        ),
        hints=(
            f"Count the places in elements, unused ones too, and multiply by {size} bytes.",
            f"The last row begins at address {height - 1} × {row}, in elements, and has {width}.",
        ),
        explanation=f"The last row begins at {(height - 1) * row} and has {width} elements: "
        f"{layout.buffer_elements} × {size} = {right} bytes.",
        tensors=(Exhibit(layout, "", dtype),),
        about={"strides": strides, "dtype": dtype},
    )


LESSON = Lesson("bytes", "Elements and bytes", 3, _TEXT, _ask)
