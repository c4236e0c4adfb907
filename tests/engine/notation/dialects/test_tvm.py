"""TVM's layout strings against an index rule evaluated one element at a time."""

import itertools
import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import offset_map
from app.engine.model.layout import Layout
from app.engine.notation.dialects import tvm
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.examples import examples

DIALECT = tvm.DIALECT


@st.composite
def layout_strings(draw: st.DrawFn) -> str:
    """Axes and splits in any order, some of the splits in a bracket."""
    axes = draw(st.sampled_from(["NCHW", "OIHW", "MK", "NCDHW", "ABC", "C"]))
    factors = st.sampled_from([1, 2, 3, 4, 8])
    splits = [
        f"{draw(factors)}{draw(st.sampled_from(axes)).lower()}"
        for _ in range(draw(st.integers(0, 3)))
    ]
    items = draw(st.permutations([*axes, *splits]))
    fused = [f"{draw(factors)}{draw(st.sampled_from(axes)).lower()}" for _ in range(2)]
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), f"[{''.join(fused)}]")
    return "".join(items)


def rule(text: str, dims: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Memory's extents as the rule of TVM's forward_shape gives them; kept apart from Layout."""
    items = re.findall(r"([0-9]*)([A-Za-z])", text)
    extents = []
    for factor, letter in items:
        whole = math.prod(int(f) for f, c in items if c == letter.lower() and f)
        extents.append(int(factor) if factor else -(-shape[dims.index(letter)] // whole))
    return tuple(extents)


def address_by_rule(
    text: str, dims: str, shape: tuple[int, ...], coordinate: tuple[int, ...]
) -> int:
    """TVM's forward_index, flattened row-major over memory's extents."""
    items = re.findall(r"([0-9]*)([A-Za-z])", text)
    extents = rule(text, dims, shape)
    total = 0
    for at, (factor, letter) in enumerate(items):
        index = coordinate[dims.index(letter.upper())]
        later = math.prod(int(f) for f, c in items[at + 1 :] if c == letter and f)
        if factor:
            index = index // later % int(factor)
        else:
            index //= math.prod(int(f) for f, c in items if c == letter.lower() and f)
        total = total * extents[at] + index
    return total


@examples(600)
@given(st.data(), layout_strings())
def test_addresses_are_those_of_the_index_rule(data: st.DataObject, text: str) -> None:
    rank = len(re.findall(r"[A-Z]", text))
    shape = data.draw(st.tuples(*[st.integers(0, 5)] * rank))
    layout = read(DIALECT, text, shape)
    assert checks.check_round_trip(DIALECT, layout)
    if 0 in shape:
        return
    offsets = offset_map(layout)
    for coordinate in itertools.product(*map(range, shape)):
        expected = address_by_rule(text, layout.dims, shape, coordinate)
        assert offsets[coordinate] == expected
    assert layout.buffer_elements == math.prod(rule(text, layout.dims, shape))
    assert layout.physical_shape == rule(text, layout.dims, shape)


def test_dims_may_stand_in_another_order_and_in_small_letters() -> None:
    plain = offset_map(read(DIALECT, "NCHW4c", (2, 8, 3, 5)))
    moved = offset_map(read(DIALECT, "NCHW4c", (2, 3, 5, 8), "NHWC"))
    assert np.array_equal(moved, plain.transpose(0, 2, 3, 1))
    small = read(DIALECT, "ABC4b", (2, 8, 3), "abc")
    assert small.dims == "abc"
    assert tvm.DIALECT.write(small, checks.FLOAT32) == "ABC4b"


test_reasons_name_what_is_in_the_way = unsaid(
    DIALECT,
    [
        (Layout.strided((2, 3, 3), (9, 3, 1), 5, dims="CHW"), "offset"),
        (Layout.strided((2, 3, 3), (0, 3, 1), dims="CHW"), "broadcast"),
        (Layout.strided((2, 3, 3), (30, 3, 1), dims="CHW"), "dense memory"),
        (Layout.strided((2, 3, 3), (9, -3, 1), 6, dims="CHW"), "negative stride"),
    ],
)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("NCHW0c", 4, "a factor, from 1 to 2147483647"),
        Malformed("NCHW" + "9" * 900 + "c", 4, "from 1 to 2147483647"),
        Malformed("NCHW4", 5, "the small letter"),
        Malformed("NCHWc", 4, "a factor before"),
        Malformed("NCHW4x", 5, "X is not among them"),
        Malformed("NCCHW", 2, "each axis once"),
        Malformed("NCHW[4c]", 7, "at least two splits"),
        Malformed("NCHW[4c4n", 9, "a closing ]"),
        Malformed("NCHW[4c[4n2c]]", 7, "a factor and a small letter"),
        Malformed("NCHW4c", None, "4 sizes (N, C, H, W)", (2, 8, 3)),
        Malformed("4c", 1, "C is not among them"),
    ],
)


# Index maps, and the sizes that TVM's map_shape gives; conformance asks TVM itself.
MAPS: list[tuple[str, Callable[..., list[int]]]] = [
    ("lambda n, c, h, w: (n, c//4, h, w, c%4)", lambda n, c, h, w: [n, -(-c // 4), h, w, 4]),
    ("IndexMap(lambda n, h, w, c: [n, c // 16, h, w, c % 16,])",
        lambda n, h, w, c: [n, -(-c // 16), h, w, 16]),
    ("tvm.tir.IndexMap.from_func(lambda i, j: (j, i))", lambda i, j: [j, i]),
    ("T.index_map(lambda i, j: (i // 16, j // 16, i % 16, j % 16))",
        lambda i, j: [-(-i // 16), -(-j // 16), 16, 16]),
    ("lambda i, j: (i*64 + j)", lambda i, j: [1]),
    ("lambda i, j: (i * 8 + j) * 2", lambda i, j: [1]),
    ("lambda i0, i1: (i0 % 4 // 2, i1, i0 // 4, i0 % 2)",
        lambda i0, i1: [2, i1, -(-i0 // 4), 2]),
]  # fmt: skip  # a row on two lines where it is long


@pytest.mark.parametrize(("text", "sizes_of"), MAPS)
@pytest.mark.parametrize("sizes", [(2, 6, 3, 4), (3, 3, 5, 7), (20, 40, 2, 17)])
def test_an_index_map_gives_coordinates_of_a_row_major_array(
    text: str, sizes_of: Callable[..., list[int]], sizes: tuple[int, ...]
) -> None:
    source = text[text.index("lambda") :]
    function = eval(source.removesuffix(")") if "(lambda" in text else source)  # noqa: S307  # ours
    shape = sizes[: function.__code__.co_argcount]
    extents = sizes_of(*shape)
    strides = [math.prod(extents[i + 1 :]) for i in range(len(extents))]
    addresses = []
    for coordinate in itertools.product(*map(range, shape)):
        index = function(*coordinate)
        index = index if isinstance(index, (tuple, list)) else (index,)
        addresses.append(sum(i * s for i, s in zip(index, strides, strict=True)))
    assert offset_map(read(DIALECT, text, shape)).ravel().tolist() == addresses


def test_the_letters_of_an_index_map_name_the_dimensions() -> None:
    shape = (2, 3, 4, 5)
    assert read(DIALECT, "lambda n, h, w, c: (n, c, h, w)", shape).dims == "NHWC"
    assert read(DIALECT, "lambda i, j, k, l: (i, j, k, l)", shape).dims == "NCHW"


test_index_maps_mark_the_character = marked(
    DIALECT,
    [
        Malformed("lambda n, n: (n, n)", 10, "each once"),
        Malformed("lambda n c: (n, c)", 9, "a comma or :"),
        Malformed("lambda n, c: (n, k)", 17, "a dimension (n, c)"),
        Malformed("lambda n, c: (n, c // 0)", 22, "positive constant", (2, 8)),
        Malformed("lambda n, c: (n, te.AXIS_SEPARATOR, c)", 17, "a dimension"),
        Malformed("lambda n, c: (n, c) + 1", 20, "the end"),
        Malformed("lambda n, c: (n, c) foo", 20, "the end"),
        Malformed("IndexMap(lambda n, c: (n, c)", 28, "a closing )"),
        Malformed("lambda n, c: (n, c)", None, "2 sizes"),
    ],
)
