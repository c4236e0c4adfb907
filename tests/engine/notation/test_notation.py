"""Every dialect: reads what it writes, marks what it cannot read, says why it cannot write."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, parse_dtype, parse_layout
from app.engine.model.layout import Digit, Layout, default_dims
from app.engine.notation import DIALECTS, canonical_spelling, notations, readings
from tests.engine.notation.dialects.dense_checks import Malformed, marked
from tests.engine.strategies import far_apart, small_layouts
from tests.examples import examples

FLOAT32 = parse_dtype("float32")


@examples(300)
@given(small_layouts(), small_layouts())
def test_a_layout_behind_leading_ones_has_the_same_addresses(one: Layout, two: Layout) -> None:
    behind = (1,) * (two.rank - one.rank) + one.shape == two.shape
    alike = (
        one.rank < two.rank
        and behind
        and one.buffer_elements == two.buffer_elements
        and np.array_equal(offset_map(one), offset_map(two).reshape(one.shape))
    )
    assert (two.normal_form.after_ones(one.rank) == one.normal_form != two.normal_form) <= alike
    ones = ((Digit(1, 7),),) * 2
    longer = Layout(
        (1, 1, *one.shape), default_dims(one.rank + 2), ones + one.digits, one.offset, one.swizzle
    )
    assert longer.normal_form.after_ones(one.rank) == one.normal_form != longer.normal_form


@pytest.mark.parametrize("text", ["HW", "5,1", "{5,1}", "(20, 4)", "(2,3)"])
def test_a_reading_with_another_shape_holds_the_same_memory_behind_ones(text: str) -> None:
    shape = (2, 3)
    layout = parse_layout(text, shape)
    longer = [r for r in readings(text, layout, FLOAT32, shape=shape) if r.shape is not None]
    assert [r.system for r in longer] == ["directml"]
    for reading in longer:
        other = parse_layout(f"{reading.system}:{reading.text}", shape)
        assert other.shape == reading.shape == (1, 1, 2, 3)
        assert np.array_equal(offset_map(other).reshape(shape), offset_map(layout))


@pytest.mark.parametrize("written", ["(3072,1,96,3)", "[3072,1,96,3]", "{3072,1,96,3}", "(96:4,1)"])
def test_blanks_behind_commas_change_no_reading(written: str) -> None:
    shape = (10, 3, 32, 32)[: written.count(",") + 1]
    systems = []
    for text in (written, written.replace(",", ", ")):
        layout = parse_layout(text, shape)
        systems.append([r.system for r in readings(text, layout, FLOAT32, shape=shape)])
    assert systems[0] == systems[1]


@settings(max_examples=150)
@given(far_apart(), st.sampled_from(["float64", "int8"]))
@example(Layout.strided((1,) * 52, [-(10**18)] * 52), "float32")
@example(Layout.strided((2, 2), (2**61, 1)), "float64")
def test_a_long_text_or_a_large_number_is_written_only_if_it_reads_back(
    layout: Layout, type_name: str
) -> None:
    dtype = parse_dtype(type_name)
    said = notations(layout, dtype)
    for system, words in said.items():
        if "text" in words:
            again = parse_layout(f"{system}:{words['text']}", layout.shape, layout.dims, dtype)
            assert again.normal_form == layout.normal_form, (system, words)
    shown = canonical_spelling(layout, said)
    if any("text" in words for words in said.values()):
        again = parse_layout(shown, layout.shape, layout.dims, dtype)
        assert again.normal_form == layout.normal_form


@pytest.mark.parametrize("system", ["cute", "mlir", "c"])
def test_what_would_be_too_long_is_refused_with_the_limit(system: str) -> None:
    long = Layout(
        (1,) * 52, default_dims(52), tuple((Digit(1, 10**18 + d),) * 4 for d in range(52))
    )
    halved = (tuple(Digit(2, 10**16 + k) for k in range(61)),)
    wide = Layout((2**61,), "W", halved)
    reason = notations(long if system == "cute" else wide, FLOAT32)[system].get("reason", "")
    assert reason == "The text would be longer than 2048 characters."


def test_a_number_beyond_int64_is_no_notation() -> None:
    said = notations(Layout.strided((2, 2), (2**61, 1)), parse_dtype("float64"))
    assert said["numpy"] == {
        "reason": "The text would contain a number above 2^63-1.",
        "code": "cannot.text.number",
        "params": {},
    }
    assert said["strides"] == {"text": f"({2**61}, 1)"}


@pytest.mark.parametrize("letters", ["W", "HW", "CHW", "NCHW", "NCDHW"])
def test_every_permutation_is_numpy_s_transpose(letters: str) -> None:
    shape = tuple({"N": 2, "C": 3, "D": 4, "H": 5, "W": 6}[c] for c in letters)
    for order in itertools.permutations(letters):
        layout = parse_layout("".join(order), shape)
        assert layout.dims == letters
        axes = [letters.index(c) for c in order]
        memory = np.arange(layout.elements).reshape([shape[a] for a in axes])
        assert np.array_equal(offset_map(layout), memory.transpose(np.argsort(axes)))


@pytest.mark.parametrize(("dtype", "c0"), [("float16", 16), ("int8", 32), ("float32", 8)])
@pytest.mark.parametrize(
    ("text", "shape", "rows", "columns", "axes"),
    [
        # CANN's transpositions, after both are split: rows in 16, columns in C0.
        ("FRACTAL_NZ", (20, 40), 0, 1, (2, 0, 1, 3)),
        ("FRACTAL_NZ", (2, 3, 20, 40), 2, 3, (0, 1, 4, 2, 3, 5)),
        ("FRACTAL_Z", (20, 40, 3, 2), 0, 1, (2, 4, 5, 0, 1, 3)),
        ("FRACTAL_Z_3D", (20, 40, 2, 3, 4), 0, 1, (4, 2, 5, 6, 0, 1, 3)),
    ],
)
def test_fractals_of_ascend_are_a_padded_transposition(
    text: str,
    shape: tuple[int, ...],
    rows: int,
    columns: int,
    axes: tuple[int, ...],
    dtype: str,
    c0: int,
) -> None:
    layout = parse_layout(text, shape, None, dtype)
    blocks = {rows: 16, columns: c0}
    padded = [-(-n // blocks.get(d, 1)) * blocks.get(d, 1) for d, n in enumerate(shape)]
    split = [
        part
        for d, n in enumerate(padded)
        for part in ((n // blocks[d], blocks[d]) if d in blocks else (n,))
    ]
    memory = np.arange(np.prod(padded)).reshape([split[axis] for axis in axes])
    whole = memory.transpose(np.argsort(axes)).reshape(padded)
    assert layout.padded_shape == tuple(padded)
    assert (offset_map(layout) == whole[tuple(map(slice, shape))]).all()


def test_weights_of_ascend_are_also_named_n_c_h_w() -> None:
    shape = (20, 40, 3, 3)
    named = parse_layout("FRACTAL_Z", shape, "NCHW")
    assert (named.dims, named.digits) == ("NCHW", parse_layout("FRACTAL_Z", shape).digits)
    with pytest.raises(LayoutError, match="at least 2 sizes"):
        parse_layout("FRACTAL_NZ", (4,))


@pytest.mark.parametrize("dims", ["NHWC", "WHCN"])
def test_dims_name_the_order_of_the_shape(dims: str) -> None:
    sizes = {"N": 2, "C": 8, "H": 3, "W": 5}
    layout = parse_layout("NCHW4", tuple(sizes[c] for c in dims), dims)
    canonical = parse_layout("NCHW4", (2, 8, 3, 5))
    assert layout.dims == dims
    axes = ["NCHW".index(c) for c in dims]
    assert (offset_map(layout) == offset_map(canonical).transpose(axes)).all()


@pytest.mark.parametrize(
    ("text", "same_as", "shape"),
    [
        ("nChw16c", "NCHW16", (2, 20, 3, 3)),
        ("nhwc", "NHWC", (2, 20, 3, 3)),
        ("torch.channels_last_3d", "NDHWC", (2, 3, 4, 5, 6)),
        ("contiguous_format", "NCHW", (2, 3, 4, 5)),
        ("contiguous", "NCHW", (2, 3, 4, 5)),
        ("NC/32HW32", "NCHW32", (2, 40, 3, 3)),
        ("tensorrt:NC/4HW4", "kCHW4", (2, 6, 3, 3)),
        ("NC/8DHW8", "NCDHW8", (2, 6, 3, 3, 3)),
        ("NC1HWC0", "NCHW8", (2, 40, 3, 3)),  # 32 bytes of float32
        ("NC1HWC0_C04", "NCHW4", (2, 6, 3, 3)),
        ("NDC1HWC0", "NDCHW8", (2, 40, 3, 3, 3)),
        ("3072,1,96,3", "channels_last", (10, 3, 32, 32)),
        ("[3072 1 96 3]", "channels_last", (10, 3, 32, 32)),
        ("numpy:(12288, 4, 384, 12)", "channels_last", (10, 3, 32, 32)),
        ("numpy:C", "NCHW", (2, 3, 4, 5)),
        ("numpy:F", "WHCN", (2, 3, 4, 5)),
        ("OhwI24o", "Ohwi24o", (30, 4, 3, 3)),
        ("gIOhw2i8o16i2o", "aBCde2c8b16c2b", (2, 40, 40, 3, 3)),
        ("tnc", "abc", (3, 4, 5)),
        ("ldoi", "abdc", (3, 4, 5, 6)),
        ("hwio", "cdba", (3, 4, 5, 6)),
    ],
)
def test_one_layout_in_several_notations(text: str, same_as: str, shape: tuple[int, ...]) -> None:
    a, b = parse_layout(text, shape), parse_layout(same_as, shape)
    assert (offset_map(a) == offset_map(b)).all()
    assert a.buffer_elements == b.buffer_elements


@pytest.mark.parametrize("text", ["NHWC", "onednn:ab", "(3, 1)", "c:h*3 + w"])
def test_names_are_as_many_as_sizes(text: str) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_layout(text, (2, 3), "HWC")
    assert refused.value.field == "shape"


def test_mappings_count_in_elements_or_in_bytes() -> None:
    elements = parse_layout({"strides": [5, 1], "offset": 3}, (2, 5), None, "int32")
    in_bytes = parse_layout({"byte_strides": [20, 4], "byte_offset": 12}, (2, 5), None, "int32")
    assert elements == in_bytes
    with pytest.raises(LayoutError, match="multiples of the 4 bytes"):
        parse_layout({"byte_strides": [20, 3]}, (2, 5), None, "int32")
    with pytest.raises(LayoutError, match="int4 is no whole byte"):
        parse_layout({"byte_strides": [20, 4]}, (2, 5), None, "int4")


MALFORMED = [
    Malformed("NCXW", 2, "letters of N, C, D, H, W"),
    Malformed("NHWCC", 4, "each letter once"),
    Malformed("NCHW0", 4, "a positive block size"),
    Malformed("NCHW4x", 5, "the letter of a dimension"),
    Malformed("NHW4", 3, "the block splits C"),
    Malformed("NCHW" + "9" * 30, 4, "below 10^18"),
    Malformed("letters:", 8, "a layout after the system"),
    Malformed("letters:nchw", 8, "letters of N, C, D, H, W"),
    Malformed("letters:N CHW", 9, "a block size"),
    Malformed("strides:x", 8, "integers separated by commas"),
    Malformed("strides:()()", 10, "integers separated by commas"),
    Malformed("strides:5, 1 3 +", 16, "an offset"),
    Malformed("(5,,1)", 3, "integers separated by commas"),
    Malformed("(5, 1", 5, "a closing )"),
    Malformed("(5, 1]", 5, "integers separated by commas"),
    Malformed("5, 1 +", 6, "an offset"),
    Malformed("(5, 1) + 3 4", 11, "the end"),
    Malformed("(99999999999999999999, 1)", 1, "2^63-1"),
    Malformed("nchw16c", 1, "a capital", (2, 3, 4, 5)),
    Malformed("nChw", 1, "a small letter", (2, 3, 4, 5)),
    Malformed("nChw16", 6, "the letter of a dimension", (2, 3, 4, 5)),
    Malformed("nChw 16x", 7, "the letter of a dimension", (2, 3, 4, 5)),  # blanks are counted
    Malformed("nChw 16", 7, "the letter of a dimension", (2, 3, 4, 5)),
    Malformed("letters: NCHW 0", 14, "a positive block size"),
    Malformed("dnnl_nChw16", 11, "the letter of a dimension", (2, 3, 4, 5)),
    Malformed("format_tag::nchx", 15, "as in nchw, once each", (2, 3, 4, 5)),
    Malformed("wino", 0, "Winograd's weights are opaque in oneDNN"),
    Malformed("onednn:wino", 7, "Winograd's weights are opaque in oneDNN"),
    Malformed("format_tag::wino", 12, "Winograd's weights are opaque in oneDNN"),
    Malformed("abd", 3, "the letters a, b, c"),
    Malformed("abcb", 3, "once each"),
    Malformed("tvm5:x", 0, "one of megengine, letters"),
    Malformed("onednn:", 7, "a layout after the system"),
    Malformed("", None, "a layout such as", field="layout"),
    Malformed("?", 0, "a layout such as"),
    Malformed("N" * 3000, None, "at most 2048 characters", field="layout"),
]
test_malformed_text_is_marked_where_it_goes_wrong = marked(parse_layout, MALFORMED)


# By the systems that recognise them: texts.
RECOGNISED = {
    "c python": ("c%4 + h",),
    "c": ("c/4 + h",),
    "python": ("c//4 + h", "c//4"),
    "cudnn": (
        *("CUDNN_TENSOR_NHWC", "NCHW_VECT_C", "NCHW_VECT_Cx4", "NCHW_VECT_C, CUDNN_DATA_UINT8x4"),
        "CUDNN_TENSOR_NCHW_VECT_C + INT8x32",
    ),
    "cudnn strides": ("{2,3,4}/{12,4,1}",),
    "cute": ("_4:_1", "((2,2),3) : ((1,6),2)"),
    "cute strides": ("4:1", "(2,3):(3,1)"),
    "cutlass": ("TensorNCxHWx", "TensorNWHC", "TensorKCSR", "cutlass::half_t", "layout::"),
    "directml": ("Sizes = { 1, 1, 3, 5 }",),
    "letters": ("NCHW4", "CHWN4", "NCHW8", "CHW32", "HWC8", "DHWC", "C"),
    "letters onednn": ("NCHW", "NHWC"),
    "letters megengine": ("NHWCD4", "NCHW44", "NCHW88"),
    "megengine": ("NCHW44_DOT", "weights NCHW", "channel-wise weights NCHW88"),
    "megengine strides": ("{2(5),5(1)}",),
    "onednn": ("abcd", "nChw16c", "nChw8c", "aBcd16b", "OI16i16o", "NCHW4x"),
    "onnxruntime": ("NCHWc", "NCHWc8", "NCHWc16", "OIHWBo8", "OIHWBiBo16", "NCHWc7"),
    "pytorch": ("channels_last", "torch.Size([2])", "preserve_format", "contiguous"),
    "strides": (
        *("(5, 1)", "5,1+3", "7", "(5, 1) offset 3", "5 1 + 3", "{12, 4, 1}", "(2,3)", "{1, 2}"),
        *("4c", "{15,15,5,1}", "{20}", "{1,1}", "{5, 1}+3"),
    ),
    "tensorrt": ("TensorFormat::kCHW4", "LINEAR", "DLA_LINEAR", "DLA_HWC4", "DLA_HWC4 (Xavier)"),
    "tvm": ("OIHW[4o4i]", "N4cCHW"),
    "tvm onednn": ("NCHW4n4c", "NCHW8c", "OIHW4i16o4i"),
    "tvm strides": ("4cNCHW",),
    "xla": ("f32[2,3]{1,0}", "pred[]"),
    "xla strides": ("{1,0}", "{0}", "{}", "{1,0:T(8,128)}", "{1, 0 : S(1)}"),
    "": (
        *("w", "n", "a[3]", "a[4:1]", "x[i*3]", "Tensor", "tensor_nhwc", "Row", "weights", ""),
        *("OIHWB8", "k", "kCHW3", "TensorFormat.", "kernel"),
    ),
}


@pytest.mark.parametrize(("systems", "texts"), RECOGNISED.items(), ids=RECOGNISED)
def test_a_text_is_recognised_by_its_own_systems_alone(
    systems: str, texts: tuple[str, ...]
) -> None:
    for text in texts:
        found = [each.system for each in DIALECTS if each.recognises(text)]
        assert sorted(found) == sorted(systems.split()), text


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("cudnn:CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4", None, "int8"),
        ("cudnn:NCHW_VECT_C UINT8x4", None, "uint8"),
        ("cudnn:NCHW_VECT_C INT8x32 {72, 9, 3, 1}", None, "int8"),
        ("cudnn:NCHW_VECT_C4", None, None),
        ("cudnn:{2, 3}/{3, 1}", (2, 3), None),
        ("cudnn:{3, 1}", None, None),
        ("directml:Sizes {1,1,3,5} Strides {15,1,5,1}", (1, 1, 3, 5), None),
        ("directml:Sizes {1,1,3,5} Strides null", (1, 1, 3, 5), None),
        ("directml:Strides {15,1,5,1}", None, None),
        ("directml:NCHW", None, None),
        ("megengine:{2(5),5(1)}", (2, 5), None),
        ("megengine:NCHW4", None, None),
        ("mlir:tensor<1x64xf32>", (1, 64), "float32"),
        ("numpy:(12, 4)", None, None),
        ("numpy:C_CONTIGUOUS : True", None, None),
        ("numpy:{'shape': (2, 3), 'typestr': '<M8[ns]'}", (2, 3), None),
        ("pytorch:torch.Size([10, 3]) (3, 1)", (10, 3), None),
        ("pytorch:torch.Size([]) ()", (), None),
    ],
)
def test_a_text_carries_the_sizes_and_the_type_that_it_says(
    text: str, shape: tuple[int, ...] | None, dtype: str | None
) -> None:
    system, _, own = text.partition(":")
    spec = next(each for each in DIALECTS if each.system == system).read(own)
    assert (spec.shape, spec.dtype) == (shape, dtype)
