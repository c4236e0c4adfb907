"""The index expression in C and in Python: what is read and written, where a mistake is marked."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, offset_map, parse_layout
from app.engine.model.layout import Swizzle
from app.engine.notation.dialect import Dialect
from app.engine.notation.dialects import python_index
from app.engine.notation.dialects.c_index import DIALECT
from app.engine.notation.grammar.index_dialect import variables_of
from tests.engine.notation.dialects.dense_checks import (
    FLOAT32,
    Malformed,
    attempt,
    marked,
    read,
    said,
    spelling,
)
from tests.engine.strategies import small_layouts
from tests.examples import examples

PYTHON = python_index.DIALECT
SHAPE = (2, 8, 4, 4)


def evaluated(text: str, shape: Sequence[int], variables: str) -> npt.NDArray[np.int64]:
    """The Python expression on every coordinate."""
    coordinates = dict(zip(variables, np.indices(tuple(shape), dtype=np.int64), strict=True))
    value = eval(text, {"__builtins__": {}}, coordinates)  # noqa: S307  # the test's own text
    return np.broadcast_to(np.asarray(value, dtype=np.int64), tuple(shape))


def expressions() -> st.SearchStrategy[str]:
    """Python expressions of n, c, h, w, most of which are sums of digits."""
    constant = st.sampled_from(["0", "1", "2", "3", "4", "6", "8", "12", "16", "64"])
    digit = st.one_of(
        st.sampled_from("nchw"),
        st.builds("{}//{}".format, st.sampled_from("nchw"), st.sampled_from("1248")),
        st.builds("({}//{})%{}".format, st.sampled_from("nchw"), st.sampled_from("124"), constant),
        st.builds("{}%{}".format, st.sampled_from("nchw"), constant),
        st.builds("({} & {})".format, st.sampled_from("nchw"), st.sampled_from("137")),
        st.builds("({} >> {})".format, st.sampled_from("nchw"), st.sampled_from("012")),
    )
    masks = st.sampled_from(["8", "12", "24", "56"])
    return st.recursive(
        st.one_of(
            digit,
            constant,
            st.builds("{}*{}".format, digit, constant),
            st.builds("{}*{}".format, constant, digit),
        ),
        lambda inner: st.one_of(
            st.builds("{} + {}".format, inner, inner),
            st.builds("{} - {}".format, inner, inner),
            st.builds("({})*{}".format, inner, constant),
            st.builds("({})//{}".format, inner, constant),
            st.builds("({})%{}".format, inner, constant),
            st.builds("({} << {})".format, inner, st.sampled_from("012")),
            st.builds("({0}) ^ ((({0}) & {1}) >> {2})".format, inner, masks, st.sampled_from("23")),
        ),
        max_leaves=6,
    )


@pytest.mark.parametrize(
    ("dialect", "source", "shape", "expected"),
    [
        (DIALECT, "NCHW4", (2, 64, 3, 3), "n*576 + c/4*36 + h*12 + w*4 + c%4"),
        (DIALECT, "(5, 1)+3", (2, 3), "h*5 + w + 3"),
        (DIALECT, "(-3, 1)+3", (2, 3), "3 - h*3 + w"),
        (DIALECT, "(0, 0)", (2, 3), "0"),
        (DIALECT, "acdb", (2, 3, 4, 5), "a*60 + c*15 + d*3 + b"),
        (PYTHON, "NCHW4", (2, 64, 3, 3), "n*576 + c//4*36 + h*12 + w*4 + c%4"),
    ],
)
def test_worked_examples_are_written_so(
    dialect: Dialect, source: str, shape: tuple[int, ...], expected: str
) -> None:
    layout = parse_layout(source, shape)
    assert dialect.write(layout, FLOAT32) == expected
    assert read(dialect, expected, shape, layout.dims).normal_form == layout.normal_form


@pytest.mark.parametrize(
    ("text", "same_as", "shape"),
    [
        ("((n*16 + c/4)*3 + h)*12 + w*4 + (c & 3)", "NCHW4", (2, 64, 3, 3)),
        ("n*576 + (c >> 2)*36 + h*12 + (w << 2) + c%4", "NCHW4", (2, 64, 3, 3)),
        ("N*576 + C + H*192 + W*64", "NHWC", (2, 64, 3, 3)),
        ("-4*w + 12", "(-4,)+12", (4,)),
        ("d*12 + h*4 + w", "DHW", (2, 3, 4)),
        ("i*3 + j", "HW", (2, 3)),
        ("o + i*5 + w*50 + h*150", "HWIO", (5, 10, 3, 3)),
    ],
)
def test_other_spellings_of_the_same_sum(text: str, same_as: str, shape: tuple[int, ...]) -> None:
    layout, expected = read(DIALECT, text, shape), parse_layout(same_as, shape)
    assert (offset_map(layout) == offset_map(expected)).all()
    assert layout.buffer_elements == expected.buffer_elements


def test_letters_name_the_dimensions_in_logical_order() -> None:
    assert read(DIALECT, "j + i*9", (2, 9)).dims == "ij"
    assert read(DIALECT, "h + o*9 + i + w", (2, 9, 3, 3)).dims == "OIHW"
    assert read(DIALECT, "t + n*9", (2, 3, 4), "TNC").dims == "TNC"
    assert read(DIALECT, "f + a", (2,) * 6).dims == "abcdef"
    assert read(DIALECT, "a + A*9", (2, 3), "aA").strides == (1, 9)
    assert DIALECT.write(read(DIALECT, "a + A*9", (2, 3), "aA"), FLOAT32) == "A*9 + a"


def test_the_sides_of_an_exclusive_or_may_be_exchanged() -> None:
    layout = read(DIALECT, "((h*8 + w & 56) >> 3) ^ h*8 + w", (8, 8))
    assert layout.swizzle == Swizzle(3, 0, 3)


MALFORMED = [
    Malformed("n*3 +", 5, "a dimension's letter"),
    Malformed("c//4", 1, "/, since // begins a comment"),
    Malformed("c/4/x", 4, "a positive constant"),
    Malformed("(w%3 & 3) >> 1", 10, "fits its earlier divisions"),
    Malformed("c%4*3 + c/6*2", 9, "6 is no multiple of 4"),
    Malformed("(n*3 + c", 8, "a closing )"),
    Malformed("n*3 + q", 6, "n, c, h, w for 4 sizes"),
    Malformed("n + é", 4, "a term such as"),
    Malformed("-" * 40 + "n", 32, "at most 32 brackets"),
    Malformed("n << 70", 2, "at most 62 bits"),
    Malformed("n << c", 2, "a constant number of bits"),
    Malformed("n ^ ((c & 56) >> 3)", 2, "the same x on both sides"),
    Malformed("n ^ ((n & 5) >> 3)", 2, "neighbouring bits"),
    Malformed("n ^ ((n & 56) >> 1)", 2, "|S| of at least B"),
    Malformed("(n ^ ((n & 56) >> 3)) + 1", 0, "last operation"),
    Malformed("n & 5", 0, "a mask of neighbouring bits"),
    Malformed("n & c", 2, "a constant on one side"),
    Malformed("9" * 400, 0, "2^63-1"),
    Malformed("n*9223372036854775807*2 + 5", 0, "2^63-1"),
    Malformed("a + b + c + d + e", None, "5 sizes"),
    Malformed("", 0, "a dimension's letter"),
    Malformed("w - 4", None, "an integer from 0", field="layout.offset"),
    Malformed("3 - w*4", None, "at least 8", field="layout.offset"),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)
test_malformed_python_is_marked = marked(
    PYTHON,
    [
        Malformed("n*576 + c/4*36", 9, "//, since / makes fractions"),
        Malformed("n**2", 2, "a dimension's letter"),
        Malformed("lambda: n", 1, "an operator"),
        Malformed("__import__", 0, "a term such as"),
        Malformed("-w//2", 2, "a single dimension"),
    ],
)


LANGUAGES = pytest.mark.parametrize(
    ("dialect", "division"), [(DIALECT, "/"), (PYTHON, "//")], ids=["c", "python"]
)


@LANGUAGES
@examples(700)
@given(small_layouts())
def test_every_layout_is_written_and_reads_back(
    dialect: Dialect, division: str, layout: Layout
) -> None:
    """Also for Python, which computes the same addresses."""
    text, reason = said(dialect, layout)
    moves_nothing = layout.swizzle is not None and not layout.swizzle.bits
    assert ("no bits" in reason) == moves_nothing
    if text is None:
        assert moves_nothing or 0 in layout.shape
        return
    assert read(dialect, text, layout.shape, layout.dims).normal_form == layout.normal_form, text
    addresses = evaluated(text.replace(division, "//"), layout.shape, variables_of(layout.dims))
    assert np.array_equal(addresses, offset_map(layout)), text


@LANGUAGES
@examples(650)
@given(expressions())
def test_what_is_read_has_the_addresses_that_python_computes(
    dialect: Dialect, division: str, text: str
) -> None:
    layout = attempt(dialect, text.replace("//", division), SHAPE)
    if isinstance(layout, LayoutError):
        assert layout.position is None or 0 <= layout.position <= len(text)
    else:
        assert np.array_equal(offset_map(layout), evaluated(text, SHAPE, "nchw")), text


@pytest.mark.parametrize(
    ("text", "shape", "dims"),
    [
        ("((n*C + c)*H + h)*W + w", (2, 6, 4, 5), "nchw"),
        ("(((n*((C+3)/4) + c/4)*H + h)*W + w)*4 + c%4", (2, 6, 4, 5), "nchw"),
        ("(H-1-h)*W + w", (4, 5), "hw"),
    ],
)
def test_a_capital_beside_its_small_letter_is_a_size(
    text: str, shape: tuple[int, ...], dims: str
) -> None:
    sizes = dict(zip(dims.upper(), map(str, shape), strict=True))
    numbers = "".join(sizes.get(letter, letter) for letter in text)
    for dialect, division in ((DIALECT, "/"), (PYTHON, "//")):
        layout = read(dialect, text.replace("/", division), shape)
        assert (offset_map(layout) == evaluated(numbers.replace("/", "//"), shape, dims)).all()
    assert spelling(DIALECT, text, shape) == text


@pytest.mark.parametrize(
    ("text", "dims", "position"),
    [
        ("n*C + n", None, 1),
        ("n*c", None, 1),
        ("h*W + w", "hwW", 1),
        ("h*W*w", None, 3),
        ("h*3 + c", "NHW", 6),
    ],
)
def test_a_letter_of_no_dimension_is_marked(text: str, dims: str | None, position: int) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_layout(text, (2, 3, 4) if dims else (2, 3), dims)
    assert caught.value.position == position
