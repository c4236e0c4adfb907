"""The engine's array code in another namespace: array-api-strict, and CuPy where there is a GPU."""

import sys
from types import SimpleNamespace
from typing import Any, cast

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given

from app.engine import Layout, LayoutError, coordinates_of, offset_map, offsets_of
from app.engine.inverse.owners import ELEMENT, owners_of
from app.engine.model import arrays
from tests.engine.strategies import any_layouts
from tests.examples import examples

CARD = arrays.gpu_namespace()
NAMESPACES = [strict] if CARD is None else [strict, CARD]
each_namespace = pytest.mark.parametrize("xp", NAMESPACES, ids=lambda xp: xp.__name__)


def same(xp: Any, found: Any, expected: Any) -> bool:
    """Equal values, and in the namespace still."""
    assert isinstance(found, type(xp.asarray(0)))
    assert found.dtype == xp.int64
    host = arrays.to_numpy(found)
    return bool(host.shape == expected.shape and np.array_equal(host, expected))


@each_namespace
@examples(300)
@given(layout=any_layouts())
def test_maps_and_tables_are_numpy_s(xp: Any, layout: Layout) -> None:
    assert same(xp, offset_map(layout, xp=xp), offset_map(layout))
    for d in range(layout.rank):
        index = xp.arange(layout.shape[d], dtype=xp.int64)
        assert same(xp, layout.dim_offsets(d, cast(Any, index)), layout.table(d))
    if layout.swizzle is not None:
        plain, swizzle = np.arange(100), cast(Any, layout.swizzle)
        assert same(xp, swizzle(xp.asarray(plain)), layout.swizzle(plain))
    coordinates = np.argwhere(np.ones(layout.shape, dtype=bool))
    assert same(xp, offsets_of(layout, xp.asarray(coordinates)), offsets_of(layout, coordinates))


@each_namespace
@examples(300)
@given(layout=any_layouts())
def test_coordinates_are_numpy_s_and_no_element_is_refused_by_the_same_name(
    xp: Any, layout: Layout
) -> None:
    owned = owners_of(layout, np.arange(layout.buffer_elements))
    found = np.flatnonzero(owned.kinds == ELEMENT)
    for asked in (found, found[:0]):
        assert same(xp, coordinates_of(layout, xp.asarray(asked)), coordinates_of(layout, asked))
    sole = found.tolist()
    others = np.flatnonzero(owned.kinds != ELEMENT).tolist()
    some = others[:: 1 + len(others) // 8]
    for wrong in (-1, layout.buffer_elements, *some):
        with pytest.raises(LayoutError) as refused:
            coordinates_of(layout, xp.asarray([*sole, wrong, *sole]))
        assert refused.value.field == f"offsets[{len(sole)}]"
    for d, size in enumerate(layout.shape):
        wrong_row = [0] * layout.rank
        wrong_row[d] = size
        with pytest.raises(LayoutError) as refused:
            offsets_of(layout, xp.asarray([[0] * layout.rank, wrong_row]))
        assert refused.value.field == f"coordinates[1][{d}]"


def _raising() -> bool:
    raise RuntimeError("cudaErrorInsufficientDriver")


@pytest.mark.parametrize(
    ("is_available", "usable"),
    [(lambda: True, True), (lambda: False, False), (_raising, False)],
    ids=["a device", "none", "no driver"],
)
def test_cupy_counts_where_a_device_answers(
    monkeypatch: pytest.MonkeyPatch, is_available: Any, *, usable: bool
) -> None:
    class Array:
        """One of CuPy before release 14: it does not name its namespace."""

        shape = (1,)

    cupy = SimpleNamespace(cuda=SimpleNamespace(is_available=is_available), ndarray=Array)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    arrays.gpu_namespace.cache_clear()
    try:
        assert arrays.gpu_namespace() is (cupy if usable else None)
        assert arrays.namespace_of(Array()) is (cupy if usable else np)
        for plain in ([[1, 2]], np.empty(3), SimpleNamespace(shape=(1,))):
            assert arrays.namespace_of(plain) is np
        assert arrays.namespace_of(strict.asarray([1])) is strict
    finally:
        arrays.gpu_namespace.cache_clear()
