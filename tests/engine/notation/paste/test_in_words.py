"""Sizes, strides, a notation and a type in any order, as people write them in a sentence."""

from itertools import permutations

import pytest

from app.engine import LayoutError
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import Said, assert_reads_like, says

SENTENCES: list[Said] = [
    ("OIhw4i16o4i weights 64x48x3x3", (64, 48, 3, 3), None, "OIhw4i16o4i", ("weights",)),
    ("strides (3072, 1, 96, 3) of 10x3x32x32", (10, 3, 32, 32), None, "(3072, 1, 96, 3)", ()),
    ("10x3x32x32, strides 3072,1,96,3", (10, 3, 32, 32), None, "(3072, 1, 96, 3)", ()),
    ("torch.half (2, 8) stride: [1, 2]", (2, 8), "float16", "(1, 2)", ()),
    ("std::int8_t nChw16c 1,64,5,5", (1, 64, 5, 5), "int8", "nChw16c", ()),
    ("acc f32; in bf16 2x16x5x5 nchw, out nhwc f16", (2, 16, 5, 5), "bfloat16", "nchw",
        ("acc", "f32", "out", "nhwc", "f16")),
    ("y = torch.Size([2, 3, 4, 5]) NCHW channels", (2, 3, 4, 5), None, "NCHW", ("channels",)),
    ("layout: (3, 1) shape (2, 3)", (2, 3), None, None, ("layout: (3, 1)",)),
    (" (64 x 48)\n", (64, 48), None, None, ()),
    ("[1, 64, 56, 56] torch.int8", (1, 64, 56, 56), "int8", None, ()),
    # A type and a tag that a colon joins are two words.
    ("aBcd16b:f32 2x64x56x56", (2, 64, 56, 56), "float32", "aBcd16b", None),
    ("of 2x64x56x56: f32:aBcd16b", (2, 64, 56, 56), "float32", "aBcd16b", None),
    # Strides below 0 are read without the sizes.
    ("2x3, strides (3, -1)", None, None, "(3, -1)", ("2x3",)),
]  # fmt: skip  # a row on two lines where it is long
test_what_a_sentence_says = says(SENTENCES)


# As a session, a log or a debugger prints sizes.
FORMS = [
    *("torch.Size([64, 48, 3, 3])", "Size([64, 48, 3, 3])", "[64, 48, 3, 3]", "{64, 48, 3, 3}"),
    *("(64, 48, 3, 3)", "64x48x3x3", "shape=[64, 48, 3, 3]", "x.shape torch.Size([64, 48, 3, 3])"),
]


@pytest.mark.parametrize("sizes", FORMS)
@pytest.mark.parametrize(
    "order", ["{0} OIhw4i16o4i {1}", "{0} {1} OIhw4i16o4i", "{0}, OIhw4i16o4i, {1}"]
)
def test_a_tag_and_a_type_stand_behind_any_form_of_sizes(sizes: str, order: str) -> None:
    read = read_text(order.format(sizes, "s8"))
    assert (read.shape, read.dtype, read.layout) == ((64, 48, 3, 3), "int8", "OIhw4i16o4i")
    assert {*read.unread} <= {"x.shape"}
    assert [each.layout for each in read.tensors] in ([], ["OIhw4i16o4i"])


@pytest.mark.parametrize("words", [*permutations(["bf16", "tensor", "2x16x5x5", "aBcd8b"])])
def test_the_order_of_the_words_says_nothing(words: tuple[str, ...]) -> None:
    read = read_text(" ".join(words))
    assert (read.shape, read.dtype) == ((2, 16, 5, 5), "bfloat16")
    assert (read.layout, read.system, read.unread) == ("aBcd8b", "onednn", ("tensor",))


@pytest.mark.parametrize(
    "text",
    [
        *("weights 64x48x3x3", "64x48 to 48x64 aBcd8b", "2x3, 4x5", "2x3 half or int8"),
        *("sizes 2x3 strides 3,1,1", "nChw16c weights", "a word " * 40 + "2x3 half"),
        *(
            "(2,3) -> (3,2)",
            "2x3 -> 3x2",
            "NCHW -> NHWC -> NCHW",
            "x to y",
        ),  # an arrow between what may be sizes
    ],
)
def test_what_says_too_little_or_two_things_is_refused(text: str) -> None:
    with pytest.raises(LayoutError) as refused:
        read_text(text)
    assert refused.value.field == "text"


