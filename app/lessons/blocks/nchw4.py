"""NCHW4: four channels of a pixel side by side, block after block."""

from ...engine import parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import believed, block_exchanged, in_order, padding_forgotten, pixel_for_element
from ..sums import address_of, cell_at, from_block, named

_TEXT = (
    "NCHW4 puts the channels of each image into blocks of four. "
    "Inside a block the four channels of one pixel lie side by side, then comes the next pixel; "
    "all pixels of a block come before the next block. "
    "A block takes 4·H·W places, even if it is not full."
)
_NOT_PLANES = "In NCHW4 the neighbours in memory are four channels of one pixel."
_NOT_PIXELS = "In NCHW4 only four channels lie together, then comes the next pixel."


def _ask(draw: Draw, level: int) -> Question:
    if level == 1:
        return _next(draw)
    images, channels = (1, 8) if level == 2 else (2, draw.pick((5, 6, 7)))
    shape = (images, channels, *draw.sizes(2, 2, 3 if level == 3 else 4, most=8))
    layout = parse_layout("NCHW4", shape)
    at = draw.at(shape)
    right = address_of(layout, at)
    width = shape[3]
    wrong = [
        in_order(layout, at, "NCHW", "row_major", _NOT_PLANES),
        in_order(layout, at, "NHWC", "all_channels", _NOT_PIXELS),
        block_exchanged(layout, at),
        pixel_for_element(layout, at),
    ]
    if level == 3:
        wrong.append(padding_forgotten(layout, at))
    size = layout.digits[1][0].stride
    image = f" One image takes 2 blocks: {2 * size}." if level == 3 else ""
    return Question(
        unit="address",
        prompt=f"Which address does {named(layout, at)} have in NCHW4?",
        expected=right,
        wrong=wrong,
        hints=(
            f"What are ⌊c/4⌋, the block of c {at[1]}, and c mod 4?",
            f"One step of w is 4 places, one of h {4 * width}, one block {size}.{image}",
        ),
        explanation=f"{from_block(layout, at)}.",
        tensors=(Exhibit(layout, "NCHW4", shows="tensor"),),
        about={"at": at},
    )


def _next(draw: Draw) -> Question:
    shape = (1, 8, *draw.sizes(2, 2, 4, most=8))
    layout = parse_layout("NCHW4", shape)
    channel = draw.pick((3, 7, draw.below(8)))
    at = (0, channel, *draw.at((shape[2], shape[3] - 1)))
    here = address_of(layout, at)
    following = cell_at(layout, here + 1)
    _, c, h, w = at
    other, pixels = (c + 4) % 8, believed(layout, "NHWC")
    wrong = [
        Wrong(
            "row_major",
            (0, c, h, w + 1),
            f"That is the next cell in NCHW. {_NOT_PLANES}",
            believed(layout, "NCHW"),
        ),
        Wrong("block_exchanged", (0, other, h, w), f"c {c} and c {other} are in different blocks."),
    ]
    if c == 3:
        wrong.append(Wrong("all_channels", (0, 4, h, w), f"That is NHWC. {_NOT_PIXELS}", pixels))
    if c == 7:
        text = "You took all eight channels for one block. This block begins at c 4."
        wrong.append(Wrong("all_channels", (0, 0, h, w + 1), text, pixels))
    return Question(
        kind="cell",
        prompt=f"In NCHW4, the cell {named(layout, at)} is stored. Which one comes next in memory?",
        expected=following,
        wrong=wrong,
        hints=(
            f"Blocks are c 0 to 3 and c 4 to 7. Is c {c} the last of its block?",
            "Inside a block the next channel of the same pixel follows; after the fourth, "
            "the next pixel begins at the first channel of the block.",
        ),
        explanation=f"The stored cell: {from_block(layout, at)}. "
        f"The next cell, {named(layout, following)}, is at address {here + 1}.",
        tensors=(Exhibit(layout, "NCHW4", shows="tensor"),),
        about={"at": at},
    )


LESSON = Lesson("nchw4", "Blocks: NCHW4", 4, _TEXT, _ask)
