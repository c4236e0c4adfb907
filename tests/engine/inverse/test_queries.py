"""Addresses and their inverse against enumeration, one element at a time."""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import (
    Digit,
    Layout,
    LayoutError,
    Swizzle,
    offset_map,
    offsets_of,
    owners_of,
    parse_layout,
)
from app.engine.inverse import owners, search
from app.engine.inverse.overlap import shares_addresses
from app.engine.inverse.owners import KINDS, coordinates_of
from app.engine.model.layout import INT64_MAX
from tests.engine import strategies
from tests.engine.strategies import any_layouts, enumerate_addresses
from tests.examples import examples


@pytest.mark.parametrize(
    "layout",
    [
        Layout.strided((100_001,), (3,), 5),
        Layout.strided((20_000, 3, 3), (-9, 3, 1), 180_000),
        Layout.strided((30_000, 5), (0, 1)),
        replace(Layout.strided((40_000, 2), (2, 1)), swizzle=Swizzle(2, 0, 3)),
    ],
    ids=str,
)
def test_an_offset_map_of_many_short_rows(layout: Layout) -> None:
    coordinates = np.indices(layout.shape).reshape(layout.rank, -1).T
    out = np.empty(layout.shape, np.int64)
    assert offset_map(layout, out=out) is out
    assert (out.ravel() == offsets_of(layout, coordinates)).all()


@examples(600)
@given(any_layouts())
def test_offset_map_is_the_formula(layout: Layout) -> None:
    offsets = offset_map(layout)
    assert offsets.shape == layout.shape
    assert not offsets.flags.writeable
    coordinates = np.argwhere(np.ones(layout.shape, dtype=bool))
    expected = [strategies.address(layout, tuple(c)) for c in coordinates.tolist()]
    assert offsets.ravel().tolist() == expected
    assert offsets_of(layout, coordinates).tolist() == expected


@examples(400)
@given(any_layouts())
def test_coordinates_are_those_of_the_only_owner(layout: Layout) -> None:
    owners = enumerate_addresses(layout, layout.shape)
    sole = [a for a, coordinates in owners.items() if len(coordinates) == 1]
    found = coordinates_of(layout, sole)
    assert found.shape == (len(sole), layout.rank)
    assert [tuple(c) for c in found.tolist()] == [owners[a][0] for a in sole]
    for wrong in range(-2, layout.buffer_elements + 2):
        if wrong not in sole:
            with pytest.raises(LayoutError) as refused:
                coordinates_of(layout, [*sole, wrong])
            assert refused.value.field == f"offsets[{len(sole)}]"


@pytest.mark.parametrize(
    "out",
    [np.empty(3, np.int64), np.empty(2, np.int32), np.empty(4, np.int64)[::2]],
    ids=["another length", "another type", "gaps"],
)
def test_an_out_that_does_not_fit_is_refused_by_name(out: Any) -> None:
    layout = Layout.strided((2,), (1,))
    for call, arguments, target in (
        (offset_map, (), out),
        (offsets_of, ([[0], [1]],), out),
        (coordinates_of, ([0, 1],), out.reshape(-1, 1)),
    ):
        with pytest.raises(LayoutError) as refused:
            call(layout, *arguments, out=target)
        assert refused.value.field == "out"


@examples(800)
@given(any_layouts())
def test_owners_are_those_of_the_enumeration(layout: Layout) -> None:
    real = enumerate_addresses(layout, layout.shape)
    padded = enumerate_addresses(layout, layout.padded_shape)
    asked = range(-2, layout.buffer_elements + 4)
    owners = owners_of(layout, asked, buffer_elements=layout.buffer_elements + 2)
    for i, a in enumerate(asked):
        kind = KINDS[owners.kinds[i]]
        start, end = owners.starts[i], owners.starts[i + 1]
        found = [tuple(c) for c in owners.coordinates[start:end].tolist()]
        if real.get(a):
            expected = "element" if len(real[a]) == 1 else "shared"
            assert (kind, owners.counts[i], found) == (expected, len(real[a]), real[a][:64])
        elif padded.get(a):
            assert (kind, owners.counts[i], found) == ("padding", 0, padded[a][:1])
        else:
            inside = 0 <= a < layout.buffer_elements + 2
            assert (kind, found) == ("gap" if inside else "outside", [])


