"""NumPy's text: byte strides, orders, flags and the array interface, against NumPy itself."""

from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, offset_map, parse_dtype, parse_layout
from app.engine.notation.dialect import CannotSayError
from app.engine.notation.dialects.numpy_ import DIALECT
from app.engine.notation.specs import Request
from tests.engine.notation.dialects.dense_checks import FLOAT32, Malformed, marked, read
from tests.engine.strategies import shapes
from tests.examples import examples

SHAPE = (2, 3)


@examples(300)
@given(
    shapes(max_rank=4),
    st.randoms(use_true_random=False),
    st.sampled_from(["float64", "float32", "int8", "uint16", "bool", "float16"]),
)
def test_the_array_interface_of_a_real_array(
    shape: tuple[int, ...], random: Random, dtype: str
) -> None:
    axes = list(range(len(shape)))
    random.shuffle(axes)
    array = np.zeros([n + 1 for n in shape], dtype).transpose(axes)
    inside: Any = (..., *(slice(0, shape[a]) for a in axes))
    array = array[inside]
    text = repr(array.__array_interface__)
    layout = DIALECT.read(text).apply(Request(array.shape, None, parse_dtype(dtype))).layout
    start = array.__array_interface__["data"][0]
    for c in np.ndindex(array.shape):
        one: Any = (..., *(slice(i, i + 1) for i in c))
        where = array[one].__array_interface__["data"][0]
        assert offset_map(layout)[c] * array.itemsize == where - start
    spec = DIALECT.read(text)
    assert (spec.shape, spec.dtype) == (array.shape, dtype)
    assert DIALECT.recognises(text)


def test_strides_of_none_are_c_order() -> None:
    text = "{'shape': (2, 3), 'strides': None, 'typestr': '<f8', 'data': (123, False)}"
    layout = DIALECT.read(text).apply(Request((2, 3), None, parse_dtype("float64"))).layout
    assert layout.strides == (3, 1)
    shifted = text.replace("None", "(24, -8)")[:-1] + ", 'offset': 16}"
    layout = DIALECT.read(shifted).apply(Request((2, 3), None, parse_dtype("float64"))).layout
    assert (layout.strides, layout.offset) == ((3, -1), 2)


@settings(max_examples=200)
@given(shapes(least=0, max_rank=3), st.sampled_from("CF"))
def test_the_flags_of_a_real_array(shape: tuple[int, ...], order: Literal["C", "F"]) -> None:
    array = np.zeros(shape, np.int32, order=order)
    layout = read(DIALECT, str(array.flags).strip(), shape)
    expected = Layout.strided(shape, [s // 4 for s in array.strides])
    assert np.array_equal(offset_map(layout), offset_map(expected))
    if 0 in shape:
        assert layout.strides == array.strides == (0,) * len(shape)


@pytest.mark.parametrize(("word", "order"), [("row-major", "C"), ("column-major", "F")])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 3, 4, 5, 6)])
def test_an_order_by_its_name_needs_no_prefix(
    word: str, order: Literal["C", "F"], shape: tuple[int, ...]
) -> None:
    array = np.zeros(shape, np.int8, order=order)
    for text in (word, f" {word} ", f"numpy:{word}"):
        assert parse_layout(text, shape).strides == array.strides
    with pytest.raises(LayoutError):
        parse_layout(f"{word}s", shape)


def test_flags_of_neither_order_say_nothing() -> None:
    array = np.zeros((4, 6))[::2, ::2]
    with pytest.raises(LayoutError, match="or strides"):
        read(DIALECT, str(array.flags).strip(), (2, 3))


@pytest.mark.parametrize(
    ("typestr", "dtype"),
    [
        *[("<f8", "float64"), (">i4", "int32"), ("|u1", "uint8"), ("|b1", "bool"), ("<V2", None)],
        *[
            ("float32", "float32"),
            ("<f16", None),
            ("<c8", "complex64"),
            ("<U7", None),
        ],
    ],
)
def test_typestrings(typestr: str, dtype: str | None) -> None:
    assert DIALECT.read(f"{{'shape': (2,), 'typestr': '{typestr}'}}").dtype == dtype
    assert DIALECT.read("{'shape': (2,)}").dtype is None


START = "{'shape': (2, 3), "
MALFORMED = [
    Malformed("{'shape': (2, 3)", 16, "a comma or a closing }", shape=SHAPE),
    Malformed("{'shape': (2, True)}", 14, "an integer", shape=SHAPE),
    Malformed("{'strides': (24, 8)}", 0, "a 'shape'", shape=SHAPE),
    Malformed("{'shape', 'strides'}", 0, "'key': value", shape=SHAPE),
    Malformed(START + "'strides': (12,)}", 29, "2 strides", shape=SHAPE),
    Malformed(START + "'typestr': 4}", 29, "a type such as", shape=SHAPE),
    Malformed(START + "'strides': (12, 4)} x", 38, "the end", shape=SHAPE),
    Malformed("{'shape': (2, 4)}", None, "the sizes in the layout's text", SHAPE),
    Malformed(START + "'typestr': '<f8'}", None, "a type of 8 bytes", SHAPE, "dtype"),
    Malformed("C_CONTIGUOUS : True x", 20, "a flag such as", shape=SHAPE),
    Malformed("C_CONTIGUOUS : False", 20, "F_CONTIGUOUS : True", shape=SHAPE),
    Malformed("(12, 3)", None, "multiples of the 4 bytes", SHAPE, "layout"),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


def test_half_bytes_have_no_strides() -> None:
    layout = parse_layout("NCHW", (1, 2, 3, 4))
    with pytest.raises(CannotSayError, match="half a byte"):
        DIALECT.write(layout, parse_dtype("int4"))
    with pytest.raises(LayoutError, match="no whole byte"):
        DIALECT.read("{'shape': (2, 3)}").apply(Request((2, 3), None, parse_dtype("int4")))


def test_the_bytes_of_another_type_are_other_strides() -> None:
    assert read(DIALECT, "(12, 4)", SHAPE).strides == (3, 1)
    eight = DIALECT.read("(24, 8)+8").apply(Request(SHAPE, None, parse_dtype("int64"))).layout
    assert (eight.strides, eight.offset) == ((3, 1), 1)
    assert DIALECT.write(read(DIALECT, "F", SHAPE), FLOAT32) == "(4, 8)"
