"""Records of several tensors, each beginning with its type, strides or offset: no value goes to
the tensor before it, whether it is said again or not."""

import pytest

from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import assert_reads_like

F16, F32, BF16 = "float16", "float32", "bfloat16"
# A text, then the sizes, type and layout of its tensors.
RECORDS = [
    # What a loop prints of its tensors, as print(n, x.dtype, x.shape).
    ("q torch.bfloat16 torch.Size([2, 16, 64, 64])\nk torch.bfloat16 torch.Size([2, 8, 64, 64])\n"
        "mask torch.bool torch.Size([2, 1, 64, 64])\nloss torch.float32", [
        ((2, 16, 64, 64), BF16, None), ((2, 8, 64, 64), BF16, None), ((2, 1, 64, 64), "bool", None),
    ]),
    # The header of a safetensors file.
    ('{"a":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]},"b":{"dtype":"F16","shape":[4,5],'
        '"data_offsets":[12,52]},"c":{"dtype":"F32","shape":[6],"data_offsets":[52,76]}}', [
        ((2, 3), F16, None), ((4, 5), F16, None), ((6,), F32, None),
    ]),
    # The same with more lines in an object than between two.
    ('[{"dtype": "F16",\n "shape": [2,3]}, {"dtype": "F16",\n "shape": [4,5]}, {"dtype": "F32",\n '
        '"shape": [6]}]', [((2, 3), F16, None), ((4, 5), F16, None), ((6,), F32, None)]),
    # Inductor's IR: pytorch/pytorch, torch/_inductor/ir.py.
    ("FixedLayout('cuda:0', torch.float16, size=[128, 64], stride=[64, 1])\n"
        "FixedLayout('cuda:0', torch.float16, size=[64, 32], stride=[1, 64])\n"
        "FixedLayout('cuda:0', torch.int64, size=[7], stride=[1])", [
        ((128, 64), F16, "(64, 1)"), ((64, 32), F16, "(1, 64)"), ((7,), "int64", "(1,)"),
    ]),
    # The log of cuDNN: CUDNN_LOGINFO_DBG=1.
    ("xDesc: type=cudnnTensorDescriptor_t:\n  dataType: type=cudnnDataType_t; val=CUDNN_DATA_HALF "
        "(2);\n  nbDims: type=int; val=4;\n  dimA: type=int; val=[1,3,3,3];\n  strideA: type=int; "
        "val=[27,9,3,1];\nxData: location=dev; addr=0000000203C01000;\n"
        "dyDesc: type=cudnnTensorDescriptor_t:\n  dataType: type=cudnnDataType_t; "
        "val=CUDNN_DATA_HALF (2);\n  nbDims: type=int; val=4;\n  dimA: type=int; val=[1,64,1,1];\n"
        "  strideA: type=int; val=[64,1,1,1];", [
        ((1, 3, 3, 3), F16, "(27, 9, 3, 1)"), ((1, 64, 1, 1), F16, "(64, 1, 1, 1)"),
    ]),
    ("strides: [5, 1], sizes: [2, 3]\nstrides: [5, 1], sizes: [4, 5]\nstrides: [9, 1], "
        "sizes: [6, 4]", [
        ((2, 3), None, "(5, 1)"), ((4, 5), None, "(5, 1)"), ((6, 4), None, "(9, 1)"),
    ]),
    ("strides: null, sizes: [2, 3]\nstrides: null, sizes: [2, 4]\nstrides: [9, 1], sizes: [6, 4]", [
        ((2, 3), None, "(3, 1)"), ((2, 4), None, "(4, 1)"), ((6, 4), None, "(9, 1)"),
    ]),
    ("storage_offset=64 size=(2, 3) stride=(3, 1)\nstorage_offset=64 size=(4, 3) stride=(3, 1)\n"
        "storage_offset=0 size=(6, 5) stride=(5, 1)", [
        ((2, 3), None, "(3, 1)+64"), ((4, 3), None, "(3, 1)+64"), ((6, 5), None, "(5, 1)"),
    ]),
    ("memory_format=torch.channels_last size=[2, 3, 4, 5]\n"
        "memory_format=torch.channels_last size=[2, 3, 4, 6]\n"
        "memory_format=torch.contiguous_format size=[2, 3, 4, 7]", [
        ((2, 3, 4, 5), None, "channels_last"), ((2, 3, 4, 6), None, "channels_last"),
        ((2, 3, 4, 7), None, "contiguous_format"),
    ]),
    ("x.dtype float16 x.shape (2, 3)\nx.dtype float16 x.shape (4, 3)\nx.dtype float32 x.shape (6,)",
        [((2, 3), F16, None), ((4, 3), F16, None), ((6,), F32, None)]),
    ("dtype=torch.float32 shape=(2, 3)\nshape=(4, 3)\ndtype=torch.float16 shape=(5, 3)", [
        ((2, 3), F32, None), ((4, 3), None, None), ((5, 3), F16, None),
    ]),
    # A type that a call before the printed tensors names is not theirs.
    ("set_default_dtype(torch.float32)\nshape: (2,3)\ndtype: float32\nshape: (4,5)\n"
        "dtype: float16", [((2, 3), F32, None), ((4, 5), F16, None)]),
    ("x.to(torch.bfloat16)\ntorch.Size([2, 3]) torch.bfloat16\ntorch.Size([4, 5]) torch.float32", [
        ((2, 3), BF16, None), ((4, 5), F32, None),
    ]),
    ("model.to(torch.float16)\nout torch.Size([1, 1000]) torch.float32", [((1, 1000), F32, None)]),
    # A value that stands again between others of one tensor is no second tensor.
    ("torch.float32 torch.Size([2, 3]) torch.float32 stride=(1, 2)", [((2, 3), F32, "(1, 2)")]),
    (">>> x.shape\n(3, 4)\n>>> x.dtype\ndtype('float64')\n>>> x.dtype\ndtype('float64')\n"
        ">>> x.strides\n(32, 8)", [((3, 4), "float64", "numpy:(32, 8)")]),
]  # fmt: skip  # a row on several lines where it is long


@pytest.mark.parametrize("row", RECORDS, ids=lambda row: row[0][:60])
def test_a_value_belongs_to_the_record_that_it_stands_in(
    row: tuple[str, list[tuple[object, ...]]],
) -> None:
    text, expected = row
    assert [(t.shape, t.dtype, t.layout) for t in read_text(text).tensors] == expected


def test_many_equal_values_behind_a_long_record_cost_what_their_length_explains() -> None:
    plain = "shape=(2, 3) dtype=int8\n" * 2000
    filler = "f(1)\n" * 5000
    assert_reads_like(plain, f"dtype=int8 {filler} shape=(2, 3) " + "dtype=int8 " * 2000, times=10)
