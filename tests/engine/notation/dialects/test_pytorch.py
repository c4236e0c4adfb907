"""PyTorch's text: memory formats, strides, and what a session prints."""

import pytest

from app.engine import offset_map, parse_layout
from app.engine.notation.dialects.pytorch import DIALECT
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid

RFC = (10, 3, 32, 32)


@pytest.mark.parametrize(
    "text",
    [
        "channels_last",
        "torch.channels_last",
        "(3072, 1, 96, 3)",
        "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)",
        "torch.Size([10, 3, 32, 32]), (3072, 1, 96, 3)",
        "Size([10,3,32,32]) 3072, 1, 96, 3",
        "torch.Size((10, 3, 32, 32)) (3072, 1, 96, 3)+0",
        "f32[10, 3, 32, 32][3072, 1, 96, 3]cpu",
    ],
)
def test_the_worked_example_of_the_rfc(text: str) -> None:
    layout = read(DIALECT, text, RFC)
    _, c, h, w = RFC
    assert layout.strides == (c * h * w, 1, c * w, c)
    assert (offset_map(layout) == offset_map(parse_layout("NHWC", RFC))).all()


def test_an_offset_stands_behind_the_strides() -> None:
    assert read(DIALECT, "torch.Size([]) () + 3", ()).offset == 3
    assert read(DIALECT, "torch.Size([2, 3]) (5, 1) + 3", (2, 3)).offset == 3


SHAPE = (2, 3)
MALFORMED = [
    Malformed("preserve_format", 0, "an operation's input", shape=SHAPE),
    Malformed("torch.preserve_format", 6, "give those strides", shape=SHAPE),
    Malformed("torch.Size([2, 3])", 18, "the strides after the sizes", shape=SHAPE),
    Malformed("torch.Size([2, 3) (3, 1)", 16, "a comma or a closing ]", shape=SHAPE),
    Malformed("torch.Size([2, 3] (3, 1)", 18, "a closing )", shape=SHAPE),
    Malformed("torch.Size([2, 3]) (3,)", 19, "2 strides", shape=SHAPE),
    Malformed("torch.Size([2, 3]) (3, 1) + ", 28, "an offset", shape=SHAPE),
    Malformed("torch.Size([2, 4]) (4, 1)", None, "the sizes in the layout's text", SHAPE),
    Malformed("f32[2, 3][3]", 9, "2 strides", SHAPE),
    Malformed("f32[s0, 3][3, 1]", 4, "known only at run time", SHAPE),
    Malformed("channels_last", None, "4 sizes", SHAPE),
    Malformed("channels_last_3d", None, "5 sizes", SHAPE),
    Malformed("channels_first", None, "contiguous_format", SHAPE, "layout"),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)
test_negative_strides_are_not_said = unsaid(
    DIALECT, [(parse_layout("(-3, 1)+3", SHAPE), "negative")]
)