@examples(600)
@given(any_layouts())
def test_sharing_is_decided_as_by_counting(layout: Layout) -> None:
    owners = enumerate_addresses(layout, layout.shape)
    assert shares_addresses(layout) == any(len(c) > 1 for c in owners.values())


def test_shared_addresses_are_counted_without_listing_them() -> None:
    layout = Layout.strided((10**6, 10**6), (1, 1))
    owners = owners_of(layout, [5, 10**6 - 1, 10**6, 2 * 10**6 - 2])
    assert owners.counts.tolist() == [6, 10**6, 10**6 - 1, 1]
    assert owners.coordinates[6:8].tolist() == [[0, 999_999], [1, 999_998]]
    repeated = owners_of(Layout.strided((2**30, 3, 2**30), (0, 2**31, 1), 5), [15])
    assert repeated.counts.tolist() == [2**30]
    assert repeated.coordinates.tolist() == [[n, 0, 10] for n in range(64)]


def test_swizzled_addresses_are_written_where_they_are_wanted() -> None:
    layout = parse_layout("cute:Swizzle<2,0,3> o (8,8):(8,1)", (8, 8))
    coordinates, out = [[1, 0], [7, 7]], np.empty(2, np.int64)
    assert offsets_of(layout, coordinates, out=out) is out
    assert out.tolist() == [strategies.address(layout, (1, 0)), strategies.address(layout, (7, 7))]


def test_huge_nested_tensors_are_exact() -> None:
    layout = Layout.strided((3037000499, 3037000499), (3037000499, 1))
    last = layout.buffer_elements - 1
    owners = owners_of(layout, [last, last + 1, INT64_MAX, -INT64_MAX - 1])
    assert [KINDS[k] for k in owners.kinds] == ["element", "outside", "outside", "outside"]
    assert owners.coordinates.tolist() == [[3037000498, 3037000498]]
    assert offsets_of(layout, [[3037000498, 3037000498]]).tolist() == [last]


def test_interleaved_strides_of_wide_moduli_are_exact() -> None:
    """The congruence of the last two digits does not fit into 64 bits when multiplied."""
    a, b = 2**33 + 17, 2**33 + 35
    layout = Layout.strided((2**20, 2**20), (a, b))
    wanted = [[7, 11], [2**20 - 1, 2**20 - 1], [0, 5]]
    offsets = offsets_of(layout, wanted)
    owners = owners_of(layout, offsets)
    assert [KINDS[k] for k in owners.kinds] == ["element"] * 3
    assert owners.coordinates.tolist() == wanted


def test_past_its_budget_the_search_says_undetermined() -> None:
    layout = Layout.strided((1000,) * 4, (7919, 7907, 7901, 7883))
    owners = owners_of(layout, np.arange(10**7, 10**7 + 50))
    assert {KINDS[k] for k in owners.kinds} == {"undetermined"}


REPORTED = Layout.strided((2,) * 39, [2**i for i in range(28)] + [2**i for i in range(11)])


def test_the_budget_of_a_call_does_not_grow_with_what_it_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """39 digits, 11 of them twice: thousands of partial solutions an address."""
    monkeypatch.setattr(search, "BUDGET", 1 << 22)
    known, most_bytes = [], []
    for count in (1 << 10, 1 << 16):
        budget = search.Budget()
        tracemalloc.start()
        owners = owners_of(REPORTED, np.arange(10**7, 10**7 + count), budget=budget)
        most_bytes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        known.append((owners.kinds != KINDS.index("undetermined")).sum())
        assert -(1 << 20) < budget.left < 0
    assert 0 < known[0] < 1 << 10
    assert 0 < known[1] <= 2 * known[0]
    assert most_bytes[1] < 100 << 20


@pytest.mark.parametrize(
    ("shape", "strides", "owners_each"),
    [
        ((1022, 1022, 3, 3), (1024, 1, 1024, 1), 9),
        ((1 << 10, 1 << 10), (1025, 1023), 1),
        ((1 << 10, 1 << 9, 2), (1 << 10, 2, 3), 2),
    ],
    ids=["im2col", "interleaved", "two-threads"],
)
def test_a_million_ordinary_addresses_are_within_the_budget(
    shape: tuple[int, ...], strides: tuple[int, ...], owners_each: int
) -> None:
    layout = Layout.strided(shape, strides)
    budget = search.Budget()
    count = min(1 << 20, layout.buffer_elements)
    kinds, total = set(), 0
    for start in range(0, count, 1 << 15):
        owners = owners_of(layout, np.arange(start, min(start + (1 << 15), count)), budget=budget)
        kinds |= set(owners.kinds.tolist())
        total += int(owners.counts.sum())
        assert owners.counts.max() <= owners_each
    assert kinds <= {KINDS.index(kind) for kind in ("element", "shared", "gap")}
    assert total <= layout.elements
    assert count < layout.buffer_elements or total == layout.elements


