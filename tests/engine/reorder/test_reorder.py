"""Reorders against NumPy scatter through the twin's addresses."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, offset_map, parse_layout, plan, reorder
from app.engine.inverse.overlap import shares_addresses
from tests.engine.strategies import any_layouts, enumerate_addresses, packed_layouts, shapes
from tests.examples import examples

UNTOUCHED = -9


def buffer_of(layout: Layout, values: npt.NDArray[Any], fill: int) -> npt.NDArray[Any]:
    buffer = np.full(layout.buffer_elements, fill, dtype=values.dtype)
    buffer[offset_map(layout)] = values
    return buffer


@examples(600)
@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    shape = data.draw(shapes(least=0, most=9))
    source, target = data.draw(packed_layouts(shape)), data.draw(packed_layouts(shape))
    values = np.arange(1, source.elements + 1).reshape(shape)
    there = reorder(buffer_of(source, values, UNTOUCHED), source, target)
    assert np.array_equal(there, buffer_of(target, values, 0))
    back = reorder(there, target, source)
    assert np.array_equal(back, buffer_of(source, values, 0))


@examples(500)
@given(st.data())
def test_any_source_into_any_target_that_has_addresses_of_its_own(data: st.DataObject) -> None:
    target = data.draw(any_layouts())
    source = data.draw(
        st.one_of(packed_layouts(target.shape), any_layouts().filter(lambda x: x.shape == ()))
    )
    if source.shape != target.shape:
        source = data.draw(packed_layouts(target.shape))
    memory = np.arange(source.buffer_elements) + 100
    values = memory[offset_map(source)]
    if shares_addresses(target):
        with pytest.raises(LayoutError) as refused:
            plan(source, target)
        assert refused.value.field == "target"
        # It still serves as a source.
        target, source = source, target
        memory = np.arange(source.buffer_elements) + 100
        values = memory[offset_map(source)]
    out = np.full(target.buffer_elements, UNTOUCHED)
    reorder(memory, source, target, out=out)
    real = enumerate_addresses(target, target.shape)
    padded = enumerate_addresses(target, target.padded_shape)
    for a, found in enumerate(out.tolist()):
        if a in real:
            assert found == values[real[a][0]]
        else:
            assert found == (0 if a in padded else UNTOUCHED)


def test_radices_that_do_not_divide_are_boxes() -> None:
    shape = (3, 50, 4, 5)
    source, target = parse_layout("NCHW4", shape), parse_layout("NCHW6", shape)
    planned = plan(source, target)
    assert planned.kernel == "strided"
    # Of every twelve channels: 0 to 3, 4 and 5, 6 and 7, 8 to 11; then 48 and 49.
    assert [box.target_offset for box in planned.boxes] == [0, 4, 120, 122, 960]
    with pytest.raises(LayoutError) as refused:
        plan(source, parse_layout("NCHW", (3, 50, 5, 4)))
    assert refused.value.field == "target"


def test_loops_that_continue_each_other_are_one() -> None:
    shape = (2, 64, 3, 3)
    same = plan(parse_layout("NCHW", shape), parse_layout("NCHW", shape))
    assert [[x.extent for x in box.loops] for box in same.boxes] == [[1152]]
    across = plan(parse_layout("NCHW", shape), parse_layout("NHWC", shape))
    assert [[x.extent for x in box.loops] for box in across.boxes] == [[2, 9, 64]]


def test_dimensions_match_by_name_where_both_have_the_names() -> None:
    source = parse_layout("NHWC", (2, 3, 4, 5), "NHWC")
    target = parse_layout("NCHW", (2, 5, 3, 4))
    memory = np.arange(source.elements)
    assert np.array_equal(
        reorder(memory, source, target), memory.reshape(2, 3, 4, 5).transpose(0, 3, 1, 2).ravel()
    )
