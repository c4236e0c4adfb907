"""CHWN4: the images of a batch lie between the pixels and the block."""

from dataclasses import replace
from typing import Final

from ...engine import KINDS, Layout, owners_of, parse_layout
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..models import believed, block_exchanged, in_order
from ..pictures import picture_question
from ..sums import address_of, filled, from_block, named

_TEXT = (
    "A number at the end of a name is the size of a block of channels, and it is innermost. "
    "So CHWN4 goes from the outside to the inside through blocks of c, h, w, n, and four channels. "
    "After four channels of one pixel come the same four of the next image."
)
_N_FIRST = "In CHWN4 the images stand further inside than the pixels."
_FORGOTTEN = "block_forgotten", "The numbers begin with four channels, so c lies in a block."
_ALL = "all_channels", "In NHWC all eight channels of a pixel would come first."
_NO_BLOCK = "Of a block the first four channels would come first, and then others."
# Of each picture how it begins, and the layouts that one may take it for.
_PICTURES: Final[dict[str, tuple[str, dict[str, tuple[str, str]]]]] = {
    "NCHW4": (
        "Four channels, then the next pixel",
        {
            "NCHW": _FORGOTTEN,
            "CHWN4": ("n_innermost", "After four channels the next pixel follows, not an image."),
            "NHWC": _ALL,
        },
    ),
    "CHWN4": (
        "Four channels, then the next image",
        {
            "CHWN": _FORGOTTEN,
            "NCHW4": ("n_outermost", "After four channels the next image follows: n is before 4."),
            "NHWC": _ALL,
        },
    ),
    "NCHW": ("One channel, pixel after pixel", {"NCHW4": ("no_block", _NO_BLOCK), "NHWC": _ALL}),
    "NHWC": (
        "All eight channels, then the next pixel",
        {"NCHW4": ("no_block", _NO_BLOCK), "CHWN4": ("no_block", _NO_BLOCK)},
    ),
    "CHWN": (
        "One channel of both images, then the next pixel",
        {
            "CHWN4": ("no_block", _NO_BLOCK),
            "NCHW": ("n_outermost", "In NCHW the second image would come after all of the first."),
        },
    ),
}


def _ask(draw: Draw, level: int) -> Question:
    if level == 1:
        return _picture(draw)
    shape = (draw.pick((2, 3)) if level == 2 else 2, draw.pick((6, 8)), *draw.sizes(2, 2, 3))
    layout = parse_layout("CHWN4", shape)
    at = draw.at(shape)
    right = address_of(layout, at)
    images, width = shape[0], shape[3]
    block = layout.digits[1][0].stride
    steps = f"From the inside, one step of c mod 4 is 1, of n 4, of w {4 * images}, "
    steps += f"of h {4 * images * width}, of ⌊c/4⌋ {block}."
    if level == 2:
        return Question(
            unit="address",
            prompt=f"Which address does {named(layout, at)} have in CHWN4?",
            expected=right,
            wrong=(
                in_order(layout, at, "NCHW4", "n_outermost", _N_FIRST),
                in_order(layout, at, "NCHW", "row_major", "CHWN4 has another order, and blocks."),
                block_exchanged(layout, at),
            ),
            hints=(f"What are ⌊c/4⌋, the block of c {at[1]}, and c mod 4?", steps),
            explanation=f"{from_block(layout, at)}.",
            tensors=(Exhibit(layout, "CHWN4", shows="tensor"),),
            about={"at": at},
        )
    blocked, plain = believed(layout, "NCHW4"), believed(layout, "NCHW")
    exchanged = at[1] % 4 * 2 + at[1] // 4
    named_so = f"That cell has the number {right}. Its address in CHWN4 is another."
    in_nchw4 = f"That is at {right} in NCHW4. {_N_FIRST}"
    wrong = (
        replace(_owner(blocked.layout, right, "n_outermost", in_nchw4), believed=blocked),
        replace(_owner(plain.layout, right, "row_major", named_so), believed=plain),
        Wrong(
            "block_exchanged",
            (at[0], exchanged, *at[2:]) if exchanged < shape[1] else (),
            "You took c mod 4 for the number of the block, and ⌊c/4⌋ for the place in it, as if a "
            "block had two channels.",
        ),
        _owner(layout, right - 1, "from_one", f"You counted from 1. There are {right} before it."),
    )
    return Question(
        kind="cell",
        prompt=f"Which element lies at address {right} of CHWN4?",
        expected=at,
        wrong=wrong,
        hints=(
            steps,
            "Divide by the largest step and go on with what is left. c is 4·⌊c/4⌋ + c mod 4.",
        ),
        explanation=f"The steps that lead to {right} are those of {filled(layout, at)}: it is "
        f"{named(layout, at)}.",
        tensors=(Exhibit(layout, "CHWN4", shows="tensor"),),
        about={"address": right},
    )


def _owner(layout: Layout, address: int, code: str, text: str) -> Wrong:
    """What lies at an address of another layout; nothing where that is no element."""
    found = owners_of(layout, [address])
    here = found.coordinates.tolist() if KINDS[found.kinds[0]] == "element" else [()]
    return Wrong(code, tuple(here[0]), text)


def _picture(draw: Draw) -> Question:
    text = draw.pick(tuple(_PICTURES))
    shape = (2, 8, *draw.sizes(2, 2, 4, most=8))
    begins, mistaken = _PICTURES[text]
    strides = parse_layout("NCHW", shape).strides or ()
    hints = (
        f"The next c is {strides[1]} further, the next n {strides[0]}. "
        "How many channels come first?",
        "Go on to where the numbers jump differently. Is that the next w, c or n?",
    )
    return picture_question(text, shape, mistaken, hints, f"{begins}: {text}.")


LESSON = Lesson("chwn4", "Other blocks: CHWN4", 4, _TEXT, _ask)
