"""DirectML's text: sizes and strides of C code, leading dimensions, and the 32-bit helper."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, offset_map, parse_dtype, parse_layout
from app.engine.description.sizes import buffer_sizes
from app.engine.description.tensor import parse_target, parse_tensor
from app.engine.notation.dialects.directml import DIALECT, helper_size_bytes, wraps_32_bit
from app.engine.notation.specs import Request
from tests.engine.notation.dialects.dense_checks import FLOAT32, Malformed, marked, read, unsaid
from tests.examples import examples

SIZES = (1, 1, 3, 5)


@pytest.mark.parametrize(
    ("text", "strides"),
    [
        ("Sizes {1,1,3,5} Strides {15,1,5,1}", (15, 1, 5, 1)),
        ("Sizes = { 1, 1, 3, 5 }; Strides = { 15, 1, 5, 1 };", (15, 1, 5, 1)),
        ("Strides {15,1,5,1} Sizes {1,1,3,5}", (15, 1, 5, 1)),
        ("Sizes = {1,1,3,5}, Strides = nullptr", (15, 15, 5, 1)),
        ("Sizes {3, 5} Strides {10, 1}", (15, 15, 10, 1)),
        ("Strides {15, 1, 5, 1}", (15, 1, 5, 1)),
        ("Strides null", (15, 15, 5, 1)),
        ("{15, 1, 5, 1}", (15, 1, 5, 1)),
        ("NHWC", (15, 1, 5, 1)),
        ("nullptr", (15, 15, 5, 1)),
    ],
)
@pytest.mark.parametrize("shape", [SIZES, (3, 5)])
def test_the_worked_examples_of_the_documentation(
    text: str, strides: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    if text == "Sizes {3, 5} Strides {10, 1}" and shape == SIZES:
        shape = (3, 5)
    layout = read(DIALECT, text, shape)
    assert layout.shape == SIZES
    assert layout.strides == strides
    c = np.indices(SIZES)
    assert np.array_equal(offset_map(layout), sum(s * i for s, i in zip(strides, c, strict=True)))


def test_a_target_keeps_the_names_that_the_letters_have() -> None:
    for dims, layout in (("NCHW", "NHWC"), ("HWNC", "HWNC")):
        source = parse_tensor((2, 3, 5, 7), layout, dims)
        target = parse_target("directml:NHWC", source).layout
        assert target == parse_layout("NHWC", (2, 3, 5, 7), dims)
        assert target.dims == dims
        ascend = [parse_target(text, source).layout for text in ("NC1HWC0", "FRACTAL_NZ")]
        assert [each.dims for each in ascend] == [dims] * 2
    weights = parse_target("directml:NHWC", parse_tensor((2, 3, 5, 7), "OIHW")).layout
    assert (weights.dims, weights.strides) == ("NCHW", (105, 1, 21, 3))
    rows = parse_target("directml:NHWC", parse_tensor((3, 5), "HW")).layout
    assert (rows.shape, rows.strides) == ((1, 1, 3, 5), (15, 1, 5, 1))


MALFORMED = [
    Malformed("Sizes {1,1,3,5}", 15, "Strides", shape=SIZES),
    Malformed("Sizes {1,1,3,5} Strides {15,1,5}", 24, "4 strides", shape=SIZES),
    Malformed("Sizes {1,1,3,5} Strides {4294967296,1,5,1}", 25, "unsigned 32-bit", shape=SIZES),
    Malformed("Sizes {1,1,3,5} Sizes {1,1,3,5}", 16, "once each", shape=SIZES),
    Malformed("Sizes {} Strides {}", 6, "1 to 8 numbers", shape=SIZES),
    Malformed("Strides {1, {2}, 3, 4}", 12, "an integer", shape=SIZES),
    Malformed("Sizes {2,1,3,5} Strides {15,1,5,1}", None, "the sizes in the layout's text", SIZES),
    Malformed("(5, 1) + 3", None, "no offset", SIZES, "layout"),
    Malformed("{-5, 1}", None, "unsigned", (3, 5), "layout.strides[0]"),
    Malformed("Strides {5, 1}", 8, "3 strides, one per size", shape=(2, 3, 5)),
    Malformed("HH", 1, "each letter once", shape=SIZES),
    Malformed("HW0", 2, "a positive block size", shape=SIZES),
    Malformed("NCHW4", None, "without blocks", (1, 6, 3, 5), "layout"),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


def real_helper(sizes: list[int], strides: list[int] | None, itemsize: int) -> int:
    """The documented C++ with NumPy's own 32-bit and 64-bit unsigned integers."""
    with np.errstate(over="ignore"):
        if strides is None:
            size = np.uint64(1)
            for n in sizes:
                size = size * np.uint64(n)
            size = size * np.uint64(itemsize)
        else:
            last = np.uint32(0)
            for n, s in zip(sizes, strides, strict=True):
                last = last + (np.uint32(n) - np.uint32(1)) * np.uint32(s)
            size = (np.uint64(last) + np.uint64(1)) * np.uint64(itemsize)
        return int((size + np.uint64(3)) & ~np.uint64(3))


