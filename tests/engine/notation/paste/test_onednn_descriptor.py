"""A debugger's print of oneDNN's memory descriptor says its layout, or why it cannot be read."""

import numpy as np
import pytest

from app.engine import LayoutError, offset_map, parse_layout
from app.engine.notation.paste.reading import read_text


def printed(  # as gdb prints the struct
    shape: tuple[int, ...],
    padded: tuple[int, ...],
    strides: tuple[int, ...],
    blocks: tuple[tuple[int, int], ...] = (),
    offset: int = 0,
) -> str:
    def twelve(numbers: list[int] | tuple[int, ...]) -> str:
        missing = 12 - len(numbers)
        end = [f"0 <repeats {missing} times>"] if missing > 10 else ["0"] * missing
        return "{" + ", ".join([*map(str, numbers), *end]) + "}"

    return (
        f"$1 = {{ndims = {len(shape)}, dims = {twelve(shape)}, data_type = dnnl_s8, "
        f"padded_dims = {twelve(padded)}, padded_offsets = {twelve(())}, offset0 = {offset}, "
        f"format_kind = dnnl_blocked, format_desc = {{blocking = {{strides = {twelve(strides)}, "
        f"inner_nblks = {len(blocks)}, inner_blks = {twelve([size for _, size in blocks])}, "
        f"inner_idxs = {twelve([d for d, _ in blocks])}}}}}, "
        "extra = {flags = 0, compensation_mask = 0, scale_adjust = 0}}"
    )


WEIGHTS = printed((64, 32, 3, 3), (64, 32, 3, 3), (4608, 2304, 768, 256), ((1, 4), (0, 16), (1, 4)))

# With "set print pretty on", and all members of the union.
PRETTY = (
    WEIGHTS.replace(", ", ",\n  ")
    .replace("{", "{\n  ")
    .replace(
        "ndims",
        "<dnnl::impl::c_compatible> = {<No data fields>}, \n  "
        "members of dnnl_memory_desc:\n  ndims",
    )
    .replace(
        "}},\n  extra",
        "},\n  wino_desc = {\n  wino_format = 4608,\n  r = 0\n  },\n  rnn_packed_desc = {\n  "
        "format = (unknown: 0x1200),\n  parts = {768, 0, 256, 0}\n  }\n  },\n  extra",
    )
)


@pytest.mark.parametrize(
    ("text", "shape", "layout"),
    [
        (WEIGHTS, (64, 32, 3, 3), "onednn:ABcd4b16a4b"),
        (WEIGHTS.replace("0, 0, 0, 0, 0, 0, 0, 0}", "0 <repeats 8 times>}"), (64, 32, 3, 3),
            "onednn:ABcd4b16a4b"),
        (PRETTY, (64, 32, 3, 3), "onednn:ABcd4b16a4b"),
        (printed((0, 3), (0, 3), (3, 1)), (0, 3), "onednn:ab"),
        (printed((2, 20, 7, 7), (2, 32, 7, 7), (1568, 784, 112, 16), ((1, 16),)), (2, 20, 7, 7),
            "onednn:aBcd16b"),
        (printed((2, 3), (2, 3), (5, 1), offset=7), (2, 3), "(5, 1)+7"),
        ("$1 = {ndims = 4, dims = {64, 32, 3, 3, 0 <repeats 8 times>}, data_type = dnnl_s8}",
            (64, 32, 3, 3), None),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_what_a_descriptor_says(text: str, shape: tuple[int, ...], layout: str | None) -> None:
    read = read_text(text)
    assert (read.shape, read.dtype, read.layout, read.unread) == (shape, "int8", layout, ())


@pytest.mark.parametrize(
    ("old", "new", "marked", "expected"),
    [
        ("offset0 = 0", "offset0 = 8", "{4608", "only memory without padding"),
        ("padded_dims = {64", "padded_dims = {48", "{48", "not less than dims"),
        ("padded_offsets = {0 <repeats 12 times>", "padded_offsets = {1, 0 <repeats 11 times>",
            "{1, 0 <", "padded_offsets of 0"),
        ("dnnl_blocked", "dnnl_format_kind_any", "dnnl_format", "dnnl_blocked"),
        ("inner_idxs = {1, 0", "inner_idxs = {1, 4", "{4, 16", "from 0 to 3"),
        ("inner_idxs =", "idxs =", "{4608", "inner_idxs beside strides"),
        ("inner_nblks = 3", "inner_nblks = -1", "{4, 16", "entries"),
        ("ndims = 4", "ndims = 0", "0, dims", "1 to 12"),
        ("dims = {64, 32, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0}, data", "dims = {64}, data", "{64}",
            "4 entries"),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_what_cannot_be_read_is_marked(old: str, new: str, marked: str, expected: str) -> None:
    text = WEIGHTS.replace(old, new, 1)
    with pytest.raises(LayoutError) as refused:
        read_text(text)
    assert expected in refused.value.expectation
    assert refused.value.position == text.index(marked)


def test_blocks_with_a_gap_between_them_are_read() -> None:
    # Memory of nChw8c with rows of 4 pixels, of which a view took the first two.
    shape, strides = (2, 16, 3, 2), (512, 256, 32, 8)
    read = read_text(printed(shape, shape, strides, ((1, 8),)))
    assert (read.shape, read.unread) == (shape, ())
    n, c, h, w = np.indices(shape)
    expected = n * 512 + c // 8 * 256 + h * 32 + w * 8 + c % 8
    assert read.layout is not None
    assert np.array_equal(offset_map(parse_layout(read.layout, shape)), expected)
    with pytest.raises(LayoutError, match="only memory without padding"):
        read_text(printed((2, 15, 3, 2), shape, strides, ((1, 8),)))


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        (WEIGHTS, None),  # the letters are those of the tag
        (printed((64, 32, 3, 3), (64, 32, 3, 3), (1152, 36, 9, 1)), "abcd"),
        (printed((2, 16, 3, 2), (2, 16, 3, 2), (512, 256, 32, 8), ((1, 8),)), "abcd"),
        ("memory::desc md({64, 32, 3, 3}, memory::data_type::s8, {288, 9, 3, 1});", "abcd"),
        ("src:f32::blocked:abcd:9000x300x20x1:f0 dst:f32::blocked:abcd::f0,,,3x4x5x6,0.1", "abcd"),
        ("$1 = {ndims = 2, dims = {6, 3, 0 <repeats 10 times>}, data_type = dnnl_s8}", None),
    ],
)
def test_dimensions_without_a_name_are_letters_in_their_order(text: str, dims: str | None) -> None:
    one = read_text(text).tensors[0]
    assert one.dims == dims
    if one.shape is not None and one.layout is not None:
        assert parse_layout(one.layout, one.shape, dims).dims == "abcd"


def test_two_descriptors_are_two_tensors_and_later_words_are_unread() -> None:
    other = printed((5,), (5,), (1,)).replace("dnnl_s8", "dnnl_s99")
    read = read_text(f"{WEIGHTS}\n{other} qqq strides = {{5, 1}}")
    assert [one.layout for one in read.tensors] == ["onednn:ABcd4b16a4b", "onednn:a"]
    assert [one.dtype for one in read.tensors] == ["int8", None]
    assert read.unread == ("data_type = dnnl_s99", "qqq strides = {5, 1}")
