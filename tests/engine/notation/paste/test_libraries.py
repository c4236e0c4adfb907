"""Calls and logs of cuDNN, TensorRT, ggml, MKL-DNN, MLIR: what is not read is said."""

import numpy as np
import pytest

from app.engine import offset_map, parse_layout
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

LONG = fewer(MAX_TEXT)
PIXELS = (1, 64, 56, 56)
SWIZZLE = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
TRANSPOSED = "affine_map<(d0, d1) -> (d1, d0)>"
GGML = "ne = {64, 56, 56, 1}, nb = {2, 128, 7168, 401408}"
BYTES = "numpy:(401408, 7168, 128, 2)"
TRT = "Dimensions: [1,64,56,56], Format/Datatype: {}"
READ: list[Said] = [
    ("cudnnSetTensor4dDescriptorEx(desc, CUDNN_DATA_HALF, 1, 64, 56, 56, 200704, 1, 3584, 64)",
        PIXELS, "float16", "(200704, 1, 3584, 64)", ()),
    ("CHECK(cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, /*n*/ 1, 64, 56, "
        "56));", PIXELS, "float32", "cudnn:NHWC", ("CHECK",)),
    ("cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4, 1, 8, 2, 2)",
        (1, 8, 2, 2), "int8", "cudnn:NCHW_VECT_C CUDNN_DATA_INT8x4", ()),
    ("cudnnSetFilter4dDescriptor(d, CUDNN_DATA_HALF, CUDNN_TENSOR_NCHW, 8, 4, 3, 3)",
        (8, 4, 3, 3), "float16", "cudnn:NCHW", ()),
    ("int a[3] = {2, 3, 4};\nint s[3] = {12, 4, 1};\n"
        "cudnnSetTensorNdDescriptor(d, CUDNN_DATA_DOUBLE, 3, a, s); f(3)",
        (2, 3, 4), "float64", "(12, 4, 1)", ("f(3)",)),
    ("CUDNN_BACKEND_TENSOR_DESCRIPTOR : Datatype: CUDNN_DATA_HALF Id: 12 VectorCount: 1 "
        "vectorDimension -1 Dim [ 8,32,4,4 ] Str [ 512,1,128,32 ] isVirtual: 0",
        (8, 32, 4, 4), "float16", "(512, 1, 128, 32)",
        ("CUDNN_BACKEND_TENSOR_DESCRIPTOR : Datatype", "Id: 12 VectorCount: 1 vectorDimension -1",
         "isVirtual: 0")),
    ("Tensor().setDim(4, {2,3,4,5}).setStride(4, {60,1,15,3})\n.setDataType(CUDNN_DATA_INT8)",
        (2, 3, 4, 5), "int8", "(60, 1, 15, 3)", ("Tensor()", "setDataType")),
    ("{'x': {\"data_type\": \"BFLOAT16\", \"dim\": [8, 64], \"stride\": [1, 8]}}",
        (8, 64), "bfloat16", "(1, 8)", ("{'x",)),
    ("graph.tensor(name='x', dim=[8, 64, 56], stride=[64 * 56, 1, 64],\n"
        "data_type=cudnn.data_type.HALF)", (8, 64, 56), "float16", "(3584, 1, 64)",
        ("graph.tensor(name='x",)),
    ("Dim [ 8,64 ] Str ( 64,1 ]", (8, 64), None, "(64, 1)", ()),
    ("fe::graph::Tensor_attributes().set_dim({4, 2*8}).set_stride({2 * 8, 1})", (4, 16), None,
        "(16, 1)", ("fe::graph::Tensor_attributes()",)),
    ("let a:bfloat16[8,128] = exp b", (8, 128), "bfloat16", None, ("let", "exp b")),
    ("Half(2,64,7,7) strides=(3136, 1, 448, 64)", (2, 64, 7, 7), "float16",
        "tensorrt:(3136,1,448,64)", ()),
    ("[V] Autotuning format combination: Float(150528,50176,224,1) -> Int8(50176,50176:4,224,1)",
        None, "float32", "tensorrt:(150528,50176,224,1)", ("[V] Autotuning format combination",)),
    ("Half(1:8,448,8)", None, "float16", "tensorrt:(1:8,448,8)", ()),  # HWC8 without N
    ("Half(8,448,1:8)", None, "float16", "tensorrt:(1:8,448,8)", ()),
    # Before version 8 the log begins with the innermost.
    ("Autotuning format combination: Float(1,14,196,100352) -> Half(8,448,1:8,50176)", None,
        "float32", "tensorrt:(100352,196,14,1)", ("Autotuning format combination",)),
    ("Name: conv1, " + TRT.format("Channel major FP16 format where channel % 8 == 0"),
        PIXELS, "float16", "tensorrt:kHWC8", ()),
    ('{"Name": "x", "Location": "Device", "Dimensions": [2,3], "Format/Datatype": '
        '"Row major linear FP32"}', (2, 3), "float32", "tensorrt:kLINEAR",
        ('Location": "Device',)),
    (f"type = GGML_TYPE_F16, buffer = 0x0, {GGML}", (1, 56, 56, 64), "float16", BYTES,
        ("buffer = 0x0",)),
    ("w ne=[4, 3]\nnb=[4, 16]", (3, 4), None, "numpy:(16, 4)", ("w",)),
    ("ComplexFloat(2, 3, strides=[3, 1])", (2, 3), "complex64", "(3, 1)", ()),
    ("MKLDNN: nChw16c 1x64x56x56", PIXELS, None, "onednn:nChw16c", ()),
    ("torch.half and 3 more", None, "float16", None, ("and 3 more",)),
    (f"#map = {TRANSPOSED}\n#map1 = f\n%a: memref<2x3xf32, #map>, %b: memref<?xf32>",
        (2, 3), "float32", f"mlir:memref<2x3xf32, {TRANSPOSED}>",
        ("map1 = f", "b: memref<?xf32>")),
    (f"#shared = {SWIZZLE}\n#smem = #ttg.shared_memory\n"
        "%0 = ttg.local_alloc : !ttg.memdesc<128x64xf16, #shared, #smem>", (128, 64), "float16",
        f"mlir:!ttg.memdesc<128x64xf16, {SWIZZLE}, #ttg.shared_memory>", ()),
    ("#blocked = #ttg.blocked<{order = [1, 0]}>\n%0 : tensor<8x4xf16, #blocked>\n"
        "%1 : tensor<4xf32>", (4,), "float32", "mlir:tensor<4xf32>",
        ("blocked = #ttg.blocked<{order = [1, 0]}>", "0 : tensor<8x4xf16, #blocked>")),
    ('B = T.match_buffer(b, (T.int64(4), 8, 2), "float16", strides=(16, 1, 8), elem_offset=3)',
        (4, 8, 2), "float16", "(16, 1, 8)+3", ()),
    ('def main(A: T.Buffer((8, 64), "int8")):', (8, 64), "int8", "(64, 1)", ("def main",)),
    ("  mA : gmem_ptr[16b](0x7f00) o (8,4):(_1,8)\n  sA : smem_ptr[16b](0x40) o (_8,_4):(_4,_1)",
        (8, 4), None, "cute:gmem_ptr[16b](0x7f00) o (8,4):(_1,8)", ()),
    ("sB: Sw<3,4,3>_smem_ptr[16b](0x400) o ((_8,_2),_64):((_64,_512),_1)\nend", (16, 64), None,
        "cute:Sw<3,4,3>_smem_ptr[16b](0x400) o ((_8,_2),_64):((_64,_512),_1)", ("end",)),
    ("tensor(raw_ptr(0x7f00: f32, generic, align<4>) o (4,3):(3,1), data=", (4, 3), "float32",
        "cute:(4,3):(3,1)", ("data",)),
    ("sizes_and_strides_ = {size_ = 2, {outOfLineStorage_ = 0x3, inlineStorage_ = {2, 3, 0, 0, 0, "
        "1, 2, 0, 0, 0}}}, storage_offset_ = 7, data_type_ = {index_ = 15}", (2, 3), "bfloat16",
        "(1, 2)+7", ()),
    ("sizes_and_strides_ = {\n  {\n    outOfLineStorage_ = 0x3,\n    inlineStorage_ = {2, 3, 0, 0, "
        "0, 1, 2, 0, 0, 0}\n  },\n  size_ = 2\n}", (2, 3), None, "(1, 2)", ()),
    ("(gdb) p x.unsafeGetTensorImpl()->sizes_and_strides_\n$1 = {size_ = 4, "
        "{outOfLineStorage_ = 0x2, inlineStorage_ = {2, 3, 4, 5, 0, 60, 1, 15, 3, 0}}}",
        (2, 3, 4, 5), None, "(60, 1, 15, 3)", ()),
    ("loader: - tensor   1:  output.weight f16 [  64,     8,     1,     1 ]", (1, 1, 8, 64),
        "float16", None, ("loader",)),
    ("graph (float[2,3] x) =>", (2, 3), "float32", None, ("graph", "x) =>")),
    ("RuntimeError: Given groups=1, weight of size [64, 3, 7, 7], but got 224 channels",
        (64, 3, 7, 7), None, None,
        ("RuntimeError: Given groups=1, weight of", "but got 224 channels")),
    ("memory::dims src_dims = {2, 16, 7, 5};\nauto src = memory(dnnl::memory::desc(src_dims, "
        "memory::data_type::bf16, memory::format_tag::nhwc), eng);", (2, 16, 7, 5), "bfloat16",
        "onednn:nhwc", ("auto src = memory(dnnl", "eng)")),
    ("auto a = memory::desc({2, 3}, memory::data_type::f32, memory::dims{5, 1});\n"
        "memory(b, eng, static_cast<char *>(p) + 8);", (2, 3), "float32", "(5, 1)", None),
    ("dnnl_memory_desc_init_by_tag(&md, 2, (dnnl_dims_t){8, 6}, dnnl_s8, dnnl_ba)", (8, 6),
        "int8", "onednn:ba", ()),
    ("%x.1 : Float(10, 3, 32, 32, strides=[3072, 1, 96, 3], requires_grad=0, device=cuda:0) = f()",
        (10, 3, 32, 32), "float32", "(3072, 1, 96, 3)", ("f()",)),
    (" 0.5  1.5\n[ CUDABFloat16Type{1,2} ]", (1, 2), "bfloat16", None, ("0.5  1.5",)),
]  # fmt: skip  # a row on two lines where it is long


