"""Slips of the hand in a layout or type: what is suggested, where it is marked, what is read."""

import pytest

from app.engine import LayoutError, parse_layout
from app.engine.model.dtypes import ELEMENT_TYPES, find_dtype, parse_dtype
from app.engine.notation import DIALECTS, Request, known_words, read_layout
from app.engine.notation.formats import FORMATS

SHAPE = (2, 64, 3, 3)


@pytest.mark.parametrize(
    ("text", "suggestion", "position"),
    [
        ("torch.chanels_last", "torch.channels_last", 10),
        ("channels-last", "channels_last", 8),
        ("pytorch:chanels_last", "channels_last", None),
        ("row_major", "RowMajor", 3),
        ("NCQW", "NCHW", 2),
        ("NCHW_4", "NCHW4", 4),
        ("nhwC", "nhwc", 3),
        ("nChw16", "nChw16c", 6),
        ("onednn:nChw16", "nChw16c", 13),
        ("tensorrt:kCHW33", "kCHW32", 14),
        ("pytroch:channels_last", "pytorch", 0),
        ("zzzz", None, 0),
        ("HCW2x", None, 4),
        ("HCWx", None, 3),
    ],
)
def test_a_near_miss_is_answered_with_what_it_is_near_to(
    text: str, suggestion: str | None, position: int | None
) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_layout(text, SHAPE)
    error = refused.value
    assert (error.field, error.suggestion, error.position) == ("layout", suggestion, position)
    asked = f" (did you mean {suggestion}?); expected "
    assert (asked in error.message) == (suggestion is not None)


def test_every_name_of_the_catalogue_is_suggested_for_its_system() -> None:
    for system in {f.system for f in FORMATS}:
        dialect = next(d for d in DIALECTS if d.system == system)
        named = {f.name for f in FORMATS if f.system == system}
        assert named <= set(known_words(dialect))
    for word in known_words(None):  # what is suggested without a prefix is read without one
        assert any(dialect.recognises(word) for dialect in DIALECTS)


@pytest.mark.parametrize(
    ("text", "field"), [("NCHW4", "shape"), ("directml:(5, -1)", "layout.strides[1]")]
)
def test_an_error_of_the_sizes_or_of_a_value_suggests_no_other_name(text: str, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_layout(text, (2, 3))
    assert (refused.value.field, refused.value.suggestion) == (field, None)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("NCHW 4", "NCHW4"),
        ("OIhw 4i 16o 4i", "OIhw4i16o4i"),
        ("tvm:NCHW 16c", "NCHW16c"),
    ],
)
def test_blanks_before_blocks_are_read_over(text: str, spelling: str) -> None:
    plain = parse_layout(spelling, SHAPE)
    written = read_layout(text, Request(SHAPE))
    assert (written.layout, written.spelling) == (plain, spelling)


# Behind every prefix; tests/test_element_types.py asks for each name of each type.
TYPES = {
    "float64": ("<f8", "np.double", "kDOUBLE"),
    "float32": ("torch.float", "=f4", "CUDNN_DATA_FLOAT", "c10::Float", "at::kFloat"),
    "float16": ("torch::kHalf", "DML_TENSOR_DATA_TYPE_FLOAT16", "kHALF", "cutlass::half_t"),
    "bfloat16": ("jnp.bfloat16", "ml_dtypes.bfloat16", "at::ScalarType::BFloat16"),
    "int32": ("torch.int", "int32_t", "memory::data_type::s32", "std::int32_t"),
    "int8": ("numpy.int8", "|i1", "dnnl_s8"),
    "bool": ("bool_", "|b1", "torch.bool"),
}


@pytest.mark.parametrize(("name", "spelled"), TYPES.items(), ids=TYPES.keys())
def test_a_type_is_read_however_it_is_spelled(name: str, spelled: tuple[str, ...]) -> None:
    for text in (name, *spelled, name.upper()):
        assert parse_dtype(text) is ELEMENT_TYPES[name]


@pytest.mark.parametrize(
    "text", ["<f3", "<V2", "|f1", "float33", "torch.", "", "np.np.int8", "_t", "c10::", "at::k"]
)
def test_what_is_no_type(text: str) -> None:
    assert find_dtype(text) is None


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("flaot32", "float32"), ("bf61", "bf16"), ("unit8", "uint8"), ("boolen", "bool"), ("x", None)],
)
def test_a_misspelt_type_is_answered_with_a_type(text: str, suggestion: str | None) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_dtype(text)
    found = refused.value.suggestion
    assert found == suggestion or (suggestion and find_dtype(found or "") is find_dtype(suggestion))
