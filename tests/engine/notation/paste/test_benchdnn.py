"""A command line of benchdnn names the two tensors of a reorder."""

import pytest

from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import refuses

TYPES = "--sdt=f32 --ddt=s8"
TAGS = "--stag=abcd --dtag=ABcd4b16a4b"


@pytest.mark.parametrize(
    "text",
    [
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


@pytest.mark.parametrize("between", [" \\\n ", " " * 3000])
def test_a_long_or_continued_line_is_read_to_its_end(between: str) -> None:
    read = read_text(f"--reorder {TYPES} {TAGS}{between}64x48x3x3")
    assert read.shape == (64, 48, 3, 3)


@pytest.mark.parametrize(
    ("problem", "tensors"),
    [
        (
            "--conv --dt=s8:u8:s32 --wtag=OIhw4i16o4i mb1ic48ih56oc64oh56kh3ph1",
            [("wei", (64, 48, 3, 3), "uint8", "onednn:OIhw4i16o4i")],
        ),
        (
            "--conv --cfg=bf16bf16f32 --stag=axb --dtag=nchw ic3ih224_oc64kh7sh2ph3_n'the first'",
            [
                ("src", (2, 3, 224, 224), "bfloat16", "onednn:acdb"),
                ("dst", (2, 64, 112, 112), "float32", "onednn:nchw"),
            ],
        ),
        (
            "--conv --dt=f16 g4mb1ic8id9oc16kd3kh2kw1ih5iw4dd1",
            [
                ("src", (1, 8, 9, 5, 4), "float16", None),
                ("wei", (4, 4, 2, 3, 2, 1), "float16", None),
                ("dst", (1, 16, 5, 4, 4), "float16", None),
            ],
        ),
        (
            "--conv --wtag=any --dtag=nwc ic5iw9oc2kw10 ic5iw9oc2kw9",
            [
                ("dst", None, "float32", "onednn:nwc"),
                ("dst", (2, 2, 1), "float32", "onednn:nwc"),
            ],
        ),
        (
            "--matmul --dtag=abx --wtag=BA16a64b 7x128:128x32nlast",
            [
                ("wei", (128, 32), "float32", "onednn:BA16a64b"),
                ("dst", (7, 32), "float32", "onednn:ab"),
            ],
        ),
    ],
)
def test_the_tensors_of_a_problem_that_have_a_tag_or_else_all(
    problem: str, tensors: list[tuple[str, tuple[int, ...] | None, str, str | None]]
) -> None:
    read = read_text(f"./benchdnn {problem}")
    assert [(one.role, one.shape, one.dtype, one.layout) for one in read.tensors] == tensors
    assert {one.problem for one in read.tensors} == {None}


PROBLEMS = "a problem of --reorder, --matmul or --conv"
test_strides_and_problems_that_are_not_read_are_refused = refuses(
    [
        ("--reorder --strides=8x4x2x1: 2x3x4x5", 10, "a blocked format with a tag"),
        ("--conv 2x3", None, "a shape and strides"),  # a problem of another driver
        ("./benchdnn --pool ic48ih56oh56kh3", 11, PROBLEMS),
        ("./benchdnn --conv --batch=shapes_resnet_50", 11, PROBLEMS),
    ]
)


@pytest.mark.parametrize("option", ["--dt=x8", "--dt=f32:f16", "--wtag=OIhv"])
def test_a_type_and_a_tag_that_do_not_exist_are_marked(option: str) -> None:
    text = f"--conv --stag=nchw {option} ic3ih5oc4kh1"
    problems = [one.problem for one in read_text(f"{text}\n--reorder 2x3x4x5").tensors]
    assert any(problems[:-2]), problems
