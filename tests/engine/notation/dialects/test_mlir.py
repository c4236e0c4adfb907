"""MLIR against its own arithmetic: each map is evaluated for each coordinate."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, parse_dtype
from app.engine.model.layout import Layout, Swizzle
from app.engine.notation.dialects import mlir
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read
from tests.engine.strategies import shapes
from tests.examples import examples

DIALECT = mlir.DIALECT
TYPES = ("float32", "bool", "bfloat16", "int4", "uint8")


def evaluated(results: str, coordinate: tuple[int, ...]) -> list[int]:
    """The results of a map, by Python's operators, which round as MLIR's do."""
    python = re.sub(r"([^(),]+|\([^()]*\)) ceildiv (\d+)", r"-(-(\1) // \2)", results)
    python = python.replace("floordiv", "//").replace("mod", "%")
    values = eval(f"[{python}]", {f"d{i}": c for i, c in enumerate(coordinate)})  # noqa: S307  # the program's own text
    return list(map(int, values))


def addresses(results: str, shape: tuple[int, ...]) -> list[int]:
    return [evaluated(results, c)[0] for c in np.ndindex(*shape)]


def map_text(results: str, rank: int) -> str:
    return f"affine_map<({', '.join(f'd{d}' for d in range(rank))}) -> ({results})>"


@st.composite
def linear(draw: st.DrawFn, rank: int) -> str:
    """A sum of digits of random dimensions, with random tiles and factors."""
    terms = []
    for _ in range(draw(st.integers(1, 5))):
        term = f"d{draw(st.integers(0, rank - 1))}" if rank else "3"
        cut = draw(st.sampled_from(["", "", "{} floordiv 2", "({} floordiv 2) mod 2", "{} mod 4"]))
        term = cut.format(term) or term
        factor = draw(st.sampled_from(["", "* 3", "* 0", "* 8", "* 24"]))
        terms.append(f"({term}) {factor}")
    return " + ".join(terms) + draw(st.sampled_from(["", " + 5", " - (-2)"]))


@examples(500)
@given(shapes(max_rank=3).flatmap(lambda s: st.tuples(st.just(s), linear(len(s)))))
def test_a_map_of_one_result_is_the_address(case: tuple[tuple[int, ...], str]) -> None:
    shape, results = case
    layout = read(DIALECT, map_text(results, len(shape)), shape)
    assert offset_map(layout).ravel().tolist() == addresses(results, shape)
    assert checks.check_round_trip(DIALECT, layout)


@examples(400)
@given(
    st.tuples(*[st.integers(1, 6)] * 3),
    st.sampled_from(["floordiv", "mod", "ceildiv"]),
    st.integers(1, 60),
    st.integers(0, 3),
    st.data(),
)
def test_a_flattened_index_is_divided_exactly_or_refused(
    shape: tuple[int, int, int], operator: str, divisor: int, more: int, data: st.DataObject
) -> None:
    rows, columns = shape[1], shape[2]
    factors = data.draw(st.sampled_from([(rows * columns, columns, 1), (24, 6, 1), (8, 4, 2)]))
    flat = " + ".join(f"d{d} * {f}" for d, f in enumerate(factors))
    results = f"({flat} + {more}) {operator} {divisor}"
    text = map_text(results, 3)
    layout = checks.attempt(DIALECT, text, shape)
    if isinstance(layout, LayoutError):
        assert "carries" in layout.expectation
        assert layout.position is not None
        assert text[layout.position :].startswith(operator)
    else:
        assert offset_map(layout).ravel().tolist() == addresses(results, shape)


@examples(300)
@given(
    st.tuples(*[st.integers(1, 9)] * 3),
    st.permutations(range(3)),
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([2, 3, 4, 8])),
        max_size=3,
        unique_by=lambda b: b[0],
    ),
)
def test_a_map_of_several_results_is_a_padded_transpose(
    shape: tuple[int, int, int], order: list[int], blocks: list[tuple[int, int]]
) -> None:
    sizes = dict(blocks)
    results = [f"d{d} floordiv {sizes[d]}" if d in sizes else f"d{d}" for d in order]
    results += [f"d{d} mod {x}" for d, x in blocks]
    layout = read(DIALECT, map_text(", ".join(results), 3), shape)

    def fill(x: checks.Array) -> checks.Array:
        x = checks.split(x, **{f"a{d}": sizes.get(d, 1) for d in range(3)})
        inner = [2 * d + 1 for d, _ in blocks] + [2 * d + 1 for d in range(3) if d not in sizes]
        return x.transpose([2 * d for d in order] + inner)

    checks.check_memory(layout, fill)
    assert checks.check_round_trip(DIALECT, layout)


@examples(600)
@given(checks.arbitrary_layouts(), st.sampled_from(TYPES))
def test_every_layout_of_digits_can_be_written(layout: Layout, dtype: str) -> None:
    assert checks.check_round_trip(DIALECT, layout, parse_dtype(dtype))
    text = mlir.DIALECT.write(layout, parse_dtype(dtype))
    assert DIALECT.recognises(text)
    assert (DIALECT.read(text).shape, DIALECT.read(text).dtype) == (layout.shape, dtype)
    found = re.search(r"-> \((.*)\)>>$", text)
    if found and layout.elements:
        assert offset_map(layout).ravel().tolist() == addresses(found[1], layout.shape)


@pytest.mark.parametrize(
    ("text", "shape", "strides", "offset"),
    [
        ("memref<2x3xf32>", (2, 3), (3, 1), 0),
        ("memref<f32>", (), (), 0),
        ("memref<2x3xf32, 1>", (2, 3), (3, 1), 0),
        ("memref<2x3xf32, strided<[5, 1], offset: 3>>", (2, 3), (5, 1), 3),
        ("memref<2x3xf32, strided<[5, 1]>, 3 : i64>", (2, 3), (5, 1), 0),
        ("memref<4x4xf16, strided<[4,1]>, #gpu.address_space<workgroup>>", (4, 4), (4, 1), 0),
        ("strided<[20, 5, 1], offset: 3>", (2, 3, 5), (20, 5, 1), 3),
        ("affine_map<(i, j) -> (i, j)>", (2, 3), (3, 1), 0),
        ("affine_map<(i, j) -> ((i * 5 + j) floordiv 5, (i * 5 + j) mod 5)>", (2, 5), (5, 1), 0),
        ("affine_map<(i) -> (-i + 9)>", (10,), (-1,), 9),
        ("affine_map<(i) -> (i ceildiv 1)>", (10,), (1,), 0),
        ("affine_map<(i)[] -> (i)>", (3,), (1,), 0),
        ("affine_map<() -> (7)>", (), (), 7),
    ],
)
def test_forms_of_the_documentation(
    text: str, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> None:
    layout = read(DIALECT, text, shape)
    assert (layout.strides, layout.offset) == (strides, offset)
    assert checks.respelled(DIALECT, text, shape) == layout


def test_a_quotient_that_no_index_reaches_is_nothing() -> None:
    """3·d0 stays below 8 up to a size of 3; for a size of 4 the quotient would be no digit."""
    text = map_text("d0 * 3 floordiv 8 + d0 * 2 + d1", 2)
    assert read(DIALECT, text, (3, 2)).strides == (2, 1)
    with pytest.raises(LayoutError, match="carries"):
        read(DIALECT, text, (4, 2))


def test_blocks_of_four_channels_are_written_as_one_address() -> None:
    text = map_text("d0, d1 floordiv 4, d2, d3, d1 mod 4", 4)
    assert DIALECT.write(read(DIALECT, text, (2, 6, 3, 3)), checks.FLOAT32) == (
        "memref<2x6x3x3xf32, affine_map<(d0, d1, d2, d3) -> "
        "(d0 * 72 + (d1 floordiv 4) * 36 + d2 * 12 + d3 * 4 + d1 mod 4)>>"
    )


MALFORMED = [
    Malformed("memref<2x3xf32", 14, "a comma or >", (2, 3)),
    Malformed("memref<2x3>", 10, "x behind the size", (2, 3)),
    Malformed("memref<?x3xf32>", 7, "? is known only at run time", (2, 3)),
    Malformed("memref<*xf32>", 7, "unknown rank", (2, 3)),
    Malformed("memref<2x3xf32, #map>", 16, "defined elsewhere", (2, 3)),
    Malformed("memref<2x3xf32, strided<[1]>>", 26, "2 dimensions", (2, 3)),
    Malformed("memref 2x3xf32>", 7, "<", (2, 3)),
    Malformed("strided<[5, 1], 3>", 16, "offset: and an integer", (2, 3)),
    Malformed("strided<[5 1]>", 11, "a comma or ]", (2, 3)),
    Malformed("strided<5, 1>", 8, "[", (2, 3)),
    Malformed("strided<[5, 1]", 14, ", offset: or >", (2, 3)),
    Malformed("affine_map<(d0, d1) -> (d0 * d1)>", 27, "not affine", (2, 3)),
    Malformed("affine_map<(d0, d1) -> (d0 +)>", 28, "a dimension, an integer", (2, 3)),
    Malformed("affine_map<(d0, d1) -> ((d0 + d1) mod 2)>", 34, "carries", (2, 3)),
    Malformed("affine_map<(d0, d1) -> (d0 div 2)>", 27, "an operator", (2, 3)),
    Malformed("affine_map<(d0, d1)[s0] -> (d0)>", 20, "symbols", (2, 3)),
    Malformed("affine_map<(d0, d0) -> (d0)>", 16, "each once", (2, 3)),
    Malformed("affine_map<(d0, d1) -> (d0 - 5)>", 24, "never negative", (2, 3)),
    Malformed("affine_map<(d0, d1) -> ((d0, d1)>", 27, "an operator or )", (2, 3)),
    Malformed("affine_map<(d0, d1) -> (d1 mod 4 + d1 mod 6)>", 44, "divide one another", (2, 9)),
    Malformed(f"affine_map<(i, j) -> ({'(' * 40}i", 54, "at most 32 nested", (2, 3)),
    Malformed("memref<3x2xf32>", None, "(3, 2), the sizes", (2, 3)),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


@pytest.mark.parametrize(
    "results",
    [
        " * ".join(["d0", *["9223372036854775807"] * 40]),
        "d0 * 9223372036854775807 + d1 * 9223372036854775807",
        "d0, d1 * 9223372036854775807, d1 * 9223372036854775807",
        "d0 floordiv 9223372036854775807 + d0 mod 3",
    ],
)
def test_numbers_beyond_int64_are_refused(results: str) -> None:
    with pytest.raises(LayoutError):
        read(DIALECT, map_text(results, 2), (2, 3))


def triton(order: list[int], *numbers: int, more: str = "") -> str:
    vec, per_phase, max_phase = numbers
    said = f"vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = {order}{more}"
    return f"#ttg.swizzled_shared<{{{said}}}>"


POWERS = st.sampled_from([1, 2, 4, 8, 16])


@examples(300)
@given(st.permutations(range(3)), st.tuples(*[POWERS] * 3), st.tuples(*[POWERS] * 3))
def test_a_swizzle_of_triton_is_its_linear_layout(
    order: list[int], numbers: tuple[int, int, int], shape: tuple[int, ...]
) -> None:
    """An address's bits move its column, row by row: swizzledSharedToLinearLayout."""
    vec, per_phase, max_phase = numbers
    column, row, outer = order
    layout = read(DIALECT, f"#shared = {triton(order, *numbers)}", shape)
    plain = np.arange(math.prod(shape)).reshape([shape[d] for d in reversed(order)])
    for address, (z, r, c) in enumerate(np.ndindex(plain.shape)):
        moved = c ^ (vec * (r // per_phase % max_phase) % shape[column])
        at = {outer: z, row: r, column: moved}
        assert offset_map(layout)[tuple(at[d] for d in range(3))] == address


def test_a_tensor_is_row_major_and_a_memdesc_has_its_swizzle() -> None:
    assert read(DIALECT, "tensor<2x3xf32>", (2, 3)).strides == (3, 1)
    memdesc = f"!ttg.memdesc<16x64xf16, {triton([1, 0], 8, 1, 8)}, #ttg.shared_memory, mutable>"
    assert read(DIALECT, memdesc, (16, 64)).swizzle == Swizzle(3, 3, 3)
    one = ", CTAsPerCGA = [1], CTASplitNum = [1], CTAOrder = [0], hasLeadingOffset = false"
    assert read(DIALECT, triton([0], 8, 1, 8, more=one), (64,)).swizzle is None


BLOCKED = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], order = [0]}>"
test_what_is_no_layout_in_memory_is_refused = marked(
    DIALECT,
    [
        Malformed(BLOCKED, 0, "a layout of memory: paste the encoding of shared memory", (64,)),
        Malformed(f"tensor<64xf32, {BLOCKED}>", 15, "a layout of memory", (64,)),
        Malformed("#ttg.nvmma_shared<{swizzlingByteWidth = 128}>", 0, "GF(2)", (64,)),
        Malformed("tensor<64xf32, #layout>", 15, "defined elsewhere", (64,)),
        Malformed("#layout", 0, "#ttg.swizzled_shared", (64,)),
        Malformed("tensor<?x64xf32>", 7, "a static size", (1, 64)),
        Malformed("!ttg.memdesc<64xf32>", 19, "#ttg.swizzled_shared", (64,)),
        Malformed(triton([1, 0], 3, 1, 8), 22, "a power of two", (8, 8)),
        Malformed(triton([1, 1], 1, 1, 8), 0, "an order", (8, 8)),
        Malformed(triton([0], 1, 1, 8, more=", CTASplitNum = [2]"), 72, "all CTASplitNum 1", (8,)),
        Malformed(triton([0], 1, 1, 8, more=", vex = 1"), 72, "one of vec", (8,)),
        Malformed(triton([1, 0], 1, 1, 8), None, "powers of two", (8, 6), "shape"),
        Malformed(triton([1, 0], 1, 1, 8), None, "2 sizes", (8,), "shape"),
    ],
)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (BLOCKED, "got blocked, which spreads elements over registers"),
        ("memref<2x3xf32, strided<[5, 1], offset: ?>>", "got a question mark at character"),
        ("memref<2x?xf32>", "got a question mark at character"),
    ],
)
def test_a_refusal_says_what_it_has_got(text: str, got: str) -> None:
    with pytest.raises(LayoutError, match=got):
        DIALECT.read(text)