@pytest.mark.parametrize("piece", ["1x", "a ", "1,1 ", "stride ", "(1,"])
def test_a_sentence_costs_what_its_length_explains(piece: str) -> None:
    plain = ("stride 2,3 word " * 13)[:200]
    assert_reads_like(plain, (piece * 200)[:200], times=40)


SIZES = (1, 64, 56, 56)


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "layouts"),
    [
        ("NCHW16c vs NCHW for 1x64x56x56", SIZES, None, ("NCHW16c", "NCHW")),
        ("NCHW 1,64,56,56 f16 versus nhwc", SIZES, "float16", ("NCHW", "nhwc")),
        ("1x64x56x56: NCHW vs. 1x64x56x56: nhwc s8", SIZES, "int8", ("NCHW", "nhwc")),
        ("(2, 3) strides (3, 1) vs strides (1, 2)", (2, 3), None, ("(3, 1)", "(1, 2)")),
        ("NCHW -> NHWC", None, None, ("NCHW", "NHWC")),
        ("nchw to nChw16c 1x64x56x56", SIZES, None, ("nchw", "nChw16c")),
        ("abcd => aBcd16b f32 1x64x56x56", SIZES, "float32", ("abcd", "aBcd16b")),
    ],
)
def test_one_layout_versus_another_is_a_comparison(
    text: str, shape: object, dtype: object, layouts: tuple[str, str]
) -> None:
    read = read_text(text)
    first, second = read.tensors
    assert (read.shape, read.dtype, read.unread) == (shape, dtype, ())
    assert (first.layout, second.layout, first.target) == (*layouts, 1)
    assert {(one.shape, one.dtype) for one in read.tensors} == {(shape, dtype)}


@pytest.mark.parametrize(
    "text", ["NCHW vs neither", "NCHW vs NHWC for 3x4", "2x3 ab vs 3x2 ba", "a vs b vs c"]
)
def test_a_comparison_that_cannot_be_read_says_how_one_is_written(text: str) -> None:
    with pytest.raises(LayoutError, match="got a comparison that names no two layouts; expected"):
        read_text(text)


def test_an_arrow_of_einops_and_one_of_xla_read_as_before() -> None:
    assert read_text("n c h w -> n h w c").steps == ({"op": "permute", "dims": [0, 2, 3, 1]},)
    first, second = read_text("f32[2,3]{1,0} -> f32[2,3]{0,1}").tensors
    assert (first.target, second.layout) == (None, "xla:f32[2,3]{0,1}")


@pytest.mark.parametrize(
    ("text", "shapes", "unread"),
    [
        ("f32::blocked:aBcd16b::f0 2x64x56x56", [(2, 64, 56, 56)], ()),
        ("dims (2, 64, 56, 56) f32::blocked:aBcd16b::f0", [(2, 64, 56, 56)], ("dims",)),
        ("src_s8::blocked:ab::f0 dst_s8::blocked:ba::f0 2x3", [(2, 3)] * 2, ()),
        ("src_s8::blocked:ab::f0 wei_s8::blocked:ba::f0 2x3", [None] * 2, ("2x3",)),
        ("f32::blocked:aBcd16b::f0 64x56x56", [None], ("64x56x56",)),
    ],
)
def test_sizes_beside_a_descriptor_without_a_problem_are_its_own(
    text: str, shapes: list[object], unread: tuple[str, ...]
) -> None:
    read = read_text(text)
    assert [one.shape for one in read.tensors] == shapes
    assert (read.shape, read.unread) == (shapes[0], unread)


@pytest.mark.parametrize(
    ("text", "dtype", "unread"),
    [
        ("sizes = {2, 3} strides = {3, 1} dtype = float", "float32", ()),
        ("sizes = {2, 3} strides = {3, 1} (const double *) 0x7fff", "float64", ()),
        (
            "x.sizes() {2, 3} x.strides() {3, 1} (lldb) p x.data (__half *) $2 = 0x7f",
            "float16",
            (),
        ),
        ("shape (2,3) strides (3,1) i8", None, ("i8",)),
        ("shape (2,3) strides (24,8) float", None, ("float",)),
        ("shape (2,3) strides (3,1) half of it", None, ("half of it",)),
    ],
)
def test_a_type_of_c_beside_strides_is_that_of_the_tensor(
    text: str, dtype: str | None, unread: tuple[str, ...]
) -> None:
    read = read_text(text)
    assert (read.dtype, read.tensors[0].dtype, read.unread) == (dtype, dtype, unread)
