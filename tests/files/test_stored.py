"""Which shape a file of a layout has, and which layouts the bytes of a file can have."""

import numpy as np
import pytest

from app.engine import Layout, LayoutError, parse_dtype
from app.engine.notation import Request, Written, read_layout
from app.files.stored import Stored, source_layout, stored_shape


def stored(*shape: int, dtype: str = "float32") -> Stored:
    element = parse_dtype(dtype)
    return Stored(None, element, shape, 0, element.size_bytes(int(np.prod(shape))))


@pytest.mark.parametrize(
    ("layout", "shape", "expected"),
    [
        ("NCHW", (2, 6, 3, 5), (2, 6, 3, 5)),
        ("NHWC", (2, 6, 3, 5), (2, 3, 5, 6)),
        ("NCHW4", (2, 6, 3, 5), (2, 2, 3, 5, 4)),
        ("onednn:OIhw4i16o4i", (20, 30, 1, 1), (2, 2, 1, 1, 4, 16, 4)),
        ("(8, 1)", (2, 3), (11,)),
        ("(1, 2)", (2, 3), (3, 2)),
        ("()", (), ()),
        ("NHWC", (2, 0, 4, 1), (2, 4, 1, 0)),
        ("CHWN4", (0, 0, 0, 1), (0, 0, 1, 0, 4)),
    ],
)
def test_a_shape_says_the_whole_buffer_or_it_is_one_dimension(
    layout: str, shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    written = read_layout(layout, Request(shape))
    assert stored_shape(written) == expected
    assert np.prod(expected, dtype=int) == written.layout.buffer_elements
    assert source_layout(layout, stored(*expected), shape, None) == written.layout


def test_an_offset_needs_one_dimension() -> None:
    assert stored_shape(Written(Layout.strided((2, 3), (3, 1), 5))) == (11,)


@pytest.mark.parametrize(
    ("layout", "extents", "shape"),
    [
        ("NCHW", (2, 6, 3, 5), (2, 6, 3, 5)),
        ("NHWC", (2, 3, 5, 6), (2, 6, 3, 5)),
        ("NCHW4", (2, 2, 3, 5, 4), (2, 8, 3, 5)),
        ("CHWN4", (2, 3, 5, 7, 4), (7, 8, 3, 5)),
    ],
)
def test_logical_sizes_are_read_off_the_file(
    layout: str, extents: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    assert source_layout(layout, stored(*extents), None, None).shape == shape


def test_names_that_a_layout_does_not_take_are_refused_with_those_that_it_takes() -> None:
    assert source_layout("NHWC", stored(2, 3, 5, 6), None, "WCHN").shape == (5, 6, 3, 2)
    with pytest.raises(LayoutError) as refusal:
        source_layout("NHWC", stored(2, 3, 5, 6), None, "WXYZ")
    assert refusal.value.field == "dims"
    assert "N, H, W, C" in refusal.value.expectation or "N, C, H, W" in refusal.value.expectation


@pytest.mark.parametrize(
    ("layout", "extents", "shape", "field"),
    [
        ("NCHW", (2, 6, 3, 5), (2, 6, 5, 3), "shape"),
        ("NCHW4", (2, 6, 3, 5), (2, 6, 3, 5), "shape"),
        ("NCHW", (179,), (2, 6, 3, 5), "shape"),
        ("(3, 1)", (2, 3), None, "shape"),
        ("NCHW", (6,), None, "shape"),
        ("NCQW", (2, 6, 3, 5), (2, 6, 3, 5), "layout"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    layout: str, extents: tuple[int, ...], shape: tuple[int, ...] | None, field: str
) -> None:
    with pytest.raises(LayoutError) as refusal:
        source_layout(layout, stored(*extents), shape, None)
    assert refusal.value.field == field
