"""TensorRT's formats against the C arrays that its header describes, written with NumPy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import parse_dtype
from app.engine.description.names import names_of
from app.engine.model.layout import Layout
from app.engine.notation import notations
from app.engine.notation.dialects import tensorrt
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.examples import examples

DIALECT = tensorrt.DIALECT
MAJOR = {"CHW2": 2, "CHW4": 4, "CHW16": 16, "CHW32": 32}
MINOR = {"HWC": 1, "HWC8": 8, "HWC16": 16}
DEEP = {"CDHW32": 32, "DHWC8": 8, "DHWC": 1}
DLA = {"DLA_LINEAR": 64, "DLA_HWC4": 64, "DLA_HWC4 (Orin)": 64, "DLA_HWC4 (Xavier)": 32}
NAMES = ["LINEAR", *MAJOR, *MINOR, *DEEP, *DLA]
DTYPES = [parse_dtype(name) for name in ("int8", "float16", "float32", "float64", "int4")]
# How much of each row TensorRT's header rounds up to, in elements per type: bytes / elementSize.
ELEMENT_BYTES = {"int8": 1.0, "float16": 2.0, "float32": 4.0, "float64": 8.0, "int4": 0.5}


# As the header says it of each format, of the types that this file tries.
BOUND = {
    "LINEAR": "int8 float16 float32 int4",
    **dict.fromkeys(("CHW2", "HWC8", "DHWC8"), "float16"),
    "CHW4": "int8",
    "CHW16": "float16",
    "CHW32": "int8 float16 float32",
    "CDHW32": "int8 float16",
    "HWC": "int8 float16 float32",
    "HWC16": "int8 float16",
    "DHWC": "float32",
    **dict.fromkeys(DLA, "int8 float16"),
}


def image_sizes() -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(st.integers(1, 3), st.integers(1, 40), st.integers(1, 4), st.integers(1, 40))


def filled(name: str, x: checks.Array) -> checks.Array:
    """The C array of the header, row-major, for a tensor {N, C, H, W}."""
    if name == "LINEAR":
        return x
    if name in MAJOR:
        return checks.split(x, a1=MAJOR[name]).transpose(0, 1, 3, 4, 2)
    return checks.padded(x, 1, MINOR[name]).transpose(0, 2, 3, 1)


def check_types(name: str, layout: Layout) -> None:
    """The layout is written for the format's types; for another only under another name."""
    for dtype in DTYPES:
        text, reason = checks.said(DIALECT, layout, dtype)
        if dtype.name in BOUND[name].split():
            assert checks.check_round_trip(DIALECT, layout, dtype)
        elif text is None:
            assert reason.endswith(f"only, not for {dtype.name}.")
        else:
            assert dtype.name in BOUND[text.removeprefix("k")].split()


def test_a_name_is_offered_for_the_types_that_tensorrt_has_it_for() -> None:
    layout = read(DIALECT, "kCHW16", (1, 32, 4, 4))
    for name in ("float16", "float32"):
        dtype = parse_dtype(name)
        found = [each.name for each in names_of(layout, dtype).get("tensorrt", ())]
        assert found == (["kCHW16"] if name == "float16" else [])
    said = notations(layout, parse_dtype("float32"))["tensorrt"]
    expected = "kCHW16 has this memory, but TensorRT has it for float16 only, not for float32."
    assert said["reason"] == expected


@examples(500)
@given(st.sampled_from(["LINEAR", *MAJOR, *MINOR]), image_sizes(), st.sampled_from(["", "k"]))
def test_four_dimensions_are_the_header_s_arrays(
    name: str, shape: tuple[int, ...], prefix: str
) -> None:
    layout = read(DIALECT, prefix + name, shape)
    checks.check_memory(layout, lambda x: filled(name, x))
    check_types(name, layout)


@settings(max_examples=250)
@given(st.sampled_from(sorted(DEEP)), image_sizes(), st.integers(1, 3))
def test_five_dimensions_are_the_header_s_arrays(
    name: str, image: tuple[int, ...], depth: int
) -> None:
    n, c, h, w = image
    v = DEEP[name]

    def fill(x: checks.Array) -> checks.Array:
        if name == "CDHW32":
            return checks.split(x, a1=v).transpose(0, 1, 3, 4, 5, 2)
        return checks.padded(x, 1, v).transpose(0, 2, 3, 4, 1)

    layout = read(DIALECT, name, (n, c, depth, h, w))
    checks.check_memory(layout, fill)
    check_types(name, layout)


