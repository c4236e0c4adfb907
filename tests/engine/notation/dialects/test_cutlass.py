"""CUTLASS's layout classes against operator() of its headers, written out in plain Python."""

import itertools
import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, offsets_of, parse_layout
from app.engine.model.layout import Layout, packed_strides
from app.engine.notation import recognise
from app.engine.notation.dialects import cutlass
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.examples import examples

DIALECT = cutlass.DIALECT
Map = Callable[..., int]
INT_MAX = 2**31 - 1


# Each function is packed() and operator() of the class of its name: extent, interleave, then a
# coordinate, in CUTLASS's own order (row, column) or (n, [d,] h, w, c). It returns the offset and
# capacity() of the extent.


def plain(memory: str, own: str) -> Callable[[Sequence[int], int], tuple[Map, int]]:
    """The class that has no interleave: the coordinates, in memory's order, as one number."""

    def make(e: Sequence[int], _x: int) -> tuple[Map, int]:
        def operator(*at: int) -> int:
            total = 0
            for letter in memory:
                total = total * e[own.index(letter)] + at[own.index(letter)]
            return total

        return operator, math.prod(e)

    return make


def row_major_interleaved(e: Sequence[int], x: int) -> tuple[Map, int]:
    ldm = e[1] * x
    return (lambda row, column: row // x * ldm + column * x + row % x, (e[0] + x - 1) // x * ldm)


def column_major_interleaved(e: Sequence[int], x: int) -> tuple[Map, int]:
    ldm = e[0] * x
    return (lambda row, column: column // x * ldm + row * x + column % x, (e[1] + x - 1) // x * ldm)


def ncxhwx(e: Sequence[int], x: int) -> tuple[Map, int]:
    _, h_, w_, c_ = e
    stride = (x * w_, x * w_ * h_, h_ * w_ * c_)
    return (
        lambda n, h, w, c: c % x + x * w + stride[0] * h + stride[1] * (c // x) + stride[2] * n,
        e[0] * stride[2],
    )


def cxrskx(e: Sequence[int], x: int) -> tuple[Map, int]:
    n_, h_, w_, c_ = e
    stride = (x * n_, x * n_ * w_, x * n_ * w_ * h_)
    return (
        lambda n, h, w, c: c % x + x * n + stride[0] * w + stride[1] * h + stride[2] * (c // x),
        c_ // x * stride[2],
    )


# The logical dimensions, and CUTLASS's order of coordinates in the same letters.
CLASSES: dict[str, tuple[str, str, Callable[[Sequence[int], int], tuple[Map, int]]]] = {
    "RowMajor": ("HW", "HW", plain("HW", "HW")),
    "ColumnMajor": ("HW", "HW", plain("WH", "HW")),
    "RowMajorInterleaved": ("HW", "HW", row_major_interleaved),
    "ColumnMajorInterleaved": ("HW", "HW", column_major_interleaved),
    "PackedVectorLayout": ("W", "W", plain("W", "W")),
    "TensorNWC": ("NCW", "NWC", plain("NWC", "NWC")),
    "TensorNHWC": ("NCHW", "NHWC", plain("NHWC", "NHWC")),
    "TensorNCHW": ("NCHW", "NHWC", plain("NCHW", "NHWC")),
    "TensorNCxHWx": ("NCHW", "NHWC", ncxhwx),
    "TensorCxRSKx": ("OIHW", "OHWI", cxrskx),
    "TensorNDHWC": ("NCDHW", "NDHWC", plain("NDHWC", "NDHWC")),
}
BLOCKED = ("RowMajorInterleaved", "ColumnMajorInterleaved", "TensorNCxHWx", "TensorCxRSKx")
SCOPES = ("", "layout::", "cutlass::layout::")
EVERY = [name + ("<32>" if name in BLOCKED else "") for name in CLASSES]


@st.composite
def classes(draw: st.DrawFn) -> tuple[str, int, dict[str, int]]:
    """A class, its interleave and a size per logical dimension."""
    name = draw(st.sampled_from(sorted(CLASSES)))
    x = draw(st.one_of(st.integers(1, 9), st.sampled_from([16, 32, 64])))
    sizes = {letter: draw(st.integers(1, 5)) for letter in CLASSES[name][0]}
    if len(sizes) <= 2:
        sizes = {letter: draw(st.integers(1, 70)) for letter in sizes}
    elif name in BLOCKED:
        sizes[CLASSES[name][0][1]] = x * draw(st.integers(1, 3))
    return name, x, sizes


def written(name: str, x: int) -> str:
    return f"{name}<{x}>" if name in BLOCKED else name


@examples(600)
@given(classes(), st.sampled_from(SCOPES))
def test_every_offset_is_that_of_the_header(
    drawn: tuple[str, int, dict[str, int]], scope: str
) -> None:
    name, x, sizes = drawn
    dims, own, make = CLASSES[name]
    layout = read(DIALECT, scope + written(name, x), tuple(sizes.values()))
    assert layout.dims == dims
    operator, capacity = make([sizes[letter] for letter in own], x)
    assert layout.buffer_elements == capacity
    coordinates = list(itertools.product(*map(range, layout.shape)))
    expected = [operator(*(at[dims.index(letter)] for letter in own)) for at in coordinates]
    assert offset_map(layout).ravel().tolist() == expected
    assert checks.check_round_trip(DIALECT, layout)


@examples(300)
@given(classes())
def test_names_in_any_order_and_of_filters_are_the_same_memory(
    drawn: tuple[str, int, dict[str, int]],
) -> None:
    name, x, sizes = drawn
    text = written(name, x)
    layout = read(DIALECT, text, tuple(sizes.values()))
    twin = layout.dims.translate(str.maketrans("NCOI", "OINC"))
    for dims in itertools.islice(itertools.permutations(layout.dims), 0, None, 7):
        shape = tuple(sizes[letter] for letter in dims)
        axes = [layout.dims.index(letter) for letter in dims]
        for names in ("".join(dims), "".join(twin[d] for d in axes)):
            again = read(DIALECT, text, shape, names)
            assert again.dims == names
            assert (offset_map(again) == offset_map(layout).transpose(axes)).all()
            assert checks.check_round_trip(DIALECT, again)


def test_rows_and_columns_may_have_any_names() -> None:
    for dims in ("MK", "ab", "CN"):
        assert offset_map(read(DIALECT, "ColumnMajor", (2, 3), dims)).tolist() == [
            [0, 2, 4],
            [1, 3, 5],
        ]
    by_name = read(DIALECT, "ColumnMajor", (3, 2), "WH")
    assert by_name.strides == (2, 1), "H still names the rows"


def test_every_text_is_recognised_as_its_own() -> None:
    for text in EVERY:
        for scope in SCOPES:
            assert recognise(scope + text) is DIALECT
            dims = CLASSES[text.partition("<")[0]][0]
            assert parse_layout(scope + text, (64,) * len(dims)).dims == dims


@pytest.mark.parametrize(
    ("text", "fits", "too_large"),
    [
        # The largest product that C++ makes in int32: a stride, or a stride times a coordinate.
        ("TensorNHWC", (1, 1, INT_MAX, 1), (1, 2, 2**30, 1)),
        ("TensorNHWC", (2, 1, INT_MAX, 1), (3, 1, 2**30, 1)),
        ("TensorNCHW", (2, 1, 1, INT_MAX), (1, 2, 1, 2**30)),
        ("TensorNCxHWx<4>", (2, 4, 1, 2**29 - 1), (1, 4, 1, 2**29)),
        ("TensorCxRSKx<4>", (2**29 - 1, 8, 1, 1), (2**29, 4, 1, 1)),
        ("TensorNDHWC", (2, 1, INT_MAX, 1, 1), (1, 1, 2**31, 1, 1)),
        ("RowMajor", (INT_MAX, INT_MAX), (1, 2**31)),
        ("ColumnMajor", (INT_MAX, INT_MAX), (2**31, 1)),
        ("RowMajorInterleaved<4>", (INT_MAX, 2**29 - 1), (1, 2**29)),
        ("ColumnMajorInterleaved<4>", (2**29 - 1, INT_MAX), (2**29, 1)),
        ("PackedVectorLayout", (INT_MAX,), (2**31,)),
    ],
)
def test_sizes_whose_strides_overflow_are_refused(
    text: str, fits: tuple[int, ...], too_large: tuple[int, ...]
) -> None:
    layout = read(DIALECT, text, fits)
    assert checks.check_round_trip(DIALECT, layout)
    name, _, x = text.rstrip(">").partition("<")
    dims, own, make = CLASSES[name]
    operator, _ = make([fits[dims.index(letter)] for letter in own], int(x or 1))
    last = [n - 1 for n in fits]
    assert offsets_of(layout, [last])[0] == operator(*(last[dims.index(c)] for c in own))
    with pytest.raises(LayoutError, match="in 32 bits") as refused:
        read(DIALECT, text, too_large)
    assert refused.value.field == "shape"
    spec = DIALECT.read(text)
    for shape in (fits, too_large):
        same_memory = Layout.packed(shape, dims, spec.order_for(dims) or ())
        assert spec.is_layout(same_memory, checks.FLOAT32) == (shape == fits)


test_reasons_name_what_is_in_the_way = unsaid(
    DIALECT,
    [
        (Layout.strided((2,) * 6, (32, 16, 8, 4, 2, 1)), "1 to 5 dimensions"),
        (Layout.strided((), ()), "1 to 5 dimensions"),
        (Layout.strided((2, 3), (3, 1), 4), "offset"),
        (Layout.strided((2, 3), (5, 1)), "strides are written"),
        (parse_layout("CNHW", (2, 3, 4, 5)), "strides are written"),
        (parse_layout("NCHW4", (2, 6, 2, 2)), "No packed layout class"),
        (parse_layout("abcd", (2, 3, 4, 5), "abcd"), "strides are written"),
        *(
            (Layout.strided(shape, packed_strides(shape)), "No packed layout class")
            for shape in ((2, 2, 2, 1 << 30), (2, 1 << 32))
        ),
    ],
)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("", 0, "one of RowMajor"),
        Malformed("cutlass::layout::TensorNHCW", 25, "TensorNHWC"),
        Malformed("RowMajor(64)", 8, "written as strides, as in (5, 1)"),
        Malformed("TensorNCxHWx", 12, "as in TensorNCxHWx<32>"),
        Malformed("TensorCxRSKx 32", 13, "as in TensorCxRSKx<32>"),
        Malformed("TensorNCxHWx<", 13, "the interleave"),
        Malformed("TensorNCxHWx<0>", 13, "from 1 to 2147483647"),
        Malformed("TensorNCxHWx<2147483648>", 13, "from 1 to 2147483647"),
        Malformed("TensorNCxHWx<032>", 13, "without leading zeros"),
        Malformed("TensorNCxHWx<32", 15, "a closing >"),
        # packed() would let elements overlap, or lie behind the capacity.
        Malformed("TensorNCxHWx<32>", None, "that 32 divides"),
        Malformed(
            "TensorCxRSKx <4>", None, "that 4 divides: this layout is not padded", (2, 6, 2, 2)
        ),
        Malformed("TensorNHWC", None, "4 sizes (N, C, H, W)", (2, 3, 4)),
    ],
)


@pytest.mark.parametrize("dims", ["abcd", "NIHW", "NCDH", "GOIH"])
def test_other_names_of_four_dimensions_are_refused(dims: str) -> None:
    with pytest.raises(LayoutError, match=r"N, C, H, W or O, I, H, W in any order") as refused:
        read(DIALECT, "TensorNHWC", (2, 3, 4, 5), dims)
    assert refused.value.field == "dims"