@examples(600)
@given(st.data())
def test_the_helper_s_arithmetic_is_that_of_the_real_one(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 8))
    sizes = data.draw(st.lists(st.integers(1, 2**32 - 1), min_size=rank, max_size=rank))
    strides = data.draw(st.lists(st.integers(0, 2**32 - 1), min_size=rank, max_size=rank))
    itemsize = data.draw(st.sampled_from([1, 2, 4, 8]))
    assert helper_size_bytes(sizes, strides, itemsize) == real_helper(sizes, strides, itemsize)


@examples(600)
@given(
    st.lists(st.tuples(st.integers(1, 70000), st.integers(0, 2**32 - 1)), min_size=1, max_size=4),
    st.sampled_from(["float16", "float32", "uint8", "int64"]),
)
def test_the_warning_comes_exactly_where_the_helper_is_wrong(
    dims: list[tuple[int, int]], dtype: str
) -> None:
    sizes, strides = [n for n, _ in dims], [s for _, s in dims]
    if math.prod(sizes) >= 2**63:
        return
    layout, element = Layout.strided(sizes, strides), parse_dtype(dtype)
    exact = buffer_sizes(layout, element)[0]["directml"]
    wrong = real_helper(sizes, strides, element.itemsize or 0) != exact
    assert (wraps_32_bit(layout, element) is not None) == wrong


def test_the_warning_names_both_sizes_and_the_cure() -> None:
    packed = parse_layout("NCHW", (1, 4, 32768, 32769))
    warning = wraps_32_bit(packed, FLOAT32)
    assert warning is not None
    assert f"{32768 * 4 * 4} bytes instead of {4 * 4 * 32768 * 32769}" in warning
    assert warning.endswith("where the strides are null.")
    transposed = wraps_32_bit(parse_layout("NHWC", (1, 4, 32768, 32769)), FLOAT32)
    assert transposed is not None
    assert "null" not in transposed
    assert wraps_32_bit(parse_layout("NCHW", (1, 4, 32768, 32767)), FLOAT32) is None


def test_no_warning_for_what_directml_does_not_take() -> None:
    assert DIALECT.read("NHWC").memory(Request((1,) * 9)) is None
    for text, dtype in (("NCHW", "bfloat16"), ("NCHW", "int4"), ("NCHW16", "float32")):
        layout = parse_layout(text, (1, 20, 65537, 65537))
        assert wraps_32_bit(layout, parse_dtype(dtype)) is None


test_what_directml_cannot_say = unsaid(
    DIALECT,
    [
        (parse_layout("(5, 1)", (2, 3)), "leading sizes of 1"),
        (parse_layout("(30, 15, 5, -1)+2", (1, 1, 2, 3)), "unsigned"),
        (parse_layout("(4294967296, 15, 5, 1)", (2, 1, 2, 3)), "32-bit"),
        (parse_layout("()", ()), "1 to 8"),
    ],
)
