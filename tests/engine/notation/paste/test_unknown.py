"""A size that is known only at run time is refused, and those beside it are no tensor's."""

import pytest

from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import Refused, Said, assert_reads_like, refuses, says

WHY = "known only at run time"
OPEN: list[Refused] = [
    # Netron.
    ("float32[batch,3,640,640]", 8, WHY),
    ("float32[?,3,640,640]", 8, WHY),
    ("float32[-1,3,640,640]", 8, WHY),
    ("float32[1,3,height,width]", 12, WHY),
    ("input: float32[N,3,224,224] -> output: float32[N,1000]", 15, WHY),
    # TensorFlow, Keras.
    ("TensorSpec(shape=(None, 224, 224, 3), dtype=tf.float32, name='input_1')", 18, WHY),
    ("conv1 (Conv2D) float32 (None, 112, 112, 64)", 24, WHY),
    # ONNX Runtime.
    ("tensor(float) [1, 3, 'height', 'width']", 21, WHY),
    ("NodeArg(name='images', type='tensor(float)', shape=['batch', 3, 640, 640])", 52, WHY),
    # PyTorch.
    ("FakeTensor(..., size=(s0, 4096), dtype=torch.bfloat16)", 22, WHY),
    ("FakeTensor(..., size=(2*s0, 4096), dtype=torch.bfloat16)", 22, WHY),
    ("FixedLayout('cuda:0', torch.float32, size=[s0, 64], stride=[64, 1])", 43, WHY),
    # Prose.
    ("N x 3 x 224 x 224 float32", 0, WHY),
    ("1 x 3 x H x W float32", 8, WHY),
    ("float32, None, 3, 224, 224", 9, WHY),
    ("fp16 of (N, 3, 224, 224) where N = 8, or N = 16", 9, "in place of N, which"),
    ("(N, 3, 224, 224)", 1, "in place of N, which"),
    ("N x 3 x 224 x 224", 0, "in place of N, which"),
    # Calls.
    ("assert_size_stride(arg0_1, (s0, 3), (3, 1))", 28, "in place of s0, which"),
    ("empty_strided_cuda((4 * s0, 64), (64, 1))", 20, "in place of 4 * s0, which"),
    ("reinterpret_tensor(buf3, (2*3, 768), (768, 1), 0)", 26, "an integer"),
    ("torch.Size([s0, 3]) (3, 1)", 12, "in place of s0, which"),
    ("shape: [batch, 'a\tb', 3]\nstride: (3, 3, 1)", 8, "in place of batch, which"),
    ("shape: ['a\tb', batch, 3]\nstride: (3, 3, 1)", 8, "an integer"),
]  # fmt: skip
test_an_open_size_is_marked = refuses(OPEN)

SIZES: list[Said] = [
    # A value that the text gives to all names of a list.
    ("fp16 of (N, 3, 224, 224) where N = 8", (8, 3, 224, 224), "float16", None, ("where",)),
    ("s0 = 128\nassert_size_stride(x, (s0, 3), (3, 1))", (128, 3), None, "(3, 1)", ()),
    (
        "x.shape = [N, 6, 50]\nx.stride() = (300, 50, 1)  # N: 4",
        (4, 6, 50),
        None,
        "(300, 50, 1)",
        (),
    ),
    (
        "# x shape (B, C, H, W), B = 2\nx.stride() (48, 1, 12, 3)",
        None,
        None,
        "(48, 1, 12, 3)",
        None,
    ),
    ("(2, 3, float32)", (2, 3), "float32", None, ()),
    ("matrix A, 2x3 half", (2, 3), "float16", None, ("matrix", "A")),
    # Names alone are a comment of a program.
    ("# x shape (B, C, H, W)\nx.stride() (48, 1, 12, 3)", None, None, "(48, 1, 12, 3)", None),
]
test_what_is_no_open_size = says(SIZES)


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "x", "shape": [null, 3], "dtype": "int8"}, '
        '{"name": "y", "shape": [2, 3], "dtype": "float32"}]',
        "x: shape=(None, 3), dtype=int8\ny: shape=(2, 3), dtype=float32",
    ],
)
def test_an_open_size_among_other_tensors_is_its_tensors_problem(text: str) -> None:
    one, two = read_text(text).tensors
    assert WHY in (one.problem or "")
    assert (two.shape, two.dtype, two.problem) == ((2, 3), "float32", None)


@pytest.mark.parametrize("piece", ["shape=(N, 3) ", "shape=(", "[N, 3, 4, ", "(N, 3), N = 3, "])
def test_open_sizes_cost_what_their_length_explains(piece: str) -> None:
    plain = "shape=(2, 3) " * 3000
    assert_reads_like(plain, (piece * 6000)[: len(plain)], times=10)
