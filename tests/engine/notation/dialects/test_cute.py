"""CuTe against pycute's own recursion, colexicographic in each mode."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import offset_map
from app.engine.model.layout import Layout, Swizzle
from app.engine.notation.dialects import cute
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.engine.strategies import any_layouts, swizzled, swizzles
from tests.examples import examples

DIALECT = cute.DIALECT
Pair = tuple[int, int] | list["Pair"]  # a size and its stride, or submodes, leftmost first


def pairs() -> st.SearchStrategy[Pair]:
    leaf = st.tuples(st.integers(1, 3), st.sampled_from([-6, -1, 0, 1, 1, 2, 3, 4, 8, 12, 100]))
    return st.recursive(leaf, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=4)


def size_of(pair: Pair) -> int:
    return pair[0] if isinstance(pair, tuple) else math.prod(map(size_of, pair))


def lowest(pair: Pair) -> int:
    if isinstance(pair, tuple):
        return min((pair[0] - 1) * pair[1], 0)
    return sum(map(lowest, pair))


def step(pair: Pair, index: int) -> int:
    """What one mode adds, as pycute's crd2idx does: the leftmost submode runs fastest."""
    if isinstance(pair, tuple):
        return index * pair[1]
    total = 0
    for part in pair:
        index, inner = divmod(index, size_of(part))
        total += step(part, inner)
    return total


def spelled(pair: Pair, which: int, static: str) -> str:
    if isinstance(pair, tuple):
        return f"{static}{pair[which]}"
    return "(" + ", ".join(spelled(p, which, static) for p in pair) + ")"


@examples(600)
@given(
    st.lists(pairs(), max_size=3).filter(lambda modes: size_of(modes) <= 200),
    st.sampled_from(["", "_"]),
    st.sampled_from([swizzles(), None]),
    st.data(),
)
def test_every_coordinate_lies_where_pycute_has_it(
    modes: list[Pair], static: str, front: st.SearchStrategy[Swizzle] | None, data: st.DataObject
) -> None:
    shape = tuple(map(size_of, modes))
    offset, swizzle = -sum(map(lowest, modes)), None
    text = f"{spelled(modes, 0, static)}:{spelled(modes, 1, static)}"
    if front is not None or offset:
        swizzle = data.draw(swizzles())
        text = f"Sw<{swizzle.bits},{swizzle.base},{swizzle.shift}> o {static}{offset} o {text}"
    layout = read(DIALECT, text, shape)
    assert DIALECT.recognises(text)
    assert DIALECT.read(text).shape == shape
    addresses = offset_map(layout)
    for coordinate in itertools.product(*map(range, shape)):
        plain = offset + sum(step(m, i) for m, i in zip(modes, coordinate, strict=True))
        assert addresses[coordinate] == (swizzled(swizzle, plain) if swizzle else plain)
    assert checks.check_round_trip(DIALECT, layout)


@examples(1000)
@given(any_layouts())
def test_what_is_written_reads_back(layout: Layout) -> None:
    padded = layout.padded_shape != layout.shape
    assert checks.check_round_trip(DIALECT, layout) is not (
        padded or (layout.offset > 0 and layout.swizzle is None)
    )


@pytest.mark.parametrize(
    ("text", "shape", "addresses"),
    [
        ("4:1", (4,), [0, 1, 2, 3]),
        ("(2,3)", (2, 3), [[0, 2, 4], [1, 3, 5]]),
        ("((2,2),3)", (4, 3), [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]),
        ("(_2,(_2,_2)):(_4,(_2,_1))", (2, 4), [[0, 2, 1, 3], [4, 6, 5, 7]]),
        ("(2, (2,)):(2, (1,))", (2, 2), [[0, 1], [2, 3]]),
        ("gmem_ptr[32b](0x7f10) o (2,2):(1,2)", (2, 2), [[0, 2], [1, 3]]),
        ("Swizzle<1,0,1> o (2,2):(2,1)", (2, 2), [[0, 1], [3, 2]]),
        ("Sw<1,0,1> o _2 o (2):(1)", (2,), [3, 2]),
        ("S<1,0,-1> o 0 o (2,2):(2,1)", (2, 2), [[0, 3], [2, 1]]),
    ],
)
def test_layouts_of_the_documentation(
    text: str, shape: tuple[int, ...], addresses: list[object]
) -> None:
    layout = read(DIALECT, text, shape)
    assert offset_map(layout).tolist() == addresses
    assert checks.respelled(DIALECT, text, shape) == layout


