"""Sizes and a notation as people write them together, and lists as a debugger prints them."""

import numpy as np
import pytest

from app.engine import offset_map, parse_layout
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import assert_reads_like, refuses

LONG = 2048

SIZES = (8, 16, 5, 6)


@pytest.mark.parametrize(
    "text",
    [
        *("8x16x5x6 aBcd8b", "8,16,5,6 onednn:aBcd8b", "(8, 16, 5, 6): aBcd8b"),
        *("[8, 16, 5, 6], layout=aBcd8b", "shape=8,16,5,6 layout=onednn:aBcd8b"),
        *("aBcd8b 8x16x5x6", "onednn:aBcd8b:8x16x5x6", " OneDNN:aBcd8b (8, 16, 5, 6) "),
    ],
)
def test_sizes_beside_a_notation_are_its_sizes(text: str) -> None:
    read = read_text(text)
    assert read.shape == SIZES
    assert read.layout is not None
    assert read.system == "onednn"
    ours, theirs = (offset_map(parse_layout(t, SIZES)) for t in (read.layout, "aBcd8b"))
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("text", "shape", "system"),
    [
        ("pytorch:channels_last", None, "pytorch"),
        ("cute:(2,3):(3,1)", (2, 3), "cute"),
    ],
)
def test_a_prefix_names_whose_notation_it_is(text: str, shape: object, system: str) -> None:
    read = read_text(text)
    assert (read.shape, read.layout, read.system) == (shape, text, system)


@pytest.mark.parametrize(
    "text",
    [
        *("(_128,_64):(_64,_1) half", "(128, 64):(64, 1) f16", " (128,64):(64,1), half_t"),
        *("half (_128,_64):(_64,_1)", "cute::half_t (128,64):(64,1)", "fp16, (128,64):(64,1)"),
        "Sw<3,4,3> o _0 o (_128,_64):(_64,_1) __half",
    ],
)
def test_a_layout_of_cute_may_have_a_type_beside_it(text: str) -> None:
    read = read_text(text)
    assert (read.shape, read.dtype, read.system) == ((128, 64), "float16", "cute")
    assert read.strides is None
    assert read.layout is not None
    assert read.layout in text


@pytest.mark.parametrize(
    "text",
    [
        "CUDNN_TENSOR_NCHW_VECT_C 1,64,7,7 int8x4",
        "CUDNN_TENSOR_NCHW_VECT_C 1,64,7,7 INT8x32",
        "CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4, 1, 64, 7, 7",
        "CUDNN_TENSOR_NCHW_VECT_C (1, 64, 7, 7) CUDNN_DATA_INT8x32",
        "1x64x7x7 NCHW_VECT_C int8x4",
    ],
)
def test_the_type_of_cudnns_vectors_stands_beside_the_sizes_or_the_format(text: str) -> None:
    read = read_text(text)
    sizes = (1, 64, 7, 7)
    assert (read.shape, read.dtype, read.system, read.unread) == (sizes, "int8", "cudnn", ())
    assert read.layout is not None
    same = "NCHW32c" if "32" in text else "NCHW4c"
    ours, theirs = (offset_map(parse_layout(t, sizes)) for t in (read.layout, same))
    assert np.array_equal(ours, theirs)


test_what_does_not_go_together_is_refused = refuses(
    [
        (" onednn:nonsense", 9, ""),
        ("8x16 aBcd8b", 1, ""),
        ("hello (2,3):(3,1)", None, ""),
        ("2, 3 hello", 5, ""),
        ("2, 3 a", 5, ""),
        ("$3 = {3, 12345678901234567890}", 9, ""),
    ]
)


