"""How a drawing names a layout: computed from the layout itself."""

import pytest

from app.engine import Layout, parse_layout
from app.engine.model.dtypes import DEFAULT
from app.engine.network.labels import block_of, label_of, relettered

_SHAPE = (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("text", "kind", "short"),
    [
        ("NCHW", "plain", "NCHW"),
        ("onednn:nhwc", "last", "NHWC"),
        ("NWHC", "other", "NWHC"),
        ("onednn:nChw16c", "blocked", "NCHW16"),
        ("OIhw4i16o4i", "blocked", "OIHW4i16o4"),
        ("(60, 2, 15, 3)", "other", "strided"),
        ("cute:Swizzle<1,0,2> o (2,3,4,5):(60,20,5,1)", "other", "swizzled"),
    ],
)
def test_a_layout_has_a_kind_and_a_short_name(text: str, kind: str, short: str) -> None:
    dims = "OIHW" if text.startswith("OI") else "NCHW"
    found = label_of(parse_layout(text, _SHAPE), DEFAULT, dims=dims)
    assert (found.kind, found.short) == (kind, short)
    assert found.layout is None or parse_layout(found.layout, _SHAPE).shape == _SHAPE


def test_the_block_of_a_name_is_that_of_its_layout() -> None:
    names = {"nhwc": 1, "()": 1, "abcdefghijklm": 1, "nChw16c": 16, "CHWN4": 4, "NCHW44": 4}
    assert {name: block_of(name) for name in names} == names


@pytest.mark.parametrize(
    ("shape", "word"),
    [((1, 2048, 1, 1), "NCHW16c"), ((1, 16, 7, 7), "nChw16c")],
)
def test_blocks_keep_their_name_where_sizes_make_them_other_memory(
    shape: tuple[int, ...], word: str
) -> None:
    found = label_of(parse_layout(word, shape), DEFAULT, word=word, dims="NCHW")
    assert (found.kind, found.short) == ("blocked", word)
    unnamed = label_of(parse_layout(word, shape), DEFAULT, dims="NCHW")
    assert unnamed.short in {"NCHW", "NHWC"}


@pytest.mark.parametrize(
    ("shape", "strides", "dims", "kind", "short"),
    [
        ((1, 8, 1, 1), (8, 1, 8, 8), "NCHW", "last", "NHWC"),
        ((1, 8, 1, 1), (8, 1, 1, 1), "NCHW", "plain", "NCHW"),
        ((1, 3, 1, 5), (9, 1, 7, 3), "NCHW", "last", "NHWC"),
        ((2, 3, 4), (12, 1, 3), "NCW", "last", "NWC"),
        ((2, 3, 4), (1, 8, 2), "CHW", "last", "HWC"),
        ((2, 3, 4, 5), (60, 1, 15, 3), "OIHW", "last", "OHWI"),
        ((2, 3, 4, 5), (60, 20, 5, 1), "IOHW", "plain", "IOHW"),
        ((2, 3, 4, 5), (60, 1, 15, 3), "IOHW", "last", "IHWO"),
        ((), (), "", "plain", "()"),
        ((2, 3), (3, 1), "", "plain", "ab"),
        ((2, 3, 4), (12, 1, 3), "", "other", "acb"),
        ((1,) * 7, (1,) * 7, "", "plain", "row-major"),
    ],
)
def test_letters_are_those_that_are_known(
    shape: tuple[int, ...], strides: tuple[int, ...], dims: str, kind: str, short: str
) -> None:
    layout = Layout.strided(shape, strides)
    found = label_of(layout, DEFAULT, dims=dims)
    assert (found.kind, found.short) == (kind, short)
    assert found.layout
    assert parse_layout(found.layout, shape).strides == strides


@pytest.mark.parametrize(
    ("text", "rank", "dims", "made"),
    [
        ("onednn:ncw", 3, "", "onednn:abc"),
        ("tvm:NHCW", 4, "", "tvm:ACBD"),
        ("megengine:NCHW", 4, "", ""),
        ("NHWC", 4, "OIHW", "OHWI"),
        ("NHWC", 4, "IOHW", "acdb"),
        ("megengine:NCHW", 4, "OIHW", "megengine:NCHW"),
        ("NHWC", 4, "NCHW", "NHWC"),
        ("NCHW16c", 4, "", "NCHW16c"),
        ("(60, 1, 15, 3)", 4, "", "(60, 1, 15, 3)"),
        ("pytorch:contiguous_format", 4, "", "pytorch:contiguous_format"),
    ],
)
def test_a_system_s_word_gets_the_letters_that_are_known(
    text: str, rank: int, dims: str, made: str
) -> None:
    assert relettered(text, rank, dims) == made
