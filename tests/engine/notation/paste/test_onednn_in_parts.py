"""A descriptor of oneDNN whose members a debugger prints one by one, or that C code initialises,
is read as a whole or refused: its strides alone are those of the outer blocks."""

from collections.abc import Callable

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.model.dtypes import ELEMENT_TYPES, ElementType
from app.engine.notation.code import onednn
from app.engine.notation.dialect import CannotSayError
from app.engine.notation.paste.reading import read_text

STRIDES = "{6912, 2304, 768, 256, 0 <repeats 8 times>}"
INNER = (
    "inner_nblks = 3, inner_blks = {4, 16, 4, 0 <repeats 9 times>}, "
    "inner_idxs = {1, 0, 1, 0 <repeats 9 times>}"
)
DIMS = "(gdb) p md.dims\n$1 = {64, 48, 3, 3, 0 <repeats 8 times>}"
BLOCKING = f"(gdb) p md.format_desc.blocking\n$2 = {{strides = {STRIDES}, {INNER}}}"


@pytest.mark.parametrize(
    "text",
    [
        f"{DIMS}\n{BLOCKING}",
        f"{DIMS}\n{BLOCKING}".replace("md.", "md->"),
        f"{DIMS}\n{BLOCKING}".replace("3, 0 <repeats 8 times>", "3"),
        f"{DIMS}\n(gdb) p md.format_desc\n$2 = {{blocking = {{strides = {STRIDES}, {INNER}}}}}",
        f"{DIMS}\n(gdb) p md.padded_dims\n$3 = {{64, 48, 3, 3, 0 <repeats 8 times>}}\n{BLOCKING}",
    ],
)
def test_members_in_parts_are_one_layout(text: str) -> None:
    read = read_text(text)
    assert (read.shape, read.layout) == ((64, 48, 3, 3), "onednn:ABcd4b16a4b")
    assert [one.role for one in read.tensors] == ["md"]
    assert read.unread == ()


def test_the_type_is_that_of_the_same_descriptor() -> None:
    other = "(gdb) p dst.dims\n$7 = {1, 0 <repeats 11 times>}\n(gdb) p dst.data_type\n$8 = dnnl_u8"
    other += "\n(gdb) p md.dims\n$9 = {1, 1, 1, 1}"  # before it was set
    read = read_text(f"{other}\n{DIMS}\n(gdb) p md.data_type\n$3 = dnnl_s8\n{BLOCKING}")
    assert (read.shape, read.dtype, read.layout) == ((64, 48, 3, 3), "int8", "onednn:ABcd4b16a4b")


def test_padding_that_is_not_printed_follows_from_a_tag_s_strides() -> None:
    text = f"{DIMS.replace('64, 48', '60, 45')}\n{BLOCKING}"
    assert read_text(text).layout == "onednn:ABcd4b16a4b"
    with pytest.raises(LayoutError, match="only memory without padding"):
        read_text(text.replace("6912", "9216"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLOCKING, "the sizes too"),
        (f"$2 = {{strides = {STRIDES}, {INNER}}}", "the sizes too"),
        (f"{DIMS}\n(gdb) p md.format_desc.blocking.strides\n$2 = {STRIDES}\n"
            "(gdb) p md.format_desc.blocking.inner_nblks\n$3 = 3", "outer blocks alone"),
        (f"{DIMS}\n(gdb) p md.format_desc.blocking.strides\n$2 = {STRIDES}", "outer blocks alone"),
        (f"dims = {{64, 48, 3, 3}}\nstrides = {STRIDES}\ninner_blks = {{4, 16, 4}}",
            "outer blocks alone"),
        (f"dims = {{64, 48, 3, 3}}\n{INNER}\nstrides = {STRIDES}", "outer blocks alone"),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_strides_of_outer_blocks_are_never_plain_strides(text: str, expected: str) -> None:
    with pytest.raises(LayoutError) as refused:
        read_text(text)
    assert expected in refused.value.expectation
    assert ("strides without the sizes" in refused.value.message) == ("sizes too" in expected)


@pytest.mark.parametrize("inner", ["", "\n(gdb) p md.format_desc.blocking.inner_nblks\n$4 = 0"])
def test_strides_without_inner_blocks_stay_readable(inner: str) -> None:
    text = "(gdb) p md.dims\n$1 = {2, 3, 4, 5}\n(gdb) p md.format_desc.blocking.strides\n$2 = "
    assert read_text(f"{text}{{60, 1, 15, 3}}{inner}").layout == "(60, 1, 15, 3)"
    gaps = f"{text}{{120, 1, 15, 3}}{inner}"
    if inner:
        assert read_text(gaps).layout == "(120, 1, 15, 3)"
    else:
        with pytest.raises(LayoutError, match="outer blocks alone"):
            read_text(gaps)


LAYOUTS = [
    ("onednn:acdb", (2, 3, 4, 5)),
    ("onednn:ABcd4b16a4b", (64, 48, 3, 3)),
    ("onednn:BAcd8a4b2a", (20, 21, 3, 4)),  # its blocks read otherwise from behind
    ("onednn:OIhw4i16o4i", (60, 45, 3, 3)),
    ("onednn:cBda16b", (3, 20, 4, 5)),
    ("(120, 1, 24, 3)", (2, 3, 4, 5)),
    ("(60, 1, 15, 3) + 7", (2, 3, 4, 5)),
    ("(0, 1)", (4, 5)),
]


@pytest.mark.parametrize(
    "write",
    [onednn.onednn_code, onednn.onednn_c, onednn.onednn_descriptor],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize(("notation", "shape"), LAYOUTS)
def test_the_code_of_the_page_is_read_back(
    write: Callable[[Layout, ElementType], str], notation: str, shape: tuple[int, ...]
) -> None:
    layout = parse_layout(notation, shape)
    try:
        code = write(layout, ELEMENT_TYPES["int8"])
    except CannotSayError:
        return  # this code cannot say the layout
    if "permute_axes" in code:
        with pytest.raises(LayoutError, match="permute_axes"):
            read_text(code)
        return
    read = read_text(code)
    assert (read.shape, read.dtype) == (shape, "int8"), code
    assert read.layout is not None
    assert parse_layout(read.layout, shape).normal_form == layout.normal_form, code
    if write is onednn.onednn_descriptor:  # nothing but comments is left
        assert [one.role for one in read.tensors] == ["md"]
        assert all("#include" in piece or piece[:1].isalpha() for piece in read.unread)
