"""cuDNN's descriptors against sums of coordinates and strides, written with NumPy."""

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import offset_map
from app.engine.model.layout import Layout
from app.engine.notation.dialects import cudnn
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.examples import examples

DIALECT = cudnn.DIALECT
VECTORS = {
    "NCHW_VECT_C4": 4,
    "NCHW_VECT_Cx4": 4,
    "NCHW_VECT_C32": 32,
    "CUDNN_TENSOR_NCHW_VECT_C CUDNN_DATA_INT8x4": 4,
    "CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_UINT8x4": 4,
    "CUDNN_TENSOR_NCHW_VECT_C + INT8x32": 32,
    "NCHW_VECT_C int8x32": 32,
}


def small_sizes(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(1, 4)] * rank)


@settings(max_examples=200)
@given(st.sampled_from(sorted(VECTORS)), small_sizes(4))
def test_vectors_are_innermost(text: str, shape: tuple[int, ...]) -> None:
    n, groups, h, w = shape
    v = VECTORS[text]
    layout = read(DIALECT, text, (n, groups * v, h, w))
    checks.check_memory(layout, lambda x: x.reshape(n, groups, v, h, w).transpose(0, 1, 3, 4, 2))
    assert checks.check_round_trip(DIALECT, layout)


@examples(300)
@given(st.sampled_from([4, 32]), small_sizes(4), st.tuples(*[st.integers(1, 500)] * 4))
def test_strides_after_vect_c_count_vectors(
    v: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    n, groups, h, w = shape
    text = f"NCHW_VECT_C{v} {{{', '.join(map(str, strides))}}}"
    layout = read(DIALECT, text, (n, groups * v, h, w))
    offsets = offset_map(layout)
    for at in itertools.product(range(n), range(groups * v), range(h), range(w)):
        vector = sum(i * s for i, s in zip((at[0], at[1] // v, at[2], at[3]), strides, strict=True))
        assert offsets[at] == vector * v + at[1] % v
    assert checks.check_round_trip(DIALECT, layout)


@examples(300)
@given(st.data(), st.integers(3, 8))
def test_strides_alone_or_with_their_sizes(data: st.DataObject, rank: int) -> None:
    shape = data.draw(small_sizes(rank).filter(lambda s: math.prod(s) < 5000))
    strides = data.draw(st.tuples(*[st.integers(0, 50)] * rank))
    written = "{" + ",".join(map(str, strides)) + "}"
    sizes = "{" + ", ".join(map(str, shape)) + "}"
    layout = read(DIALECT, written, shape)
    assert layout.strides == strides
    assert read(DIALECT, f"{sizes} / {written}", shape) == layout
    assert DIALECT.read(f"{sizes}/{written}").shape == shape
    assert checks.check_round_trip(DIALECT, layout)


@examples(300)
@given(st.sampled_from(["NCHW", "NHWC"]), st.integers(3, 5), st.data())
def test_plain_formats_of_every_rank(name: str, rank: int, data: st.DataObject) -> None:
    shape = data.draw(small_sizes(rank))
    layout = read(DIALECT, f"CUDNN_TENSOR_{name}", shape)
    assert layout.dims == {3: "NCW", 4: "NCHW", 5: "NCDHW"}[rank]
    order = [0, *range(2, rank), 1] if name == "NHWC" else [*range(rank)]
    checks.check_memory(layout, lambda x: x.transpose(order))
    assert checks.check_round_trip(DIALECT, layout)


def test_worked_examples() -> None:
    layout = read(DIALECT, "NCHW_VECT_C4 {72, 9, 3, 1}", (2, 32, 3, 3))
    assert layout == read(DIALECT, "CUDNN_TENSOR_NCHW_VECT_C CUDNN_DATA_INT8x4", (2, 32, 3, 3))
    assert DIALECT.write(layout, checks.FLOAT32) == "NCHW_VECT_C4 {72, 9, 3, 1}"
    plain = Layout.strided((2, 3, 4, 5), (100, 20, 5, 1))
    assert DIALECT.write(plain, checks.FLOAT32) == "{2, 3, 4, 5} / {100, 20, 5, 1}"
    by_name = read(DIALECT, "NCHW_VECT_C4", (2, 3, 3, 8), "NHWC")
    assert by_name.digits[3][1].extent == 4


def test_a_format_orders_the_axes_of_each_rank_that_it_has() -> None:
    spec = DIALECT.read("CUDNN_TENSOR_NHWC")
    assert spec.order_of_rank(4, None) == ((0, None), (2, None), (3, None), (1, None))
    assert spec.order_of_rank(4, "WCHN") == ((3, None), (2, None), (0, None), (1, None))
    assert spec.order_of_rank(2, None) is None


PLAIN = [(0, None), (1, None), (2, None), (3, None)]
test_reasons_name_what_is_in_the_way = unsaid(
    DIALECT,
    [
        (Layout.strided((2, 3), (3, 1)), "3 to 8 dimensions"),
        (Layout.strided((2, 0, 3), (3, 3, 1)), "not 0"),
        (Layout.strided((2, 2, 3), (6, 3, 1), 4), "no offset"),
        (Layout.strided((2, 2, 3), (2**40, 3, 1)), "32-bit"),
        (Layout.packed((1, 6, 2, 2), "NCHW", [*PLAIN, (1, 4)]), "does not pad"),
        (Layout.packed((1, 16, 2, 2), "NCHW", [*PLAIN, (1, 8)]), "innermost"),
        (Layout.packed((1, 16, 2, 2), "abcd", [*PLAIN, (1, 4)]), "innermost"),
    ],
)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("NCHW_VECT_C", 11, "the length of its vectors"),
        Malformed("NCHW_VECT_C CUDNN_DATA_INT8x8", 28, "4, 32, INT8x4"),
        Malformed("CUDNN_TENSOR_NCWH", 15, "one of NCHW"),
        Malformed("{72, 9, 3, 1", 12, "a comma or a closing }"),
        Malformed("{72, 9, 2147483648, 1}", 8, "from 0 to 2147483647"),
        Malformed("{2, 8, 3, 3} {72, 9, 3, 1}", 13, "a / and the strides"),
        Malformed("{2, 8, 3, 3} / {72, 9, 3, 1} x", 29, "the end"),
        Malformed("NCHW_VECT_C4 {72, 9, 3, 1} x", 27, "the end"),
        Malformed("NCHW_VECT_C4 {72, 9, 3}", 13, "4 strides"),
        Malformed("{2, 4, 3, 3} / {72, 9, 3, 1}", None, "the sizes in the layout's text"),
        Malformed("NCHW_VECT_C4", None, "that 4 divides: cuDNN does not pad", (2, 6, 3, 3)),
        Malformed("NCHW", None, "3 to 8 sizes", (2, 6)),
        Malformed("NCHW", None, "sizes from 1", (2, 0, 3, 3)),
        Malformed("NCHW", None, "3 to 5 sizes", (1,) * 6),
    ],
)
