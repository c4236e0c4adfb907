"""A command line of benchdnn names the two tensors of a reorder."""

import pytest

from app.engine import LayoutError
from app.engine.notation.paste.reading import read_text

TYPES = "--sdt=f32 --ddt=s8"
TAGS = "--stag=abcd --dtag=ABcd4b16a4b"


@pytest.mark.parametrize(
    "text",
    [
        f"--reorder {TYPES} {TAGS} 64x48x3x3",
        f"./benchdnn --reorder --mode=P {TYPES} --attr-scratchpad=user {TAGS} 64x48x3x3",
        f"--reorder --dt=f32 {TAGS} --engine=cpu {TYPES} --strides=: --oflag=s8s8_comp:1 64x48x3x3",
    ],
)
def test_a_reorder_is_two_layouts(text: str) -> None:
    read = read_text(text)
    src, dst = read.tensors
    assert (src.role, src.shape, src.dtype, src.layout, src.target) == (
        *("src", (64, 48, 3, 3), "float32", "onednn:abcd"),
        1,
    )
    assert (dst.role, dst.shape, dst.dtype, dst.layout) == (
        *("dst", (64, 48, 3, 3), "int8", "onednn:ABcd4b16a4b"),
    )


def test_what_is_left_out_is_f32_and_nchw_and_options_stay_for_the_next() -> None:
    read = read_text("--reorder --dtag=nhwc 2x3x4x5 --ddt=u8 3x3x4x5")
    assert [(one.shape, one.dtype, one.layout) for one in read.tensors] == [
        ((2, 3, 4, 5), "float32", "onednn:nchw"),
        ((2, 3, 4, 5), "float32", "onednn:nhwc"),
        ((3, 3, 4, 5), "float32", "onednn:nchw"),
        ((3, 3, 4, 5), "uint8", "onednn:nhwc"),
    ]


@pytest.mark.parametrize("option", ["--stag=abcd,acdb", "--stag=any", "--sdt=f32,s8"])
def test_what_is_not_one_known_layout_is_refused(option: str) -> None:
    src, dst = read_text(f"--reorder {option} 2x3x4x5").tensors
    assert (src.problem is None, src.target, dst.problem) == (False, None, None)


def test_strides_of_benchdnn_are_refused() -> None:
    with pytest.raises(LayoutError, match="a blocked format with a tag"):
        read_text("--reorder --strides=8x4x2x1: 2x3x4x5")


@pytest.mark.parametrize("between", [" \\\n ", " " * 3000])
def test_a_long_or_continued_line_is_read_to_its_end(between: str) -> None:
    read = read_text(f"--reorder {TYPES} {TAGS}{between}64x48x3x3")
    assert read.shape == (64, 48, 3, 3)
