"""Sizes beside a name such as NHWC: in the order of the name, or of N, C, H, W."""

import pytest

from app.engine.notation.paste.reading import read_text

NHWC, NCHW = "sizes as NHWC", "sizes as NCHW"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The input is a 1x224x224x3 NHWC float32 tensor.", [
            (NHWC, (1, 3, 224, 224), "float32"), (NCHW, (1, 224, 224, 3), "float32"),
        ]),
        ("input shape (32, 224, 224, 3) in NHWC", [
            (NHWC, (32, 3, 224, 224), None), (NCHW, (32, 224, 224, 3), None),
        ]),
        ("1x480x640x3 NHWC", [(NHWC, (1, 3, 480, 640), None), (NCHW, (1, 480, 640, 3), None)]),
        ("NHWC 1,480,640,3", [(NHWC, (1, 3, 480, 640), None), (NCHW, (1, 480, 640, 3), None)]),
        # Nothing tells: sizes of N, C, H, W, as everywhere.
        ("x.shape (8, 56, 48, 64) NHWC", [
            (f"x, {NCHW}", (8, 56, 48, 64), None), (f"x, {NHWC}", (8, 64, 56, 48), None),
        ]),
        ("1x3x640x4 NHWC", [(NCHW, (1, 3, 640, 4), None), (NHWC, (1, 4, 3, 640), None)]),
        ("2x48x21x12 nhwc", [(NCHW, (2, 48, 21, 12), None), (NHWC, (2, 12, 48, 21), None)]),
        ("1x224x224x3 nhwc", [(NHWC, (1, 3, 224, 224), None), (NCHW, (1, 224, 224, 3), None)]),
        ("3x3x64x128 HWIO float16", [
            ("sizes as HWIO", (128, 64, 3, 3), "float16"),
            ("sizes as OIHW", (3, 3, 64, 128), "float16"),
        ]),
        ("a 224x224x3 image, HWC, u8", [
            ("sizes as HWC", (3, 224, 224), "uint8"), ("sizes as CHW", (224, 224, 3), "uint8"),
        ]),
    ],
)  # fmt: skip
def test_sizes_that_may_be_in_either_order_are_read_in_both(
    text: str, expected: list[tuple[object, ...]]
) -> None:
    read = read_text(text)
    assert [(one.role, one.shape, one.dtype) for one in read.tensors] == expected
    assert (read.shape, read.dtype) == expected[0][1:]
    assert {one.layout for one in read.tensors} == {read.layout}


@pytest.mark.parametrize(
    "text",
    [
        *("1x3x224x224 NHWC", "fp16 2x64x56x56 nhwc", "1x64x56x48 NCHW", "8x16x16x16 NHWC"),
        *("2x48x21x12 acdb", "onednn:nhwc 2x48x21x12", "2x48x21x12 channels_last"),
        *("shape=2,6,4,5&layout=NHWC", "stridescope show --shape 2,6,5,5 --layout NHWC"),
        *("?shape=2,6,4,5&layout=NHWC", '{"shape": [2, 6, 4, 5], "layout": "NHWC"}'),
        "cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 2, 64, 56, 48)",
    ],
)
def test_sizes_in_one_order_are_read_in_it(text: str) -> None:
    read = read_text(text)
    assert len(read.tensors) <= 1
    assert [one.role for one in read.tensors] in ([], [None])
    assert f"{read.shape}".strip("()").replace(", ", "") in "".join(filter(str.isdigit, text))
