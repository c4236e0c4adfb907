"""Pasted text: sessions, debuggers and logs say the tensor that they were printed from."""

from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, offset_map, parse_layout
from app.engine.notation.paste.found import Item
from app.engine.notation.paste.keys import dtype_in
from app.engine.notation.paste.pasted import MAX_TEXT, find_tensors, first_of
from app.engine.notation.paste.reading import Read
from tests.engine.notation.paste.checks import (
    Sizes,
    assert_reads_like,
    read_or_refused,
    refuses,
    says,
)
from tests.engine.strategies import any_layouts
from tests.examples import examples, fewer

LONG = fewer(MAX_TEXT)
CONVOLUTION = (
    "onednn_verbose,v1,primitive,exec,cpu,convolution,brgconv:avx512_core,forward_training,"
    "{} {} bia:undef::undef::: {},attr-scratchpad:user,alg:convolution_direct,"
    "mb32_g2ic4oc8_ih32oh16kh3sh2dh0ph1_iw30ow15kw5sw2dw0pw2,0.5"
)
SRC, WEI, DST = (
    "src:f32::blocked:acdb::f0",
    "wei:f32:ap:blocked:aBCde8c8b::f0",
    "dst:bf16::blocked:acdb::f0",
)
DML = """DML_BUFFER_TENSOR_DESC desc = {};
desc.DataType = DML_TENSOR_DATA_TYPE_FLOAT16;
UINT sizes[4] = { 1, 1, 3, 5 };
UINT strides[4] = { 15, 1, 5, 1 };"""
CUDNN = """i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         nbDims: type=int; val=4;
i!         dimA: type=int; val=[1,64,56,56];
i!         strideA: type=int; val=[200704,1,3584,64];"""
IPYTHON = """In [3]: x.size()
Out[3]: torch.Size([2, 3])

In [4]: x.stride()
Out[4]: (5, 1)

In [5]: x.storage_offset()
Out[5]: 7"""

NP_INFO = StringIO()
np.info(np.zeros((4, 3)).T, output=NP_INFO)


def read_pasted(text: str) -> Item:
    """The first tensor of a text that can be read, or the element type alone."""
    found = find_tensors(text)
    return first_of(found) if found else dtype_in(text) or Item(0)