# The sizes, then the strides; or the other way, where only that fits.
LISTS = [
    ("{1, 3, 4, 4}\n{48, 1, 12, 3}\n", (1, 3, 4, 4), (48, 1, 12, 3)),
    ("{48, 1, 12, 3}\n{1, 3, 4, 4}", (1, 3, 4, 4), (48, 1, 12, 3)),
    # DLPack's strides count elements, also beside a type.
    (
        "dtype = float32\n(gdb) p *dl.shape@2\n$1 = {2, 3}\n(gdb) p *dl.strides@2\n$2 = {12, 4}",
        (2, 3),
        (12, 4),
    ),
    (
        "(gdb) p md.dims\n$1 = {1, 3, 4, 4, 0 <repeats 8 times>}\n"
        "(gdb) p md.format_desc.blocking.strides\n$2 = {48, 1, 12, 3, 0 <repeats 8 times>}",
        (1, 3, 4, 4),
        (48, 1, 12, 3),
    ),
    (
        "(gdb) p sizes\n$1 = {Data = 0x7fff, Length = 2} [3, 4]\n"
        "(gdb) p strides\n$2 = {Data = 0x8000 <b+16>, Length = 2} [4, 1]",
        (3, 4),
        (4, 1),
    ),
    (
        "$1 = std::vector of length 2, capacity 2 = {4, 1}\n"
        "$2 = std::vector of length 2, capacity 4 = {3, 4}",
        (3, 4),
        (4, 1),
    ),
    (
        "dims = {2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "
        "strides = {4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}",
        (2, 0, 4),
        (4, 4, 1),
    ),
    (
        "(lldb) p x.sizes()\n(c10::IntArrayRef) $0 = (Data = 0x7f, Length = 2) "
        "{ [0] = 2 [1] = 3 }\n"
        "(lldb) p x.strides()\n(c10::IntArrayRef) $1 = (Data = 0x8f, Length = 2) "
        "{ [0] = 1 [1] = 2 }",
        (2, 3),
        (1, 2),
    ),
]


@pytest.mark.parametrize(("text", "shape", "strides"), LISTS)
def test_lists_of_a_debugger(text: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    read = read_text(text)
    assert (read.shape, read.layout, read.unread) == (shape, str(strides), ())


def test_other_lists_of_twelve_keep_all_their_entries() -> None:
    assert read_text("dims = {" + "0, " * 11 + "0}").shape == (0,) * 12
    assert read_text("torch.Size([2, " + "0, " * 10 + "0])").shape == (2, *(0,) * 11)


@pytest.mark.parametrize("piece", ["1,", "1 x ", "a ", "a 1,", ": ", "onednn:", "{1} "])
def test_long_texts_cost_what_their_length_explains(piece: str) -> None:
    text = ("onednn:" + piece * LONG)[:LONG]
    assert_reads_like("x" * LONG, text, times=400)


@pytest.mark.parametrize(
    ("text", "strides"),
    [
        ("$3 = {3072, 1, 96, 3}\n", (3072, 1, 96, 3)),
        ("  $1 = std::vector of length 4, capacity 8 = {3072, 1, 96, 3}\n", (3072, 1, 96, 3)),
        ("size=4 { [0] = 60 [1] = 1\n  [2] = -15 [3] = 3 }\n", (60, 1, -15, 3)),
        ("(c10::IntArrayRef) $0 = (Data = 0x0, Length = 2) { [0] = 6 [1] = 1 }", (6, 1)),
    ],
)
def test_a_list_of_a_debugger_is_its_numbers(text: str, strides: tuple[int, ...]) -> None:
    read = read_text(text)
    listed = "{" + str(strides)[1:-1] + "}"
    assert (read.layout, read.strides, read.unread) == (listed, strides, ())


@pytest.mark.parametrize("label", ["Layout: ", "layout = ", "  layout:"])
@pytest.mark.parametrize("layout", ["((_2,_4),(_8,_1)):((_1,_2),(_8,_0))", "NCHW"])
def test_a_label_before_a_layout_is_none_of_it(label: str, layout: str) -> None:
    assert read_text(f"{label}{layout}\n") == read_text(layout)
