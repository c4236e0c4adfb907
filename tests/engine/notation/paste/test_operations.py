"""The strides of a convolution or a pool are no tensor's."""

import pytest

from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import Refused, Said, assert_reads_like, refuses, says

NOTHING = "a shape and strides"
ALONE: list[Refused] = [
    ("F.conv2d(x, w, stride=(2, 2), padding=(1, 1))", None, NOTHING),
    ("Conv2d(64, 64, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))", None, NOTHING),
    ("Conv2d(64, 128, (1, 1), stride=(2, 2), bias=False)", None, NOTHING),
    ("nn.AvgPool2d((2, 2), stride=(2, 2))", None, NOTHING),
    ("ResNet(\n  (conv1): Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3))\n"
        "  (maxpool): MaxPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=False)\n)",
        None, NOTHING),
    # ONNX, as Netron's and onnx.printer's text have it.
    ("%12 = Conv[dilations = [1, 1], group = 1, kernel_shape = [7, 7], pads = [3, 3, 3, 3], "
        "strides = [2, 2]](%input, %conv1.weight)", None, NOTHING),
    ("Y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]> (X, W)", None,
        NOTHING),
    # Keras.
    ("x = layers.Conv2D(64, (3, 3), strides=(2, 2), padding='same', input_shape=(224, 224, 3))(x)",
        None, NOTHING),
]  # fmt: skip  # a row on several lines where it is long
test_an_operation_alone_names_no_tensor = refuses(ALONE)

CONV = "Conv2d(64, 128, kernel_size=(1, 1), stride=(2, 2), bias=False)"
CUDNN = """i!     convDesc: location=host; addr=0x533cb40;
i!     arrayLength: type=int; val=2;
i!     padA: type=int; val=[0,0];
i!     strideA: type=int; val=[1,1];
i!     dilationA: type=int; val=[1,1];
"""
BESIDE: list[Said] = [
    (f"(downsample): {CONV}\noutput: torch.Size([1, 1000])", (1, 1000), None, None,
        (f"(downsample): {CONV}",)),
    (f"x.shape\ntorch.Size([1, 3, 224, 224])\nmodel.conv1\n{CONV}", (1, 3, 224, 224), None, None,
        ("model.conv1", CONV)),
    ("Conv3d(3, 64, kernel_size=(3, 7, 7), stride=(1, 2, 2), padding=(1, 3, 3), bias=False)\n"
        "x.shape torch.Size([8, 512, 768])", (8, 512, 768), None, None, None),
    ("input: torch.Size([64, 128])\nself.pool = nn.AvgPool2d(kernel_size=(2, 2), stride=(2, 2))",
        (64, 128), None, None, None),
    ("input shape: torch.Size([1, 3, 224, 224]), conv stride: (2, 2)", (1, 3, 224, 224), None, None,
        ("input", "conv stride: (2, 2)")),
    # Strides of tensors that stand beside an operation stay.
    (f"{CUDNN}i! xDesc:\ni!     dimA: type=int; val=[8,64];\ni!     strideA: type=int; val=[64,1];",
        (8, 64), None, "(64, 1)", None),
    (f"{CONV}\nx.shape (2, 3) x.stride() (1, 2)", (2, 3), None, "(1, 2)", (CONV,)),
    ("shape: (2, 3)\nstride: (1, 2)\npadding: 0", (2, 3), None, "(1, 2)", ("padding: 0",)),
    ("tensor(shape=(2, 3), strides=[1, 2], padding=(0, 0))", (2, 3), None, "(1, 2)", None),
    ("convert(torch.float16, size=[2, 3], stride=[1, 2])", (2, 3), "float16", "(1, 2)", None),
    ("print(conv(x).shape, x.stride()) torch.Size([2, 3]) (1, 2)", (2, 3), None, "(1, 2)", None),
]  # fmt: skip  # a row on several lines where it is long

test_an_operation_beside_a_tensor = says(BESIDE)


@pytest.mark.parametrize("piece", ["( kernel_size=", "(stride ", "conv stride=(1, 2)\n", "pool("])
def test_operations_cost_what_their_length_explains(piece: str) -> None:
    plain = "shape=(2, 3) stride=(3, 1) "
    assert_reads_like(plain * 500, (piece * 13500)[: 500 * len(plain)], times=10)


def test_a_convolution_of_cudnn_alone_has_no_strides() -> None:
    read = read_text(CUDNN + "i!     dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);")
    assert (read.shape, read.dtype, read.layout, read.tensors) == (None, "float32", None, ())
