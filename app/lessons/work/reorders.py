"""Reorders: every element is copied from one layout's address to another's."""

from ...engine import parse_dtype, parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import elements_for_bytes, in_order
from ..sums import address_of, cell_at, filled, named, times

_TEXT = (
    "A reorder copies a tensor into another layout: the same elements, at other addresses. "
    "It reads each element once and writes the whole target, padding included. "
    "It computes nothing, so every byte of it is a cost."
)


def _ask(draw: Draw, level: int) -> Question:
    source, target = ("NCHW", "NHWC") if level == 1 else ("NCHW", "NCHW4")
    if level == 1 and draw.below(2):
        source, target = target, source
    channels = draw.between(2, 4) if level == 1 else draw.pick((5, 6, 7))
    shape = (1, channels, *draw.sizes(2, 2, 4, most=10))
    before, after = parse_layout(source, shape), parse_layout(target, shape)
    shown = (Exhibit(after, target, shows="tensor"), Exhibit(before, source, shows="memory"))
    if level == 3:
        return _bytes(draw, shown)
    at = draw.at(shape)
    left, right = address_of(before, at), address_of(after, at)
    wrong = [
        Wrong("stays", left, "Only the elements stay the same. A reorder gives them new addresses.")
    ]
    if level == 1:
        text = f"You read {left} as an address of {target}. It is one of {source}."
        wrong.append(Wrong("backwards", address_of(before, cell_at(after, left)), text))
    else:
        said = "NCHW4 keeps only four channels together."
        wrong.append(in_order(after, at, "NHWC", "all_channels", said))
    return Question(
        unit="address",
        prompt=f"A reorder copies from {source} to {target}. To which address does the element "
        f"at address {left} of {source} go?",
        expected=right,
        wrong=wrong,
        hints=(
            f"First find the cell: address {left} of {source}. The strides of {source} are "
            f"n, c, h, w = {before.strides}.",
            f"It is {named(before, at)}. Now find its address in {target}.",
        ),
        explanation=f"Address {left} of {source} holds {named(before, at)}; in {target} that is "
        f"{filled(after, at)}.",
        tensors=shown,
        about={"source": source, "target": target, "address": left},
    )


def _bytes(draw: Draw, shown: tuple[Exhibit, Exhibit]) -> Question:
    dtype = draw.pick(("float16", "float32", "float64"))
    size = parse_dtype(dtype).bits // 8
    after, before = shown[0].layout, shown[1].layout
    read, written = before.elements * size, after.buffer_elements * size
    padded = f"{after.buffer_elements} places"
    return Question(
        unit="bytes",
        prompt=f"A reorder copies {times(before.shape)} {dtype} elements from NCHW to NCHW4. "
        "How many bytes does it read and write, together?",
        expected=read + written,
        wrong=(
            Wrong(
                "padding_forgotten",
                2 * read,
                f"You wrote the elements alone. The target has {padded}, padding included.",
            ),
            Wrong("read_alone", read, "You counted what is read. As much and more is written."),
            Wrong("written_alone", written, "You counted what is written. It is read first."),
            elements_for_bytes(read + written, size),
        ),
        hints=(
            f"It reads {before.elements} elements. How many places has the target, with padding?",
            f"Add both, then go to bytes: one {dtype} takes {size}.",
        ),
        explanation=f"Read {before.elements} × {size} = {read}, written {after.buffer_elements} × "
        f"{size} = {written}: together {read + written} bytes.",
        tensors=(Exhibit(after, "NCHW4", dtype, "tensor"),),
        about={"source": "NCHW", "target": "NCHW4", "dtype": dtype},
    )


LESSON = Lesson("reorders", "What a reorder costs", 4, _TEXT, _ask)