# A text, and the sizes, type and layout that it says.
ROWS: list[tuple[str, Sizes | None, str | None, str | None]] = [
    ("torch.Size([1, 3, 4, 4]) memory_format=torch.channels_last torch.int8",
        (1, 3, 4, 4), "int8", "channels_last"),
    ("the storage_offset of shape (2, 3)", (2, 3), None, None),
    (IPYTHON, (2, 3), None, "(5, 1)+7"),
    # What print(x.shape, x.dtype, x.strides) prints, and the same in a debugger.
    ("torch.Size([2, 3]) torch.float16 (3, 1)", (2, 3), "float16", "(3, 1)"),
    ("(3, 4) (8, 24) float64", (3, 4), "float64", "numpy:(8, 24)"),
    ("(1, 2) torch.Size([2, 3]) torch.int8", (2, 3), "int8", "(1, 2)"),
    ("pads (1, 1), torch.Size([2, 3, 4])", (2, 3, 4), None, None),
    ("torch.int8 torch.Size([2]) (1,)\ntorch.half torch.Size([3]) (1,)", (2,), "int8", "(1,)"),
    ("shape (2, 3) strides (4, 8) float32", (2, 3), "float32", "numpy:(4, 8)"),
    ("sizes=[2, 3], strides=[1, 2], dtype=c10::Half", (2, 3), "float16", "(1, 2)"),
    ("x.sizes() = [2, 3], x.strides() = [1, 2], x.scalar_type() = BFloat16", (2, 3), "bfloat16",
        "(1, 2)"),
    ("shape (2, 3) strides (12, 4) torch.float32", (2, 3), "float32", "(12, 4)"),
    ("(48, 4, 12) (2, 3, 4) float32", (2, 3, 4), "float32", "numpy:(48, 4, 12)"),
    ("(2, 3)\n(10, 2)", (2, 3), None, "(10, 2)"),
    ("[2, 3, 4] [12, 1, 3]", (2, 3, 4), None, "(12, 1, 3)"),
    ("(gdb) p t\n$1 = {m_shape = std::vector of length 2, capacity 2 = {2, 3},\n  m_strides = "
        "std::vector of length 2, capacity 2 = {4, 8}, dtype_ = c10::ScalarType::Half}", (2, 3),
        "float16", "(4, 8)"),
    ("t.sizes_ = {2, 3} t.strides_ = {4, 8} t.storage_offset_ = 5", (2, 3), None,
        "(4, 8)+5"),
    ("dims = {2, 3}\nstrides = {3, 1}\ndt = dnnl_bf16", (2, 3), "bfloat16", "(3, 1)"),
    ("(gdb) p *x.sizes().data()@2\n$1 = {2, 3}\n(gdb) p x.strides()\n"
        "$2 = c10::ArrayRef<long> of length 2 = {1, 2}", (2, 3), None, "(1, 2)"),
    ("(lldb) p x.sizes().vec()\n(std::vector<long>) $0 = size=2 {\n  [0] = 2\n  [1] = 3\n}\n"
        "(lldb) p x.strides().vec()\n(std::vector<long>) $1 = size=2 {\n  [0] = 1\n  [1] = 2\n}",
        (2, 3), None, "(1, 2)"),
    ("In [3]: x.shape, x.dtype, x.strides\nOut[3]: ((3, 4), dtype('bool'), (1, 3))", (3, 4),
        "bool", "numpy:(1, 3)"),
    ("x = {'shape': (2, 3), 'strides': None, 'typestr': '|u1'}", (2, 3), "uint8", "numpy:C"),
    ("{'shape': (2, 3), 'stride': (1, 2)}", (2, 3), None, "(1, 2)"),
    # A dictionary is no array interface by its sizes alone.
    ('{"shape": [4, 64], "strides": [64, 1], "dtype": "float32"}', (4, 64), "float32", "(64, 1)"),
    ("{'shape': (2, 3), 'strides': (24, 8)}", (2, 3), None, "numpy:(24, 8)"),
    ("{'shape': (2, 3), 'strides': (24, 8), 'data': (139872, False)}", (2, 3), None,
        "numpy:(24, 8)"),
    ('{"shape": [2, 3], "dtype": "float16", "data": [1, 2, 3, 4, 5, 6]}', (2, 3), "float16", None),
    ('{"chunks": [64, 64], "dtype": "<f8", "order": "F", "shape": [128, 256]}', (128, 256),
        "float64", None),
    ("[{'name': 'a', 'shape': array([   1, 2535,    4], dtype=int32), 'shape_signature': "
        "array([ 1, -1,  4], dtype=int32), 'dtype': <class 'numpy.float32'>, "
        "'quantization_parameters': {'scales': array([], dtype=float32)}}]", (1, 2535, 4),
        "float32", None),
    ("[{'name': 'sub_7',\n  'index': 183,\n  'shape': array([  1, 257, 257,   3], dtype=int32),\n"
        "  'dtype': numpy.float32,\n  'quantization': (0.0, 0)}]", (1, 257, 257, 3), "float32",
        None),
    ("Layout { shape: [2, 8, 64], stride: [1536, 64, 1], start_offset: 512 }", (2, 8, 64), None,
        "(1536, 64, 1)+512"),
    ("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }", (3, 4), "float32", "numpy:F"),
    ("{'descr': '>i4', 'fortran_order': False, 'shape': (3, 4), }", (3, 4), "int32", "numpy:C"),
    ("{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (3,)}", (3,), None, "numpy:F"),
    ("shape (3, 4)\n" + str(np.zeros((4, 3)).T.flags), (3, 4), None, "numpy:F"),
    (f">>> a.flags\n{np.zeros((4, 3)).T.flags}\n>>> a.shape\n(3, 4)\n>>> a.dtype\n"
        "dtype('float64')", (3, 4), "float64", "numpy:F"),
    (NP_INFO.getvalue(), (3, 4), "float64", "numpy:(8, 24)"),
    (DML, (1, 1, 3, 5), "float16", "(15, 1, 5, 1)"),
    ("Sizes = { 1, 1, 3, 5 }; Strides = nullptr;", (1, 1, 3, 5), None,
        "Sizes = { 1, 1, 3, 5 }; Strides = nullptr;"),
    ("shape = {2, 3}, strides = NULL", (2, 3), None, "(3, 1)"),
    (CUDNN, (1, 64, 56, 56), "float32", "(200704, 1, 3584, 64)"),
    (CONVOLUTION.format(WEI, WEI, DST), (2, 4, 2, 3, 5), "float32", "onednn:aBCde8c8b"),
    ("dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
        "dst_f32:p:blocked:aBcd16b:f0,,,2x20x7x7,0.01", (2, 20, 7, 7), "float32", "onednn:abcd"),
    ("src:f32::blocked:ab:100x1:f0 dst:f32::blocked:ab::f0,,,,3x4,0.1", (3, 4), "float32",
        "(100, 1)"),
    ("src:f16::blocked:ab::f0 wei:s8::blocked:ba::f0 dst:f16::blocked:ab::f0,,,41x34:34x12,0.7",
        (41, 34), "float16", "onednn:ab"),
    ("%p = f32[2,3]{1,0} parameter(0)", (2, 3), "float32", "xla:f32[2,3]{1,0}"),
    ("%0 = memref.alloc() : memref<2x3xf32, strided<[5, 1], offset: 3>>", (2, 3), "float32",
        "mlir:memref<2x3xf32, strided<[5, 1], offset: 3>>"),
    ("static const unsigned char img[4][8][3] = {0};", (4, 8, 3), "uint8", "(24, 3, 1)"),
]  # fmt: skip  # a row on two lines where it is long


