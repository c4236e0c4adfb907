"""Errors, logs and generated code of PyTorch, NumPy, MIOpen, MIGraphX, CK, TensorRT, gguf, CuTe."""

import pytest

from app.engine.notation.paste import messages
from app.engine.notation.paste.pasted import MAX_TEXT
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import (
    Refused,
    Said,
    assert_reads_like,
    refuses,
    says,
)
from tests.examples import fewer
from tests.test_patterns import ambiguous_in

LONG = fewer(MAX_TEXT)
PIXELS = (16, 3, 640, 640)
CUDNN = """ConvolutionParams
    data_type = CUDNN_DATA_HALF
    stride = [2, 2, 0]
input: TensorDescriptor 0x7f1bd8007e40
    type = CUDNN_DATA_HALF
    nbDims = 4
    dimA = 16, 3, 640, 640,
    strideA = 1228800, 1, 1920, 3,
weight: FilterDescriptor 0x7f1bd8009c10
    type = CUDNN_DATA_HALF
    tensor_format = CUDNN_TENSOR_NCHW
    nbDims = 4
    dimA = 32, 3, 6, 6,
Pointer addresses:
"""
MIOPEN = """MIOpen(HIP): \tdataType = {}
MIOpen(HIP): \tnbDims = 4
MIOpen(HIP): \tdim.values = {{ 24 24 3 3 }}
MIOpen(HIP): \tstride.values = {{ 216 9 3 1 }}
MIOpen(HIP): }}"""
ONE: list[Said] = [
    ("((T([64, 196, 768], f16, stride=(150528, 1, 196))), {})", (64, 196, 768), "float16",
        "(150528, 1, 196)", ()),
    ("T([1, 1, 768], i8)", (1, 1, 768), "int8", "(768, 768, 1)", ()),
    ("    reader.tensor(buf2, (32, 64, 56, 56), (200704, 1, 3584, 64), dtype=torch.float16, "
        "requires_grad=True, is_leaf=True)  # primals_3", (32, 64, 56, 56), "float16",
        "(200704, 1, 3584, 64)", ()),
    ("reader.tensor(buf1, (6144, 4191), is_leaf=True)  # arg1_1", (6144, 4191), "float32",
        "(4191, 1)", ()),
    ("reader.tensor(buf1, (3, 4), storage_offset=5, dtype=torch.int8)", (3, 4), "int8",
        "(4, 1)+5", ()),
    ("auto buf0 = at::empty_strided({4L, 4L}, {4L, 1L}, at::TensorOptions(c10::Device(at::kCUDA, "
        "0)).dtype(at::kFloat));", (4, 4), "float32", "(4, 1)", ("auto",)),
    ("at::detail::empty_strided_cuda({4L, 8L}, {8L, 1L}, at::kBFloat16, c10::DeviceType::CUDA)",
        (4, 8), "bfloat16", "(8, 1)", ("c10::DeviceType::CUDA)",)),
    # The options may be those of any type.
    ("at::empty_strided({4L}, {1L}, o), at::empty_strided({4L}, {1L}, at::kHalf)", (4,), None,
        "(1,)", None),
    (MIOPEN.format(1), (24, 24, 3, 3), "float32", "(216, 9, 3, 1)", None),
    (MIOPEN.format(7), (24, 24, 3, 3), None, "(216, 9, 3, 1)", None),
    ("MIOpen(HIP): \txDesc = {1, 24, 340, 340}, {2774400, 115600, 340, 1}, packed, \n"
        "MIOpen(HIP): \tconvDesc = conv2d, miopenConvolution, {1, 1}, {1, 1}, {1, 1}, ",
        (1, 24, 340, 340), None, "(2774400, 115600, 340, 1)", None),
    ("@354 = load[offset=25088000,end=45158400](@1) -> half_type, {50, 1024, 14, 14}, "
        "{200704, 196, 14, 1}, target_id=0", (50, 1024, 14, 14), "float16", "(200704, 196, 14, 1)",
        ("target_id=0",)),
    ("x -> float_type, {2, 3}, {0, 1}", (2, 3), "float32", "(0, 1)", ("x",)),
    ("a_m_k: dim 2, lengths {3840, 4096}, strides {4096, 1}", (3840, 4096), None, "(4096, 1)", ()),
    ("[Activation]_output[Half(1,64,128,150)]", (1, 64, 128, 150), "float16", None, None),
    ("input (Int8[1,3:4,224,224]) -> y", (1, 3, 224, 224), "int8", None, None),
    (" 1:  524288000 |  4096, 128256,     1,     1 | BF16    | token_embd.weight",
        (1, 1, 128256, 4096), "bfloat16", None, ()),
    ("ptr[32b]((nil)) o ((_1,_8),_1,_2):((_0,_1),_0,_2048)", (8, 1, 2), None,
        "ptr[32b]((nil)) o ((_1,_8),_1,_2):((_0,_1),_0,_2048)", ()),
    ("  print(s);   // ptr[32b]((nil)) o ((_1,_8),_1):((_0,_1),_0)", (8, 1), None,
        "cute:ptr[32b]((nil)) o ((_1,_8),_1):((_0,_1),_0)", ("print(s)",)),
    ("auto s = t.partition_D(x);  // (CPY,CPY_M) = ((_1,_8),_2):((_0,_1),_2048)", (8, 2), None,
        "cute:((_1,_8),_2):((_0,_1),_2048)", ("auto s = t.partition_D(x);  // (CPY,CPY_M)",)),
    ("sA_layout: Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", (8, 64), None,
        "cute:Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", ()),
]  # fmt: skip  # a row on two lines where it is long
test_what_a_message_says = says(ONE)

