"""Windows and index expressions against NumPy on the offset map."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, index_expression, offset_map, parse_layout, window
from tests.engine.strategies import small_layouts
from tests.examples import examples
from tests.places import golden_rows


def test_every_golden_window() -> None:
    for row in golden_rows("dml_slice1"):
        shape = row["shape"]
        layout = Layout.strided(shape, [math.prod(shape[d + 1 :]) for d in range(len(shape))])
        taken = window(
            layout,
            row["window_offsets"],
            row["window_sizes"],
            row["window_strides"],
            row["output_sizes"],
        )
        values = np.arange(1, layout.elements + 1)[taken.offsets()].ravel()
        # The file keeps the first 64 values of a row.
        assert len(row["values"]) == min(64, math.prod(row["output_sizes"]))
        assert values[:64].tolist() == row["values"]
        view = taken.view()
        assert view is not None
        assert np.array_equal(offset_map(view), taken.offsets())


@st.composite
def index_texts(draw: st.DrawFn, shape: tuple[int, ...]) -> str:
    number = st.one_of(st.just(""), st.integers(-9, 9).map(str))
    steps = st.sampled_from(["", ":", ":-1", ":2", ":-2", ":3", ":4", ":-4", ":8"])
    items = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if size and draw(st.booleans()):
            items.append(str(draw(st.integers(-size, size - 1))))
        else:
            items.append(f"{draw(number)}:{draw(number)}{draw(steps)}")
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), "...")
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), "None")
    return ", ".join(items)


@examples(800)
@given(st.data())
def test_index_expressions_are_numpy_s(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    text = data.draw(index_texts(layout.shape))
    offsets = offset_map(layout)
    try:
        expected = eval(f"offsets[{text}]") if text else offsets  # noqa: S307 - our own text
    except IndexError:
        with pytest.raises(LayoutError):
            index_expression(layout, text)
        return
    taken = index_expression(layout, text)
    assert taken.shape == expected.shape
    assert np.array_equal(taken.offsets(), expected)
    view = taken.view()
    if view is not None:
        assert np.array_equal(offset_map(view), expected)
    else:
        assert layout.strides is None or layout.swizzle, "a strided layout's slice is always a view"


@pytest.mark.parametrize(
    ("text", "is_view"),
    [
        (":, 4:", True),  # whole blocks
        (":, ::4", True),  # one lane of each block
        (":, ::2", True),  # half the lanes of each block
        (":, 1:3", True),  # inside one block
        (":, 2:6", False),  # across a block's border
        (":, 3:5", True),  # two elements are always equally far apart
        (":, ::3", False),
        (":, 5:1:-1", False),
    ],
)
def test_slices_of_blocks_that_are_views(text: str, *, is_view: bool) -> None:
    layout = parse_layout("NCHW4", (2, 16, 3, 3))
    taken = index_expression(layout, text)
    view = taken.view()
    assert (view is not None) == is_view
    if view is not None:
        assert np.array_equal(offset_map(view), taken.offsets())
    turned = index_expression(layout, ":, ::-1").view()
    assert turned
    assert index_expression(turned, ":, ::3").view() is None


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a", 0),
        ("0 1", 2),
        ("::0", 2),
        ("5", 0),
        ("..., ...", 5),
        ("99999999999999999999", 0),
        ("0, 0, 0", None),
        ("None," * 51, None),
    ],
)
def test_bad_indices_are_marked(text: str, position: int | None) -> None:
    with pytest.raises(LayoutError) as refused:
        index_expression(parse_layout("HW", (2, 3)), text)
    assert (refused.value.field, refused.value.position) == ("index", position)


def test_an_index_outside_names_its_dimension() -> None:
    layout = parse_layout("NCHW", (2, 0, 3, 4))
    for text, said in (
        ("-3", "an index from -2 to 1 for dimension N"),
        ("0, 0", "no index: dimension C has size 0"),
        ("..., 4", "an index from -4 to 3 for dimension W"),
    ):
        with pytest.raises(LayoutError) as refused:
            index_expression(layout, text)
        assert refused.value.expectation == said


def test_a_slice_of_a_huge_tensor_is_a_view_at_once() -> None:
    layout = parse_layout("NCHW", (1000,) * 4)
    view = index_expression(layout, "::2, 5, ::-1, 10:20").view()
    assert view is not None
    assert view.strides == (2 * 10**9, -1000, 1)
    assert view.offset == 5 * 10**6 + 999 * 1000 + 10