test_what_a_text_says = says([(*row, None) for row in ROWS])


test_malformed_text_is_marked_where_it_goes_wrong = refuses(
    [
        ("", None, "torch.Size([2, 3]) (3, 1)"),
        ("x" * (MAX_TEXT + 1), None, "at most 262144 characters"),
        ("torch.Size([2, 3] (3, 1)", 18, "a closing )"),
        ("torch.Size([2, 3]) (3, x)", 23, "an integer"),
        ("torch.Size([2, 3]) (3,)", 19, "2 strides"),
        ("shape=(2, 3), storage_offset=" + "9" * 50, 29, "at most 20 digits"),
        ("shape=" + "(" * 60, 39, "at most 32 brackets"),
        ("shape=(-2, 3)", None, "from 0 to 2^63-1"),
        ("x = {'typestr': '<f8', 'shape': (2, 3), 'strides': 'C'}", 51, "a list of integers"),
        ("{'shape': (2, 3), 'typestr'}", 18, "'key': value"),
        ("C_CONTIGUOUS : False\nF_CONTIGUOUS : False", 0, "flags give only"),
        ("src_f32::blocked:aBcd16b:64x16x8x1:f0", 25, "blocks are dense"),
        ("memref<2x3xf32", 14, "a closing >"),
        (f"#a = {'b' * 399}\nmemref<{'#a' * 20}>", 405, "at most"),
        ("%p = f32[2,3]{1,1} parameter(0)", 16, "each dimension from 0 to 1 once"),
        ("bf16[35]{1,0:T(2,2)}", 12, "1 dimensions in braces"),
        ("x = f16[2]{T(0)} y = f16[2]{0}", 11, "the number of a dimension"),
        ("dims=[1, 2], CUDNN_DATA_INT8x4", 13, "count vectors"),
        ("(2, 3) float99 (12, 4)", 7, "one of float64"),
        ("float x[2, 3]", 8, "one size between brackets"),
    ]
)