SEVERAL = [
    ("cudnn", CUDNN, [
        ("input", PIXELS, "float16", "(1228800, 1, 1920, 3)"),
        ("weight", (32, 3, 6, 6), "float16", "cudnn:NCHW"),
    ]),
    ("autotune", "AUTOTUNE mm(3840x1152, 1152x49136)\nstrides: [1, 3840], [49152, 1]\n"
        "dtypes: torch.bfloat16, torch.bfloat16\n  mm 0.3848 ms 100.0% \n", [
        ("input0", (3840, 1152), "bfloat16", "(1, 3840)"),
        ("input1", (1152, 49136), "bfloat16", "(49152, 1)"),
    ]),
    ("autotune of sizes", "AUTOTUNE addmm(1x32, 1x256, 256x32)", [
        ("input0", (1, 32), None, None), ("input1", (1, 256), None, None),
        ("input2", (256, 32), None, None),
    ]),
    ("mm", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x784 and 1024x10)", [
        ("mat1", (64, 784), None, None), ("mat2", (1024, 10), None, None),
    ]),
    ("numpy", "ValueError: operands could not be broadcast together with shapes (3,4) (4,) ", [
        (None, (3, 4), None, None), (None, (4,), None, None),
    ]),
    ("dot", "ValueError: shapes (3,4) and (5,6) not aligned: 4 (dim 1) != 5 (dim 0)", [
        (None, (3, 4), None, None), (None, (5, 6), None, None),
    ]),
    ("cute", "MMA_Atom\n  ThrID:      _32:_1\n  Shape_MNK:  (_16,_8,_16)\n"
        "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n(8,4):(4,1)\n", [
        ("ThrID", (32,), None, "cute:_32:_1"),
        ("LayoutC_TV", (32, 4), None, "cute:((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"),
        (None, (8, 4), None, "cute:(8,4):(4,1)"),
    ]),
    ("flags", "In [5]: a.shape, a.strides, a.flags.c_contiguous\nOut[5]: ((5,), (8,), True)\n"
        "In [6]: b.shape, b.strides, b.flags.c_contiguous\nOut[6]: ((1, 5), (0, 8), False)", [
        ("a", (5,), None, "numpy:(8,)"), ("b", (1, 5), None, "numpy:(0, 8)"),
    ]),
    ("conv", "RuntimeError: Given groups=1, weight of size [64, 3, 7, 7], expected input[1, 4, "
        "224, 224] to have 3 channels, but got 4 channels instead", [
        ("weight", (64, 3, 7, 7), None, None), ("input", (1, 4, 224, 224), None, None),
    ]),
    ("conv in a session", ">>> x.shape\ntorch.Size([4, 9])\nRuntimeError: Given transposed=1, "
        "weight of size [3, 2, 5], expected input[1, 4, 9] to have 3 channels, but got 4 channels "
        "instead", [
        ("x", (4, 9), None, None),
        ("weight", (3, 2, 5), None, None), ("input", (1, 4, 9), None, None),
    ]),
    ("strides", "AssertionError: expected strides (3136, 1, 56) but got (3136, 56, 1) for shape "
        "(64, 56, 56)", [
        ("expected", (64, 56, 56), None, "(3136, 1, 56)"),
        ("got", (64, 56, 56), None, "(3136, 56, 1)"),
    ]),
    # What a session says of its tensors is more.
    ("a session", "x.shape torch.Size([2, 3])\nx.stride() (1, 2)\nRuntimeError: mat1 and mat2 "
        "shapes cannot be multiplied (2x3 and 2x4)", [("x", (2, 3), None, "(1, 2)")]),
]  # fmt: skip  # a text, then the tensors that it names