test_what_libraries_print = says(READ)


REFUSED: list[Refused] = [
    ("VectorCount: 4 vectorDimension 1 Dim [ 8,2,4 ] Str [ 8,4,1 ]", 0, "vectors"),
    ('{"dim":[8,64],"stride":[1]}', 23, "2 strides"),
    ("cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, n, 64, 56, 56)", 66,
        "an integer"),
    ("cudnnSetTensor4dDescriptorEx(d, CUDNN_DATA_HALF, 1, 64, 56, 56, 9)", 28, "4 sizes"),
    ("cudnnSetTensor4dDescriptorEx(d, CUDNN_DATA_INT8x4, 1, 4, 2, 2, 4, 4, 2, 1)", 0, "vectors"),
    ("Half(3:4,1:8)", 4, "at most one"),
    ("Half(1,64,128,150)", 4, "the stride of N first, or last"),
    ("Half(1,64,56,56)", 4, "the stride of N first, or last"),
    ("Half(1,64,8)", 4, "the stride of N first, or last"),
    ("Half(2,64,7) strides=(3136,1:8)", 21, "3 strides"),
    ("Half(2,64,7,7) strides=...", 23, "a list of integers"),
    ("cudnnSetTensorNdDescriptor(d, CUDNN_DATA_HALF, 3, (int[]){2, x 3, 4}, (int[3]){12, 4, 1})",
        57, "a list of integers"),
    (TRT.format("Sixty wide channel vectorized row major Int8 format"), 43, "one of LINEAR"),
    (TRT.format("Unknown"), 43, "Row major"),
    (f"{GGML}, type = GGML_TYPE_Q4_0", 68, "Q4_0 count blocks"),
    ("ne = {64, 56}, nb = {2}", 20, "2 strides"),
    ('T.Buffer((8, 64), "int8", strides=(1,))', 34, "2 strides"),
    ("gA : gmem_ptr[16b](0x0) o (8,4):(1,8,2)", 37, "2 modes"),
    ("a Swizzle<3,4,3> o smem_ptr[16b](0x7f) o (_8,_64):(_64,_1)", 19, "multiple of the 16 bits"),
    ("tensor<ptr<f16, gmem> o (?,4):(4,1)>", 25, "known only at run time"),
    ("MKLDNN: nChw 1x64x56x56", None, "strides"),
    ("torch.Size([4294967296, 4294967296, 16]) torch.int8", None, "at most 2^63-1 elements"),
    ("#a = #ttg.blocked<{}>\ntensor<8xf16, #a>", 22, "a layout of memory"),
    ("memory::desc(dims, dt::f32, tag::ab)", 13, "a list of integers"),
    ("memory::desc({3, 2}, dt::f32, memory::dims{2})", 30, "2 strides"),
    ("memory::desc({3, 2}, dt::f32, tag::ab).permute_axes({1, 0})", 38, "the descriptor alone"),
    ("torch.rand(4, 6).t().view(24)", 21, "Dimensions a, b: a and b cannot join"),
]  # fmt: skip  # a row on two lines where it is long


