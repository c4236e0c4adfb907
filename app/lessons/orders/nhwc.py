"""NHWC: the channels of one pixel lie side by side."""

from ...engine import parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question
from ..models import pixel_for_element, row_major, swapped
from ..pictures import picture_question
from ..sums import address_of, filled, named

_TEXT = (
    "A batch of images has four dimensions: image n, channel c, row h, column w. "
    "NCHW stores one channel after the other, NHWC stores pixel after pixel, each with all its "
    "channels. Neighbours along the last letter lie side by side: in NHWC those along c."
)
_PICTURES = ("NHWC", "CWHN", "NWHC", "CHWN", "NCHW")
_NOT_PLAIN = {
    "NHWC": ("channels_innermost", "In NHWC the channels of the first pixel would come first."),
    "NWHC": ("channels_innermost", "In NWHC the channels of the first pixel would come first."),
    "CHWN": ("images_innermost", "In CHWN the second image would follow at once."),
}


def _ask(draw: Draw, level: int) -> Question:
    if level == 3:
        return _picture(draw)
    shape = (level, *draw.sizes(3, 2, 5, most=40))
    layout = parse_layout("NHWC", shape)
    at = (level - 1, *draw.at(shape[1:]))
    right = address_of(layout, at)
    _, channels, height, width = shape
    row = f"One row has {width} pixels: {width * channels} elements."
    image = f" One image has {height * width * channels}." if level == 2 else ""
    return Question(
        unit="address",
        prompt=f"Which address does {named(layout, at)} have in NHWC?",
        expected=right,
        wrong=(row_major(layout, at), pixel_for_element(layout, at), swapped(layout, at)),
        hints=(
            f"The last letter is C: c has stride 1. One pixel takes {channels} places, "
            "so that is the stride of w.",
            f"{row}{image} Multiply, then add w and c.",
        ),
        explanation=f"Each index times its stride: {filled(layout, at)}.",
        tensors=(Exhibit(layout, "NHWC", shows="tensor"),),
        about={"at": at},
    )


def _picture(draw: Draw) -> Question:
    text = draw.pick(_PICTURES)
    shape = (2, *draw.sizes(3, 2, 5, most=40))
    last, jump = text[-1].lower(), parse_layout("NCHW", shape).strides or ()
    mistaken = {
        text[::-1]: ("reversed", "You read the name backwards. Its last letter is innermost."),
        "NCHW": ("row_major", "In NCHW the numbers would simply go up by one."),
        text.translate(str.maketrans("HW", "WH")): (
            "swapped",
            f"You exchanged h and w. The next w is 1 further, the next h is {shape[3]} further.",
        ),
    }
    if text == "NCHW":
        mistaken = _NOT_PLAIN
    hints = (
        "Look at the first jump. The next n is "
        f"{jump[0]} further, the next c {jump[1]}, the next h {jump[2]}, the next w 1.",
        "That dimension is innermost: it is the last letter. Where does the next jump lead?",
    )
    said = f"The numbers jump by {jump['NCHW'.index(text[-1])]} first, so {last} is last: {text}."
    return picture_question(text, shape, mistaken, hints, said)


LESSON = Lesson("nhwc", "NCHW and NHWC", 4, _TEXT, _ask)