@pytest.mark.parametrize(
    ("text", "expected"), [r[1:] for r in SEVERAL], ids=[r[0] for r in SEVERAL]
)
def test_all_tensors_of_a_message_are_found(text: str, expected: list[tuple[object, ...]]) -> None:
    found = read_text(text).tensors
    assert [(t.role, t.shape, t.dtype, t.layout) for t in found] == expected


REFUSED: list[Refused] = [
    (CUDNN.replace("HALF", "INT8x4"), 125, "count vectors"),
    (CUDNN.replace("TENSOR_NCHW", "TENSOR_NCHW_VECT_C")[196:], 126, "count vectors"),
    (CUDNN.replace("1228800, ", "").partition("weight")[0], 196, "4 strides"),
    ("reader.tensor(b, (4, 2), dtype=torch.float8_e4m3fnuz)", 31, "one of float64"),
    (" 1:  4 |  4,     8 | Q4_K    | a.weight", 21, "Q4_K count blocks"),
    ("sA: (_8,_4):(_4,_1,_2)", 19, "2 modes"),
    ("AUTOTUNE mm(s0x4, 4x4)", None, "a shape and strides"),
    ("input shapes (2,3) (4,5)", None, "a shape and strides"),
    ("at 12:30\nat 13:40", None, "a shape and strides"),
]  # fmt: skip  # a row on two lines where it is long


test_what_is_refused = refuses(REFUSED)


def test_strides_of_fewer_tensors_than_sizes_are_those_of_none() -> None:
    assert read_text("AUTOTUNE mm(2x3, 3x4)\nstrides: [3, 1]\n").shape is None


@pytest.mark.parametrize(
    "piece",
    [
        *("a: TensorDescriptor 0x1\n", "reader.tensor(a, (1, ", "T([1, "),
        *("reader.tensor(a, (1), dtype=", "a and ", "dim.values = {1 "),
        *("a = at::empty_strided({1}, {1}", "AUTOTUNE mm(1x1, ", "dataType = 1 ", "aDesc = {1, "),
        *("@1 = ", "-> a_type, {1, ", "a: dim 1, lengths {1, ", "[Half(1,", "1: 1 | 1, "),
        *("a: ((1,", "(1,1):(", "shapes (1,) ", "{'shape': ", "': array(["),
    ],
)  # fmt: skip  # many pieces in a line
def test_long_messages_cost_what_their_length_explains(piece: str) -> None:
    assert_reads_like("x" * LONG, (piece * LONG)[:LONG], times=400)


def test_no_pattern_of_a_message_can_be_cut_in_many_ways() -> None:
    rows = (*messages._MESSAGES, *messages._MISFITS, *messages._ERRORS)
    assert [pattern for _, pattern in rows if ambiguous_in(pattern)] == []