test_what_is_refused = refuses(REFUSED)


LOGGED = "i! Datatype: CUDNN_DATA_{0} Id: 1 Dim [ {1},64 ] Str [ 64,1 ]\n"
CALLED = "graph.tensor(name='x', dim=[{1}, 64], stride=[64, 1]{0})\n"


@pytest.mark.parametrize(
    ("form", "types", "expected"),
    [
        (LOGGED, ("HALF", "HALF", "FLOAT"), ["float16", "float16", "float32"]),
        (CALLED.replace("[64, 1]", "(64, 1)"), (", data_type=cudnn.data_type.HALF", "", ""),
            ["float16", None, None]),
        (CALLED, (", data_type=cudnn.data_type.HALF", "", ", data_type=cudnn.data_type.FLOAT"),
            ["float16", None, "float32"]),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_a_tensor_of_the_frontend_has_its_own_type(
    form: str, types: tuple[str, ...], expected: list[str | None]
) -> None:
    text = "".join(form.format(kind, place) for place, kind in enumerate(types, 1))
    found = read_text(text).tensors
    assert [(one.shape, one.dtype) for one in found] == [
        ((place, 64), kind) for place, kind in enumerate(expected, 1)
    ]


@pytest.mark.parametrize(
    ("strides", "shape", "named"),
    [
        ("(6272,1:8,448,8)", (2, 64, 14, 56), "kHWC8"),
        ("(1:8,448,8)", (64, 14, 56), "kHWC8"),
        ("(50176,50176:4,224,1)", (1, 3, 224, 224), "kCHW4"),
        ("(784,196,14,1)", (2, 4, 14, 14), "kLINEAR"),
        ("(21,7:32,1)", (2, 70, 7), "kCHW32"),
    ],
)
def test_tensorrts_strides_count_vectors(strides: str, shape: tuple[int, ...], named: str) -> None:
    ours = parse_layout(f"tensorrt:{strides}", shape)
    if named != "kCHW32":
        assert np.array_equal(
            offset_map(ours), offset_map(parse_layout(f"tensorrt:{named}", shape))
        )
    assert (
        ours.padded_shape[-3 % len(shape) if named != "kCHW32" else 1]
        % int(strides.partition(":")[2].partition(",")[0] or 1)
        == 0
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("cudnnSetTensor4dDescriptor(", "cudnnSetTensorNdDescriptor(d, a);", "int a[1] = {1};"),
        *("Half(1,", "Half(1:8)", "Name: a, ", "Dimensions: [1], ", "ne = {", "ne = {1} ", "T("),
        *("nb={1}", "type = F16 ne = {1}", "MKLDNN: ", "#a = b\n", "memref<1xf32, #a>", "x.t_("),
        *("x = torch.rand(1)\n", "x[0]\n", "x = x.t()\n", "a, ", "for x", "torch.rand(", "x.T"),
        *("f32[2][", "torch.rand(1).T", "[:]"),
        *("T.Buffer((1, ", "ptr[1b](0) o ((1", "tensor<ptr<f16, ", "- tensor 1: a "),
        *("memory::desc({1, ", "memory::desc(a, ", "x = memory::desc x(", "dnnl_dims_t a = {1"),
        *("dnnl_memory_desc_init_by_tag(&a, 1, ", "Half(1, ", "%a : Float(1, strides=["),
    ],
)
def test_long_prints_cost_what_their_length_explains(piece: str) -> None:
    text = ("x = torch.rand(2, 2)\n#a = 1\n" + piece * LONG)[:LONG]
    assert_reads_like("x" * LONG, text, times=400)
