"""Which shape a file of a layout has, and which layouts the bytes of a file can have."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine import Layout, LayoutError, offset_map, parse_dtype
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


@pytest.mark.parametrize(
    ("layout", "extents", "given"),
    [
        ("NHWC", (2, 3, 5, 6), False),
        ("NCHW4", (2, 2, 3, 5, 4), True),
        ("NCHW4", (2, 2, 1, 1, 4), False),
        ("channels_last", (2, 3, 5, 6), True),
        ("onednn:OIhw4i16o4i", (2, 2, 3, 1, 4, 16, 4), False),
        ("{0,1}", (4, 3), True),
        ("WH", (4, 1), False),
        ("HW", (3, 0), True),
    ],
)
def test_letters_name_the_axes_of_an_array_and_the_file_says_which_lies_innermost(
    layout: str, extents: tuple[int, ...], *, given: bool
) -> None:
    array = np.arange(np.prod(extents)).reshape(extents)
    plain = stored(*extents)
    shape = source_layout(layout, plain, None, None).shape if given else None
    backwards = source_layout(layout, replace(plain, fortran_order=True), shape, None)
    found = array.ravel("F")[offset_map(backwards)]
    expected = array.ravel()[offset_map(source_layout(layout, plain, shape, None))]
    np.testing.assert_array_equal(found, expected, strict=True)


def test_strides_are_those_of_the_memory_itself() -> None:
    backwards = replace(stored(2, 3, 5), fortran_order=True)
    assert source_layout("(1, 2, 6)", backwards, (2, 3, 5), None).strides == (1, 2, 6)
    assert stored_shape(Written(Layout.strided((2, 3), (3, 1), 5))) == (11,)
    with pytest.raises(LayoutError, match=r"\(5, 3, 2\), the extents of memory in Fortran"):
        source_layout("(15, 5, 1)", backwards, (2, 3, 5), None)


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
