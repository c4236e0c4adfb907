"""What a text says beside its tensors is refused or listed, never passed over in silence."""

from dataclasses import replace

import pytest

from app.engine import LayoutError, parse_dtype, parse_layout
from app.engine.notation import known_words, notations
from app.engine.notation.paste.reading import Read, read_text
from tests.engine.notation.paste.test_calls import MADE, NAMED
from tests.engine.notation.paste.test_libraries import READ

LINE = (
    "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:abcd::f0 "
    "dst:f32:p:blocked:aBcd16b::f0,attr-scratchpad:user,,2x8x21x16,10.9"
)
PASTED = [
    *(row[0] for row in (*READ, *MADE, *NAMED)),
    LINE,
    "Sizes {1, 1, 3, 5} Strides {15, 1, 5, 1}",
    ">>> x.shape\n(3, 4)\n>>> x.dtype\ndtype('float64')\n>>> x.strides\n(32, 8)",
    "In [1]: x.size()\nOut[1]: torch.Size([2, 3])\nIn [2]: x.stride()\nOut[2]: (5, 1)",
    "static const float x[2][3];\nint8_t y[4];",
    "src:f32::blocked:abcd::f0 dst:f32::blocked:aBcd8b::f0",
]

# Every name of a format, and what each dialect writes.
NOTATIONS = dict.fromkeys(
    [
        *known_words(None),
        *(
            words["text"]
            for layout in ("NCHW4", "NHWC", "(200, 1, 24, 4)+3")
            for words in notations(
                parse_layout(layout, (2, 4, 6, 5)), parse_dtype("float32")
            ).values()
            if "text" in words
        ),
    ]
)


def said(text: str) -> Read | None:
    """What is read, without the places of it; None for a text that is refused."""
    try:
        read = read_text(text)
    except LayoutError:
        return None
    return replace(read, tensors=tuple(replace(one, line=0) for one in read.tensors))


@pytest.mark.parametrize("text", PASTED, ids=lambda text: text[:60])
@pytest.mark.parametrize("foreign", ["; qqq(3)", "qqq = thing[4]"])
def test_foreign_words_behind_a_pasted_text_are_said(text: str, foreign: str) -> None:
    read, longer = said(text), said(f"{text} {foreign}")
    assert read is not None
    if longer is not None and not any(one.problem for one in longer.tensors):
        assert any("qqq" in part for part in longer.unread)


@pytest.mark.parametrize("foreign", [" qqq", " 77 qqq", " (5, 7) qqq", "\nqqq = thing[4]"])
def test_foreign_words_behind_a_notation_are_said(foreign: str) -> None:
    silent = [
        text
        for text in NOTATIONS
        if (longer := said(text + foreign)) and not any("qqq" in part for part in longer.unread)
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("torch.Size([2, 8]) offset=5", "offset=5"),
        ("Sw<3,4,3> o smem_ptr[4b](unset) o (_8,_64):(_64,_1)", "ptr[4b]"),
        ("sA: smem_ptr[4b](0x40) o (_8,_4):(_4,_1)", "ptr[4b]"),
        ("torch.Size([7]) dtype=float32 dtype=int8", "dtype=int8"),
        ("float qqq x[2];", "qqq"),
        ("qqq src:f32::blocked:a::f0", "qqq"),
        ("src:f32::blocked:a::f0 qqq dst:f32::blocked:a::f0", "qqq"),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_what_belongs_to_no_tensor_is_said(text: str, unread: str) -> None:
    assert read_text(text).unread == (unread,)


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", 2),
        ("Sw<3,4,3>_smem_ptr[8b](0x400) o (_8,_64):(_64,_1)", 1),
        ("ptr[32b](0x0) o (_8,_64):(_64,_1)", 4),
        ("sA: smem_ptr[16b](0x40) o (_8,_4):(_4,_1)", 2),
        ("ComposedLayout<Sw<3,4,3>, smem_ptr_flag_bits<16>, Layout<_8, _1>>", 2),
    ],
)
def test_a_pointer_of_cute_says_the_size_of_an_element(text: str, bytes_: int) -> None:
    read = read_text(text)
    assert [one.itemsizes for one in read.tensors] == [(bytes_,)]
    assert (read.dtype, read.shape, read.unread) == (None, read.tensors[0].shape, ())