@examples(300)
@given(st.sampled_from(sorted(DLA)), image_sizes(), st.sampled_from(DTYPES))
def test_dla_rows_are_rounded_in_bytes(name: str, shape: tuple[int, ...], dtype: object) -> None:
    element = next(d for d in DTYPES if d is dtype)
    n, c, h, w = shape

    def fill(x: checks.Array) -> checks.Array:
        if name == "DLA_LINEAR":
            return checks.padded(x, 3, int(64 / ELEMENT_BYTES[element.name]))
        wide = {1: 1, 3: 4, 4: 4}[c]
        step = int(DLA[name] / wide / ELEMENT_BYTES[element.name])
        pixels = x if c == wide else checks.padded(x, 1, 4)
        return checks.padded(pixels.transpose(0, 2, 3, 1), 2, step)

    if name != "DLA_LINEAR":
        c = (1, 3, 4)[c % 3]
    layout = read(DIALECT, name, (n, c, h, w), dtype=element)
    checks.check_memory(layout, fill)
    assert checks.check_round_trip(DIALECT, layout, element) or element.name not in BOUND[name]


def test_the_vector_dimension_counts_from_the_end() -> None:
    assert read(DIALECT, "CHW4", (6, 3, 3)).physical_shape == (2, 3, 3, 4)
    volume = read(DIALECT, "CHW4", (2, 6, 5, 3, 3))
    assert volume.dims == "NCDHW"
    assert volume.padded_shape == (2, 6, 8, 3, 3)
    assert read(DIALECT, "CHW4", (2, 2, 6, 3, 3), "abcde").padded_shape == (2, 2, 8, 3, 3)
    assert read(DIALECT, "CHW4", (2, 3, 3, 6), "NHWC").padded_shape == (2, 3, 3, 8)
    assert read(DIALECT, "LINEAR", (2, 3, 4, 6), "NHWC").strides == (72, 4, 1, 12)


@pytest.mark.parametrize(
    "text",
    [
        *("kCHW32", "TensorFormat.CHW32", "TensorFormat::kCHW32", "trt.CHW32"),
        *("nvinfer1::TensorFormat::kCHW32", "trt.TensorFormat.CHW32"),
    ],
)
def test_scopes_do_not_matter(text: str) -> None:
    assert DIALECT.recognises(text)
    assert read(DIALECT, text, (2, 40, 3, 3)) == read(DIALECT, "CHW32", (2, 40, 3, 3))


test_reasons_name_what_is_in_the_way = unsaid(
    DIALECT,
    [
        (Layout.strided((2, 3, 3), (30, 3, 1)), "thirteen formats and no strides"),
        (Layout.strided((1,) * 9, (1,) * 9), "at most 8 dimensions"),
    ],
)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("kCHW8", 4, "one of LINEAR"),
        Malformed("DLA_HWC4 (Nano)", 10, "one of"),
        Malformed("TensorFormat.", 13, "one of"),
        Malformed("CHW4", None, "at least 3 sizes", (4, 4)),
        Malformed("kCDHW32", None, "at least 4 sizes", (4, 4, 4)),
        Malformed("DLA_LINEAR", None, "at least 3 sizes", (4, 4)),
        Malformed("DLA_HWC4", None, "1, 3 or 4 channels", (1, 8, 4, 4)),
        Malformed("kLINEAR", None, "at most 8 sizes", (1,) * 9),
    ],
)


def test_a_pixel_wider_than_the_alignment_of_a_row_needs_no_padding() -> None:
    wide = parse_dtype("complex128")
    layout = read(DIALECT, "kDLA_HWC4 (Xavier)", (1, 3, 2, 5), dtype=wide)
    assert layout.padded_shape == (1, 4, 2, 5)
    assert notations(layout, wide)["tensorrt"]["code"] == "cannot.tensorrt.type"