@given(
    st.one_of(  # a product, several, and Python's integers
        st.integers(1, 2**31), st.integers(2**31 + 1, 2**61 - 1), st.integers(2**61, 2**62)
    ),
    st.data(),
)
def test_products_of_wide_moduli_are_exact(modulus: int, data: st.DataObject) -> None:
    factor = data.draw(st.integers(0, modulus - 1))
    values = data.draw(st.lists(st.integers(0, INT64_MAX), min_size=1, max_size=5))
    found = search._times_mod(np.array(values), factor, modulus)
    assert found.tolist() == [value * factor % modulus for value in values]


@given(st.lists(st.integers(1, 2**62), min_size=1, max_size=6), st.data())
def test_row_major_keys_sort_as_coordinates_do(sizes: list[int], data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.tuples(*(st.integers(0, n - 1) for n in sizes)), min_size=1, max_size=8)
    )
    keys = owners._row_major_keys(np.array(rows), tuple(sizes))
    order = np.lexsort(keys)
    assert [rows[i] for i in order] == sorted(rows)


def test_the_first_64_of_a_broadcast_over_interleaved_strides() -> None:
    layout = Layout.strided((5, 70, 6, 3), (3, 0, 2, 0))
    real = enumerate_addresses(layout, layout.shape)
    owners = owners_of(layout, np.arange(layout.buffer_elements))
    for a in range(layout.buffer_elements):
        found = owners.coordinates[owners.starts[a] : owners.starts[a + 1]].tolist()
        assert [tuple(c) for c in found] == real.get(a, [])[:64]
        assert owners.counts[a] == len(real.get(a, []))


# Rows of blocks that the sizes do not fill, whose addresses meet or just do not.
RAGGED = [
    Layout((3, 5), "HW", ((Digit(3, 7),), (Digit(2, 9), Digit(3, 2)))),
    Layout((3, 5), "HW", ((Digit(3, 1),), (Digit(2, 2), Digit(3, 3)))),
    Layout((2, 3, 3), "CHW", ((Digit(2, 5),), (Digit(2, 3), Digit(2, 2)), (Digit(3, 12),))),
    Layout((7,), "W", ((Digit(2, 5), Digit(2, 3), Digit(2, 4)),)),
    Layout((5,), "W", ((Digit(2, 5), Digit(2, 3), Digit(2, 2)),)),
]


@pytest.mark.parametrize("scale", [1 << 23, 1 << 40, 1 << 57])
@pytest.mark.parametrize("layout", RAGGED, ids=str)
def test_sharing_does_not_depend_on_how_far_apart_all_addresses_are(
    layout: Layout, scale: int
) -> None:
    digits = tuple(tuple(Digit(g.extent, g.stride * scale) for g in gs) for gs in layout.digits)
    far = Layout(layout.shape, layout.dims, digits)
    owners = enumerate_addresses(layout, layout.shape)
    assert shares_addresses(far) == any(len(c) > 1 for c in owners.values())


def test_sharing_of_too_many_ragged_elements_is_left_open() -> None:
    """Too many to list, too far apart for a set of bits, too many ways for the search."""
    digits = tuple(
        (Digit(2, (2**20 + d) * 2**34), Digit(4, (2**20 + 7 * d) * 2**36)) for d in range(8)
    )
    assert shares_addresses(Layout((7,) * 8, "abcdefgh", digits)) is None


def test_an_empty_tensor_owns_nothing() -> None:
    layout = parse_layout("NCHW", (2, 0, 3, 3))
    assert offset_map(layout).shape == (2, 0, 3, 3)
    assert [KINDS[k] for k in owners_of(layout, [0, 1], buffer_elements=1).kinds] == [
        "gap",
        "outside",
    ]