test_a_refusal_to_write_says_which_dimension = unsaid(
    DIALECT,
    [
        (Layout.packed((2, 6), "HW", [(0, None), (1, None), (1, 4)]), "Dimension W is padded to 8"),
        (Layout.strided((2, 3), (3, 1), 5), "the offset is part of the pointer"),
    ],
)


MALFORMED = [
    Malformed("(2,3):((1,2),1)", 7, "one stride", (2, 3)),
    Malformed("((2,2),3):(1,2)", 11, "a tuple of 2", (4, 3)),
    Malformed("(2,3:(3,1)", 4, "a comma or )", (2, 3)),
    Malformed("(2,3):(x,1)", 7, "a stride", (2, 3)),
    Malformed("(2,?):(3,1)", 3, "known only at run time", (2, 3)),
    Malformed("(2,3):(1@0,1@1)", 8, "basis elements", (2, 3)),
    Malformed("(2,3):(3,1) o (2,2):(1,2)", 12, "no composition of layouts", (2, 3)),
    Malformed("(2,3):(3,1) 4", 12, "the end", (2, 3)),
    Malformed("Sw<3,4,2> o 0 o (2,3):(3,1)", 0, "|S| of at least B", (2, 3)),
    Malformed("Sw<9,9,64> o (2,3):(3,1)", 0, "B + M + |S| of at most", (2, 3)),
    Malformed("Sw<3,4> o 0 o (2,3):(3,1)", 6, ",", (2, 3)),
    Malformed("Sw<3,4,3> (2,3):(3,1)", 10, "o and the layout", (2, 3)),
    Malformed("Sw<1,0,1> o 0 o Sw<1,0,1> o (2,3):(3,1)", 16, "one swizzle", (2, 3)),
    Malformed("(" * 40, 32, "at most 32 nested", (2, 3)),
    Malformed("(2,3):(3,1)", None, "(2, 3), the sizes", (3, 2)),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


ROWS = "(8,64):(64,1)"
SWIZZLED = "Swizzle<3,3,3> o 0 o (8,64):(64,1)"
SPELLED = [
    ("make_layout(make_shape(_8{}, _64{}), make_stride(_64{}, _1{}))", ROWS),
    ("make_layout(make_shape(Int<8>{}, 64), cute::LayoutRight{})", ROWS),
    ("make_layout(make_shape(8, make_tuple(2, 4)), GenRowMajor{})", "(8,(2,4)):(8,(4,1))"),
    ("cute.make_layout((8, 64), stride=(64, 1))", ROWS),
    ("Layout<Shape<_8,_64>,Stride<_64,_1>>", ROWS),
    ("cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, _1>>{}", ROWS),
    ("Layout<_8,_2>", "8:2"),
    ("composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})", SWIZZLED),
    ("composition(Sw<3,3,3>{}, Int<16>{}, make_layout(8))", "Sw<3,3,3> o 16 o (8):(1)"),
    # Bytes: sixteen bits are two of them, four bits are half a byte.
    ("Sw<3,4,3> o smem_ptr[16b](0x7f0000) o (8,64):(64,1)", SWIZZLED),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", SWIZZLED),
    ("Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)", SWIZZLED),
    ("Sw<3,4,3>_smem_ptr[16b](0x410) o (8,64):(64,1)", "Sw<3,3,3> o 8 o (8,64):(64,1)"),
    ("Sw<2,4,3> o smem_ptr[4b](0x0) o (8,64):(64,1)", "Sw<2,5,3> o 0 o (8,64):(64,1)"),
    (
        "ComposedLayout<Sw<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>, LayoutRight>>",
        SWIZZLED,
    ),
]


@pytest.mark.parametrize(("text", "plain"), SPELLED, ids=[row[0] for row in SPELLED])
def test_source_code_is_the_layout_that_it_prints(text: str, plain: str) -> None:
    spec = DIALECT.read(plain)
    assert DIALECT.recognises(text)
    assert spec.shape is not None
    assert read(DIALECT, text, spec.shape) == read(DIALECT, plain, spec.shape)


test_malformed_source_is_marked = marked(
    DIALECT,
    [
        Malformed("Layout<Shape<_8,_64>,Stride<_64>>", 31, "2 modes", (8, 64)),
        Malformed("Layout<Shape<_8>,Shape>", 17, "a tuple of 1", (8,)),
        Malformed("Sw<3,0,3> o smem_ptr[16b](0x0) o 8:1", 12, "leaves whole", (8,)),
        Malformed("Sw<3,4,3> o smem_ptr[16b](0x1) o 8:1", 12, "multiple of the 16 bits", (8,)),
    ],
)