def braces(numbers: tuple[int, ...]) -> str:
    return "{ " + ", ".join(map(str, numbers)) + " }"


FORMS = [
    "torch.Size({list}) {strides}",
    "shape=torch.Size({list}), stride={strides}, dtype=torch.int32, storage_offset={offset}",
    ">>> x.shape\n{shape}\n>>> x.strides\n{bytes}\n>>> x.dtype\ndtype('int32')",
    "{{'shape': {shape}, 'strides': {bytes}, 'typestr': '<i4', 'offset': {first}}}",
    "tensor([...], size={shape}, stride={strides}, dtype=torch.int32, offset={offset})",
    "(gdb) p t\n$1 = {{sizes = {c_shape}, strides = {c_strides}, storage_offset = {offset}}}",
    "dimA: type=int; val={list};\nstrideA: type=int; val={list_strides};\nCUDNN_DATA_INT32",
    "Sizes = {c_shape}; Strides = {c_strides}; DML_TENSOR_DATA_TYPE_INT32",
]


@examples(1000)
@given(any_layouts(), st.sampled_from(FORMS))
def test_what_is_printed_is_what_is_read(layout: Layout, form: str) -> None:
    strides = replace(layout, swizzle=None).strides
    if strides is None or not layout.rank:
        return
    text = form.format(
        shape=layout.shape,
        list=list(layout.shape),
        c_shape=braces(layout.shape),
        strides=strides,
        list_strides=list(strides),
        c_strides=braces(strides),
        bytes=tuple(4 * s for s in strides),
        offset=layout.offset,
        first=4 * layout.offset,
    )
    said = read_pasted(text)
    assert said.shape == layout.shape
    assert said.layout is not None
    offset = layout.offset if "offset" in form else 0
    assert said.dtype == ("int32" if "32" in form or "<i4" in form else None)
    numbers = said.layout.removeprefix("numpy:").removesuffix(f"+{said.least_offset}")
    unit = 4 if "numpy:" in said.layout else 1
    least = sum((n - 1) * max(-s * unit, 0) for n, s in zip(layout.shape, strides, strict=True))
    assert (said.least_offset or 0) == (0 if "offset" in form else least)
    if not offset:
        numbers += f"+{layout.offset * unit}"
    prefix = "numpy:" if said.layout.startswith("numpy:") else "strides:"
    again = parse_layout(prefix + numbers, said.shape, None, "int32")
    plain = Layout.strided(layout.shape, strides, layout.offset)
    assert np.array_equal(offset_map(again), offset_map(plain))


@examples(600)
@given(st.data())
def test_no_text_breaks_the_reader(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([row[0] for row in ROWS]))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        to = data.draw(st.integers(at, min(len(text), at + 5)))
        text = text[:at] + data.draw(st.text(max_size=4)) + text[to:]
    found = read_or_refused(text)
    assert isinstance(found, Read) or found.position is None or 0 <= found.position <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        *("a ", "a_", "f32[", "f32[2]{", "src_", "src:f32:", "memref<", "shape=", "(", "[1,"),
        *("{'a':", "a1", "x[1]", "2x", "mb1", "_a", "torch.", "val=", "\n", ">", "= ", "-", ":"),
        *("torch.Size([1]) ", "src:f32::blocked:a::f0 ", "size(", "dtype="),
        *("?shape=1&layout=", "https://a?", "itemsize ", "format ", "format='", "strides=(1)+"),
        *("x = np.arange(1).reshape((1, ", "as_strided(a, (1, ", '{"shape": [1], "layout": '),
        "curl ",
    ],
)
def test_long_text_costs_what_its_length_explains(piece: str) -> None:
    assert_reads_like("x" * LONG, (piece * LONG)[:LONG], times=30)
